"""Kept risks: measures what someone finds who knows the kept columns of people beside their cells.

It is a second figure beside the risks of the cells, and refuses nothing: k is promised of the cells
and of the kept columns, each by themselves, and not of both together.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from shoal.review.certificate_format import KeptTogether
from shoal.review.kept_counts import KeptCounts
from shoal.review.partial_counts import Sized
from shoal.review.risks.average_prosecutor_risk import AverageProsecutorRisk
from shoal.review.risks.exposure import Exposure
from shoal.review.risks.highest_prosecutor_risk import HighestProsecutorRisk
from shoal.review.risks.risk import Risk
from shoal.review.risks.rows_at_risk import RowsAtRisk
from shoal.review.risks.sample_uniqueness import SampleUniqueness

OF_SIZES: Sequence[Risk] = (
    HighestProsecutorRisk(),
    AverageProsecutorRisk(),
    RowsAtRisk(),
    SampleUniqueness(),
)
"""Risks that follow from the sizes of groups alone."""


def kept_together(
    kept: KeptCounts, quasi: Sequence[str], keep: Sequence[str]
) -> KeptTogether | UnsetType:
    """State the risks of cells and kept columns together; nothing where no column is kept."""
    if not keep:
        return UNSET
    seen = Exposure(Sized.with_sizes(kept.each))
    return KeptTogether(
        fewest=kept.combinations.fewest,
        counted=[*quasi, *keep],
        risks={risk.name: risk.measure(seen) for risk in OF_SIZES},  # type: ignore[misc]
    )
