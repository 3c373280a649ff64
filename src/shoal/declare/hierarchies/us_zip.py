"""`us-zip`: ZIP codes of the United States as HIPAA's Safe Harbor lets them be shown.

`10027` becomes `100**`, `1****` and `*`. Three digits may be shown where more than 20,000 people
live behind them. The other prefixes are written `000**`, all of them alike, and become `*` next:

    10027  ->  100**  ->  1****  ->  *
    03601  ->  000**  ->  000**  ->  *

Codes of nine digits (`10027-1234`) are cut to five first. A whole number is a code that lost its
leading zeros, and gets them back.

Rule: 45 CFR 164.514(b)(2)(i)(B). The seventeen prefixes below 20,001 people are those that the
guidance of the Department of Health and Human Services (26 November 2012) counts by the census of
2000. It asks for newer counts where there are any: `restricted=036-059-102` names other prefixes.

What three digits say of a person still depends on everything else in the row: this is the rule's
form of a code, and no promise by itself.

By hand: a group of 10027 and 10031 is published as `100**`, one of 10027 and 11201 as `1****`, one
of 10027 and 03601 as `*`.

When to use it: for ZIP codes of the United States under HIPAA's Safe Harbor.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pyarrow as pa

from shoal.arrays import Counts, Floats
from shoal.declare.coarseness import Measure
from shoal.declare.columns import Kind, text_of
from shoal.declare.hierarchies.hierarchy import Fitted, Hierarchy
from shoal.declare.hierarchies.tree import EVERYTHING
from shoal.errors import DataError, RecipeError

RESTRICTED = "036-059-063-102-203-556-692-790-821-823-830-831-878-879-884-890-893"
ZIP = re.compile(r"([0-9]{5})(?:-?[0-9]{4})?")
LEVELS = 3
FEW_PEOPLE = "000**"


@dataclass(frozen=True)
class UsZip(Hierarchy):
    """ZIP codes that show three digits where more than 20,000 people share them."""

    name = "us-zip"
    of_codes = True

    restricted: str = RESTRICTED

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[0-9]{3}(-[0-9]{3})*", self.restricted):
            raise RecipeError(
                "restricted of 'us-zip' must be prefixes of three digits",
                remedy="write restricted=036-059",
            )

    def fit(
        self, values: pa.Array, kind: Kind, column: str, counts: Counts | None = None
    ) -> Fitted:
        """Put each code under its prefixes; refuses what is no ZIP code."""
        texts = text_of(values).to_pylist()
        matched = [ZIP.fullmatch(text.zfill(5) if kind == "number" else text) for text in texts]
        odd = sum(each is None for each in matched)
        if odd:
            raise DataError(
                f"column '{column}' holds values that are no ZIP codes",
                {"values concerned": odd, "different values": len(texts)},
                "clean it, or use masks",
            )
        codes = [each[1] for each in matched if each is not None]
        paths = [(text, *self._above(code)) for text, code in zip(texts, codes, strict=True)]
        return Fitted.of_paths(paths)

    def public_shares(self, labels: Sequence[str]) -> tuple[Floats, Floats]:
        """Return the step of each label by height; nobody knows all codes."""
        shares = np.array([_level(label) / LEVELS for label in labels], np.float64)
        return shares, shares

    def coarseness(self, labels: Sequence[str], measure: Measure) -> list[Decimal | None]:
        """Measure labels by their shown digits, or by their level."""
        if measure == "shown":
            return [-Decimal(len(label.rstrip("*"))) for label in labels]
        if measure == "level":
            return [Decimal(_level(label)) for label in labels]
        return [None] * len(labels)

    def level_said(self, label: str) -> str:
        """Name the digits that a label shows."""
        if label == FEW_PEOPLE:
            return "an area of few people"
        return ("", "3 digits shown", "1 digit shown", "")[_level(label)]

    def _above(self, code: str) -> tuple[str, ...]:
        """List the nodes above a code of five digits."""
        if code[:3] in self.restricted.split("-"):
            return FEW_PEOPLE, FEW_PEOPLE, EVERYTHING
        return f"{code[:3]}**", f"{code[0]}****", EVERYTHING


def _level(label: str) -> int:
    """Count the steps from a code to this label."""
    if label == EVERYTHING:
        return LEVELS
    if label.endswith("****"):
        return 2
    return 1 if label.endswith("**") else 0
