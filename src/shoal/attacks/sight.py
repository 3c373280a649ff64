"""Sight: a release through the eyes of an attacker who knows something about some people.

For each person it holds the published groups whose cells fit what is known, and so how many rows
the person may be, and what those rows say of a sensitive column. Of more people than wanted, some
are drawn without replacement from a generator that always starts alike: figures repeat, and whoever
recounts them attacks the same people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Counts, Floats, Ints, Longs
from shoal.attacks.reading import PublishedBoxes, boxes_of, coded_together, lacking
from shoal.declare.columns import whole
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.encode.profile import profile
from shoal.encode.rows import Rows, combined, encode
from shoal.errors import DataError, RecipeError
from shoal.groups import Groups
from shoal.kernels.attacks import reach
from shoal.privacy.column import Column

PEOPLE = 10_000  # attacked at most: rates are then known to a hundredth
PAIRS = 50_000_000  # of people and groups that fit: more of them do not fit into memory
SEED = 20_070_415


@dataclass(frozen=True)
class Seen:
    """A release as anyone sees it: table, roles of columns, and hierarchies of its recipe."""

    table: pa.Table
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    hierarchies: Mapping[str, Hierarchy | None] | None = None
    kept: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        absent = lacking(self.table, self.quasi)
        absent += [
            name for name in (*self.sensitive, *self.kept) if name not in self.table.column_names
        ]
        if absent or (not self.quasi and self.table.num_columns):
            raise RecipeError(
                "the release has no column "
                f"{', '.join(map(repr, absent)) or 'that is a quasi-identifier'}"
            )


@dataclass(frozen=True)
class Sight:
    """People as codes, known and true, and the published groups that each may stand in."""

    seen: Seen
    rows: Rows
    boxes: PublishedBoxes
    picked: Longs  # rows of the table of people
    population: int
    known: Ints  # [people, axes]
    true: Ints
    starts: Longs  # person p fits into groups matched[starts[p]:starts[p + 1]]
    matched: Ints

    @classmethod
    def of(
        cls,
        seen: Seen,
        known: pa.Table,
        true: pa.Table | None = None,
        people: int = PEOPLE,
        encoded: Rows | None = None,
    ) -> Sight:
        """Match people with the groups of a release, as someone sees it who knows a table.

        Where what is `known` is inexact, `true` holds the same people as they are.

        An empty field of an inexact table is something that the attacker does not know. `encoded`
        saves work: what is known as rows on axes, where someone has them already.
        """
        rows, codes, truth = (
            (encoded, encoded.codes, encoded.codes) if encoded else _encoded(seen, known, true)
        )
        boxes = boxes_of(seen.table, rows.axes, seen.quasi)
        picked = drawn(known.num_rows, people)
        lo = np.ascontiguousarray(codes[:, picked].T)
        true_codes = np.ascontiguousarray(truth[:, picked].T)
        pairs = np.cumsum(reach.covering_count(boxes.first, boxes.last, lo, lo))
        fit = max(int(np.searchsorted(pairs, PAIRS, "right")), 1)
        picked = picked[:fit]
        lo = lo[:fit]
        true_codes = true_codes[:fit]
        starts = np.concatenate(([0], pairs[:fit])).astype(np.int64)
        matched = reach.covering(boxes.first, boxes.last, lo, lo, starts)
        if boxes.sets:
            person = np.repeat(np.arange(len(lo)), np.diff(starts))
            fits = boxes.hold(matched, lo[person])
            matched = matched[fits]
            counts = np.bincount(person[fits], minlength=len(lo))
            starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        return cls(seen, rows, boxes, picked, known.num_rows, lo, true_codes, starts, matched)

    def knowing(self, columns: Sequence[str], people: pa.Table) -> Sight:
        """Return the sight of someone who knows these published columns of people exactly.

        Groups are then rows with equal cells and equal values of the columns.
        """
        published, known, width = _numbered(self.seen.table, people, columns)
        labels = self.boxes.groups.labels.astype(np.int64) * width + published
        finer, of_rows = np.unique(labels, return_inverse=True)
        person = np.repeat(np.arange(self.count), np.diff(self.starts))
        wanted = self.matched.astype(np.int64) * width + known[self.picked][person]
        place = np.minimum(np.searchsorted(finer, wanted), len(finer) - 1)
        there = finer[place] == wanted
        fits = np.bincount(person[there], minlength=self.count)
        coarse = finer // width
        boxes = replace(
            self.boxes,
            groups=Groups(of_rows.reshape(-1).astype(np.int32), len(finer)),
            first=self.boxes.first[coarse],
            last=self.boxes.last[coarse],
            ends=self.boxes.ends[coarse],
        )
        return replace(
            self,
            boxes=boxes,
            starts=np.concatenate(([0], np.cumsum(fits))).astype(np.int64),
            matched=place[there].astype(np.int32),
        )

    @property
    def count(self) -> int:
        """The number of people attacked."""
        return len(self.picked)

    @property
    def sizes(self) -> Counts:
        """The number of rows of each group."""
        return self.boxes.groups.sizes

    @cached_property
    def candidates(self) -> Longs:
        """The number of published rows that each person may be."""
        return self.of_people(self.sizes).astype(np.int64)

    def of_people(self, of_groups: Counts) -> Floats:
        """Sum a figure of groups over those that each person fits into."""
        person = np.repeat(np.arange(self.count), np.diff(self.starts))
        return np.asarray(
            np.bincount(person, of_groups[self.matched], minlength=self.count), np.float64
        )

    def says(self, column: str, people: pa.Table, *others: Seen) -> Said:
        """Collect the sensitive values of the rows that fit each person.

        `people` holds the truth.

        Values are numbered over `others` too, so that what several releases say can be compared.
        """
        if others:
            return self._says(column, people, *others)
        known = self._told.get(column)
        if known is None or known[0] is not people:
            known = (people, self._says(column, people))
            self._told[column] = known
        return known[1]

    @cached_property
    def _told(self) -> dict[str, tuple[pa.Table, Said]]:
        """Keep what was collected of sensitive columns, and by whose truth it is scored."""
        return {}

    def _says(self, column: str, people: pa.Table, *others: Seen) -> Said:
        """Collect the sensitive values of the rows that fit each person."""
        columns = [release.table[column] for release in (self.seen, *others)]
        (published, *_, all_true), named = coded_together([*columns, people[column]])
        truth = all_true[self.picked]
        values = len(named)
        # People whose value is missing have nothing to lose.
        there = np.flatnonzero(truth < values)
        steps = np.diff(self.starts)
        starts = np.concatenate(([0], np.cumsum(steps[there]))).astype(np.int64)
        matched = self.matched[np.repeat(truth < values, steps)]
        totals = np.bincount(published, minlength=values + 1).astype(np.int64)
        votes = reach.Votes(starts, matched, *self._values(published, values))
        return Said(votes, truth[there], Column(column, named, totals))

    def _values(self, published: Ints, values: int) -> tuple[Longs, Ints, Counts]:
        """Count the values of each group: those of group g stand from place at[g] on."""
        there = published < values
        base = np.int64(max(values, 1))
        pairs, count = _tally(
            self.boxes.groups.labels[there] * base + published[there],
            self.boxes.groups.count * int(base),
        )
        group, value = np.divmod(pairs, base)
        at = np.searchsorted(group, np.arange(self.boxes.groups.count + 1)).astype(np.int64)
        return at, value.astype(np.int32), count.astype(np.int64)


def _numbered(
    published: pa.Table, people: pa.Table, columns: Sequence[str]
) -> tuple[Longs, Longs, int]:
    """Number combinations of columns alike in a release and in a table of people; count them."""
    pairs = [coded_together([published[name], people[name]])[0] for name in columns]
    codes = np.array([np.concatenate(pair) for pair in pairs], np.int64)
    keys = combined(codes, (codes.max(axis=1, initial=0) + 1).tolist())
    different, place = np.unique(keys, return_inverse=True)
    place = place.reshape(-1)
    return place[: published.num_rows], place[published.num_rows :], len(different)


def _tally(numbers: Longs, most: int) -> tuple[Longs, Counts]:
    """Count each different number below `most`, in ascending order.

    An array of all numbers is faster than sorting, where there is room for it.
    """
    if most > 4 * len(numbers):
        return np.unique(numbers, return_counts=True)
    times = np.bincount(numbers, minlength=most)
    different = np.flatnonzero(times)
    return different, times[different]


@dataclass(frozen=True)
class Said:
    """Values of one sensitive column among the rows that fit each person who has a value there."""

    votes: reach.Votes
    truth: Ints
    column: Column

    @property
    def whole(self) -> Counts:
        """The number of rows of each value in the whole release."""
        return self.column.totals[:-1]

    @cached_property
    def tally(self) -> Longs:
        """Counts of each person's matching rows, one column for each kind.

        The columns: rows, different values, rows of the most frequent value, values as frequent as
        that one, rows of the true value.
        """
        return reach.tally(self.votes, self.truth, len(self.whole))

    def guessed(self) -> Floats:
        """Compute the chance that the most frequent value among the rows that fit is right."""
        return _right(self.tally)

    def guessed_blindly(self, ruled_out: int = 0) -> Floats:
        """Compute the chance that the most frequent value of the whole release is right.

        The attacker knows of the `ruled_out` most frequent other values that they are wrong.
        """
        own = self.whole[self.truth]
        sorted_counts = np.sort(self.whole)
        upto = np.searchsorted(sorted_counts, own, "right")
        below = np.searchsorted(sorted_counts, own, "left")
        alike = upto - below
        above = len(self.whole) - upto
        return np.asarray(
            np.clip(ruled_out + 1 - above, 0, alike) / np.maximum(alike, 1), np.float64
        )

    def agreed_with(self, other: Said) -> Said:
        """Keep the values that another release allows too, for as many people as both tell of."""
        people = min(len(self.truth), len(other.truth))
        votes = reach.agreed(self.votes, other.votes, people, len(self.whole))
        return replace(self, votes=votes, truth=self.truth[:people])


def _right(tally: Longs) -> Floats:
    """Compute each person's chance of a right guess: ties at random, 0 for who fits nowhere."""
    right = (tally[:, 4] == tally[:, 2]) & (tally[:, 2] > 0)
    return np.asarray(right / np.maximum(tally[:, 3], 1), np.float64)


