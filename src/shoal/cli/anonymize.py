"""`shoal anonymize`: from a table to a verified table, in files or databases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from shoal import api
from shoal.adapters import databases, tables
from shoal.adapters.certificates import certificate_places
from shoal.adapters.papers import refuse_unplaced, signature_places
from shoal.adapters.parts import parts_of
from shoal.adapters.second_release import second_release
from shoal.adapters.signing import Signer
from shoal.api.disk_release import refuse_place
from shoal.api.engines import beside_memory, refuse_source
from shoal.api.reporting import absent, report_places
from shoal.cli import options, render
from shoal.cli.released import Placed, show, summary
from shoal.cli.spelling import typed
from shoal.declare.memory import size_of
from shoal.engines.disk import DiskEngine
from shoal.engines.spark import SparkEngine, reading
from shoal.errors import RecipeError
from shoal.flows.limits import refuse_overlap, sentence_of
from shoal.groups import Note
from shoal.presets import under_preset
from shoal.recipe import Recipe, Run, options_of
from shoal.recipe.checks import unserved_options
from shoal.recipe.scheme import refuse_unschemed


def _capital(words: str) -> str:
    """Begin a sentence."""
    return words[:1].upper() + words[1:]


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=" ".join(_capital(typed(sentence_of(each))) for each in (DiskEngine, SparkEngine)),
)
@click.argument("source", metavar="IN")
@options.take("output", required=True)
@options.take(*options_of(Recipe))
@options.take(*(name for name in options_of(Run) if name != "output"))
def command(source: str, **given: Any) -> None:
    """Publish the table IN as OUT so that every row looks like at least k-1 others.

    \b
    shoal anonymize people.csv -o released.csv -q age,sex,zip -s disease -i name -k 5
    shoal anonymize people.parquet -o - -q age,zip --hierarchy zip=masks:length=5 -k 10 > out.csv
    shoal anonymize postgresql://localhost/ward --table patients \\
      -o postgresql://localhost/open --to released -q age,zip

    Columns without a role are dropped. Nothing is written unless every promise was recounted from
    the release.
    """
    run = Run.of(**options.given_values(Run, given))
    if run.as_json and run.output == "-":
        raise RecipeError(
            "--json and '-o -' both want standard output", remedy="write the release to a file"
        )
    if run.report and run.memory:
        raise absent()
    output, to = databases.parted(run.output, run.to)
    memory = None if run.memory is None else size_of(run.memory)
    run = replace(run, output=output, to=to, memory=memory)
    carry_out = _chosen(run)
    recipe = _recipe(given, run)
    recipe.check()
    if run.save_scheme:
        refuse_unschemed(recipe)
    saved: list[str] = [place for place in (run.save_recipe, run.save_scheme) if place]
    reports = report_places(run.report)
    papers = certificate_places(output, run.certificate, to)
    refuse_unplaced(papers, signed=run.sign is not None)
    beside: list[str | Path] = [*papers, *signature_places(papers), *saved, *reports]
    tables.check_outputs(output, to, beside, force=run.force, source=(source, run.table))
    signer = Signer.of(run.sign)  # a passphrase is asked for before the work begins
    stages = render.Stages()
    try:
        release = carry_out(_Work(source, recipe, run, signer, _address(given), stages))
    finally:
        stages.close()
    with render.afterwards(f"the release is in place: {tables.shown(output, to)}"):
        further = _about_the_folder(release, run)
        if run.as_json:
            render.print_json(summary(release, further))
        else:
            placed = Placed(output, run.certificate, to, reports)
            show(release, placed, further, verbose=run.verbose)


def _about_the_folder(release: api.Release, run: Run) -> list[Note]:
    """Return notes about other releases beside this one."""
    places = certificate_places(run.output, run.certificate, run.to)
    notes = [second_release(release.certificate.public, place) for place in places[:1]]
    return [note for note in notes if note is not None]


@dataclass(frozen=True)
class _Work:
    """A release that is to be made: from what, how, and who hears of it."""

    source: str
    recipe: Recipe
    run: Run
    signer: Signer | None
    address: str | None
    stages: render.Stages

    def anonymize(self, people: Any, engine: DiskEngine | None = None) -> api.Release:
        """Carry the recipe out on a table that was read."""
        return api.anonymize(
            people,
            recipe=self.recipe,
            population=self.address,
            bound=self.run.bound,
            engine=engine,
            sign=self.signer,
            ledger=self.run.ledger,
            across=self.run.across,
            leavers=self.run.leavers,
            wait=self.run.wait,
            recipient=self.run.recipient,
            progress=self.stages,
        )


def _chosen(run: Run) -> Callable[[_Work], api.Release]:
    """In memory, part by part, or on a cluster."""
    asked = {each.flag.removeprefix("--"): True for each in unserved_options(run, "spark")}
    if options.on_spark(run.engine, run.remote, **asked, **{"output -": run.output == "-"}):
        if Path(run.output).exists():
            raise RecipeError(
                f"'{run.output}' exists",
                remedy="name a new folder; those of Spark are never replaced",
            )
        return _on_spark
    if run.memory is None:
        return _released
    if run.engine:
        raise beside_memory(run.engine)
    return _streamed


def _on_spark(work: _Work) -> api.Release:
    """Where the rows are."""
    work.stages("reading")
    people = reading.read(work.source, str(work.run.remote))
    release = work.anonymize(people)
    work.stages("writing")
    _write(release, work.source, work.run)
    return release


def _released(work: _Work) -> api.Release:
    """The whole table in memory."""
    work.stages("reading")
    people = tables.read(
        work.source, work.run.table, delimiter=work.run.delimiter, encoding=work.run.encoding
    )
    release = work.anonymize(people)
    work.stages("writing")
    release.write(
        work.run.output,
        table=work.run.to,
        certificate=work.run.certificate,
        recipe=work.run.save_recipe,
        scheme=work.run.save_scheme,
        report=work.run.report,
        force=work.run.force,
        inputs=[work.source],
    )
    return release


def _streamed(work: _Work) -> api.Release:
    """Release part by part; temporary files stand beside the output, the release among them."""
    refuse_place(work.run.output)
    refuse_source(work.source)
    assert isinstance(work.run.memory, int)
    place = Path(work.run.output)
    engine = DiskEngine(work.run.memory, folder=place.absolute().parent, like=place.name)
    refuse_overlap(engine, work.recipe)  # before anything is read
    people = parts_of(
        work.source, work.run.delimiter, work.run.encoding, watch=work.stages("reading")
    )
    release = work.anonymize(people, engine)
    work.stages("writing")
    _write(release, work.source, work.run)
    return release


def _write(release: api.Release, source: str, run: Run) -> None:
    """Write a release as a file, with its certificates and its recipe."""
    release.write(
        run.output,
        certificate=run.certificate,
        recipe=run.save_recipe,
        scheme=run.save_scheme,
        force=run.force,
        inputs=[source],
    )


def _recipe(given: dict[str, Any], run: Run) -> Recipe:
    """Merge the recipe file with what was typed, which wins."""
    asked = Recipe.read(run.recipe).as_dict() if run.recipe else {}
    trees = asked.get("hierarchies", {})
    asked |= options.given_values(Recipe, given)
    asked |= {} if run.seed is None else {"seed": run.seed}
    if _address(given):  # may hold a password: recipes and certificates never see it
        asked.pop("population")
    named = [asked.get(name, ()) for name in ("quasi", "sensitive", "models")]
    asked["hierarchies"] = {
        **trees,
        **options.hierarchies_in(run.folder, *named),
        **given["hierarchies"],
    }
    for each in options_of(Recipe).values():
        if each.form == "ways" and given[each.name]:
            asked[each.name] = options.ways(given[each.name], named[0], each.default)
    return Recipe.of(**under_preset(asked, given))


def _address(given: dict[str, Any]) -> str | None:
    """A population in a database."""
    return given["population"] if databases.is_url(given["population"]) else None
