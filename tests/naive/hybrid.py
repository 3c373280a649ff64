"""The hybrid of one-pass k-means and k-member (after Lin, Wei, Li & Hsieh 2008), row by row.

Random: the seeds, the first reference row of the pool if it holds k rows, and the order of the rows
left over.
"""

from __future__ import annotations

from naive.costs import Costs
from naive.k_member import grow, settle
from naive.one_pass_k_means import one_pass


def hybrid(columns, k, rng):
    cost = Costs(columns).of
    groups = []
    pool = []
    for rows in one_pass(columns, k, rng)[0]:
        kept = core(cost, rows, k) if len(rows) >= k else []
        groups += [kept] if kept else []
        pool += [row for row in rows if row not in kept]

    def price(group, row):
        return cost([*group, row])

    if len(pool) >= k:
        fresh, pool = grow(cost, price, sorted(pool), k, rng)
        groups += fresh
    settle(cost, price, groups, sorted(pool), rng)
    return groups


def core(cost, rows, k):
    """The medoid and the rows by which the box grows least."""
    kept = [medoid(cost, rows)]
    while len(kept) < k:
        kept.append(
            min((row for row in rows if row not in kept), key=lambda row: (cost([*kept, row]), row))
        )
    return kept


def medoid(cost, rows):
    return min(rows, key=lambda row: (sum(cost([row, other]) for other in rows), row))
