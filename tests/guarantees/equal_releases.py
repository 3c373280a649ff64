"""Pairs of different tables with equal releases: their public certificates must be equal bytes.

    table, recipe = drawn at random
    release       = of the table
    others        = the table with changes that its release may hide
    pairs         = others whose release has the same cells in the same order, though their
                    published columns hold other values than those of the table

A pair *tells* where the private parts differ: a public part that took anything from there would
differ too. From the folder `tests`, thousands more than the suite takes:

    python -m guarantees.equal_releases --tables 3000 --seed 1
"""

from __future__ import annotations

import argparse
import itertools
import secrets
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa

from shoal import registry
from shoal.api.engines import origin_of
from shoal.distortions.distortion import Distortion
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.local.engine import LocalEngine
from shoal.errors import ShoalError
from shoal.flows import distortion, groups, overlap
from shoal.flows.port import Engine, Outcome
from shoal.overlap.overlap import Overlap
from shoal.partition.method import Method
from shoal.recipe import Recipe
from shoal.review.certificate import Certificate, as_json

CITIES = {
    "North": ["Oslo", "Bergen", "Umea"],
    "South": {"West": ["Porto"], "East": ["Rome", "Bari"]},
}
TOWNS = ["Oslo", "Bergen", "Umea", "Porto", "Rome", "Bari"]
CODES = ["1011", "1012", "1099", "2077"]
ILLS = ["flu", "cold", "gout"]
MODELS = (
    "l-diversity:l=2",
    "entropy-l-diversity:l=1.2",
    "recursive-l-diversity:c=4,l=2",
    "frequency-l-diversity:l=1.2",
    "t-closeness:t=0.8",
    "alpha-k:alpha=0.9",
    "p-sensitive:p=2",
    "beta-likeness:beta=5",
    "k-map:k=3",
)
PUBLISH = ("snapped", "tight", "centre", "bounds", {"age": "tight"}, {"code": "centre"})
TREES: tuple[Mapping[str, Any], ...] = (
    {},
    {"town": CITIES},
    {"town": CITIES, "code": "masks:length=4"},
    {"town": "flat", "age": "intervals:width=10"},
    {"code": "masks:length=4", "age": "intervals:quantiles=4"},
)
LADDERS: tuple[Mapping[str, Any], ...] = (  # bands that are chosen by the table, and typed ones
    {},
    {"age": "ladder"},
    {"age": "ladder", "town": CITIES},
    {"age": "ladder:widths=5-10-20", "code": "masks:length=4"},
)
CODED: tuple[Mapping[str, Any], ...] = (
    {"round": {"age": 5}},
    {"top": {"age": 50}},
    {"round": {"age": 5}, "top": {"age": 55}, "bottom": {"age": 25}},
)
OVERLAPS = (
    "",
    ":match=mutual",
    ":match=k-concealment",
    ":match=1-k",
    ":match=k-k",
    ":values=noisy",
    ":values=groups",
    ":l=2",
)


ON_LADDERS = ("full-domain", "banded")

# Everyone from whom the people of any table could have been taken.
EVERYONE = pa.table(
    dict(
        zip(
            ("age", "town", "code"),
            map(list, zip(*itertools.product([None, *range(18, 240)], TOWNS, CODES), strict=True)),
            strict=True,
        )
    )
)


@dataclass(frozen=True)
class Case:
    """A table, a recipe and an engine."""

    table: pa.Table
    asked: Mapping[str, Any]
    engine: str = "local"

    @property
    def columns(self) -> list[str]:
        """Columns that have a role and could be seen in a release."""
        asked = self.asked
        beside = [asked[name] for name in ("weight", "person") if name in asked]
        return [*asked["quasi"], *asked["sensitive"], *asked.get("keep", ()), *beside]

    def run(self, table: pa.Table | None = None) -> Outcome | None:
        """Carry the recipe out on the table, or on another one; None where it is refused."""
        table = self.table if table is None else table
        try:
            # What the operating system draws is the same for all tables of a case.
            with mock.patch.object(secrets, "randbits", lambda bits: 7):
                return _carried_out(table, Recipe.of(**self.asked), self.engine)
        except ShoalError:
            return None


