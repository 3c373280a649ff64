"""Steps: edit a tree by a row of buttons, with a small dialog where a step needs a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from nicegui import ui

from shoal.declare.hierarchies.editing import ROOT, Draft
from shoal.errors import RecipeError
from shoal.studio.pages.hierarchy_work import Work
from shoal.studio.words import in_words

Do = Callable[[str, str], Draft]  # the way that was chosen, and what was typed


@dataclass(frozen=True)
class Question:
    """The words of a dialog for one step: what is typed, and the ways among which one is chosen."""

    title: str
    label: str
    value: str = ""
    ways: Mapping[str, str] = field(default_factory=dict)
    unnamed: str | None = None
    """The way for which nothing is typed."""
    hint: str | None = None


class Steps:
    """Rename, move, merge, split, add a level.

    Each button is on when the step suits what is chosen.
    """

    def __init__(self, work: Work, clear: Callable[[], None]) -> None:
        self.work = work
        bar = ui.element("div").classes("tree-steps")
        with bar.props('role="toolbar" aria-label="Edit the tree"'):
            self.rename = _button("Rename", "another name for the chosen group", self.ask_rename)
            self.move = _button("Move", "put what is chosen under another group", self.ask_move)
            self.merge = _button("Merge", "make one group of what is chosen", self.ask_merge)
            self.split = _button(
                "Split", "dissolve a group, or take part of it out", self.ask_split
            )
            self.level = _button(
                "Add level", "put neighbours together, some at a time", self.ask_level
            )
            self.undo = _button("Undo", "take the last step back", work.desk.undo)
            self.count = ui.button(on_click=clear).props(
                'flat dense no-caps aria-label="Choose nothing" data-testid=clear'
            )
        self.follow()

    @property
    def groups(self) -> list[int]:
        """List the chosen nodes that are groups."""
        return [
            node
            for node in self.work.chosen
            if self.work.draft and node in self.work.draft.children
        ]

    def follow(self) -> None:
        """Turn buttons on and off by what is chosen."""
        chosen = len(self.work.chosen)
        groups = len(self.groups)
        self.rename.set_enabled(chosen == groups == 1)
        for button in (self.move, self.merge, self.split):
            button.set_enabled(chosen > 0)
        self.level.set_enabled(chosen == 0 or chosen == groups == 1)
        self.undo.set_enabled(bool(self.work.desk.before))
        self.count.set_text(f"{chosen:,} chosen ✕")
        self.count.set_visibility(chosen > 0)

    def ask_rename(self) -> None:
        """Ask for a new name of the one chosen group."""
        if len(self.groups) == len(self.work.chosen) == 1:
            (group,) = self.groups
            self._ask(
                Question("Rename the group", "Name", value=self._draft.labels[group]),
                lambda _, name: self._draft.rename(group, name),
            )
        else:  # by F2: the button is off
            ui.notify(
                "Only a group has a name that can be changed: a value stays what stands in the "
                "table."
            )

    def ask_merge(self) -> None:
        """Ask for one group of what is chosen: above it, or in its place where all are groups."""
        chosen = set(self.work.chosen)
        ways = {"above": "a new group above what is chosen"}
        if len(self.groups) == len(chosen) > 1:
            ways = {"join": "one group in their place, which holds all that they hold", **ways}
        steps: Mapping[str, Do] = {
            "join": lambda _, name: self._draft.join(chosen, name),
            "above": lambda _, name: self._draft.group(chosen, name),
        }
        self._ask(
            Question("Merge", "Name of the group", ways=ways),
            lambda way, name: steps[way](way, name),
        )

    def ask_split(self) -> None:
        """Ask to take what is chosen out of its group, or to dissolve the group."""
        chosen = set(self.work.chosen)
        ways = {"part": "take what is chosen out of its group, as a new group beside it"}
        if len(self.groups) == len(chosen) == 1:
            ways = {"dissolve": "dissolve the group: what it holds moves up", **ways}
        steps: Mapping[str, Do] = {
            "dissolve": lambda _, name: self._draft.dissolve(min(chosen)),
            "part": lambda _, name: self._draft.split(chosen, name),
        }
        self._ask(
            Question("Split", "Name of the new group", ways=ways, unnamed="dissolve"),
            lambda way, name: steps[way](way, name),
        )

    def ask_level(self) -> None:
        """Ask for new groups between a group (or the root) and what it holds."""
        group = self.groups[0] if self.groups else ROOT

        def do(_: str, typed: str) -> Draft:
            if not typed.strip().isdecimal():
                raise RecipeError("that is no whole number", remedy="type 5, say")
            return self._draft.add_level(group, int(typed))

        held = len(self._draft.children[group])
        question = Question(
            "Add a level",
            "How many neighbours go together",
            value=str(max(2, round(held**0.5))),
            hint=f"'{self._draft.labels[group]}' holds {held:,}",
        )
        self._ask(question, do)

    def ask_move(self) -> None:
        """Ask for the group under which what is chosen shall stand."""
        chosen = set(self.work.chosen)
        with _dialog("Move under which group?") as (dialog, problem):
            wanted = (
                ui.input("Find a group")
                .props("autofocus outlined dense data-testid=find-group")
                .classes("w-full")
            )
            targets = ui.element("div").classes("tree-targets").props("data-testid=targets")
            with ui.element("div").classes("tree-dialog-end"):
                ui.button("Cancel", on_click=dialog.close).props("flat no-caps")

        def show() -> None:
            targets.clear()
            with targets:
                for group, way in self.work.groups(wanted.value or ""):
                    step = self._done(
                        lambda group=group: self._draft.move(chosen, group),  # type: ignore[misc]
                        dialog,
                        problem,
                    )
                    ui.button(way, on_click=step).props("flat no-caps align=left").classes("w-full")

        wanted.on_value_change(show)
        show()

    @property
    def _draft(self) -> Draft:
        assert self.work.draft is not None
        return self.work.draft

    def _ask(self, question: Question, do: Do) -> None:
        """Open a dialog for one step, and take the step when it is answered."""
        ways = question.ways
        with _dialog(question.title) as (dialog, problem):
            if question.hint:
                ui.label(question.hint).classes("faint")
            way = None
            if len(ways) > 1:
                way = ui.radio(dict(ways), value=next(iter(ways))).props("data-testid=way")
            elif ways:
                ui.label(next(iter(ways.values()))).classes("faint")
            only = next(iter(ways), "")
            typed = (
                ui.input(question.label, value=question.value)
                .props("autofocus outlined dense data-testid=name")
                .classes("w-full")
            )
            step = self._done(
                lambda: do(str(way.value) if way else only, typed.value or ""), dialog, problem
            )
            with ui.element("div").classes("tree-dialog-end"):
                ui.button("Cancel", on_click=dialog.close).props("flat no-caps")
                ui.button("OK", on_click=step).props("unelevated no-caps data-testid=ok")
            typed.on("keydown.enter", step)
            if way and question.unnamed:
                typed.bind_visibility_from(way, "value", lambda way: way != question.unnamed)

    def _done(
        self, do: Callable[[], Draft], dialog: ui.dialog, problem: ui.label
    ) -> Callable[[], None]:
        """Return what takes the step and shuts the dialog, or says in it why that can't be."""

        def step() -> None:
            try:
                self.work.take(do())
            except RecipeError as refusal:
                problem.set_text(in_words(refusal))
            else:
                dialog.close()

        return step


class _dialog:  # noqa: N801
    """An open dialog with a title and room for a problem; gone once it is shut."""

    def __init__(self, title: str) -> None:
        self.dialog = ui.dialog(value=True)
        self.dialog.on("hide", self.dialog.delete)
        with self.dialog:
            self.card = ui.card().classes("tree-dialog")
        with self.card:
            ui.label(title).classes("text-lg").props('role="heading" aria-level="2"')
            self.problem = ui.label().classes("problem").props('role="alert" data-testid=refusal')

    def __enter__(self) -> tuple[ui.dialog, ui.label]:
        self.card.__enter__()
        return self.dialog, self.problem

    def __exit__(self, *_: object) -> None:
        self.card.__exit__()


def _button(text: str, what: str, do: Callable[[], None]) -> ui.button:
    with ui.button(text, on_click=do).props("outline dense no-caps") as button:
        ui.tooltip(what)
    return button
