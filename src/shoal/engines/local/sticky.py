"""Sticky groups: people stay in the group they were published in, and newcomers join k at a time.

    find where everybody stands (`ledger/sticky`)
    divide the newcomers among themselves, like a table whose other rows are elsewhere
    where newcomers may wait, only groups that lose little are published at once: a group waits
    until one of its people is due, if it loses more than newcomers of a whole season may expect
    publish old groups in their old cells, which may only become wider (`recode/widening`)
    put rows of groups that are kept as they were behind them, from the file of the last release

All of it is recounted and held against earlier releases like any other release.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Flags, Floats, Ints, Longs
from shoal.encode.rows import Rows
from shoal.engines.dividing import Elsewhere
from shoal.engines.local.added_rows import among
from shoal.engines.local.balanced import balanced_labels, balancing_model, refuse_unbalanced
from shoal.engines.local.counterfeits import Counterfeits, filled_up
from shoal.engines.local.invariant import (
    InvariantGroups,
    Signatures,
    counterfeits_kept,
    first_labels,
    invariant_labels,
)
from shoal.engines.local.joining import joined
from shoal.engines.promises import OldCells
from shoal.engines.widest_cells import divided
from shoal.errors import PrivacyNotMet, RecipeError
from shoal.groups import Groups, Note, Watch
from shoal.kernels.costs import boxes, of_box
from shoal.ledger.across import EarlierReleases
from shoal.ledger.fitting import boxes_read
from shoal.ledger.past import Past
from shoal.ledger.published import KeptGroups, PeopleOfRows, PeoplePublished, keys_of
from shoal.ledger.sticky import NEWCOMER, Standing, standing
from shoal.recipe import Plan, Recipe
from shoal.wording import Remedy, Set

TEXTS = ("snapped", "tight")
SEASON = 0.5
"""How much newcomers of several releases together lose, where those of one lose 1."""


@dataclass(frozen=True)
class StickyDivision:
    """Groups of a table, some of which were published before."""

    groups: Groups
    old: OldCells | None
    standing: Standing
    waiting: Longs
    """People of the table who wait, by their place among people."""
    waited: Ints
    """For how many releases each of these has been waiting."""
    notes: tuple[Note, ...]
    kept: pa.Table | None = None
    """Rows of groups that are published as they were."""
    counterfeits: Counterfeits | None = None
    """Rows of nobody, where a model asks for them."""

    @property
    def again(self) -> int:
        """Count the rows that are published as they were."""
        return 0 if self.kept is None else self.kept.num_rows

    def with_kept(self, released: pa.Table) -> pa.Table:
        """Add rows that are published as they were; all then stand in an order without meaning."""
        if self.kept is None:
            return released
        return among(released, self.kept)

    def joined(self, members: PeoplePublished, past: Past) -> PeoplePublished:
        """Add people who wait, and those of groups that are published as they were."""
        waiting = members.people.hashes.take(pa.array(self.waiting))
        members = replace(members, waiting=waiting, waited=self.waited)
        kept = self.standing.kept
        if not len(kept):
            return members
        last = past.releases[-1]
        inside = np.isin(last.group, kept)
        values = {name: _of_groups(table, kept) for name, table in last.values().items()}
        return replace(
            members,
            kept=KeptGroups(
                past.known.take(pa.array(last.who[inside])),
                np.searchsorted(kept, last.group[inside]).astype(np.int32),
                last.cells().take(pa.array(kept)),
                values,
            ),
        )


def _kept_rows(stand: Standing, past: Past, recipe: Recipe) -> pa.Table | None:
    """Read rows of groups that are published as they were from the file of the last release."""
    if not len(stand.kept):
        return None
    if recipe.keep_order:
        problem = "rows of people who left have no place in the order of the table"
        raise RecipeError(problem, remedy=Remedy(Set("keep_order", False)))
    last = past.releases[-1]
    quasi = list(recipe.quasi)
    cells = last.cells().take(pa.array(stand.kept)).select(quasi)
    rows = last.rows()
    return rows.filter(pc.is_in(keys_of(rows.select(quasi)), keys_of(cells)))


def _of_groups(counts: pa.Table, groups: Ints) -> pa.Table:
    """Select the counts of some groups, and number these from 0."""
    there = counts.filter(pc.is_in(counts["group"], pa.array(groups)))
    numbers = np.searchsorted(groups, np.asarray(there["group"])).astype(np.int32)
    return there.set_column(0, "group", pa.array(numbers))


def sticky_groups(
    rows: Rows, people: PeopleOfRows, plan: Plan, across: EarlierReleases, watch: Watch, seed: int
) -> StickyDivision:
    """Divide a table such that people stay where they were published."""
    past = across.past
    _refuse_unfit(plan, past)
    who = past.numbers(people.hashes)
    stand = standing(past, who, plan.recipe.k, across.leavers)
    unit = stand.unit[people.of]
    newcomers = np.flatnonzero(unit == NEWCOMER)
    labels = np.where(unit >= 0, unit, -1)
    waited = _waited(past, people)
    model = balancing_model(plan)
    if model is not None:
        refuse_unbalanced(rows, model)
    if across.joins and model is not None:
        labels[newcomers] = -1
    elif across.joins:
        labels[newcomers] = _joined(rows.some(newcomers), people.of[newcomers], plan, past, stand)
    else:
        fresh = _divided(rows, newcomers, plan, np.flatnonzero(unit >= 0), watch, seed)
        if across.wait and past.releases and (labels >= 0).any():
            due = waited[people.of[newcomers]] >= across.wait
            fresh = _chosen(fresh, rows.some(newcomers), due)
        labels[newcomers] = np.where(fresh >= 0, fresh + len(stand.group), -1)
    invariant = None
    if model is not None:
        invariant = _invariant(rows, labels, plan, across, stand)
        labels = invariant.labels
    if not (labels >= 0).any() and not len(stand.kept):
        raise _nobody(len(people.hashes), plan)
    groups = Groups.of(labels)
    first = first_labels(groups, labels)
    waiting = np.unique(people.of[newcomers[labels[newcomers] < 0]]).astype(np.int64)
    old = _old_cells(past, stand, first)
    filled = None
    if invariant is not None:
        filled = filled_up(rows, groups, plan, old, *invariant.due(first))
        filled = replace(filled, kept=counterfeits_kept(past, stand.kept, filled.column))
    return StickyDivision(
        groups,
        old,
        stand,
        waiting,
        waited[waiting] + 1,
        (*_said(stand, len(waiting) + stand.waiting, joins=across.joins), *_dropped(invariant)),
        _kept_rows(stand, past, plan.recipe),
        filled,
    )


def _invariant(
    rows: Rows, labels: Ints, plan: Plan, across: EarlierReleases, stand: Standing
) -> InvariantGroups:
    """Let old groups show the values that they showed, and all groups look different."""
    past = across.past
    signatures = Signatures.of(past, stand, rows.sensitive[0], across.hashing)
    kept = pa.table({name: pa.array([], pa.string()) for name in plan.recipe.quasi})
    if len(stand.kept):
        kept = past.releases[-1].cells().take(pa.array(stand.kept))

    def old_of(first: Longs) -> OldCells | None:
        return _old_cells(past, stand, first)

    return invariant_labels(rows, labels, signatures, plan, old_of, kept)


def _dropped(invariant: InvariantGroups | None) -> tuple[Note, ...]:
    """Say how many people are no longer published since their group can't stay as it was."""
    if invariant is None or not invariant.dropped:
        return ()
    text = f"{_no_longer_published(invariant.dropped)}, as values changed beside them"
    return (Note("ledger", text),)


