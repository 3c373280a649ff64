"""The table of options: each is declared once, and every door is made from it."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest
from tools import write_options

from conftest import ROOT
from shoal.cli import anonymize, options
from shoal.errors import RecipeError
from shoal.handover.commands import terminal_command
from shoal.recipe import SECTIONS, Recipe, Run, options_of
from shoal.recipe.checks import unserved_options, unserved_parts
from shoal.recipe.options import option
from shoal.wording import Option, Set
from terminal import shoal

PACKAGE = ROOT / "src" / "shoal"
TABLE = options_of(Recipe, Run)

PLANTED = """    haste: Annotated[
        Literal["none", "some"],
        option(
            "How much haste there is.", "grouping", panel=True, not_with=("spark", "overlap")
        ),
    ] = "none"
"""
BEFORE = "    seed: Seed = None"

DOORS = """
import inspect, json
from msgspec.structs import replace
import shoal
from shoal.cli.anonymize import _recipe, command
from shoal.handover.commands import python_lines, terminal_command
from shoal.recipe import Recipe, Run
from shoal.recipe.checks import unserved_options
from shoal.studio.pages.protection_more import FIELDS, plain_options

words = ["in.csv", "-o", "out.csv", "-q", "age", "--haste", "some"]
context = command.make_context("anonymize", words)
recipe = _recipe(context.params, Run())
toml = recipe.to_toml()
[drawn] = [option for option in plain_options() if option.name == "haste"]
try:
    Recipe.of(quasi=["age"], haste="much")
except shoal.errors.RecipeError as refusal:
    refused = str(refusal)
print(json.dumps({
    "terminal": recipe.haste,
    "help": command.get_help(context),
    "toml": toml,
    "published": recipe.as_dict()["haste"],
    "python": str(inspect.signature(shoal.anonymize).parameters["haste"]),
    "documented": shoal.anonymize.__doc__,
    "schema": Recipe.schema()["$defs"]["Recipe"]["properties"]["haste"],
    "studio": [drawn.help, drawn.choices, drawn.form in FIELDS],
    "command": terminal_command(recipe, "in.csv", "out.csv"),
    "lines": python_lines(recipe, "in.csv", "out.csv"),
    "refused": refused,
    "overlap": [str(error) for error in replace(recipe, method="nsvdist").problems()],
    "spark": [option.name for option in unserved_options(recipe, "spark")],
}))
"""


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source with one more option: one declaration in one file."""
    root = tmp_path_factory.mktemp("planted")
    for folder in ("src", "tools", "docs/reference"):
        shutil.copytree(
            ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__", "*.nb?")
        )
    table = root / "src/shoal/recipe/recipe_options.py"
    text = table.read_text("utf-8")
    assert text.count(BEFORE) == 1
    table.write_text(text.replace(BEFORE, PLANTED + BEFORE), "utf-8")
    python(root, "-m", "tools.write_options")
    return root


