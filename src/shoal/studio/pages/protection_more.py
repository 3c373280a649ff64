"""More: how the groups are found and how cells are printed.

Names and sentences come from the registry and from the table of options.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from nicegui import ui

from shoal import registry
from shoal.errors import ShoalError
from shoal.overlap.overlap import Overlap
from shoal.partition.method import Method
from shoal.recipe import DeclaredOption, Recipe, options_of
from shoal.recode.recoder import Recoder
from shoal.review.prechecks.population import read as number_or_text
from shoal.studio.desk import Desk
from shoal.studio.frame import listen
from shoal.studio.pages.checking import ask
from shoal.studio.words import in_words

USUAL = "usual"
MIXED = "mixed"


def more(desk: Desk) -> None:
    """Draw the options that most people leave as they are."""
    panel = (
        ui.expansion("More: method, loss, how cells are printed")
        .classes("paper more")
        .props('data-testid="more"')
    )
    with panel, ui.element("div").classes("columns"):
        _method(desk)
        _printing(desk)
        _loss(desk)
        for option in plain_options():
            FIELDS[option.form](desk, option)
    with panel:
        _each_printed(desk)


def plain_options(recipe: type[Recipe] = Recipe) -> list[DeclaredOption]:
    """Return the options of the panel whose field follows from their form alone.

    >>> [option.name for option in plain_options()][:3]
    ['rows_are_persons', 'missing', 'others']
    """
    offered = [option for option in options_of(recipe).values() if option.panel]
    return [option for option in offered if option.name not in OWN_FIELDS]


def _method(desk: Desk) -> None:
    """The method, and its parameters as they are typed."""
    known = {**registry.names(Method), **registry.names(Overlap)}
    with ui.element("div").classes("stack"):
        pick = ui.select(sorted(known), label="method", on_change=lambda event: chosen(event.value))
        pick.props('dense outlined data-testid="method"')
        meant = ui.label().classes("faint")
        typed = ui.input(
            "parameters of the method",
            value=_parts(desk.recipe.method)[1],
            on_change=lambda event: given(event.value or ""),
        )
        typed.props('dense outlined debounce=800 data-testid="method-parameters"')
        hint = ui.label().classes("faint")
        problem = ui.label().classes("problem")

    def chosen(name: str) -> None:
        if name != _parts(desk.recipe.method)[0]:
            ask(desk, method=name)

    def given(text: str) -> None:
        name, now = _parts(desk.recipe.method)
        if text.strip() == now:
            return
        method = f"{name}({text.strip()})" if text.strip() else name
        try:
            registry.make(Overlap if name in registry.names(Overlap) else Method, method)
        except ShoalError as error:
            problem.set_text(in_words(error))
        else:
            ask(desk, method=method)

    shown = desk.recipe.method

    def follow() -> None:
        nonlocal shown
        name, parameters = _parts(desk.recipe.method)
        pick.set_value(name)
        # What can't be used yet stays while it is typed, whatever else changes on the desk.
        if not problem.text or desk.recipe.method != shown:
            typed.set_value(parameters)
            problem.set_text("")
        shown = desk.recipe.method
        plugin: Any = known.get(name)
        meant.set_text(registry.summary(plugin) if plugin else "")
        hint.set_text(may_be_given(plugin))

    listen(desk, follow)


def may_be_given(plugin: Any) -> str:
    """Name the parameters of a method, and what they are unless given.

    >>> may_be_given(registry.names(Method)["shoal"])
    'May be given: effort (usually default), time_limit (usually not set), balance (usually 0.83).'
    >>> may_be_given(None)
    'It has no parameters.'
    """
    named = []
    for field in fields(plugin) if is_dataclass(plugin) else ():
        usual = "not set" if field.default is None else field.default
        named.append(field.name if usual is MISSING else f"{field.name} (usually {usual})")
    return f"May be given: {', '.join(named)}." if named else "It has no parameters."


def _parts(method: str) -> tuple[str, str]:
    """A method's name and its parameters as they are typed."""
    try:
        name, given = registry.parse(method)
    except ShoalError:
        return method, ""
    return name, ", ".join(f"{key}={value}" for key, value in given.items())


