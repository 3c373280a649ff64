"""Published: what a ledger keeps of a release. No value of a person is among it.

People are keyed hashes. Groups are rows that look alike in the release: their cells are published,
and so is how often each sensitive value stands in them; of the values, hashes are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Codes, Ints
from shoal.declare.columns import text_of, whole
from shoal.encode.axes import Axis
from shoal.encode.profile import without_nan
from shoal.errors import DataError, ShoalError
from shoal.groups import Groups

Hashing = Callable[[pa.Array], pa.Array]
"""Turns texts into keyed hashes of 16 bytes."""
HASH = pa.binary(16)
NO_PEOPLE: pa.Array = pa.array([], HASH)
COUNTED = pa.schema([("group", pa.int32()), ("value", HASH), ("count", pa.int32())])


@dataclass(frozen=True)
class PeopleOfRows:
    """The people of a table, each once by a keyed hash, and whose row each is."""

    hashes: pa.Array
    of: Ints

    @classmethod
    def of_texts(cls, texts: pa.Array, hashing: Hashing) -> PeopleOfRows:
        """Hash everybody once."""
        encoded = pc.dictionary_encode(texts)
        return cls(hashing(encoded.dictionary), np.asarray(encoded.indices, np.int32))


@dataclass(frozen=True)
class KeptGroups:
    """Groups that are published as they were, with people who are no longer in the table."""

    people: pa.Array
    group: Ints
    """The group of each person, counted from 0."""
    cells: pa.Table
    values: Mapping[str, pa.Table]


@dataclass(frozen=True)
class ComparedColumns:
    """Columns of a table as codes, one for each row, and those that are published as they are."""

    axes: tuple[Axis, ...]
    codes: Codes
    """[axes, rows]"""
    quasi: tuple[str, ...] = ()
    """Columns that the new release generalizes."""
    plain: tuple[str, ...] = ()
    """Columns that it shows as they are: sensitive and kept ones."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that have codes."""
        return tuple(axis.name for axis in self.axes)


@dataclass(frozen=True)
class Invented:
    """Rows of nobody: the group of each, and the sensitive value that it shows."""

    column: str
    labels: Ints
    values: pa.Array


@dataclass(frozen=True)
class PeoplePublished:
    """Rows of a table by the person they are about and the group that is published."""

    people: PeopleOfRows
    labels: Ints
    """The published group of each row, -1 where it is not published."""
    cells: pa.Table
    """What is published of each group on the quasi-identifiers."""
    sensitive: Mapping[str, pa.Array] = field(default_factory=dict)
    """Sensitive values of each row, as published."""
    waiting: pa.Array = field(default_factory=lambda: NO_PEOPLE)
    waited: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    kept: KeptGroups | None = None
    columns: ComparedColumns | None = None
    """Values of each row, for comparing alone: a ledger keeps none."""
    invented: Invented | None = None
    """Rows of nobody that groups show as well."""

    def values_of(self, name: str) -> tuple[pa.Array, Ints]:
        """Return the published values of a sensitive column, and the group of each."""
        there = np.flatnonzero(self.labels >= 0)
        values = text_of(self.sensitive[name].take(pa.array(there)))
        labels = self.labels[there]
        if self.invented is None or self.invented.column != name:
            return values, labels
        together = pa.concat_arrays([values, text_of(self.invented.values)])
        return together, np.concatenate([labels, self.invented.labels])