def python(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A program run in a copy of the source."""
    path = os.pathsep.join([str(root / "src"), str(root)])
    done = subprocess.run(
        [sys.executable, *words],
        cwd=root,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_an_option_that_is_declared_once_is_behind_every_door(planted: Path) -> None:
    doors = json.loads(python(planted, "-c", DOORS).stdout)
    assert doors["terminal"] == doors["published"] == "some"
    assert "--haste [none|some]" in doors["help"]
    assert "How much haste there is.  [default:" in doors["help"]
    assert '[grouping]\nmethod = "shoal"\nhaste = "some"\n' in doors["toml"]
    assert "Literal['none', 'some'] | None" in doors["python"].replace('"', "'")
    assert "    haste: How much haste there is. Default: none.\n" in doors["documented"]
    assert doors["schema"] == {
        "description": "How much haste there is.",
        "enum": ["none", "some"],
        "default": "none",
    }
    assert doors["studio"] == ["How much haste there is.", ["none", "some"], True]
    assert doors["command"].endswith("-k 5 --haste some")
    assert '    haste="some",\n' in doors["lines"]
    assert "haste is not right" in doors["refused"]
    assert 'try: haste="none" or "some"' in doors["refused"]
    assert doors["spark"] == ["haste"]
    assert any("can't serve haste" in said for said in doors["overlap"])


def test_it_stands_in_one_file_that_people_write(planted: Path) -> None:
    texts = {path: path.read_text("utf-8") for path in (planted / "src").rglob("*.py")}
    named = {path.name for path, text in texts.items() if "haste" in text}
    assert named == {"recipe_options.py", write_options.DOOR.name}  # the second is written for them
    for kept in (write_options.SCHEMA, write_options.PAGE, write_options.HELP):
        assert "haste" in (planted / kept).read_text("utf-8")


@pytest.mark.parametrize("path", write_options.files(), ids=lambda path: path.name)
def test_what_is_made_from_the_table_is_up_to_date(path: Path) -> None:
    assert path.read_text("utf-8") == write_options.files()[path], "make format writes it"


def test_a_stale_file_is_written_anew(planted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_options.main(planted)  # by the table without the planted option
    assert str(write_options.DOOR) in capsys.readouterr().out
    assert "haste" not in (planted / write_options.DOOR).read_text("utf-8")
    write_options.main(planted)
    assert not capsys.readouterr().out


ROOMS = ("recipe", "api", "cli", "handover", "review/report", "studio/pages")
SIMPLE = ("withhold", "keep_order", "effort", "time_limit", "refine", "others", "person", "preset")


@cache
def nodes(path: Path) -> list[ast.AST]:
    """All parts of a source file."""
    return list(ast.walk(ast.parse(path.read_text("utf-8"))))


def declarations(sources: Iterable[Path], name: str) -> set[str]:
    """The files that hold an option as a field, as a parameter or by its flag alone."""
    flag = f"--{name.replace('_', '-')}"
    files = set()
    for path in sources:
        for node in nodes(path):
            field = isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == name
            parameter = isinstance(node, ast.arg) and node.arg == name
            typed = isinstance(node, ast.Constant) and node.value == flag
            if field or parameter or typed:
                files.add(path.name)
    return files


@pytest.mark.parametrize("name", SIMPLE)
def test_an_option_is_declared_in_one_file(name: str) -> None:
    sources = [path for room in ROOMS for path in (PACKAGE / room).rglob("*.py")]
    assert declarations(sources, name) == {"recipe_options.py", write_options.DOOR.name}


def test_a_second_declaration_is_seen(tmp_path: Path) -> None:
    for number, text in enumerate(
        ("effort: str = 'low'", "def f(effort): ...", "flags = {'--effort': 1}", "effort = 1")
    ):
        (tmp_path / f"{number}.py").write_text(text, "utf-8")
    assert declarations(tmp_path.iterdir(), "effort") == {"0.py", "1.py", "2.py"}


def test_every_option_is_explained_and_typed_in_its_own_way() -> None:
    flags = [flag for each in TABLE.values() for flag in each.flags or (each.flag,)]
    assert len(set(flags)) == len(flags) and all(flag.startswith("-") for flag in flags)
    assert all(each.help.rstrip("]. ") and each.help[0] != "-" for each in TABLE.values())
    asked = options_of(Recipe).values()
    assert all(each.section in SECTIONS or each.name == "hierarchies" for each in asked)
    assert not set(options_of(Recipe)) & set(options_of(Run))


@pytest.mark.parametrize("name", [each.name for each in TABLE.values() if each.example is not None])
def test_examples_can_be_typed(name: str) -> None:
    each = TABLE[name]
    words = ["in.csv", "-o", "out.csv", *each.typed(each.example)]
    given = anonymize.command.make_context("anonymize", words).params
    recipe = anonymize._recipe(given, Run.of(**options.given_values(Run, given)))
    assert (
        given[name] == each.example if name == "memory" else getattr(recipe, name) == each.example
    )


def test_nothing_of_a_run_is_in_a_shared_recipe() -> None:
    recipe = Recipe.of(quasi=["age"], seed=7)
    assert "seed" in recipe.as_dict() and "seed" not in recipe.to_share()
    assert "seed" not in recipe.to_toml() + terminal_command(recipe, "in.csv", "out.csv")
    assert not set(recipe.to_share()) & set(options_of(Run))


def test_bad_values_of_a_run_are_shown_together() -> None:
    with pytest.raises(RecipeError) as refusal:
        Run.of(seed=-1, engine="cloud", speed=9)
    assert str(refusal.value).count("\n- ") == 3 and "a run has no 'speed'" in str(refusal.value)
    assert Run.of(seed=3, memory="2GB").seed == 3


def test_what_an_engine_cannot_serve() -> None:
    recipe = Recipe.of(quasi=["age"], keep_order=True, time_limit=3, models=["a", "b"])
    assert unserved_parts(recipe, "disk") == [Option("keep_order")]
    assert [each.name for each in unserved_options(recipe, "spark")] == ["time_limit", "keep_order"]
    models = [Set("models", ["a"]), Set("models", ["b"])]
    others = [Option("time_limit"), Option("keep_order")]
    assert unserved_parts(recipe, "overlap") == [*models, *others]
    run = Run(table="t", encoding="x")
    assert unserved_parts(run, "spark") == [Option("table"), Option("encoding")]


def test_forms_follow_from_types() -> None:
    class Some(msgspec.Struct):
        a: Annotated[bool, option("A.")] = False
        b: Annotated[Literal["x"] | None, option("B.")] = None
        c: Annotated[Annotated[float, msgspec.Meta(gt=0)] | None, option("C.")] = None
        d: Annotated[dict[str, int], option("D.")] = {}
        e: Annotated[str | dict[str, str], option("E.")] = ""
        f: Annotated[int | float | str | None, option("F.")] = None
        g: Annotated[tuple[str, ...], option("G.", form="each")] = ()
        h: int = 1

    found = options_of(Some)
    forms = ["switch", "choice", "number", "pairs", "ways", "mixed", "each"]
    assert [each.form for each in found.values()] == forms and "h" not in found
    assert found["d"].default == {} and found["b"].choices == ("x",)


def test_a_number_in_pairs_is_refused_by_its_option(tmp_path: Path) -> None:
    said = shoal("anonymize", "in.csv", "-o", "out.csv", "-q", "age", "--importance", "age=much")
    assert said.code == 2 and "the importance of 'age' must be a number" in said.err
