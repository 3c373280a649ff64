"""`shoal anonymize`: from a file to a verified file."""

from __future__ import annotations

from typing import Any

import click

from shoal import api
from shoal.adapters import files
from shoal.adapters.certificates import certificate_places
from shoal.adapters.staged import check_targets
from shoal.cli import options, render
from shoal.errors import RecipeError
from shoal.groups import WITHHELD
from shoal.presets import PRESETS, under_preset
from shoal.recipe import Recipe
from shoal.review.gap import LEAST


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("source", metavar="IN")
@click.option("-o", "--output", required=True, metavar="OUT", help="Where the release goes; '-' is standard output.")
@options.quasi(required=False)
@options.sensitive
@click.option("-i", "--identifiers", multiple=True, callback=options.columns, metavar="A,B", help="Columns to drop.")
@click.option("--keep", multiple=True, callback=options.columns, metavar="A,B", help="Columns to publish as they are.")
@click.option(
    "--force-keep", multiple=True, callback=options.columns, metavar="A", help="Publish it although it tells too much."
)
@click.option("-k", type=int, help="Least number of rows that look alike.  [default: 5]")
@click.option("--model", "models", multiple=True, metavar="NAME:P=V", help="A privacy model beside k, e.g. l-diversity:l=3.")
@options.hierarchies
@click.option("--method", metavar="NAME[:P=V]", help="How rows are divided.  [default: shoal]")
@click.option("--loss", metavar="NAME", help="What the method minimizes: height, leaf-share, ...")
@click.option("--effort", type=click.Choice(["low", "default", "high"]), help="How much work goes into a low loss.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Refinement stops then; what it reached can't be repeated.")
@click.option("--refine", is_flag=True, default=None, help="Refine the groups of any method: less loss, never more.")
@click.option("--publish", multiple=True, metavar="[COLUMN=]HOW", help="snapped (default), tight, centre or bounds.")
@click.option(
    "--importance", multiple=True, callback=options.pairs, metavar="COLUMN=W", help="Weight of a column in the loss."
)
@click.option("--withhold", type=float, metavar="SHARE", help="Share of rows that may be left out, e.g. 0.01.")
@click.option("--missing", type=click.Choice(["own", "refuse"]), help="Missing is a value of its own, or refused.")
@click.option(
    "--others", type=click.Choice(["separate", "as-quasi"]),
    help="Each sensitive column is judged alone, or as by someone who knows the others.",
)  # fmt: skip
@click.option("--person", metavar="COLUMN", help="Several rows may be about one person: groups count persons.")
@click.option("--weight", metavar="COLUMN", help="For how many people a row stands; published as the mean of its group.")
@click.option("--preset", metavar="NAME", help=f"A threshold in common use: {', '.join(PRESETS)}.")
@options.population
@click.option("--seed", type=int, help="Repeats the search; never published.")
@click.option("--keep-order", is_flag=True, default=None, help="Keep the order of the input rows.")
@click.option("--recipe", "recipe_file", metavar="FILE", help="A recipe in TOML; options given beside it win.")
@click.option("--save-recipe", metavar="FILE", help="Write what was asked as a recipe.")
@click.option("--bound", is_flag=True, help="Take time to prove how little any grouping could lose.")
@click.option("--certificate", metavar="FILE", help="Where the certificate goes.  [default: OUT.certificate.json]")
@options.reading
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
def command(source: str, output: str, as_json: bool, force: bool, **given: Any) -> None:
    """Publish the table IN as OUT so that every row looks like at least k-1 others.

    \b
    shoal anonymize people.csv -o released.csv -q age,sex,zip -s disease -i name -k 5
    shoal anonymize people.parquet -o - -q age,zip --hierarchy zip=masks:length=5 -k 10 > out.csv

    Columns without a role are dropped. Nothing is written unless every promise was recounted from the release.
    """
    if as_json and output == "-":
        raise RecipeError("--json and '-o -' both want standard output", remedy="write the release to a file")
    recipe = _recipe(given)
    recipe.check()
    saved = (given["save_recipe"],) if given["save_recipe"] else ()
    check_targets([*certificate_places(output, given["certificate"]), output, *saved], force=force, inputs=[source])
    stages = render.Stages()
    try:
        stages("reading")
        people = files.read(source, delimiter=given["delimiter"], encoding=given["encoding"])
        release = api.anonymize(people, recipe=recipe, bound=given["bound"], progress=stages)
        stages("writing")
        places = {"certificate": given["certificate"], "recipe": given["save_recipe"]}
        release.write(output, **places, force=force, inputs=[source])
    finally:
        stages.close()
    with render.afterwards(f"the release is in place: {output}"):
        if as_json:
            render.print_json(summary(release))
        else:
            show(release, output, given["certificate"])


