"""Roles: choose what each column is, with a suggestion, its reason, and a picture of the effect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from nicegui import ui

from shoal.declare.columns import text_of, whole
from shoal.declare.understanding.missing import strange_columns
from shoal.recipe import Recipe
from shoal.studio.desk import Desk
from shoal.studio.desk_items import Sheet
from shoal.studio.frame import listen
from shoal.studio.pages.checking import no_table
from shoal.studio.pages.keeping import take_settings
from shoal.studio.pages.roles_picture import Line, Picture

ROLES = {  # as inspection names them: what a button says, the field of a recipe, what it means
    "identifier": (
        "Identifier",
        "identifiers",
        "It points at one person by itself: a name, a patient number. It is left out.",
    ),
    "quasi": (
        "Quasi",
        "quasi",
        (
            "A quasi-identifier: others may know it of a person, as a birth date. It is made less "
            "exact."
        ),
    ),
    "sensitive": (
        "Sensitive",
        "sensitive",
        "Nobody shall learn it of a person: a diagnosis, a salary. It is published, guarded.",
    ),
    "keep": (
        "Keep",
        "keep",
        "Nobody could be recognized by it: the kind of ward. It is published as it is.",
    ),
    "drop": ("Drop", None, "It is not needed, or not understood. It is left out."),
}
AT_ONCE = 40  # columns that are shown together
FEW = 10  # columns that are found without searching
LOOKED_AT = 200  # rows of which values are shown
SAMPLES = 3
LONGEST = 24  # characters of a value that is shown


def show(desk: Desk) -> None:
    """Draw a line for each column, and the picture."""
    place = ui.element("div").classes("stack")
    last: list[object] = [place]  # which is no sheet

    def follow() -> None:
        if desk.sheet is not last[0]:
            last[0] = desk.sheet
            place.clear()
            with place:
                if desk.sheet is None:
                    no_table()
                else:
                    _page(desk, desk.sheet)

    listen(desk, follow)


def role_of(recipe: Recipe, name: str) -> str:
    """Return the role that a recipe gives a column."""
    return next(
        (role for role, (_, part, _) in ROLES.items() if part and name in getattr(recipe, part)),
        "drop",
    )


def give(desk: Desk, roles: dict[str, str], **further: Any) -> None:
    """Give columns other roles, and a recipe `further` fields; the other columns keep theirs."""
    assert desk.sheet is not None
    after = {name: roles.get(name, role_of(desk.recipe, name)) for name in desk.sheet.columns}
    fields: dict[str, Any] = {
        part: [name for name, given in after.items() if given == role]
        for role, (_, part, _) in ROLES.items()
        if part
    }
    if desk.recipe.person in roles and roles[desk.recipe.person] != "identifier":
        fields["person"] = None
    if desk.recipe.weight in roles and roles[desk.recipe.weight] != "drop":
        fields["weight"] = None
    desk.change(**_without_strangers(desk.recipe, fields) | fields | further)


def _without_strangers(recipe: Recipe, roles: dict[str, list[str]]) -> dict[str, Any]:
    """Drop settings of columns that no longer have the role for them, in the same step."""
    spoken: dict[str, Any] = {
        "hierarchies": (recipe.hierarchies, roles["quasi"] + roles["sensitive"]),
        "importance": (recipe.importance, roles["quasi"]),
    }
    published = roles["quasi"] + roles["sensitive"] + roles["keep"]
    spoken |= {part: (getattr(recipe, part), published) for part in ("top", "bottom", "round")}
    if isinstance(recipe.publish, dict):
        spoken["publish"] = (recipe.publish, roles["quasi"])
    left = {
        part: {name: setting for name, setting in settings.items() if name in fitting}
        for part, (settings, fitting) in spoken.items()
    }
    named = [*published, *roles["identifiers"]]
    return left | {
        "na": [word for word in recipe.na if not strange_columns([word], named)],
        "force_keep": [
            name for name in recipe.force_keep if name in roles["keep"] + roles["sensitive"]
        ],
    }


def _page(desk: Desk, sheet: Sheet) -> None:
    with ui.element("div").classes("roles"):
        with ui.element("div").classes("stack"):
            _suggestions(desk)
            lines: dict[str, Line] = {}
            Columns(desk, sheet, lines)
            _more(desk, sheet)
        with ui.element("aside").classes("stack picture"):
            Picture(desk, lines)
            _meanings()


def _words_for_missing(desk: Desk, views: Sequence[dict[str, Any]]) -> list[str]:
    """List the words that the recipe names, and those that suggested columns lean on."""
    named = [view["name"] for view in views if view["role"] != "drop"]
    leaning = [view for view in views if view.get("leans_on_words") and view["role"] == "quasi"]
    words = [f"{view['name']}={word}" for view in leaning for word in view["missing_words"]]
    kept = [word for word in desk.recipe.na if not strange_columns([word], named)]
    return list(dict.fromkeys([*kept, *words]))


def _suggestions(desk: Desk) -> None:
    """Draw the button that takes all suggestions at once."""

    def take() -> None:
        views = (desk.inspection or {}).get("columns", ())
        roles = {view["name"]: view["role"] for view in views}
        person = next((name for name, role in roles.items() if role == "person"), None)
        words = {view["name"]: view["read_as"] for view in views if view.get("read_as")}
        trees = {
            view["name"]: view["hierarchy"]
            for view in views
            if view.get("hierarchy") and view["role"] == "quasi"
        }
        further: dict[str, Any] = {
            "read_as": {**words, **desk.recipe.read_as},
            "hierarchies": {**trees, **desk.recipe.hierarchies},
            "na": _words_for_missing(desk, views),
        }
        if person is not None:
            roles[person] = "identifier"
            further["person"] = person
        give(desk, roles, **further)

    with ui.element("div").classes("facts"):
        button = ui.button("Take all suggestions", on_click=take).props('data-testid="take-all"')
        words = ui.label().classes("faint")
        ui.space()
        take_settings(desk)

    def follow() -> None:
        button.set_enabled(desk.inspection is not None)
        waiting = "The table is being looked at; suggestions come in a moment."
        ready = "They are read off names and values; you know better."
        words.set_text(ready if desk.inspection else waiting)

    listen(desk, follow)


class Columns:
    """Draw a line for each column, one page at a time.

    Columns can be searched, and all that are listed be given one role.
    """

    def __init__(self, desk: Desk, sheet: Sheet, lines: dict[str, Line]) -> None:
        self.desk = desk
        self.sheet = sheet
        self.lines = lines
        with ui.element("div").classes("facts") as tools:
            self.wanted = ui.input("Find a column", on_change=self.list_them)
            self.wanted.props('dense outlined clearable debounce=250 data-testid="find-column"')
            words = {role: word for role, (word, _, _) in ROLES.items()}
            self.every = ui.select(
                words, label="All that are listed become", on_change=self._give_all
            ).classes("w-64")
            self.every.props('dense outlined data-testid="all-become"')
        tools.set_visibility(len(sheet.columns) > FEW)
        self.place = ui.element("div").classes("paper lines")
        self.pager = ui.element("div")
        self.list_them()
        listen(desk, self.follow)

    @property
    def listed(self) -> list[str]:
        """List the columns whose name holds the searched text."""
        part = (self.wanted.value or "").strip().casefold()
        return [name for name in self.sheet.columns if part in name.casefold()]

    def list_them(self) -> None:
        """Draw the first page of columns, and the way to the others."""
        self._draw(1)
        self.pager.clear()
        pages = -(-len(self.listed) // AT_ONCE)
        with self.pager:
            if pages > 1:
                ui.pagination(
                    1, pages, direction_links=True, on_change=lambda event: self._draw(event.value)
                )

    def follow(self) -> None:
        """Show the role of each column, and what was suggested."""
        views = {view["name"]: view for view in (self.desk.inspection or {}).get("columns", ())}
        for name, line in self.lines.items():
            line.role.set_value(role_of(self.desk.recipe, name))
            line.suggestion.set_text(_suggested(views[name]) if name in views else "")

    def _draw(self, page: int) -> None:
        self.place.clear()
        self.lines.clear()
        with self.place:
            for name in self.listed[(page - 1) * AT_ONCE : page * AT_ONCE]:
                self.lines[name] = _line(self.desk, self.sheet, name)
            if not self.lines:
                ui.label("No column is called so.").classes("faint")
        self.follow()

    def _give_all(self) -> None:
        if self.every.value is not None:
            give(self.desk, dict.fromkeys(self.listed, str(self.every.value)))
            self.every.set_value(None)  # it does something, and is nothing


def _line(desk: Desk, sheet: Sheet, name: str) -> Line:
    with ui.element("div").classes("line").props('data-testid="column"'):
        with ui.element("div").classes("line-name"):
            ui.label(name).classes("name")
            ui.label(samples_of(sheet, name)).classes("faint samples").props(
                'data-testid="samples"'
            )
        role = ui.toggle({role: word for role, (word, _, _) in ROLES.items()}, value="drop")
        role.classes("one-stop")
        role.props('unelevated no-caps dense padding="2px 8px" toggle-color="primary" role="group"')
        role.props["aria-label"] = f"Role of {name}"
        suggestion = ui.label().classes("faint")
        with ui.element("div").classes("effect invisible") as effect:  # until it is counted
            words = ui.label()
            with ui.element("div").classes("track"):
                bar = ui.element("div").classes("bar-of")

    def change() -> None:
        if role.value != role_of(desk.recipe, name):
            give(desk, {name: str(role.value)})

    role.on_value_change(change)
    return Line(role, suggestion, effect, words, bar)


def samples_of(sheet: Sheet, name: str) -> str:
    """Show the first few different values of a column, as they stand in the table."""
    head = whole(sheet.table[name].slice(0, LOOKED_AT)).drop_null()
    if pa.types.is_dictionary(head.type):
        head = head.dictionary_decode()
    texts = list(dict.fromkeys(text_of(head).to_pylist()))[:SAMPLES]
    return ", ".join(text[:LONGEST] for text in texts) if texts else "no values"


def _suggested(view: dict[str, Any]) -> str:
    if view["role"] == "person":
        return (
            "Suggested: the column that says whose row it is (More), as several rows are about one."
        )
    word = ROLES[view["role"]][0].lower()
    return f"Suggested: {word}, as {view['reason']}."


def _more(desk: Desk, sheet: Sheet) -> None:
    """Draw the choice of the columns that name the person of a row, or its weight."""
    choices = {"": "none", **{name: name for name in sheet.columns}}
    with (
        ui.expansion(
            "More: several rows about one person, rows that stand for many, columns that tell too "
            "much"
        )
        .classes("paper")
        .props("dense")
    ):
        person = ui.select(
            choices, label="Column that says whose row it is", with_input=True
        ).classes("w-72")
        weight = ui.select(
            choices, label="Column that says for how many people it stands", with_input=True
        ).classes("w-72")
        _forced(desk)

    def change() -> None:
        asked = {"person": person.value or None, "weight": weight.value or None}
        if asked != {"person": desk.recipe.person, "weight": desk.recipe.weight}:
            taken = {name: "drop" for name in asked.values() if name} | (
                {asked["person"]: "identifier"} if person.value else {}
            )
            give(desk, {name: role for name, role in taken.items() if name}, **asked)

    def follow() -> None:
        person.set_value(desk.recipe.person or "")
        weight.set_value(desk.recipe.weight or "")

    listen(desk, follow)
    person.on_value_change(change)
    weight.on_value_change(change)


def _forced(desk: Desk) -> None:
    """Draw the choice of columns that are published although they tell too much.

    They nearly name people or give another column back; the certificate tells of it.
    """
    label = "Publish although it tells too much"
    pick = ui.select(
        [], label=label, multiple=True, on_change=lambda event: change(event.value)
    ).classes("w-72")
    pick.props('use-chips data-testid="forced"')

    def change(names: list[str]) -> None:
        if sorted(names) != sorted(desk.recipe.force_keep):
            desk.change(force_keep=names)

    def follow() -> None:
        recipe = desk.recipe
        pick.set_options([*recipe.sensitive, *recipe.keep], value=list(recipe.force_keep))

    listen(desk, follow)


def _meanings() -> None:
    """Explain each role in one sentence."""
    with ui.element("div").classes("paper meanings"):
        for word, _, meaning in ROLES.values():
            ui.label(word).classes("name")
            ui.label(meaning)
