"""Column: decide once what a column is, from all of its different values.

A text column without a word of the user is tried in this order; the first that all values allow is
taken: plain spellings (`spelled`), dates, numbers, ages, bands, codes. Everything else is text.

- Day and month, and the sign of decimals, are never guessed: where both orders fit and differ, the
  column is refused with both readings named. Between dots the day comes first in every country.
- Where most rows fit and some do not, the column stays text, and a note says how many.
- A word of the user (`text`, `code`, `number`, `date:day-first` ...) is obeyed or refused.

Decisions look at different values alone, and at a thousand of them before all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Counts
from shoal.declare.banded import BandCoding
from shoal.declare.columns import is_text, kind_of, text_of, whole
from shoal.declare.understanding import ages, bands, codes, dates, missing, numbers
from shoal.declare.understanding.reading import Reading, possible, trimmed
from shoal.declare.understanding.spelled import (
    DATES,
    FLOATS,
    WHOLE,
    Guess,
    TypeRule,
    may_be_thousands,
)
from shoal.errors import DataError, RecipeError, ShoalError
from shoal.wording import Remedy, Sentence, Set

HEAD = 1_000  # different values that are looked at before all of them
MOST = 0.5  # share of rows that must fit a reading before the others are worth a note
WORDS = (
    "text", "code", "number", "number:comma", "number:point", "date", "date:day-first",
    "date:month-first", "date:month", "date:quarter", "age",
)  # fmt: skip
"""What users may say that a column is."""
AS_TEXT = ("text", "code")
BANDED: dict[str, tuple[str, ...]] = {
    "number": (),
    bands.COMMA: (bands.COMMA,),
    bands.POINT: (bands.POINT,),
}
"""Words that bands fulfil, and the decimal sign that they name."""
ALREADY = {"number": ("number", "age"), "date": ("date",), "time": ("date",), "clock": ("date",)}
"""Words that a column of some kind fulfils already."""
MAY_BE = "whole numbers of few values; or codes?"
KINDS = {"number": "numbers", "date": "dates", "time": "times", "clock": "times of day"}


@dataclass(frozen=True)
class Understood:
    """A column that is understood: how its cells become values, and a line that says so."""

    name: str
    said: str
    reading: Reading | None = None
    """How texts become values; None where cells stay as they are."""
    as_text: bool = False
    """Whether cells of any type become texts."""
    words: tuple[str, ...] = ()
    """Words that mean missing."""
    proposed: tuple[str, ...] = ()
    """Words that often mean missing, where other cells would be dates or numbers without them."""
    notable: bool = False
    """Whether a run should say it."""
    problem: ShoalError | None = None
    """Why the column can't be used before somebody says what it is."""
    choices: tuple[str, ...] = ()
    """Words of which somebody has to say one before the column can be used."""
    coded: codes.Codes | None = None
    """The codes that its numbers look like."""
    came: BandCoding | None = None
    """Its bands and open ends, where it came with some."""
    kind: pa.DataType | None = None
    """The type of its values, so that parts of a table agree."""

    def values(self, cells: pa.Array) -> pa.Array:
        """Turn cells into values; those that mean missing are missing."""
        cells = missing.without(cells, self.words)
        if self.as_text:
            return text_of(cells)
        if self.reading is None:
            return cells
        encoded = pc.dictionary_encode(cells)
        texts = trimmed(text_of(encoded.dictionary))
        there = pc.not_equal(texts, "")
        read = self.reading.values(texts.filter(there)).cast(self.kind)
        place = pc.if_else(there, pc.subtract(pc.cumulative_sum(there.cast(pa.int64())), 1), None)
        return read.take(place.take(encoded.indices))

    def counted(self, cells: pa.Array, counts: Counts) -> tuple[pa.Array, Counts]:
        """Turn different cells and their rows into different values, ascending, and their rows.

        Several cells may be one value; those that mean missing are left out.
        """
        values = self.values(cells)
        both = pa.table({"value": values, "times": counts}).filter(pc.is_valid(values))
        added = both.group_by("value").aggregate([("times", "sum")]).sort_by("value")
        return whole(added["value"]), np.asarray(added["times_sum"], np.int64)

    @property
    def may_be_codes(self) -> bool:
        """Whether its whole numbers are so few that they could be codes."""
        return self.said == MAY_BE

    @property
    def changes(self) -> bool:
        """Whether cells become other values."""
        return self.reading is not None or self.as_text or bool(self.words)


def understand(
    values: pa.Array,
    counts: Counts,
    name: str,
    *,
    word: str | None = None,
    words: Sequence[str] = (),
) -> Understood:
    """Understand a column by its different values (none missing) and the rows of each.

    `word` is what the user says it is, `words` are those that mean missing.
    """
    named = tuple(words)
    kept = pc.is_valid(missing.without(values, words))
    if not pc.all(kept).as_py():
        counts = counts[np.asarray(kept, np.bool_)]
        values = values.filter(kept)
    else:
        named = ()  # none of them stands in this column
    if is_text(values.type):  # an empty text is a missing value in a column of numbers or dates
        there = pc.not_equal(values, "")
        counts = counts[np.asarray(there, np.bool_)]
        values = values.filter(there)
    column = _Column(values, counts, name, named)
    if word is not None:
        return column.as_said(word)
    return column.by_itself() if is_text(values.type) else column.typed()


