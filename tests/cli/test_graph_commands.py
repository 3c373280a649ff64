"""The four commands for graphs: exit codes, files, and what is recounted from them."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pyarrow.csv as arrow_csv
import pytest

from networks.graphs import knows, people
from terminal import in_house_form, shoal, snapshot


@pytest.fixture
def here(tmp_path: Path) -> Path:
    arrow_csv.write_csv(people(), tmp_path / "people.csv")
    arrow_csv.write_csv(knows(), tmp_path / "knows.csv")
    return tmp_path


def anonymize(here: Path, *more: object):
    files = (here / "people.csv", here / "knows.csv", "-o", here / "out")
    return shoal("anonymize-graph", *files, "-q", "age,gender", "-k", 3, "--seed", 1, *more)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def test_from_files_to_a_folder_that_is_recounted(here) -> None:
    said = anonymize(here, "--json", "--method", "sangreea:alpha=0.5")
    assert said.code == 0
    assert {"ngil", "nsil", "structure-kept"} <= set(said.json["losses"])
    assert said.json["method"] == "sangreea(alpha=0.5)"
    clusters = rows(here / "out" / "clusters.csv")
    assert min(int(row["size"]) for row in clusters) >= 3
    assert sum(int(row["size"]) for row in clusters) == 9
    inner = sum(int(row["inner_edges"]) for row in clusters)
    between = sum(int(row["edges"]) for row in rows(here / "out" / "cluster_edges.csv"))
    assert inner + between == 10
    checked = shoal("audit-graph", here / "out")
    assert checked.code == 0
    assert checked.out.startswith("verified: all")
    assert (here / "out.private.json").stat().st_mode & 0o077 == 0


def test_a_changed_file_does_not_verify(here) -> None:
    assert anonymize(here).code == 0
    place = here / "out" / "clusters.csv"
    place.write_text(place.read_text().replace("1,3,", "1,2,", 1))
    changed = shoal("audit-graph", here / "out")
    assert changed.code == 4
    assert "NOT verified" in changed.out


def test_a_forged_loss_does_not_verify(here) -> None:
    assert anonymize(here).code == 0
    place = here / "out" / "certificate.json"
    place.write_text(place.read_text().replace('"k": 3', '"k": 4', 1))
    assert shoal("audit-graph", here / "out").code == 4


def test_an_ordinary_graph(here) -> None:
    files = (here / "knows.csv", "-o", here / "out")
    said = shoal("anonymize-graph", *files, "--form", "k-degree", "-k", 3)
    assert said.code == 0
    assert "9 people released as a graph" in said.err
    ends = Counter(row[end] for row in rows(here / "out" / "edges.csv") for end in row)
    assert min(Counter(ends.values()).values()) >= 3
    assert shoal("audit-graph", here / "out").code == 0
    attacked = shoal("attack-graph", here / "out", here / "knows.csv", "--json")
    names = {finding["name"] for finding in attacked.json["attacks"]}
    assert {"degree", "neighbour-degrees", "seeded-propagation"} <= names


def test_attacks_and_figures_beside_the_original(here) -> None:
    assert anonymize(here).code == 0
    original = (here / "people.csv", here / "knows.csv")
    attacked = shoal("attack-graph", here / "out", *original, "--verbose")
    assert attacked.code == 0
    assert "safe enough" in attacked.out
    mined = shoal("mine-graph", here / "out", *original, "--samples", 3, "--json")
    assert mined.json["samples"] == 3
    assert {"transitivity", "modularity"} <= {one["name"] for one in mined.json["figures"]}
    before = shoal("audit-graph", *original, "-q", "age")
    assert "stand alone by" in before.out


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("-k", 10), 4),
        (("--method", "sangria"), 2),
        (("--method", "shoal:alpha=7"), 2),
        (("-s", "nothing"), 2),
        (("--form", "lists"), 2),
        (("--most-dense", "2"), 2),
    ],
)
def test_refusals_write_nothing(here, change, code) -> None:
    before = snapshot(here)
    said = anonymize(here, *change)
    assert said.code == code
    assert code == 2 or in_house_form(said)
    assert snapshot(here) == before
    assert not (here / "out").exists()


@pytest.mark.parametrize(
    "edges", ["a,b\n1,2\n1,77\n", "a,b\n1,1\n", "a,b\n1,2\n2,1\n", "a\n1\n", "a,b\n", "a,b\n1,\n"]
)
def test_odd_edges_are_refused(here, edges) -> None:
    (here / "knows.csv").write_text(edges)
    said = anonymize(here)
    assert said.code == 3
    assert "77" not in said.err
    assert not (here / "out").exists()


def test_a_release_is_not_replaced_by_chance(here) -> None:
    assert anonymize(here).code == 0
    before = snapshot(here)
    assert anonymize(here).code == 2
    assert snapshot(here) == before
    assert anonymize(here, "--force").code == 0


def test_folders_without_a_release(here) -> None:
    assert shoal("attack-graph", here, here / "people.csv", here / "knows.csv").code == 3
    assert shoal("mine-graph", here / "no", here / "people.csv").code == 3
