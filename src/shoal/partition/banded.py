"""`banded`: one ladder of bands for each column, and each group on a rung of its own. Ours.

Between one level for all rows (`full-domain`) and boxes that end anywhere (`shoal`):

| | a column in all rows | bands of two groups |
|---|---|---|
| `full-domain` | on one rung: `[20, 29]` `[30, 39]` | equal or disjoint |
| `banded` | on one ladder: `23` `[20, 29]` `[20, 39]` | equal, nested or disjoint |
| `shoal` | anywhere: `[22, 31]` `[25, 40]` | may overlap |

Numbers, dates and times are laid on a ladder of bands, a hierarchy like any other: 5, 10, 20, 40
years of age (see the kind of hierarchy `ladder`; one is chosen where the recipe gives none, and the
published recipe states it). Every axis is a tree then, and a group costs the lowest node above all
of its rows: the width of a band, the level of a category. Rows are divided as by `shoal`, peeling
over levels and refinement, under these costs. What is published is that node as the hierarchy
prints it, neither snapped nor tightened. So any two published values of a column are equal, nested
or disjoint, which the gate counts from the cells; counts over a band add up; and the next table has
the same bands, whoever joins it.

A node is often wider than the least box, and no group may lie across two bands. That is the price:
on Adult 5 to 8 % more than `shoal` as published (docs/decisions/0029-banded.md). Where the widest
bands begin matters as much as their widths: a chosen ladder begins where the median of the column
lies nearest to the middle of a widest band, so that few groups reach across it. Cost: that of
`shoal`.

When to use it: where groups may differ and yet bands must nest, so that tables by age or region
still add up; next year's table can follow its scheme.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.encode.costs import BOX_LOSSES
from shoal.partition.shoal import Shoal


@dataclass(frozen=True)
class Banded(Shoal):
    """Nested bands: one ladder for each column, each group on its own rung of it."""

    name = "banded"
    losses = BOX_LOSSES
    needs_ladders = True
    centres_ladders = True
    nests = True
