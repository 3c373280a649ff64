"""Kept: refuses columns that are published as they are and undo the release.

| columns | are refused if |
|---|---|
| kept, all together | a combination of their values is held by fewer than k rows (`kept_columns`) |
| sensitive, each | it is an identifier (`identifiers`) |
| each, and all kept ones together | it takes too much of a quasi-identifier (`entropy`) |

Columns that are kept by force are warned about. What is not seen here: a sensitive column that
narrows a quasi-identifier down to less than the limit, and several sensitive ones that do together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Ints
from shoal.declare.columns import points_of
from shoal.encode.profile import Profile
from shoal.errors import PrivacyNotMet
from shoal.groups import Note
from shoal.review.identifiers import has_own_values, identifying
from shoal.review.kept_columns import KeptTally, TooRare, listed
from shoal.review.prechecks.entropy import joined, most_taken
from shoal.screen import percent
from shoal.wording import Option, Remedy, Sentence, Set


@dataclass(frozen=True)
class Leak:
    """One way in which columns that are published as they are undo the release."""

    columns: tuple[str, ...]
    problem: str
    rare: TooRare | None = None
    """Counts of combinations, where these are too rare."""
    sensitive: bool = False

    @property
    def worst(self) -> tuple[str, ...]:
        """The columns that do most of it: a remedy is about these."""
        return self.columns if self.rare is None else self.rare.worst[0]


@dataclass(frozen=True)
class AsTheyAre:
    """The columns of a table that are to be published as they are, and what was counted of them."""

    sensitive: Sequence[Profile]
    kept: KeptTally
    """Combinations of the kept columns, without those that are kept by force."""
    taking: Sequence[Leak]
    """Columns that take too much of a quasi-identifier."""
    k: int
    withhold: float = 0.0
    force_keep: Sequence[str] = ()
    numbers: Sequence[Profile] = ()
    """Columns that can be rounded."""


def refuse_leaks(published: AsTheyAre) -> tuple[Note, ...]:
    """Refuse columns that undo the release, all in one refusal; or return warnings."""
    leaks = [*published.taking]
    for column in published.sensitive:
        if (problem := identifying(column)) is not None:
            leaks.append(Leak((column.name,), problem, sensitive=True))
    rare = published.kept.too_rare(published.k)
    # rows that may be left out may be those concerned: then the gate decides
    if rare is not None and rare.rows > published.withhold * rare.of_rows:
        leaks.append(leak_of(rare))
    refused = [leak for leak in leaks if not set(leak.columns) <= set(published.force_keep)]
    if refused:
        raise refusal(refused, published.numbers)
    return (*_forced(published, leaks), *_warnings(published))


def _forced(published: AsTheyAre, leaks: Sequence[Leak]) -> list[Note]:
    """Tell of columns that are kept by force, with what is known against them."""
    said = [f"{leak.problem}; kept by force" for leak in leaks]
    told = {name for leak in leaks for name in leak.columns}
    said += [
        f"column '{name}' is kept by force: no rule judges it"
        for name in published.force_keep
        if name not in told
    ]
    return [Note("leak", each) for each in said]


def _warnings(published: AsTheyAre) -> list[Note]:
    """Warn of sensitive columns of which most rows have a value of their own."""
    said = [
        f"column '{column.name}' is nearly unique: {column.size:,} different values in "
        f"{int(column.counts.sum()):,} rows; round it before it is published"
        for column in published.sensitive
        if has_own_values(column.counts) and column.name not in published.force_keep
    ]
    return [Note("leak", each) for each in said]


def leak_of(rare: TooRare) -> Leak:
    """Tell of kept columns whose values single people out."""
    return Leak(rare.columns, rare.problem, rare)


def taking_leaks(
    quasi: Mapping[str, Ints],
    sensitive: Mapping[str, Ints],
    keep: Mapping[str, Ints],
    force_keep: Sequence[str] = (),
) -> list[Leak]:
    """List columns that take too much of a quasi-identifier; all come as codes of some rows.

    Codes follow the order of values, missing last.
    """
    leaks = [
        Leak((name,), _taken((name,), other, share), sensitive=name in sensitive)
        for name, codes in {**sensitive, **keep}.items()
        for other, share in most_taken(codes, quasi, ascending=True).items()
    ]
    taken = {leak.columns[0] for leak in leaks}
    others = {name: codes for name, codes in keep.items() if name not in (*force_keep, *taken)}
    if len(others) > 1:
        names = tuple(others)
        leaks += [
            Leak(names, _taken(names, other, share))
            for other, share in most_taken(joined(list(others.values())), quasi).items()
        ]
    return leaks


def _taken(names: Sequence[str], quasi: str, share: float) -> str:
    what = f"column {listed(names)} gives" if len(names) == 1 else f"{listed(names)} together give"
    return f"{what} '{quasi}' away: {percent(share)} of what it tells, beyond chance (limit: 40 %)"


def refusal(leaks: Sequence[Leak], numbers: Sequence[Profile] = ()) -> PrivacyNotMet:
    """Write one error for all leaks of the columns to be published."""
    names = list(dict.fromkeys(name for leak in leaks for name in leak.worst))
    facts: dict[str, object] = {}
    problem = leaks[0].problem
    if len(leaks) > 1:
        problem = f"{len(names):,} published columns would undo the release"
        facts |= {f"leak {i}": leak.problem for i, leak in enumerate(leaks, 1)}
    for leak in leaks:
        if leak.rare is not None and len(leak.columns) > 1:
            facts["singles out most"] = leak.rare.singles_out
    return PrivacyNotMet(problem, {**facts, "published": "nothing"}, _remedy(leaks, names, numbers))


def _remedy(leaks: Sequence[Leak], names: Sequence[str], numbers: Sequence[Profile]) -> Remedy:
    """Say what helps: make it coarser, give it another role, leave it out, or keep it by force."""
    ways = [Sentence(*_coarser(column)) for column in numbers if column.name in names][:1]
    ways.append(Sentence("generalize what others may know (", Option("quasi"), ")"))
    if any(not leak.sensitive for leak in leaks):
        ways.append(Sentence("declare what no outsider knows (", Option("sensitive"), ")"))
    ways.append(Sentence(f"leave {listed(names)} out"))
    return Remedy(*ways, Set("force_keep", list(names)))


def _coarser(column: Profile) -> tuple[str | Set, ...]:
    return (
        "make it coarser: ",
        Set("round", {column.name: step_for(column)}, "round it"),
        " or ",
        Set("top", {column.name: "p99"}, "code its highest values as one"),
    )


def step_for(column: Profile) -> int | float:
    """Propose a step to round numbers to: a power of ten, about a tenth of where most of them lie.

    The middle 80 % of the rows decide, so that one large value makes no step.
    """
    points = points_of(column.values, "number")
    order = np.argsort(points)
    upto = np.cumsum(column.counts[order])
    if not len(points):
        return 1
    low, high = points[order][np.searchsorted(upto, (0.1 * upto[-1], 0.9 * upto[-1]))]
    fifth = float(high) / 5 - float(low) / 5  # ends may lie further apart than any number is large
    step = 10.0 ** round(math.log10(fifth)) if fifth > 0 else 1.0
    return int(step) if step >= 1 else step