def _printing(desk: Desk) -> None:
    """Draw the choice of how cells are printed; a recipe may say it column by column."""
    known = registry.names(Recoder)

    def choose(value: str) -> None:
        if value != MIXED:
            ask(desk, publish=value)

    with ui.element("div").classes("stack"):
        pick = _select("publish", list(known), choose)
        meant = ui.label().classes("faint")

    def follow() -> None:
        now = desk.recipe.publish
        if isinstance(now, Mapping):
            pick.set_options([*known, MIXED], value=MIXED)
            meant.set_text("Each column in its way, see below.")
            return
        pick.set_options(list(dict.fromkeys([*known, now])), value=now)
        meant.set_text(registry.summary(known[now]) if now in known else "")

    listen(desk, follow)


def _each_printed(desk: Desk) -> None:
    """Draw the choice of how the cells of each column are printed."""
    ui.label("How each column is printed.").classes("faint")
    place = ui.element("div").classes("kinds").props('data-testid="printed"')
    picks: dict[str, ui.select] = {}

    def draw(names: Iterable[str]) -> None:
        place.clear()
        picks.clear()
        with place:
            for name in names:
                picks[name] = _way(desk, name)

    def follow() -> None:
        ways = ways_of(desk.recipe)
        if list(picks) != list(ways):
            draw(ways)
        for name, way in ways.items():
            picks[name].set_options(list(dict.fromkeys([*registry.names(Recoder), way])), value=way)

    listen(desk, follow)


def _way(desk: Desk, name: str) -> ui.select:
    """Draw the choice of how the cells of one column are printed."""

    def chosen(event: Any) -> None:
        ways = {**ways_of(desk.recipe), name: event.value}
        if ways != ways_of(desk.recipe):
            ask(desk, publish=ways if len(set(ways.values())) > 1 else event.value)

    pick = ui.select(list(registry.names(Recoder)), label=name, on_change=chosen)
    return pick.props("dense outlined")


def ways_of(recipe: Recipe) -> dict[str, str]:
    """Return the way in which each quasi-identifier is printed.

    >>> ways_of(Recipe(quasi=("age", "zip"), publish={"zip": "tight"}))
    {'age': 'snapped', 'zip': 'tight'}
    """
    given = recipe.publish
    usual = Recipe().publish
    return {
        name: str(given if isinstance(given, str) else given.get(name, usual))
        for name in recipe.quasi
    }


def _loss(desk: Desk) -> None:
    """Draw the choice of the loss to minimize, among those that the method can."""
    with ui.element("div").classes("stack"):
        pick = _select(
            "loss", [USUAL], lambda value: ask(desk, loss=None if value == USUAL else value)
        )
        ui.label(options_of(Recipe)["loss"].help).classes("faint")

    def follow() -> None:
        plugin: Any = {**registry.names(Method), **registry.names(Overlap)}.get(
            _parts(desk.recipe.method)[0]
        )
        can = list(plugin.losses) if plugin else []
        now = desk.recipe.loss or USUAL
        pick.set_options(
            [USUAL, *dict.fromkeys([*can, *([now] if now != USUAL else [])])], value=now
        )

    listen(desk, follow)


def _choice(desk: Desk, option: DeclaredOption) -> None:
    """One of a few words."""
    with ui.element("div").classes("stack"):
        pick = _select(
            option.name, list(option.choices), lambda value: ask(desk, **{option.name: value})
        )
        ui.label(option.help).classes("faint")
    _follow(desk, option, pick)


def _switch(desk: Desk, option: DeclaredOption) -> None:
    """Yes or no."""
    with ui.element("div").classes("stack"):
        switch = ui.switch(
            _words(option), on_change=lambda event: ask(desk, **{option.name: bool(event.value)})
        )
        ui.label(option.help).classes("faint")
    _follow(desk, option, switch)