@dataclass(frozen=True)
class _Column:
    """The different values of a column while it is looked at."""

    cells: pa.Array
    counts: Counts
    name: str
    words: tuple[str, ...]

    @property
    def texts(self) -> pa.Array:
        return trimmed(text_of(self.cells))

    def typed(self) -> Understood:
        """Understand a column that has a type already."""
        if pa.types.is_boolean(self.cells.type):
            return self._said("yes or no")
        kind = kind_of(self.cells.type, self.name)
        if dates.are_midnights(self.cells):
            return self._read(dates.MIDNIGHTS)
        if pa.types.is_integer(self.cells.type) and dates.are_compact(self.cells):
            return self._read(dates.COMPACT)
        if codes.may_be_codes(self.cells, self.name):
            return self._said(MAY_BE, notable=True)
        said = self._said(KINDS.get(kind, "text"))
        return replace(said, coded=codes.codes_in(self.cells, self.name))

    def by_itself(self) -> Understood:
        """Understand texts of which nothing was said."""
        texts = self.texts
        if not len(texts):
            return self._said("empty")
        plain = _plain(texts)
        if plain is PLAIN[FLOATS] and may_be_thousands(texts):
            return self._unclear(POINTS)
        if plain is PLAIN[WHOLE] and dates.are_compact(texts):
            return self._read(dates.COMPACT)
        if plain is not None:
            return self._read(plain)
        banded = bands.is_banded(texts)
        fitting, nearly = self._tried(_readings())
        if len(fitting) == 1 or (len(fitting) > 1 and _agree(fitting, texts)):
            return self._read(fitting[0])
        if fitting and fitting[0] is dates.ORDERED[0][0]:  # nobody writes month.day.year
            return self._read(fitting[0])
        if fitting:
            return self._unclear(fitting)
        if banded:
            return self._banded(bands.fitting_words(texts))
        if _all_match(texts, dates.TWO_DIGITS):
            return self._two_digits()
        coded = codes.codes_in(self.cells, self.name)
        if coded is not None:
            return self._said(coded.said)
        return self._nearly(*nearly) if nearly else self._said("text")

    def as_said(self, word: str) -> Understood:
        """Understand the column as the user says, or refuse."""
        if word in AS_TEXT:
            change = not is_text(self.cells.type)
            return Understood(self.name, f"{word}, as asked", None, change, self.words)
        kind = kind_of(self.cells.type, self.name)
        if not is_text(self.cells.type) and word.partition(":")[0] in ALREADY.get(kind, ()):
            if kind == "time":
                return self.typed()
            return self._said(KINDS[kind])
        readings = [one for one in _every_reading() if _asked(one.word, word)]
        fitting, nearly = self._tried(readings, all_of_them=True)
        if not fitting and word in BANDED and bands.is_banded(self.texts):
            return self._banded(BANDED[word] or bands.fitting_words(self.texts))
        if not fitting:
            return self._unfit(word, nearly[1] if nearly else 0)
        return self._read(fitting[0]) if _agree(fitting, self.texts) else self._unclear(fitting)

    def _tried(
        self, readings: Iterable[Reading], *, all_of_them: bool = False
    ) -> tuple[list[Reading], tuple[Reading, int] | None]:
        """Return the readings that all values allow, and the one that most rows do."""
        texts = self.texts
        head = texts.slice(0, HEAD)
        fitting = []
        nearly: tuple[Reading, int] | None = None
        for reading in readings if all_of_them else possible(readings, head):
            share = float(np.mean(reading.fits(head))) if len(head) else 0.0
            if share < MOST and not all_of_them:
                continue
            fits = reading.fits(texts)
            if fits.all():
                fitting.append(reading)
            rows = int(self.counts[fits].sum())
            enough = all_of_them or rows > MOST * self.counts.sum()
            if enough and (nearly is None or rows > nearly[1]):
                nearly = (reading, rows)
        return fitting, nearly

    def _banded(self, words: Sequence[str]) -> Understood:
        """Put bands in order; those that overlap are categories."""
        if len(words) > 1:
            return self._unclear([bands.READINGS[word] for word in words])
        reading = bands.READINGS[words[0]]
        came = bands.in_order(self.texts, self.name, words[0])
        if came is None:
            return self._said(bands.SAID, notable=True)
        said = {True: bands.SAID_RANGES, False: bands.SAID_OPEN}[bool(came.ends)]
        kind = reading.values(self.texts).type
        return Understood(
            self.name, said, reading, False, self.words, notable=True, kind=kind, came=came
        )

    def _read(self, reading: Reading) -> Understood:
        values = reading.values(self.texts)
        if dates.are_midnights(values):
            reading = dates.MIDNIGHTS
            values = reading.values(self.texts)
        kind = values.type
        notable = not reading.plain
        said = reading.said
        coded = codes.codes_in(values, self.name) if reading is PLAIN[WHOLE] else None
        if reading is PLAIN[WHOLE] and codes.may_be_codes(values.unique(), self.name):
            said = MAY_BE
            notable = True
        elif pa.types.is_integer(kind):
            said = reading.said_whole or said
        elif pa.types.is_timestamp(kind) and notable:
            said = f"{said}, with times"
        return Understood(
            self.name, said, reading, False, self.words, notable=notable, coded=coded, kind=kind
        )

    def _said(self, said: str, *, notable: bool = False) -> Understood:
        return Understood(self.name, said, words=self.words, notable=notable)

    def _nearly(self, reading: Reading, rows: int) -> Understood:
        """Stay with texts, and say how many rows speak against a reading."""
        all_rows = int(self.counts.sum())
        plain = PLAIN[FLOATS]
        if int(self.counts[plain.fits(self.texts)].sum()) >= rows:
            reading = plain
        left = all_rows - rows
        others = f"{left:,} do{'es' * (left == 1)}n't"
        said = f"text: {rows:,} of {all_rows:,} rows hold {reading.said}, {others}"
        proposed = missing.proposed(self.cells, self.counts)
        return Understood(self.name, said, None, False, self.words, proposed, notable=True)

    def _unclear(self, fitting: Sequence[Reading]) -> Understood:
        """Refuse to guess between readings that differ."""
        said = {reading.word: reading.said for reading in fitting}
        problem = DataError(
            f"column '{self.name}' can be read in two ways, and nothing tells which is meant",
            dict(said),
            Remedy(*(Set("read_as", {self.name: word}) for word in said)),
        )
        both = " or ".join(said.values())
        return Understood(
            self.name, f"unclear: {both}?", words=self.words, problem=problem, choices=tuple(said)
        )

    def _two_digits(self) -> Understood:
        problem = DataError(
            f"column '{self.name}' holds dates whose years have two digits",
            {"rows concerned": int(self.counts.sum())},
            Remedy("write years with four digits", Set("read_as", {self.name: "text"})),
        )
        said = "dates whose years have two digits: no century can be told"
        return Understood(self.name, said, words=self.words, problem=problem, choices=("text",))

    def _unfit(self, word: str, rows: int) -> Understood:
        """Refuse a word of the user that some rows contradict."""
        others = int(self.counts.sum()) - rows
        problem = DataError(
            f"column '{self.name}' can't be read as '{word}'",
            {"rows that can't": others, "rows": int(self.counts.sum())},
            Sentence(
                "mend these rows, name words that mean missing (",
                Set("na", ["unknown"]),
                "), or ",
                Set("read_as", {self.name: "text"}),
            ),
        )
        return Understood(self.name, f"not {word}", words=self.words, problem=problem)