@dataclass(frozen=True)
class Published:
    """People of a release, each once, the groups they are in, and what groups show."""

    people: pa.Array
    group: Ints
    cells: pa.Table
    values: Mapping[str, pa.Table]
    """For each sensitive column, how often each value (hashed) stands in each group."""
    waiting: pa.Array = field(default_factory=lambda: NO_PEOPLE)
    """People who wait to be published."""
    waited: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    """For how many releases each of these has been waiting, this one included."""

    @property
    def fingerprint(self) -> str:
        """A hash of who is in which group."""
        order = pc.sort_indices(self.people)
        people = self.people.take(order)
        groups = self.group[np.asarray(order)].astype("<i4")
        return sha256(b"".join(people.to_pylist()) + groups.tobytes()).hexdigest()

    @property
    def waiting_mark(self) -> str | None:
        """A hash of who waits, and for how long; None where nobody does."""
        if not len(self.waiting):
            return None
        order = pc.sort_indices(self.waiting)
        waited = self.waited[np.asarray(order)].astype("<i4")
        return sha256(b"".join(self.waiting.take(order).to_pylist()) + waited.tobytes()).hexdigest()

    @classmethod
    def of(cls, members: PeoplePublished, hashing: Hashing) -> Published:
        """Collect what is kept of a release."""
        there = np.flatnonzero(members.labels >= 0)
        who = members.people.of[there]
        group = np.full(len(members.people.hashes), -1, np.int32)
        group[who] = members.labels[there]
        if (group[who] != members.labels[there]).any():
            raise ShoalError("a person stands in two groups", {"published": "nothing"})
        published = np.flatnonzero(group >= 0)
        values = {name: _counted(*members.values_of(name), hashing) for name in members.sensitive}
        people = members.people.hashes.take(pa.array(published))
        waits = {"waiting": members.waiting, "waited": members.waited}
        new = cls(people, group[published], members.cells, values, **waits)
        return new if members.kept is None else new._with(members.kept)

    def _with(self, kept: KeptGroups) -> Published:
        """Add groups that are published as they were."""
        behind = self.cells.num_rows
        return replace(
            self,
            people=pa.concat_arrays([self.people, kept.people]),
            group=np.concatenate([self.group, kept.group + behind]).astype(np.int32),
            cells=pa.concat_tables([self.cells, kept.cells.select(self.cells.column_names)]),
            values={
                name: pa.concat_tables([table, _moved(kept.values[name], behind)])
                for name, table in self.values.items()
            },
        )


def _moved(counts: pa.Table, behind: int) -> pa.Table:
    """Number groups behind others."""
    group = pc.add(counts["group"], pa.scalar(behind, pa.int32()))
    return counts.set_column(0, "group", group).cast(COUNTED)


def _counted(values: pa.Array, labels: Ints, hashing: Hashing) -> pa.Table:
    """Count values by group, sorted by group; missing ones are no values."""
    encoded = pc.dictionary_encode(values)
    codes = np.asarray(pc.fill_null(encoded.indices, -1), np.int64)
    size = max(len(encoded.dictionary), 1)
    there = codes >= 0
    pairs, count = np.unique(labels[there] * np.int64(size) + codes[there], return_counts=True)
    group, value = np.divmod(pairs, size)
    hashes = hashing(text_of(encoded.dictionary)) if len(encoded.dictionary) else NO_PEOPLE
    columns = [
        pa.array(group.astype(np.int32)),
        hashes.take(pa.array(value)),
        pa.array(count.astype(np.int32)),
    ]
    return pa.Table.from_arrays(columns, schema=COUNTED)


def looks_of(cells: Mapping[str, pa.Array], groups: Groups) -> tuple[Ints, pa.Table]:
    """Number groups by how they look: of each row, and the cells of each look."""
    table = pa.table(dict(cells))
    keyed = keys_of(table)
    encoded = pc.dictionary_encode(keyed)
    look = np.asarray(encoded.indices, np.int32)
    first = np.zeros(len(encoded.dictionary), np.int64)
    first[look[::-1]] = np.arange(len(look))[::-1]
    # A row that is not published has -1, which reads the last place.
    labels = np.append(look, np.int32(-1))[groups.labels]
    return labels, table.take(pa.array(first))


def keys_of(table: pa.Table) -> pa.Array:
    """Give rows of texts one text each, equal where all texts are."""
    columns = [pc.fill_null(text_of(whole(column)), "\x00") for column in table.columns]
    return pc.binary_join_element_wise(*columns, "\x1f")


def person_texts(table: pa.Table, name: str, words: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """Return whose row each is, as text; refuse rows that are nobody's."""
    texts = text_of(words(without_nan(whole(table[name]), name)))
    if texts.null_count:
        raise DataError(
            f"column '{name}' tells people apart, and is missing in {texts.null_count:,} rows",
            {"rows": len(texts), "published": "nothing"},
            "fill it in, or leave these rows out of the table: a ledger has to know who is who",
        )
    return texts
