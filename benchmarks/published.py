"""Figures of others, measured once on the same data by the same scorer: reference rows, never rerun
here.
"""

from __future__ import annotations

from typing import NamedTuple


class Reference(NamedTuple):
    """What a system reached, and whose figure that is."""

    system: str
    values: dict[int, float]
    seconds: str
    source: str


ADULT = (
    Reference(
        "ARX local recoding",
        {5: 16_035, 10: 23_168, 50: 43_291},
        "3-13",
        "ARX as shipped, run and scored once",
    ),
    Reference(
        "ARX, tuned",
        {5: 14_994, 10: 21_846, 50: 41_604},
        "15-31",
        "finer steps, summed loss; run and scored once",
    ),
    Reference(
        "Mondrian with trees",
        {5: 36_100, 10: 55_500, 50: 108_000},
        "1",
        "best public one, run and scored once",
    ),
    Reference("k-member in Python", {}, "6,000", "public implementation, extrapolated"),
    Reference("one-pass k-means in Python", {}, "1,600", "public implementation, extrapolated"),
    Reference(
        "lower bound",
        {5: 10_555, 10: 16_348, 50: 33_941},
        "40-65",
        "no grouping loses less, proven by `python -m benchmarks.shoal bound`",
    ),
)

MDAV = {
    "census": {3: 0.056922, 5: 0.090884, 10: 0.141559},
    "tarragona": {3: 0.169326, 5: 0.224619, 10: 0.331929},
    "eia": {3: 0.004829, 5: 0.016667, 10: 0.038397},
}
"""Squared error share of MDAV: two implementations agree, and the literature with them."""
