"""The engine that works on a table: as it was asked for, or as table and memory ask for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.adapters.atomic_files import STANDARD
from shoal.adapters.databases import is_url
from shoal.adapters.manner import PLAIN, Manner
from shoal.adapters.parts import parts_of, refuse_whole
from shoal.adapters.tables import arrow, arrow_and_manner, refuse_table
from shoal.api.disk_release import DiskRelease
from shoal.api.release import Release
from shoal.api.spark_release import SparkRelease
from shoal.declare.memory import size_of
from shoal.distortions.parts import TableParts
from shoal.engines.disk import DiskEngine
from shoal.engines.local import LocalEngine
from shoal.engines.local.gate import gated
from shoal.engines.spark import SparkEngine
from shoal.engines.spark.jobs import is_frame
from shoal.errors import RecipeError, did_you_mean
from shoal.flows.port import Engine, Outcome
from shoal.recipe import Recipe
from shoal.review.sources import Source
from shoal.wording import Option, Remedy, Sentence, Set

AnyEngine = Engine[Any]


@dataclass(frozen=True)
class Origin:
    """A table at the door, wherever it is, and the way back to the kind that came in."""

    table: Any
    back: Callable[[pa.Table], Any]
    manner: Manner = PLAIN
    """How the file that was read is written, and what was noticed in it."""


@dataclass(frozen=True)
class EngineDoor:
    """The way of a table to an engine, and the kind of its release."""

    engine: type[AnyEngine]
    taken: Callable[[Any, str | None], Origin]
    release: Callable[..., Release]


def _usual_engine(*, on_cluster: bool, limited: bool) -> str:
    """Name the engine for a table where none was asked for."""
    if on_cluster:
        return SparkEngine.name
    return DiskEngine.name if limited else LocalEngine.name


def engine_for(
    people: Any, engine: str | AnyEngine | None = None, memory: str | int | None = None
) -> AnyEngine:
    """Choose the engine that works on a table; refuse one that can't.

    A Spark DataFrame is worked on where it lies, and `memory` means the disk engine.
    """
    on_cluster = is_frame(people)
    if engine is None:
        engine = _usual_engine(on_cluster=on_cluster, limited=memory is not None)
    if not isinstance(engine, str | Engine):
        raise RecipeError("an engine is given by its name", remedy=did_you_mean("", DOORS))
    if isinstance(engine, str) and engine not in DOORS:
        raise RecipeError(f"there is no engine '{engine}'", remedy=did_you_mean(engine, DOORS))
    name = engine if isinstance(engine, str) else engine.name
    if on_cluster != (name == SparkEngine.name):
        raise _unlike(name)
    if memory is None:
        return DOORS[engine].engine() if isinstance(engine, str) else engine
    if name != DiskEngine.name or not isinstance(engine, str):
        raise beside_memory(name)
    return DiskEngine(size_of(memory))


def beside_memory(engine: str) -> RecipeError:
    """Refuse a memory beside an engine that has its own way to work."""
    problem = Sentence(Option("memory"), " can't be used with ", Set("engine", engine))
    return RecipeError(problem, remedy="leave one out")


def origin_of(people: Any, table: str | None, engine: AnyEngine) -> Origin:
    """Hand a table to an engine as it takes it."""
    return _door(engine).taken(people, table)


def release_of(
    outcome: Outcome, recipe: Recipe, origin: Origin, engine: AnyEngine, behind: Source
) -> Release:
    """Make what a flow gave the release of an engine."""

    def recount(written: pa.Table) -> object:
        return gated(written, recipe.plan().among(behind))

    return _door(engine).release(outcome, recipe, origin.back, recount, engine)


def refuse_source(place: str | Path) -> None:
    """Refuse a place from which no table can be read part by part."""
    if str(place) == STANDARD or is_url(place):
        raise RecipeError(
            Sentence(Option("memory"), " reads files"),
            remedy=Remedy("name a file", DiskEngine.instead),
        )
    refuse_whole(str(place))


def _in_memory(people: Any, table: str | None) -> Origin:
    """Read a whole table."""
    return Origin(*arrow_and_manner(people, table))


def _in_parts(people: Any, table: str | None) -> Origin:
    """Read a file part by part; a frame is in memory already, and is one part."""
    if isinstance(people, TableParts):
        return Origin(people, _as_it_is)
    if isinstance(people, str | Path):
        refuse_source(people)
        refuse_table(table)
        return Origin(parts_of(str(people)), _as_it_is)
    rows, back = arrow(people, table)
    return Origin(TableParts.of(rows), back)


def _on_cluster(people: Any, table: str | None) -> Origin:
    """Leave a DataFrame where it is."""
    refuse_table(table)
    return Origin(people, _as_it_is)


def _as_it_is(table: Any) -> Any:
    return table


def _unlike(name: str) -> RecipeError:
    """Refuse a table that does not lie where the engine works."""
    if name == SparkEngine.name:
        return RecipeError("the spark engine takes a Spark DataFrame", remedy="spark.read.parquet")
    return RecipeError(
        f"the {name} engine can't take a Spark DataFrame", remedy=SparkEngine.instead
    )


DOORS = {
    LocalEngine.name: EngineDoor(LocalEngine, _in_memory, Release),
    DiskEngine.name: EngineDoor(DiskEngine, _in_parts, DiskRelease),
    SparkEngine.name: EngineDoor(SparkEngine, _on_cluster, SparkRelease),
}


def _door(engine: AnyEngine) -> EngineDoor:
    """Find the door of an engine; one that is not known here takes tables in memory."""
    return DOORS.get(engine.name, DOORS[LocalEngine.name])
