"""The gate: nothing leaves before its promises have been recounted from its published values alone."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from shoal.errors import PrivacyNotMet, ShoalError
from shoal.groups import Groups
from shoal.privacy.model import Model
from shoal.privacy.promises import Broken, Promises, Sensitive
from shoal.review.recount import coded, recount


def quasi_columns(table: pa.Table, quasi: Sequence[str]) -> list[str]:
    """The columns that publish the quasi-identifiers: under their own name, or as `<name>_lo` and `<name>_hi`."""
    names, found, lacking = set(table.column_names), list[str](), list[str]()
    for name in quasi:
        bounds = [f"{name}_lo", f"{name}_hi"]
        if name in names:
            found.append(name)
        elif names.issuperset(bounds):
            found += bounds
        else:
            lacking.append(name)
    if lacking or not found:
        facts = {"lacking": ", ".join(f"'{name}'" for name in lacking) or "all"}
        raise PrivacyNotMet("the release lacks columns of its quasi-identifiers", facts)
    return found


def refuse_strangers(table: pa.Table, quasi: Sequence[str], others: Sequence[str]) -> None:
    """Refuse a release with a column more or less than its roles ask for."""
    expected = [*quasi_columns(table, quasi), *others]
    if sorted(table.column_names) != sorted(expected):
        odd = sorted(set(table.column_names) ^ set(expected)) or ["a name that is used twice"]
        raise ShoalError(
            "the release does not have the columns it should", {"columns": ", ".join(odd), "published": "nothing"}
        )


def verify(
    table: pa.Table, quasi: Sequence[str], sensitive: Sequence[str], models: Sequence[Model]
) -> tuple[Groups, Promises]:
    """The groups as published, all of them safe; or a refusal."""
    groups = recount([table[name].combine_chunks() for name in quasi_columns(table, quasi)])
    columns = (Sensitive(name, *coded(table[name].combine_chunks())) for name in sensitive)
    promises = Promises(tuple(models), tuple(columns))
    broken = promises.broken(groups)
    if broken:
        raise refusal(broken, groups)
    return groups, promises


def refusal(broken: Sequence[Broken], groups: Groups) -> PrivacyNotMet:
    """Which promises are broken, by how many groups and rows, and what would help."""
    worst = max(broken, key=lambda verdict: int(groups.sizes[verdict.unsafe].sum()))
    rows = int(groups.sizes[worst.unsafe].sum())
    facts: dict[str, object] = {"model": worst.model.spoken, "rows concerned": rows}
    others = [other for other in broken if other is not worst]
    if others:
        told = (other.model.failing(int(other.unsafe.sum()), groups.count, other.column) for other in others)
        facts["also"] = "; ".join(told)
    share = rows / max(len(groups.labels), 1)
    remedy = (
        f"withhold them (--withhold {max(round(share + 0.005, 2), 0.01):g}), or ask for less"
        if share < 0.5
        else "ask for less"
    )
    problem = worst.model.failing(int(worst.unsafe.sum()), groups.count, worst.column)
    return PrivacyNotMet(problem, {**facts, "published": "nothing"}, remedy)
