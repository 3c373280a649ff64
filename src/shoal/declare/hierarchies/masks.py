"""`masks`: codes such as postcodes, where each step hides one more character from the right.

`masks(5)` turns `12345` into `1234*`, `123**`, `12***`, `1****` and `*`. `steps=(2, 4)` hides two
characters, then four, then all. Without a length, the longest value decides.

- A whole number is a code that lost its leading zeros: it gets them back before it is masked
  (`1234` -> `0123*`).
- A shorter text ends early: its missing characters count as blanks at its right end, which are
  hidden first. So `1234` becomes `1234*` together with `12345`, and `123` becomes `123**` only when
  both its blanks are hidden.
- A code that holds the masking character itself stays apart from the masks: nodes are paths, not
  labels, and a mask that looks like a value is published as `1234* (group)`. Choose another
  character if that happens.

Characters are Unicode code points.

By hand: a group of 12345 and 12399 is published as `123**`, one of 12345 and 19999 as `1****`.

When to use it: for postcodes and other codes whose first characters say more than their last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pyarrow as pa

from shoal.arrays import Counts, Floats
from shoal.declare.coarseness import Measure
from shoal.declare.columns import Kind, points_of, text_of
from shoal.declare.hierarchies.hierarchy import Fitted, Hierarchy
from shoal.declare.hierarchies.tree import EVERYTHING
from shoal.errors import DataError, RecipeError

LONGEST = 64  # a code is short; free text makes no tree


@dataclass(frozen=True)
class Masks(Hierarchy):
    """Codes that are hidden from the right, one character a step."""

    name = "masks"
    of_codes = True

    length: int | None = None
    character: str = "*"
    steps: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.length is not None and not 1 <= self.length <= LONGEST:
            raise RecipeError(f"length of 'masks' must be from 1 to {LONGEST}, not {self.length}")
        if len(self.character) != 1 or self.character.isalnum() or self.character.isspace():
            raise RecipeError(
                "character of 'masks' must be one sign, no letter, digit or blank",
                remedy="use * or #",
            )
        rising = all(a < b for a, b in pairwise((0, *self.steps)))
        if not rising or (self.length is not None and self.steps and self.steps[-1] > self.length):
            raise RecipeError(
                "steps of 'masks' must rise, from 1 up to the length", remedy="write steps=[1,2,3]"
            )

    def fit(
        self, values: pa.Array, kind: Kind, column: str, counts: Counts | None = None
    ) -> Fitted:
        """Put each value under its masks.

        Refuses codes that are longer than said, and numbers that are no codes.
        """
        texts = text_of(values).to_pylist()
        length = self.length or max(map(len, texts), default=1) or 1
        codes = [text.zfill(length) for text in texts] if kind == "number" else texts
        if kind == "number":
            _refuse_no_codes(values, column)
        _refuse_long(codes, min(length, LONGEST), column)
        steps = [step for step in self.steps or range(1, length) if step < length]
        paths = []
        for text, code in zip(texts, codes, strict=True):
            masks = (_masked(code, length - step, self.character * step) for step in steps)
            paths.append((text, *masks, EVERYTHING))
        return Fitted.of_paths(paths)

    def public_shares(self, labels: Sequence[str]) -> tuple[Floats, Floats]:
        """Return the step of each label by height.

        Nobody knows all codes, so leaves are counted alike.
        """
        shares = np.array([self._share(label) for label in labels], np.float64)
        return shares, shares

    def coarseness(self, labels: Sequence[str], measure: Measure) -> list[Decimal | None]:
        """Measure labels by their shown characters, or by how many steps hid the others."""
        if measure == "shown":
            return [-Decimal(len(label.rstrip(self.character))) for label in labels]
        if measure == "level":
            return [Decimal(self._hidden(label)[0]) for label in labels]
        return [None] * len(labels)

    def level_said(self, label: str) -> str:
        """Count the hidden characters of a label."""
        hidden = len(label) - len(label.rstrip(self.character))
        if hidden == 0:
            return ""
        return "1 character hidden" if hidden == 1 else f"{hidden} characters hidden"

    def _share(self, label: str) -> float:
        hidden, steps = self._hidden(label)
        return hidden / (steps + 1)

    def _hidden(self, label: str) -> tuple[int, int]:
        """Count the steps by which a label was masked, and all steps before the last."""
        length = self.length or len(label)
        steps = [step for step in self.steps or range(1, length) if step < length]
        hidden = len(label) - len(label.rstrip(self.character)) if len(label) == length else 0
        return sum(step <= hidden for step in steps), len(steps)


def _masked(code: str, kept: int, hidden: str) -> str:
    """Hide the right end of a code; one that ends before that point has nothing to hide yet."""
    return code if len(code) < kept else code[:kept] + hidden


def _refuse_no_codes(values: pa.Array, column: str) -> None:
    points = points_of(values, "number")
    odd = int(((points < 0) | (points != np.floor(points)) | (points >= 1e15)).sum())
    if odd:
        facts = {"values that are no whole number from 0 to 1e15": odd}
        raise DataError(
            f"column '{column}' holds numbers that can't be masked", facts, "use intervals instead"
        )


def _refuse_long(codes: list[str], length: int, column: str) -> None:
    long = sum(len(code) > length for code in codes)
    if long:
        facts = {"values concerned": long, "longest": max(map(len, codes))}
        remedy = (
            "give masks a greater length"
            if length < LONGEST
            else "masks are for short codes: use a file or flat"
        )
        raise DataError(
            f"column '{column}' holds codes of more than {length} characters", facts, remedy
        )
