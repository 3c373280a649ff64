"""Desk: what one browser works on. All that was asked is a recipe; whatever was changed can be taken back.

A desk has a folder of its own, in which files have names that the studio chose. Tables and files are shown to a browser by
keys that are drawn at random and that only this desk knows.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from shoal.recipe import Recipe
from shoal.studio.jobs import Job, Shop

REMEMBERED = 100  # recipes that can be gone back to
SHOWN = 80  # characters of a file's name


@dataclass(frozen=True)
class Sheet:
    """The table that is worked on: an Arrow file in the desk's folder, mapped and not loaded."""

    name: str
    """As the user calls it; shown as text, never used as a path."""
    path: Path
    table: pa.Table
    kinds: Mapping[str, str]
    as_read: Mapping[str, str]
    """The kinds before anyone changed them."""
    source: Mapping[str, Any]
    """Where it was read from, to read it again: `place`, `table` of a database, how a CSV file is read."""

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return list(self.table.column_names)

    @property
    def recast(self) -> list[str]:
        """The columns that the user takes for another kind than the file says."""
        return [name for name, kind in self.kinds.items() if kind != self.as_read[name]]


@dataclass
class Run:
    """One release that was made, or is being made, from a recipe."""

    number: int
    recipe: Recipe
    folder: Path
    job: Job
    sheet: Sheet
    further: dict[str, Job] = field(default_factory=dict)
    """Jobs about this release: attacks, mining."""

    @property
    def title(self) -> str:
        """How it is called."""
        return f"Run {self.number}"

    @property
    def told(self) -> dict[str, Any]:
        """What its worker found (see `work/anonymizing`); empty until it is done."""
        return self.job.result or {}


@dataclass(frozen=True)
class Showing:
    """A table on the screen, and which of its cells are marked (None: none are)."""

    table: pa.Table
    marks: pa.Table | None = None