@dataclass
class Tally:
    """Counts over all pairs, and the first line in which the public parts of a pair differ."""

    tables: int = 0
    released: int = 0
    pairs: int = 0
    telling: int = 0
    by_kind: Counter[str] = field(default_factory=Counter)
    leaks: list[str] = field(default_factory=list)

    def add(self, case: Case, first: Outcome, second: Outcome) -> None:
        """Compare the public certificates of two tables with equal releases."""
        self.pairs += 1
        self.by_kind.update(kinds_of(case))
        self.telling += differ(first.certificate, second.certificate, "private") is not None
        leak = differ(first.certificate, second.certificate, "public")
        if leak is not None:
            self.leaks.append(f"{case.engine} {dict(case.asked)}: {leak}")

    def __str__(self) -> str:
        counted = f"{self.tables} tables, {self.released} releases, {self.pairs} pairs"
        lines = [f"{counted}, of which {self.telling} tell; {len(self.leaks)} leaks"]
        lines += [f"  {kind}: {number}" for kind, number in sorted(self.by_kind.items())]
        return "\n".join(lines + self.leaks[:5])


def differ(first: Certificate[Any, Any], second: Certificate[Any, Any], part: str) -> str | None:
    """Return the first line in which a part of two certificates differs; None where none does."""
    texts = [as_json(getattr(each, part)) for each in (first, second)]
    if texts[0].encode() == texts[1].encode():
        return None
    lines = itertools.zip_longest(*(text.splitlines() for text in texts))
    return next(f"{one} | {other}" for one, other in lines if one != other)


def kinds_of(case: Case) -> Iterator[str]:
    """Name what a pair is counted by."""
    asked = case.asked
    yield f"engine {case.engine}"
    yield f"method {asked['method']}"
    publish = asked.get("publish", "snapped")
    yield f"publish {publish if isinstance(publish, str) else 'by column'}"
    for model in asked.get("models", ()):
        yield f"model {model.split(':')[0]}"
    for name in (
        "withhold",
        "hierarchies",
        "weight",
        "person",
        "population",
        "keep",
        "top",
        "round",
    ):
        if asked.get(name):
            yield f"with {name}"


def _carried_out(table: pa.Table, recipe: Recipe, engine: str) -> Outcome:
    if recipe.overlaps:
        return overlap.run(table, recipe, _dividing)[0]
    made: Engine[Any] = LocalEngine(shards=2) if engine == "shards" else LocalEngine()
    if engine == "disk":
        made = DiskEngine(rows=20)
    everyone = EVERYONE if any(model.startswith("k-map") for model in recipe.models) else None
    return groups.run(origin_of(table, None, made).table, recipe, made, population=everyone)


def _dividing(*given: Any) -> Any:
    from shoal.engines.local.dividing import groups_of

    return groups_of(*given)


def published(outcome: Outcome, engine: str = "local") -> pa.Table:
    """Return the published rows, wherever an engine keeps them."""
    if engine == "disk":
        return pa.concat_tables(outcome.table.parts().read())
    return outcome.table


def people(rng: np.random.Generator) -> pa.Table:
    """Draw a small table: many duplicates, some missing values, a few people far away."""
    rows = int(rng.integers(9, 36))
    age = rng.integers(20, int(rng.choice([32, 60, 90])), rows)
    age[rng.random(rows) < 0.05] = 200
    return pa.table(
        {
            "age": pa.array(age, mask=rng.random(rows) < rng.choice([0, 0, 0.1])),
            "town": pa.array(rng.choice(TOWNS, rows)),
            "code": pa.array(rng.choice(CODES, rows)),
            "ill": pa.array(rng.choice(ILLS, rows), mask=rng.random(rows) < 0.05),
            "ward": pa.array(rng.integers(0, 2, rows)),
            "who": pa.array(rng.integers(0, rows, rows)),
            "weight": pa.array(rng.integers(1, 4, rows).astype(float)),
            "name": pa.array([f"n{number}" for number in rng.integers(0, 10**6, rows)]),
        }
    )