def _plain(texts: pa.Array) -> Reading | None:
    """Return the plain spelling of all texts, as CSV files are read."""
    guess = Guess()
    guess.look(texts.slice(0, HEAD))
    guess.look(texts)
    return None if guess.rule is None else PLAIN[guess.rule]


def _spelling(rule: TypeRule, word: str, said: str) -> Reading:
    return Reading(word, said, rule.pattern, rule.valued, plain=True)


PLAIN = {
    WHOLE: _spelling(WHOLE, "number", "numbers"),
    FLOATS: _spelling(FLOATS, "number", "numbers"),
    DATES[0]: _spelling(DATES[0], "date", "dates"),
    DATES[1]: _spelling(DATES[1], "date", "times"),
    DATES[2]: _spelling(DATES[2], "date", "times"),
    DATES[3]: _spelling(DATES[3], "date", "times of day"),
}

COMMA, POINT = numbers.PAIRS[0]
POINTS = (replace(COMMA, said="numbers whose points part thousands"), POINT)
"""Readings of `1.234` in all rows."""


def _readings() -> list[Reading]:
    """List the readings that are tried without a word of the user."""
    both = [reading for pair in (*dates.ORDERED, *numbers.PAIRS) for reading in pair]
    return [*both, *dates.OTHERS, ages.AGES]


def _every_reading() -> list[Reading]:
    return [*PLAIN.values(), *_readings()]


def _asked(word: str, asked: str) -> bool:
    """Tell whether a reading is one that the user's word allows.

    >>> _asked("date:day-first", "date"), _asked("date", "date:day-first")
    (True, False)
    """
    return word == asked or word.partition(":")[0] == asked


def _agree(readings: Sequence[Reading], texts: pa.Array) -> bool:
    """Tell whether readings give the same values."""
    first, *others = (reading.values(texts) for reading in readings)
    return all(first.to_pylist() == other.to_pylist() for other in others)


def _all_match(texts: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(texts, f"^(?:{pattern})$")).as_py())


def refuse_unclear(columns: Iterable[Understood]) -> None:
    """Refuse columns that can't be used before somebody says what they are."""
    problems = [column.problem for column in columns if column.problem is not None]
    if problems:
        raise RecipeError.together(problems)
