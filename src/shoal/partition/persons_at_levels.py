"""Persons at levels: from which level of a column on all rows of a person look alike.

A person with the ages 33 and 38 has two values, one band of ten years, and again one of twenty. At
a node where rows of a person differ on some column, they would stand in two groups, so the person
is left out there, with all rows. Going up never parts a person again. So such a person has a code
of its own on the column: below that level a part that nobody else shares, from there on that of the
row that represents the person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Codes, Flags, Ints, Longs
from shoal.encode.rows import Distinct, PersonRows, Rows
from shoal.partition.levels_weighed import WeighedLevels


@dataclass(frozen=True)
class LevelUnits:
    """Units that are grouped under levels: rows, or persons, each with the number of its rows."""

    levels: tuple[WeighedLevels, ...]
    """The levels of each column, with codes for persons whose rows differ."""
    codes: Codes
    rows: Longs
    """How many rows each unit has."""
    whole_from: Codes | None = None
    """[column, unit]: the place of the first level at which its rows look alike; None for rows."""

    @classmethod
    def of(cls, rows: Rows, levels: Sequence[WeighedLevels]) -> LevelUnits:
        """Read the codes of rows, or of those that represent persons."""
        members = rows.members
        if members is None:
            return cls(tuple(levels), rows.codes, np.ones(rows.count, np.int64))
        whole_from = np.array(
            [
                _whole_from(each, members, rows.codes[column], column)
                for column, each in enumerate(levels)
            ]
        )
        columns = [_coded(*each) for each in zip(levels, rows.codes, whole_from, strict=True)]
        return cls(
            tuple(levels for levels, _ in columns),
            np.array([codes for _, codes in columns], np.int32),
            np.bincount(members.person, minlength=rows.count),
            whole_from,
        )

    @property
    def distinct(self) -> Distinct:
        """List every different combination of codes once."""
        return Distinct.of(self.codes, [each.part.shape[1] for each in self.levels])

    def counts(self) -> list[Longs]:
        """Count the rows of each code, column by column."""
        return [
            np.bincount(codes, self.rows, each.part.shape[1]).astype(np.int64)
            for codes, each in zip(self.codes, self.levels, strict=True)
        ]

    def parted(self, units: Ints, node: Longs) -> Flags:
        """Mark the units whose rows differ under a node."""
        if self.whole_from is None:
            return np.zeros(len(units), np.bool_)
        return np.asarray((self.whole_from[:, units] > node[:, None]).any(axis=0), np.bool_)


def _whole_from(levels: WeighedLevels, members: PersonRows, codes: Ints, column: int) -> Ints:
    """Count the levels at which rows of each person differ; they are the lowest ones."""
    beside = codes[members.person]
    own = members.codes[column]
    differing = np.zeros(len(codes), np.int32)
    for part in levels.part:
        different = np.flatnonzero(part[own] != part[beside])
        differing[np.unique(members.person[different])] += 1
    return differing


def _coded(levels: WeighedLevels, codes: Ints, whole_from: Ints) -> tuple[WeighedLevels, Ints]:
    """Give persons whose rows differ at some level codes of their own."""
    known = levels.part.shape[1]
    apart = whole_from > 0
    pairs, number = np.unique(
        np.array([codes[apart], whole_from[apart]]), axis=1, return_inverse=True
    )
    coded = codes.copy()
    coded[apart] = known + number.reshape(-1)
    places = np.arange(len(levels.part))[:, None]
    alone = levels.part.max(axis=1, keepdims=True) + 1 + np.arange(pairs.shape[1])
    parts = np.where(places < pairs[1], alone, levels.part[:, pairs[0]]).astype(np.int32)
    return replace(
        levels,
        part=np.concatenate([levels.part, parts], axis=1),
        share=np.concatenate([levels.share, levels.share[:, pairs[0]]], axis=1),
    ), coded
