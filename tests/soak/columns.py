"""Random columns for a soak: few or many values, skewed or even, with gaps and odd texts."""

from __future__ import annotations

import datetime
from decimal import Decimal
from random import Random
from typing import Any

from soak.outside.tables import Column

WORDS = ("oak", "elm", "ash", "fir", "yew", "box", "bay", "fig", "gum", "tea", "ivy", "rye")
ODD_TEXTS = (
    "*",
    "[1, 2]",
    '"a" b',
    "Ünï",
    "a;b",
    "a, b",
    "日本",
    "90+ x",
    "x" * 60,
    "[x",
    "é'ò",
    "5*",
)
FIRST_DAY = datetime.date(1930, 1, 1)


def picked(rng: Random, pool: list[Any], rows: int) -> list[Any]:
    """Draw values from a pool, evenly or so that the first ones are frequent."""
    if rng.random() < 0.5:
        return [rng.choice(pool) for _ in range(rows)]
    return [pool[int(len(pool) * rng.random() ** 3)] for _ in range(rows)]


def with_gaps(rng: Random, values: list[Any], chance: float = 0.25) -> list[Any]:
    """Let some values be missing, in some columns."""
    if rng.random() >= chance:
        return values
    share = rng.choice((0.05, 0.2, 0.6))
    return [None if rng.random() < share else value for value in values]


def quasi(rng: Random, rows: int, *, plain: bool) -> Column:
    """Draw a quasi-identifier; `plain` ones keep their type through every file."""
    kinds = ["whole", "number", "date", "category", "tree", "code", "odd"]
    kinds += [] if plain else ["time", "decimal", "flag", "calendar", "steps"]
    kind = rng.choice(kinds)
    return _DRAWN[kind](rng, rows)


def sensitive(rng: Random, rows: int) -> Column:
    """Draw a sensitive column: a category, one with a tree, or a number."""
    kind = rng.choice(("category", "category", "tree", "number"))
    if kind == "number":
        pool = [rng.randint(1, 50) * rng.choice((1, 10, 100)) for _ in range(rng.randint(2, 12))]
        return Column("number", with_gaps(rng, picked(rng, pool, rows), 0.15))
    if kind == "tree":
        drawn = tree(rng, rows)
        return Column("category", with_gaps(rng, drawn.values, 0.1), "file", drawn.paths)
    pool = list(WORDS[: rng.randint(2, 8)])
    return Column("category", with_gaps(rng, picked(rng, pool, rows), 0.15))


def kept(rng: Random, rows: int) -> Column:
    """Draw a column that is published as it is: few values."""
    return Column(
        "category",
        [rng.choice(("east", "west", "north")[: rng.randint(1, 3)]) for _ in range(rows)],
    )


def tree(rng: Random, rows: int) -> Column:
    """Draw a category with a tree of two or three levels."""
    leaves = [f"{word}{n}" for word in WORDS[: rng.randint(2, 4)] for n in range(rng.randint(1, 4))]
    regions = rng.choice((0, 2))
    paths = {}
    for leaf in leaves:
        group = f"{leaf[:3]}-group"
        higher = (f"region {len(group + leaf[:3]) * ord(leaf[0]) % regions}",) if regions else ()
        paths[leaf] = (group, *higher, "*")
    return Column("category", with_gaps(rng, picked(rng, leaves, rows)), "file", paths)


def _whole(rng: Random, rows: int) -> Column:
    low, high = rng.choice(
        ((0, 1), (0, 9), (18, 95), (-50, 50), (0, 10**6), (10**12, 10**12 + 500))
    )
    pool = [rng.randint(low, high) for _ in range(rng.randint(1, 60))]
    return Column("number", with_gaps(rng, picked(rng, pool, rows)))


def _number(rng: Random, rows: int) -> Column:
    digits = rng.randint(0, 4)
    scale = rng.choice((0.01, 1, 100, 1e6))
    pool = [round(rng.gauss(0, 1) * scale, digits) + 0.0 for _ in range(rng.randint(1, 60))]
    pool = [value if value else 0.5 for value in pool]
    return Column("number", with_gaps(rng, picked(rng, pool, rows)))


def _decimal(rng: Random, rows: int) -> Column:
    pool = [Decimal(rng.randint(-9999, 99_999)) / 100 for _ in range(rng.randint(1, 40))]
    return Column(
        "number", with_gaps(rng, picked(rng, [d.quantize(Decimal("0.01")) for d in pool], rows))
    )


def _date(rng: Random, rows: int) -> Column:
    reach = rng.choice((5, 400, 30_000))
    pool = [
        FIRST_DAY + datetime.timedelta(rng.randint(0, reach)) for _ in range(rng.randint(1, 60))
    ]
    return Column("date", with_gaps(rng, picked(rng, pool, rows)))


def _time(rng: Random, rows: int) -> Column:
    first = datetime.datetime(2020, 1, 1)
    reach = rng.choice((50, 10_000, 10**8))
    pool = [
        first + datetime.timedelta(seconds=rng.randint(0, reach)) for _ in range(rng.randint(1, 40))
    ]
    return Column("time", with_gaps(rng, picked(rng, pool, rows)))


def _calendar(rng: Random, rows: int) -> Column:
    return Column("date", _date(rng, rows).values, "dates")


def _steps(rng: Random, rows: int) -> Column:
    return Column("number", _whole(rng, rows).values, "intervals")


def _category(rng: Random, rows: int) -> Column:
    return Column("category", with_gaps(rng, picked(rng, list(WORDS[: rng.randint(1, 12)]), rows)))


def _odd(rng: Random, rows: int) -> Column:
    pool = [*rng.sample(ODD_TEXTS, rng.randint(1, 6)), "plain"]
    return Column("category", with_gaps(rng, picked(rng, pool, rows)))


def _flag(rng: Random, rows: int) -> Column:
    return Column("category", with_gaps(rng, [rng.random() < 0.4 for _ in range(rows)]))


def _code(rng: Random, rows: int) -> Column:
    pool = [
        f"{rng.choice((0, 1, 12))}{rng.randint(100_000, 999_999)}"[:5]
        for _ in range(rng.randint(1, 30))
    ]
    return Column("category", with_gaps(rng, picked(rng, [*pool, "01067"], rows)), "masks")


_DRAWN = {
    "whole": _whole,
    "number": _number,
    "decimal": _decimal,
    "date": _date,
    "time": _time,
    "calendar": _calendar,
    "steps": _steps,
    "category": _category,
    "odd": _odd,
    "flag": _flag,
    "code": _code,
    "tree": tree,
}
