"""Exposing: lists the people who are easiest to find, before and after, and what gives them away.

For the maker alone: it names rows of the table and shows their cells. What is told is kept nowhere.

    before    rows as they came in, counted on the quasi-identifiers
    after     rows as they are published, read off their cells; where a whole group shares one
              sensitive value, it is learnt without finding a row, so such groups stand first

Where rows have boxes of their own nobody knows what became of which row: there is no list of after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Flags, Longs
from shoal.declare.columns import whole
from shoal.flows.coded import settled
from shoal.flows.declared import declared, profiled
from shoal.recipe import Recipe
from shoal.review.exposed_rows import ExposedGroup, learnt, most_exposed, people_of
from shoal.review.recount import coded
from shoal.review.risks.exposure import Coded, Exposure
from shoal.review.sources import printed, unprinted
from shoal.studio.work.anonymizing import WITHHELD
from shoal.studio.work.inspecting import opened
from shoal.studio.work.previewing import spelled
from shoal.studio.work.telling import Tell

LISTED = 10  # groups of a list
NAMED = 5  # rows of a group that are named
Told = dict[str, Any]


def do(tell: Tell, table: str, recipe: Mapping[str, Any], folder: str) -> Told:
    """Return the lists of before and after; None in place of a list that can't be known."""
    tell("looking at the table")
    people = opened(table)
    asked = settled(Recipe.of(**recipe), people.column_names, lambda some: profiled(people, some))
    before = _original(people, asked)
    tell("comparing rows")
    after = None if asked.overlaps else _published(people, asked, Path(folder))
    return {
        "rows": people.num_rows,
        "persons": asked.person is not None,
        "alone": before.alone,
        "before": before.told(beside=after),
        "after": after and after.told(beside=before),
    }


def _original(people: pa.Table, asked: Recipe) -> SeenTable:
    """Look at all rows as they came in."""
    plan = asked.overlap_plan() if asked.overlaps else asked.plan()
    seen = unprinted(declared(people, plan)[0])
    return SeenTable(seen, np.arange(people.num_rows), people, asked.quasi, _persons(people, asked))


def _published(people: pa.Table, asked: Recipe, folder: Path) -> SeenTable:
    """Look at the rows that are in the release, as they are published."""
    texts = opened(str(folder / "after.arrow"))
    there = np.flatnonzero(~withheld(texts, opened(str(folder / "marks.arrow"))))
    published = texts.take(pa.array(there))
    seen = printed(published, asked.quasi, asked.sensitive)
    persons = _persons(people.take(pa.array(there)), asked)
    return SeenTable(seen, there, published, asked.quasi, persons, learnt(seen))


def _persons(people: pa.Table, asked: Recipe) -> Coded | None:
    """Return whose row each is, where a column says so."""
    return None if asked.person is None else coded(whole(people[asked.person]))


def withheld(texts: pa.Table, marks: pa.Table) -> Flags:
    """Flag the rows that were left out: every cell differs from what came in, and says so."""
    flags = np.ones(texts.num_rows, np.bool_)
    for name in texts.column_names:
        says_so = pc.fill_null(pc.equal(whole(texts[name]), WITHHELD), False)
        flags &= np.asarray(whole(marks[name]), np.bool_) & np.asarray(says_so, np.bool_)
    return flags


@dataclass(frozen=True)
class SeenTable:
    """A table as someone sees it: its groups, the input row of each of its rows, and its cells."""

    seen: Exposure
    rows: Longs
    table: pa.Table
    quasi: Sequence[str]
    who: Coded | None
    learnt: Mapping[str, Flags] = field(default_factory=dict)
    """The groups that share one value of each sensitive column; none is published before."""

    @cached_property
    def people(self) -> Longs:
        """Count the people of each group."""
        return people_of(self.seen.groups, self.who)

    @property
    def alone(self) -> int:
        """Count the rows whose group holds one person."""
        return int(self.seen.groups.sizes[self.people == 1].sum())

    def told(self, *, beside: SeenTable | None) -> list[Told]:
        """Tell of the groups that are easiest to find, and of the same rows in the other table."""
        first = np.any(list(self.learnt.values()), axis=0) if self.learnt else None
        exposed = most_exposed(self.seen, LISTED, who=self.who, first=first)
        return [self._told(one, beside) for one in exposed]

    def _told(self, group: ExposedGroup, beside: SeenTable | None) -> Told:
        own = np.flatnonzero(self.seen.groups.labels == group.label)
        rows = self.rows[own]
        return {
            "rows": (rows[:NAMED] + 1).tolist(),
            "of": len(rows),
            "people": group.people,
            "columns": list(group.columns),
            "cells": self.cells(own[0]),
            "learnt": [name for name, flags in self.learnt.items() if flags[group.label]],
            "beside": beside and beside.told_of(int(rows[0])),
        }

    def told_of(self, row: int) -> Told | None:
        """Tell of one input row, by its number from 0; None where it was left out."""
        own = int(np.searchsorted(self.rows, row))
        if own == len(self.rows) or self.rows[own] != row:
            return None
        people = int(self.people[self.seen.groups.labels[own]])
        return {"people": people, "cells": self.cells(own)}

    def cells(self, own: int) -> dict[str, str | None]:
        """Spell the quasi-identifiers of a row of this table."""
        one = self.table.slice(own, 1)
        return {name: spelled(one, name)[0] for name in self.quasi}
