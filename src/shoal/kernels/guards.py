"""Rules: privacy models as integers, so that kernels judge groups one by one as they build them.

A rule reads how often each value of a sensitive column occurs in a group. Missing is no value:
shares are taken among the rows that have one.

    DISTINCT    at least l different values
    BOUNDS      every share lies between a floor and a ceiling of its value
    RECURSIVE   the highest count is below c times the sum of the l-th highest and all lower ones
    ENTROPY     the entropy of the shares is at least log(l)
    EQUAL       the shares are at most t from those in the table, any two values being 1 apart
    ORDERED     the same, values being steps of one ladder
    RANGE       at least l different values, and the highest reaches as far as the lowest asks for

What can't be said in small integers is rounded to the strict side: a rule may refuse what its model
calls safe, and never the other way round. The models themselves have the last word on every group.

Counts are kept in a tally that knows which values it has seen, so judging costs as much as the
group has rows, however many values the column has (but ORDERED looks at all of them).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.arrays import Flags, Ints, Labels, Longs
from shoal.kernels.jit import compiled

DISTINCT, BOUNDS, RECURSIVE, ENTROPY, EQUAL, ORDERED, RANGE = range(7)
FEW = 15  # rows, n, for which the n-th power of n is an int64
NOTHING = np.zeros(0, np.int64)


class Rule(NamedTuple):
    """A privacy model's demand on one sensitive column.

    The meaning of the numbers is told by the function that judges the kind.
    """

    kind: int
    number: tuple[int, int, int]
    low: Longs = NOTHING
    high: Longs = NOTHING


class Rules(NamedTuple):
    """All rules, packed: the values of all columns are laid end to end.

    The last value of each column is *missing*.
    """

    kind: Longs  # [rules]
    number: Longs  # [rules, 3]
    first: Longs  # [rules]: first value of the column
    missing: Longs  # [rules]: its last one
    low: Longs
    low_at: Longs
    high: Longs
    high_at: Longs
    codes: Ints  # [columns, rows]: values
    width: int  # values of all columns


class Tally(NamedTuple):
    """Counts of each value in the group that is looked at."""

    held: Longs  # [values]
    seen: Longs  # [values]: the first `known[0]` are those that occur
    known: Longs  # how many values occur, and how many rows there are


class Members(NamedTuple):
    """The rows of each group, strung together; -1 ends a string."""

    head: Longs  # [groups]
    after: Longs  # [rows]


def packed(rules: Sequence[tuple[int, Rule]], columns: Sequence[tuple[Ints, int]]) -> Rules:
    """Pack rules, each with the number of its column, into arrays.

    Columns are codes, and how many values they have besides missing.
    """
    begins = np.cumsum([0] + [size + 1 for _, size in columns])
    codes = [codes + begin for (codes, _), begin in zip(columns, begins, strict=False)]
    low, low_at = _laid([rule.low for _, rule in rules])
    high, high_at = _laid([rule.high for _, rule in rules])
    return Rules(
        kind=np.array([rule.kind for _, rule in rules], np.int64),
        number=np.array([rule.number for _, rule in rules], np.int64).reshape(-1, 3),
        first=np.array([begins[column] for column, _ in rules], np.int64),
        missing=np.array([begins[column + 1] - 1 for column, _ in rules], np.int64),
        low=low,
        low_at=low_at,
        high=high,
        high_at=high_at,
        codes=np.array(codes, np.int32) if codes else np.zeros((0, 0), np.int32),
        width=int(begins[-1]),
    )


def _laid(parts: list[Longs]) -> tuple[Longs, Longs]:
    """Lay arrays end to end; return them and where each begins."""
    starts = np.cumsum([0] + [len(part) for part in parts])[:-1]
    return np.concatenate([NOTHING, *parts]), starts.astype(np.int64)


NO_RULES = packed([], [])


def of_some(rules: Rules, rows: Ints | Longs) -> Rules:
    """Select the rules for some rows, in this order."""
    return (
        rules._replace(codes=np.ascontiguousarray(rules.codes[:, rows]))
        if len(rules.kind)
        else rules
    )


@compiled
def members_of(labels: Labels, groups: int) -> Members:
    """String together the rows of each group, lowest first."""
    members = Members(np.full(groups, -1, np.int64), np.full(len(labels), -1, np.int64))
    for row in range(len(labels) - 1, -1, -1):
        if labels[row] >= 0:
            members.after[row] = members.head[labels[row]]
            members.head[labels[row]] = row
    return members


@compiled
def tally_of(rules: Rules) -> Tally:
    """Build a tally that has counted nobody."""
    return Tally(
        np.zeros(rules.width, np.int64), np.zeros(rules.width, np.int64), np.zeros(2, np.int64)
    )


@compiled
def add(rules: Rules, tally: Tally, row: int, times: int) -> None:
    """Count the values of one row `times` times."""
    if times == 0:
        return
    for column in range(len(rules.codes)):
        value = rules.codes[column, row]
        if tally.held[value] == 0:
            tally.seen[tally.known[0]] = value
            tally.known[0] += 1
        tally.held[value] += times
    tally.known[1] += times


@compiled
def add_group(rules: Rules, tally: Tally, members: Members, group: int) -> None:
    """Count all rows of a group."""
    row = members.head[group]
    while row >= 0:
        add(rules, tally, row, 1)
        row = members.after[row]


@compiled
def take_back(rules: Rules, tally: Tally, members: Members, group: int, seen: int) -> None:
    """Take back the rows of a group that was counted last.

    `seen` is how many values the tally had seen before.
    """
    row = members.head[group]
    while row >= 0:
        change(rules, tally, row, -1)
        row = members.after[row]
    tally.known[0] = seen


@compiled
def change(rules: Rules, tally: Tally, row: int, by: int) -> None:
    """Count a row whose values have been seen `by` times more, or less."""
    for column in range(len(rules.codes)):
        tally.held[rules.codes[column, row]] += by
    tally.known[1] += by


@compiled
def clear(tally: Tally) -> None:
    """Set all counts of a tally to 0."""
    for s in range(tally.known[0]):
        tally.held[tally.seen[s]] = 0
    tally.known[:] = 0


@compiled
def follows_all(rules: Rules, tally: Tally) -> bool:
    """Tell whether the counted rows follow every rule."""
    safe = True
    for rule in range(len(rules.kind)):
        safe = safe and follows(rules, rule, tally)
    return safe


@compiled
def judged(rules: Rules, tally: Tally) -> bool:
    """Tell whether the counted rows follow every rule, and clear the tally."""
    safe = follows_all(rules, tally)
    clear(tally)
    return safe


@compiled
def verdicts(rules: Rules, members: Members) -> Flags:
    """Tell for each group whether it follows every rule."""
    tally = tally_of(rules)
    safe = np.ones(len(members.head), np.bool_)
    for group in range(len(members.head) if len(rules.kind) else 0):
        add_group(rules, tally, members, group)
        safe[group] = judged(rules, tally)
    return safe


@compiled
def follows(rules: Rules, rule: int, tally: Tally) -> bool:
    """Tell whether the counted rows follow one rule."""
    kind = rules.kind[rule]
    if kind == DISTINCT:
        return different(rules, rule, tally) >= rules.number[rule, 0]
    if kind == BOUNDS:
        return is_within_bounds(rules, rule, tally)
    if kind == RECURSIVE:
        return has_a_tail(rules, rule, tally)
    if kind == ENTROPY:
        return is_uncertain(rules, rule, tally)
    if kind == RANGE:
        return is_wide(rules, rule, tally)
    return is_close(rules, rule, tally)


@compiled
def occurs(rules: Rules, rule: int, tally: Tally, value: int) -> bool:
    """Tell whether a value belongs to the rule's column, is not missing, and is held by somebody.

    A value that the tally has seen may have been taken back.
    """
    return rules.first[rule] <= value < rules.missing[rule] and tally.held[value] > 0


@compiled
def different(rules: Rules, rule: int, tally: Tally) -> int:
    """Count the different values of the rule's column that occur."""
    count = 0
    for s in range(tally.known[0]):
        count += occurs(rules, rule, tally, tally.seen[s])
    return count


