"""Run: where and how a recipe is carried out. No option of it is ever published."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from shoal.errors import RecipeError, ShoalError
from shoal.recipe.options import checked_values, option

Seed = Annotated[int, msgspec.Meta(ge=0)] | None


class Run(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All that `anonymize` can be told beside the recipe; the terminal alone asks for files."""

    output: Annotated[
        str,
        option(
            "Where the release goes; '-' is standard output.",
            flags=("-o", "--output"),
            metavar="OUT",
            python="",
        ),
    ] = ""
    seed: Annotated[
        Seed,
        option(
            "Repeats the search; never published.", "grouping", takes="a whole number", example=7
        ),
    ] = None
    bound: Annotated[
        bool,
        option(
            "Take time to prove how little any grouping could lose.", not_with=("disk", "spark")
        ),
    ] = False
    engine: Annotated[
        Literal["local", "spark"] | None,
        option(
            "Where rows are divided; on Spark, IN and OUT are folders of Parquet files."
            "  [default: local]",
            python="str | Engine[Any]",
        ),
    ] = None
    remote: Annotated[
        str | None,
        option(
            "The Spark Connect server, which sees these folders.", metavar="sc://HOST", python=""
        ),
    ] = None
    memory: Annotated[
        int | str | None,
        option(
            "Work part by part within this much memory (2GB): a table may be larger.",
            form="text",
            metavar="SIZE",
            takes="a size",
            example="2GB",
            not_with=("spark",),
            python="str | int",
        ),
    ] = None
    recipe: Annotated[
        str | None,
        option(
            "A recipe in TOML; options given beside it win.",
            metavar="FILE",
            python="Recipe | str | Path",
        ),
    ] = None
    save_recipe: Annotated[
        str | None, option("Write what was asked as a recipe.", metavar="FILE", python="")
    ] = None
    save_scheme: Annotated[
        str | None,
        option(
            "Write bands, codes and levels of the release as a scheme, for the next table.",
            metavar="FILE",
            python="",
        ),
    ] = None
    folder: Annotated[
        str | None,
        option(
            "Folder with <column>.csv hierarchies in ARX's form.",
            flags=("--hierarchies",),
            metavar="DIR",
            python="",
        ),
    ] = None
    certificate: Annotated[
        str | None,
        option(
            "Where the certificate goes.  [default: OUT.certificate.json]",
            metavar="FILE",
            python="",
        ),
    ] = None
    sign: Annotated[
        str | None,
        option(
            "Sign the release with this private key, into OUT.certificate.sig.",
            metavar="KEY",
            python="str | Path | Signer",
        ),
    ] = None
    ledger: Annotated[
        str | None,
        option(
            "Compare with what was published before, and write this release down there; a new "
            "ledger is made where there is none.",
            metavar="FILE",
            not_with=("disk", "spark"),
            python="str | Path",
        ),
    ] = None
    across: Annotated[
        Literal["measure", "guard", "sticky"] | None,
        option(
            "Over all releases: only measure, refuse what exposes people, or keep people in their "
            "groups.  [default: guard, with a ledger]",
            not_with=("disk", "spark"),
        ),
    ] = None
    leavers: Annotated[
        Literal["keep", "withdraw"] | None,
        option(
            "Sticky groups of which some people left: publish them as they were, or no longer.",
            not_with=("disk", "spark"),
        ),
    ] = None
    wait: Annotated[
        Annotated[int, msgspec.Meta(ge=0, le=1000)],
        option(
            "How many releases a newcomer may wait for better company, with sticky groups.",
            takes="a whole number",
            not_with=("disk", "spark"),
        ),
    ] = 0
    recipient: Annotated[
        str | None,
        option(
            "Who gets the release, where the ledger says that some never compare.",
            metavar="NAME",
            not_with=("disk", "spark"),
        ),
    ] = None
    report: Annotated[
        str | None,
        option(
            "A report for you alone (.html or .md), and a public one beside it.",
            metavar="FILE",
            not_with=("disk", "spark"),
            python="",
        ),
    ] = None
    table: Annotated[
        str | None,
        option(
            "The table of a database that is given by its address, or the sheet of a workbook.",
            metavar="NAME",
            not_with=("spark",),
        ),
    ] = None
    to: Annotated[
        str | None,
        option(
            "The table that is written, where OUT is the address of a database.",
            metavar="NAME",
            not_with=("spark",),
            python="",
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        option(
            "Delimiter of a CSV file, where it is not found by itself.",
            not_with=("spark",),
            python="",
        ),
    ] = None
    encoding: Annotated[
        str | None,
        option(
            "Encoding of a CSV file that is not UTF-8, e.g. latin-1.",
            not_with=("spark",),
            python="",
        ),
    ] = None
    as_json: Annotated[
        bool, option("One JSON object on standard output.", flags=("--json",), python="")
    ] = False
    verbose: Annotated[
        bool, option("Show every notice and figure, beside the summary.", python="")
    ] = False
    force: Annotated[bool, option("Replace files that exist.", python="")] = False

    @classmethod
    def of(cls, **asked: Any) -> Run:
        """Return a run from plain values; shows all that is wrong with them at once."""
        errors: list[ShoalError] = []
        values = checked_values(cls, asked, errors)
        if errors:
            raise RecipeError.together(errors)
        return cls(**values)
