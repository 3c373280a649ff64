"""Tables in, verified releases out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import msgspec
import pyarrow as pa

from shoal.adapters.databases import is_url
from shoal.adapters.progress import progress_of
from shoal.adapters.signing import Signer
from shoal.adapters.tables import arrow, everyone, named
from shoal.adapters.workbooks.reading import refuse_failures
from shoal.api.arguments import Names, plainly, recipe_of, spelled
from shoal.api.engines import Origin, engine_for, origin_of, release_of
from shoal.api.ledgers import LedgerAsked
from shoal.api.release import Release
from shoal.comparison import comparing
from shoal.comparison.finished import Kept
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.understanding.table import understood
from shoal.engines.local.dividing import groups_of
from shoal.errors import RecipeError, warn_each
from shoal.flows import groups, limits, overlap
from shoal.flows.clock import Stage
from shoal.flows.coded import settled
from shoal.flows.declared import profiled
from shoal.flows.port import BesideRecipe, Engine
from shoal.groups import Watch
from shoal.partition.method import Method
from shoal.privacy.model import Model
from shoal.recipe import Recipe
from shoal.wording import Blank, Option, Remedy, Set


def anonymize(
    people: Any,
    *,
    quasi: Names | None = None,
    sensitive: Names | None = None,
    identifiers: Names | None = None,
    keep: Names | None = None,
    force_keep: Names | None = None,
    person: str | None = None,
    weight: str | None = None,
    rows_are_persons: bool | None = None,
    preset: str | None = None,
    k: int | None = None,
    models: Sequence[str | Model] | None = None,
    withhold: float | None = None,
    missing: Literal["own", "refuse"] | None = None,
    others: Literal["separate", "as-quasi"] | None = None,
    population: Any = None,
    suppress: Literal["rows", "cells"] | None = None,
    method: str | Method | None = None,
    loss: str | None = None,
    effort: Literal["low", "default", "high"] | None = None,
    time_limit: float | None = None,
    refine: bool | None = None,
    importance: Mapping[str, float] | None = None,
    top: Mapping[str, Any] | None = None,
    bottom: Mapping[str, Any] | None = None,
    round: Mapping[str, Any] | None = None,
    at_least: Mapping[str, Any] | None = None,
    at_most: Mapping[str, Any] | None = None,
    scheme: str | Path | None = None,
    publish: str | Mapping[str, str] | None = None,
    keep_order: bool | None = None,
    as_published: bool | None = None,
    hierarchies: Mapping[str, str | Path | Hierarchy | Mapping[str, Any] | None] | None = None,
    read_as: Mapping[str, str] | None = None,
    na: Names | Mapping[str, Names] | None = None,
    seed: int | None = None,
    bound: bool = False,
    engine: str | Engine[Any] | None = None,
    memory: str | int | None = None,
    recipe: Recipe | str | Path | None = None,
    sign: str | Path | Signer | None = None,
    ledger: str | Path | None = None,
    across: Literal["measure", "guard", "sticky"] | None = None,
    leavers: Literal["keep", "withdraw"] | None = None,
    wait: int | None = None,
    recipient: str | None = None,
    table: str | None = None,
    progress: Stage | None = None,
) -> Release:
    """Make a release of a table in which every row looks like at least k-1 others.

    Others look alike on all quasi-identifiers; that is recounted before the release is returned.
    A Spark DataFrame is divided on its cluster, and the release stays there. Within `memory`, a
    Parquet or CSV file may be larger than that: `release.write` then places the file. What is not
    given is as in the recipe, or else the default.

    Args:
        people: The table: a frame, the path of a file, or the address of a database.
        quasi: Quasi-identifiers: columns that others may know.
        sensitive: Sensitive columns: published, guarded by the models.
        identifiers: Columns to drop.
        keep: Columns to publish as they are; k rows share each combination of their values.
        force_keep: Publish it although it tells too much.
        person: Several rows may be about one person: groups count persons.
        weight: For how many people a row stands; published as the mean of its group.
        rows_are_persons: Each row is about a person of its own, although an id or a name repeats.
        preset: A threshold in common use: ema, hipaa-expert, cms-cell-size, threshold-3,
            threshold-5, threshold-11, threshold-20, hipaa-safe-harbor.
        k: Least number of rows that look alike. Default: 5.
        models: A privacy model beside k, e.g. l-diversity:l=3, or l-diversity:l=3,on=diagnosis.
        withhold: Share of rows that may be left out, e.g. 0.01.
        missing: A missing value is a value of its own, or refused. Default: own.
        others: Each sensitive column is judged alone, or as by someone who knows the others.
            Default: separate.
        population: Everyone: a file or URL#TABLE, their number (250000), or the fraction that was
            sampled (0.1).
        suppress: After global recoding, leave out rows that are not safe, or blank single cells of
            them. Default: rows.
        method: How rows are divided. Default: shoal.
        loss: What the method minimizes: span, height, leaf-share, ...
        effort: How much work goes into a low loss. Default: default.
        time_limit: Seconds after which refinement stops; what it reached can't be repeated.
        refine: Refine the groups of any method: less loss, never more.
        importance: Weight of a column in the loss.
        top: Values at or above it are published as 90+: a number, an ISO date, or a percentile.
        bottom: Values at or below it are published as <=5: a number, an ISO date, or a percentile.
        round: Numbers are rounded to multiples of this step before anything else.
        at_least: Least width of a cell, so that no exact value appears: 10, year, 3-digits,
            level:2.
        at_most: Greatest width of a cell: 20, 5-years, 2-digits, level:2; never `*`.
        scheme: Bands, codes and levels of an earlier release, from its scheme file.
        publish: How cells are printed: snapped, tight, centre, bounds or sets. Default: snapped.
        keep_order: Keep the order of the input rows.
        as_published: Publish overlapping boxes as their paper has it, without the repairs.
        hierarchies: How a column becomes coarser: a file, none (interval), flat, masks:length=5,
            intervals:width=10, dates ...
        read_as: What a column is, where that is not seen or not meant: text, code, number, date,
            date:day-first ...
        na: Words that mean a missing value, in all columns or in one (smoker=99).
        seed: Repeats the search; never published.
        bound: Take time to prove how little any grouping could lose.
        engine: Where rows are divided; on Spark, IN and OUT are folders of Parquet files.
            [default: local]
        memory: Work part by part within this much memory (2GB): a table may be larger.
        recipe: A recipe in TOML; options given beside it win.
        sign: Sign the release with this private key, into OUT.certificate.sig.
        ledger: Compare with what was published before, and write this release down there; a new
            ledger is made where there is none.
        across: Over all releases: only measure, refuse what exposes people, or keep people in their
            groups.  [default: guard, with a ledger]
        leavers: Sticky groups of which some people left: publish them as they were, or no longer.
        wait: How many releases a newcomer may wait for better company, with sticky groups.
        recipient: Who gets the release, where the ledger says that some never compare.
        table: The table of a database that is given by its address, or the sheet of a workbook.
        progress: Called with the name of each stage; without it a bar shows after two seconds, in a
            terminal or a notebook, unless the environment says SHOAL_PROGRESS=0.

    Returns:
        The release, with its table, certificates, losses and risks.

    Raises:
        shoal.errors.PrivacyNotMet: A promise can't be kept; nothing is returned.
        shoal.errors.RecipeError: What is asked can't be done; all faults are named together.
        shoal.errors.DataError: The table can't be read or used.

    Examples:
        >>> import pyarrow as pa
        >>> ages = [31, 33, 52, 58]
        >>> cities = ["Oslo", "Oslo", "Rome", "Rome"]
        >>> people = pa.table({"age": ages, "city": cities, "ill": ["flu", "cold"] * 2})
        >>> release = anonymize(people, quasi=["age", "city"], sensitive=["ill"], k=2)
        >>> release.table["city"].to_pylist()
        ['Oslo', 'Oslo', 'Rome', 'Rome']
    """
    arguments = locals()
    given = {name: arguments[name] for name in Recipe.__struct_fields__}
    given["population"] = named(population)
    asked = recipe_of(recipe, plainly(given))
    if population is None and is_url(asked.population):
        raise _unrepeated_address()
    chosen = engine_for(people, engine, memory)
    signer = Signer.of(sign)  # before anything is read
    limits.refuse_overlap(chosen, asked)  # before anything is read
    opened = LedgerAsked(ledger, across, leavers, wait, recipient).opened(asked)
    origin = origin_of(people, table, chosen)
    refuse_failures(origin.manner, [*asked.quasi, *asked.roles.beside], asked.na)
    everyone_behind = asked.population if population is None else population
    with progress_of(progress) as stage:
        beside: BesideRecipe = {"bound": bound}
        if opened is not None:
            beside["across"] = opened.across
        release = carried_out(asked, chosen, origin, everyone_behind, stage, beside)
    release = replace(release, signer=signer, manner=origin.manner, ledger=opened)
    warn_each(release.notices)
    return release


def _unrepeated_address() -> RecipeError:
    """Refuse an address that a recipe alone names.

    Recipes come from others: an address could send variables of the environment to any host.
    """
    repeated = Set("population", Blank("URL#TABLE"), "name it in the call as well")
    return RecipeError("the recipe names a population by its address", remedy=Remedy(repeated))


def carried_out(
    asked: Recipe,
    engine: Engine[Any],
    origin: Origin,
    population: Any,
    progress: Stage,
    beside: BesideRecipe,
) -> Release:
    """Make the release that a recipe asks for, in one of two flows."""
    if population is not None and "population" in engine.cannot:  # before it is read
        raise limits.refused(engine, Option("population"))
    if is_url(population):  # the recipe may hold it, too; what is published must not
        asked = msgspec.structs.replace(asked, population=None)
    if asked.overlaps:
        names = origin.table.schema.names
        asked = settled(asked, names, lambda some: engine.counted(origin.table, some))
        boxes, gate = overlap.run(origin.table, asked, groups_of, progress)
        return Release(boxes, asked, origin.back, gate, engine)
    behind = everyone(population)
    outcome = groups.run(origin.table, asked, engine, progress, behind, **beside)
    assert outcome.recipe is not None
    if isinstance(behind, pa.Table):
        behind = understood(behind, outcome.recipe.columns_asked)[0]
    return release_of(outcome, outcome.recipe, origin, engine, behind)


def compare(
    people: Any,
    *,
    methods: str | Method | Sequence[str | Method] = "all",
    k: int | Sequence[int] = (2, 5, 10, 25, 50, 100),
    quasi: Names | None = None,
    sensitive: Names | None = None,
    models: Sequence[str | Model] | None = None,
    hierarchies: Mapping[str, str | Path | Hierarchy | Mapping[str, Any] | None] | None = None,
    seed: int | None = None,
    class_column: str | None = None,
    recipe: Recipe | str | Path | None = None,
    table: str | None = None,
    cells: str | Path | None = None,
    jobs: int | None = None,
    progress: Watch | None = None,
    **asked: Any,
) -> Any:
    """Compare methods: one row for each method and k, with losses, risks, seconds and group sizes.

    Args:
        people: The table, as for `anonymize`.
        methods: Names of methods, or `"all"`.
        k: One or several; each method is measured at each.
        quasi: Quasi-identifiers: columns that others may know.
        sensitive: Sensitive columns: published, guarded by the models.
        models: Privacy models beside k.
        hierarchies: How columns become coarser, by name.
        seed: Repeats the search.
        recipe: A recipe, or its file; what is given beside it wins.
        table: The table of a database, or the sheet of a workbook.
        cells: A file that keeps what was measured, so that it is not measured again; it holds no
            value of the table.
        jobs: Most processes at once; as many as memory allows unless given.
        class_column: A column that a classifier predicts for other rows, after learning from each
            release: `accuracy`, `accuracy-original`, `accuracy-commonest` (the extra `mining`).
        progress: Called with how far the comparison has come.
        **asked: Other parts of a recipe: `loss`, `withhold` ...

    Returns:
        The same kind of frame as came in, with losses, risks, CPU seconds of dividing and sizes of
        groups. What is refused (k above the number of rows, say) is a row with the reason.

    Examples:
        >>> import pyarrow as pa
        >>> people = pa.table({"age": [31, 33, 52, 58], "city": ["Oslo", "Oslo", "Rome", "Rome"]})
        >>> asked = {"quasi": ["age", "city"], "methods": ["k-member", "mondrian"]}
        >>> found = compare(people, **asked, k=[2, 9])
        >>> found.select(["method", "k", "groups", "refused"]).to_pylist()[1]
        {'method': 'k-member', 'k': 9, 'groups': None, 'refused': "4 rows can't form a group of 9"}
    """
    given = {
        "quasi": quasi,
        "sensitive": sensitive,
        "models": models,
        "hierarchies": hierarchies,
        "seed": seed,
        **asked,
    }
    plain = recipe_of(recipe, plainly(given))
    chosen = [methods] if isinstance(methods, str | Method) else methods
    rows, back = arrow(people, table)
    plain = settled(plain, rows.column_names, lambda some: profiled(rows, some))
    ks = [k] if isinstance(k, int) else list(k)
    grid = comparing.grid(plain, [spelled(method) for method in chosen], ks, class_column)
    with progress_of(None if progress is None else lambda name: progress) as stage:
        watch = stage("comparing")
        measured = comparing.compare(rows, grid, kept=Kept(cells), jobs=jobs, watch=watch)
    refused = measured.num_rows - measured["refused"].null_count
    if refused:
        warn_each([f"{refused} of {measured.num_rows} runs were refused: see 'refused'"])
    return back(measured)
