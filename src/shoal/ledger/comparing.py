"""Comparing: a release with those that were published before, in figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Counts, Flags, Longs
from shoal.ledger.candidates import candidates
from shoal.ledger.company import ABSENT, Histories
from shoal.ledger.described import Described, all_quasi
from shoal.ledger.differences import only_in
from shoal.ledger.fitting import fitting
from shoal.ledger.past import Joined
from shoal.ledger.union import refined
from shoal.review.across_releases import AcrossReleases, CandidatesLeft, Mode

QUANTILES = (0.01, 0.05, 0.25, 0.5)
TRIED = 2_000  # people below k who are looked for by boxes, at most


@dataclass(frozen=True)
class Compared:
    """A release beside those before it: who shares what with too few others."""

    joined: Joined
    k: int
    described: Described | None = None
    """Values of the people of the new release; without them only groups are compared."""

    @cached_property
    def histories(self) -> Histories:
        """People with the same groups in every release."""
        return Histories.of_labels(self.joined.labels)

    @cached_property
    def company(self) -> Longs:
        """Count the people who share all groups of each person of the new release."""
        return np.asarray(self.histories.company()[self.histories.of], np.int64)[self.here]

    @cached_property
    def joint_company(self) -> Longs:
        """Count who shares all groups, and all columns that some release generalizes."""
        labels = None if self.described is None else refined(self.joined, self.described)
        if labels is None:
            return self.company
        histories = Histories.of_labels(labels)
        return np.asarray(histories.company()[histories.of], np.int64)[self.here]

    @cached_property
    def here(self) -> Longs:
        """The people of the new release."""
        return np.flatnonzero(self.joined.labels[-1] != ABSENT)

    @cached_property
    def newcomers_few(self) -> Flags:
        """Mark people who joined with too few others, compared with some release."""
        last = self.joined.labels[-1]
        return self._any([only_in(last, each, self.k).few for each in self.joined.labels[:-1]])

    @cached_property
    def leavers_few(self) -> Flags:
        """Mark people of an earlier release who left with too few others."""
        last = self.joined.labels[-1]
        return self._any([only_in(each, last, self.k).few for each in self.joined.labels[:-1]])

    @cached_property
    def exposed(self) -> Flags:
        """Mark everybody who is in company of too few, or joined or left with too few others."""
        people = self.newcomers_few | self.leavers_few
        people[self.here[self.joint_company < self.k]] = True
        return people

    @property
    def only_moved(self) -> int:
        """Count the exposed who lack others that join or leave with them, and nothing else."""
        below = np.zeros(len(self.exposed), np.bool_)
        below[self.here[self.joint_company < self.k]] = True
        return int(np.count_nonzero(self.exposed & ~below))

    @property
    def holds(self) -> bool:
        """Whether everybody shares all groups with k people, and k or nobody joined or left."""
        few = self.newcomers_few.any() or self.leavers_few.any()
        return not few and int(self.joint_company.min(initial=self.k)) >= self.k

    @cached_property
    def by_boxes(self) -> int | None:
        """Of 100 people below k, count those who are so by boxes alone; None if nobody is."""
        of_everyone = np.zeros(self.joined.labels.shape[1], np.int64)
        of_everyone[self.here] = self.company
        # In the order of the table: numbers of people depend on the key of the ledger.
        who = self.joined.who
        below = who[of_everyone[who] < self.k]
        if self.described is None or not len(below):
            return None
        if len(below) > TRIED:
            below = np.random.default_rng(TRIED).choice(below, TRIED, replace=False)
        fit = fitting(self.joined, self.described, below)
        few = np.maximum(fit, of_everyone[below]) < self.k
        return round(100 * float(few.mean()))

    def exposed_by(self) -> Counts:
        """Count the people whom each earlier release alone leaves with too few others."""
        last = self.joined.labels[-1]
        counts = []
        for each in self.joined.labels[:-1]:
            pair = Histories.of_labels(np.array([each, last]))
            few = (pair.company()[pair.of] < self.k) & (last != ABSENT)
            few |= only_in(last, each, self.k).few | only_in(each, last, self.k).few
            counts.append(int(np.count_nonzero(few)))
        return np.array(counts, np.int64)

    def figures(self, mode: Mode, quasi: Sequence[str]) -> AcrossReleases:
        """State all figures, for the private certificate."""
        past = self.joined.past
        sorted_company = np.sort(self.company)
        places = [int(share * (len(sorted_company) - 1)) for share in QUANTILES]
        before = [set(release.cells().column_names) for release in past.releases]
        below = int(np.count_nonzero(self.company < self.k))
        worst = self._worst()
        return AcrossReleases(
            mode=mode,
            releases=len(past.releases),
            people=len(self.here),
            k=int(sorted_company[0]) if len(sorted_company) else 0,
            below=below,
            alone=int(np.count_nonzero(self.company == 1)),
            quantiles=sorted_company[places].tolist() if len(sorted_company) else [],
            newcomers=self.newcomers,
            newcomers_few=int(np.count_nonzero(self.newcomers_few)),
            leavers=self.leavers,
            leavers_few=int(np.count_nonzero(self.leavers_few)),
            worst=worst,
            by_boxes=self.by_boxes,
            columns=[name for name in quasi if any(name in names for names in before)],
            candidates={name: self._candidates(name) for name in self.joined.columns},
            waiting=len(self.joined.new.waiting),
            joint_columns=[] if self.described is None else self._joint_columns(self.described),
            joint_k=int(self.joint_company.min(initial=int(sorted_company.max(initial=0)))),
            joint_below=int(np.count_nonzero(self.joint_company < self.k)),
        )

    def _joint_columns(self, described: Described) -> list[str]:
        """List all quasi-identifiers, as far as the new table has them."""
        names = all_quasi(self.joined.past, described.columns.quasi)
        return [name for name in names if name in described.columns.names]

    def _worst(self) -> int | None:
        """Name the earlier release that exposes most people; None where none does."""
        if self.holds:
            return None
        counts = self.exposed_by()
        if not counts.max(initial=0):
            return None
        return self.joined.past.releases[int(counts.argmax())].number

    @property
    def newcomers(self) -> int:
        """Count people who were in no earlier release."""
        before = (self.joined.labels[:-1, self.here] != ABSENT).any(axis=0)
        return len(self.here) - int(np.count_nonzero(before))

    @property
    def leavers(self) -> int:
        """Count people of the last release who are not in the new one."""
        if len(self.joined.labels) < 2:
            return 0
        last, new = self.joined.labels[-2:]
        return int(np.count_nonzero((last != ABSENT) & (new == ABSENT)))

    def _any(self, flags: Sequence[Flags]) -> Flags:
        if not flags:
            return np.zeros(self.joined.labels.shape[1], np.bool_)
        return np.logical_or.reduce(flags)

    def _candidates(self, column: str) -> CandidatesLeft:
        """Count what is left of a sensitive column."""
        having, tallies = self.joined.tallies(column)
        histories = self.histories
        if len(having) < len(self.joined.labels):
            histories = Histories.of_labels(np.ascontiguousarray(self.joined.labels[having]))
        left = candidates(histories, tallies)
        alone = candidates(Histories.of_labels(self.joined.labels[-1:]), tallies[-1:])
        alone_people = Histories.of_labels(self.joined.labels[-1:]).people
        people = histories.people
        there = left.values > 0
        return CandidatesLeft(
            fewest=int(left.values[there].min(initial=int(left.values.max(initial=0)))),
            certain=int(people[left.values == 1].sum()),
            certain_alone=int(alone_people[alone.values == 1].sum()),
            surest=round(float(left.surest[there].max(initial=0.0)), 6),
            changed=int(people[left.changed].sum()),
            exact=int(people[there & left.searched].sum()),
        )
