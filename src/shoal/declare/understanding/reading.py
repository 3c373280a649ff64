"""Reading: one way to read the texts of a column as values, and the words for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Flags

DIGITS = frozenset(b"0123456789")


@dataclass(frozen=True)
class Reading:
    """Texts of one spelling, the word that asks for it, and how its texts become values.

    `values` gives a missing value for a text that has the spelling and no value (a 30th of
    February). It is a function of a module, so that a reading travels to workers.
    """

    word: str
    """What users type: `date:day-first`."""
    said: str
    """The reading in a line for people: `dates, written day.month.year`."""
    pattern: str
    """A regular expression for the whole text, without blanks around it."""
    values: Callable[[pa.Array], pa.Array]
    said_whole: str = ""
    """The line for people where all values are whole numbers, if that is another."""
    plain: bool = False
    """True for a spelling that needs no notice: ISO dates."""
    signs: str = ""
    """Characters of which each text of this spelling holds at least one, beside a digit; empty
    where a digit is enough."""

    @cached_property
    def bytes_of_signs(self) -> frozenset[int]:
        """Return the first byte of each sign."""
        return frozenset(sign.encode()[0] for sign in self.signs)

    def fits(self, texts: pa.Array) -> Flags:
        """Mark the texts, none of them missing, that have this spelling and a value."""
        spelled = np.asarray(pc.match_substring_regex(texts, f"^(?:{self.pattern})$"), np.bool_)
        fitting = np.zeros(len(texts), np.bool_)
        if spelled.any():
            values = self.values(texts.filter(pa.array(spelled)))
            fitting[spelled] = np.asarray(pc.is_valid(values), np.bool_)
        return fitting


def possible(readings: Iterable[Reading], texts: pa.Array) -> list[Reading]:
    """List the readings of which some of these texts, none of them missing, may have the spelling.

    Only bytes are looked at: to make a regular expression takes longer than to look at a short
    column, and there are forty.
    """
    joined = b"".join(texts.cast(pa.large_binary()).to_pylist())
    counts = np.bincount(np.frombuffer(joined, np.uint8), minlength=256)
    seen = frozenset(np.flatnonzero(counts).tolist())
    if seen.isdisjoint(DIGITS):
        return []
    return [one for one in readings if not one.signs or not seen.isdisjoint(one.bytes_of_signs)]


def trimmed(texts: pa.Array) -> pa.Array:
    """Take blanks off both ends of texts, those that do not break among them."""
    return pc.utf8_trim_whitespace(texts)


def parts_of(texts: pa.Array, pattern: str) -> dict[str, pa.Array]:
    """Cut texts into the named groups of a pattern; a text that does not fit has none."""
    cut = pc.extract_regex(texts, pattern)
    return {field.name: pc.struct_field(cut, [field.name]) for field in cut.type}
