"""Privacy models read literally: groups are lists of sensitive values, None is missing, everything
is a fraction.

Each function says whether one group keeps the promise, given the group and all published rows
together.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations

DIGITS = 80


def shares(rows):
    """The share of each value among the rows that have one."""
    there = [row for row in rows if row is not None]
    return {value: Fraction(count, len(there)) for value, count in Counter(there).items()}


def exact(parameter):
    return Fraction(str(parameter))


def ln(fraction):
    with localcontext() as context:
        context.prec = DIGITS
        return (Decimal(fraction.numerator) / Decimal(fraction.denominator)).ln()


def as_decimal(fraction):
    with localcontext() as context:
        context.prec = DIGITS
        return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def k_anonymity(group, table, k):
    return len(group) >= k


def l_diversity(group, table, l):
    return len(shares(group)) >= l


def m_invariance(group, table, m):
    counts = Counter(group)
    return None not in counts and len(counts) >= m and len(set(counts.values())) <= 1


def p_sensitive(group, table, p):
    return len(shares(group)) >= p


def entropy_l_diversity(group, table, l):
    counts = Counter(row for row in group if row is not None)
    if not counts:
        return exact(l) == 1
    rows = sum(counts.values())
    wanted = exact(l)
    product = Fraction(1)
    for count in counts.values():
        product *= Fraction(count) ** count
    return Fraction(rows) ** rows >= wanted**rows * product


def recursive_l_diversity(group, table, c, l):
    falling = sorted(Counter(row for row in group if row is not None).values(), reverse=True)
    return (falling[0] if falling else 0) < exact(c) * sum(falling[l - 1 :])


def frequency_l_diversity(group, table, l):
    return max(shares(group).values(), default=Fraction(1)) <= 1 / exact(l)


def alpha_k(group, table, alpha, values=()):
    found = shares(group)
    if not found:
        return alpha == 1
    guarded = values or found
    return all(found.get(value, 0) <= exact(alpha) for value in guarded)


def t_closeness(group, table, t, distance="equal", tree=None):
    gone = abs(Fraction(group.count(None), len(group)) - Fraction(table.count(None), len(table)))
    inside = shares(group)
    outside = shares(table)
    if not inside:
        return exact(t) >= 1
    far = {"equal": equal, "ordered": ordered, "hierarchical": hierarchical}[distance](
        inside, outside, tree
    )
    return far <= exact(t) and gone <= exact(t)


def equal(inside, outside, tree=None):
    return 1 - sum(min(inside.get(value, 0), share) for value, share in outside.items())


def ordered(inside, outside, tree=None):
    """Carry mass from the lowest value upward, each piece to the lowest place that still lacks
    some.
    """
    ladder = sorted(outside)
    have = [[place, inside.get(value, Fraction(0))] for place, value in enumerate(ladder)]
    want = [[place, outside[value]] for place, value in enumerate(ladder)]
    cost = Fraction(0)
    while have and want:
        piece = min(have[0][1], want[0][1])
        cost += piece * abs(have[0][0] - want[0][0])
        have[0][1] -= piece
        want[0][1] -= piece
        have = have[have[0][1] == 0 :]
        want = want[want[0][1] == 0 :]
    return cost / max(len(ladder) - 1, 1)


def hierarchical(inside, outside, tree):
    """Over every edge goes what its lower end has too much; an edge is half as long as the heights
    of its ends differ.
    """

    def height(node):
        return 0 if isinstance(node, str) else 1 + max(map(height, node))

    def leaves(node):
        return (
            [node] if isinstance(node, str) else [leaf for child in node for leaf in leaves(child)]
        )

    def over(node):
        if isinstance(node, str):
            return Fraction(0)
        total = Fraction(0)
        for child in node:
            surplus = sum(inside.get(leaf, 0) - outside.get(leaf, 0) for leaf in leaves(child))
            total += abs(surplus) * (height(node) - height(child)) + over(child)
        return total

    return over(tree) / 2 / height(tree)


def beta_likeness(group, table, beta, form="basic"):
    inside = shares(group)
    outside = shares(table)
    for value, share in inside.items():
        gain = (share - outside[value]) / outside[value]
        if share > outside[value] and gain > exact(beta):
            return False
        if share > outside[value] and form == "enhanced" and as_decimal(gain) > -ln(outside[value]):
            return False
    return True


def delta_disclosure(group, table, delta, absent="violation"):
    inside = shares(group)
    outside = shares(table)
    if not inside:
        return False
    if absent == "violation" and set(inside) != set(outside):
        return False
    return all(
        abs(ln(share / outside[value])) < as_decimal(exact(delta))
        for value, share in inside.items()
    )


def k_e(group, table, e, k=None):
    numbers = {exact(row) for row in group if row is not None}
    return len(numbers) >= (k or 1) and bool(numbers) and max(numbers) - min(numbers) >= exact(e)


def k_map(rows, people, k):
    return people >= k and people >= rows


def delta_presence(rows, people, low, high):
    return people >= rows and exact(low) <= Fraction(rows, people) <= exact(high)


def lkc(rows, l, c, k=1):
    """Of the whole release: rows are pairs of published quasi-identifiers and a sensitive value."""
    width = len(rows[0][0])
    for known in combinations(range(width), min(l, width)):
        alike = {}
        for cells, value in rows:
            alike.setdefault(tuple(cells[i] for i in known), []).append(value)
        for values in alike.values():
            sure = max(shares(values).values(), default=Fraction(1))
            if len(values) < (k or 1) or sure > exact(c):
                return False
    return True
