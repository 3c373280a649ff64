"""Weights: say for how many people each survey row stands, in a form that may be published.

An exact weight names the stratum its row was drawn from, and so tells more than the cells do.
Therefore the release holds, under the weight's own name, the mean of each published group in six
digits: constant inside a group, it tells nothing more about a row, while sums over groups stay as
they were, to six digits. Whoever knows the weights of all but one row of a group can compute the
last one's.

Where no population is given, risks take the number of people behind each group from the weights:
before publishing from the exact ones, afterwards from the means, so that anyone can recount them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Floats
from shoal.declare.columns import kind_of, points_of, text_of, whole
from shoal.errors import DataError, ShoalError, row_numbers
from shoal.groups import Groups
from shoal.review.promised import quasi_columns
from shoal.review.recount import recount
from shoal.wording import Option, Remedy, Sentence, Set

DIGITS = 6
# people that all rows together may stand for: sums and quotients beyond are no finite numbers
LEAST_TOTAL = 1e-6
LARGEST_TOTAL = 1e18


def weights_of(table: pa.Table, name: str) -> Floats:
    """Read the weight of each row; refuses what is missing, negative, not finite or no number.

    Also refuses weights that are all 0, and those whose sum is too large or too small to count
    people.
    """
    column = whole(table[name])
    if kind_of(column.type, name) != "number":
        raise DataError(
            f"the weights in '{name}' are no numbers",
            remedy=Sentence(Option("weight"), " names a column of numbers of at least 0"),
        )
    missing = np.asarray(pc.is_null(column, nan_is_null=True))
    weights = points_of(pc.fill_null(column, 0), "number")
    wrong = missing | ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        facts = {
            "rows concerned": int(np.count_nonzero(wrong)),
            "rows": row_numbers(np.flatnonzero(wrong)),
        }
        problem = f"weights in '{name}' are missing, negative or infinite"
        raise DataError(problem, facts, Remedy("mend them", Set("weight", None)))
    _refuse_impossible(weights, name)
    return weights


def _refuse_impossible(weights: Floats, name: str) -> None:
    """Refuse weights that together stand for nobody, or for more people than can be counted."""
    limits = f"their sum must lie between {LEAST_TOTAL:g} and {LARGEST_TOTAL:g}"
    remedy = Remedy("give the number of people behind each row", Set("weight", None))
    if not weights.any():
        raise DataError(f"all weights in '{name}' are 0", {"limits": limits}, remedy)
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not LEAST_TOTAL <= total <= LARGEST_TOTAL:
        raise DataError(
            f"the weights in '{name}' are too large or too small", {"limits": limits}, remedy
        )


def means(groups: Groups, weights: Floats) -> pa.Array:
    """Compute the mean weight of each row's group, to six digits.

    Sums are exact, whatever the order of the rows.
    """
    order, starts = groups.by_group
    sorted_by_group = weights[order].tolist()
    pairs = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    of_group = [float(f"{math.fsum(sorted_by_group[a:b]) / (b - a):.{DIGITS}g}") for a, b in pairs]
    return pa.array(np.array(of_group, np.float64)[groups.labels])


def printed_weights(table: pa.Table, name: str) -> Floats:
    """Read the weights of a release, which may have been read back as text."""
    texts = text_of(whole(table[name]))
    try:
        return np.asarray(pc.cast(texts, pa.float64()).to_numpy(zero_copy_only=False), np.float64)
    except pa.ArrowInvalid:
        raise DataError(f"the weights in '{name}' are no numbers") from None


def is_even(table: pa.Table, quasi: Sequence[str], name: str) -> bool:
    """Tell whether all rows that look alike have the same weight."""
    cells = [whole(table[column]) for column in quasi_columns(table, quasi)]
    return recount(cells).count == recount([*cells, whole(table[name])]).count


def refuse_uneven(table: pa.Table, quasi: Sequence[str], name: str) -> None:
    """Refuse weights that tell rows of a group apart."""
    if not is_even(table, quasi, name):
        raise ShoalError(
            f"the weights in '{name}' tell rows of a group apart", {"published": "nothing"}
        )
