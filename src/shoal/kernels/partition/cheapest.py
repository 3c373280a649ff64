"""Prices that no grouping can spare the rows: every box with k rows can pay them.

Each axis offers covers: divisions of its codes into parts, such that every box lies inside a part
that costs no more on that axis. The levels of a tree are covers; a line has some made for it; on
one line windows slide over the codes instead. The walk goes from axis to axis: the tuples inside
one part of one cover are divided by the covers of the next axis. So it meets, for every box, one
that holds the same rows and more, at no higher cost. A part is left as soon as no box inside it can
lower a price: it holds fewer than k rows, or it lies inside a part of an earlier cover that costs
no more, or its k dearest rows can pay for it.

    alone:     the price of a tuple falls to the cost of each box around it: in the end, that of the
               cheapest one
    together:  where the k dearest rows of a box have prices whose sum is more than k times its
               cost, the dearest are levelled down until it is not. Prices only fall, so what has
               been made right stays so.

Where a walk takes too long it is broken off: what is left is charged for the axes it has been
divided by and nothing for the others, or as it was alone. That is too little, never too much.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Counts, Ints, Longs
from shoal.kernels.copying import copy
from shoal.kernels.costs import Costs, between
from shoal.kernels.jit import compiled
from shoal.kernels.partition.code_order import sort_by_code
from shoal.kernels.partition.paid_sets import PaidSets, cost_around, record, room_for
from shoal.kernels.partition.windows import dearest_ahead

MANY = 256  # tuples among which it is worth knowing how far windows can matter
# of the part at each depth: tuples, which cover is at work, how far it is, what is paid
SIZE = 0
COVER = 1
PLACE = 2
COST = 3


class Covers(NamedTuple):
    """Covers of all axes, packed.

    Cover c of axis a puts code x into the part `part[at[a] + c * (size[a] + 1) + x]`.
    """

    part: Ints  # numbered in the order of the codes
    charge: Ints  # what the part costs; laid out like `part`
    at: Longs
    # of covers, [axes that are divided by covers]; windows slide on the axis behind them, if there
    # is one
    number: Ints


class PriceSearch(NamedTuple):
    """Tuples and their prices, and room to work in."""

    costs: Costs
    codes: Ints  # [axes, tuples]
    counts: Counts
    k: int
    price: Longs  # comes in as much as any row can lose, or less
    # prices to go back to where a walk together is broken off; empty for a walk alone
    alone: Longs
    room: Ints
    tally: Longs
    top: Longs
    held: Longs
    who: Longs  # the tuple of each entry of `top`
    sets: PaidSets  # what is levelled is written here, while there is room


def search_of(
    costs: Costs, codes: Ints, counts: Counts, k: int, price: Longs, alone: Longs
) -> PriceSearch:
    """Allocate the arrays of a search, which writes no sets down."""
    room = np.empty(codes.shape[1], np.int32)
    tally = np.zeros(int(costs.size.max()) + 2, np.int64)
    return PriceSearch(
        costs,
        codes,
        counts,
        k,
        price,
        alone,
        room,
        tally,
        np.empty(k + 2, np.int64),
        np.empty(k + 2, np.int64),
        np.empty(k + 2, np.int64),
        room_for(0, 0),
    )


@compiled
def walk(search: PriceSearch, covers: Covers, patience: int) -> int:
    """Lower the prices of tuples; return how many tuples were looked at.

    These are not many more than `patience`.
    """
    divided = len(covers.number)
    tuples = search.codes.shape[1]
    members = np.empty((divided + 1, tuples), np.int32)  # of the part at each depth
    stack = np.zeros((divided + 1, 4), np.int64)
    for t in range(tuples):
        members[0, t] = t
    depth = 0
    work = 0
    _enter(search, 0, members[0], stack[0], 0)
    while depth >= 0:
        here = members[depth, : stack[depth, SIZE]]
        if depth == divided:
            work += _settle(search, depth, here, stack[depth, COST])
            depth -= 1
        elif stack[depth, COVER] == covers.number[depth]:
            depth -= 1
        else:
            start, end, paid, hopeful = _advance(search, covers, depth, stack[depth], here)
            work += end - start
            if not hopeful:
                continue
            below = members[depth + 1, : end - start]
            copy(here[start:end], below)
            if work > patience:
                _break_off(search, below, paid)
            else:
                depth += 1
                _enter(search, depth, below, stack[depth], paid)
    return work


@compiled
def _enter(search: PriceSearch, axis: int, here: Ints, state: Longs, paid: int) -> None:
    """Begin to divide some tuples along an axis.

    They are sorted by their codes, so that every part of every cover is a run.
    """
    state[SIZE] = len(here)
    state[COVER] = 0
    state[PLACE] = 0
    state[COST] = paid
    if axis < len(search.codes):
        sort_by_code(search.codes[axis], search.costs.size[axis], here, search.room, search.tally)


@compiled
def _advance(
    search: PriceSearch, covers: Covers, axis: int, state: Longs, here: Ints
) -> tuple[int, int, int, bool]:
    """Find the next part, what is paid inside it, and whether a box in it might lower a price."""
    codes = search.codes[axis]
    start = state[PLACE]
    cover = state[COVER]
    at = covers.at[axis] + cover * (search.costs.size[axis] + 1)
    part = covers.part[at + codes[here[start]]]
    end = start
    rows = 0
    highest = 0
    while end < len(here) and covers.part[at + codes[here[end]]] == part:
        rows += search.counts[here[end]]
        highest = max(highest, search.price[here[end]])
        end += 1
    state[PLACE] = end
    if end == len(here):
        state[PLACE] = 0
        state[COVER] = cover + 1
    first = codes[here[start]]
    last = codes[here[end - 1]]
    paid = state[COST] + covers.charge[at + first]
    hopeful = rows >= search.k and paid < highest
    hopeful = hopeful and not _inside(covers, axis, cover, search.costs.size[axis], first, last)
    if hopeful and len(search.alone):
        hopeful = _dearest(search, here[start:end])[2] > search.k * paid
    return start, end, paid, hopeful


@compiled
def _inside(covers: Covers, axis: int, cover: int, size: int, first: int, last: int) -> bool:
    """Tell whether a part of an earlier cover, no dearer, holds both codes.

    It then holds all codes between them.
    """
    at = covers.at[axis]
    charge = covers.charge[at + cover * (size + 1) + first]
    for _ in range(cover):
        if (
            covers.part[at + first] == covers.part[at + last]
            and covers.charge[at + first] <= charge
        ):
            return True
        at += size + 1
    return False


@compiled
def _break_off(search: PriceSearch, here: Ints, paid: int) -> None:
    """Lower the prices of tuples that no walk looks at any further, to what is surely paid."""
    for t in here:
        search.price[t] = min(search.price[t], search.alone[t] if len(search.alone) else paid)


@compiled
def _settle(search: PriceSearch, axis: int, here: Ints, paid: int) -> int:
    """Settle a part that has been divided by all covers; return the work it took.

    Its boxes are itself, or the windows of the last axis.
    """
    if axis == len(search.codes):
        _pay(search, here, paid)
        return 0
    codes = search.codes[axis]
    there = len(here)
    while there > 0 and codes[here[there - 1]] == search.costs.size[axis]:
        there -= 1
    if there < len(here):  # missing values stand alone, or with everything
        _pay(search, here[there:], paid)
        _pay(search, here, paid + search.costs.full[axis])
    if len(search.alone):
        return _slide_together(search, axis, here[:there], paid)
    _slide_alone(search, axis, here[:there], paid)
    return there


@compiled
def _pay(search: PriceSearch, here: Ints, cost: int) -> None:
    """Lower the prices in one box until nobody in it is charged more than the box allows."""
    size, rows, total = _dearest(search, here)
    if rows >= search.k:
        limit = _levelled(search, size, total, cost) if len(search.alone) else cost
        for t in here:
            search.price[t] = min(search.price[t], limit)


@compiled
def _slide_alone(search: PriceSearch, axis: int, here: Ints, paid: int) -> None:
    """Lower the price of each tuple to the cost of its cheapest window on one axis.

    From each code the shortest window with k rows is looked at, and a longer one for those whom the
    next one leaves behind.
    """
    codes = search.codes[axis]
    counts = search.counts
    price = search.price
    last = -1
    rows = 0
    before = -1
    seen = -1
    for first in range(len(here)):
        rows -= counts[here[first - 1]] if first else 0
        if first and codes[here[first]] == codes[here[first - 1]]:
            continue
        while last + 1 < len(here) and (
            rows < search.k or codes[here[last + 1]] == codes[here[last]]
        ):
            last += 1
            rows += counts[here[last]]
        for i in range(seen + 1, last + 1 if before >= 0 else 0):
            longer = between(search.costs, axis, codes[here[before]], codes[here[i]])
            price[here[i]] = min(price[here[i]], paid + longer)
        if rows < search.k:
            break
        cost = paid + between(search.costs, axis, codes[here[first]], codes[here[last]])
        for i in range(first, last + 1):
            price[here[i]] = min(price[here[i]], cost)
        before = first
        seen = last


@compiled
def _slide_together(search: PriceSearch, axis: int, here: Ints, paid: int) -> int:
    """Level the prices in all windows on one axis; return how many tuples were looked at.

    From each code on, windows grow until they cost more than the dearest rows of all could break,
    or as much as the dearest row that they could hold.
    """
    codes = search.codes[axis]
    k = search.k
    first = 0
    work = 0
    most = _dearest(search, here)[2]
    many = len(here) >= MANY
    dearest = search.top
    if many:
        dearest = dearest_ahead(search.costs, axis, codes[here], search.price[here], paid)
    while first < len(here):
        begin = codes[here[first]]
        last = first
        size = 0
        rows = 0
        total = 0
        while last < len(here):
            code = codes[here[last]]
            cost = paid + between(search.costs, axis, begin, code)
            if k * cost >= most or (many and cost >= dearest[first]):
                break
            while last < len(here) and codes[here[last]] == code:
                size, rows, total = _add(search, here[last], size, rows, total)
                last += 1
            if rows == k and total > k * cost:
                limit = _levelled(search, size, total, cost)
                for t in here[first:last]:
                    search.price[t] = min(search.price[t], limit)
                total = _capped(search, size, limit)
        work += last - first
        while first < len(here) and codes[here[first]] == begin:
            first += 1
    return work


@compiled
def _dearest(search: PriceSearch, here: Ints) -> tuple[int, int, int]:
    """List the prices of the k dearest rows; return entries, rows, and the sum of prices.

    Prices stand in `top`, and how many rows have each in `held`.
    """
    size = 0
    rows = 0
    total = 0
    for t in here:
        size, rows, total = _add(search, t, size, rows, total)
    return size, rows, total


@compiled
def _add(search: PriceSearch, t: int, size: int, rows: int, total: int) -> tuple[int, int, int]:
    """Add a tuple to the dearest; return entries, rows, and the sum of prices."""
    price = search.price[t]
    top = search.top
    held = search.held
    if rows == search.k and price <= top[size - 1]:
        return size, rows, total
    place = size
    count = min(search.counts[t], search.k)
    while place > 0 and top[place - 1] < price:
        top[place] = top[place - 1]
        held[place] = held[place - 1]
        search.who[place] = search.who[place - 1]
        place -= 1
    top[place] = price
    held[place] = count
    search.who[place] = t
    size = size + 1
    rows = rows + count
    total = total + count * price
    while rows > search.k:
        over = min(rows - search.k, held[size - 1])
        held[size - 1] -= over
        rows = rows - over
        total = total - over * top[size - 1]
        size -= held[size - 1] == 0
    return size, rows, total


@compiled
def _levelled(search: PriceSearch, size: int, total: int, cost: int) -> int:
    """Find the highest limit under which the k dearest rows pay at most k times the cost."""
    rows = 0
    rest = total
    if total <= search.k * cost:
        return search.top[0]
    around = cost_around(search.costs, search.codes, search.who[:size])
    # covers of lines charge less than a box costs
    record(search.sets, search.who[:size], search.held, search.k * min(around, cost))
    for i in range(size):
        rows += search.held[i]
        rest -= search.held[i] * search.top[i]
        limit = (search.k * cost - rest) // rows
        if i + 1 < size and limit >= search.top[i + 1]:
            return limit
    return cost


@compiled
def _capped(search: PriceSearch, size: int, limit: int) -> int:
    """Lower the dearest prices to a limit; return their sum."""
    total = 0
    for i in range(size):
        search.top[i] = min(search.top[i], limit)
        total += search.held[i] * search.top[i]
    return total
