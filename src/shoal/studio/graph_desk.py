"""Graph desk: holds the graph that one browser works on, what is asked of it, and its release.

It lies beside the table of the desk, in a folder of its own, which goes with the desk: a graph is
not kept as a project. What was asked can be undone.
"""

from __future__ import annotations

import secrets
import shutil
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa

from shoal.recipe import Recipe
from shoal.studio.desk_items import Sheet
from shoal.studio.jobs import Job
from shoal.studio.work.graph_reading import NODES

if TYPE_CHECKING:
    from shoal.studio.desk import Desk

PEOPLE = "people"
EDGES = "edges"
WHOLE = (".graphml", ".gml")
"""Files that hold nodes and edges."""
REMEMBERED = 100  # states that can be gone back to


@dataclass(frozen=True)
class GraphAsked:
    """All that is asked of a release of a graph."""

    recipe: Recipe = Recipe()  # noqa: RUF009 - a frozen struct
    form: str = "supergraph"
    alpha: float = 0.5
    most_dense: float = 1.0
    removals: bool = False

    def own(self) -> dict[str, Any]:
        """Return what is asked beside the recipe, as `shoal.graph.anonymize` takes it."""
        if self.form == "k-degree":
            return {"form": self.form, "removals": self.removals}
        method = f"shoal:alpha={self.alpha:g}"
        return {"form": self.form, "method": method, "most_dense": self.most_dense}

    def recipe_of_form(self) -> Recipe:
        """Return the recipe; the form k-degree asks for k alone, as it publishes no column."""
        return self.recipe if self.form == "supergraph" else Recipe.of(k=self.recipe.k)


@dataclass(frozen=True)
class GraphFile:
    """A file that was handed in: as its owner calls it, and where it lies."""

    name: str
    place: Path

    def as_dict(self) -> dict[str, str]:
        """Return plain data, as a worker takes it."""
        return {"name": self.name, "place": str(self.place)}


@dataclass(frozen=True)
class GraphRun:
    """A release that was made, or is being made, of what was asked then."""

    asked: GraphAsked
    job: Job


