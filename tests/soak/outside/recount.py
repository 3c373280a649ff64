"""Recount of a release: every promise that can be counted from its cells and its original.

`faults` lists the broken ones, in words without a cell. Rows of a release stand in any order, so
what belongs to whom is known only where the order was kept; elsewhere cells are compared with the
original as sets.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any

from soak.outside import cells
from soak.outside.matching import possible_matches
from soak.outside.promises import OF_GROUPS, Group, Whole, share_within
from soak.outside.tables import Column, Original, Printed, point_of, same

WEIGHT_DIGITS = Fraction(1, 100_000)  # of a mean that is published in six digits


@dataclass(frozen=True)
class Asked:
    """All that was promised about a release."""

    quasi: list[str]
    sensitive: list[str] = field(default_factory=list)
    keep: list[str] = field(default_factory=list)
    k: int = 5
    models: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    withhold: float = 0.0
    publish: dict[str, str] = field(default_factory=dict)
    others: str = "separate"
    person: str | None = None
    weight: str | None = None
    population: Original | None = None
    overlap: bool = False
    keep_order: bool = False
    steps: dict[str, int] = field(default_factory=dict)
    """Columns that are rounded before anything else, each to multiples of its step."""


@dataclass(frozen=True)
class Release:
    """A release as published, and where it is known the group of each original row."""

    printed: Printed
    labels: list[int] | None = None

    @property
    def rows(self) -> int:
        """The number of published rows."""
        return len(next(iter(self.printed.values()), []))

    def groups(self, columns: Sequence[str]) -> dict[tuple[Any, ...], list[int]]:
        """Group the rows that look alike on these columns."""
        looks: dict[tuple[Any, ...], list[int]] = {}
        for row, look in enumerate(zip(*(self.printed[name] for name in columns), strict=True)):
            looks.setdefault(look, []).append(row)
        return looks


def faults(original: Original, release: Release, asked: Asked) -> list[str]:
    """List the broken promises of a release."""
    original = {name: _rounded(column, asked.steps.get(name)) for name, column in original.items()}
    wrong = list(_columns(release, asked)) + list(_rows(original, release, asked))
    if wrong:
        return wrong
    if asked.overlap:
        return list(_hidden(original, release, asked))
    columns = published(release.printed, asked.quasi)
    groups = release.groups(columns)
    found = [*_sizes(original, release, asked, groups), *_models(original, release, asked, groups)]
    return [
        *found,
        *_population(release, asked, groups),
        *_values(original, release, asked, groups),
    ]


def _rounded(column: Column, step: int | None) -> Column:
    """Round a column to multiples of a step, halves to the even multiple."""
    if step is None:
        return column
    values = [None if v is None else int(round(point_of(v) / step) * step) for v in column.values]
    return replace(column, values=values)


def published(printed: Printed, quasi: Sequence[str]) -> list[str]:
    """List the columns that publish quasi-identifiers: under their name, or as two bounds."""
    return [
        part
        for name in quasi
        for part in ([name] if name in printed else [f"{name}_lo", f"{name}_hi"])
    ]


def counted(printed: Printed, quasi: Sequence[str]) -> tuple[int, int, int]:
    """Count rows, groups, and the rows of the smallest group."""
    release = Release(printed)
    groups = release.groups(published(printed, quasi))
    return release.rows, len(groups), min(map(len, groups.values()), default=0)


def _columns(release: Release, asked: Asked) -> Iterator[str]:
    beside = [*asked.sensitive, *asked.keep, *([asked.weight] if asked.weight else [])]
    expected = sorted([*published(release.printed, asked.quasi), *beside])
    spread = asked.overlap and any("=" in name for name in release.printed)
    if not spread and sorted(release.printed) != expected:
        yield "the release does not have the columns that were asked for"


def _rows(original: Original, release: Release, asked: Asked) -> Iterator[str]:
    rows = len(next(iter(original.values())).values)
    least = rows - math.floor(Fraction(str(asked.withhold)) * rows)
    if asked.person:
        least = 0  # a share of persons may be a larger share of rows
    if not least <= release.rows <= rows:
        yield f"{release.rows} rows were published of {rows}; at least {least} were due"
    there = None if release.labels is None else sum(label >= 0 for label in release.labels)
    if there is not None and there != release.rows:
        yield f"{there} rows have a group, {release.rows} are published"


def _sizes(
    original: Original, release: Release, asked: Asked, groups: dict[Any, list[int]]
) -> Iterator[str]:
    smallest = min(map(len, groups.values()), default=asked.k)
    if smallest < asked.k:
        yield f"a group of {smallest} rows; k is {asked.k}"
    if not asked.person or release.labels is None:
        return
    persons: dict[int, set[Any]] = {}
    of: dict[Any, set[int]] = {}
    for person, label in zip(original[asked.person].values, release.labels, strict=True):
        of.setdefault(person, set()).add(label)
        if label >= 0:
            persons.setdefault(label, set()).add(person)
    if any(len(labels) > 1 for labels in of.values()):
        yield "rows of one person stand in two groups"
    fewest = min(map(len, persons.values()), default=asked.k)
    if fewest < asked.k:
        yield f"a group of {fewest} persons; k is {asked.k}"


def _models(
    original: Original, release: Release, asked: Asked, groups: dict[Any, list[int]]
) -> Iterator[str]:
    for name, given in asked.models:
        if name == "lkc":
            yield from _lkc(release, asked, given)
        if name not in OF_GROUPS:
            continue
        for column in given.get("on") or asked.sensitive:
            values = release.printed[column]
            whole = Whole.of(values, original[column].paths)
            for rows in groups.values():
                parts = _agreeing(release, asked, column, rows)
                kept = (
                    OF_GROUPS[name](Group.of([values[row] for row in part]), whole, given)
                    for part in parts
                )
                if not all(kept):
                    yield f"{name} {given} is not kept by a group of {len(rows)} rows"
                    break


def _agreeing(release: Release, asked: Asked, column: str, rows: list[int]) -> list[list[int]]:
    """Split a group into rows that agree on the other sensitive columns, if these are known."""
    others = [name for name in asked.sensitive if name != column]
    if asked.others != "as-quasi" or not others:
        return [rows]
    parts: dict[Any, list[int]] = {}
    for row in rows:
        parts.setdefault(tuple(release.printed[name][row] for name in others), []).append(row)
    return list(parts.values())


def _lkc(release: Release, asked: Asked, given: dict[str, Any]) -> Iterator[str]:
    for chosen in combinations(asked.quasi, min(given["l"], len(asked.quasi))):
        for rows in release.groups(published(release.printed, chosen)).values():
            if len(rows) < given.get("k", asked.k):
                yield f"lkc {given}: {len(rows)} rows look alike on {len(chosen)} columns"
                return
            for name in asked.sensitive:
                group = Group.of([release.printed[name][row] for row in rows])
                if not share_within(group, Fraction(str(given["c"]))):
                    yield f"lkc {given}: a value is too frequent"
                    return


def _population(release: Release, asked: Asked, groups: dict[Any, list[int]]) -> Iterator[str]:
    models = [(name, given) for name, given in asked.models if name in ("k-map", "delta-presence")]
    if not models or asked.population is None:
        return
    everyone = list(zip(*(asked.population[name].values for name in asked.quasi), strict=True))
    tests_of = _tester(release, asked, asked.population)
    tests = {look: tests_of(rows[0]) for look, rows in groups.items()}
    people = {
        look: {i for i, person in enumerate(everyone) if _all_fit(fits, person)}
        for look, fits in tests.items()
    }
    for name, given in models:
        for look, rows in groups.items():
            if not _beside(name, given, len(rows), len(people[look])):
                yield f"{name} {given}: {len(rows)} rows, {len(people[look])} people"
                break


def _beside(name: str, given: dict[str, Any], rows: int, people: int) -> bool:
    if people < rows:
        return False
    if name == "k-map":
        return people >= int(given["k"])
    share = Fraction(rows, people)
    return Fraction(str(given["low"])) <= share <= Fraction(str(given["high"]))


def _tester(release: Release, asked: Asked, columns: Original) -> Callable[[int], list[cells.Fits]]:
    """Return a function that gives the test of each quasi-identifier in one published row."""
    readers = list[Callable[[int], cells.Fits]]()
    for name in asked.quasi:
        if asked.publish.get(name) == "centre":
            readers.append(lambda row: lambda value: True)
        elif name in release.printed:
            readers.append(_of_cells(cells.reader(columns[name]), release.printed[name]))
        else:
            lows, highs = (release.printed[f"{name}_{end}"] for end in ("lo", "hi"))
            readers.append(_of_cells(cells.between, lows, highs))
    return lambda row: [read(row) for read in readers]


def _of_cells(read: Callable[..., cells.Fits], *columns: list[Any]) -> Callable[[int], cells.Fits]:
    """Return a function that gives the test of a row; equal cells are read and tested once."""

    @lru_cache(maxsize=None, typed=True)
    def known(*printed: Any) -> cells.Fits:
        return lru_cache(maxsize=None, typed=True)(read(*printed))

    return lambda row: known(*(column[row] for column in columns))


def _all_fit(tests: Sequence[cells.Fits], person: Sequence[Any]) -> bool:
    # A loop: a generator takes twice the time, and this is most of the time of a recount.
    for fits, value in zip(tests, person, strict=True):  # noqa: SIM110
        if not fits(value):
            return False
    return True


def _values(
    original: Original, release: Release, asked: Asked, groups: dict[Any, list[int]]
) -> Iterator[str]:
    """Compare cells with the rows they were made from, and values that must stay as they were."""
    beside = [*asked.sensitive, *asked.keep]
    people = list(zip(*(original[name].values for name in asked.quasi), strict=True))
    told = _told(original, beside, len(people))
    labels = release.labels or ([0] * len(people) if release.rows == len(people) else None)
    if labels is not None:
        there = [row for row, label in enumerate(labels) if label >= 0]
        said = _told_printed(release.printed, beside, release.rows)
        if Counter(told[row] for row in there) != Counter(said):
            yield "sensitive and kept values are not those of the published people"
        if asked.keep_order:
            if [told[row] for row in there] != said:
                yield "sensitive and kept values do not stand in their rows"
            yield from _in_order(release, asked, original, people, there)
        else:
            yield from _covered(release, asked, original, [people[row] for row in there], groups)
    if asked.weight and release.labels is not None and asked.keep_order:
        yield from _weights(original, release, asked, groups)


def _told(original: Original, names: Sequence[str], rows: int) -> list[tuple[Any, ...]]:
    columns = [[same(value) for value in original[name].values] for name in names]
    return list(zip(*columns, strict=True)) if columns else [()] * rows


def _told_printed(printed: Printed, names: Sequence[str], rows: int) -> list[tuple[Any, ...]]:
    columns = [[same(value) for value in printed[name]] for name in names]
    return list(zip(*columns, strict=True)) if columns else [()] * rows


def _in_order(
    release: Release, asked: Asked, original: Original, people: list[Any], there: list[int]
) -> Iterator[str]:
    tests_of = _tester(release, asked, original)
    for row, person in enumerate(there):
        if not _all_fit(tests_of(row), people[person]):
            yield f"the cells of row {row + 1} do not cover its person"
            return


def _covered(
    release: Release, asked: Asked, original: Original, people: list[Any], groups: dict[Any, Any]
) -> Iterator[str]:
    different = Counter(people)
    fitted = set[Any]()
    tests_of = _tester(release, asked, original)
    for rows in groups.values():
        tests = tests_of(rows[0])
        inside = [person for person in different if _all_fit(tests, person)]
        fitted.update(inside)
        # As many rows as people: where a group fits fewer people, some of its rows were moved.
        if sum(different[person] for person in inside) < len(rows):
            yield f"a group of {len(rows)} rows fits fewer people"
            return
    if len(fitted) < len(different):
        yield f"{len(different) - len(fitted)} people fit no published row"


def _weights(
    original: Original, release: Release, asked: Asked, groups: dict[Any, list[int]]
) -> Iterator[str]:
    assert asked.weight and release.labels is not None
    labelled = zip(original[asked.weight].values, release.labels, strict=True)
    weights = [point_of(weight) for weight, label in labelled if label >= 0]
    printed = [point_of(weight) for weight in release.printed[asked.weight]]
    for rows in groups.values():
        mean = sum((weights[row] for row in rows), Fraction(0)) / len(rows)
        if any(abs(printed[row] - mean) > abs(mean) * WEIGHT_DIGITS for row in rows):
            yield "a published weight is not the mean of its group"
            return


def _hidden(original: Original, release: Release, asked: Asked) -> Iterator[str]:
    """Count the possible matches of each person: at least k."""
    people = list(zip(*(original[name].values for name in asked.quasi), strict=True))
    tests = list(map(_tester(release, asked, original), range(release.rows)))
    edges = [[row for row, fits in enumerate(tests) if _all_fit(fits, person)] for person in people]
    matches = possible_matches(edges, release.rows)
    if matches is None:
        yield "the published rows can't all belong to the people of the original"
    elif min(matches, default=asked.k) < asked.k:
        yield f"a person has {min(matches)} possible matches; k is {asked.k}"
