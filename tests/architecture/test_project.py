"""What a maintainer expects: one version, workflows that call make, templates, a container."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from tools.check_ready import missing

import shoal
from shoal.cli import studio

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
TARGETS = {*re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)}
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
CONTAINER = (ROOT / "Containerfile").read_text("utf-8")


def other_than_make(workflow: dict[str, Any]) -> list[str]:
    """Find the steps of a workflow that run something else than one make target that exists."""
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    commands = [step["run"] for step in steps if "run" in step]
    assert commands
    return [
        run for run in commands if run.split()[:1] != ["make"] or run.split()[1:2][0] not in TARGETS
    ]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_workflows_do_nothing_but_call_make(file: Path) -> None:
    workflow = yaml.safe_load(file.read_text("utf-8"))
    assert other_than_make(workflow) == []
    assert workflow["permissions"] == {"contents": "read"}


def test_another_command_in_a_workflow_is_seen() -> None:
    steps = [{"run": "make test"}, {"run": "pip install x"}, {"run": "make nothing"}]
    assert other_than_make({"jobs": {"a": {"steps": steps}}}) == ["pip install x", "make nothing"]


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: file.name)
def test_whoever_reports_is_asked_for_no_real_people(file: Path) -> None:
    template = yaml.safe_load(file.read_text("utf-8"))
    assert template["name"] and template["description"]
    (asked,) = (part for part in template["body"] if part["type"] == "checkboxes")
    assert asked["attributes"]["options"][0]["required"] is True


def test_the_version_stands_in_one_place() -> None:
    assert shoal.__version__ == PROJECT["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert "version" not in citation and citation["license"] == PROJECT["license"]
    assert not re.search(r"^__version__ *=", (ROOT / "src/shoal/__init__.py").read_text(), re.M)


def test_what_a_release_lacks_is_said_at_once() -> None:
    urls = {"Source": "https://shoal.example"}
    done = "## Unreleased\n\n## 1.2.3 - 2026-01-31\n\n- a line\n"
    assert list(missing({"version": "1.2.3", "urls": urls}, done)) == []
    for project, changelog, said in (
        ({"version": "1.2", "urls": urls}, done, "no semantic version"),
        ({"version": "1.2.4", "urls": urls}, done, "no section '## 1.2.4"),
        ({"version": "1.2.3"}, done, "no address"),
        (
            {"version": "1.2.3", "urls": urls},
            done.replace("d\n", "d\n\n- new\n", 1),
            "still has lines",
        ),
    ):
        (problem,) = (each for each in missing(project, changelog) if said in each)
        assert problem
    assert len(list(missing({"version": "1.2"}, "## Unreleased\n\n- new\n"))) == 4


def test_the_container_runs_the_studio_as_nobody_in_particular() -> None:
    (command,) = re.findall(r"^CMD \[(.*)\]$", CONTAINER, re.MULTILINE)
    words = shlex.split(command.replace(",", " "))
    assert words[:2] == ["shoal", "studio"]
    done = CliRunner().invoke(studio.command, [*words[2:], "--help"])
    assert done.exit_code == 0, done.output
    assert re.findall(r"^USER (\w+)$", CONTAINER, re.MULTILINE) == ["shoal"]


def test_the_container_installs_extras_that_exist_and_copies_files_that_exist() -> None:
    (extras,) = re.findall(r"/shoal\[([\w,]+)\]", CONTAINER)
    assert {*extras.split(",")} <= {*PROJECT["optional-dependencies"]}
    copied = " ".join(re.findall(r"^COPY (.*) \S+$", CONTAINER, re.MULTILINE)).split()
    ignored = (ROOT / ".dockerignore").read_text("utf-8").split()
    for name in copied:
        assert (ROOT / name).exists() and f"!{name}" in ignored, name
    build = {"pyproject.toml", "hatch_build.py", PROJECT["readme"], *PROJECT["license-files"]}
    assert build <= {*copied}, "the wheel is built from these"