class GraphDesk:
    """Keep the files, the settings and the release of a graph."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.folder = desk.folder / "graph"
        shutil.rmtree(self.folder, ignore_errors=True)  # of a studio that was killed
        self.files: dict[str, GraphFile] = {}
        self.simplify = False
        self.reading: Job | None = None
        self.sheet: Sheet | None = None
        """The table of people; None until a graph was read whole."""
        self.facts: dict[str, Any] = {}
        """What was read (see `work/graph_reading`)."""
        self.asked = GraphAsked()
        self.before: list[GraphAsked] = []
        self.after: list[GraphAsked] = []
        self.trying: Job | None = None
        self.run: GraphRun | None = None

    def take(self, part: str, name: str, place: Path) -> None:
        """Take a file of people or of edges, and read the graph once there are edges."""
        suffix = Path(name).suffix.lower()
        if suffix in WHOLE:  # it has both
            part = EDGES
            self.files.pop(PEOPLE, None)
            place = place.rename(place.with_suffix(suffix))
        self.files[part] = GraphFile(name, place)
        if part == PEOPLE and self._holds_both():
            del self.files[EDGES]
        self.read()

    def _holds_both(self) -> bool:
        return EDGES in self.files and self.files[EDGES].place.suffix in WHOLE

    def give_up(self, part: str) -> None:
        """Take a file away, and read what is left."""
        self.files.pop(part, None)
        self.read()

    def read(self) -> None:
        """Read the graph in a job, if there are edges; a graph that is there stays until then."""
        if self.reading is not None:
            self.reading.cancel()
            self.reading = None
        if EDGES in self.files:
            home = self._new_folder(self.folder)
            people = self.files.get(PEOPLE)
            asked = {
                "people": people and people.as_dict(),
                "edges": self.files[EDGES].as_dict(),
                "simplify": self.simplify,
            }
            start = self.desk.shop.start
            then = partial(self._read, home)
            self.reading = start("read-graph", then=then, folder=str(home), **asked)
        self.desk.changed()

    def _new_folder(self, above: Path) -> Path:
        above.mkdir(mode=0o700, exist_ok=True)
        folder = above / secrets.token_hex(8)
        folder.mkdir(mode=0o700)
        return folder

    def _read(self, home: Path, job: Job) -> None:
        if job.state != "done" or job.result is None or job is not self.reading:
            shutil.rmtree(home, ignore_errors=True)
        else:
            self._lay(home, job.result)
        self.desk.changed()

    def _lay(self, home: Path, facts: dict[str, Any]) -> None:
        """Put a graph on the desk, with the roles that are suggested; what was made goes."""
        outdated = self.sheet
        known = self.columns
        self._forget()
        read = pa.ipc.open_file(pa.memory_map(str(home / NODES))).read_all()
        name = self.files.get(PEOPLE, self.files[EDGES]).name
        self.sheet = Sheet(name, home / NODES, read, facts["kinds"], {})
        self.facts = facts
        if outdated is None or known != self.columns:
            self.asked = suggested(facts)
            self.before = []
            self.after = []
        if outdated is not None:
            shutil.rmtree(outdated.path.parent, ignore_errors=True)

    @property
    def home(self) -> Path:
        """Return the folder of the graph that was read."""
        assert self.sheet is not None
        return self.sheet.path.parent

    @property
    def columns(self) -> list[str]:
        """List what is known of people, without their id."""
        return [view["name"] for view in self.facts.get("columns", ())]

    def change(self, **parts: Any) -> None:
        """Change what is asked: parts of `GraphAsked`, or fields of its recipe.

        Raises RecipeError for what no recipe can hold, and then nothing has changed.
        """
        own = {name: parts[name] for name in parts if name in GraphAsked.__dataclass_fields__}
        fields = {name: parts[name] for name in parts if name not in own}
        recipe = self.asked.recipe
        if fields:
            plain = {name: getattr(recipe, name) for name in recipe.__struct_fields__} | fields
            recipe = Recipe.of(**{name: msgspec.to_builtins(plain[name]) for name in plain})
        asked = replace(self.asked, recipe=recipe, **own)
        if asked != self.asked:
            self.before = [*self.before, self.asked][-REMEMBERED:]
            self.after = []
            self.asked = asked
            self.desk.changed()

    def undo(self) -> None:
        """Go back to what was asked before the last change."""
        if self.before:
            self.after.append(self.asked)
            self.asked = self.before.pop()
            self.desk.changed()

    def redo(self) -> None:
        """Go forward to what was asked when it was last undone."""
        if self.after:
            self.before.append(self.asked)
            self.asked = self.after.pop()
            self.desk.changed()

    def try_weights(self) -> None:
        """Start measuring what each alpha keeps."""
        if self.trying is not None:
            self.trying.cancel()
        self.trying = self.desk.shop.start("try-graph", **self.wanted())
        self.desk.changed()

    def wanted(self) -> dict[str, Any]:
        """Return what the curve of alpha is measured from."""
        return {
            "graph_folder": str(self.home),
            "recipe": self.asked.recipe.as_dict(),
            "simplify": self.simplify,
            "most_dense": self.asked.most_dense,
        }

    def make(self) -> None:
        """Start a release of what is asked; the one before it goes."""
        self._drop_run()
        folder = self._new_folder(self.home)

        def then(job: Job) -> None:
            if job.state != "done":
                shutil.rmtree(folder, ignore_errors=True)
            self.desk.changed()

        job = self.desk.shop.start(
            "anonymize-graph",
            then=then,
            graph_folder=str(self.home),
            recipe=self.asked.recipe_of_form().as_dict(),
            own={**self.asked.own(), "simplify": self.simplify},
            folder=str(folder),
        )
        self.run = GraphRun(self.asked, job)
        self.desk.changed()

    def _drop_run(self) -> None:
        if self.run is not None:
            self.run.job.cancel()
            shutil.rmtree(self.run.job.asked["folder"], ignore_errors=True)
        self.run = None

    def _forget(self) -> None:
        """Cancel what is about the graph before, and remove what was made of it."""
        self._drop_run()
        if self.trying is not None:
            self.trying.cancel()
        self.trying = None

    def close(self) -> None:
        """Cancel all work, and remove all files."""
        self._forget()
        if self.reading is not None:
            self.reading.cancel()
        shutil.rmtree(self.folder, ignore_errors=True)


def suggested(facts: dict[str, Any]) -> GraphAsked:
    """Ask for what inspection suggests; a graph of edges alone can keep its form k-degree only."""
    views = facts["columns"]
    role = {view["name"]: view["role"] for view in views}
    quasi = [view for view in views if view["role"] == "quasi"]
    recipe = Recipe.of(
        quasi=[view["name"] for view in quasi],
        sensitive=[name for name in role if role[name] == "sensitive"],
        identifiers=[name for name in role if role[name] in ("identifier", "person")],
        keep=[name for name in role if role[name] == "keep"],
        hierarchies={view["name"]: view["hierarchy"] for view in quasi if view.get("hierarchy")},
        read_as={view["name"]: view["read_as"] for view in views if view.get("read_as")},
        na=[
            f"{view['name']}={word}"
            for view in quasi
            if view.get("leans_on_words")
            for word in view["missing_words"]
        ],
        k=5,
    )
    return GraphAsked(recipe, form="supergraph" if quasi else "k-degree")
