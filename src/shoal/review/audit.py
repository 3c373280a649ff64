"""Audit: what any table promises, measured from its published values alone.

Rows are grouped by their printed quasi-identifiers, every model is measured for every sensitive
column, and every risk on the groups, beside its baseline: the same risk if the quasi-identifiers
told nothing. The table may come from anywhere: nothing is known of how it was made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from msgspec import UnsetType

from shoal.arrays import Counts
from shoal.declare.column_names import column_hint
from shoal.declare.columns import kind_of
from shoal.errors import DataError, PrivacyNotMet, RecipeError
from shoal.groups import Groups, Note
from shoal.privacy.model import Model
from shoal.review.audit_screen import notices_of, screen_of
from shoal.review.kept_columns import KeptTally
from shoal.review.kept_counts import KeptCounts
from shoal.review.kept_risks import kept_together
from shoal.review.partial_counts import Sized
from shoal.review.population_matches import Hierarchies
from shoal.review.promised import promised
from shoal.review.recount import coded
from shoal.review.requirements import failures, measured, refuse_unmet, refuse_unspoken
from shoal.review.risks.distinction import distinction
from shoal.review.risks.exposure import LARGEST, Exposure
from shoal.review.risks.risk import Figure, Risk, plain
from shoal.review.risks.separation import separation
from shoal.review.sources import Source, behind, printed
from shoal.review.wildcard import frequencies
from shoal.screen import Screen, Shown
from shoal.wording import Option, Sentence


@dataclass(frozen=True)
class Sizes:
    """Sizes of groups: the ends and the quartiles over groups, and the mean."""

    least: int
    lower_quartile: int
    median: int
    upper_quartile: int
    largest: int
    mean: float


@dataclass(frozen=True)
class Wildcard:
    """The least and the mean frequency of a row, where a missing cell matches everything."""

    k: int
    mean: float


@dataclass(frozen=True)
class AuditedColumn:
    """One quasi-identifier by itself.

    How far it tells rows apart, and how many rows nobody shares its value with.
    """

    distinction: float
    separation: float
    alone: float


@dataclass(frozen=True)
class AuditedKept:
    """Columns that are published as they are: rows that share their values, and risks with cells.

    `k` is the fewest rows that hold a combination of these columns.
    """

    columns: tuple[str, ...]
    k: int
    risks: Mapping[str, Figure]

    @classmethod
    def of(cls, table: pa.Table, keep: Sequence[str], groups: Groups) -> AuditedKept | None:
        """Count the combinations of kept columns; None where no column is named."""
        if not keep:
            return None
        codes = {name: coded(_whole(table, name))[0] for name in keep}
        counts = KeptCounts.of(groups, codes)
        risks = kept_together(counts, (), keep)
        assert not isinstance(risks, UnsetType) and risks.fewest is not None
        return cls(tuple(keep), risks.fewest, risks.risks)

    def unmet(self, table: pa.Table, models: Sequence[Model]) -> tuple[PrivacyNotMet, ...]:
        """Word columns with a combination that fewer rows hold than a required k as a refusal."""
        k = max((model.least for model in models if not model.needs_sensitive), default=1)
        codes = [coded(_whole(table, name))[0] for name in self.columns]
        rare = KeptTally.of(self.columns, codes).too_rare(k)
        if rare is None:
            return ()
        facts = {"singles out most": rare.singles_out} if len(self.columns) > 1 else {}
        return (PrivacyNotMet(rare.problem, facts),)


@dataclass(frozen=True, repr=False)
class Audit(Shown):
    """Measured values of a table.

    `models[name][column]` has an empty column for models without a sensitive one.

    None stands for a value that was not measured: too many groups times values for a model that
    needs all at once, or no population for a risk that compares with one. `special` counts the rows
    that so many columns single out, and no fewer.
    """

    rows: int
    groups: int
    k: int
    models: Mapping[str, Mapping[str, float | None]]
    risks: Mapping[str, Figure]
    baselines: Mapping[str, Figure]
    columns: Mapping[str, AuditedColumn]
    special: Mapping[int, int]
    sizes: Sizes
    wildcard: Wildcard | None = None
    among_everyone: bool = False
    """Whether a population is known."""
    kept: AuditedKept | None = None
    """Kept columns beside the cells, where some are named."""
    required: tuple[str, ...] = ()
    """Models that must hold, in words."""
    unmet: tuple[PrivacyNotMet, ...] = ()
    """Refusals, one for each requirement that does not hold."""

    @property
    def holds(self) -> bool:
        """Whether everything that was required holds."""
        return not self.unmet

    def require(self) -> Audit:
        """Return this audit, or raise `PrivacyNotMet` with all requirements that do not hold."""
        refuse_unmet(self.unmet)
        return self

    @property
    def notices(self) -> tuple[Note, ...]:
        """Warnings about the table, with remedies."""
        return notices_of(self)

    @property
    def screen(self) -> Screen:
        """The verdict, and what a person's row gives away."""
        return screen_of(self)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data as `--json` prints it; None where a figure is not finite."""
        models = {
            name: {column: _plain(value) for column, value in of.items()}
            for name, of in self.models.items()
        }
        data: dict[str, Any] = {
            "rows": self.rows,
            "k": self.k,
            "groups": self.groups,
            "models": models,
            "risks": dict(self.risks),
            "baselines": dict(self.baselines),
            "columns": {name: asdict(column) for name, column in self.columns.items()},
            "special uniques": {str(size): rows for size, rows in self.special.items()},
        }
        if self.kept is not None:
            data["kept"] = asdict(self.kept)
        if self.required:
            data["required"] = list(self.required)
            data["unmet"] = [failure.problem for failure in self.unmet]
        if self.wildcard is not None:
            data["wildcard"] = {"k": self.wildcard.k, "mean": self.wildcard.mean}
        return data


def audit(
    table: pa.Table,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    models: Mapping[str, type[Model]],
    risks: Mapping[str, Risk],
    *,
    missing: Literal["own", "wildcard"] = "own",
    require: Sequence[Model] = (),
    population: Source = None,
    hierarchies: Hierarchies | None = None,
    keep: Sequence[str] = (),
) -> Audit:
    """Measure a table as it is printed, and whether required models hold (`Audit.unmet`).

    Each combination of the columns to `keep` must be held by the k rows that are required. A
    missing cell is one more value; `missing="wildcard"` adds the figures of the other count,
    which judge nothing.
    """
    names = printed_columns(table, quasi, sensitive, keep)
    if not table.num_rows:
        raise DataError("the table has no rows, so there is nothing to measure")
    columns = [_whole(table, name) for name in names]
    seen = printed(
        table,
        list(dict.fromkeys(quasi)),
        list(dict.fromkeys(sensitive)),
        population,
        hierarchies or {},
    )
    known = (tuple(dict.fromkeys(quasi)), tuple(dict.fromkeys(sensitive)))
    groups, promises = promised(
        table, *known, require, hierarchies=hierarchies, people=behind(seen)
    )
    refuse_unspoken(promises)
    unmet = failures(promises.broken(groups), groups)
    kept = AuditedKept.of(table, list(dict.fromkeys(keep)), groups)
    if kept is not None:
        unmet += kept.unmet(table, require)
    wildcard = _wildcard(columns) if missing == "wildcard" else None
    audited = of_exposure(seen, measured(models, groups, promises), risks, _each(seen), wildcard)
    return replace(audited, kept=kept, required=spoken(require), unmet=unmet)


def spoken(models: Sequence[Model]) -> tuple[str, ...]:
    """Name models in words, with their thresholds."""
    return tuple(model.spoken for model in models)


def of_exposure(
    seen: Exposure,
    models: Mapping[str, Mapping[str, float | None]],
    risks: Mapping[str, Risk],
    columns: Mapping[str, AuditedColumn],
    wildcard: Wildcard | None = None,
) -> Audit:
    """Audit what a table shows, by models and columns that were measured already."""
    return Audit(
        rows=seen.rows,
        groups=seen.groups.count,
        k=int(seen.groups.sizes.min()),
        models=models,
        risks={name: plain(risk.measure(seen)) for name, risk in risks.items()},
        baselines={name: plain(risk.baseline(seen)) for name, risk in risks.items()},
        columns=columns,
        special=_special(seen),
        sizes=_sizes(seen.groups),
        wildcard=wildcard,
        among_everyone=seen.population is not None,
    )


def printed_columns(
    table: pa.Table, quasi: Sequence[str], sensitive: Sequence[str], keep: Sequence[str] = ()
) -> list[str]:
    """Return the printed columns of quasi-identifiers: each itself, or the two with its bounds."""
    problems = []
    asked = (*quasi, *sensitive, *keep)
    if not quasi:
        remedy = Sentence("name the columns with ", Option("quasi"))
        problems.append(RecipeError("no quasi-identifier is named", remedy=remedy))
    published: list[str] = []
    for name in dict.fromkeys(quasi):
        bounds = [f"{name}_lo", f"{name}_hi"]
        if name in table.column_names:
            published.append(name)
        elif set(bounds) <= set(table.column_names):
            published += bounds
        else:
            problems.append(_unknown(name, table, asked))
    problems += [
        _unknown(name, table, asked)
        for name in dict.fromkeys((*sensitive, *keep))
        if name not in table.column_names
    ]
    for name in dict.fromkeys(keep):
        if name in sensitive or name in quasi or name in published:
            problem = f"column '{name}' can't be kept and have another role"
            problems.append(RecipeError(problem, remedy="give it one role"))
    for name in dict.fromkeys(sensitive):
        if name in quasi or name in published:
            problems.append(
                RecipeError(
                    f"column '{name}' can't be quasi and sensitive", remedy="give it one role"
                )
            )
    if problems:
        raise RecipeError.together(problems)
    return list(dict.fromkeys(published))


def _unknown(name: str, table: pa.Table, asked: Sequence[str]) -> RecipeError:
    remedy = column_hint(name, table.column_names, asked)
    return RecipeError(f"there is no column '{name}'", remedy=remedy)


def _whole(table: pa.Table, name: str) -> pa.Array:
    """A column in one piece, if it holds single values."""
    column = table.column(name)
    kind_of(column.type.value_type if pa.types.is_dictionary(column.type) else column.type, name)
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _each(seen: Exposure) -> dict[str, AuditedColumn]:
    return {
        name: column_of(np.bincount(codes, minlength=size + 1))
        for name, (codes, size) in seen.quasi.items()
    }


def column_of(counts: Counts) -> AuditedColumn:
    """A quasi-identifier by how often each of its values occurs, missing being one."""
    values = Sized.with_sizes(counts[counts > 0])
    return AuditedColumn(
        distinction(values),
        separation(values),
        int(np.count_nonzero(counts == 1)) / int(counts.sum()),
    )


def _special(seen: Exposure) -> dict[int, int]:
    keys = seen.smallest_key
    if keys is None:
        return {}
    return {size: int(np.count_nonzero(keys == size)) for size in range(1, LARGEST + 1)}


def _sizes(groups: Groups) -> Sizes:
    ends = np.quantile(groups.sizes, [0, 0.25, 0.5, 0.75, 1], method="lower")
    least, lower, median, upper, largest = (int(end) for end in ends)
    return Sizes(least, lower, median, upper, largest, float(groups.sizes.mean()))


def _wildcard(columns: Sequence[pa.Array]) -> Wildcard:
    matches = frequencies(columns)
    return Wildcard(int(matches.min()), float(matches.mean()))


def _plain(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None
