"""Staying: what sticky groups would lose, told where a release is refused beside earlier ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shoal.errors import ShoalError
from shoal.flows.port import Looked, Recounted, Request, Store
from shoal.groups import unwatched
from shoal.review.losses.published_height_share import PublishedHeightShare


def loss_of_staying(
    store: Store[Any, Any, Any, Any], table: Looked, request: Request, counted: Recounted
) -> Mapping[str, str]:
    """Divide a table with people kept in their groups; return what its cells lose, as a fact.

    Groups of people who left are withdrawn, unless it was said what becomes of them. Nothing is
    returned where a release was measured only, or has such groups already, or can't have any.
    """
    across = request.across
    if across is None or across.mode != "guard":
        return {}
    staying = replace(across, mode="sticky", leavers=across.leavers or "withdraw")
    asked = replace(request, across=staying)
    try:
        groups = store.divide(table, asked, unwatched)
        released = store.publish(table, groups, asked, unwatched)
        lost = _share_lost(store.recount(released, asked, unwatched))
    except ShoalError:
        return {}
    now = _share_lost(counted)
    if lost is None or now is None:
        return {}
    name = "what a published cell loses of its detail, on average"
    return {name: f"{lost:.0%} with sticky groups, {now:.0%} as asked"}


def _share_lost(counted: Recounted) -> float | None:
    """Measure what the cells of a release lose on average, as printed, in [0, 1]."""
    return PublishedHeightShare().measure(counted.view)
