"""Rows: the table as methods see it, codes on axes, and every different combination once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import AnyArray, Codes, Counts, Ints, Longs
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.encode.axes import Axis, axis_of
from shoal.encode.costs import costs_of
from shoal.encode.profile import Profile
from shoal.kernels.costs import Costs

Result = TypeVar("Result")


@dataclass(frozen=True)
class PersonRows:
    """All rows of persons each of whom is represented by one row."""

    codes: Codes
    person: Ints
    """Of each row: the number of the row that represents it."""


@dataclass(frozen=True)
class Rows:
    """The table as methods see it: axes and codes, sensitive columns as codes, and costs."""

    axes: tuple[Axis, ...]
    codes: Codes
    costs: Costs
    sensitive: tuple[Profile, ...] = ()
    loss: str = "height"
    person: Ints | None = None
    """The person of each row, numbered by their first row; None where every row is a person."""
    kept: Longs | None = None
    """A number for each combination of values that has to stay common; None where nothing has."""
    members: PersonRows | None = None
    """All rows of the persons that these rows represent; None where rows stand for themselves."""

    @property
    def count(self) -> int:
        """Count the rows."""
        return int(self.codes.shape[1])

    def some(self, rows: AnyArray) -> Rows:
        """Select some of the rows, as persons of their own."""
        sensitive = tuple(replace(column, codes=column.codes[rows]) for column in self.sensitive)
        return replace(
            self,
            codes=np.ascontiguousarray(self.codes[:, rows]),
            sensitive=sensitive,
            person=None,
            kept=None if self.kept is None else self.kept[rows],
            members=None,
        )

    def shard(self, rows: AnyArray) -> Rows:
        """Select some of the rows as a table that counts its own.

        Values, costs and persons stay those of the whole table.
        """
        some = self.some(rows)
        axes = tuple(
            replace(axis, counts=tallied(of, axis.size))
            for axis, of in zip(some.axes, some.codes, strict=True)
        )
        sensitive = tuple(
            replace(column, counts=tallied(column.codes, column.size)) for column in some.sensitive
        )
        person = None
        if self.person is not None:
            person = np.unique(self.person[rows], return_inverse=True)[1].astype(np.int32)
        return replace(some, axes=axes, sensitive=sensitive, person=person)

    @cached_property
    def distinct(self) -> Distinct:
        """List every different combination of codes once."""
        return Distinct.of(self.codes, [axis.size + 1 for axis in self.axes])

    def remembered(self, what: Hashable, work: Callable[[], Result]) -> Result:
        """Do work on these rows once, for all stages that need its outcome and leave it as it is.

        Rows with other codes or costs are other rows, and remember nothing of these.
        """
        if what not in self._memory:
            self._memory[what] = work()
        outcome: Result = self._memory[what]
        return outcome

    @cached_property
    def _memory(self) -> dict[Hashable, Any]:
        return {}


@dataclass(frozen=True)
class Distinct:
    """Different tuples of codes; the rows of tuple t are `order[starts[t]:starts[t + 1]]`.

    They ascend.
    """

    codes: Codes  # [axes, tuples]
    order: Ints
    starts: Longs

    @property
    def counts(self) -> Longs:
        """Count the rows of each tuple."""
        return np.diff(self.starts)

    @property
    def first(self) -> Ints:
        """Choose a row of each tuple: its first. Any, where rows were left out and none remains."""
        return self.order[np.minimum(self.starts[:-1], len(self.order) - 1)]

    @classmethod
    def of(cls, codes: Codes, sizes: Sequence[int]) -> Distinct:
        """List tuples in the order of their first row."""
        # By hashing: tuples are numbered by their first row.
        encoded = pc.dictionary_encode(pa.array(combined(codes, sizes)))
        numbers = np.asarray(encoded.indices, np.int64)
        rows = codes.shape[1]
        order = np.argsort(numbers * rows + np.arange(rows)).astype(np.int32)
        starts = np.concatenate(
            ([0], np.cumsum(np.bincount(numbers, minlength=len(encoded.dictionary))))
        ).astype(np.int64)
        return cls(np.ascontiguousarray(codes[:, order[starts[:-1]]]), order, starts)


def tallied(codes: Ints, size: int) -> Counts:
    """Count each code below `size`; missing, the code behind them, is left out."""
    return np.bincount(codes, minlength=size + 1)[:size].astype(np.int64)


def combined(codes: AnyArray, sizes: Sequence[int]) -> Longs:
    """Combine the codes of each row into one number, equal where all codes are.

    By mixed radix, renumbered before it would overflow.
    """
    keys = np.zeros(codes.shape[1], np.int64)
    ceiling = 1
    for column, size in zip(codes, sizes, strict=True):
        if ceiling * size >= 2**62:
            _, keys = np.unique(keys, return_inverse=True)
            ceiling = int(keys.max(initial=0)) + 1
        keys = keys * size + column
        ceiling *= size
    return keys


def kept_numbers(columns: Sequence[tuple[Ints, int]]) -> Longs | None:
    """Number combinations of kept values, given as codes with the number of codes of a column."""
    if not columns:
        return None
    return combined(np.array([codes for codes, _ in columns]), [size for _, size in columns])


def encode(
    quasi: Sequence[Profile],
    hierarchies: Mapping[str, Hierarchy | None],
    *,
    loss: str = "height",
    importance: Mapping[str, float] | None = None,
    sensitive: Sequence[Profile] = (),
) -> Rows:
    """Encode the profiles of the quasi-identifiers as axes, under a loss."""
    fitted = [axis_of(column, hierarchies.get(column.name)) for column in quasi]
    axes = tuple(axis for axis, _ in fitted)
    codes = np.array([codes for _, codes in fitted], np.int32)
    return Rows(axes, codes, costs_of(axes, loss, importance or {}), tuple(sensitive), loss)


def persons(column: Profile) -> Ints:
    """Number the person of each row by their first row; a row without one is its own person."""
    codes = column.codes.astype(np.int64)
    alone = column.codes == column.size
    codes[alone] = column.size + np.arange(int(np.count_nonzero(alone)))
    return np.asarray(pc.dictionary_encode(pa.array(codes)).indices, np.int32)
