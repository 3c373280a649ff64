"""Sticky: where people of a new table stand who were published before, and who is new.

A *cohort* are all people with the same history: in every release together in one group, or absent.
Whoever subtracts releases from each other sees cohorts that part. So a cohort goes on as a whole,
or k of it go on and k leave:

    published last time  the group goes on with those who are there. Where a cohort of it would
                         part with fewer than k on one side, the whole group is kept as it was, or
                         withdrawn: the maker has to say which
    published before     come back as a cohort, or wait
    never published      are divided among themselves, k or more in a group, or wait
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Ints, Longs
from shoal.errors import PrivacyNotMet
from shoal.ledger.company import ABSENT, Histories
from shoal.ledger.past import Past
from shoal.screen import percent
from shoal.wording import Remedy, Set

NEWCOMER = -1
OUT = -2


@dataclass(frozen=True)
class Standing:
    """Where each person of a table stands: in an old group, among newcomers, or nowhere."""

    unit: Ints
    """[people]: the old group of each, NEWCOMER, or OUT."""
    release: Ints
    """[old groups]: the release in which its cells were published last, by its place."""
    group: Ints
    """[old groups]: its number in that release."""
    kept: Ints
    """Groups of the last release that are published as they were."""
    withdrawn: int = 0
    """How many people are there, but not published, as others left their group."""
    waiting: int = 0
    """How many people wait until enough of their cohort come back."""


def standing(past: Past, who: Longs, k: int, leavers: str | None) -> Standing:
    """Find where people stand; `who` numbers them as the past does, newcomers behind all others."""
    if not past.releases:
        nothing = np.zeros(0, np.int32)
        return Standing(np.full(len(who), NEWCOMER, np.int32), nothing, nothing, nothing)
    labels = past.labels(len(past.known))
    histories = Histories.of_labels(labels)
    here = np.zeros(len(past.known), np.bool_)
    here[who[who < len(past.known)]] = True
    parted = _parted(histories, here, k)
    last = labels[-1]
    bad = np.unique(last[(last != ABSENT) & parted[histories.of]])
    if len(bad) and leavers is None:
        raise _unsaid(last, here, bad)
    return _placed(past, histories, parted, who, bad, keep=leavers == "keep")


def _parted(histories: Histories, here: Flags, k: int) -> Flags:
    """Mark cohorts of which fewer than k are there, or fewer than k are not."""
    stay = np.bincount(histories.of[here], minlength=len(histories.people))
    leave = histories.people - stay
    whole = (stay == 0) | (leave == 0)
    return np.asarray(~whole & ((stay < k) | (leave < k)), np.bool_)


def _placed(
    past: Past, histories: Histories, parted: Flags, who: Longs, bad: Ints, *, keep: bool
) -> Standing:
    """Give everybody a unit: groups of the last release, then cohorts that come back."""
    labels = histories.labels
    last = labels[-1]
    before = (labels != ABSENT).any(axis=0)
    groups = np.unique(last[last != ABSENT])
    groups = groups[~np.isin(groups, bad)]
    # The unit of each cohort: its group, itself where it comes back, or nothing.
    unit = np.full(len(last), OUT, np.int32)
    goes_on = np.isin(last, groups)
    unit[goes_on] = np.searchsorted(groups, last[goes_on])
    back = np.flatnonzero(before & (last == ABSENT) & ~parted)
    unit[back] = len(groups) + np.arange(len(back))
    unit[~before] = NEWCOMER
    known = who < len(past.known)
    of_people = np.full(len(who), NEWCOMER, np.int32)
    cohort = histories.of[who[known]]
    of_people[known] = unit[cohort]
    of_last = last[cohort] != ABSENT
    out = of_people[known] == OUT
    latest = _latest(labels[:, back])
    return Standing(
        of_people,
        np.concatenate([np.full(len(groups), len(labels) - 1), latest]).astype(np.int32),
        np.concatenate([groups, labels[latest, back]]).astype(np.int32),
        bad.astype(np.int32) if keep else np.zeros(0, np.int32),
        0 if keep else int(np.count_nonzero(out & of_last)),
        int(np.count_nonzero(out & ~of_last)),
    )


def _latest(labels: Ints) -> Longs:
    """Find the last release that each cohort was in."""
    there = labels != ABSENT
    return np.asarray(len(labels) - 1 - there[::-1].argmax(axis=0), np.int64)


def _unsaid(last: Ints, here: Flags, bad: Ints) -> PrivacyNotMet:
    """Refuse to decide what becomes of groups that some people left, with the price of both."""
    inside = np.isin(last, bad)
    groups = len(np.unique(last[last != ABSENT]))
    stay = int(np.count_nonzero(inside & here))
    gone = int(np.count_nonzero(inside & ~here))
    facts = {
        "groups that lose someone": f"{len(bad):,} of {groups:,} ({percent(len(bad) / groups)})",
        "people who left them": gone,
        "people who stay in them": stay,
        "price of keeping": f"{gone:,} people who left are published again, as they were",
        "price of withdrawing": f"{stay:,} people who stay are no longer published",
        "published": "nothing",
    }
    keep = Set("leavers", "keep", "publish these groups as they were")
    withdraw = Set("leavers", "withdraw", "no longer publish these groups")
    problem = f"{gone:,} people left {len(bad):,} groups, too few at once to be hidden"
    return PrivacyNotMet(problem, facts, Remedy(keep, withdraw))
