"""The graph of a desk without a browser: files, what is asked and taken back, what is removed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from shoal.errors import RecipeError
from shoal.handover.graph_commands import graph_command
from shoal.recipe import Recipe
from shoal.studio.desk import Desk
from shoal.studio.graph_desk import GraphAsked, GraphDesk
from shoal.studio.jobs import Job
from shoal.studio.pages.graph_asked import least_of, problem_of, with_role
from shoal.studio.pages.graph_trade import said
from shoal.studio.work.anonymizing import laid_out

VIEWS = [
    {"name": "name", "role": "identifier"},
    {"name": "age", "role": "quasi"},
    {"name": "zip", "role": "quasi", "hierarchy": "masks(length=5)"},
    {"name": "ill", "role": "sensitive"},
    {"name": "room", "role": "drop"},
]
FACTS = {"people": 3, "edges": 2, "id": "id", "kinds": {}, "columns": VIEWS, "notices": []}


class Shop:
    """Takes jobs, and ends them when it is told to."""

    def __init__(self) -> None:
        self.started: list[tuple[Job, Any]] = []

    def start(self, do: str, *, then: Any = None, **asked: Any) -> Job:
        job = Job(do, asked, state="running")
        self.started.append((job, then))
        return job

    def finish(self, result: dict[str, Any] | None, problem: str | None = None) -> None:
        job, then = self.started[-1]
        job.state = "refused" if problem else "done"
        job.result = result
        job.problem = problem
        if then is not None:
            then(job)


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def desk(tmp_path: Path, shop: Shop) -> Desk:
    made: Any = Desk(tmp_path / "desk", shop)  # type: ignore[arg-type]
    return made


def handed_in(desk: Desk, part: str, name: str) -> None:
    place = desk.new_place()
    place.write_text("id\n1\n")
    desk.graph.take(part, name, place)


def read(desk: Desk, shop: Shop, facts: dict[str, Any] = FACTS) -> None:
    """A graph that was read."""
    handed_in(desk, "edges", "knows.csv")
    folder = Path(shop.started[-1][0].asked["folder"])
    laid_out(pa.table({"id": [1, 2, 3], "age": [1, 2, 3]}), folder / "nodes.arrow")
    shop.finish(dict(facts))


def test_reading_waits_for_edges_and_a_whole_graph_needs_no_people(desk: Desk, shop: Shop) -> None:
    handed_in(desk, "people", "people.csv")
    assert not shop.started
    handed_in(desk, "edges", "knows.csv")
    asked = shop.started[-1][0].asked
    assert asked["people"]["name"] == "people.csv" and asked["edges"]["name"] == "knows.csv"
    handed_in(desk, "people", "all.graphml")
    asked = shop.started[-1][0].asked
    assert asked["people"] is None and asked["edges"]["place"].endswith(".graphml")
    handed_in(desk, "people", "people.csv")  # which has no edges
    assert desk.graph.files.keys() == {"people"}
    assert [job.state for job, _ in shop.started] == ["cancelled", "cancelled"]


def test_suggestions_are_asked_for_and_can_be_taken_back(desk: Desk, shop: Shop) -> None:
    read(desk, shop)
    recipe = desk.graph.asked.recipe
    assert recipe.quasi == ("age", "zip") and recipe.sensitive == ("ill",)
    assert recipe.roles.identifiers == ("name",) and dict(recipe.hierarchies) == {
        "zip": "masks(length=5)"
    }
    desk.graph.change(k=2, alpha=0.3)
    desk.graph.change(form="k-degree")
    assert desk.graph.asked.own() == {"form": "k-degree", "removals": False}
    assert desk.graph.asked.recipe_of_form() == Recipe.of(k=2)
    desk.graph.undo()
    desk.graph.undo()
    assert desk.graph.asked == GraphAsked(recipe)
    desk.graph.redo()
    assert desk.graph.asked == GraphAsked(Recipe.of(**{**recipe.as_dict(), "k": 2}), alpha=0.3)
    desk.graph.undo()
    assert desk.graph.asked == GraphAsked(recipe)
    desk.graph.redo()
    with pytest.raises(RecipeError):
        desk.graph.change(k=0)
    assert desk.graph.asked.recipe.k == 2


def test_a_graph_without_columns_is_published_by_degrees(desk: Desk, shop: Shop) -> None:
    read(desk, shop, {**FACTS, "columns": []})
    assert desk.graph.asked.form == "k-degree"


def test_the_same_people_read_again_keep_what_was_asked(desk: Desk, shop: Shop) -> None:
    read(desk, shop)
    desk.graph.change(alpha=0.2)
    desk.graph.simplify = True
    read(desk, shop)
    assert desk.graph.asked.alpha == 0.2 and shop.started[-1][0].asked["simplify"] is True
    read(desk, shop, {**FACTS, "columns": VIEWS[:2]})
    assert desk.graph.asked.alpha == 0.5


def test_a_refused_graph_leaves_the_one_before(desk: Desk, shop: Shop) -> None:
    read(desk, shop)
    before = desk.graph.sheet
    handed_in(desk, "edges", "bad.csv")
    shop.finish(None, "1 edges lead from a node to itself")
    assert desk.graph.sheet is before and desk.graph.home.is_dir()
    assert sum(path.is_dir() for path in desk.graph.folder.iterdir()) == 1


def test_files_go_with_another_release_another_graph_and_the_desk(desk: Desk, shop: Shop) -> None:
    read(desk, shop)
    desk.graph.make()
    first = Path(shop.started[-1][0].asked["folder"])
    shop.finish({})
    assert first.is_dir()
    desk.graph.make()
    second = Path(shop.started[-1][0].asked["folder"])
    assert not first.exists() and second.is_dir()
    shop.finish(None, "refused")
    assert not second.exists()
    home = desk.graph.home
    read(desk, shop)
    assert not home.exists() and desk.graph.home.is_dir() and desk.graph.run is None
    desk.graph.close()
    assert not desk.graph.folder.exists()


def test_a_killed_studio_leaves_no_graph_behind(tmp_path: Path) -> None:
    left = tmp_path / "graph" / "0a1b"
    left.mkdir(parents=True)
    GraphDesk(SimpleNamespace(folder=tmp_path))  # type: ignore[arg-type]
    assert not left.exists()


def test_roles_take_their_settings_along(desk: Desk, shop: Shop) -> None:
    read(desk, shop)
    desk.graph.change(models=["l-diversity(l=3)"])
    assert least_of(desk.graph.asked) == 3
    desk.graph.change(**with_role(desk, "zip", "drop"))
    assert not desk.graph.asked.recipe.hierarchies
    desk.graph.change(**with_role(desk, "zip", "quasi"))
    assert dict(desk.graph.asked.recipe.hierarchies) == {"zip": "masks(length=5)"}
    desk.graph.change(**with_role(desk, "ill", "drop"))
    assert not desk.graph.asked.recipe.models and least_of(desk.graph.asked) == 1


def test_what_is_wrong_is_said_before_any_work() -> None:
    asked = GraphAsked(Recipe.of(quasi=["age"], k=5))
    assert problem_of(asked, 5) == ""
    assert problem_of(asked, 4) == "The graph has 4 people: no 5 of them can look alike."
    assert "Clusters need a column" in problem_of(GraphAsked(), 9)
    assert problem_of(GraphAsked(form="k-degree"), 9) == ""


def test_the_terminal_takes_the_same() -> None:
    asked = GraphAsked(Recipe.of(quasi=["age", "zip code"], k=3), alpha=0.25, most_dense=0.9)
    typed = graph_command(
        asked.recipe_of_form(), {**asked.own(), "simplify": True}, ["a b.csv", "-e.csv"], "out"
    )
    assert typed == (
        "shoal anonymize-graph 'a b.csv' ./-e.csv -o out -q 'age,zip code' -k 3 "
        "--method shoal:alpha=0.25 --most-dense 0.9 --simplify"
    )
    degrees = GraphAsked(form="k-degree", removals=True)
    assert graph_command(degrees.recipe_of_form(), degrees.own(), ["e.csv"], "out") == (
        "shoal anonymize-graph e.csv -o out -k 5 --form k-degree --removals"
    )


def test_a_weight_is_said_between_the_points_that_are_known() -> None:
    points = [{"alpha": 0.0, "lost": 0.5, "kept": 0.4}, {"alpha": 1.0, "lost": 0.1, "kept": 0.0}]
    assert "about 30 % of its detail, and about 20 % of" in said(0.5, points)
    assert said(0.5, [{"alpha": 0.5, "lost": 0.0, "kept": None}]) == ""