def _no_longer_published(people: int) -> str:
    who = "1 person is" if people == 1 else f"{people:,} people are"
    return f"{who} no longer published"


def _refuse_unfit(plan: Plan, past: Past) -> None:
    """Refuse ways to publish that have no cells which could stay."""
    errors: list[RecipeError] = []
    if any(recoder.name not in TEXTS for recoder in plan.recoders.values()):
        problem = "groups that people stay in are published as intervals and labels"
        errors.append(RecipeError(problem, remedy=Remedy(Set("publish", "snapped"))))
    if plan.method.sets_levels:
        problem = f"method '{plan.method.name}' sets its levels anew for each table"
        errors.append(RecipeError(problem, remedy=Remedy(Set("method", "shoal"))))
    if past.releases:
        before = past.releases[-1].cells().column_names
        if set(before) != set(plan.recipe.quasi):
            facts = {"the last release had": ", ".join(map(repr, before))}
            problem = "people can only stay in groups of the same quasi-identifiers"
            errors.append(RecipeError(problem, facts, Remedy(Set("quasi", before))))
    if errors:
        raise RecipeError.together(errors)


def _divided(
    rows: Rows, newcomers: Longs, plan: Plan, others: Longs, watch: Watch, seed: int
) -> Ints:
    """Divide newcomers among themselves; all of them wait where they can't keep a promise."""
    nobody = np.full(len(newcomers), -1, np.int32)
    if len(newcomers) < plan.recipe.k:
        return nobody
    elsewhere = None
    model = balancing_model(plan)
    if model is not None:
        return balanced_labels(rows.shard(newcomers), plan, model, seed)
    if len(others):
        counts = tuple(
            np.bincount(column.codes[others], minlength=column.size + 1).astype(np.int64)
            for column in rows.sensitive
        )
        elsewhere = Elsewhere(len(others), counts)
    rng = np.random.default_rng(seed)
    try:
        return divided(rows.shard(newcomers), plan, rng, watch, elsewhere).labels
    except PrivacyNotMet:
        if not len(others):
            raise
        return nobody


