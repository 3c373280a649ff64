"""Asked of a graph: what each column of people is, what form is published, and how much is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from shoal.errors import ShoalError
from shoal.studio.desk import Desk
from shoal.studio.desk_items import Sheet
from shoal.studio.frame import listen
from shoal.studio.graph_desk import GraphAsked
from shoal.studio.pages.dial import Dial
from shoal.studio.pages.graph_trade import Trade
from shoal.studio.pages.roles import ROLES, role_of, samples_of
from shoal.studio.words import in_words

FORMS = {
    "supergraph": "Clusters of people, with edges counted",
    "k-degree": "An ordinary graph, without columns",
}
MEANT = {
    "supergraph": "Whoever knows all neighbours and all columns of a person still faces a cluster "
    "of at least k people.",
    "k-degree": "Only the number of neighbours is hidden: whoever knows more of a person's "
    "neighbours may find them.",
}
SAFE = "Nothing leaves this machine, and nothing is published before it has been recounted."
L = "l-diversity"


def show_asked(desk: Desk) -> None:
    """Draw the roles of columns, then the form and its settings, then the button."""
    sheet = desk.graph.sheet
    assert sheet is not None
    if desk.graph.columns:
        with ui.element("div").classes("paper lines") as roles:
            ui.label("What others may know of people").classes("side-title")
            for name in desk.graph.columns:
                _line(desk, sheet, name)
    with ui.element("div").classes("paper stack"):
        ui.label("What is published").classes("side-title")
        form = _form(desk)
        k = Dial(
            "k",
            5,
            lambda value: ask(desk, k=int(value)),
            ends=(2, 50),
            limits=(2, 10**6),
            whole=True,
        )
        variety = _variety(desk)
        with ui.element("div").classes("stack") as trade:
            Trade(desk)
        more = _More(desk)
        problems = ui.label().classes("problem").props('role="alert" data-testid="asked-problem"')
        with ui.element("div").classes("choices"):
            button = ui.button("Make the release", icon="play_arrow", on_click=desk.graph.make)
            button.props('data-testid="graph-run"')
            ui.label(SAFE).classes("faint")

    def follow() -> None:
        asked = desk.graph.asked
        in_clusters = asked.form == "supergraph"
        if desk.graph.columns:
            roles.set_visibility(in_clusters)
        form(asked)
        if k.value != asked.recipe.k:  # else what is being typed would go
            k.put(asked.recipe.k)
        variety(asked)
        trade.set_visibility(in_clusters and bool(asked.recipe.quasi))
        more.follow(asked)
        wrong = problem_of(asked, desk.graph.facts["people"])
        problems.set_text(wrong)
        button.set_enabled(not wrong)

    listen(desk, follow)


def ask(desk: Desk, **parts: Any) -> None:
    """Change what is asked, or say why that can't be."""
    try:
        desk.graph.change(**parts)
    except ShoalError as refusal:
        ui.notify(in_words(refusal), type="negative", multi_line=True, classes="multi-line")
        desk.changed()  # so that fields show again what is asked


def problem_of(asked: GraphAsked, people: int) -> str:
    """Say what is wrong before any work begins; nothing where nothing is.

    >>> problem_of(GraphAsked(form="k-degree"), 3)
    'The graph has 3 people: no 5 of them can look alike.'
    """
    recipe = asked.recipe
    if recipe.k > people:
        return f"The graph has {people:,} people: no {recipe.k:,} of them can look alike."
    if asked.form == "k-degree":
        return ""
    if not recipe.quasi:
        return (
            "Clusters need a column that others may know (Quasi). Without one, publish an ordinary "
            "graph."
        )
    try:
        return "\n".join(in_words(error) for error in recipe.problems())
    except ShoalError as refusal:
        return in_words(refusal)


def _line(desk: Desk, sheet: Sheet, name: str) -> None:
    """Draw a column with its role."""
    with ui.element("div").classes("line").props('data-testid="graph-column"'):
        with ui.element("div").classes("line-name"):
            ui.label(name).classes("name")
            ui.label(samples_of(sheet, name)).classes("faint samples")
        role = ui.toggle({role: word for role, (word, _, _) in ROLES.items()}, value="drop")
        role.classes("one-stop")
        role.props('unelevated no-caps dense padding="2px 8px" toggle-color="primary" role="group"')
        role.props["aria-label"] = f"Role of {name}"

    def change() -> None:
        if role.value != role_of(desk.graph.asked.recipe, name):
            ask(desk, **with_role(desk, name, str(role.value)))

    def follow() -> None:
        role.set_value(role_of(desk.graph.asked.recipe, name))

    role.on_value_change(change)
    listen(desk, follow)


