"""Possible matches: rows that could be a person's own while everybody else has a row too.

A way to give every person a row is found first (augmenting paths). An edge outside it belongs to
another such way exactly where both its ends lie on one cycle of alternating edges, that is in one
strongly connected part of the graph that leads from a person to the rows that fit, and from a row
to the person who has it.
"""

from __future__ import annotations

Edges = list[list[int]]
"""For each person the rows that fit."""


def possible_matches(edges: Edges, rows: int) -> list[int] | None:
    """Count for each person the rows that could be theirs; None where not all can have one."""
    owner = _matched(edges, rows)
    if owner is None:
        return None
    # Persons alone: person a leads to b where a fits the row that b has.
    graph = [[owner[row] for row in fitting] for fitting in edges]
    part = _parts(graph)
    return [
        sum(1 for row in fitting if part[owner[row]] == part[person])
        for person, fitting in enumerate(edges)
    ]


def _matched(edges: Edges, rows: int) -> list[int] | None:
    """Give every person a row; the person of each row, or None."""
    if rows != len(edges):
        return None
    owner = [-1] * rows
    for person in range(len(edges)):
        if not _augment(person, edges, owner):
            return None
    return owner


def _augment(person: int, edges: Edges, owner: list[int]) -> bool:
    """Look for a path to a free row, breadth first, and turn its edges around."""
    came_from: dict[int, int] = {}
    waiting = [person]
    for at in waiting:
        for row in edges[at]:
            if row in came_from:
                continue
            came_from[row] = at
            if owner[row] < 0:
                _turn(row, person, edges, owner, came_from)
                return True
            waiting.append(owner[row])
    return False


def _turn(row: int, person: int, edges: Edges, owner: list[int], came_from: dict[int, int]) -> None:
    had = {owned: row for row, owned in enumerate(owner) if owned >= 0}
    while True:
        taker = came_from[row]
        owner[row] = taker
        if taker == person:
            return
        row = had[taker]


def _parts(graph: list[list[int]]) -> list[int]:
    """Number the strongly connected part of each node: two walks, the second on turned edges."""
    order: list[int] = []
    seen = [False] * len(graph)
    for start in range(len(graph)):
        if not seen[start]:
            _finish(start, graph, seen, order)
    turned: list[list[int]] = [[] for _ in graph]
    for node, leads in enumerate(graph):
        for to in leads:
            turned[to].append(node)
    part = [-1] * len(graph)
    for start in reversed(order):
        waiting = [start] if part[start] < 0 else []
        while waiting:
            node = waiting.pop()
            if part[node] < 0:
                part[node] = start
                waiting += turned[node]
    return part


def _finish(start: int, graph: list[list[int]], seen: list[bool], order: list[int]) -> None:
    """Walk depth first; nodes are listed when all behind them is done."""
    seen[start] = True
    walk = [(start, iter(graph[start]))]
    while walk:
        node, leads = walk[-1]
        ahead = next((to for to in leads if not seen[to]), None)
        if ahead is None:
            walk.pop()
            order.append(node)
        else:
            seen[ahead] = True
            walk.append((ahead, iter(graph[ahead])))