def _joined(rows: Rows, person: Ints, plan: Plan, past: Past, stand: Standing) -> Ints:
    """Let newcomers take boxes of groups that go on, k at once; -1 where they wait."""
    units = np.unique(stand.unit[stand.unit >= 0]).astype(np.int64)
    old = _old_cells(past, stand, units)
    if old is None or not rows.count:
        return np.full(rows.count, -1, np.int32)
    whose = np.unique(person, return_inverse=True)[1].reshape(-1).astype(np.int32)
    place = joined(rows, whose, boxes_read(old.cells, rows.axes), plan.recipe.k)
    return np.where(place >= 0, units[old.groups[place]], -1).astype(np.int32)


def _waited(past: Past, people: PeopleOfRows) -> Ints:
    """Tell for how many releases each person has been waiting."""
    at = np.asarray(pc.fill_null(pc.index_in(people.hashes, past.waiting), -1), np.int64)
    return np.where(at >= 0, np.append(past.waited, 0)[at], 0).astype(np.int32)


def _chosen(labels: Ints, rows: Rows, due: Flags) -> Ints:
    """Let groups wait that lose much and in which nobody is due."""
    groups = Groups.of(labels)
    if not groups.count:
        return labels
    losses = _losses(rows, groups)
    typical = float((losses * groups.sizes).sum() / groups.sizes.sum())
    urgent = np.zeros(groups.count, np.bool_)
    there = groups.labels >= 0
    urgent[groups.labels[there & due]] = True
    wait = ~urgent & (losses > SEASON * typical)
    return groups.withhold(np.flatnonzero(wait)).labels


def _losses(rows: Rows, groups: Groups) -> Floats:
    """Measure what each group loses, for each of its rows."""
    lo, hi = boxes(rows.codes, groups.labels, groups.count)
    pairs = zip(np.ascontiguousarray(lo.T), np.ascontiguousarray(hi.T), strict=True)
    return np.array([of_box(rows.costs, low, high) for low, high in pairs], np.float64)


def _old_cells(past: Past, stand: Standing, first: Longs) -> OldCells | None:
    """Look up the cells in which groups were published last; `first` names their units."""
    known = np.flatnonzero(first < len(stand.group))
    units = first[known]
    parts: list[tuple[Longs, pa.Table]] = []
    for release in np.unique(stand.release[units]):
        of_release = np.flatnonzero(stand.release[units] == release)
        cells = past.releases[int(release)].cells()
        parts.append((known[of_release], cells.take(pa.array(stand.group[units[of_release]]))))
    return OldCells.of(parts)


def _nobody(people: int, plan: Plan) -> PrivacyNotMet:
    facts = {"people who wait": people, "k": plan.recipe.k, "published": "nothing"}
    problem = "nobody can be published: all people of this table have to wait"
    return PrivacyNotMet(problem, facts, "publish again when more people have joined")


def _said(stand: Standing, waiting: int, *, joins: bool) -> tuple[Note, ...]:
    """Say who is not published, and who is although they left."""
    said = []
    if waiting:
        why = "too few of them fit into an old box" if joins else "too few of them look alike yet"
        wait = "1 person waits" if waiting == 1 else f"{waiting:,} people wait"
        said.append(f"{wait} to be published: {why}")
    if stand.withdrawn:
        said.append(f"{_no_longer_published(stand.withdrawn)}, as others left their groups")
    kept = len(stand.kept)
    if kept:
        stay = (
            "1 group is published as it was"
            if kept == 1
            else f"{kept:,} groups are published as they were"
        )
        said.append(f"{stay}, with people who left")
    return tuple(Note("ledger", text) for text in said)