@compiled
def is_within_bounds(rules: Rules, rule: int, tally: Tally) -> bool:
    """Judge BOUNDS: every share lies between a floor and a ceiling of its value.

    number = scale, how many values must occur, whether nobody is fine; low and high = bounds times
    scale.
    """
    first = rules.first[rule]
    low = rules.low_at[rule]
    high = rules.high_at[rule]
    rows = tally.known[1] - tally.held[rules.missing[rule]]
    needed = rules.number[rule, 1]
    if rows == 0:
        return rules.number[rule, 2] == 1
    for s in range(tally.known[0]):
        value = tally.seen[s]
        if occurs(rules, rule, tally, value):
            share = tally.held[value] * rules.number[rule, 0]
            at = value - first
            if share < rules.low[low + at] * rows or share > rules.high[high + at] * rows:
                return False
            needed -= 1
    return needed <= 0


@compiled
def has_a_tail(rules: Rules, rule: int, tally: Tally) -> bool:
    """Judge RECURSIVE: the highest count is below c times the sum from the l-th highest on.

    number = l, and c as a fraction.
    """
    counts = np.empty(tally.known[0], np.int64)
    count = 0
    for s in range(tally.known[0]):
        if occurs(rules, rule, tally, tally.seen[s]):
            counts[count] = -tally.held[tally.seen[s]]
            count += 1
    if count == 0 or count < rules.number[rule, 0]:
        return False
    falling = -np.sort(counts[:count])
    tail = np.sum(falling[rules.number[rule, 0] - 1 :])
    return falling[0] * rules.number[rule, 2] < rules.number[rule, 1] * tail


