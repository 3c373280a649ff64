"""Facts: what a report is written from, in one of two forms.

`internal` knows everything that a run gave. `public` is given the published table and the public
certificate, and nothing else: what is not in them can't be in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from shoal.arrays import AnyArray
from shoal.declare.columns import whole
from shoal.encode.axes import Axis
from shoal.review.certificate import Certificate
from shoal.review.certificate_format import (
    GroupsCertificate,
    OptimalityGap,
    OverlapCertificate,
    OverlapPrivate,
    PublishedColumns,
    ReleaseCertificate,
    ReleasePrivate,
    StatedAttack,
)
from shoal.review.measured_model import MeasuredModel
from shoal.review.recount import recount
from shoal.review.report.document import Bars
from shoal.review.report.spread import as_printed, before_and_after, columns, rounded
from shoal.review.risks.risk import Figure

WHOLE = re.compile(r"(?<![\w.,])\d[\d,]*(?!\d*[.]\d|\w)")  # a whole number in a sentence


@dataclass(frozen=True)
class Meaning:
    """A plug-in in one sentence; of a risk, also which of three questions it answers."""

    summary: str
    question: str = ""


Glossary = Mapping[str, Meaning]
Settings = Mapping[str, str | None]
"""What each setting of a recipe says; empty where the part that it names says it, None where the
report shows the setting elsewhere.
"""


@dataclass(frozen=True)
class Facts:
    """Facts of a release that the readers of a report may know."""

    certificate: ReleaseCertificate  # the public part
    glossary: Glossary
    losses: Mapping[str, float | None]
    before: Mapping[str, Figure]  # risks; empty where they are not told
    after: Mapping[str, Figure]
    # Of the groups that are published; None where each row has a box of its own.
    sizes: AnyArray | None
    spreads: tuple[Bars, ...]
    withheld: int | None  # None where their number is not told
    notes: tuple[str, ...] = ()
    gap: OptimalityGap | None = None
    private: ReleasePrivate | None = None  # None in public
    public: bool = False
    signed_by: str | None = None  # the name of the key that signs the release when it is written

    @property
    def recipe(self) -> Mapping[str, Any]:
        """The recipe as the certificate states it."""
        return self.certificate.recipe

    @property
    def columns(self) -> PublishedColumns:
        """The columns by what became of them."""
        return self.certificate.columns

    @property
    def models(self) -> Sequence[MeasuredModel]:
        """The privacy models with what was measured; none are about boxes that overlap."""
        public = self.certificate
        return public.models if isinstance(public, GroupsCertificate) else ()

    @property
    def attacks(self) -> Sequence[StatedAttack]:
        """The findings of attacks that had their turn, for the maker alone; none in public."""
        return () if self.private is None else self.private.attacks

    @property
    def hidden(self) -> OverlapPrivate | None:
        """The counts of people hidden in boxes that overlap, for the maker alone."""
        return self.private if isinstance(self.private, OverlapPrivate) else None

    def meaning(self, name: str) -> str:
        """A plug-in in one sentence."""
        return self.glossary[name].summary if name in self.glossary else ""

    def count(self, number: int) -> str:
        """A number of rows or people; in public, about how many."""
        return f"about {rounded(number):,}" if self.public and number else f"{number:,}"

    def said(self, sentence: str) -> str:
        """A sentence of the certificate; in public, its numbers of people are rounded too."""
        if not self.public:
            return sentence
        return WHOLE.sub(lambda match: self.count(int(match[0].replace(",", ""))), sentence)


def internal(
    table: pa.Table,
    axes: Sequence[Axis],
    certificate: Certificate[ReleaseCertificate, ReleasePrivate],
    losses: Mapping[str, float | None],
    risks: Mapping[str, Mapping[str, Figure]],
    notices: Sequence[str],
    glossary: Glossary,
) -> Facts:
    """Collect all that a run gave, for its maker alone: bars of original values too."""
    private = certificate.private
    return Facts(
        certificate.public,
        glossary,
        losses,
        risks.get("before", {}),
        risks.get("after", {}),
        _sizes(table, certificate.public),
        tuple(before_and_after(table, axis, private.rows_in) for axis in axes),
        private.withheld,
        (*notices, *private.notes),
        private.bound,
        private,
    )


def public(table: pa.Table, certificate: ReleaseCertificate, glossary: Glossary) -> Facts:
    """Collect the facts that the release itself tells, for everyone."""
    return Facts(
        certificate,
        glossary,
        certificate.losses,
        {},
        certificate.risks if isinstance(certificate, GroupsCertificate) else {},
        _sizes(table, certificate),
        tuple(as_printed(table, name) for name in certificate.columns.quasi),
        None,
        public=True,
    )


def _sizes(table: pa.Table, certificate: ReleaseCertificate) -> AnyArray | None:
    """Count, in the published table, the rows of each group; None where boxes overlap."""
    if isinstance(certificate, OverlapCertificate):
        return None
    names = [column for name in certificate.columns.quasi for column in columns(table, name)]
    return recount([whole(table[name]) for name in names]).sizes
