"""Desk: holds what one browser works on, and takes it back step by step.

All that was asked is a recipe; whatever was changed or removed can be undone.

A desk has a folder of its own, in which files have names that the studio chose. Tables and files
are shown to a browser by keys that are drawn at random and that only this desk knows.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa

from shoal.handover.folder import file_stem
from shoal.recipe import Recipe
from shoal.studio.desk_items import Moment, Sheet, Showing, StudioRun
from shoal.studio.graph_desk import GraphDesk
from shoal.studio.jobs import Job, Shop
from shoal.studio.ledger_choice import LedgerChoice
from shoal.studio.projects import let_go

if TYPE_CHECKING:
    from shoal.studio.cabinet import Cabinet

REMEMBERED = 100  # moments that can be gone back to
TABLES = 3  # tables of everybody among them: each is a file
SHOWN = 80  # characters of a file's name


class Desk:
    """Keep the table, the recipe and the runs of one browser."""

    def __init__(self, folder: Path, shop: Shop) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self.folder = folder
        self.shop = shop
        self.title = ""
        """The name of the project; that of the table where nobody gave another."""
        self.awaiting: str | None = None
        """The name of the table for which the recipe waits, where its copy is gone."""
        self.cabinet: Cabinet | None = None
        """Where its pages find the other projects; None in tests without a browser."""
        self.is_kept = False
        """Whether every change of this desk is written to disk."""
        self.kept: object = None
        """What was last written to disk (see `desk_state`)."""
        self.sheet: Sheet | None = None
        self.inspection: dict[str, Any] | None = None
        """The result of `shoal.inspect` as plain data; None until it is there."""
        self.recipe = Recipe()
        self.ledger: LedgerChoice | None = None
        """What releases are held against; None where nothing was published before."""
        self.before: list[Moment] = []
        self.after: list[Moment] = []
        self.made: list[StudioRun] = []
        """Every run that still has its files: on the desk, or removed and within reach of undo."""
        self.removed: frozenset[int] = frozenset()
        self.laid: list[Sheet] = []
        """Every table that still has its file."""
        self.crowds: list[Path] = []
        """Every table of everybody that still has its file, each in a folder of its own."""
        self.jobs: dict[str, Job] = {}
        """The latest job of each purpose: reading, inspecting, the frontier ..."""
        self.arriving: float | None = None
        """The share of an upload that has come; None while there is none."""
        self.shown: dict[str, Showing] = {}
        self.files: dict[str, tuple[Path, str]] = {}
        self.keys: dict[Path, str] = {}
        """The key of each thing that is shown or offered, by its place, which keeps its key."""
        self.listeners: list[Callable[[], None]] = []
        self.count = 0
        self.graph = GraphDesk(self)

    def change(self, **fields: Any) -> None:
        """Change fields of the recipe.

        Raises RecipeError for what no recipe can hold, and then nothing has changed.
        """
        plain = {name: getattr(self.recipe, name) for name in self.recipe.__struct_fields__}
        self.put(
            Recipe.of(
                **{name: msgspec.to_builtins(value) for name, value in {**plain, **fields}.items()}
            )
        )

    def put(self, recipe: Recipe) -> None:
        """Take a recipe up; undo brings the one before back."""
        if recipe != self.recipe:
            self._remember()
            self.recipe = recipe
            self._tidy()
            self.changed()

    def choose_ledger(self, ledger: LedgerChoice | None) -> None:
        """Hold releases against a ledger from now on, or against none."""
        if ledger != self.ledger:
            self._remember()
            self.ledger = ledger
            self.changed()

    def undo(self) -> None:
        """Go back to the moment before the last change."""
        if self.before:
            self.after.append(self.now)
            self._go(self.before.pop())

    def redo(self) -> None:
        """Go forward to the moment that was last undone."""
        if self.after:
            self.before.append(self.now)
            self._go(self.after.pop())

    @property
    def now(self) -> Moment:
        """Return the present moment, to which undo may lead back."""
        return Moment(self.recipe, self.removed, self.ledger)

    def _remember(self) -> None:
        """Keep the present moment for undo, and forget what could be redone."""
        self.before = [*self.before, self.now][-REMEMBERED:]
        self.after = []

    def _go(self, moment: Moment) -> None:
        self.recipe = moment.recipe
        self.removed = moment.removed
        self.ledger = moment.ledger
        self.changed()

    def _tidy(self) -> None:
        """Remove the files of runs and tables that neither undo nor redo can reach."""
        while self._holds_many():
            del self.before[0]
        moments = [*self.before, self.now, *self.after]
        for run in [
            run for run in self.made if all(run.number in moment.removed for moment in moments)
        ]:
            self._forget(run)
        for sheet in [sheet for sheet in self.laid if sheet is not self.sheet]:
            self.laid = [one for one in self.laid if one is not sheet]
            self._let_go(sheet.path)
            self._let_go(sheet.source["place"])
        asked = [moment.recipe for moment in moments] + [run.recipe for run in self.made]
        counted = {recipe.population for recipe in asked}
        for place in [place for place in self.crowds if str(place) not in counted]:
            self.crowds.remove(place)
            shutil.rmtree(place.parent, ignore_errors=True)

    def _holds_many(self) -> bool:
        """Tell whether undo reaches more tables of everybody than are kept."""
        crowds = {
            moment.recipe.population
            for moment in self.before
            if isinstance(moment.recipe.population, str)
        }
        return len(crowds) > TABLES

    def changed(self) -> None:
        """Call every listener: this desk has changed."""
        for listener in list(self.listeners):
            listener()

    def start(
        self, purpose: str, do: str, *, then: Callable[[Job], None] | None = None, **asked: Any
    ) -> Job:
        """Start a job, and cancel the one before it with the same purpose."""
        if purpose in self.jobs:
            self.jobs[purpose].cancel()
        job = self.shop.start(do, then=then, **asked)
        self.jobs[purpose] = job
        return job

    def read(
        self, name: str, place: str | Path, table: str | None = None, **how: str | None
    ) -> Job:
        """Read a table from a file of the desk or from a database, in a job.

        It takes the place of the table before once it was read whole. `how` says how a CSV file is
        read: `delimiter`, `encoding`.
        """
        target = self.new_place(".arrow")
        named = shown_name(name)
        source = {"place": str(place), "table": table, **how}
        if "read" in self.jobs:
            self._let_go(self.jobs["read"].asked["place"], unless=source)

        def then(job: Job) -> None:
            if job.state == "done" and job.result is not None:
                read = pa.ipc.open_file(pa.memory_map(str(target))).read_all()
                self.lay(Sheet(named, target, read, job.result["kinds"], source))
            else:
                target.unlink(missing_ok=True)
                self.changed()

        return self.start("read", "read", then=then, name=named, target=str(target), **source)

    def read_everyone(self, name: str, place: Path) -> Job:
        """Read a table of everybody the people were taken from, in a job.

        The recipe names it as its population once it was read whole.
        """
        home = self.new_place()
        named = shown_name(name)
        home.mkdir(mode=0o700)
        kept = home / file_stem(named)  # recipes and certificates name it, without its folder
        place.rename(kept)

        def then(job: Job) -> None:
            if job.state == "done":
                self.crowds.append(kept)
                self.change(population=str(kept))
            else:
                shutil.rmtree(home, ignore_errors=True)
                self.changed()

        return self.start("everyone", "everyone", then=then, place=str(kept), name=named)

    def lay(self, sheet: Sheet) -> None:
        """Put a table on the desk: runs are forgotten, and the recipe unless it waited for it."""
        self.laid.append(sheet)
        outdated = self.made
        self.made = []
        waited = self.awaiting is not None and set(self.recipe.columns) <= set(sheet.columns)
        self.recipe = self.recipe if waited else Recipe()
        self.ledger = self.ledger if waited else None
        self.title = self.title if waited else ""
        self.awaiting = None
        self.before = []
        self.after = []
        self.removed = frozenset()
        self._take(sheet)
        # The project names the new table before the old one goes: whoever is killed in between
        # loses neither.
        self.changed()
        for run in outdated:
            self._forget(run)
        self._tidy()

    def lay_again(self, sheet: Sheet) -> None:
        """Put a table back on the desk beside the recipe and the runs that a project kept."""
        self.laid.append(sheet)
        self._take(sheet)

    def rename(self, title: str) -> None:
        """Give the project another name."""
        self.title = title
        self.changed()

    def _take(self, sheet: Sheet) -> None:
        """Make a table the one that is worked on, and begin to inspect it."""
        self.sheet = sheet
        self.inspection = None
        self.shown["table"] = Showing(sheet.table)
        for purpose in set(self.jobs) - {"read"}:
            self.jobs[purpose].cancel()  # they were about the table before

        def then(job: Job) -> None:
            if job.state == "done" and self.sheet is sheet:
                self.inspection = job.result
                self.changed()

        self.start("inspect", "inspect", then=then, table=str(sheet.path))

    def _let_go(self, place: str | Path, *, unless: Mapping[str, Any] | None = None) -> None:
        """Remove a file of this desk from which nothing is read any more."""
        wanted = {
            str(source["place"])
            for source in (unless, self.sheet.source if self.sheet else None)
            if source
        }
        if Path(place).parent == self.folder and str(place) not in wanted:
            # mapped files can't be removed everywhere; the folder goes in the end
            with suppress(OSError):
                Path(place).unlink()

    def run(self) -> StudioRun:
        """Start a release of the table as the recipe says."""
        assert self.sheet is not None
        self.count += 1
        folder = self.folder / f"run-{self.count}"
        folder.mkdir(mode=0o700)
        recipe = self.recipe
        sheet = self.sheet

        def then(job: Job) -> None:
            if job.state != "done":
                shutil.rmtree(folder, ignore_errors=True)
            self.changed()

        asked = {
            "table": str(sheet.path),
            "recipe": recipe.as_dict(),
            "folder": str(folder),
            "name": sheet.name,
            "ledger": self.ledger and self.ledger.as_dict(),
        }
        job = self.shop.start("anonymize", then=then, **asked)
        made = StudioRun(self.count, recipe, folder, job, sheet, ledger=self.ledger)
        self.made.append(made)
        self.changed()
        return made

    def remove(self, run: StudioRun) -> None:
        """Take a run off the desk; undo brings it back."""
        for job in (run.job, *run.further.values()):
            job.cancel()
        self._remember()
        self.removed |= {run.number}
        self._tidy()
        self.changed()

    def _forget(self, run: StudioRun) -> None:
        """Cancel a run's jobs, and remove the run with all its files."""
        for job in (run.job, *run.further.values()):
            job.cancel()
        self.made = [one for one in self.made if one is not run]
        for place in [place for place in self.keys if place.is_relative_to(run.folder)]:
            key = self.keys.pop(place)
            self.shown.pop(key, None)
            self.files.pop(key, None)
        shutil.rmtree(run.folder, ignore_errors=True)

    @property
    def runs(self) -> list[StudioRun]:
        """List the runs on the desk, latest last."""
        return [run for run in self.made if run.number not in self.removed]

    @property
    def finished(self) -> list[StudioRun]:
        """List the runs that gave a release, latest last."""
        return [run for run in self.runs if run.job.state == "done"]

    def show(self, place: Path, table: pa.Table, marks: pa.Table | None = None) -> str:
        """Return the key under which a grid finds a table (see `grid`).

        `place` is the file that the table is from: the same place keeps its key.
        """
        key = self.keys.setdefault(place, secrets.token_urlsafe(8))
        self.shown[key] = Showing(table, marks)
        return key

    def offer(self, path: Path, name: str) -> str:
        """Return the address from which the browser downloads a file of this desk under a name."""
        key = self.keys.setdefault(path, secrets.token_urlsafe(8))
        self.files[key] = (path, name)
        return f"/download/{key}"

    def new_place(self, suffix: str = "") -> Path:
        """Return a path for a new file in the desk's folder, with a random name."""
        return self.folder / f"{secrets.token_hex(8)}{suffix}"

    def close(self) -> None:
        """Cancel all jobs; what was kept stays in the desk's folder."""
        self.listeners.clear()  # nobody looks any more
        self.graph.close()
        for job in self.jobs.values():
            job.cancel()
        for run in self.made:
            for job in (run.job, *run.further.values()):
                job.cancel()
        let_go(self.folder)


def shown_name(name: str) -> str:
    """Reduce a file's name to its last part, in printable characters only.

    The result is fit to be shown, never to be opened.
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(sign for sign in last if sign.isprintable())[:SHOWN] or "table"
