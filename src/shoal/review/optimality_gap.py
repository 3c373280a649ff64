"""Gap: how much of what a grouping loses might be spared, at most.

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
    """Return the loss, its lower bound and the share between them; None if nothing is proven."""
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


def bound_in(gap: OptimalityGap | None) -> dict[str, float]:
    """The bound as a metric, if it is about the total information loss."""
    return {"lower-bound": gap.least} if gap and gap.loss == SUMMED["height"] else {}
