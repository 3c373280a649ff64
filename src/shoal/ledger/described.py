"""Described: what the table of a new release tells about its people now, on published columns.

A ledger keeps no value of a person. Whoever compares a new release with earlier ones has the new
table at hand, and with it the values on every column that some release generalized or shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Ints
from shoal.ledger.past import Past
from shoal.ledger.published import ComparedColumns, PeoplePublished


@dataclass(frozen=True)
class Described:
    """Rows of people who are published, on columns that some release has."""

    columns: ComparedColumns
    of: Ints
    """Whose row each is, by the place among the people of the new release."""

    @classmethod
    def of_members(cls, members: PeoplePublished) -> Described | None:
        """Select the rows that are published; None where values are not at hand."""
        columns = members.columns
        if columns is None:
            return None
        there = np.flatnonzero(members.labels >= 0)
        published = np.zeros(len(members.people.hashes), np.bool_)
        published[members.people.of[there]] = True
        place = (np.cumsum(published) - 1).astype(np.int32)
        codes = np.ascontiguousarray(columns.codes[:, there])
        return cls(replace(columns, codes=codes), place[members.people.of[there]])


def all_quasi(past: Past, quasi: Iterable[str]) -> list[str]:
    """List the quasi-identifiers of a new release, and those that only earlier ones had."""
    names = dict.fromkeys(quasi)
    for release in past.releases:
        names |= dict.fromkeys(release.quasi)
    return list(names)
