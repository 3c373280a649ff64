"""Bound: says how much of a loss could be spared at most, by what matters to whoever asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.review.optimality_gap import SUMMED
from shoal.review.report.document import shown
from shoal.studio.desk_items import StudioRun
from shoal.studio.words import percent
from shoal.studio.work.previewing import weighed


def could_be_spared(run: StudioRun) -> str:
    """Say how far the best grouping may be; empty where nothing is proven."""
    facts: Mapping[str, Any] = run.told["facts"]
    bound = facts["bound"]
    if not bound:
        return ""
    if run.recipe.importance and bound["loss"] == SUMMED["height"] and facts["paid"]:
        heights = {one["name"]: one["height"] for one in facts["paid"]["columns"]}
        plain = bound["least"] / max(facts["rows"]["in"] * len(heights), 1)
        return weighed_in_words(heights, run.recipe.importance, plain)
    if bound["loss"] == SUMMED["height"] and facts["paid"]:
        cells = max(facts["rows"]["in"] * len(facts["paid"]["columns"]), 1)
        return (
            f"It is proven that no grouping loses less than {percent(bound['least'] / cells)} of "
            f"the detail, all columns alike. The groups here lose {percent(bound['lost'] / cells)}"
            f": {bound['distance']}."
        )
    return (
        f"It is proven that no grouping loses less than {shown(bound['least'])} "
        f"({bound['loss']}, all columns alike). This one loses {shown(bound['lost'])}: "
        f"{bound['distance']}."
    )


def weighed_in_words(
    heights: Mapping[str, float], importance: Mapping[str, float], plain: float
) -> str:
    """Say how much could be spared where columns matter differently.

    `plain` is what is proven of the mean over columns. A weighed mean is at least the plain one
    times the lightest weight over the mean weight, so it is bounded too, from further away.

    >>> weighed_in_words({"age": 0.1, "job": 0.4}, {"age": 3}, 0.2)[-49:]
    'loses 18 %: at most 43 % of that could be spared.'
    """
    weights = [float(importance.get(name, 1)) for name in heights]
    lost = weighed(heights, importance)
    least = plain * min(weights) * len(weights) / sum(weights)
    spared = (lost - least) / lost if lost else 0.0
    return (
        f"By what matters to you, it is proven that no grouping loses less than {percent(least)} "
        f"of the detail. This one loses {percent(lost)}: at most {percent(spared)} of that could "
        "be spared."
    )
