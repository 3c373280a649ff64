"""People: whose row it is, where rows lie elsewhere and a person may have several.

The column that tells people apart may have as many values as there are rows, so nobody counts
them: each is hashed to two codes, which travel behind all other codes of a row. -1 and -1 stand for
a row without a value, which is a person of its own.

    all rows of a person meet by these codes, and the row with the lowest codes represents them
    shards are cut by the rows that represent people, and a row goes where its person goes
    inside a shard, people are numbered by their first row, as in a table in memory

What a release can't show is counted here before it leaves: no person stands in two groups, and each
group holds k people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import AnyArray, Codes, Ints, Longs
from shoal.declare.columns import text_of
from shoal.declare.understanding.missing import without, words_for
from shoal.encode.hashed import as_codes, from_codes, hashed
from shoal.encode.profile import without_nan
from shoal.errors import PrivacyNotMet, RecipeError, ShoalError
from shoal.groups import Groups
from shoal.recipe import Recipe
from shoal.review.kept_columns import KeptTally
from shoal.review.prechecks.kept import leak_of, refusal
from shoal.wording import Remedy, Set

WIDTH = 2  # codes of a person
NOBODY = -1
AS_THEY_ARE = (None, "text", "code")  # readings under which cells are compared as they are


@dataclass(frozen=True)
class PersonCoding:
    """Turns the column that says whose row it is into codes. It is plain data, and travels."""

    name: str
    words: tuple[str, ...] = ()
    """Words that mean a missing value."""

    @classmethod
    def of(cls, recipe: Recipe) -> PersonCoding | None:
        """Code the column that a recipe names; None where it names none."""
        if recipe.person is None:
            return None
        if recipe.read_as.get(recipe.person) not in AS_THEY_ARE:
            raise RecipeError(
                f"column '{recipe.person}' tells people apart, and is compared as it is written",
                remedy=Remedy(Set("read_as", {recipe.person: "text"})),
            )
        asked = recipe.columns_asked
        words = words_for(recipe.person, recipe.na, (*asked.free, *asked.others))
        return cls(recipe.person, words)

    def code(self, column: pa.Array) -> Codes:
        """Encode some rows: [half, row]."""
        cells = without(without_nan(column, self.name), self.words)
        encoded = pc.dictionary_encode(cells)
        codes = as_codes(hashed(text_of(encoded.dictionary)))
        codes = np.append(codes, [[NOBODY]] * WIDTH, axis=1).astype(np.int32)
        return codes[:, np.asarray(pc.fill_null(encoded.indices, -1))]


def persons_of(codes: Codes) -> Ints:
    """Number the person of each row by their first row; a row without one is its own person."""
    numbers = from_codes(np.maximum(codes, 0)).astype(np.int64)
    alone = np.flatnonzero(codes[0] == NOBODY)
    numbers[alone] = 2**62 + np.arange(len(alone))
    return np.asarray(pc.dictionary_encode(pa.array(numbers)).indices, np.int32)


def represented_by(person: Ints, codes: Codes) -> Longs:
    """Find for each row the row that represents its person: the one with the lowest codes.

    Codes are those on the axes and on the sensitive columns. Of equal rows the first is taken.
    """
    order = np.lexsort((*codes[::-1], person))
    sorted_people = person[order]
    first = np.flatnonzero(np.diff(sorted_people, prepend=-1))
    rows = np.empty(int(person.max(initial=-1)) + 1, np.int64)
    rows[sorted_people[first]] = order[first]
    return rows[person]


@dataclass(frozen=True)
class PublishedPeople:
    """The people of a divided part of a table, and how many hold each kept combination."""

    count: int
    """All people, those left out among them."""
    published: int
    kept: KeptTally

    @classmethod
    def of(
        cls, person: Ints, groups: Groups, kept: Sequence[tuple[str, Ints]], k: int
    ) -> PublishedPeople:
        """Count people; refuse groups that part a person, or hold fewer than k people."""
        refuse_parted(person, groups, k)
        there = groups.labels >= 0
        tally = KeptTally.of(
            [name for name, _ in kept], [codes[there] for _, codes in kept], person[there]
        )
        return cls(int(person.max(initial=-1)) + 1, people_published(person, groups), tally)

    @staticmethod
    def refuse_together(parts: Sequence[PublishedPeople], people: int, k: int) -> None:
        """Refuse people in several parts, and kept values that fewer than k people hold."""
        counted = sum(part.count for part in parts)
        if counted != people:
            raise _parted(abs(counted - people))
        rare = KeptTally.together([part.kept for part in parts]).too_rare(k)
        if rare is not None:
            raise refusal([leak_of(rare)])


def people_published(person: Ints, groups: Groups) -> int:
    """Count the people of whom a row is published."""
    return len(np.unique(person[groups.labels >= 0]))


def refuse_parted(person: Ints, groups: Groups, k: int) -> None:
    """Refuse groups that do not hold all rows of a person, or fewer than k people.

    Counted from labels alone: a release does not tell whose its rows are, so its gate can't.
    """
    pairs = _pairs(person, groups.labels)
    parted = len(pairs) - int(person.max(initial=-1)) - 1
    if parted:
        raise _parted(parted)
    labels = pairs % (groups.count + 1)
    held = np.bincount(labels, minlength=groups.count + 1)[: groups.count]
    few = int(np.count_nonzero(held < k))
    if few:
        facts = {"k": k, "published": "nothing"}
        raise PrivacyNotMet(
            f"{few:,} of {groups.count:,} groups hold fewer than {k:,} people", facts
        )


def _pairs(person: Ints, labels: AnyArray) -> Longs:
    """List the different pairs of a person and a group; a withheld row stands behind all groups."""
    count = int(labels.max(initial=-1)) + 1
    at = np.where(labels < 0, count, labels).astype(np.int64)
    return np.unique(person.astype(np.int64) * (count + 1) + at)


def _parted(people: int) -> ShoalError:
    return ShoalError(f"{people:,} people stand in more than one group", {"published": "nothing"})
