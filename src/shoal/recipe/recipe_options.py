"""Recipe options: everything that can be asked of a release, each declared once beside its field.

A new option is a new field here; `shoal.recipe.options` says what its declaration may hold. The
order of the fields is that of published recipes: a new one goes to the end of its section.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from shoal.declare.understanding.column import WORDS
from shoal.partition.refinement import Effort
from shoal.presets import PRESETS
from shoal.privacy.promises import Others
from shoal.recipe import coding_options
from shoal.recipe.global_options import SchemeFile, Suppress
from shoal.recipe.options import option
from shoal.recipe.run import Seed
from shoal.review.prechecks.population import TYPED

Names = tuple[str, ...]
End = int | float | str
ShareOrAll = Annotated[float, msgspec.Meta(ge=0, le=1)]
ReadAs = Literal[WORDS]  # type: ignore[valid-type]
Weight = Annotated[float, msgspec.Meta(gt=0, le=1e9)]


class RecipeOptions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The options of a recipe; all of them are published with the release."""

    quasi: Annotated[
        Names,
        option(
            "Quasi-identifiers: columns that others may know.",
            "roles",
            flags=("-q", "--quasi"),
            example=("age", "sex"),
        ),
    ] = ()
    sensitive: Annotated[
        Names,
        option(
            "Sensitive columns: published, guarded by the models.",
            "roles",
            flags=("-s", "--sensitive"),
            example=("disease",),
        ),
    ] = ()
    identifiers: Annotated[
        Names, option("Columns to drop.", "roles", flags=("-i", "--identifiers"), example=("name",))
    ] = ()
    keep: Annotated[
        Names,
        option(
            "Columns to publish as they are; k rows share each combination of their values.",
            "roles",
            example=("ward",),
        ),
    ] = ()
    force_keep: Annotated[
        Names,
        option("Publish it although it tells too much.", "roles", metavar="A", example=("ward",)),
    ] = ()
    person: Annotated[
        str | None,
        option(
            "Several rows may be about one person: groups count persons.",
            "roles",
            form="column",
            example="patient",
            reported="Rows about one person are told by this column; people are counted, not rows.",
            not_with=("overlap",),
        ),
    ] = None
    weight: Annotated[
        str | None,
        option(
            "For how many people a row stands; published as the mean of its group.",
            "roles",
            form="column",
            example="weight",
            reported="For how many people a row stands.",
            not_with=("disk", "spark", "overlap"),
        ),
    ] = None
    rows_are_persons: Annotated[
        bool,
        option(
            "Each row is about a person of its own, although an id or a name repeats.",
            "roles",
            reported="The maker says that no two rows are about one person.",
            panel=True,
        ),
    ] = False
    preset: Annotated[
        str | None,
        option(
            f"A threshold in common use: {', '.join(PRESETS)}.",
            "protection",
            metavar="NAME",
            takes=f"one of: {', '.join(PRESETS)}",
            reported="A threshold in common use.",
            not_with=("overlap",),
        ),
    ] = None
    k: Annotated[
        int,
        msgspec.Meta(ge=1),
        option(
            "Least number of rows that look alike.",
            "protection",
            flags=("-k",),
            takes="a whole number from 1 to the number of rows",
            example=5,
            reported="How many rows look alike at least on the generalized columns.",
        ),
    ] = 5
    models: Annotated[
        Names,
        option(
            "A privacy model beside k, e.g. l-diversity:l=3, or l-diversity:l=3,on=diagnosis.",
            "protection",
            flags=("--model",),
            metavar="NAME:P=V",
            form="each",
            takes="models by name",
            example=("l-diversity:l=3",),
            reported="Further promises; see Inference.",
            not_with=("overlap",),
            python="Sequence[str | Model]",
        ),
    ] = ()
    withhold: Annotated[
        ShareOrAll,
        option(
            "Share of rows that may be left out, e.g. 0.01.",
            "protection",
            metavar="SHARE",
            takes="a share of the rows from 0 to below 1; with full-domain up to 1",
            example=0.01,
            reported="The share of rows that may be left out, where they would cost all others"
            " too much.",
            not_with=("overlap",),
        ),
    ] = 0.0
    missing: Annotated[
        Literal["own", "refuse"],
        option(
            "A missing value is a value of its own, or refused.",
            "protection",
            reported="Whether a missing value is a value of its own, or refused.",
            panel=True,
        ),
    ] = "own"
    others: Annotated[
        Others,
        option(
            "Each sensitive column is judged alone, or as by someone who knows the others.",
            "protection",
            reported="Whether an attacker may know the other sensitive columns.",
            panel=True,
            not_with=("overlap",),
        ),
    ] = "separate"
    population: Annotated[
        int | float | str | None,
        option(
            "Everyone: a file or URL#TABLE, their number (250000), or the fraction that was"
            " sampled (0.1).",
            "protection",
            metavar="FILE|N",
            takes=TYPED,
            example=250_000,
            reported="Everybody the people of the table were taken from: a table, a number or the"
            " share that was taken.",
            not_with=("disk", "spark", "overlap"),
            python="Any",
        ),
    ] = None
    suppress: Suppress = "rows"
    method: Annotated[
        str,
        option(
            "How rows are divided.",
            "grouping",
            metavar="NAME[:P=V]",
            takes="a method by name",
            example="mondrian",
            reported="",
            panel=True,
            python="str | Method",
        ),
    ] = "shoal"
    loss: Annotated[
        str | None,
        option(
            "What the method minimizes: span, height, leaf-share, ...",
            "grouping",
            metavar="NAME",
            takes="a loss by name",
            example="span",
            reported="",
            panel=True,
        ),
    ] = None
    effort: Annotated[
        Effort,
        option(
            "How much work goes into a low loss.",
            "grouping",
            reported="How much work went into a low loss.",
            panel=True,
            not_with=("overlap",),
        ),
    ] = "default"
    time_limit: Annotated[
        Annotated[float, msgspec.Meta(gt=0)] | None,
        option(
            "Seconds after which refinement stops; what it reached can't be repeated.",
            "grouping",
            metavar="SECONDS",
            takes="seconds above 0",
            example=30,
            reported="Seconds after which the search for a lower loss ends.",
            panel=True,
            not_with=("spark", "overlap"),
        ),
    ] = None
    refine: Annotated[
        bool,
        option(
            "Refine the groups of any method: less loss, never more.",
            "grouping",
            reported="Groups were improved after the method found them.",
            panel=True,
            not_with=("overlap",),
        ),
    ] = False
    importance: Annotated[
        dict[str, Weight],
        option(
            "Weight of a column in the loss.",
            "grouping",
            metavar="COLUMN=W",
            takes="weights above 0",
            example={"age": 2},
            reported="Columns that weigh more were kept more exact.",
            panel=True,
            python="Mapping[str, float]",
        ),
    ] = {}
    top: Annotated[dict[str, End], coding_options.TOP] = {}
    bottom: Annotated[dict[str, End], coding_options.BOTTOM] = {}
    round: Annotated[dict[str, int | float], coding_options.ROUND] = {}
    at_least: Annotated[dict[str, End], coding_options.AT_LEAST] = {}
    at_most: Annotated[dict[str, End], coding_options.AT_MOST] = {}
    scheme: SchemeFile = None
    seed: Seed = None  # declared on Run: carried along, and left out of all that is published
    publish: Annotated[
        str | dict[str, str],
        option(
            "How cells are printed: snapped, tight, centre, bounds or sets.",
            "publishing",
            metavar="[COLUMN=]HOW",
            takes="snapped, tight, centre, bounds or sets",
            example="snapped",
            reported="",
            panel=True,
            python="str | Mapping[str, str]",
        ),
    ] = "snapped"
    keep_order: Annotated[
        bool,
        option(
            "Keep the order of the input rows.",
            "publishing",
            reported="Rows stand in the order of the original table.",
            not_with=("disk", "spark", "overlap"),
        ),
    ] = False
    as_published: Annotated[
        bool,
        option(
            "Publish overlapping boxes as their paper has it, without the repairs.",
            "publishing",
            reported="The form of the paper, without our repairs.",
        ),
    ] = False
    hierarchies: Annotated[
        dict[str, str | dict[str, Any]],
        option(
            "How a column becomes coarser: a file, none (interval), flat, masks:length=5,"
            " intervals:width=10, dates ...",
            flags=("--hierarchy",),
            metavar="COLUMN=H",
            takes="a file, or a kind with its parameters",
            example={"zip": "masks:length=5"},
            python="Mapping[str, str | Path | Hierarchy | Mapping[str, Any] | None]",
        ),
    ] = {}
    read_as: Annotated[
        dict[str, ReadAs],
        option(
            "What a column is, where that is not seen or not meant: text, code, number, date,"
            " date:day-first ...",
            "reading",
            flags=("--as",),
            metavar="COLUMN=WHAT",
            takes=f"one of: {', '.join(WORDS)}",
            example={"born": "date:day-first"},
            reported="What the cells of a column were taken for.",
            python="Mapping[str, str]",
        ),
    ] = {}
    na: Annotated[
        Names,
        option(
            "Words that mean a missing value, in all columns or in one (smoker=99).",
            "reading",
            metavar="WORDS",
            form="words",
            takes="words with commas between",
            example=("NA", "unknown"),
            reported="Words that were taken for missing values.",
            python="Names | Mapping[str, Names]",
        ),
    ] = ()
