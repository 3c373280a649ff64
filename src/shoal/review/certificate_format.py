"""Format 2 of certificates: every field with its JSON name and its meaning, declared here alone.

    GroupsCertificate        public, of a release in groups
    OverlapCertificate       public, of a release in which each row has a box of its own
    DistortionCertificate    public, of a table whose numbers are perturbed
    GroupsPrivate, OverlapPrivate, DistortionPrivate    what stays with the maker of each

A public part is a function of the release, the recipe with the names of the input's columns, the
hierarchies and a named population alone. Whatever else follows from the original is private.

The order of the fields is that of the keys; an UNSET field is not written. `certificate_reading`
decodes files into these, `certificate_schema` makes JSON Schemas of them. Format 1 is read, never
written. A new format is a new module with its line in `certificate_reading.READERS`.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from shoal.review.across_releases import AcrossReleases, StatedMode
from shoal.review.counterfeits import StatedCounterfeits
from shoal.review.measured_model import MeasuredModel

FORMAT: Final = 2
# Keys that are also the words in which people are told.
LEAST = "no grouping loses less than"
BELOW_K = "people below k matches"

Promise = Literal["k-1", "1-k", "k-k", "k-concealment"]
Losses = dict[str, float | None]
Share = Annotated[float, Meta(ge=0, le=1)]
Risks = dict[str, Share | dict[str, Share | None] | None]
MadeWith = Annotated[str, Meta(description="The version of Shoal that made the release.")]
RowCount = Annotated[int, Meta(ge=1, description="How many rows are published.")]
RowsHash = Annotated[
    str, Meta(pattern="^[0-9a-f]{64}$", description="SHA-256 of the published rows as a set.")
]
StatedRecipe = Annotated[
    dict[str, Any],
    Meta(
        description="What was asked for: the recipe without its seed, files by their names alone."
    ),
]
AttacksPassed = Annotated[
    list[str],
    Meta(
        description="The names of the attacks that had their turn and passed: those that gate "
        "failed. The recipe alone tells which; what they found is private."
    ),
]
Limits = Annotated[
    list[str], Meta(description="What a reader must not take for granted, in sentences.")
]
PrintedLosses = Annotated[
    Losses, Meta(description="Losses by name, measured from the cells as they are printed.")
]
Seed = Annotated[int, Meta(description="The seed of the search: repeats the run.")]
RowsIn = Annotated[int, Meta(description="How many rows the original has.")]
TightLosses = Annotated[
    Losses, Meta(description="Losses by name, measured from the rows of the original.")
]
Notes = Annotated[list[str], Meta(description="What the search says about itself.")]


class CertificatePart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A certificate, or a part of one with fields of its own; others are refused."""

    def as_dict(self) -> dict[str, Any]:
        """Return the part as plain JSON-like data, which the caller may change."""
        return msgspec.to_builtins(self, enc_hook=_plain)


class PublishedColumns(CertificatePart, frozen=True, kw_only=True):
    """The columns of the original by what became of them."""

    quasi: Annotated[list[str], Meta(description="Generalized: they could identify people.")] = []
    sensitive: Annotated[
        list[str], Meta(description="Published without being generalized, guarded by the models.")
    ] = []
    kept: Annotated[list[str], Meta(description="Published as they are, guarded by no model.")] = []
    weight: Annotated[
        list[str], Meta(description="For how many people a row stands; published as group means.")
    ] = []
    dropped: Annotated[list[str], Meta(description="Not published.")] = []
    kept_by_force: Annotated[
        list[str], Meta(description="Published although they tell too much.")
    ] = field(name="kept by force", default_factory=list)


class OverlapColumns(PublishedColumns, frozen=True, kw_only=True):
    """The columns of the original by what became of them, and the published ones."""

    published: Annotated[
        list[str],
        Meta(description="The columns of the release; those of a distribution as one name."),
    ] = []