def recipe(rng: np.random.Generator, method: str) -> dict[str, Any]:
    """Draw what is asked for."""
    asked: dict[str, Any] = {
        "quasi": [["age", "town"], ["age", "town", "code"], ["age"]][rng.integers(3)],
        "sensitive": [["ill"], ["ill"], []][rng.integers(3)],
        "identifiers": ["name"],
        "k": int(rng.integers(2, 5)),
        "method": method,
        "seed": 5,
        "withhold": float(rng.choice([0.0, 0.0, 0.1, 0.34])),
        "publish": PUBLISH[rng.integers(len(PUBLISH))],
    }
    trees = TREES[rng.integers(len(TREES))]
    if method in ON_LADDERS:
        trees = LADDERS[rng.integers(len(LADDERS))]
        asked["publish"] = "snapped"
    asked["hierarchies"] = {name: tree for name, tree in trees.items() if name in asked["quasi"]}
    if isinstance(asked["publish"], Mapping):
        asked["publish"] = {
            name: form for name, form in asked["publish"].items() if name in asked["quasi"]
        }
    if asked["sensitive"] and rng.random() < 0.6:
        asked["models"] = [MODELS[rng.integers(len(MODELS))]]
    # k-map is about a named population; it is not guessed by weights or numbers then.
    beside = 4 if "k-map:k=3" in asked.get("models", ()) else rng.integers(8)
    asked |= [{"weight": "weight"}, {"person": "who"}, {"population": 400}, {"keep": ["ward"]}, {}][
        min(beside, 4)
    ]
    if method == "full-domain" and rng.random() < 0.5:
        asked |= {"withhold": 1.0}
    if rng.random() < 0.3 and asked.get("hierarchies", {}).get("age") is None:
        asked |= CODED[rng.integers(len(CODED))]
    return asked


def on_ladders(number: int, seed: int) -> Iterator[Case]:
    """Draw cases of methods that publish bands of one ladder for each column."""
    rng = np.random.default_rng(seed)
    for turn in range(number):
        method = ON_LADDERS[turn % len(ON_LADDERS)]
        yield Case(people(rng), recipe(rng, method), "disk" if turn % 8 == 1 else "local")


def overlapping(rng: np.random.Generator, method: str) -> dict[str, Any]:
    """Draw what is asked for where each row has a box of its own."""
    asked = {**recipe(rng, method + OVERLAPS[rng.integers(len(OVERLAPS))]), "withhold": 0.0}
    asked["as_published"] = bool(rng.random() < 0.3)
    asked["publish"] = ["snapped", "tight"][rng.integers(2)]
    lacking = ("models", "weight", "person", "population")
    return {name: value for name, value in asked.items() if name not in lacking}