def _typed(desk: Desk, option: DeclaredOption) -> None:
    """A number or a text; an empty field says what is so by default."""

    def chosen(value: Any) -> None:
        asked = option.default if value in (None, "") else value
        if asked != getattr(desk.recipe, option.name):
            ask(desk, **{option.name: asked})

    unit = f"{option.metavar.lower()}; " if option.metavar else ""
    label = f"{_words(option)} ({unit}empty: {option.default or 'none'})"
    with ui.element("div").classes("stack"):
        make = ui.number if option.form in ("number", "whole") else ui.input
        field: Any = make(label, on_change=lambda event: chosen(event.value))
        field.props("dense outlined clearable debounce=600")
        field.props["data-testid"] = option.name.replace("_", "-")
        ui.label(option.help).classes("faint")
    _follow(desk, option, field)


def _pairs(desk: Desk, option: DeclaredOption) -> None:
    """A value for each of some columns, typed as at the terminal, with commas between."""

    def chosen(text: str | None) -> None:
        asked = read_pairs(text or "")
        if asked is None:
            problem.set_text(f"write {_words(option)} as {option.metavar}, with commas between")
            return
        problem.set_text("")
        if asked != getattr(desk.recipe, option.name):
            ask(desk, **{option.name: asked})

    with ui.element("div").classes("stack"):
        field = ui.input(
            f"{_words(option)} ({option.metavar}; empty: none)",
            on_change=lambda event: chosen(event.value),
        )
        field.props("dense outlined clearable debounce=800")
        field.props["data-testid"] = option.name
        ui.label(option.help).classes("faint")
        problem = ui.label().classes("problem")

    def follow() -> None:
        asked = getattr(desk.recipe, option.name)
        # What can't be read yet stays while it is typed, whatever else changes on the desk.
        if not problem.text and read_pairs(field.value or "") != asked:
            field.set_value(written_pairs(asked))

    listen(desk, follow)


def read_pairs(text: str) -> dict[str, int | float | str] | None:
    """Read `COLUMN=VALUE` with commas between; None where a part is none.

    >>> read_pairs("age=90, cost=p99"), read_pairs("age"), read_pairs("")
    ({'age': 90, 'cost': 'p99'}, None, {})
    """
    asked: dict[str, int | float | str] = {}
    for part in next(csv.reader([text], skipinitialspace=True), []):
        name, equals, value = part.strip().rpartition("=")
        if not equals or not name or not value:
            return None
        asked[name] = number_or_text(value)
    return asked


def written_pairs(asked: Mapping[str, object]) -> str:
    """Write a value for each column as it is typed; names with a comma stand in quotes.

    >>> written_pairs({"age": 90, "cost": "p99"})
    'age=90,cost=p99'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(f"{name}={value}" for name, value in asked.items())
    return line.getvalue()


def _follow(desk: Desk, option: DeclaredOption, field: Any) -> None:
    """Show in a field what is asked, also after it was changed elsewhere."""

    def follow() -> None:
        field.set_value(getattr(desk.recipe, option.name))

    listen(desk, follow)


def _words(option: DeclaredOption) -> str:
    return option.name.replace("_", " ")


# drawn above or beside the columns, each in its way
OWN_FIELDS = ("method", "publish", "loss", "importance", "at_least", "at_most")
FIELDS: Mapping[Any, Callable[[Desk, DeclaredOption], None]] = {
    "choice": _choice,
    "switch": _switch,
    "pairs": _pairs,
    **dict.fromkeys(("whole", "number", "text", "column"), _typed),
}


def _select(name: str, choices: list[str], chosen: Callable[[str], None]) -> ui.select:
    pick = ui.select(
        choices,
        label=name,
        on_change=lambda event: chosen(event.value) if event.value is not None else None,
    )
    pick.props("dense outlined").props["data-testid"] = f"choose-{name}"
    return pick
