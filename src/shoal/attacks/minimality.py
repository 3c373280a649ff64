"""`minimality`: use that groups are merged only when one of them was not safe.

*The attacker knows* all quasi-identifiers of all people, the release, its recipe, and the method
itself (with `seed`, even the search). k-anonymous groups depend on quasi-identifiers alone, so the
attacker makes them anew. A published group that is a union of several of them was merged by repair,
because one of its parts was not safe:

    parts   = the method's groups without the models
    merged  = published groups that are the union of two or more parts
    draw `draws` times:
        deal the sensitive values of each merged group out to its people at random
        keep the draw for this group if one of its parts would have been unsafe: else it would not
            have been merged
    guess   = for the people of a part, their most frequent value over the draws kept, if it is
            clearly another than ...
    control = the most frequent value of the published group (ties at random)

The attack speaks of the people in merged groups alone. It never gates: it shows whether merging,
which looks at sensitive values, told anything. Methods that go on refining after the repair leave
no unions to recognise. Cost: one run of the method, and one verdict of the models for each draw.

After Wong, Fu, Wang & Pei 2007 (VLDB, pp. 543-554), who count the cases of one group by hand;
drawing them serves any model.

By hand: l = 2. The method's parts are {Ada, Bea} and {Cem, Dan, Eva}; published is one group of the
five with flu, flu, cold, gout and asthma. It was merged, so one part had one value only. Three
people can't share any of these, so it was Ada and Bea, and both have flu. The published group alone
says 2 in 5.

When to use it: where models made a method merge groups: what it did can tell why it had to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Counts, Flags, Floats, Ints, Longs
from shoal.attacks.attack import Attack, Material, Tries
from shoal.attacks.reading import PublishedBoxes, boxes_of, coded_together
from shoal.attacks.sight import SEED
from shoal.encode.profile import profile
from shoal.encode.rows import Rows, encode
from shoal.groups import WITHHELD, Groups
from shoal.kernels.attacks.reach import covering, covering_count
from shoal.kernels.costs import boxes
from shoal.kernels.partition.repair import weigh
from shoal.privacy.column import Column, Sensitive
from shoal.privacy.promises import Promises
from shoal.wording import Remedy, Sentence, Set

MOST_CELLS = 50_000_000  # of parts x values
NO_UNION = "not possible: no published group is a union of groups that the method makes by itself"


@dataclass(frozen=True)
class Minimality(Attack):
    """Infer from a merge that a part of the group was not safe; the attacker knows the method."""

    name = "minimality"
    needs = ("original", "method", "sensitive")
    stops_it = Remedy(
        Sentence(
            "refine after merging, so that no union is left to recognise: ", Set("refine", True)
        ),
        Set("method", "shoal"),
    )

    draws: int = 200
    seed: int = 0

    def _tries(self, material: Material) -> Iterator[Tries]:
        if all(not model.needs_sensitive for model in material.models):
            yield _nothing(
                "not possible: no model looks at sensitive values, so none decides a merge"
            )
            return
        merged = self._merged(material)
        for column in material.sensitive:
            (published, truth), named = coded_together(
                [material.release.table[column], material.scored[column]]
            )
            totals = np.bincount(published, minlength=len(named) + 1).astype(np.int64)
            if not len(merged.members) or merged.parts.count * len(named) > MOST_CELLS:
                yield _nothing(NO_UNION, column)
                continue
            dealt = _Dealt(merged, published, truth, Column(column, named, totals))
            yield dealt.tries(self._posterior(dealt, material))

    def _merged(self, material: Material) -> _Merged:
        """Make the method's own groups anew, and find published groups that unite them."""
        rows = _rows(material)
        size_alone = Promises(
            tuple(model for model in material.models if not model.needs_sensitive)
        )
        k = max(material.k or 1, Promises(material.models).least)
        assert material.method is not None
        parts = material.method.divide(rows, k, size_alone, np.random.default_rng(self.seed))
        return _Merged.of(
            parts, rows, boxes_of(material.release.table, rows.axes, material.release.quasi)
        )

    def _posterior(self, dealt: _Dealt, material: Material) -> Longs:
        """Count how often each part got each value in the draws that explain the merge."""
        models = tuple(
            model
            for model in material.models
            if model.guards(dealt.column.name) and not model.lacks(dealt.column)
        )
        rng = np.random.Generator(np.random.PCG64(SEED + 2))
        times = np.zeros((dealt.merged.parts.count, dealt.values + 1), np.int64)
        for _ in range(self.draws):
            codes = dealt.dealt(rng)
            safe = Promises(models, (Sensitive(dealt.column, codes),)).safe(dealt.merged.judged)
            explained = dealt.merged.explained(safe)
            kept = dealt.merged.members[explained[dealt.merged.union[dealt.merged.members]]]
            np.add.at(times, (dealt.merged.parts.labels[kept], codes[kept]), 1)
        return times[:, :-1]


