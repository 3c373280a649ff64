"""Coded: percentiles and ladders of a recipe become numbers; columns are seen as coded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
import pyarrow as pa

from shoal import registry
from shoal.arrays import Counts
from shoal.declare.coding import Coding
from shoal.declare.columns import kind_of
from shoal.declare.hierarchies.flat import Flat
from shoal.declare.hierarchies.ladder import Ladder
from shoal.declare.places import number_given
from shoal.declare.understanding.column import refuse_unclear
from shoal.declare.understanding.table import ColumnsAsked
from shoal.encode.profile import Profile
from shoal.errors import RecipeError
from shoal.flows.preset_rules import PRESETS_WITH_RULES, published, under_rules
from shoal.flows.schemes import refuse_other_kinds, schemed
from shoal.groups import Note
from shoal.partition.method import Method
from shoal.recipe import PlanParts, Recipe
from shoal.recipe.known_limits import with_known_limits
from shoal.recipe.scheme import Scheme
from shoal.review.what_is_left import ColumnsLeft
from shoal.screen import percent
from shoal.wording import Sentence, Set

LADDERS = ("ladder", {"kind": "ladder"})  # as they are asked for without widths
Counted = Callable[[Sequence[str]], Sequence[Profile]]
"""Counts the different values of some columns of a table."""


def settled(recipe: Recipe, names: Sequence[str], counted: Counted) -> Recipe:
    """Replace what is to be chosen by a look at the table, so that the recipe then states it.

    Bands and codes of a scheme, what a preset asks of columns, percentiles, ladders without widths,
    and at last limits that everyone knows. Columns are understood as the recipe asks before that.
    Refuses roles of columns that the table does not have.
    """
    recipe, scheme = schemed(recipe)
    by_rules = recipe.preset in PRESETS_WITH_RULES
    capped = [name for name, coding in recipe.coding.items() if coding.unsettled]
    if by_rules or capped or _unsettled_ladders(recipe) or scheme is not None:
        recipe.check()
        errors = list(recipe.roles.fit(names))
        if errors:
            raise RecipeError.together(errors)
        recipe = _looked_up(recipe, scheme, capped, counted)
    return with_known_limits(recipe)


def _looked_up(
    recipe: Recipe, scheme: Scheme | None, capped: Sequence[str], counted: Counted
) -> Recipe:
    """Replace what follows from the values of columns."""

    def seen(some: Sequence[str]) -> dict[str, tuple[pa.Array, Counts]]:
        asked = recipe.columns_asked
        return {column.name: _understood(column, asked) for column in counted(some)}

    if scheme is not None:
        refuse_other_kinds(scheme, seen)
    if recipe.preset in PRESETS_WITH_RULES:
        values = {name: column for name, (column, _) in seen(published(recipe)).items()}
        recipe = under_rules(recipe, values)
    laddered = _unsettled_ladders(recipe)
    looked_at = list(dict.fromkeys([*capped, *laddered]))
    profiles = {column.name: column for column in counted(looked_at)} if looked_at else {}
    recipe = _kept_in_bands(recipe, [profiles[name] for name in laddered])
    laddered = _unsettled_ladders(recipe)
    asked = recipe.columns_asked
    columns = {name: _understood(column, asked) for name, column in profiles.items()}
    recipe = _with_percentiles(recipe, {name: columns[name] for name in capped})
    return _with_ladders(recipe, {name: columns[name] for name in laddered})


def _kept_in_bands(recipe: Recipe, columns: Sequence[Profile]) -> Recipe:
    """State that columns which came in bands, such as `10-19` and `80+`, have no ladder.

    Each band is published as it is, or as `*`: a step of a ladder could cut through it.
    """
    asked = recipe.columns_asked
    bare = [
        column
        for column in columns
        if recipe.hierarchies.get(column.name, "none") == "none"
        and asked.concerns(column.name, column.values.type)
    ]
    flat = {
        column.name: Flat.name
        for column in bare
        if asked.understand(column.values, column.counts, column.name).came is not None
    }
    return msgspec.structs.replace(recipe, hierarchies={**recipe.hierarchies, **flat})


def _with_percentiles(recipe: Recipe, seen: Mapping[str, tuple[pa.Array, Counts]]) -> Recipe:
    """State the round numbers that percentiles of these columns come to."""
    numbers = [recipe.coding[name].settled(*counted) for name, counted in seen.items()]
    tops = {each.name: number_given(each.top) for each in numbers if each.top is not None}
    bottoms = {each.name: number_given(each.bottom) for each in numbers if each.bottom is not None}
    return msgspec.structs.replace(
        recipe, top={**recipe.top, **tops}, bottom={**recipe.bottom, **bottoms}
    )


def _unsettled_ladders(recipe: Recipe) -> list[str]:
    """List the columns whose ladder has no widths yet, or that may need one."""
    asked = [name for name, spec in recipe.hierarchies.items() if spec in LADDERS]
    method = registry.names(Method).get(registry.parse(recipe.method)[0])
    if method is not None and method.needs_ladders:
        bare = [name for name in recipe.quasi if recipe.hierarchies.get(name, "none") == "none"]
        asked += bare
    return asked


def _with_ladders(recipe: Recipe, seen: Mapping[str, tuple[pa.Array, Counts]]) -> Recipe:
    """State the widths of ladders that suit the range of these columns; categories have none."""
    ladders = {}
    for name, (values, counts) in seen.items():
        kind = kind_of(values.type, name)
        if kind != "category":
            coding = recipe.coding.get(name)
            inside = values if coding is None else coding.coded(values)
            ladder = Ladder().chosen(inside, kind)
            if _centres_ladders(recipe):
                ladder = ladder.centred(inside, counts, kind)
            ladders[name] = ladder.spec
    return msgspec.structs.replace(recipe, hierarchies={**recipe.hierarchies, **ladders})


def _centres_ladders(recipe: Recipe) -> bool:
    method = registry.names(Method).get(registry.parse(recipe.method)[0])
    return method is not None and method.centres_ladders


def _understood(column: Profile, asked: ColumnsAsked) -> tuple[pa.Array, Counts]:
    """Return the different values of a column as its recipe reads them, and their counts."""
    if not asked.concerns(column.name, column.values.type):
        return column.values, column.counts
    understood = asked.understand(column.values, column.counts, column.name)
    refuse_unclear([understood])
    if not understood.changes:
        return column.values, column.counts
    return understood.counted(column.values, column.counts)


def coded(columns: Iterable[Profile], codings: Mapping[str, Coding]) -> list[Profile]:
    """Round and cap the values of columns that have a coding."""
    return [column.coded(codings.get(column.name)) for column in columns]


def coding_notes(columns: Iterable[Profile]) -> tuple[Note, ...]:
    """Say how many rows stand at an open end, for the maker alone."""
    notes = []
    for column in columns:
        if column.coding is None or not column.coding.open:
            continue
        texts = column.shown.to_pylist()
        at_ends = [
            (text, int(times))
            for text, times in zip(texts, column.counts, strict=True)
            if text in column.coding.open_values
        ]
        said = ", ".join(f"{text} in {times:,} rows" for text, times in at_ends)
        notes.append(Note("coded", f"'{column.name}' is coded as {said or 'text, none at an end'}"))
    return tuple(notes)


def exact_notes(columns: ColumnsLeft, plan: PlanParts) -> tuple[Note, ...]:
    """Say that single values are published of a column that was put into intervals."""
    notes = []
    for name, left in columns.items():
        hierarchy = plan.hierarchies.get(name)
        if hierarchy is not None and hierarchy.lowest_said is not None and left.exact:
            least = number_given(str(hierarchy.lowest_said))
            rows = f"'{name}' is published as a single value in {percent(left.exact)} of the rows, "
            shared = f"where at least {plan.recipe.k} share it. For intervals alone: "
            notes.append(Note("exact", Sentence(rows, shared, Set("at_least", {name: least}))))
    return tuple(notes)


def centres_of(plan: PlanParts) -> list[str]:
    """List the columns that are published as one point for each group."""
    return [name for name, recoder in plan.recoders.items() if not recoder.covers]