def in_parts(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what can't be asked of the disk engine."""
    lacking = ("person", "population", "weight")
    kept = {name: value for name, value in asked.items() if name not in lacking}
    kept["publish"] = "tight" if asked["publish"] == "tight" else "snapped"
    kept["method"] = "shoal" if asked["k"] == 2 else "mondrian"
    kept["models"] = [model for model in asked.get("models", ()) if not model.startswith("k-map")]
    return kept


def cases(number: int, seed: int) -> Iterator[Case]:
    """Draw cases: every method in turn, every tenth one with boxes that overlap."""
    rng = np.random.default_rng(seed)
    methods = itertools.cycle(registry.names(Method))
    boxes = itertools.cycle(registry.names(Overlap))
    engines = itertools.cycle(["local", "local", "local", "shards", "local", "local", "disk"])
    for turn in range(number):
        table = people(rng)
        if turn % 10 == 9:
            yield Case(table, overlapping(rng, next(boxes)))
        else:
            engine = next(engines)
            asked = recipe(rng, next(methods))
            yield Case(table, in_parts(asked) if engine == "disk" else asked, engine)


Drawn = Callable[[int, int], Iterator[Case]]
Change = Callable[[Case, Outcome, np.random.Generator], pa.Table]


def within_a_cell(case: Case, done: Outcome, rng: np.random.Generator) -> pa.Table:
    """Move one number within a printed interval that covers it, half of the time to an end."""
    column = case.table["age"].to_pylist()
    names = [
        name for name in ("age", "age_lo") if name in published(done, case.engine).column_names
    ]
    shown = published(done, case.engine)
    ends = []
    for cell in dict.fromkeys(shown[names[0]].to_pylist()) if names else ():
        if isinstance(cell, str) and cell.startswith("["):
            ends.append([int(float(end.strip(" <=+"))) for end in cell[1:-1].split(",")])
    if names == ["age_lo"]:
        both = zip(shown["age_lo"].to_pylist(), shown["age_hi"].to_pylist(), strict=True)
        ends = [
            [int(float(str(end).strip("<=+"))) for end in pair] for pair in both if None not in pair
        ]
    who = int(rng.integers(len(column)))
    around = [
        pair for pair in ends if column[who] is not None and pair[0] <= column[who] <= pair[1]
    ]
    if around:
        low, high = around[rng.integers(len(around))]
        column[who] = (
            int(rng.choice([low, high])) if rng.random() < 0.5 else int(rng.integers(low, high + 1))
        )
    return replaced(case.table, "age", column)


def beside_it(case: Case, done: Outcome, rng: np.random.Generator) -> pa.Table:
    """Give one person another town of the tree, or another code."""
    named = [name for name in ("town", "code") if name in case.columns]
    if not named:
        return within_a_cell(case, done, rng)
    name = str(rng.choice(named))
    column = case.table[name].to_pylist()
    column[int(rng.integers(len(column)))] = str(rng.choice(column + TOWNS * (name == "town")))
    return replaced(case.table, name, column)


def left_out(case: Case, done: Outcome, rng: np.random.Generator) -> pa.Table:
    """Change people who were left out: their values, their number; or move any one far away."""
    labels = getattr(done.groups, "labels", None)
    gone = [] if labels is None else np.flatnonzero(np.asarray(labels) < 0).tolist()
    who = int(rng.choice(gone)) if gone else int(rng.integers(case.table.num_rows))
    if rng.random() < 0.3:
        return case.table.take(pa.array([row for row in range(case.table.num_rows) if row != who]))
    if rng.random() < 0.3:
        again = case.table.slice(who, 1)
        return pa.concat_tables([case.table, again])
    table = case.table
    for name, values in (("age", [200, 230, 21]), ("town", TOWNS), ("ill", ILLS)):
        if name in case.columns and rng.random() < 0.6:
            column = table[name].to_pylist()
            column[who] = values[rng.integers(len(values))]
            table = replaced(table, name, column)
    return table


def swapped(case: Case, done: Outcome, rng: np.random.Generator) -> pa.Table:
    """Swap a value of two people of one group, or of any two."""
    labels = getattr(done.groups, "labels", None)
    one, other = rng.integers(0, case.table.num_rows, 2).tolist()
    if labels is not None:
        alike = np.flatnonzero(np.asarray(labels) == np.asarray(labels)[one])
        other = int(rng.choice(alike))
    name = str(rng.choice(case.columns))
    column = case.table[name].to_pylist()
    column[one], column[other] = column[other], column[one]
    return replaced(case.table, name, column)


def stretched(case: Case, done: Outcome, rng: np.random.Generator) -> pa.Table:
    """Multiply every age, which no release shows where all of them are `*`."""
    times = int(rng.choice([2, 10]))
    ages = [None if age is None else age * times for age in case.table["age"].to_pylist()]
    return replaced(case.table, "age", ages)


CHANGES: tuple[Change, ...] = (within_a_cell, within_a_cell, beside_it, left_out, left_out, swapped)


def replaced(table: pa.Table, name: str, values: list[Any]) -> pa.Table:
    """Return a table with other values in one column, and other names of people."""
    place = table.column_names.index(name)
    column = pa.array(values, table.schema.field(name).type)
    return table.set_column(place, name, column).set_column(
        table.column_names.index("name"),
        "name",
        pa.array([f"m{number}" for number in range(table.num_rows)]),
    )


def tried(case: Case, rng: np.random.Generator, tally: Tally, changes: int) -> None:
    """Look for tables with the release of a case, and compare their public certificates."""
    tally.tables += 1
    done = case.run()
    if done is None:
        return
    tally.released += 1
    shown = published(done, case.engine)
    known = case.columns
    order = [(name, "ascending") for name in known]
    before = case.table.select(known).sort_by(order)
    more = (stretched,) * 3 if case.asked["method"] in ON_LADDERS else ()
    kinds = (*CHANGES, *more)
    for _ in range(changes):
        other = kinds[rng.integers(len(kinds))](case, done, rng)
        tally.tables += 1
        if other.select(known).sort_by(order).equals(before):
            continue
        again = case.run(other)
        if again is None:
            continue
        tally.released += 1
        if published(again, case.engine).equals(shown):
            tally.add(case, done, again)


def compared(number: int, seed: int, changes: int = 3, drawn: Drawn = cases) -> Tally:
    """Compare the public certificates of pairs of tables with equal releases."""
    tally = Tally()
    rng = np.random.default_rng(seed)
    for case in drawn(number, seed):
        tried(case, rng, tally, changes)
    return tally


def distorted(number: int, seed: int) -> Tally:
    """Compare certificates of one perturbed table, as if it came from two originals.

    Noise comes from the operating system, so two runs never agree. But some noise turns either
    original into the same published numbers: these take the place of what the method draws.
    """
    tally = Tally()
    rng = np.random.default_rng(seed)
    names = itertools.cycle(registry.names(Distortion))
    for turn, name in zip(range(number), names, strict=False):
        rows = int(rng.integers(8, 40))
        values = np.round(rng.normal(50, 20, (rows, 2)), 1)
        shown = np.round(values + rng.normal(0, 5, values.shape), 3)
        others = values.copy()
        others[rng.integers(rows), rng.integers(2)] += float(rng.integers(1, 30))
        if turn % 3 == 0:
            others[:, 1] = 7.5  # of one value alone, unlike its partner
        asked = distortion.DistortionRequest(
            columns="all" if turn % 2 else ("a", "b"),
            method=name,
            clusters=2,
            as_published=turn % 5 > 0,
        )
        tally.tables += 2
        pair = [_perturbed(each, shown, asked) for each in (values, others)]
        done = [outcome for outcome in pair if outcome is not None]
        tally.released += len(done)
        if len(done) == 2 and done[0].table.equals(done[1].table):
            tally.pairs += 1
            tally.by_kind[f"distortion {name}"] += 1
            tally.telling += differ(done[0].certificate, done[1].certificate, "private") is not None
            if leak := differ(done[0].certificate, done[1].certificate, "public"):
                tally.leaks.append(f"{asked}: {leak}")
    return tally


def _perturbed(values: Any, shown: Any, asked: Any) -> Any:
    """Perturb numbers by whatever noise makes them the shown ones."""
    table = pa.table({"a": values[:, 0], "b": values[:, 1], "c": ["x"] * len(values)})
    perturbing = distortion.Perturbing
    with (
        mock.patch.object(perturbing, "perturbed", lambda self, part: shown),
        mock.patch.object(perturbing, "moved", property(lambda self: self.names)),
        mock.patch.object(
            perturbing,
            "with_values",
            lambda self, part, values: distortion.with_values(part, self.names, values, [None] * 2),
        ),
    ):
        try:
            return distortion.run(table, asked)
        except ShoalError:
            return None


def main() -> int:
    """Compare as many tables as were asked for; 1 where a public certificate tells more."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--tables", type=int, default=1000, help="cases, each with three changes")
    given.add_argument("--seed", type=int, default=1)
    asked = given.parse_args()
    ladders = compared(asked.tables // 4, asked.seed, drawn=on_ladders)
    tallies = [
        compared(asked.tables, asked.seed),
        ladders,
        distorted(asked.tables // 10, asked.seed),
    ]
    for tally in tallies:
        print(tally)
    return int(any(tally.leaks for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())
