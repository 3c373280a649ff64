"""How far the k-th row stands from each row, and prices that windows of one column can pay."""

from __future__ import annotations

from naive.costs import UNIT, Costs


def kth_distances(columns, k):
    """For each row, the cost of the pair of it and the k-th row around it, itself the first; that
    of everything where there are fewer rows.
    """
    cost = Costs(columns).of
    rows = range(len(columns[0].cells))
    distances = []
    for row in rows:
        around = sorted(cost([row, other]) for other in rows)
        distances.append(around[k - 1] if k <= len(around) else UNIT * len(columns))
    return distances


def levelled_windows(positions, prices, k):
    """Prices of rows on a line, in the order of their positions: from each row on, windows grow to
    the last, and where the k dearest rows of one cost more than k times its length on average, the
    dearest are lowered to the highest price under which they do not.
    """
    prices = list(prices)
    for first in range(len(positions)):
        if first and positions[first] == positions[first - 1]:
            continue
        for last in range(first, len(positions)):
            if last + 1 < len(positions) and positions[last + 1] == positions[last]:
                continue
            allowed = k * (positions[last] - positions[first])
            dearest = sorted(prices[first : last + 1], reverse=True)[:k]
            if len(dearest) == k and sum(dearest) > allowed:
                limit = _limit(dearest, allowed)
                prices[first : last + 1] = [min(p, limit) for p in prices[first : last + 1]]
    return prices


def _limit(dearest, allowed):
    """The highest whole price to which the dearest can be lowered so that all cost what is
    allowed.
    """
    low, high = 0, dearest[0]
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(price, middle) for price in dearest) <= allowed:
            low = middle
        else:
            high = middle - 1
    return low
