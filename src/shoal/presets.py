"""Presets: thresholds in common use, by name, each with where it comes from.

A preset is a promise. Most of them set k, and a lower k beside them is refused: they say how small
a group may be and nothing else. One, `hipaa-safe-harbor`, names no k and says how coarse columns
must be; `flows/preset_rules.py` writes that into the recipe. Roles, further models and the
judgement whether that is enough stay with whoever publishes. None of them makes a table anonymous
in the law's sense.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import RecipeError, did_you_mean
from shoal.wording import Remedy, Set


@dataclass(frozen=True)
class Preset:
    """The least k, if one is named, what it is for, and who says so."""

    k: int | None
    meant: str
    source: str


SAFE_HARBOR = "hipaa-safe-harbor"
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
    "threshold-11": Preset(
        11,
        "no group of ten people or fewer, as for cells of health data",
        "the cell size of CMS, here without reference to its agreements",
    ),
    "threshold-20": Preset(
        20,
        "a cautious threshold for files that everyone may have; no rule that we know names it",
        "our choice",
    ),
    SAFE_HARBOR: Preset(
        None,
        "years instead of dates, three digits of ZIP codes, ages up to 89 and 90+; no k is named",
        "45 CFR 164.514(b)(2)(i), and the guidance on it of the Department of Health and Human "
        "Services of 26 November 2012",
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
    least = preset(name).k
    if least is not None and k < least:
        raise RecipeError(
            f"k = {k:,} is less than preset '{name}' promises",
            {"k of the preset": least},
            Remedy(Set("k", least), Set("preset", None)),
        )


def under_preset(asked: Mapping[str, Any], typed: Mapping[str, Any]) -> dict[str, Any]:
    """Raise the k of a recipe to that of a preset typed beside it, unless k was typed too."""
    merged = dict(asked)
    named = PRESETS.get(str(typed.get("preset")))
    if named and typed.get("k") is None and isinstance(merged.get("k"), int):
        merged["k"] = max(merged["k"], named.k or 1)
    return merged