@dataclass(frozen=True)
class _Merged:
    """Groups made anew (parts), the published group of each part, and the people in unions."""

    parts: Groups
    home: Longs  # of each part: a published group, -1 where none is its union
    boxes: PublishedBoxes

    @classmethod
    def of(cls, parts: Groups, rows: Rows, published: PublishedBoxes) -> _Merged:
        """Assign each part to the least published box around it.

        A published group is a union where the sizes of its parts add up to its own.
        """
        lo, hi = (
            np.ascontiguousarray(ends.T) for ends in boxes(rows.codes, parts.labels, parts.count)
        )
        covered = covering_count(published.first, published.last, lo, hi)
        starts = np.concatenate(([0], np.cumsum(covered))).astype(np.int64)
        matched = covering(published.first, published.last, lo, hi, starts)
        home = np.full(parts.count, -1, np.int64)
        if len(matched):
            weights = _weights(published, np.unique(matched), rows)
            part = np.repeat(np.arange(parts.count), np.diff(starts))
            order = np.lexsort((matched, published.groups.sizes[matched], weights[matched], part))
            first = np.unique(part[order], return_index=True)
            home[first[0]] = matched[order][first[1]]
        is_union = _unions(home, parts, published.groups)
        return cls(parts, np.where(is_union[home], home, -1), published)

    @cached_property
    def union(self) -> Longs:
        """The published group of each person, -1 where it is no union."""
        return np.append(self.home, -1)[self.parts.labels]

    @cached_property
    def members(self) -> Longs:
        """The people of unions, those of one published group together."""
        return np.argsort(self.union, kind="stable")[np.count_nonzero(self.union < 0) :]

    @cached_property
    def judged(self) -> Groups:
        """The parts of unions as groups; the others are not looked at."""
        return Groups(
            np.where(self.union >= 0, self.parts.labels, WITHHELD).astype(np.int32),
            self.parts.count,
        )

    def explained(self, safe: Flags) -> Flags:
        """Mark the published groups that have an unsafe part."""
        unsafe = np.zeros(self.boxes.groups.count, np.bool_)
        unsafe[self.home[(self.home >= 0) & ~safe]] = True
        return unsafe


def _unions(home: Longs, parts: Groups, published: Groups) -> Flags:
    """Mark the published groups as large as their parts together, if two or more.

    One more place stands for parts that lie in no published group.
    """
    there = home >= 0
    size = np.bincount(home[there], parts.sizes[there], minlength=published.count)
    several = np.bincount(home[there], minlength=published.count) > 1
    return np.append(several & (size == published.sizes), False)


@dataclass(frozen=True)
class _Dealt:
    """The sensitive values of published groups, dealt out to their people."""

    merged: _Merged
    published: Ints
    truth: Ints
    column: Column

    @property
    def values(self) -> int:
        """The number of different values."""
        return self.column.size

    @cached_property
    def hand(self) -> Ints:
        """The values of the published rows, group after group in the order of the members."""
        labels = self.merged.boxes.groups.labels
        order = np.argsort(labels, kind="stable")
        wanted = np.zeros(self.merged.boxes.groups.count, np.bool_)
        wanted[self.merged.union[self.merged.members]] = True
        return self.published[order[wanted[labels[order]]]]

    def dealt(self, rng: np.random.Generator) -> Ints:
        """Deal a value to each person; people outside of merged groups get none."""
        members = self.merged.members
        shuffled = np.lexsort((rng.random(len(members)), self.merged.union[members]))
        codes = np.full(len(self.truth), self.values, np.int32)
        codes[members[shuffled]] = self.hand
        return codes

    def tries(self, posterior: Longs) -> Tries:
        """Score the guesses about people of merged groups that some draw explains."""
        part = self.merged.parts.labels[self.merged.members]
        there = (posterior.sum(axis=1)[part] > 0) & (self.truth[self.merged.members] < self.values)
        people = self.merged.members[there]
        group = self.merged.union[people]
        prior = self.merged.boxes.groups.counts(self.published, self.values)
        words = (
            f"Asks which part of a merged group was unsafe; {len(np.unique(group)):,} merged "
            "groups were recognised."
        )
        drawn = posterior[part[there]]
        blind = prior[group]
        attack = _right(drawn, self.truth[people])
        control = _right(blind, self.truth[people])
        guesses = np.where(_clearly_other(drawn, blind), attack, control)
        return Tries(guesses, control, None, words, self.column.name)


def _weights(published: PublishedBoxes, some: Longs, rows: Rows) -> Longs:
    """Weigh some of the published boxes by their cost; the others get 0."""
    weights = np.zeros(published.groups.count, np.int64)
    ones = np.ones(len(some), np.int64)
    weights[some] = weigh(rows.costs, published.first[some], published.last[some], ones)
    return weights


def _right(votes: Counts, truth: Ints) -> Floats:
    """Compute the chance that the most frequent value is right, ties broken at random."""
    most = votes.max(axis=1, initial=0)
    best = votes == most[:, None]
    return np.asarray(
        best[np.arange(len(truth)), truth] / np.maximum(best.sum(axis=1), 1), np.float64
    )


def _clearly_other(drawn: Longs, blind: Counts) -> Flags:
    """Mark people for whom draws favour another value than their group does.

    The difference must exceed what draws differ by among themselves.
    """
    everyone = np.arange(len(drawn))
    best = drawn.max(axis=1, initial=0)
    usual = drawn[everyone, blind.argmax(axis=1)]
    return np.asarray(best - usual > 3 * np.sqrt(best + usual), np.bool_)


def _rows(material: Material) -> Rows:
    table = material.scored
    seen = material.release
    columns = [profile(table[name].combine_chunks(), name) for name in seen.quasi]
    return encode(
        columns, seen.hierarchies or {}, loss=material.loss, importance=material.importance
    )


def _nothing(why: str, column: str | None = None) -> Tries:
    return Tries(np.zeros(0), np.zeros(0), None, why, column)