class Desk:
    """The table, the recipe and the runs of one browser."""

    def __init__(self, folder: Path, shop: Shop) -> None:
        folder.mkdir(mode=0o700)
        self.folder, self.shop = folder, shop
        self.sheet: Sheet | None = None
        self.inspection: dict[str, Any] | None = None
        """What `shoal.inspect` found, as plain data; None until it is there."""
        self.recipe = Recipe()
        self.before: list[Recipe] = []
        self.after: list[Recipe] = []
        self.runs: list[Run] = []
        self.aside: Run | None = None
        """The run that was removed last: it can be brought back."""
        self.jobs: dict[str, Job] = {}
        """The latest job of each purpose: reading, inspecting, the frontier ..."""
        self.arriving: float | None = None
        """Which share of an upload has come; None while there is none."""
        self.shown: dict[str, Showing] = {}
        self.files: dict[str, tuple[Path, str]] = {}
        self.listeners: list[Callable[[], None]] = []
        self.count = 0

    def change(self, **fields: Any) -> None:
        """Ask for something else; raises RecipeError for what no recipe can hold, and then nothing has changed."""
        plain = {name: getattr(self.recipe, name) for name in self.recipe.__struct_fields__}
        self.put(Recipe.of(**{name: msgspec.to_builtins(value) for name, value in {**plain, **fields}.items()}))

    def put(self, recipe: Recipe) -> None:
        """Take this recipe up; the one before can be gone back to."""
        if recipe != self.recipe:
            self.before = [*self.before, self.recipe][-REMEMBERED:]
            self.after, self.recipe = [], recipe
            self.changed()

    def undo(self) -> None:
        """Back to the recipe before."""
        if self.before:
            self.after.append(self.recipe)
            self.recipe = self.before.pop()
            self.changed()

    def redo(self) -> None:
        """Forth again."""
        if self.after:
            self.before.append(self.recipe)
            self.recipe = self.after.pop()
            self.changed()

    def changed(self) -> None:
        """Tell whoever shows this desk."""
        for listener in list(self.listeners):
            listener()

    def start(self, purpose: str, do: str, *, then: Callable[[Job], None] | None = None, **asked: Any) -> Job:
        """A job that takes the place of the one before with the same purpose."""
        if purpose in self.jobs:
            self.jobs[purpose].cancel()
        job = self.shop.start(do, then=then, **asked)
        self.jobs[purpose] = job
        return job

    def read(
        self, name: str, place: str | Path, table: str | None = None, kinds: Mapping[str, str] | None = None, **how: str | None
    ) -> Job:
        """Read a table from a file of the desk, or a database; it takes the place of the one before when it was read whole.

        `how` a CSV file is read: `delimiter`, `encoding`.
        """
        target, named = self.new_place(".arrow"), shown_name(name)
        source = {"place": str(place), "table": table, **how}
        if "read" in self.jobs:
            self._let_go(self.jobs["read"].asked["place"], unless=source)

        def then(job: Job) -> None:
            if job.state == "done" and job.result is not None:
                read = pa.ipc.open_file(pa.memory_map(str(target))).read_all()
                found = job.result["kinds"]
                as_read = self.sheet.as_read if kinds is not None and self.sheet is not None else found
                self.lay(Sheet(named, target, read, found, as_read, source), keep=kinds is not None)
            else:
                target.unlink(missing_ok=True)
                self.changed()

        return self.start("read", "read", then=then, name=named, target=str(target), kinds=dict(kinds or {}), **source)

    def lay(self, sheet: Sheet, *, keep: bool = False) -> None:
        """Put a table on the desk; unless it is the old one with other kinds, all that was asked is forgotten."""
        before, self.sheet, self.inspection = self.sheet, sheet, None
        self.shown["table"] = Showing(sheet.table)
        if not keep:
            self.recipe, self.before, self.after = Recipe(), [], []
            for run in self._every:
                self.forget(run)
            self.aside = None
        for purpose in set(self.jobs) - {"read"}:
            self.jobs[purpose].cancel()  # they were about the table before
        if before is not None and all(run.sheet is not before for run in self._every):
            self._let_go(before.path)
            self._let_go(before.source["place"], unless=sheet.source)
        self.changed()

        def then(job: Job) -> None:
            if job.state == "done" and self.sheet is sheet:
                self.inspection = job.result
                self.changed()

        self.start("inspect", "inspect", then=then, table=str(sheet.path))

    def _let_go(self, place: str | Path, *, unless: Mapping[str, Any] | None = None) -> None:
        """Remove a file of this desk that nothing is read from any more."""
        wanted = {str(source["place"]) for source in (unless, self.sheet.source if self.sheet else None) if source}
        if Path(place).parent == self.folder and str(place) not in wanted:
            with suppress(OSError):  # mapped files can't be removed everywhere; the folder goes in the end
                Path(place).unlink()

    def run(self) -> Run:
        """Make a release of the table as the recipe says."""
        assert self.sheet is not None
        self.count += 1
        folder = self.folder / f"run-{self.count}"
        folder.mkdir(mode=0o700)
        recipe, sheet = self.recipe, self.sheet

        def then(job: Job) -> None:
            if job.state != "done":
                shutil.rmtree(folder, ignore_errors=True)
            self.changed()

        asked = {"table": str(sheet.path), "recipe": recipe.as_dict(), "folder": str(folder), "name": sheet.name}
        job = self.shop.start("anonymize", then=then, **asked)
        made = Run(self.count, recipe, folder, job, sheet)
        self.runs.append(made)
        self.changed()
        return made

    def forget(self, run: Run) -> None:
        """Throw a run away, with all that it made."""
        for job in (run.job, *run.further.values()):
            job.cancel()
        self.runs = [one for one in self.runs if one is not run]
        shutil.rmtree(run.folder, ignore_errors=True)
        self.changed()

    def set_aside(self, run: Run) -> None:
        """Take a run off the desk; the one that was set aside before it is thrown away."""
        if self.aside is not None:
            self.forget(self.aside)
        for job in (run.job, *run.further.values()):
            job.cancel()
        self.runs = [one for one in self.runs if one is not run]
        self.aside = run
        self.changed()

    def bring_back(self) -> None:
        """The run that was set aside stands in its place again."""
        if self.aside is not None:
            self.runs = sorted([*self.runs, self.aside], key=lambda run: run.number)
            self.aside = None
            self.changed()

    @property
    def _every(self) -> list[Run]:
        """All that still have their files."""
        return [*self.runs, *([self.aside] if self.aside is not None else [])]

    @property
    def finished(self) -> list[Run]:
        """The runs that gave a release, latest last."""
        return [run for run in self.runs if run.job.state == "done"]

    def show(self, table: pa.Table, marks: pa.Table | None = None) -> str:
        """A key under which a grid finds a table (see `grid`)."""
        key = secrets.token_urlsafe(8)
        self.shown[key] = Showing(table, marks)
        return key

    def offer(self, path: Path, name: str) -> str:
        """An address from which the browser downloads a file of this desk under a name."""
        key = secrets.token_urlsafe(8)
        self.files[key] = (path, name)
        return f"/download/{key}"

    def new_place(self, suffix: str = "") -> Path:
        """A place for a file, under a name that no user chose."""
        return self.folder / f"{secrets.token_hex(8)}{suffix}"

    def close(self) -> None:
        """Nothing of it is left."""
        self.listeners.clear()  # nobody looks any more
        for job in self.jobs.values():
            job.cancel()
        for run in list(self.runs):
            self.forget(run)
        shutil.rmtree(self.folder, ignore_errors=True)


class Desks:
    """Every browser's desk, by what its cookie proves."""

    def __init__(self, folder: Path, shop: Shop, opened: Callable[[Desk], None] = lambda desk: None) -> None:
        self.folder, self.shop, self.opened = folder, shop, opened
        self.all: dict[str, Desk] = {}

    def of(self, name: str) -> Desk:
        """The desk of a browser, set up when it first comes."""
        if name not in self.all:
            self.all[name] = desk = Desk(self.folder / f"desk-{secrets.token_hex(8)}", self.shop)
            self.opened(desk)
        return self.all[name]

    def close(self) -> None:
        """All gone."""
        for desk in self.all.values():
            desk.close()


def shown_name(name: str) -> str:
    """The last part of a file's name, without anything that is no sign: fit to be shown, never to be opened."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(sign for sign in last if sign.isprintable())[:SHOWN] or "table"
