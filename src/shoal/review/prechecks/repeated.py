"""Repeated: refuses tables in which several rows are about one person, before anyone says so.

Groups of k rows protect nobody whose rows fill a group. Where a column that says whose row it is
(`person_columns`) repeats in more than 1 % of the rows, the release is refused until its maker
names that column or says that each row is a person. What repeats less often, or only may say
whose row it is, is a warning.

| column | counts as one if | repeats in over 1 % |
|---|---|---|
| points at people, or at a file about one | 10 values, or one for 20 rows | refused |
| is called id, and nothing else | one value for 20 rows, and codes | refused |
| is declared an identifier, its name says nothing | one value for 5 rows, and ids | refused |
| other ids; a household, a telephone | one value for 20 rows, and codes | a warning |
| family name and birth date together | always | refused |

Codes are whole numbers, or texts with a digit and without blanks, dots and colons that are no
dates. Of whole numbers, ids are those that lie close together, or are all of one length: amounts
and measurements are not.

A column that points at people and never repeats shows that rows are people: then ids that point
elsewhere, and names, are at most warned about.

By hand: ids 1, 1, 1, 2, 3 are 5 rows about 3 people, 3 rows share a person, and a group of 3 rows
may hold one person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Counts
from shoal.declare.columns import is_text
from shoal.declare.understanding.missing import WORDS
from shoal.errors import PrivacyNotMet
from shoal.groups import Note
from shoal.review.kept_columns import listed
from shoal.review.person_columns import PersonColumns
from shoal.wording import COLUMN, Remedy, Sentence, Set

REPEATED = 0.01  # share of rows; above it, a table holds several rows about some people
ENOUGH = 10  # different values that point at people and not at kinds
POINTS_AT = 0.05  # or different values over rows
SURELY = 0.2  # different values over rows, where a name says nothing
LONG = 5  # digits of a number that is no count
NOBODY = pa.array(["", *sorted(WORDS)])
CODE = "^[0-9A-Za-z_/-]*[0-9][0-9A-Za-z_/-]*$"
WHOLE = "^-?(0|[1-9][0-9]{0,17})$"
DATE = "^[0-9]{1,4}[-/][0-9]{1,2}[-/][0-9]{1,4}$"

Shape = Literal["codes", "numbers", "words"]


@dataclass(frozen=True)
class Shaped:
    """The way in which the values of a column are written."""

    shape: Shape
    least: int = 0
    """Of numbers, the lowest."""
    largest: int = 0

    def are_ids(self, people: int) -> bool:
        """Tell whether so many different values are ids, whatever their column is called."""
        if self.shape != "numbers":
            return self.shape == "codes"
        dense = (
            5 * (self.largest - self.least) < 6 * people
        )  # numbers in a row, hardly one left out
        digits = len(str(self.least))
        return dense or (self.least > 0 and LONG <= digits == len(str(self.largest)))


@dataclass(frozen=True)
class Repeats:
    """Counts of values of some columns that repeat. Rows without a value are left out."""

    of: PersonColumns
    rows: int
    people: int
    """Different values."""
    repeated: int
    """Rows whose value another row has too."""
    most: int
    """Rows of the value that most rows have."""
    shaped: Shaped = Shaped("codes")

    @classmethod
    def counted(cls, of: PersonColumns, counts: Counts, shaped: Shaped) -> Self:
        """Sum up how many rows have each value."""
        several = counts[counts > 1]
        most = int(counts.max(initial=0))
        return cls(of, int(counts.sum()), len(counts), int(several.sum()), most, shaped)

    @property
    def points_at_people(self) -> bool:
        """Tell whether there are enough different values, written as ids are, to mean people."""
        if self.of.points_at == "named":
            return True
        many = self.people >= POINTS_AT * self.rows
        if self.of.points_at in ("person", "case"):
            return self.people > 1 and (many or self.people >= ENOUGH)
        if self.of.points_at == "unknown":
            return many and self.people >= ENOUGH and self.shaped.are_ids(self.people)
        return self.people > 1 and many and self.shaped.shape != "words"

    def everyone(self, rows: int) -> int:
        """Count the people of a table of this many rows; one without a value is somebody else."""
        return self.people + rows - self.rows

    def refused(self, rows: int) -> bool:
        """Tell whether a table of this many rows is refused until someone says what is meant."""
        kind = self.of.points_at
        meant = kind in ("person", "case", "named") or (kind == "id" and self.of.meant)
        surely = meant or (kind == "unknown" and self.people >= SURELY * self.rows)
        return surely and self.points_at_people and self.repeated > REPEATED * rows


def refuse_repeated(repeats: Sequence[Repeats], rows: int, k: int) -> tuple[Note, ...]:
    """Refuse a table in which people have several rows, or return warnings."""
    worst = worst_repeats(repeats, rows)
    if worst is not None:
        raise _refusal(worst, rows, k)
    doubted = _in_doubt(repeats, rows)
    return tuple(Note("repeated", _warning(each, rows)) for each in doubted)


def worst_repeats(repeats: Sequence[Repeats], rows: int) -> Repeats | None:
    """Choose the columns for which a table is refused; None where it is not."""
    refused = [each for each in _in_doubt(repeats, rows) if each.refused(rows)]
    return max(refused, key=_certainty) if refused else None


def _in_doubt(repeats: Sequence[Repeats], rows: int) -> list[Repeats]:
    """Choose the columns that may say that several rows are about one person."""
    doubted = [each for each in repeats if each.repeated and each.points_at_people]
    if any(each.of.points_at == "person" and each.people == each.rows == rows for each in repeats):
        return [each for each in doubted if each.of.points_at in ("person", "case")]
    return doubted


def _certainty(each: Repeats) -> tuple[int, int]:
    """Rank columns: those that surely point at people first, then those with fewer of them."""
    return ["unknown", "named", "id", "case", "person"].index(each.of.points_at), -each.people


def _refusal(worst: Repeats, rows: int, k: int) -> PrivacyNotMet:
    fewest = -(-k // worst.most)
    held = f"groups of {k:,} rows may hold {_people(fewest)}"
    if worst.of.points_at in ("person", "case"):
        problem = f"{rows:,} rows are about {_people(worst.everyone(rows))}: {held}"
    else:
        people = _people(worst.everyone(rows))
        problem = f"{_repeating(worst, rows)}: if these are {people}, {held}"
    share = f"{worst.repeated:,} ({100 * worst.repeated / rows:.0f} %)"
    facts = {
        "told by": listed(worst.of.columns),
        "rows that share a person": share,
        "most rows of one person": worst.most,
        "published": "nothing",
    }
    alone = Set("rows_are_persons", True, "say that each row is a person of their own")
    return PrivacyNotMet(problem, facts, Remedy(_counting(worst), alone))


def _counting(worst: Repeats) -> Sentence:
    """Say how people are counted instead of rows."""
    if len(worst.of.columns) == 1:
        return Sentence(Set("person", worst.of.columns[0], "count people, not rows"))
    number = "number the people in a column of their own and name it "
    return Sentence(number, Set("person", COLUMN))


def _people(count: int) -> str:
    return "1 person" if count == 1 else f"{count:,} people"


def _repeating(each: Repeats, rows: int) -> str:
    verb = "together repeat" if len(each.of.columns) > 1 else "repeats"
    return f"{listed(each.of.columns)} {verb} in {each.repeated:,} of {rows:,} rows"


def _warning(each: Repeats, rows: int) -> Sentence:
    said = f"{_repeating(each, rows)}; "
    if len(each.of.columns) > 1:
        return Sentence(said, "if these are people, groups may hold fewer of them than rows")
    person = Set("person", each.of.columns[0])
    return Sentence(said, "if it tells whose row it is, count people: ", person)


def repeats_of(of: PersonColumns, cells: Sequence[pa.Array]) -> Repeats:
    """Count how often the values of some columns of a table in memory repeat."""
    values = [without_blank(column) for column in cells]
    there = values[0].is_valid()
    for column in values[1:]:
        there = pc.and_(there, column.is_valid())
    encoded = [pc.dictionary_encode(column.filter(there)) for column in values]
    keys = np.zeros(len(encoded[0]), np.int64)
    for column in encoded:  # two columns of up to 2^31 rows fit, and a third is renumbered
        keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
        keys = keys * max(len(column.dictionary), 1) + np.asarray(column.indices, np.int64)
    counts = np.unique(keys, return_counts=True)[1].astype(np.int64)
    return Repeats.counted(of, counts, shape_of(encoded[0].dictionary))


def without_blank(column: pa.Array) -> pa.Array:
    """Take empty texts, words such as `unknown`, and numbers that are none for nobody's.

    Elsewhere words mean missing only when they are named. Here they would be a person of many rows.
    """
    if is_text(column.type):
        bare = pc.utf8_lower(pc.utf8_trim_whitespace(column))
        nobody = pc.is_in(bare, value_set=NOBODY)
        return pc.if_else(nobody, pa.scalar(None, column.type), column)
    if pa.types.is_floating(column.type):
        return pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    return column


def joined_shape(one: Shaped, other: Shaped) -> Shaped:
    """Tell how values are written of which two parts were looked at."""
    shapes = {one.shape, other.shape}
    if len(shapes) > 1:  # texts of which some are numbers and all are codes
        return Shaped("words") if "words" in shapes else Shaped("codes")
    return Shaped(one.shape, min(one.least, other.least), max(one.largest, other.largest))


def shape_of(values: pa.Array) -> Shaped:
    """Tell how the different values of a column are written."""
    if is_text(values.type) and pc.all(pc.match_substring_regex(values, WHOLE)).as_py():
        values = values.cast(pa.int64())  # as a reader that types columns would have them
    if is_text(values.type):
        codes = pc.all(pc.match_substring_regex(values, CODE)).as_py()
        dates = pc.any(pc.match_substring_regex(values, DATE)).as_py()
        return Shaped("codes" if codes and not dates else "words")
    whole = pa.types.is_integer(values.type)
    if pa.types.is_floating(values.type):
        whole = pc.all(pc.and_(pc.is_finite(values), pc.equal(values, pc.floor(values)))).as_py()
    if not whole or not len(values):
        return Shaped("words")
    ends = pc.min_max(values).as_py()
    return Shaped("numbers", int(ends["min"]), int(ends["max"]))
