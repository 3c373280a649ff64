"""m-invariance, literally: every way to give values to people, as published groups allow."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product


def posteriors(releases):
    """For each person and value, the share of all ways in which the person has that value.

    A release is a list of groups: (people, values as published, how many of them are nobody's).
    A way gives each person one value for good; in each group the people's values are among those
    published, and what is left over is nobody's.
    """
    people = sorted({person for groups in releases for of, _, _ in groups for person in of})
    values = sorted({value for groups in releases for _, of, _ in groups for value in of})
    votes = {person: Counter() for person in people}
    ways = 0
    for given in product(values, repeat=len(people)):
        way = dict(zip(people, given, strict=True))
        if all(_fits(way, *group) for groups in releases for group in groups):
            ways += 1
            for person, value in way.items():
                votes[person][value] += 1
    return {
        person: {value: Fraction(count, ways) for value, count in counted.items()}
        for person, counted in votes.items()
    }


def _fits(way, people, published, nobody):
    left = Counter(published)
    left.subtract(Counter(way[person] for person in people))
    return min(left.values()) >= 0 and sum(left.values()) == nobody
