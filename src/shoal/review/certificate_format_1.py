"""Format 1 of certificates: read and verified as before, never written.

    GroupsCertificate1        public, of a release in groups
    OverlapCertificate1       public, of a release in which each row has a box of its own
    DistortionCertificate1    public, of a table whose numbers are perturbed

It told more than its release: findings of attacks, the rounded number of withheld rows and counts
of how people are hidden follow from the original. Private parts of format 1 are not read at all.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType, field

from shoal.review.certificate_format import (
    CertificatePart,
    DistortionAttack,
    HiddenCounts,
    LikeliestLink,
    Limits,
    MadeWith,
    OverlapColumns,
    PrintedLosses,
    Promise,
    PublishedColumns,
    Risks,
    RowCount,
    RowsHash,
    StatedAttack,
    StatedRecipe,
)
from shoal.review.measured_model import MeasuredModel

FORMAT_1: Final = 1
ROUNDED_TO = 10


def rounded(withheld: int) -> int:
    """Round a number of withheld rows as format 1 states it: upward to a multiple of ten."""
    return -(-withheld // ROUNDED_TO) * ROUNDED_TO


class DistortedColumns1(CertificatePart, frozen=True, kw_only=True):
    """The columns of a table whose numbers were perturbed, those of one value by themselves."""

    perturbed: Annotated[list[str], Meta(description="They have noise.")] = []
    constant: Annotated[
        list[str], Meta(description="Chosen, but of one value alone, so without noise.")
    ] = []
    as_they_were: Annotated[list[str], Meta(description="Not chosen.")] = field(
        name="as they were", default_factory=list
    )


class GroupsCertificate1(CertificatePart, frozen=True, kw_only=True):
    """The public certificate of a release in groups, as format 1 has it."""

    format: Annotated[Literal[1], Meta(description="The format of this certificate.")] = FORMAT_1
    shoal: MadeWith
    rows: RowCount
    groups: Annotated[int, Meta(description="How many groups of rows look alike.")]
    k: Annotated[int, Meta(description="How many rows the smallest group holds.")]
    withheld: Annotated[
        int, Meta(description="How many rows were left out, rounded up to a multiple of ten.")
    ]
    models: Annotated[
        list[MeasuredModel], Meta(description="The privacy models of the recipe, as measured.")
    ]
    losses: PrintedLosses
    risks: Annotated[
        Risks, Meta(description="Risks by name, from 0 to 1; some for each sensitive column.")
    ]
    columns: PublishedColumns
    recipe: StatedRecipe
    hash: RowsHash | None
    not_promised: Limits = field(name="not promised", default_factory=list)
    persons: (
        Annotated[str, Meta(description="What is promised where a person has several rows.")]
        | UnsetType
    ) = UNSET
    people_from: (
        Annotated[
            str, Meta(description="Where the number of people behind a row comes from: weights.")
        ]
        | UnsetType
    ) = field(name="people behind the rows from", default=UNSET)
    attacks: (
        Annotated[
            list[StatedAttack], Meta(description="The attacks that had their turn, all withstood.")
        ]
        | UnsetType
    ) = UNSET


class OverlapCertificate1(CertificatePart, frozen=True, kw_only=True):
    """The public certificate of rows with boxes of their own, as format 1 has it."""

    format: Annotated[Literal[1], Meta(description="The format of this certificate.")]
    kind: Annotated[Literal["overlap"], Meta(description="Boxes that overlap.")]
    shoal: MadeWith | UnsetType = UNSET
    rows: RowCount
    k: Annotated[int, Meta(description="The k that was asked for.")]
    promise: Annotated[Promise, Meta(description="Which promise the boxes keep.")]
    concealment: HiddenCounts
    link: LikeliestLink
    recipe: StatedRecipe
    hash: RowsHash
    attacks: Annotated[list[StatedAttack], Meta(description="The attacks that had their turn.")]
    not_promised: Limits = field(name="not promised", default_factory=list)
    losses: PrintedLosses
    columns: OverlapColumns


class DistortionCertificate1(CertificatePart, frozen=True, kw_only=True):
    """The public certificate of a table whose numbers are perturbed, as format 1 has it."""

    format: Annotated[Literal[1], Meta(description="The format of this certificate.")]
    shoal: MadeWith | UnsetType = UNSET
    kind: Annotated[Literal["distortion"], Meta(description="Perturbed numbers.")]
    rows: RowCount
    method: Annotated[str, Meta(description="The distortion with its parameters.")]
    columns: DistortedColumns1
    rounded: Annotated[bool, Meta(description="Whether values have the decimals they had.")]
    shuffled: Annotated[bool, Meta(description="Whether rows stand in random order.")]
    attacks: Annotated[list[DistortionAttack], Meta(description="The attacks that were tried.")]
    hash: RowsHash | None
    not_promised: Limits = field(name="not promised", default_factory=list)


AnyFormat1: TypeAlias = GroupsCertificate1 | OverlapCertificate1 | DistortionCertificate1
