"""Full-domain generalization, read literally: every combination of levels is tried.

A column is a list of cells (None is missing) and, for each value, its nodes from the value itself
to everything: `nodes[value][level]`. `share(column, node)` says what a cell loses at a node.
"""

from __future__ import annotations

from itertools import product
from math import floor, log2, prod

UNIT = 2**20
EVERYTHING = ("everything", "missing values too")
MISSING = ("missing",)


def best(columns, share, safe, limit, aggregate="sum", charge="full", person=None):
    """(loss, rows left out, levels, groups) of the best node; None where none is safe."""
    return min(solutions(columns, share, safe, limit, aggregate, charge, person), default=None)


def solutions(columns, share, safe, limit, aggregate="sum", charge="full", person=None):
    """The same of every node that is safe; `person[row]` where several rows are about one."""
    rows = range(len(columns[0].cells))
    most = floor(limit * len(rows))
    candidates = []
    for levels in product(*(range(count(column)) for column in columns)):
        groups = {}
        for row in rows:
            pairs = zip(columns, levels, strict=True)
            key = tuple(node(column, column.cells[row], level) for column, level in pairs)
            groups.setdefault(key, []).append(row)
        kept = left(without_parted(list(groups.values()), person), safe)
        out = len(rows) - sum(map(len, kept))
        if kept and out <= most:
            loss = weigh(columns, levels, list(groups.values()), kept, share, aggregate, charge)
            candidates.append((loss, out, levels, sorted(map(sorted, kept))))
    return candidates


def without_parted(groups, person):
    """Groups without the rows of persons who stand in several of them."""
    if person is None:
        return groups
    stands = {}
    for at, group in enumerate(groups):
        for row in group:
            stands.setdefault(person[row], set()).add(at)
    whole = [[row for row in group if len(stands[person[row]]) == 1] for group in groups]
    return [group for group in whole if group]


def left(groups, safe):
    """Groups that are safe beside each other: unsafe ones leave, all at once, until all are."""
    while groups:
        verdicts = [safe(group, [row for each in groups for row in each]) for group in groups]
        if all(verdicts):
            break
        groups = [group for group, fine in zip(groups, verdicts, strict=True) if fine]
    return groups


def count(column):
    depth = max(map(len, column.nodes.values()), default=1)
    mixed = None in column.cells and any(cell is not None for cell in column.cells)
    return depth + 1 if mixed else depth


def node(column, cell, level):
    depth = max(map(len, column.nodes.values()), default=1)
    if level == depth:
        return EVERYTHING
    return MISSING if cell is None else column.nodes[cell][level]


def weigh(columns, levels, groups, kept, share, aggregate, charge):
    rows = len(columns[0].cells)
    published = [row for group in kept for row in group]
    if share == "squares":
        squares = sum(len(group) ** 2 for group in kept)
        if charge == "full":
            return squares + (rows - len(published)) * rows
        return sum(len(group) ** 2 for group in groups)
    paid = []
    for column, level in zip(columns, levels, strict=True):
        paying = published if charge == "full" else range(rows)
        at = [share(column, node(column, column.cells[row], level)) for row in paying]
        paid.append(sum(round(each * UNIT) for each in at) + (rows - len(paying)) * UNIT)
    return sum(paid) if aggregate == "sum" else prod(rows * UNIT + each for each in paid)


def leaf_share(column, at):
    """(leaves under the node - 1) / (leaves - 1)."""
    if at in (EVERYTHING, MISSING):
        return float(at == EVERYTHING)
    return (len(under(column, at)) - 1) / max(len(column.nodes) - 1, 1)


def loss_metric(column, at):
    """(different values of the table under the node - 1) / (leaves - 1)."""
    if at in (EVERYTHING, MISSING):
        return float(at == EVERYTHING)
    held = under(column, at) & set(column.cells)
    return (max(len(held), 1) - 1) / max(len(column.nodes) - 1, 1)


def entropy(column, at):
    """log2(rows under the node) / log2(rows)."""
    rows = len(column.cells)
    inside = under(column, at)
    if at == EVERYTHING:
        return 1.0
    if at == MISSING:
        inside = {None}
    held = sum(cell in inside for cell in column.cells)
    return log2(max(held, 1)) / log2(max(rows, 2))


def under(column, at):
    return {value for value, nodes in column.nodes.items() if at in nodes}
