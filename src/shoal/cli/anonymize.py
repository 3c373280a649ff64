"""`shoal anonymize`: from a table to a verified table, in files or databases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from shoal import api
from shoal.adapters import databases, tables
from shoal.adapters.certificates import certificate_places
from shoal.adapters.parts import parts_of
from shoal.api.disk_release import refuse_place
from shoal.api.engines import refuse_source
from shoal.api.reporting import absent, report_places
from shoal.cli import options, render
from shoal.cli.released import show, summary
from shoal.engines.disk import DiskEngine
from shoal.engines.spark import SparkEngine, reading
from shoal.errors import RecipeError
from shoal.flows.limits import refuse_overlap, sentence_of
from shoal.presets import PRESETS, under_preset
from shoal.recipe import Recipe


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"{sentence_of(DiskEngine)} {sentence_of(SparkEngine)}",
)
@click.argument("source", metavar="IN")
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="OUT",
    help="Where the release goes; '-' is standard output.",
)
@options.quasi(required=False)
@options.sensitive
@click.option(
    "-i",
    "--identifiers",
    multiple=True,
    callback=options.columns,
    metavar="A,B",
    help="Columns to drop.",
)
@click.option(
    "--keep",
    multiple=True,
    callback=options.columns,
    metavar="A,B",
    help="Columns to publish as they are.",
)
@click.option(
    "--force-keep",
    multiple=True,
    callback=options.columns,
    metavar="A",
    help="Publish it although it tells too much.",
)
@click.option("-k", type=int, help="Least number of rows that look alike.  [default: 5]")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME:P=V",
    help="A privacy model beside k, e.g. l-diversity:l=3.",
)
@options.hierarchies
@click.option("--method", metavar="NAME[:P=V]", help="How rows are divided.  [default: shoal]")
@click.option("--loss", metavar="NAME", help="What the method minimizes: height, leaf-share, ...")
@click.option(
    "--effort",
    type=click.Choice(["low", "default", "high"]),
    help="How much work goes into a low loss.",
)
@click.option(
    "--time-limit",
    type=float,
    metavar="SECONDS",
    help="Refinement stops then; what it reached can't be repeated.",
)
@click.option(
    "--refine",
    is_flag=True,
    default=None,
    help="Refine the groups of any method: less loss, never more.",
)
@click.option(
    "--publish",
    multiple=True,
    metavar="[COLUMN=]HOW",
    help="snapped (default), tight, centre or bounds.",
)
@click.option(
    "--importance",
    multiple=True,
    callback=options.pairs,
    metavar="COLUMN=W",
    help="Weight of a column in the loss.",
)
@click.option(
    "--withhold", type=float, metavar="SHARE", help="Share of rows that may be left out, e.g. 0.01."
)
@click.option(
    "--missing",
    type=click.Choice(["own", "refuse"]),
    help="Missing is a value of its own, or refused.",
)
@click.option(
    "--others",
    type=click.Choice(["separate", "as-quasi"]),
    help="Each sensitive column is judged alone, or as by someone who knows the others.",
)
@click.option(
    "--person", metavar="COLUMN", help="Several rows may be about one person: groups count persons."
)
@click.option(
    "--weight",
    metavar="COLUMN",
    help="For how many people a row stands; published as the mean of its group.",
)
@click.option("--preset", metavar="NAME", help=f"A threshold in common use: {', '.join(PRESETS)}.")
@options.population
@click.option("--seed", type=int, help="Repeats the search; never published.")
@click.option("--keep-order", is_flag=True, default=None, help="Keep the order of the input rows.")
@click.option(
    "--as-published",
    is_flag=True,
    default=None,
    help="Publish overlapping boxes as their paper has it, without the repairs.",
)
@click.option(
    "--recipe", "recipe_file", metavar="FILE", help="A recipe in TOML; options given beside it win."
)
@click.option("--save-recipe", metavar="FILE", help="Write what was asked as a recipe.")
@click.option(
    "--bound", is_flag=True, help="Take time to prove how little any grouping could lose."
)
@click.option(
    "--certificate",
    metavar="FILE",
    help="Where the certificate goes.  [default: OUT.certificate.json]",
)
@click.option(
    "--report",
    metavar="FILE",
    help="A report for you alone (.html or .md), and a public one beside it.",
)
@click.option(
    "--memory",
    metavar="SIZE",
    callback=lambda _, __, text: options.size(text),
    help="Work part by part within so much memory (2GB): a table may be larger.",
)
@options.engine("Where rows are divided; on Spark, IN and OUT are folders of Parquet files.")
@options.table
@options.to
@options.reading
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
def command(source: str, output: str, as_json: bool, force: bool, **given: Any) -> None:
    """Publish the table IN as OUT so that every row looks like at least k-1 others.

    \b shoal anonymize people.csv -o released.csv -q age,sex,zip -s disease -i name -k 5 shoal
    anonymize people.parquet -o - -q age,zip --hierarchy zip=masks:length=5 -k 10 > out.csv shoal
    anonymize postgresql://localhost/ward --table patients -o postgresql://localhost/open --to
    released -q age,zip

    Columns without a role are dropped. Nothing is written unless every promise was recounted from
    the release.
    """
    if as_json and output == "-":
        raise RecipeError(
            "--json and '-o -' both want standard output", remedy="write the release to a file"
        )
    if given["report"] and given["memory"]:
        raise absent()
    output, given["to"] = databases.parted(output, given["to"])
    work = _chosen(given, output)
    recipe = _recipe(given)
    recipe.check()
    saved = (given["save_recipe"],) if given["save_recipe"] else ()
    beside = [
        *certificate_places(output, given["certificate"], given["to"]),
        *saved,
        *report_places(given["report"]),
    ]
    tables.check_outputs(output, given["to"], beside, force=force, source=(source, given["table"]))
    stages = render.Stages()
    try:
        release = work(source, output, recipe, given, force, stages)
    finally:
        stages.close()
    with render.afterwards(f"the release is in place: {tables.shown(output, given['to'])}"):
        if as_json:
            render.print_json(summary(release))
        else:
            show(release, output, given["certificate"], given["to"], report_places(given["report"]))


def _chosen(given: dict[str, Any], output: str) -> Callable[..., api.Release]:
    """In memory, part by part, or on a cluster."""
    asked = {
        name: given[name] for name in ("memory", "table", "to", "delimiter", "encoding", "report")
    }
    if options.on_spark(given["engine"], given["remote"], **asked, **{"output -": output == "-"}):
        if Path(output).exists():
            raise RecipeError(
                f"'{output}' exists", remedy="name a new folder; those of Spark are never replaced"
            )
        return _on_spark
    return _streamed if given["memory"] else _released


def _on_spark(
    source: str,
    output: str,
    recipe: Recipe,
    given: dict[str, Any],
    force: bool,
    stages: render.Stages,
) -> api.Release:
    """Where the rows are."""
    stages("reading")
    people = reading.read(source, given["remote"])
    release = api.anonymize(
        people, recipe=recipe, population=_address(given), bound=given["bound"], progress=stages
    )
    stages("writing")
    release.write(
        output,
        certificate=given["certificate"],
        recipe=given["save_recipe"],
        force=force,
        inputs=[source],
    )
    return release


def _released(
    source: str,
    output: str,
    recipe: Recipe,
    given: dict[str, Any],
    force: bool,
    stages: render.Stages,
) -> api.Release:
    """The whole table in memory."""
    stages("reading")
    people = tables.read(
        source, given["table"], delimiter=given["delimiter"], encoding=given["encoding"]
    )
    release = api.anonymize(
        people, recipe=recipe, population=_address(given), bound=given["bound"], progress=stages
    )
    stages("writing")
    places = {
        "certificate": given["certificate"],
        "recipe": given["save_recipe"],
        "report": given["report"],
    }
    release.write(output, table=given["to"], **places, force=force, inputs=[source])
    return release


def _streamed(
    source: str,
    output: str,
    recipe: Recipe,
    given: dict[str, Any],
    force: bool,
    stages: render.Stages,
) -> api.Release:
    """Part by part: temporary files stand beside the output, and the release is one of them."""
    refuse_place(output)
    refuse_source(source)
    folder = Path(output).absolute().parent
    engine = DiskEngine(given["memory"], folder=folder, like=Path(output).name)
    refuse_overlap(engine, recipe)  # before anything is read
    people = parts_of(source, given["delimiter"], given["encoding"], watch=stages("reading"))
    release = api.anonymize(
        people, recipe=recipe, population=_address(given), engine=engine, progress=stages
    )
    stages("writing")
    release.write(
        output,
        certificate=given["certificate"],
        recipe=given["save_recipe"],
        force=force,
        inputs=[source],
    )
    return release


def _recipe(given: dict[str, Any]) -> Recipe:
    """What the recipe file says, overridden by what was typed."""
    asked = Recipe.read(given["recipe_file"]).as_dict() if given["recipe_file"] else {}
    names = [
        "quasi",
        "sensitive",
        "identifiers",
        "keep",
        "force_keep",
        "models",
        "k",
        "method",
        "loss",
        "effort",
        "refine",
    ]
    names += [
        "time_limit",
        "importance",
        "withhold",
        "missing",
        "others",
        "person",
        "weight",
        "preset",
        "population",
        "seed",
    ]
    names += ["keep_order", "as_published"]
    asked |= {name: given[name] for name in names if given[name] not in (None, (), {})}
    if _address(given):  # may hold a password: recipes and certificates never see it
        asked.pop("population")
    asked["importance"] = {
        name: _number(weight, name) for name, weight in asked.get("importance", {}).items()
    }
    found = options.hierarchies_in(
        given["folder"], *(asked.get(name, ()) for name in ("quasi", "sensitive", "models"))
    )
    asked["hierarchies"] = {**asked.get("hierarchies", {}), **found, **given["hierarchies"]}
    if given["publish"]:
        plain = [how for how in given["publish"] if "=" not in how]
        single = dict(how.rsplit("=", 1) for how in given["publish"] if "=" in how)
        everywhere = plain[-1] if plain else "snapped"
        asked["publish"] = (
            dict.fromkeys(asked.get("quasi", ()), everywhere) | single if single else everywhere
        )
    return Recipe.of(**under_preset(asked, given))


def _address(given: dict[str, Any]) -> str | None:
    """A population in a database."""
    return given["population"] if databases.is_url(given["population"]) else None


def _number(text: str | float, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise RecipeError(f"the importance of '{name}' must be a number") from None
