"""Protection: choose k on a curve of its cost, further models, withheld rows, and the rest."""

from __future__ import annotations

from nicegui import ui

from shoal import registry
from shoal.presets import PRESETS
from shoal.privacy.k_anonymity import KAnonymity
from shoal.studio.desk import Desk
from shoal.studio.desk_items import Sheet
from shoal.studio.frame import listen
from shoal.studio.pages.checking import ask, choose_k, no_table, problems_of, show_problems
from shoal.studio.pages.dial import Dial
from shoal.studio.pages.protection_columns import what_matters
from shoal.studio.pages.protection_curve import curve
from shoal.studio.pages.protection_everyone import everybody
from shoal.studio.pages.protection_levels import same_bands
from shoal.studio.pages.protection_models import models
from shoal.studio.pages.protection_more import more
from shoal.studio.pages.published_before import published_before
from shoal.studio.pages.result_panels import figures

WITHHELD = (0.0, 20.0)  # percent of the rows, between which people choose
MOST_WITHHELD = 99.0
NONE = "none"
ALONE = "k is 1: every row may be the only one of its kind, and whoever knows the person finds it."


def show(desk: Desk) -> None:
    """Draw all choices of how much is promised, once there is a table."""
    place = ui.element("div").classes("stack")
    last: list[Sheet | None] = []

    def follow() -> None:
        if last != [desk.sheet]:
            last[:] = [desk.sheet]
            place.clear()
            with place:
                if desk.sheet is None:
                    no_table()
                else:
                    _choices(desk, desk.sheet.table.num_rows)

    listen(desk, follow)


def _choices(desk: Desk, rows: int) -> None:
    with ui.element("div").classes("columns"):
        with ui.element("div").classes("paper stack"):
            _k(desk, rows)
        with ui.element("div").classes("paper stack"):
            curve(desk)
    _problems(desk)
    with ui.element("div").classes("paper stack"):
        what_matters(desk)
    models(desk)
    published_before(desk)
    with ui.element("div").classes("paper stack"):
        _withheld(desk, rows)
    with ui.element("div").classes("paper stack"):
        same_bands(desk)
    with ui.element("div").classes("paper stack"):
        everybody(desk)
    more(desk)


def _problems(desk: Desk) -> None:
    """Show what the recipe lacks, as soon as it does."""
    place = ui.element("div").classes("stack").props('data-testid="problems"')

    def follow() -> None:
        place.clear()
        with place:
            show_problems(problems_of(desk.recipe, desk.sheet))

    listen(desk, follow)


def _k(desk: Desk, rows: int) -> None:
    """Draw the choice of k: how many people look alike."""
    ui.label("k: how many people look alike").classes("side-title")
    words = ui.label().props('aria-live="polite" data-testid="k-words"')
    most = KAnonymity.usual["k"][2]

    def passing(k: float) -> None:
        words.set_text(in_words(int(k), rows, overlaps=desk.recipe.overlaps))

    def chosen(k: float) -> None:
        choose_k(desk, int(k))

    dial = Dial(
        "k", desk.recipe.k, chosen, ends=(2, most), limits=(1, rows), whole=True, passing=passing
    )
    dial.field.props('data-testid="k"')
    _preset(desk)
    _example()

    def follow() -> None:
        dial.put(desk.recipe.k)
        passing(desk.recipe.k)

    listen(desk, follow)


def _example() -> None:
    with ui.expansion("A small example", value=True).props("dense"):
        ui.label(registry.summary(KAnonymity)).classes("faint")
        head, *cells = registry.example(KAnonymity)
        figures(head, cells, "An example of k")


def in_words(k: int, rows: int, *, overlaps: bool = False) -> str:
    """Say what a k promises, as one sentence.

    >>> in_words(5, 1000).partition(";")[0]
    'At least 5 people look alike in every published row'
    """
    if k > rows:
        return f"The table has {rows:,} rows: no {k:,} of them can look alike."
    if k < 2:
        return ALONE
    if overlaps:
        return (
            f"Each published row fits at least {k:,} people, and each person at least {k:,} rows."
        )
    return (
        f"At least {k:,} people look alike in every published row; the chance to pick the right "
        f"one is at most 1 in {k:,}."
    )


def _preset(desk: Desk) -> None:
    """Offer thresholds in common use, with where they come from."""
    options = {NONE: "my own", **{name: _labelled(name) for name in PRESETS}}

    def chosen(name: str) -> None:
        if name == NONE:
            ask(desk, preset=None)
        elif name != desk.recipe.preset:
            ask(desk, preset=name, k=PRESETS[name].k or desk.recipe.k)

    pick = ui.select(
        options,
        label="A threshold in common use",
        value=NONE,
        on_change=lambda event: chosen(event.value),
    )
    pick.props('dense outlined data-testid="preset"')
    meant = ui.label().classes("faint")

    def follow() -> None:
        preset = PRESETS.get(desk.recipe.preset or "")
        pick.set_value(desk.recipe.preset if preset else NONE)
        meant.set_text(f"{preset.meant}. Source: {preset.source}." if preset else "")

    listen(desk, follow)


def _labelled(name: str) -> str:
    """Name a preset with its k, where it has one."""
    least = PRESETS[name].k
    return name if least is None else f"{name} (k = {least})"


def _withheld(desk: Desk, rows: int) -> None:
    """Draw the choice of the share of rows that may be left out."""
    ui.label("Rows left out").classes("side-title")
    words = ui.label()

    def passing(percent: float) -> None:
        words.set_text(left_out(percent / 100, rows))

    def chosen(percent: float) -> None:
        ask(desk, withhold=percent / 100)

    dial = Dial(
        "% of the rows",
        in_percent(desk.recipe.withhold),
        chosen,
        ends=WITHHELD,
        limits=(0, MOST_WITHHELD),
        passing=passing,
    )
    dial.field.props('data-testid="withhold"')

    def follow() -> None:
        dial.put(in_percent(desk.recipe.withhold))
        passing(dial.value)

    listen(desk, follow)


def in_percent(share: float) -> float:
    """Turn a share into the percentage that people type.

    >>> in_percent(0.07)
    7.0
    """
    return round(100 * share, 6)


def left_out(share: float, rows: int) -> str:
    """Say what a share of withheld rows means for this table."""
    if not share:
        return "Every row is published."
    return (
        f"At most {int(share * rows):,} of {rows:,} rows may be left out, where they would cost "
        "all others too much."
    )
