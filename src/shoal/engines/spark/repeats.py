"""Repeats: how often ids repeat in a DataFrame, counted where its rows lie, in one job."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

import pyarrow as pa

from shoal.declare.columns import is_text
from shoal.declare.understanding.missing import words_for
from shoal.engines.spark import jobs
from shoal.engines.spark.jobs import Frame
from shoal.flows.repeated import columns_in_doubt
from shoal.recipe import Recipe
from shoal.review.person_columns import PersonColumns
from shoal.review.prechecks.repeated import CODE, DATE, NOBODY, WHOLE, Repeats, Shaped


def repeats_in(frame: Frame, types: Mapping[str, pa.DataType], recipe: Recipe) -> list[Repeats]:
    """Count how often the columns repeat that may say whose row it is."""
    doubted = columns_in_doubt(pa.schema(list(types.items())), recipe)
    if not doubted:
        return []
    each = [_counted(frame, types, of, number, recipe) for number, of in enumerate(doubted)]
    told = jobs.collected(reduce(lambda some, more: some.union(more), each)).to_pylist()
    by_number = {row["number"]: row for row in told}
    return [_repeats(of, by_number[number]) for number, of in enumerate(doubted)]


def _repeats(of: PersonColumns, row: Mapping[str, Any]) -> Repeats:
    shaped = Shaped("words")
    if row["whole"]:
        shaped = Shaped("numbers", int(row["least"]), int(row["largest"]))
    elif row["codes"] and not row["dates"]:
        shaped = Shaped("codes")
    held, people, repeated, most = (
        int(row[name] or 0) for name in ("held", "people", "repeated", "most")
    )
    return Repeats(of, held, people, repeated, most, shaped)


def _counted(
    frame: Frame, types: Mapping[str, pa.DataType], of: PersonColumns, number: int, recipe: Recipe
) -> Frame:
    """Plan one row of counts for some columns."""
    rows = jobs.chosen(frame, of.columns)
    names = [f"p{i}" for i in range(len(of.columns))]
    for place, name in enumerate(of.columns):
        rows = rows.where(_held(names[place], types[name], name, recipe))
    met = rows.groupBy(*names).count()
    text = is_text(types[of.columns[0]])
    figures = [
        f"{number} as number",
        "sum(count) as held",
        "count(1) as people",
        "sum(case when count > 1 then count else 0 end) as repeated",
        "max(count) as most",
        *_shape("p0", types[of.columns[0]], text=text),
    ]
    return met.selectExpr(*figures)


def _held(cell: str, kind: pa.DataType, name: str, recipe: Recipe) -> str:
    """Write the condition that a cell tells whose row it is."""
    words = words_for(name, recipe.na, (name, *recipe.columns))
    said = [f"{cell} is not null"]
    if is_text(kind):
        said.append(f"lower(trim({cell})) not in ({_listed(NOBODY.to_pylist())})")
    if pa.types.is_floating(kind):
        said.append(f"not isnan({cell})")
    if words:
        said.append(f"trim(cast({cell} as string)) not in ({_listed(words)})")
    return " and ".join(said)


def _listed(words: list[str] | tuple[str, ...]) -> str:
    """Write texts as Spark's own language has them."""
    return ", ".join("'{}'".format(w.replace("\\", "\\\\").replace("'", "\\'")) for w in words)


def _shape(cell: str, kind: pa.DataType, *, text: bool) -> list[str]:
    """Write how values are written, as figures: codes, dates, whole numbers and their ends."""
    if text:
        read = f"case when {cell} rlike '{WHOLE}' then cast({cell} as double) end"
        return [
            f"min(case when {cell} rlike '{CODE}' then 1 else 0 end) as codes",
            f"max(case when {cell} rlike '{DATE}' then 1 else 0 end) as dates",
            f"min(case when {cell} rlike '{WHOLE}' then 1 else 0 end) as whole",
            f"min({read}) as least",
            f"max({read}) as largest",
        ]
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    whole = f"min(case when {cell} = floor({cell}) then 1 else 0 end)" if number else "0"
    ends = [f"{end}(cast({cell} as double))" if number else "0" for end in ("min", "max")]
    return [
        "0 as codes",
        "0 as dates",
        f"{whole} as whole",
        f"cast({ends[0]} as double) as least",
        f"cast({ends[1]} as double) as largest",
    ]
