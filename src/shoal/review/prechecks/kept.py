"""Kept: finds what a column published as it is gives away about the generalized columns.

Two ways to undo a release with a column beside it:

- **Nearly unique**: fewer than two rows share a value on average (different values / rows > 0.5).
  Such a column is an identifier, whatever it is called.
- **Gives a quasi-identifier back**: who knows the column can say the original value. Guess for each
  value of the column the most common value of the quasi-identifier beside it; the advantage over
  guessing without the column is

      (share guessed right - share of the most common value) / (1 - share of the most common value)

  and 0.9 or more is too much. Only values that two rows or more hold are judged, so that uniqueness
  is not found twice.

By hand: education-num 9, 9, 13, 13 beside HS, HS, BA, BA: 4/4 guessed with it, 2/4 without: (1 -
0.5) / 0.5 = 1.

Rows without a value in the column are not judged, and fewer than 20 judged rows are too few to
tell: in a table of six people everything is nearly unique and agrees by chance. What this does not
see: a column that narrows a quasi-identifier down without determining it (a decade beside an age),
and two columns that do it together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints
from shoal.declare.columns import kind_of, whole
from shoal.errors import PrivacyNotMet
from shoal.groups import Note
from shoal.review.recount import coded, keys, numbered
from shoal.wording import Remedy, Set

ENOUGH_ROWS = 20  # fewer say nothing
# different values over rows; above it, fewer than two rows share one on average
NEARLY_UNIQUE = 0.5
GIVES_BACK = 0.9  # advantage in guessing a quasi-identifier


@dataclass(frozen=True)
class Leak:
    """One way in which a column undoes the release.

    By itself (`quasi` is None), or by giving a quasi-identifier back.
    """

    column: str
    quasi: str | None
    share: float

    @property
    def problem(self) -> str:
        """Describe the leak in the user's words."""
        if self.quasi is None:
            return (
                f"column '{self.column}' is nearly unique: {self.share:.2f} different values for "
                "each row"
            )
        return (
            f"column '{self.column}' gives '{self.quasi}' back: advantage {self.share:.2f} in "
            "guessing it"
        )

    @property
    def warning(self) -> str:
        """Describe the leak of a sensitive number, which is published all the same."""
        return f"{self.problem}; round it before it is published"


def refuse_leaks(
    table: pa.Table,
    quasi: Mapping[str, Ints],
    sensitive: Sequence[str],
    keep: Sequence[str],
    force_keep: Sequence[str] = (),
) -> tuple[Note, ...]:
    """Refuse columns that are published as they are and leak, or return warnings.

    `quasi` holds the codes of the quasi-identifiers.

    Sensitive numbers are warned about and never refused; neither are columns kept by force.
    """
    leaking = {
        name: leaks(name, whole(table[name]), quasi) for name in dict.fromkeys((*sensitive, *keep))
    }
    numbers = [
        name for name in sensitive if kind_of(table.schema.field(name).type, name) == "number"
    ]
    return refuse_found(leaking, numbers, force_keep)


def refuse_found(
    by_column: Mapping[str, Sequence[Leak]], numbers: Sequence[str], force_keep: Sequence[str]
) -> tuple[Note, ...]:
    """Refuse the leaks of each column, or return warnings.

    Sensitive numbers and columns kept by force are warned about.
    """
    refused: list[Leak] = []
    warnings: list[Note] = []
    for name, leaking in by_column.items():
        if name in force_keep:
            warnings += [Note("leak", f"{leak.problem}; kept by force") for leak in leaking]
        elif name in numbers:
            warnings += [Note("leak", leak.warning) for leak in leaking]
        else:
            refused += leaking
    if refused:
        raise refusal(refused)
    return tuple(warnings)


def leaks(name: str, column: pa.Array, quasi: Mapping[str, Ints]) -> list[Leak]:
    """List what a column gives away of the quasi-identifiers' original values.

    The quasi-identifiers come as numbers; nothing is found in a tiny table.
    """
    codes, size = coded(column)
    there = codes < size
    rows = int(np.count_nonzero(there))
    if rows < ENOUGH_ROWS:
        return []
    leaking = [Leak(name, None, size / rows)] if size / rows > NEARLY_UNIQUE else []
    shared = there & (np.bincount(codes, minlength=size + 1)[codes] >= 2)
    if np.count_nonzero(shared) < ENOUGH_ROWS:
        return leaking
    for other, values in quasi.items():
        share = advantage(codes[shared], values[shared])
        if share >= GIVES_BACK:
            leaking.append(Leak(name, other, share))
    return leaking


def advantage(known: Ints, wanted: Ints) -> float:
    """Measure how much better one column is guessed with another at hand; 0 for a constant one."""
    rows = len(wanted)
    without = int(np.bincount(wanted).max(initial=0))
    if without == rows:
        return 0.0
    sizes = [int(known.max()) + 1, int(wanted.max()) + 1]
    pairs = keys([known, wanted], sizes)
    if sizes[0] * sizes[1] <= rows:
        best = np.bincount(pairs, minlength=sizes[0] * sizes[1]).reshape(sizes).max(axis=1)
    else:
        labels, count = numbered(pairs)
        known_of_pair = np.empty(count, np.int64)
        best = np.zeros(sizes[0], np.int64)
        known_of_pair[labels] = known
        np.maximum.at(best, known_of_pair, np.bincount(labels, minlength=count))
    return (int(best.sum()) - without) / (rows - without)


def refusal(leaks: Sequence[Leak]) -> PrivacyNotMet:
    """Write one error for all leaks of the columns to be published."""
    names = list(dict.fromkeys(leak.column for leak in leaks))
    if len(leaks) == 1:
        problem = leaks[0].problem
        facts = {}
    else:
        problem = f"{len(names):,} published columns would undo the release"
        facts = {f"leak {i}": leak.problem for i, leak in enumerate(leaks, 1)}
    remedy = Remedy(f"leave {_listed(names)} out", Set("force_keep", names))
    return PrivacyNotMet(problem, {**facts, "published": "nothing"}, remedy)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(f"'{name}'" for name in names)
