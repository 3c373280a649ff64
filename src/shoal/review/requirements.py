"""Requirements: measure models, and hold them against recounted groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from shoal.errors import PrivacyNotMet, RecipeError
from shoal.groups import Groups
from shoal.privacy.model import Model
from shoal.privacy.promises import Broken, Promises
from shoal.review.gate import refuse_unjudged
from shoal.wording import Option, Sentence


def measured(
    models: Mapping[str, type[Model]], groups: Groups, promises: Promises
) -> dict[str, dict[str, float | None]]:
    """Measure every model for each sensitive column; models without one under the empty name.

    Those of a population are measured where there is one.
    """
    tried = [model.unpromised() for model in models.values()]
    asked = replace(
        promises,
        models=tuple(model for model in tried if promises.people or model.judges != "population"),
    )
    return by_name(asked.measured(groups))


def by_name(
    measured: Iterable[tuple[Model, str | None, float | None]],
) -> dict[str, dict[str, float | None]]:
    """Sort measured values by model, then by column."""
    values: dict[str, dict[str, float | None]] = {}
    for model, column, value in measured:
        values.setdefault(model.name, {})[column or ""] = value
    return values


def refuse_unspoken(promises: Promises) -> None:
    """Refuse required models about a column that is not named, or that can't be judged."""
    lacking = [
        model.name for model in promises.models if model.needs_sensitive and not promises.sensitive
    ]
    if lacking:
        raise RecipeError(
            f"'{lacking[0]}' speaks about a sensitive column, and none is named",
            remedy=Sentence("name it with ", Option("sensitive")),
        )
    names = [column.column.name for column in promises.sensitive]
    wrong = [error for model in promises.models for error in model.unguarded(names)]
    if wrong:
        raise RecipeError.together(wrong)
    refuse_unjudged(promises)


def failures(broken: Sequence[Broken], groups: Groups) -> tuple[PrivacyNotMet, ...]:
    """Word each promise that some groups do not keep as a refusal, without raising it."""
    return tuple(_failure(verdict, groups) for verdict in broken)


def refuse_unmet(unmet: Sequence[PrivacyNotMet]) -> None:
    """Refuse all promises that are not kept, in one refusal."""
    if len(unmet) == 1:
        raise unmet[0]
    if unmet:
        lines = "\n".join(f"- {failure}".replace("\n", "\n  ") for failure in unmet)
        raise PrivacyNotMet(f"{len(unmet)} promises are not kept\n{lines}")


def _failure(broken: Broken, groups: Groups) -> PrivacyNotMet:
    rows = int(groups.sizes[broken.unsafe].sum())
    problem = broken.spoken(groups.count)
    return PrivacyNotMet(problem, {"model": broken.model.spoken, "rows concerned": rows})
