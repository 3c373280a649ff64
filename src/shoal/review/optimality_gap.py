"""Gap: how far what a grouping loses is above what is proven of every grouping.

It is said as loss / bound - 1: the best grouping lies between both, so the loss is at most that
much above the best one. Certificates also state 1 - bound / loss, the share that is open.

For the maker alone: it is measured on the tight boxes.
"""

from __future__ import annotations

from collections.abc import Mapping

from shoal.review.certificate_format import OptimalityGap
from shoal.review.losses.loss import Evidence
from shoal.review.losses.lower_bound import LowerBound

# The loss that is minimized, and the metric that measures it.
SUMMED = {"span": "span-share", "height": "total-information-loss", "leaf-share": "leaf-share"}


def gap_of(
    evidence: Evidence,
    minimized: str,
    losses: Mapping[str, float | None],
    *,
    thorough: bool = False,
) -> OptimalityGap | None:
    """Return the loss, its lower bound and how far it is above; None if nothing is proven."""
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
    least /= 1 if minimized == "height" else evidence.cells  # shares are means over cells
    gap = (lost - least) / lost if lost else 0.0
    return OptimalityGap(loss=name, lost=lost, least=least, gap=gap)


def distance(gap: OptimalityGap) -> str:
    """Say how far a loss is from that of the best grouping, as the end of a sentence."""
    if gap.above is None:
        return "nothing is proven about how far the best grouping is"
    if gap.above == 0:
        return "no grouping is better"
    return f"at most {100 * gap.above:.3g} % more than the best grouping"


def bound_in(gap: OptimalityGap | None) -> dict[str, float]:
    """The bound as a metric, if it is about the total information loss."""
    return {"lower-bound": gap.least} if gap and gap.loss == SUMMED["height"] else {}