@compiled
def is_uncertain(rules: Rules, rule: int, tally: Tally) -> bool:
    """Judge ENTROPY: the entropy of the shares is at least log(l).

    number = l or 0 if it is no integer, and its logarithm; low = n times the logarithm of each n,
    all within 1.
    """
    at = rules.low_at[rule]
    rows = 0
    spread = 0
    values = 0
    for s in range(tally.known[0]):
        if occurs(rules, rule, tally, tally.seen[s]):
            count = tally.held[tally.seen[s]]
            rows = rows + count
            spread = spread + rules.low[at + count]
            values = values + 1
    over = rules.low[at + rows] - spread - rows * rules.number[rule, 1]
    unsure = 1 + values + rows
    if abs(over) > unsure or rows == 0:
        return over > unsure
    return (
        rules.number[rule, 0] > 0 and rows <= FEW and is_uncertain_exactly(rules, rule, tally, rows)
    )


@compiled
def is_uncertain_exactly(rules: Rules, rule: int, tally: Tally, rows: int) -> bool:
    """Compare n^n with l^n times the product of all c^c, in integers.

    They are known to be nearly equal, so both are below 2^63.
    """
    left = 1
    right = 1
    for _ in range(rows):
        left = left * rows
        right = right * rules.number[rule, 0]
    for s in range(tally.known[0]):
        if occurs(rules, rule, tally, tally.seen[s]):
            for _ in range(tally.held[tally.seen[s]]):
                right *= tally.held[tally.seen[s]]
    return left >= right


@compiled
def is_wide(rules: Rules, rule: int, tally: Tally) -> bool:
    """Judge RANGE: at least l values, and the highest reaches as far as the lowest asks for.

    number = l; low = for each value, how far a group whose lowest it is has to reach along the
    values.
    """
    lowest = rules.missing[rule]
    highest = rules.first[rule]
    for s in range(tally.known[0]):
        if occurs(rules, rule, tally, tally.seen[s]):
            lowest = min(lowest, tally.seen[s])
            highest = max(highest, tally.seen[s])
    if lowest == rules.missing[rule] or different(rules, rule, tally) < rules.number[rule, 0]:
        return False
    return highest - rules.first[rule] >= rules.low[rules.low_at[rule] + lowest - rules.first[rule]]


@compiled
def is_close(rules: Rules, rule: int, tally: Tally) -> bool:
    """Judge EQUAL and ORDERED: the shares are at most t from those in the table.

    number = steps of the ladder, and t as a fraction; low = how often each value occurs in the
    table.
    """
    first = rules.first[rule]
    missing = rules.missing[rule]
    at = rules.low_at[rule]
    everyone = np.sum(rules.low[at : at + missing - first])
    unknown = rules.low[at + missing - first]
    table = everyone + rules.low[at + missing - first]
    rows = tally.known[1] - tally.held[missing]
    above = rules.number[rule, 1]
    below = rules.number[rule, 2]
    astray = abs(tally.held[missing] * table - unknown * tally.known[1])
    if rows == 0 or astray * below > above * tally.known[1] * table:
        return False
    moved = 0
    surplus = 0
    if rules.kind[rule] == EQUAL:
        for s in range(tally.known[0]):
            value = tally.seen[s]
            if occurs(rules, rule, tally, value):
                moved += max(tally.held[value] * everyone - rules.low[at + value - first] * rows, 0)
    else:
        for value in range(first, missing):
            if rules.low[at + value - first] > 0:
                surplus += tally.held[value] * everyone - rules.low[at + value - first] * rows
                moved += abs(surplus)
    return moved * below <= above * rows * everyone * rules.number[rule, 0]
