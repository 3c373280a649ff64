"""Run: shows what is asked, releases being made with their loss so far, and those already made."""

from __future__ import annotations

from nicegui import ui

from shoal import registry
from shoal.errors import ShoalError
from shoal.recipe import Recipe
from shoal.studio.desk import Desk
from shoal.studio.frame import OFTEN, listen
from shoal.studio.pages.candidates import candidates
from shoal.studio.pages.checking import no_table, problems_of, show_problems
from shoal.studio.pages.foreseen import foreseen, lacking
from shoal.studio.pages.hierarchy_work import shown_spec
from shoal.studio.pages.keeping import keep_settings, take_settings
from shoal.studio.pages.promised import promised
from shoal.studio.pages.protection_columns import in_words
from shoal.studio.pages.published_before import HELD
from shoal.studio.pages.run_card import RunCard
from shoal.studio.pages.runs_compared import compared
from shoal.studio.pages.terms import explained

PRINTED = {
    "snapped": "rounded intervals",
    "tight": "exact intervals",
    "centre": "averages",
    "bounds": "two columns with the ends",
    "sets": "values by name",
}
WITHOUT_TREES = "none: numbers become intervals, categories everything or nothing"


def show(desk: Desk) -> None:
    """Draw what is asked above, and the runs below."""
    with ui.element("div").classes("stack"):
        asked = ui.element("div").classes("stack")
        foreseen(desk)
        with ui.element("div").classes("choices") as settings:
            keep_settings(desk)
            take_settings(desk)
        table = ui.element("div").classes("stack")
        _cards(desk)
        candidates(desk)

    last: list[object] = []

    def follow() -> None:
        if last != [
            desk.sheet,
            desk.recipe,
            desk.ledger,
        ]:  # else the button that was pressed keeps the focus
            last[:] = [desk.sheet, desk.recipe, desk.ledger]
            asked.clear()
            with asked:
                if desk.sheet is None:
                    no_table()
                else:
                    _asked(desk)
        settings.set_visibility(desk.sheet is not None)
        table.clear()
        with table:
            compared(desk)

    listen(desk, follow)


def _asked(desk: Desk) -> None:
    """Draw a summary of the recipe, what is wrong with it, and the button."""
    problems = [*problems_of(desk.recipe, desk.sheet), *lacking(desk)]
    with ui.element("div").classes("paper stack"):
        with ui.element("div").classes("asked").props('data-testid="asked"'):
            lines = summary(desk.recipe, desk.sheet.name if desk.sheet else "")
            for address, what, words in [*lines, *_before(desk)]:
                link = ui.link(target=address).classes("what")
                with link:
                    ui.label(what)
                explained(link, what)
                ui.label(words)
        show_problems(problems)
        with ui.element("div").classes("choices"):
            button = ui.button("Run", icon="play_arrow", on_click=lambda: _run(desk)).props(
                'data-testid="run"'
            )
            button.set_enabled(not problems)
            ui.label(
                "Nothing leaves this machine, and nothing is published before it has been "
                "recounted."
            ).classes("faint")


def _run(desk: Desk) -> None:
    if desk.sheet is None or problems_of(desk.recipe, desk.sheet) or lacking(desk):
        return
    desk.run()


def method_in_words(method: str) -> str:
    """Name a method, and its parameters without brackets.

    >>> method_in_words("shoal"), method_in_words("k-member(class_weight=2)")
    ('method shoal', 'method k-member, class weight 2')
    """
    try:
        name, given = registry.parse(method)
    except ShoalError:  # half typed, in a recipe from elsewhere
        return f"method {method}"
    parts = [f"{key.replace('_', ' ')} {value}" for key, value in given.items()]
    return ", ".join([f"method {name}", *parts])


def _before(desk: Desk) -> list[tuple[str, str, str]]:
    """Say what the release is held against, where a ledger is named."""
    if desk.ledger is None:
        return []
    words = f"{desk.ledger.name}: {HELD[desk.ledger.across].lower()}"
    return [("/protection", "Published before", words)]


def summary(recipe: Recipe, table: str) -> list[tuple[str, str, str]]:
    """List what is asked, each part with the step on which it is chosen."""
    roles = {
        "generalized": recipe.quasi,
        "sensitive": recipe.sensitive,
        "kept as they are": recipe.keep,
        "removed": recipe.roles.identifiers,
        "weight": recipe.roles.weight,
    }
    named = "; ".join(f"{role}: {', '.join(names)}" for role, names in roles.items() if names)
    trees = (
        "; ".join(f"{name}: {shown_spec(spec)}" for name, spec in recipe.hierarchies.items())
        or WITHOUT_TREES
    )
    printed = PRINTED.get(str(recipe.publish), "each column in its way")
    how = f"{method_in_words(recipe.method)}, {recipe.effort} effort, {printed}"
    matter = "; ".join(f"{name} {in_words(weight)}" for name, weight in recipe.importance.items())
    return [
        ("/", "Table", table),
        ("/roles", "Roles", named or "no column has a role yet"),
        ("/hierarchies", "Hierarchies", trees),
        ("/protection", "Protection", "; ".join(promised(recipe))),
        ("/protection", "What matters", matter or "every column as usual"),
        ("/protection", "Method", how),
    ]


def _cards(desk: Desk) -> None:
    """Draw a card for each run, the latest first; a card stays as long as its run does."""
    place = ui.element("div").classes("columns").style("align-items: start")
    cards: dict[int, RunCard] = {}

    def follow() -> None:
        for number in set(cards) - {run.number for run in desk.runs}:
            cards.pop(number).delete()
        for run in desk.runs:
            if run.number not in cards:
                with place:
                    cards[run.number] = RunCard(desk, run)
                cards[run.number].element.move(target_index=0)

    def tick() -> None:
        for card in list(cards.values()):
            card.tick()

    listen(desk, follow)
    ui.timer(OFTEN, tick)
