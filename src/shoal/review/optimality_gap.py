"""Gap: how far what a grouping loses is above what is proven of every grouping.

It is loss / bound - 1: the best grouping lies between both, so the loss is at most that much above
the best one.

For the maker alone: it is measured on the tight boxes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from shoal.encode.costs import costs_of
from shoal.kernels.costs import UNIT
from shoal.partition.optimum import is_small, optimum_of
from shoal.partition.repair import loss_of
from shoal.review.certificate_format import OptimalityGap
from shoal.review.losses.loss import Evidence
from shoal.review.losses.lower_bound import LowerBound
from shoal.review.squared_error_bound import least_squared_error_share

# The loss that is minimized, and the metric that measures it.
SUMMED = {"span": "span-share", "height": "total-information-loss", "leaf-share": "leaf-share"}


def gap_of(
    evidence: Evidence,
    minimized: str,
    losses: Mapping[str, float | None],
    *,
    thorough: bool = False,
    exact: bool = False,
) -> OptimalityGap | None:
    """Return the loss, its lower bound and how far it is above; None if nothing is proven.

    With `exact` or `thorough`, all groupings of a small table are looked at.
    """
    if minimized == "squared-error":
        return _gap_of_squares(evidence, losses.get("squared-error-share"))
    # Without a hierarchy of ordered values both are one loss, and the metric is that of the papers.
    if minimized == "span" and not any(axis.spans_nodes for axis in evidence.rows.axes):
        minimized = "height"
    name = SUMMED.get(minimized)
    lost = losses.get(name) if name else None
    least = losses.get("lower-bound") if minimized == "height" and not thorough else None
    if lost is not None and least is None:
        least = LowerBound(thorough=thorough, loss=minimized).measure(evidence)
    if name is None or lost is None or least is None:
        return None
    if thorough or exact:
        least = max(least, _least_of_small(evidence, minimized, lost))
    least /= 1 if minimized == "height" else evidence.cells  # shares are means over cells
    return _between(name, lost, least)


def _gap_of_squares(evidence: Evidence, lost: float | None) -> OptimalityGap | None:
    """Return the share of squared error and its lower bound, where nobody is withheld."""
    if lost is None or evidence.groups.withheld:
        return None
    least = least_squared_error_share(evidence.rows, evidence.k)
    if least is None:
        return None
    return _between("squared-error-share", lost, least)


def _least_of_small(evidence: Evidence, minimized: str, lost: float) -> float:
    """Compute what groupings of a small table that withhold nobody lose at least, summed over rows.

    0 where the table is not small. Costs are rounded to integers; where these groups lose the least
    of all in integers, the bound is their loss itself.
    """
    rows = evidence.rows
    groups = evidence.groups
    if groups.withheld or not is_small(rows, evidence.k):
        return 0.0
    costs = costs_of(rows.axes, minimized, {})
    best = optimum_of(rows, costs, evidence.k, groups)
    if best.least >= loss_of(groups, replace(rows, costs=costs)):
        return lost if minimized == "height" else lost * evidence.cells
    rounded = 2 * len(rows.axes) * rows.count
    return max(best.least - rounded, 0) / UNIT


def _between(name: str, lost: float, least: float) -> OptimalityGap:
    """State a loss, its bound and loss / bound - 1, which is None where the bound alone is 0."""
    gap = None if lost > 0 else 0.0
    if least > 0:
        gap = max(lost / least - 1, 0.0)
    return OptimalityGap(loss=name, lost=lost, least=least, gap=gap)


def distance(gap: OptimalityGap) -> str:
    """Say how far a loss is from that of the best grouping, as the end of a sentence."""
    if gap.gap is None:
        return "nothing is proven about how far the best grouping is"
    if gap.gap == 0:
        return "no grouping is better"
    return f"at most {100 * gap.gap:.3g} % more than the best grouping"


def bound_in(gap: OptimalityGap | None) -> dict[str, float]:
    """The bound as a metric, if it is about the total information loss."""
    return {"lower-bound": gap.least} if gap and gap.loss == SUMMED["height"] else {}
