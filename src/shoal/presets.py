"""Presets: thresholds in common use, by name, each with where it comes from.

A preset is a promise: it sets k, and a lower k beside it is refused. It says how small a group may
be and nothing else; roles, further models and the judgement whether that is enough stay with
whoever publishes. None of them makes a table anonymous in the law's sense.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import RecipeError, did_you_mean
from shoal.wording import Remedy, Set


@dataclass(frozen=True)
class Preset:
    """The least k, what it is for, and who says so."""

    k: int
    meant: str
    source: str


GLOSSARY = (
    "Glossary of Statistical Disclosure Control (UNECE/Eurostat work session, Geneva 2005), "
    "'threshold rule'"
)

PRESETS: Mapping[str, Preset] = {
    "ema": Preset(
        11,
        "clinical data for everyone: a highest risk of 0.09, that is 1/11 in two digits",
        "External guidance on the implementation of EMA policy 0070, EMA/90915/2016, chapter 3",
    ),
    "hipaa-expert": Preset(
        11,
        "a start for expert determination, for which the rule names no number; an expert has to "
        "decide",
        "45 CFR 164.514(b)(1); the number is that of the cells that CMS lets be shown",
    ),
    "cms-cell-size": Preset(
        11,
        "data of Medicare and Medicaid: no cell of 10 people or fewer is shown",
        "CMS cell size suppression policy, as in its data use agreements",
    ),
    "threshold-3": Preset(
        3, "the threshold rule of official statistics at its usual lower value", GLOSSARY
    ),
    "threshold-5": Preset(
        5, "the threshold rule of official statistics at its usual higher value", GLOSSARY
    ),
}


def preset(name: str) -> Preset:
    """A preset by its name.

    >>> preset("ema").k
    11
    """
    if name not in PRESETS:
        raise RecipeError(f"there is no preset '{name}'", remedy=did_you_mean(name, PRESETS))
    return PRESETS[name]


def refuse_weaker(name: str, k: int) -> None:
    """Refuse a k below that of the preset beside it."""
    if k < preset(name).k:
        raise RecipeError(
            f"k = {k:,} is less than preset '{name}' promises",
            {"k of the preset": preset(name).k},
            Remedy(Set("k", preset(name).k), Set("preset", None)),
        )


def under_preset(asked: Mapping[str, Any], typed: Mapping[str, Any]) -> dict[str, Any]:
    """Raise the k of a recipe to that of a preset typed beside it, unless k was typed too."""
    merged = dict(asked)
    named = str(typed.get("preset"))
    if named in PRESETS and typed.get("k") is None and isinstance(merged.get("k"), int):
        merged["k"] = max(merged["k"], PRESETS[named].k)
    return merged