def with_role(desk: Desk, name: str, given: str) -> dict[str, Any]:
    """Return the fields of a recipe in which a column has another role, and fitting settings."""
    recipe = desk.graph.asked.recipe
    role = {each: role_of(recipe, each) for each in desk.graph.columns} | {name: given}
    fields: dict[str, Any] = {
        part: [each for each in role if role[each] == called]
        for called, (_, part, _) in ROLES.items()
        if part
    }
    facts = desk.graph.facts["columns"]
    trees = {view["name"]: view["hierarchy"] for view in facts if view.get("hierarchy")}
    fields["hierarchies"] = {each: trees[each] for each in fields["quasi"] if each in trees}
    fields["read_as"] = {
        each: word for each, word in recipe.read_as.items() if role.get(each, "drop") != "drop"
    }
    fields["na"] = [word for word in recipe.na if role.get(word.partition("=")[0]) != "drop"]
    if not fields["sensitive"]:
        fields["models"] = []
    return fields


def _form(desk: Desk) -> Callable[[GraphAsked], None]:
    choice = ui.radio(FORMS, value="supergraph").props('data-testid="graph-form"')
    choice.props["aria-label"] = "What is published"
    meant = ui.label().classes("faint")
    choice.on_value_change(lambda: ask(desk, form=str(choice.value)))

    def follow(asked: GraphAsked) -> None:
        choice.set_value(asked.form)
        meant.set_text(MEANT[asked.form])

    return follow


def _variety(desk: Desk) -> Callable[[GraphAsked], None]:
    """Draw the number of different sensitive values that every cluster shall hold."""
    with ui.element("div").classes("stack") as place:
        number = ui.number("Different sensitive values in each cluster", min=1, max=100, step=1)
        number.classes("w-72").props('dense outlined debounce=600 data-testid="graph-l"')
        words = ui.label().classes("warn")

    def change() -> None:
        if number.value is not None:
            least = max(int(number.value), 1)
            ask(desk, models=[f"{L}(l={least})"] if least > 1 else [])

    def follow(asked: GraphAsked) -> None:
        sensitive = asked.form == "supergraph" and bool(asked.recipe.sensitive)
        place.set_visibility(sensitive)
        number.set_value(least_of(asked))
        names = ", ".join(asked.recipe.sensitive)
        nothing = least_of(asked) < 2
        words.set_text(f"Nothing is promised about {names} yet." if nothing else "")

    number.on_value_change(change)
    return follow


def least_of(asked: GraphAsked) -> int:
    """Read how many different sensitive values are asked for; 1 where none are."""
    for model in asked.recipe.models:
        text = str(model)
        if text.startswith(f"{L}(l="):
            return int(text.removeprefix(f"{L}(l=").rstrip(")"))
    return 1


class _More:
    """Settings that are rarely needed."""

    def __init__(self, desk: Desk) -> None:
        with ui.expansion("More").props('dense data-testid="graph-more"').classes("w-full more"):
            self.removals = ui.checkbox("Remove edges as well as add them: far fewer change")
            self.dense = ui.number(
                "Largest share of possible edges that a cluster may show", min=0.01, max=1, step=0.1
            )
            self.out = ui.number("Largest share of people left out", min=0, max=0.5, step=0.01)
        for field in (self.dense, self.out):
            field.props("dense outlined debounce=600").classes("w-96")
        self.removals.on_value_change(lambda: ask(desk, removals=bool(self.removals.value)))
        self.dense.on_value_change(lambda: self._share(desk, "most_dense", self.dense.value))
        self.out.on_value_change(lambda: self._share(desk, "withhold", self.out.value))

    def _share(self, desk: Desk, part: str, value: float | None) -> None:
        """Ask for a share, once there is a figure in its field."""
        if value is not None and 0 <= value <= 1 and (value or part == "withhold"):
            ask(desk, **{part: float(value)})

    def follow(self, asked: GraphAsked) -> None:
        """Show what is asked."""
        in_clusters = asked.form == "supergraph"
        self.removals.set_visibility(not in_clusters)
        self.removals.set_value(asked.removals)
        for field in (self.dense, self.out):
            field.set_visibility(in_clusters)
        self.dense.set_value(asked.most_dense)
        self.out.set_value(float(asked.recipe.withhold))
