"""What every attack promises, whichever are in the folder."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pytest

import shoal as door
from attacks.people import ILLS, SENSITIVE, people, recipe
from shoal import registry
from shoal.attacks.attack import GIVE, LIMIT, Attack, Finding, Gates, Material
from shoal.flows import attacked

ATTACKS = registry.names(Attack)
ON_GROUPS = [name for name, attack in ATTACKS.items() if "groups" in attack.flows]
TOGETHER = ("intersection", "repeated")
"""Attacks whose worst case are two releases, each of which keeps its promise."""
PROMISED: dict[str, Any] = {"k": 3, "models": ["l-diversity(l=3)"], "method": "mondrian"}
CELL = re.compile(
    r"oslo|bergen|rome|bari|pisa|north|south|\b(" + "|".join(ILLS) + r")\b", re.IGNORECASE
)


def table() -> pa.Table:
    return people(11, 240)


def hidden() -> pa.Table:
    """Everything generalized away; only illnesses are left, in order."""
    ills = sorted(table()["ill"].to_pylist(), key=lambda ill: (ill is None, ill))
    return pa.table({"age": ["*"] * 240, "city": ["*"] * 240, "ill": pa.array(ills, pa.string())})


def material(published: pa.Table, **known: Any) -> Material:
    plan = recipe(**PROMISED).plan()
    earlier = (attacked.material(published, plan).release,)
    return attacked.material(
        published,
        plan,
        **{"original": table(), "earlier": earlier, "traces": {"notes": 0}, **known},
    )


def exposed(name: str) -> Material:
    """The table as it is; or whatever this attack is about at its worst."""
    if name == "downcoding":
        return material(door.anonymize(table(), recipe=recipe(publish="tight")).published)
    if name == "file-metadata":
        return material(hidden(), traces={"notes": 3, "levels": 1})
    if name == "row-index":
        return material(table().append_column("index", pa.array(np.arange(240))))
    if name in TOGETHER:
        first, second = (
            door.anonymize(table(), recipe=recipe(k=6, method=m)).published
            for m in ("mondrian", "k-member")
        )
        return material(first, earlier=(material(second).release,))
    return material(table())


def run(name: str, of: Material) -> list[Finding]:
    return list(ATTACKS[name]().run(of))


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_says_what_it_is(name):
    attack = ATTACKS[name]
    assert inspect.getmodule(attack).__name__ == f"shoal.attacks.{name.replace('-', '_')}"
    assert attack.gates in get_args(Gates) and set(attack.needs) <= set(GIVE) and attack.stops_it
    page = inspect.getdoc(import_module(attack.__module__)) or ""
    assert page.startswith(f"`{name}`")
    assert name not in ON_GROUPS or (
        "*The attacker knows*" in page and "control" in page and re.search(r"\bgates?\b", page)
    )
    assert registry.spell(attack()) == name


@pytest.mark.parametrize("name", ON_GROUPS)
def test_a_release_that_tells_nothing_gives_no_advantage(name):
    for finding in run(name, material(hidden())):
        assert finding.advantage is None or finding.advantage == pytest.approx(0.0, abs=0.02)
        assert not finding.refuses


@pytest.mark.parametrize(
    "name", [name for name in ON_GROUPS if name != "minimality"]
)  # which needs a merge: see its own tests
def test_a_release_at_its_worst_gives_a_large_one(name):
    assert max(finding.advantage for finding in run(name, exposed(name))) > (
        0.01 if name in TOGETHER else 0.3
    )


@pytest.mark.parametrize("name", [name for name in ON_GROUPS if ATTACKS[name].gates != "never"])
def test_an_attack_that_gates_refuses_the_worst(name):
    assert any(finding.refuses and finding.beyond > LIMIT for finding in run(name, exposed(name)))


@pytest.mark.parametrize("name", [name for name in ON_GROUPS if ATTACKS[name].gates == "never"])
def test_an_attack_that_reports_refuses_nothing(name):
    assert not any(finding.refuses for finding in run(name, exposed(name)))


@pytest.mark.parametrize("name", ON_GROUPS)
def test_findings_repeat_and_hang_together(name):
    of = exposed(name)
    findings = run(name, of)
    assert findings == run(name, exposed(name))
    for finding in findings:
        if finding.trials:
            assert 0 <= finding.attack <= 1 and 0 <= finding.control <= 1
            assert finding.low <= finding.advantage <= finding.high <= 1
            assert "over guessing" in finding.words
        assert not CELL.search(finding.words) and finding.as_dict()["name"] == name


@pytest.mark.parametrize("name", ON_GROUPS)
def test_without_its_material_an_attack_says_so(name):
    bare = attacked.material(hidden(), recipe(sensitive=(), models=()).plan(), method=None)
    (finding,) = run(name, bare)
    assert (
        finding.attack is None and "not possible without" in finding.words and not finding.refuses
    )


@pytest.mark.parametrize("name", [name for name in ATTACKS if name not in ON_GROUPS])
def test_attacks_on_other_releases_leave_groups_alone(name):
    assert run(name, material(hidden())) == []


def test_the_folder_holds_every_attack_that_is_listed():
    files = {path.stem for path in (Path(inspect.getfile(Attack)).parent).glob("*.py")}
    assert {name.replace("-", "_") for name in ATTACKS} <= files and len(ON_GROUPS) >= 11
    assert SENSITIVE == ("ill",)