class DistortedColumns(CertificatePart, frozen=True, kw_only=True):
    """The columns of a table whose numbers were perturbed."""

    perturbed: Annotated[
        list[str],
        Meta(description="Chosen: they have noise, unless all their values are the same."),
    ] = []
    as_they_were: Annotated[list[str], Meta(description="Not chosen.")] = field(
        name="as they were", default_factory=list
    )


class StatedAttack(CertificatePart, frozen=True, kw_only=True):
    """The finding of an attack that had its turn before the release: its gain over guessing."""

    name: Annotated[str, Meta(description="The name of the attack.")]
    column: Annotated[str | None, Meta(description="The sensitive column that was guessed.")]
    gates: Annotated[bool, Meta(description="Whether it refuses a release when it succeeds.")]
    trials: Annotated[int, Meta(description="How many people were attacked.")]
    attack: Annotated[float, Meta(description="The share of right guesses with the release.")]
    control: Annotated[float, Meta(description="The share of right guesses without it.")]
    advantage: Annotated[
        float,
        Meta(description="The share of the wrong guesses that the release turns into right ones."),
    ]
    low: Annotated[float, Meta(description="The lower end of the advantage's 95 % interval.")]
    high: Annotated[float, Meta(description="The upper end of the advantage's 95 % interval.")]


class DistortionAttack(CertificatePart, frozen=True, kw_only=True):
    """An attack on perturbed numbers; its figures are null where it was not possible."""

    name: Annotated[str, Meta(description="The name of the attack.")]
    column: Annotated[str | None, Meta(description="The column that was guessed.")]
    gates: Annotated[bool, Meta(description="Whether it refuses a table when it succeeds.")]
    trials: Annotated[int, Meta(description="How many values were attacked.")]
    attack: Annotated[float | None, Meta(description="The share of right guesses.")]
    control: Annotated[float | None, Meta(description="The share of right guesses by chance.")]
    advantage: Annotated[
        float | None,
        Meta(description="The share of the wrong guesses that the table turns into right ones."),
    ]
    low: Annotated[
        float | None, Meta(description="The lower end of the advantage's 95 % interval.")
    ]
    high: Annotated[
        float | None, Meta(description="The upper end of the advantage's 95 % interval.")
    ]
    limit: Annotated[float, Meta(description="The advantage up to which a table is published.")]
    refuses: Annotated[bool, Meta(description="Whether it succeeds, and would refuse the table.")]


class HiddenCounts(CertificatePart, frozen=True, kw_only=True):
    """How people are hidden among rows that overlap: those hidden worst."""

    covered: Annotated[int, Meta(description="The fewest people that a row fits.")] = field(
        name="people that a row fits"
    )
    covering: Annotated[int, Meta(description="The fewest rows that fit a person.")] = field(
        name="rows that fit a person"
    )
    matches: Annotated[
        int, Meta(description="The fewest rows that could be a person's own, while all have a row.")
    ] = field(name="possible matches")
    matches_below: Annotated[
        int, Meta(description="How many people have fewer than k possible matches.")
    ] = field(name=BELOW_K)
    covering_below: Annotated[
        int, Meta(description="How many people are fitted by fewer than k rows.")
    ] = field(name="people fitted by fewer than k rows")

    @property
    def fewest(self) -> dict[str, int]:
        """Return the counts that are the fewest over all rows or people, by their JSON names."""
        return dict(list(self.as_dict().items())[:3])


class LikeliestLink(CertificatePart, frozen=True, kw_only=True):
    """The chance of the likeliest link of a person and a row."""

    largest: Annotated[float | None, Meta(description="The chance, over all people.")] = None
    limit: Annotated[
        float | None, Meta(description="The chance at most; above it where it was drawn.")
    ] = None
    draws: Annotated[
        int | None, Meta(description="How many matchings were drawn; 0 where it is exact.")
    ] = None


