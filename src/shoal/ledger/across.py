"""Across: what a release is compared with, and what is done where too few people share groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.ledger.comparing import Compared
from shoal.ledger.described import Described
from shoal.ledger.judging import refuse_exposed
from shoal.ledger.past import Past
from shoal.ledger.published import Hashing, PeoplePublished, Published
from shoal.ledger.signatures import refuse_other_signatures
from shoal.review.across_releases import AcrossReleases, Mode

Leavers = Literal["keep", "withdraw"]


@dataclass(frozen=True)
class Crossed:
    """A release compared with those before it: the figures, and what a ledger keeps of it."""

    figures: AcrossReleases
    published: Published
    described: Described | None = None
    """Values of its people, for a second look when the release is written; never kept."""
    invariant: tuple[str, ...] = ()
    """Sensitive columns beside whose values people must stand as before."""


@dataclass(frozen=True)
class EarlierReleases:
    """Earlier releases, and how a further one is held against them."""

    mode: Mode
    past: Past
    hashing: Hashing
    leavers: Leavers | None = None
    wait: int = 0
    joins: bool = False
    """Whether newcomers only join groups that were published before, and form none."""

    def crossed(self, members: PeoplePublished, k: int, invariant: tuple[str, ...] = ()) -> Crossed:
        """Compare a release with those before it; refuse it unless it is only measured."""
        published = Published.of(members, self.hashing)
        described = Described.of_members(members)
        compared = Compared(self.past.with_new(published), k, described)
        if self.mode != "measure":
            refuse_exposed(compared)
        refuse_other_signatures(compared.joined, invariant)
        figures = compared.figures(self.mode, members.cells.column_names)
        return Crossed(figures, published, described, invariant)

    def judge(self, crossed: Crossed, k: int, past: Past) -> None:
        """Judge a release against a ledger that may have grown since."""
        if past.head == self.past.head:
            return
        joined = past.with_new(crossed.published)
        if self.mode != "measure":
            refuse_exposed(Compared(joined, k, crossed.described))
        refuse_other_signatures(joined, crossed.invariant)