def drawn(rows: int, people: int) -> Longs:
    """Draw `people` of the rows, in ascending order; the draw depends on the numbers alone."""
    if rows <= people:
        return np.arange(rows)
    return np.sort(
        np.random.Generator(np.random.PCG64(SEED)).choice(rows, people, replace=False)
    ).astype(np.int64)


def _encoded(seen: Seen, known: pa.Table, true: pa.Table | None) -> tuple[Rows, Ints, Ints]:
    """Encode the known and the true table on the same axes."""
    names = _known_quasi(seen, known)
    columns = [_together(known[name], None if true is None else true[name], name) for name in names]
    rows = encode(
        [profile(column, name) for column, name in zip(columns, names, strict=True)],
        seen.hierarchies or {},
    )
    if true is None:
        return rows, rows.codes, rows.codes
    codes = rows.codes[:, : known.num_rows].copy()
    truth = rows.codes[:, known.num_rows :]
    unknown = np.array([np.asarray(pc.is_null(known[name])) for name in names])
    codes[unknown] = reach.UNKNOWN
    return rows, codes, truth


def _known_quasi(seen: Seen, known: pa.Table) -> list[str]:
    """List the quasi-identifiers that the attacker knows; refuse where there is none."""
    names = [name for name in seen.quasi if name in known.column_names]
    if not names:
        facts = {"quasi-identifiers": ", ".join(seen.quasi)}
        raise RecipeError(
            "what the attacker knows holds no quasi-identifier of the release",
            facts,
            "rename its columns",
        )
    return names


def _together(known: pa.ChunkedArray, true: pa.ChunkedArray | None, name: str) -> pa.Array:
    if true is None:
        return whole(known)
    try:
        return pa.concat_arrays(
            [pc.cast(known, true.type, safe=False).combine_chunks(), true.combine_chunks()]
        )
    except pa.ArrowInvalid:
        problem = (
            f"column '{name}' holds other kinds of values in the register than in the original"
        )
        raise DataError(problem, remedy="give both the same type") from None
