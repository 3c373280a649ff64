"""Releases of Last et al. 2014: intervals for numbers and sets of values for names, as in it.

`nsvdist` in the paper's form is published here and not by the flow, which takes no sets for boxes
that overlap: each row is the interval around its neighbourhood, the set of the values in it where
a column has no hierarchy, and the shares of the class in it. Groups are published by `sets`. The
repaired form prints nodes; without a hierarchy these are single values or `*`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from experiments.divided import divided
from experiments.tables_2014 import Classified
from shoal.arrays import Codes, Ints
from shoal.encode.axes import Axis
from shoal.encode.rows import Rows
from shoal.errors import ShoalError
from shoal.flows.declared import encoded, understood_table
from shoal.flows.overlap import printed_cells, told_columns
from shoal.groups import Groups, unwatched
from shoal.overlap.cover import Cover
from shoal.overlap.hiding import hidden, spoken
from shoal.overlap.speech import exact
from shoal.recipe import Recipe
from shoal.recode.cells import ValueSet, write
from shoal.recode.distributions import written
from shoal.recode.recoder import Boxes
from shoal.recode.tight import Tight
from shoal.review.overlap_gate import printed_boxes

OURS = "nsvdist"
REPAIRED = "nsvdist, repaired"
GROUPED = ("sequential", "mondrian", "top-down", "shoal")
METHODS = (OURS, REPAIRED, *GROUPED)
OF_RINGS = "shoal"
"""The method that finds the groups in which the repaired form makes rings."""
SETS = "sets:most=1000000"  # the paper knows no limit


class Published(NamedTuple):
    """A release, and what it lost."""

    table: pa.Table
    height_share: float
    groups: Groups | None = None


def releases(
    data: Classified, train: pa.Table, k: int, l: int, seed: int
) -> dict[str, Published | ShoalError]:
    """Publish a table with a class by every method, or say what the method refuses."""
    found: dict[str, Published | ShoalError] = {}
    for method in (OF_RINGS, *METHODS):  # whose groups are used twice comes first
        if method not in found:
            known = found.get(OF_RINGS)
            try:
                inside = known if method == REPAIRED else None
                found[method] = published(data, train, method, k, l, seed, inside)
            except ShoalError as error:
                found[method] = error
    return {method: found[method] for method in METHODS}


def published(
    data: Classified,
    train: pa.Table,
    method: str,
    k: int,
    l: int,
    seed: int,
    inside: Published | ShoalError | None = None,
) -> Published:
    """Publish a table with a class; raises what a method refuses.

    `inside` is the release in whose groups rings are made, where it is there already.
    """
    asked = asked_of(data, k, seed)
    if method == OURS:
        return neighbourhoods(train, asked, l)
    if method != REPAIRED:
        return grouped(data, train, method, k, l, seed)
    inside = inside or grouped(data, train, OF_RINGS, k, l, seed)
    if isinstance(inside, ShoalError):
        raise inside
    return rings(train, asked, l, inside.groups)


def asked_of(data: Classified, k: int, seed: int) -> dict[str, Any]:
    """Say how a table with a class is anonymized, but for the method."""
    return {
        "quasi": data.quasi,
        "sensitive": [data.target],
        "hierarchies": data.hierarchies,
        "k": k,
        "seed": seed,
        "force_keep": [data.target],  # a class that columns tell is what is to be learned
    }


def grouped(data: Classified, train: pa.Table, method: str, k: int, l: int, seed: int) -> Published:
    """Publish groups: intervals for numbers, sets for names without a hierarchy."""
    publish = {name: SETS for name in data.quasi if name not in data.hierarchies}
    models = [f"frequency-l-diversity:l={l}"] if l > 1 else []
    given = {"publish": publish} if publish else {}
    asked = {**asked_of(data, k, seed), **given, "method": method, "models": models}
    found = divided(train, Recipe.of(**asked))
    lost = found.lost("height-share")
    assert lost is not None
    return Published(found.published(), lost, found.groups)


def rings(table: pa.Table, asked: Mapping[str, Any], l: int, groups: Groups | None) -> Published:
    """Publish the repaired form as the flow does, inside groups that were found already.

    Attacks that the flow tries before it publishes are left out: they change no cell. Values are
    drawn with a seed, so that figures can be made again.
    """
    assert groups is not None
    plan = Recipe.of(**asked, method=f"nsvdist:l={l},match=ring").overlap_plan()
    understood, notes = understood_table(table, plan)
    rows, _ = encoded(understood, notes, plan)
    plan.method.refuse_unhidden(rows, asked["k"])
    near = plan.method.cover(rows, asked["k"], np.random.default_rng(asked["seed"]), unwatched)
    boxes = hidden(rows, near, asked["k"], plan.method, groups)
    cells = printed_cells(rows, boxes, plan)
    cover = Cover.of(rows.codes, *printed_boxes(pa.table(cells), rows.axes))
    chance = np.random.default_rng([asked["seed"], l])
    speech = spoken(boxes, cover, rows.sensitive, plan.method, chance)
    told = told_columns(rows.sensitive, speech, plan)
    return Published(pa.table({**cells, **told}), _lost(rows, boxes.lo, boxes.hi))


def neighbourhoods(table: pa.Table, asked: Mapping[str, Any], l: int) -> Published:
    """Publish every row as its neighbourhood, in the form that the paper gives it."""
    plan = Recipe.of(**asked, method=f"nsvdist:l={l}", as_published=True).overlap_plan()
    understood, notes = understood_table(table, plan)
    rows, _ = encoded(understood, notes, plan)
    near = plan.method.cover(rows, asked["k"], np.random.default_rng(asked["seed"]), unwatched)
    cells = {
        axis.name: _cells(axis, rows, place, near.members, (near.lo[place], near.hi[place]))
        for place, axis in enumerate(rows.axes)
    }
    told: dict[str, pa.Array] = {}
    for column, shares in zip(rows.sensitive, exact(near, rows.sensitive).shares, strict=True):
        told |= written(column, shares, "columns")
    return Published(pa.table({**cells, **told}), _lost(rows, near.lo, near.hi))


def _lost(rows: Rows, lo: Codes, hi: Codes) -> float:
    return float(np.mean([axis.heights(lo[a], hi[a]) for a, axis in enumerate(rows.axes)]))


def _cells(axis: Axis, rows: Rows, place: int, members: Ints, ends: tuple[Ints, Ints]) -> pa.Array:
    """Write intervals and nodes, and sets where all values stand under one root."""
    alone = Groups(np.arange(rows.count, dtype=np.int32), rows.count)
    codes = rows.codes[place]
    texts = Tight().publish(Boxes(axis, codes, alone, *ends))[axis.name].to_pylist()
    if axis.tree is None or len(axis.tree.node) > 2:
        return pa.array(texts, pa.string())
    of_members = np.sort(codes[members], axis=1)
    labels = axis.tree.written
    leaves = axis.node[0].tolist()
    for row in np.flatnonzero((ends[0] < ends[1]) & (ends[1] < axis.size)).tolist():
        held = dict.fromkeys(of_members[row].tolist())
        if len(held) < axis.size:
            texts[row] = write(ValueSet(tuple(labels[leaves[code]] for code in held)))
    return pa.array(texts, pa.string())
