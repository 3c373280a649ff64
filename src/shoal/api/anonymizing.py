"""Tables in, verified releases out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from shoal.adapters.databases import is_url
from shoal.adapters.tables import arrow, everyone, named
from shoal.api.arguments import Names, plainly, recipe_of, spelled
from shoal.api.engines import Origin, engine_for, origin_of, release_of
from shoal.api.release import Release
from shoal.comparison import comparing
from shoal.comparison.finished import Kept
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.engines.local.dividing import groups_of
from shoal.flows import groups, limits, overlap
from shoal.flows.clock import Stage, unstaged
from shoal.flows.port import Engine
from shoal.groups import Watch, unwatched
from shoal.partition.method import Method
from shoal.partition.refinement import Effort
from shoal.privacy.model import Model
from shoal.privacy.promises import Others
from shoal.recipe import Recipe


def anonymize(
    people: Any,
    *,
    table: str | None = None,
    quasi: Names | None = None,
    sensitive: Names | None = None,
    identifiers: Names | None = None,
    keep: Names | None = None,
    force_keep: Names | None = None,
    k: int | None = None,
    models: Sequence[str | Model] | None = None,
    hierarchies: Mapping[str, str | Path | Hierarchy | Mapping[str, Any] | None] | None = None,
    method: str | Method | None = None,
    loss: str | None = None,
    effort: Effort | None = None,
    time_limit: float | None = None,
    refine: bool | None = None,
    publish: str | Mapping[str, str] | None = None,
    importance: Mapping[str, float] | None = None,
    withhold: float | None = None,
    missing: Literal["own", "refuse"] | None = None,
    others: Others | None = None,
    person: str | None = None,
    weight: str | None = None,
    preset: str | None = None,
    population: Any = None,
    as_published: bool | None = None,
    seed: int | None = None,
    keep_order: bool | None = None,
    recipe: Recipe | str | Path | None = None,
    bound: bool = False,
    engine: str | Engine[Any] | None = None,
    memory: str | int | None = None,
    progress: Stage = unstaged,
) -> Release:
    """A release in which every row looks like at least k-1 others on its quasi-identifiers,
    recounted before it is returned.

    Raises `shoal.errors.PrivacyNotMet` and returns nothing where a promise can't be kept. `people`
    is a frame, the path of a file, or the address of a database, in which `table` names the table;
    a Spark DataFrame is divided on its cluster, and the release stays there. `population` is a
    table or file of everyone, their number, or the fraction of them that was sampled: risks among
    everyone need it. Where several rows are about one `person`, groups count persons. `weight` says
    for how many people a row stands. A `preset` is a k in common use. What is not given is as in
    the recipe, or else as in `shoal.Recipe`: k is 5, intervals are snapped, no row is withheld.
    `memory` ("2GB") works part by part within that much memory, so that a Parquet or CSV file may
    be larger: `release.write` then places the file. `engine` is "local", "disk", "spark" or an
    engine itself.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 33, 52, 58], "city": ["Oslo", "Oslo", "Rome", "Rome"], "ill": ["flu", "cold"] * 2})
    >>> release = anonymize(people, quasi=["age", "city"], sensitive=["ill"], k=2)
    >>> release.table["city"].to_pylist()
    ['Oslo', 'Oslo', 'Rome', 'Rome']
    """
    given = {
        "quasi": quasi,
        "sensitive": sensitive,
        "identifiers": identifiers,
        "keep": keep,
        "force_keep": force_keep,
        "k": k,
        "models": models,
        "hierarchies": hierarchies,
        "method": method,
        "loss": loss,
        "effort": effort,
        "time_limit": time_limit,
        "refine": refine,
        "publish": publish,
        "importance": importance,
        "withhold": withhold,
        "missing": missing,
        "others": others,
        "person": person,
        "weight": weight,
        "preset": preset,
        "population": named(population),
        "as_published": as_published,
        "seed": seed,
        "keep_order": keep_order,
    }
    asked = recipe_of(recipe, plainly(given))
    chosen = engine_for(people, engine, memory)
    limits.refuse_overlap(chosen, asked)  # before anything is read
    return _carried_out(
        asked,
        chosen,
        origin_of(people, table, chosen),
        asked.population if population is None else population,
        progress,
        bound,
    )


def _carried_out(
    asked: Recipe,
    engine: Engine[Any],
    origin: Origin,
    population: Any,
    progress: Stage,
    bound: bool,
) -> Release:
    """Make the release that a recipe asks for, in one of two flows."""
    if population is not None and "population" in engine.cannot:  # before it is read
        raise limits.refused(engine, "population")
    if is_url(population):  # also one that the recipe holds
        asked = msgspec.structs.replace(asked, population=None)
    if asked.overlaps:
        boxes, gate = overlap.run(origin.table, asked, groups_of, progress)
        return Release(boxes, asked, origin.back, gate, engine)
    behind = everyone(population)
    outcome = groups.run(origin.table, asked, engine, progress, behind, bound=bound)
    return release_of(outcome, asked, origin, engine, behind)


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
    recipe: Recipe | str | Path | None = None,
    table: str | None = None,
    cells: str | Path | None = None,
    jobs: int | None = None,
    progress: Watch = unwatched,
    **asked: Any,
) -> Any:
    """A table with one row for each method and k: every loss, the risks, CPU seconds of dividing,
    and sizes of groups.

    The same kind of frame as came in. What is refused (k above the number of rows, say) is a row
    with the reason. Cells are measured side by side, in so many processes (`jobs`) as memory
    allows. With `cells`, finished ones are kept in that file and not measured again; it holds no
    value of the table. `table` names the table of a database. Other parts of a recipe (loss,
    withhold ...) may be given too.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 33, 52, 58], "city": ["Oslo", "Oslo", "Rome", "Rome"]})
    >>> found = compare(people, quasi=["age", "city"], methods=["k-member", "mondrian"], k=[2, 9])
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
    grid = comparing.grid(
        plain, [spelled(method) for method in chosen], [k] if isinstance(k, int) else list(k)
    )
    return back(comparing.compare(rows, grid, kept=Kept(cells), jobs=jobs, watch=progress))
