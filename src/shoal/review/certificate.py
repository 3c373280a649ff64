"""Certificate: what anyone can recount (public), and what only its maker should know (private).

The public part is a function of the release, the recipe with the names of the input's columns, the
hierarchies and a named population alone: tables with equal releases have equal public parts, byte
for byte. The private part holds what follows from the original: findings of attacks, the number of
withheld rows, tight losses, the seed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from msgspec import UNSET, UnsetType

from shoal.groups import Groups
from shoal.privacy.model import Model
from shoal.privacy.promises import Promises
from shoal.review.certificate_format import (
    CertificatePart,
    PrivateCertificate,
    PublicCertificate,
    Risks,
)
from shoal.review.measured_model import MeasuredModel
from shoal.review.risks.risk import Figure

WEIGHTS = "weights"  # where the number of people behind a row comes from

NOT_DIFFERENTIAL = "This is not differential privacy."
NOT_LAW = "Whether it is anonymous in the law's sense is not decided by this certificate alone."
TOGETHER: dict[str, str] = {
    "": "Nothing is promised about this release together with others.",
    "measure": "Nothing is promised about this release together with others; its maker has "
    "measured it beside those in a ledger.",
    "guard": "About this release together with others, something is promised only of those in its "
    "maker's ledger: everybody shares all groups with at least k people.",
}
TOGETHER["sticky"] = TOGETHER["guard"]
NOT_PROMISED = (NOT_DIFFERENTIAL, TOGETHER[""], NOT_LAW)
"""Sentences about every release that was held against no other."""
TIGHT = (
    "Ends of tight intervals are real people's values and can be attacked (downcoding); those of "
    "snapped ones are round numbers."
)
SNAPPED = (
    "Round ends of intervals are real people's values by chance, and always in a column whose "
    "values span fewer than ten of its units."
)

CENTRE = (
    "Centres of dates are medians and centres of categories are modes: values that real people "
    "of the group have."
)

SETS = (
    "Each value that a set names is a real person's of the group: who knows all but one of them "
    "may learn the last one's."
)

PERSONS = (
    "All rows of a person stand in one group, and every group holds at least k persons: stated, "
    "not recountable, as the "
    "person is not published. The k above counts rows."
)

ROWS_ARE_PERSONS = (
    "That no two rows are about one person is what the maker says: where several are, groups hold "
    "fewer people than rows."
)

UNMARKED = (
    "The rows have no hash, as nobody saw all of them at once: whether some were exchanged can't "
    "be told."
)

ALONE = (
    "Each sensitive column is guarded alone: whoever knows a person's value of one may learn "
    "another."
)


PublicPart = TypeVar("PublicPart", bound=PublicCertificate, covariant=True)
PrivatePart = TypeVar("PrivatePart", bound=PrivateCertificate, covariant=True)


@dataclass(frozen=True)
class Certificate(Generic[PublicPart, PrivatePart]):
    """The two parts; `public` goes with the release, `private` stays at home.

    Both are read by attribute (`certificate.public.k`); `.as_dict()` gives JSON-like data.
    """

    public: PublicPart
    private: PrivatePart


def plain_risks(risks: Mapping[str, Figure]) -> Risks:
    """Return risks by name as a certificate states them: figures of several columns as a dict."""
    return {
        name: dict(figure) if isinstance(figure, Mapping) else figure
        for name, figure in risks.items()
    }


def models_measured(promises: Promises, groups: Groups) -> list[MeasuredModel]:
    """Measure every model for each sensitive column: the strictest value that all groups meet."""
    return [entry(model, column, measured) for model, column, measured in promises.measured(groups)]


def entry(model: Model, column: str | None, measured: float | None) -> MeasuredModel:
    """A model with its parameters, and what was measured."""
    on = {"on": model.on} if model.on else {}
    parameters = _plain({**model.own_parameters, **on})
    return MeasuredModel(model.name, parameters, column, finite(measured))


def _plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON has them."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in parameters.items()
    }


def finite(figure: float | None) -> float | None:
    """A figure, or None for one that is not finite: JSON has no word for it."""
    return figure if figure is not None and math.isfinite(figure) else None


def not_promised(recipe: Mapping[str, Any], across: str | UnsetType = UNSET) -> list[str]:
    """List what a reader of the release must not think.

    There is more where it is published in ways that show people's values. `across` tells how it
    was held against earlier releases.
    """
    others = TOGETHER["" if isinstance(across, UnsetType) else across]
    publish = recipe.get("publish", "snapped")
    spelled = publish.values() if isinstance(publish, Mapping) else (publish,)
    ways = {re.split("[(:]", way)[0].strip() for way in spelled}  # without parameters
    alone = len(recipe.get("sensitive", ())) > 1 and recipe.get("others", "separate") == "separate"
    said = {
        TIGHT: "tight" in ways,
        SNAPPED: not ways.isdisjoint(("snapped", "bounds", "sets")),
        CENTRE: "centre" in ways,
        SETS: "sets" in ways,
        ALONE: alone,
        ROWS_ARE_PERSONS: bool(recipe.get("rows_are_persons")),
    }
    further = (sentence for sentence, holds in said.items() if holds)
    return [NOT_DIFFERENTIAL, others, NOT_LAW, *further]


def as_json(part: CertificatePart) -> str:
    """A part as it is written to its file."""
    return json.dumps(part.as_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
