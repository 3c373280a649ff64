"""Covering, matches and links by their definitions, over all perfect matchings.

A record is a tuple of codes, a row a list of (low, high) for each code. A matching is a tuple: the
row of each record.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations


def covers(row, record):
    return all(low <= code <= high for code, (low, high) in zip(record, row, strict=True))


def covered(records, rows):
    """How many records each row covers."""
    return [sum(covers(row, record) for record in records) for row in rows]


def covering(records, rows):
    """How many rows cover each record."""
    return [sum(covers(row, record) for row in rows) for record in records]


def matchings(records, rows):
    """Every way to give all records rows that cover them, no row twice."""
    return [
        given
        for given in permutations(range(len(rows)), len(records))
        if all(covers(rows[row], record) for row, record in zip(given, records, strict=True))
    ]


def matches(records, rows):
    """How many rows each record has in some matching."""
    found = matchings(records, rows)
    return [len({given[record] for given in found}) for record in range(len(records))]


def links(records, rows):
    """links[record][row]: in how large a share of all matchings the record has the row."""
    found = matchings(records, rows)
    return [
        [
            Fraction(sum(given[record] == row for given in found), len(found))
            for row in range(len(rows))
        ]
        for record in range(len(records))
    ]
