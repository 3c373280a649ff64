"""Presets: each sets a k, gives a source, and is not weakened by what stands beside it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from conftest import ROOT
from shoal.errors import RecipeError
from shoal.presets import PRESETS
from terminal import shoal as terminal
from terminal import snapshot, write

GUIDE = ROOT / "docs" / "guides" / "presets.md"


@pytest.mark.parametrize("name", [name for name in PRESETS if PRESETS[name].k is not None])
def test_a_preset_sets_k_and_is_explained(name):
    preset = PRESETS[name]
    assert shoal.Recipe.of(quasi=["age"], preset=name).k == preset.k
    assert (
        shoal.Recipe.of(quasi=["age"], preset=name, k=preset.k + 1).plan().recipe.k == preset.k + 1
    )
    with pytest.raises(RecipeError, match=f"less than preset '{name}' promises"):
        shoal.Recipe.of(quasi=["age"], preset=name, k=preset.k - 1).plan()
    assert f"| `{name}` | {preset.k} |" in GUIDE.read_text(encoding="utf-8")
    assert preset.source and preset.meant


def test_known_numbers():
    assert {name: preset.k for name, preset in PRESETS.items()} == {
        "ema": 11,
        "hipaa-expert": 11,
        "cms-cell-size": 11,
        "threshold-3": 3,
        "threshold-5": 5,
        "threshold-11": 11,
        "threshold-20": 20,
        "hipaa-safe-harbor": None,
    }


def test_the_certificate_names_it():
    people = pa.table({"age": list(range(20, 60))})
    release = shoal.anonymize(people, quasi=["age"], preset="ema")
    assert (
        release.certificate.public.k >= 11 and release.certificate.public.recipe["preset"] == "ema"
    )
    assert shoal.verify(release.table, release.certificate).holds
    stronger = shoal.anonymize(
        people, recipe=shoal.Recipe.of(quasi=["age"]), preset="ema"
    )  # beside a recipe that says nothing
    assert stronger.certificate.public.k >= 11


def test_at_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in.csv", "age\n" + "".join(f"{20 + i}\n" for i in range(40)))
    write(tmp_path / "plain.toml", '[roles]\nquasi = ["age"]\n')
    write(tmp_path / "strong.toml", '[roles]\nquasi = ["age"]\n[protection]\nk = 20\n')
    before = snapshot(tmp_path)
    call = ("anonymize", "in.csv", "-o", "out.csv")
    for more, words in [
        (("-q", "age", "--preset", "ema", "-k", 5), "-k 11, or leave --preset out"),
        (("-q", "age", "--preset", "emma"), "did you mean 'ema'?"),
    ]:
        said = terminal(*call, *more)
        assert said.code == 2 and words in said.err
        assert snapshot(tmp_path) == before
    for recipe, least in [("plain", 11), ("strong", 20)]:
        said = terminal(*call, "--recipe", f"{recipe}.toml", "--preset", "ema", "--json", "--force")
        assert said.code == 0 and said.json["k"] >= least
    said = terminal("anonymize", "--help")
    assert all(name in said.out.replace("\n", "").replace(" ", "") for name in PRESETS)
