"""Coding options: how columns are coded before rows are grouped; fields of `RecipeOptions`."""

from __future__ import annotations

from shoal.declare.coarseness import TAKES as COARSENESS
from shoal.recipe.options import option

TOP = option(
    "Values at or above it are published as 90+: a number, an ISO date, or a percentile.",
    "coding",
    metavar="COLUMN=VALUE",
    takes="a number, a date or a percentile such as p99",
    example={"age": 90},
    reported="Values at or above it are published as one.",
    panel=True,
    python="Mapping[str, Any]",
)

BOTTOM = option(
    "Values at or below it are published as <=5: a number, an ISO date, or a percentile.",
    "coding",
    metavar="COLUMN=VALUE",
    takes="a number, a date or a percentile such as p1",
    example={"age": 5},
    reported="Values at or below it are published as one.",
    panel=True,
    python="Mapping[str, Any]",
)

ROUND = option(
    "Numbers are rounded to multiples of this step before anything else.",
    "coding",
    metavar="COLUMN=STEP",
    takes="a number above 0",
    example={"cost": 100},
    reported="Numbers were rounded to multiples of this step.",
    panel=True,
    python="Mapping[str, Any]",
)

AT_LEAST = option(
    "Least width of a cell, so that no exact value appears: 10, year, 3-digits, level:2.",
    "coding",
    metavar="COLUMN=HOW",
    takes=COARSENESS,
    example={"age": 10},
    reported="No cell of these columns is finer than this.",
    panel=True,
    not_with=("overlap",),
    python="Mapping[str, Any]",
)

AT_MOST = option(
    "Greatest width of a cell: 20, 5-years, 2-digits, level:2; never `*`.",
    "coding",
    metavar="COLUMN=HOW",
    takes=COARSENESS,
    example={"age": 20},
    reported="No cell of these columns is coarser than this.",
    panel=True,
    not_with=("overlap",),
    python="Mapping[str, Any]",
)
