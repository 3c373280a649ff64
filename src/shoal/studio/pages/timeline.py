"""Timeline: draws the releases of a ledger, with the lowest k over time, as bars and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from shoal.studio.pages.charts import bars, chart
from shoal.studio.pages.result_panels import figures

MEANT = (
    "Fewest people with whom somebody of a release shares all groups, this release and earlier "
    "ones together, as it was when it was published."
)
ASKED = "k that was asked for"
LOWEST = "lowest k over all releases"
HEADS = ("release", "day", "file", "people", ASKED, LOWEST, "people below k", "who got it", "state")
HEIGHT = 200
Release = Mapping[str, Any]


def timeline(releases: Sequence[Release]) -> None:
    """Draw a bar of what was asked beside one of what holds, for each release that counts."""
    with ui.element("div").classes("stack").props('data-testid="timeline"'):
        if not releases:
            ui.label("Nothing stands in it yet.").classes("faint")
            return
        ui.label(MEANT).classes("faint")
        there = [release for release in releases if release["counts"]]
        chart(k_over_time(there), HEIGHT, f"{LOWEST}, release by release")
        figures(HEADS, rows_of(releases), "Releases in the ledger")


def k_over_time(releases: Sequence[Release]) -> dict[str, Any]:
    """Build the bars: two for each release, the second dotted."""
    labels = [f"{release['number']}: {release['day']}" for release in releases]
    lowest = [release["lowest"] for release in releases]
    return bars(labels, {ASKED: [release["k"] for release in releases], LOWEST: lowest})


def rows_of(releases: Sequence[Release]) -> list[tuple[Any, ...]]:
    """List the releases in figures, those that no longer count too.

    >>> one = {"number": 1, "day": "2026-01-02", "file": None, "people": 60, "k": 5, "lowest": 2}
    >>> rows_of([{**one, "below": 7, "recipient": "", "state": "withdrawn", "counts": False}])
    [(1, '2026-01-02', '-', 60, 5, 2, 7, 'everybody', 'withdrawn')]
    """
    return [
        (
            release["number"],
            release["day"],
            release["file"] or "-",
            release["people"],
            release["k"],
            release["lowest"],
            release["below"],
            release["recipient"] or "everybody",
            release["state"],
        )
        for release in releases
    ]