class KeptTogether(CertificatePart, frozen=True, kw_only=True):
    """Risks by someone who knows the kept columns too; a release is not refused for them."""

    fewest: Annotated[
        int | None,
        Meta(
            description="The fewest rows that hold a combination of kept columns, those kept by "
            "force left out; null where all are kept by force."
        ),
    ] = field(name="rows with equal kept values")
    counted: Annotated[
        list[str], Meta(description="The columns that these risks count: cells and kept columns.")
    ] = field(name="columns counted")
    risks: Annotated[Risks, Meta(description="Risks by name, from 0 to 1.")]


class GroupsCertificate(CertificatePart, frozen=True, kw_only=True):
    """The public certificate of a release in groups: rows that look alike."""

    format: Annotated[Literal[2], Meta(description="The format of this certificate.")] = FORMAT
    shoal: MadeWith
    rows: RowCount
    groups: Annotated[int, Meta(ge=1, description="How many groups of rows look alike.")]
    k: Annotated[int, Meta(ge=1, description="How many rows the smallest group holds.")]
    withheld_at_most: Annotated[
        float,
        Meta(ge=0, le=1, description="The share of rows that the recipe allowed to leave out."),
    ] = field(name="withheld at most")
    models: Annotated[
        list[MeasuredModel], Meta(description="The privacy models of the recipe, as measured.")
    ]
    losses: PrintedLosses
    risks: Annotated[
        Risks, Meta(description="Risks by name, from 0 to 1; some for each sensitive column.")
    ]
    kept: (
        Annotated[
            KeptTogether,
            Meta(
                description="Risks of cells and kept columns together, where columns are kept; "
                "`risks` count the quasi-identifiers alone."
            ),
        ]
        | UnsetType
    ) = field(name="risks with kept columns", default=UNSET)
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
    nested: (
        Annotated[
            Literal[True],
            Meta(
                description="Any two published values of a column are equal, nested or disjoint: "
                "each is a node of its column's ladder or hierarchy."
            ),
        ]
        | UnsetType
    ) = field(name="values nest", default=UNSET)
    across: StatedMode | UnsetType = field(name="earlier releases", default=UNSET)
    counterfeits: StatedCounterfeits | UnsetType = UNSET
    attacks: AttacksPassed


class OverlapCertificate(CertificatePart, frozen=True, kw_only=True):
    """The public certificate of a release in which each row has a box of its own."""

    format: Annotated[Literal[2], Meta(description="The format of this certificate.")]
    kind: Annotated[Literal["overlap"], Meta(description="Boxes that overlap.")]
    shoal: MadeWith
    rows: RowCount
    k: Annotated[int, Meta(description="The k that was asked for.")]
    promise: Annotated[Promise, Meta(description="Which promise the boxes keep.")]
    recipe: StatedRecipe
    hash: RowsHash
    attacks: AttacksPassed
    not_promised: Limits = field(name="not promised", default_factory=list)
    losses: PrintedLosses
    columns: OverlapColumns


class DistortionCertificate(CertificatePart, frozen=True, kw_only=True):
    """The public certificate of a table whose numbers are perturbed."""

    format: Annotated[Literal[2], Meta(description="The format of this certificate.")]
    shoal: MadeWith
    kind: Annotated[Literal["distortion"], Meta(description="Perturbed numbers.")]
    rows: RowCount
    method: Annotated[str, Meta(description="The distortion with its parameters.")]
    columns: DistortedColumns
    rounded: Annotated[bool, Meta(description="Whether values have the decimals they had.")]
    shuffled: Annotated[bool, Meta(description="Whether rows stand in random order.")]
    attacks: AttacksPassed
    hash: RowsHash | None
    not_promised: Limits = field(name="not promised", default_factory=list)


AttackFindings = Annotated[
    list[StatedAttack], Meta(description="What each attack gained over guessing.")
]