def _recipe(given: dict[str, Any]) -> Recipe:
    """What the recipe file says, overridden by what was typed."""
    asked = Recipe.read(given["recipe_file"]).as_dict() if given["recipe_file"] else {}
    names = ["quasi", "sensitive", "identifiers", "keep", "force_keep", "models", "k", "method", "loss", "effort", "refine"]
    names += ["time_limit", "importance", "withhold", "missing", "others", "person", "weight", "preset", "population", "seed"]
    names += ["keep_order"]
    asked |= {name: given[name] for name in names if given[name] not in (None, (), {})}
    asked["importance"] = {name: _number(weight, name) for name, weight in asked.get("importance", {}).items()}
    found = options.hierarchies_in(given["folder"], *(asked.get(name, ()) for name in ("quasi", "sensitive", "models")))
    asked["hierarchies"] = {**asked.get("hierarchies", {}), **found, **given["hierarchies"]}
    if given["publish"]:
        plain = [how for how in given["publish"] if "=" not in how]
        single = dict(how.rsplit("=", 1) for how in given["publish"] if "=" in how)
        everywhere = plain[-1] if plain else "snapped"
        asked["publish"] = dict.fromkeys(asked.get("quasi", ()), everywhere) | single if single else everywhere
    return Recipe.of(**under_preset(asked, given))


def _number(text: str | float, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise RecipeError(f"the importance of '{name}' must be a number") from None


def summary(release: api.Release) -> dict[str, Any]:
    """What `--json` prints."""
    public = release.certificate.public
    return {
        "rows": public["rows"],
        "groups": public["groups"],
        "k": public["k"],
        "withheld": release.certificate.private["withheld"],
        "method": release.recipe.method,
        "losses": dict(release.losses),
        "risks": {stage: dict(risks) for stage, risks in release.risks.items()},
        "models": public["models"],
        "seconds": dict(release.seconds),
        "notices": list(release.notices),
    }


def show(release: api.Release, output: str, certificate: str | None) -> None:
    """What people see when it is done."""
    console, public = render.stderr(), release.certificate.public
    divided = set(release.groups.tolist()) - {WITHHELD}
    for notice in (*release.notices, *release.certificate.private["notes"]):
        console.print(f"note: {notice}", markup=False)
    merged = "" if len(divided) == public["groups"] else f" ({len(divided):,} as divided; those that look alike count once)"
    console.print(
        f"\n{public['rows']:,} rows in {render.counted(public['groups'], 'group')} of at least {public['k']:,}{merged}, "
        f"recounted from the release; {release.certificate.private['withheld']:,} withheld",
        markup=False,
    )
    before, after = (render.parted(release.risks[stage]) for stage in ("before", "after"))
    risks = [(name, before[name], value) for name, value in after.items() if value is not None]
    console.print(render.table("risk", ("", "before", "after"), risks, right=(1, 2)))
    console.print(render.table("loss", ("", ""), [item for item in release.losses.items() if item[1] is not None], right=(1,)))
    if gap := release.certificate.private["bound"]:
        found, least = (render.number(gap[name]) for name in ("lost", LEAST))
        console.print(f"\n{LEAST} {least} ({gap['loss']}); this one loses {found}, a gap of {gap['gap']:.2g}", markup=False)
    if output != "-":
        places = certificate_places(output, certificate)
        console.print(f"\nrelease      {output}\ncertificate  {places[0]}\nfor you alone  {places[1]}", markup=False)
