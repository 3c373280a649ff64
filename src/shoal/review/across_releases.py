"""Across releases: what a release and those before it tell together, as a certificate states it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, field

Mode = Literal["measure", "guard", "sticky"]
StatedMode = Annotated[Mode, Meta(description="How it was held against earlier releases.")]


class CandidatesLeft(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Protection of a sensitive column that is left once releases are compared."""

    fewest: Annotated[int, Meta(description="Fewest values that somebody can have.")]
    certain: Annotated[int, Meta(description="People of whom one value alone is left.")]
    certain_alone: Annotated[
        int, Meta(description="People of whom this release alone leaves one value.")
    ] = field(name="certain by this release alone")
    surest: Annotated[float, Meta(ge=0, le=1, description="Highest share of one value.")]
    changed: Annotated[int, Meta(description="People about whom releases contradict each other.")]
    exact: Annotated[int, Meta(description="People for whom the number of values is exact.")]


class AcrossReleases(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A release together with those that were published before."""

    mode: Mode
    releases: Annotated[int, Meta(description="Earlier releases that it was compared with.")]
    people: Annotated[int, Meta(description="People of this release.")]
    k: Annotated[int, Meta(description="Fewest people who share all groups of somebody.")] = field(
        name="k over all releases"
    )
    below: Annotated[int, Meta(description="People with fewer than k in all of their groups.")] = (
        field(name="people below k")
    )
    alone: Annotated[int, Meta(description="People who are alone in what their groups share.")]
    quantiles: Annotated[
        list[int],
        Meta(description="How many people share all groups: of the lowest 1, 5, 25, 50 % people."),
    ]
    newcomers: Annotated[int, Meta(description="People who were in no earlier release.")]
    newcomers_few: Annotated[
        int, Meta(description="People who joined a group with too few others, to some release.")
    ] = field(name="newcomers below k")
    leavers: Annotated[int, Meta(description="People of the last release who are not in this one.")]
    leavers_few: Annotated[
        int, Meta(description="People who left a group with too few others, from some release.")
    ] = field(name="leavers below k")
    worst: Annotated[
        int | None, Meta(description="Number of the earlier release that exposes most people.")
    ] = field(name="release that hurts most")
    by_boxes: Annotated[
        int | None,
        Meta(
            description="Of 100 people below k, how many are below k even for someone who can't "
            "recognise rows but fits people into boxes; null if nobody is below."
        ),
    ] = field(name="of 100 below k, by boxes alone")
    columns: Annotated[
        list[str], Meta(description="Quasi-identifiers that some earlier release had as well.")
    ] = field(name="quasi-identifiers of all releases")
    candidates: Annotated[dict[str, CandidatesLeft], Meta(description="For each sensitive column.")]
    waiting: Annotated[int, Meta(description="People who wait to be published.")] = 0
    joint_columns: Annotated[
        list[str],
        Meta(description="Columns that some release generalizes, as far as this table has them."),
    ] = field(name="union of quasi-identifiers", default_factory=list)
    joint_k: Annotated[
        int, Meta(description="Fewest people who share all groups and these columns with somebody.")
    ] = field(name="k on the union", default=0)
    joint_below: Annotated[
        int, Meta(description="People with fewer than k who share all groups and these columns.")
    ] = field(name="people below k on the union", default=0)
