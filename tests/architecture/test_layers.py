"""The house rules hold for the source, and each guard bites when its rule is broken on purpose."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from architecture import checker
from conftest import ROOT

PACKAGE = ROOT / "src" / "shoal"
WRITTEN = [
    ROOT / folder
    for folder in ("src", "tests", "benchmarks", "experiments", "tools")
    if (ROOT / folder).exists()
]
TEXTS = [
    path
    for folder in [*WRITTEN, ROOT / "docs", ROOT / ".ci"]
    for path in sorted(folder.rglob("*"))
    if path.is_file()
    and path.suffix in ("", ".py", ".md", ".toml", ".txt", ".json", ".csv", ".html")
] + [
    path
    for path in sorted(ROOT.iterdir())
    if path.name == "Makefile" or path.suffix in (".md", ".toml", ".txt")
]


def test_a_layer_imports_only_from_its_left() -> None:
    assert checker.layer_faults(PACKAGE) == []


def test_packages_of_others_stay_in_their_homes() -> None:
    assert checker.package_faults(PACKAGE) == []


def test_every_file_has_a_name_that_says_something() -> None:
    assert checker.name_faults(WRITTEN) == []


def test_files_and_functions_are_short() -> None:
    assert checker.length_faults(PACKAGE) == []


def test_every_plugin_is_documented() -> None:
    assert checker.docstring_faults(PACKAGE) == []


def test_nothing_belongs_to_one_machine() -> None:
    assert checker.machine_faults(TEXTS) == []
    assert "://" not in (ROOT / "constraints.txt").read_text()


def test_rules_see_the_real_source() -> None:
    rooms = {path.stem if path.is_file() else path.name for path in PACKAGE.iterdir()}
    assert {"kernels", "partition", "registry"} <= rooms & set(checker.RANK)
    assert len(TEXTS) > 20


def test_import_linter_is_told_the_same_layers() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    told = next(
        contract["layers"] for contract in settings["contracts"] if contract["type"] == "layers"
    )
    assert [
        tuple(layer.replace("(", "").replace(")", "").split(" | ")) for layer in reversed(told)
    ] == list(checker.LAYERS)


def plant(package: Path, name: str, text: str) -> Path:
    path = package / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param(
            "kernels/walk.py", "from shoal.review.recount import recount", id="to the right"
        ),
        pytest.param("partition/k_member.py", "import shoal.privacy.model", id="sibling"),
        pytest.param("partition/k_member.py", "from shoal import privacy", id="sibling by name"),
        pytest.param("partition/k_member.py", "from ..privacy import model", id="relative"),
        pytest.param(
            "partition/k_member.py", "from ..privacy.model import Model", id="relative, deeper"
        ),
        pytest.param(
            "groups.py", "def f():\n    from shoal.encode import axes", id="inside a function"
        ),
        pytest.param(
            "groups.py", "if TYPE_CHECKING:\n    import shoal.encode.axes", id="for type checkers"
        ),
        pytest.param(
            "recipe.py", "from shoal.engines.local import LocalEngine", id="recipe knows no engine"
        ),
        pytest.param(
            "flows/groups.py",
            "from shoal.engines.local import LocalEngine",
            id="a flow knows no engine",
        ),
        pytest.param(
            "flows/groups.py", "from shoal import anonymize", id="through the public door"
        ),
        pytest.param("flows/groups.py", "import shoal", id="the public door itself"),
        pytest.param("errors.py", "from shoal.arrays import Codes", id="two at the far left"),
        pytest.param("leftovers.py", "", id="a room in no layer"),
        pytest.param("groups.py", "from shoal.leftovers import f", id="from a room in no layer"),
    ],
)
def test_layer_guard_bites(tmp_path: Path, name: str, text: str) -> None:
    plant(tmp_path, "privacy/model.py", "")
    plant(tmp_path, name, text)
    assert len(checker.layer_faults(tmp_path)) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("__init__.py", "from shoal.api import anonymize\nimport shoal.cli"),
        ("engines/local/engine.py", "from shoal.flows.port import Engine"),
        (
            "partition/k_member.py",
            "from shoal.partition.method import Method\nfrom .method import Method\nimport numpy",
        ),
        ("cli/__init__.py", "from shoal import errors, api\nfrom . import demo"),
        ("review/losses/loss.py", "from ..recount import boxes\nfrom shoal.recode import cells"),
    ],
)
def test_layer_guard_lets_the_rest_pass(tmp_path: Path, name: str, text: str) -> None:
    for room in ("errors.py", "api.py", "recode/cells.py"):
        plant(tmp_path, room, "")
    plant(tmp_path, name, text)
    assert checker.layer_faults(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kernels/walk.py", "from numba import njit"),
        ("adapters/files.py", "import narwhals.stable.v2 as nw"),
        ("adapters/files.py", "import pyspark"),
        ("review/risks/risk.py", "def f():\n    import pandas as pd"),
        ("api.py", "import rich.table"),
        ("review/risks/risk.py", "from sklearn.tree import DecisionTreeClassifier"),
        ("kernels/jitter.py", "import numba"),
    ],
)
def test_package_guard_bites(tmp_path: Path, name: str, text: str) -> None:
    plant(tmp_path, name, text)
    assert len(checker.package_faults(tmp_path)) == 1


def test_package_guard_lets_homes_pass(tmp_path: Path) -> None:
    plant(tmp_path, "kernels/jit.py", "import numba")
    plant(tmp_path, "engines/spark/__init__.py", "import pyspark.sql")
    plant(tmp_path, "adapters/frames.py", "import pandas")
    plant(tmp_path, "cli/__init__.py", "import click")
    assert checker.package_faults(tmp_path) == []


@pytest.mark.parametrize(
    "name",
    ["utils.py", "kernels/_helpers.py", "core/axes.py", "cli/manager.py", "misc.py", "common.py"],
)
def test_name_guard_bites(tmp_path: Path, name: str) -> None:
    plant(tmp_path, name, "")
    plant(tmp_path, "score.py", "")
    assert len(checker.name_faults([tmp_path])) == 1


def test_length_guard_bites_on_files(tmp_path: Path) -> None:
    plant(tmp_path, "fits.py", "x = 1\n" * 400)
    long = plant(tmp_path, "long.py", "x = 1\n" * 401)
    assert [fault.split(": ")[0] for fault in checker.length_faults(tmp_path)] == [str(long)]


def function(name: str, lines: int) -> str:
    return f"def {name}():\n" + "    pass\n" * (lines - 1)


def test_length_guard_bites_on_functions(tmp_path: Path) -> None:
    short = "".join(function(f"short{i}", 30) for i in range(9))
    path = plant(tmp_path, "groups.py", short + function("middling", 60))
    assert checker.length_faults(tmp_path) == []
    path.write_text(short + function("long", 61))
    assert [fault.endswith("more than 60 lines") for fault in checker.length_faults(tmp_path)] == [
        True
    ]
    told = '    """Do it.\n\n    Args:\n        a: A number.\n    """\n'
    path.write_text(short + "def explained(a):\n" + told + "    pass\n" * 55)
    assert checker.length_faults(tmp_path) == []
    path.write_text(short + function("first", 31) + function("second", 31))
    assert [fault.startswith("2 of 11 functions") for fault in checker.length_faults(tmp_path)] == [
        True
    ]


@pytest.mark.parametrize("text", ["", '"""  """', "x = 1\n"])
def test_docstring_guard_bites(tmp_path: Path, text: str) -> None:
    plant(tmp_path, "review/losses/silent.py", text)
    plant(tmp_path, "review/elsewhere.py", text)
    plant(tmp_path, "review/losses/told.py", '"""What it is."""')
    assert len(checker.docstring_faults(tmp_path)) == 1


def test_machine_guard_bites(tmp_path: Path) -> None:
    folders = ("work", "root", "farm", "home/someone")
    path = plant(
        tmp_path,
        "notes.md",
        "".join(f"see /{folder}/data\n" for folder in folders)
        + f"frame/{folders[0]}/shop\n~/{folders[0]}/\n",
    )
    assert len(checker.machine_faults([path])) == 4
