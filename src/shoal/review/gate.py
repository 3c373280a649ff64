"""The gate: nothing leaves before its promises were recounted from its published values alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from shoal.encode.profile import Profile
from shoal.errors import PrivacyNotMet, RecipeError, ShoalError
from shoal.groups import Groups
from shoal.privacy.model import Model
from shoal.privacy.promises import Broken, Promises
from shoal.review.identifiers import identifying
from shoal.review.kept_columns import KeptTally
from shoal.review.prechecks.kept import Leak, leak_of
from shoal.review.prechecks.kept import refusal as leaking
from shoal.review.promised import promised, quasi_columns
from shoal.wording import Remedy, Sentence, Set


def refuse_strangers(table: pa.Table, quasi: Sequence[str], others: Sequence[str]) -> None:
    """Refuse a release with a column more or less than its roles ask for."""
    expected = [*quasi_columns(table, quasi), *others]
    if sorted(table.column_names) != sorted(expected):
        odd = sorted(set(table.column_names) ^ set(expected)) or ["a name that is used twice"]
        raise ShoalError(
            "the release does not have the columns it should",
            {"columns": ", ".join(odd), "published": "nothing"},
        )


def refuse_as_they_are(kept: KeptTally, sensitive: Sequence[Profile], k: int) -> None:
    """Refuse published columns that identify people: rare kept values, sensitive identifiers.

    Columns that are kept by force are in neither.
    """
    leaks = [
        Leak((column.name,), problem, sensitive=True)
        for column in sensitive
        if (problem := identifying(column)) is not None
    ]
    rare = kept.too_rare(k)
    leaks += [] if rare is None else [leak_of(rare)]
    if leaks:
        raise leaking(leaks)


def verify(
    table: pa.Table,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    models: Sequence[Model],
    **beside: Any,
) -> tuple[Groups, Promises]:
    """Return the groups as published, all of them safe; or refuse.

    What else may be told stands with `promised`.
    """
    groups, promises = promised(table, quasi, sensitive, models, **beside)
    refuse_unjudged(promises)
    broken = promises.broken(groups)
    if broken:
        raise refusal(broken, groups)
    return groups, promises


def refuse_unjudged(promises: Promises) -> None:
    """Refuse promises that nobody can judge.

    That is a number asked of texts, or a distance along a hierarchy that is not there.
    """
    lacking = promises.lacking()
    if lacking:
        errors = [
            RecipeError(Sentence(f"model '{model.name}' can't be judged without ", what))
            for model, _, what in lacking
        ]
        raise RecipeError.together(errors)


def refusal(broken: Sequence[Broken], groups: Groups) -> PrivacyNotMet:
    """Write the refusal of broken promises: by how many groups and rows, and what would help."""
    worst = max(broken, key=lambda verdict: int(groups.sizes[verdict.unsafe].sum()))
    rows = int(groups.sizes[worst.unsafe].sum())
    facts: dict[str, object] = {"model": worst.model.spoken, "rows concerned": rows}
    others = [other for other in broken if other is not worst]
    if others:
        facts["also"] = "; ".join(other.spoken(groups.count) for other in others)
    share = rows / max(int(groups.sizes.sum()) + groups.withheld, 1)
    enough = max(round(share + 0.005, 2), 0.01)
    less = Remedy("ask for less")
    remedy = Remedy(Set("withhold", enough, "withhold them"), less) if share < 0.5 else less
    problem = worst.spoken(groups.count)
    return PrivacyNotMet(problem, {**facts, "published": "nothing"}, remedy)
