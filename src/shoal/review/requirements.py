"""Requirements: models measured, and held against recounted groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from shoal.errors import PrivacyNotMet, RecipeError
from shoal.groups import Groups
from shoal.privacy.counted import Counted
from shoal.privacy.model import Model
from shoal.review.recount import in_order


def counted(groups: Groups, column: str, cells: pa.Array) -> Counted:
    """Groups by the values of a column, codes ascending with the values."""
    codes, size = in_order(cells)
    return Counted(groups, column, codes, size + 1)


def measured(
    models: Mapping[str, type[Model]], groups: Groups, judged: Sequence[Counted]
) -> dict[str, dict[str, float | None]]:
    """What every model measures, for each sensitive column; models without one under the empty name."""
    return {
        name: {of.column or "": of.measured(model) for of in (judged if model.needs_sensitive else [Counted.sizes(groups)])}
        for name, model in models.items()
        if judged or not model.needs_sensitive
    }


def keep(require: Sequence[Model], groups: Groups, judged: Sequence[Counted]) -> None:
    """Silence, or one refusal for all required models that do not hold."""
    lacking = [model.name for model in require if model.needs_sensitive and not judged]
    if lacking:
        raise RecipeError(f"'{lacking[0]}' speaks about a sensitive column, and none is named", remedy="name it with -s")
    failures = [
        failure
        for model in require
        for of in (judged if model.needs_sensitive else [Counted.sizes(groups)])
        if (failure := _failure(model, of)) is not None
    ]
    if len(failures) == 1:
        raise failures[0]
    if failures:
        lines = "\n".join(f"- {failure}".replace("\n", "\n  ") for failure in failures)
        raise PrivacyNotMet(f"{len(failures)} promises are not kept\n{lines}")


def _failure(model: Model, of: Counted) -> PrivacyNotMet | None:
    verdicts = of.verdicts(model)
    if verdicts.all():
        return None
    rows = int(of.groups.sizes[~verdicts].sum())
    problem = model.failing(int(np.count_nonzero(~verdicts)), of.groups.count, of.column)
    return PrivacyNotMet(problem, {"model": model.spoken, "rows concerned": rows})