class OptimalityGap(CertificatePart, frozen=True, kw_only=True):
    """How far the loss is above that of the best grouping, at most."""

    loss: Annotated[str, Meta(description="The name of the loss.")]
    lost: Annotated[float, Meta(description="What this grouping loses.")]
    least: Annotated[float, Meta(description="What is proven of every grouping.")] = field(
        name=LEAST
    )
    gap: Annotated[
        float | None, Meta(description="Loss / bound - 1; null where the bound alone is 0.")
    ]


class GroupsPrivate(CertificatePart, frozen=True, kw_only=True):
    """The private certificate of a release in groups."""

    seed: Seed
    rows_in: RowsIn = field(name="rows in")
    withheld: Annotated[int, Meta(description="How many rows were left out.")]
    people: (
        Annotated[
            int, Meta(description="How many people are published, where rows are not people.")
        ]
        | UnsetType
    ) = UNSET
    different_rows: (
        Annotated[int, Meta(description="How many rows differ on the quasi-identifiers.")]
        | UnsetType
    ) = field(name="different rows", default=UNSET)
    losses: TightLosses
    printed_losses: Annotated[
        Losses,
        Meta(description="Losses by name of the printed cells; rows left out count in full."),
    ] = field(name="printed losses")
    risks_before: (
        Annotated[Risks, Meta(description="Risks by name if the original were published.")]
        | UnsetType
    ) = field(name="risks before", default=UNSET)
    notes: Notes
    group_sizes: Annotated[
        dict[str, int], Meta(description="How many groups as divided have which size.")
    ] = field(name="group sizes")
    bound: Annotated[
        OptimalityGap | None, Meta(description="How far the loss is from a proven lower bound.")
    ]
    attacks: AttackFindings
    across: (
        Annotated[AcrossReleases, Meta(description="It, together with earlier ones.")] | UnsetType
    ) = field(name="with earlier releases", default=UNSET)


class OverlapPrivate(CertificatePart, frozen=True, kw_only=True):
    """The private certificate of a release in which each row has a box of its own."""

    seed: Seed
    rows_in: RowsIn = field(name="rows in")
    withheld: Annotated[int, Meta(description="How many rows were left out: none.")] = 0
    losses: TightLosses
    notes: Notes
    bound: Annotated[None, Meta(description="Nothing is proven of boxes that overlap.")] = None
    losses_as_in_the_paper: Annotated[
        Losses, Meta(description="Losses by name of the boxes before people were hidden in them.")
    ] = field(name="losses as in the paper")
    concealment: HiddenCounts
    link: LikeliestLink
    attacks: AttackFindings


class DistortionPrivate(CertificatePart, frozen=True, kw_only=True):
    """The private certificate of a table whose numbers are perturbed."""

    seed: Annotated[
        int | None, Meta(description="The seed of the noise; null where nobody can repeat it.")
    ]
    clusters: Annotated[int, Meta(description="How many clusters effects are measured with.")]
    effects: Annotated[
        Losses, Meta(description="What the noise did to values and clusters, by name.")
    ]
    notes: Notes
    attacks: Annotated[list[DistortionAttack], Meta(description="The attacks that were tried.")]
    read_off: Annotated[
        list[str], Meta(description="Columns of which most values are read off by rounding them.")
    ] = field(name="read off by rounding")


ReleaseCertificate = GroupsCertificate | OverlapCertificate
ReleasePrivate = GroupsPrivate | OverlapPrivate
PublicCertificate = GroupsCertificate | OverlapCertificate | DistortionCertificate
PrivateCertificate = GroupsPrivate | OverlapPrivate | DistortionPrivate


def _plain(value: object) -> object:
    """Return what JSON has for a value that msgspec does not know, such as a NumPy float."""
    if isinstance(value, MeasuredModel):
        return value.as_dict()
    if isinstance(value, float):
        return float(value)
    raise NotImplementedError(f"no JSON for {type(value).__name__}")
