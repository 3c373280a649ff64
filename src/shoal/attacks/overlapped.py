"""Overlapped: the material of attacks on boxes that overlap.

*The attacker knows* the quasi-identifiers of everyone in the table and the method, and so about
whom each published row speaks: the neighbourhood that the method finds again, or else everybody
whom the row covers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shoal.arrays import Floats, Ints, Longs


@dataclass(frozen=True)
class Told:
    """The shares of one sensitive column that published rows tell, and the truth of each record."""

    shares: Floats  # [published rows, values]
    truth: Ints  # [records]; the number of values where it is missing


@dataclass(frozen=True)
class Overlapped:
    """Published rows and the records that each speaks about.

    Row i speaks about records members[starts[i]:starts[i + 1]].

    Records that the attacker can't tell apart may stand there as one unit.
    """

    starts: Longs
    members: Ints
    told: Mapping[str, Told]
    l: int
    own: Ints | None = None
    """The published row that was grown around each record, where the attacker can tell."""
    unit_of: Ints | None = None
    """The unit of each record; None where each is one."""
