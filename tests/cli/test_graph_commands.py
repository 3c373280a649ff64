"""The four commands for graphs: exit codes, files, and what is recounted from them."""

from __future__ import annotations

import csv
import resource
from collections import Counter
from pathlib import Path

import pyarrow.csv as arrow_csv
import pytest

from networks.graphs import knows, people
from shoal.adapters import atomic_folders
from terminal import in_house_form, process, shoal, snapshot


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


@pytest.fixture
def key(tmp_path: Path) -> Path:
    pytest.importorskip("cryptography")
    assert shoal("keygen", tmp_path / "maker.key").code == 0
    return tmp_path / "maker.key"


def test_verify_takes_a_folder_with_and_without_its_certificate(here) -> None:
    assert anonymize(here).code == 0
    for named in ((), (here / "out" / "certificate.json",)):
        said = shoal("verify", here / "out", *named, "--verbose")
        assert said.code == 0
        assert said.out.startswith("verified: all")
        assert "UNSIGNED" in said.out
    assert shoal("verify", here / "people.csv").code == 2
    assert shoal("verify", here / "out", "--original", here / "people.csv").code == 2
    told = shoal("verify", here / "out", "--json").json
    assert told["holds"] is True
    (here / "out" / "readme.txt").write_text("hello")
    assert "1 can't be checked" in shoal("verify", here / "out").out


def test_a_signed_folder_is_what_was_signed(here, key) -> None:
    assert anonymize(here, "--sign", key).code == 0
    public = f"{key}.pub"
    signed = shoal("verify", here / "out", "--key", public)
    assert signed.code == 0
    assert "Signed by key" in signed.out
    assert "checked with" in shoal("verify", here / "out").out
    place = here / "out" / "clusters.csv"
    text = place.read_text()
    place.write_text(text.replace("\n", "\r\n"))  # equal rows, other bytes
    assert shoal("verify", here / "out").code == 0
    assert shoal("verify", here / "out", "--key", public).code == 4
    place.write_text(text)
    stated = here / "out" / "certificate.json"
    whole = stated.read_text()
    stated.write_text(whole.replace('"shoal": "', '"shoal": "9'))
    other = shoal("verify", here / "out", "--key", public)
    assert other.code == 4
    assert "not the certificate that was signed" in other.out
    stated.write_text(whole)
    (here / "out" / "certificate.sig").unlink()
    assert shoal("verify", here / "out", "--key", public).code == 4


def test_a_certificate_that_promises_more_than_the_files_keep(here) -> None:
    files = (here / "knows.csv", "-o", here / "degrees")
    assert shoal("anonymize-graph", *files, "--form", "k-degree", "-k", 3).code == 0
    stated = here / "degrees" / "certificate.json"
    stated.write_text(stated.read_text().replace('"k": 3,\n    "method"', '"k": 7,\n    "method"'))
    said = shoal("verify", here / "degrees")
    assert said.code == 4
    assert "NOT verified" in said.out
    assert anonymize(here).code == 0
    stated = here / "out" / "certificate.json"
    asked = stated.read_text().replace('"recipe": {', '"recipe": {\n    "most_dense": 0.01,')
    stated.write_text(asked)
    assert shoal("verify", here / "out").code == 4


@pytest.mark.parametrize("form", ["supergraph", "k-degree"])
def test_two_reports_and_what_each_may_tell(here, form) -> None:
    more = ("-k", 3, "--form", form, "--report", here / "report.html", "--seed", 918273)
    files = (here / "people.csv", here / "knows.csv", "-o", here / "out")
    quasi = ("-q", "age,gender") if form == "supergraph" else ()
    assert shoal("anonymize-graph", *files, *quasi, *more).code == 0
    own = (here / "report.html").read_text()
    public = (here / "report.public.html").read_text()
    assert "For you alone" in own
    assert "Attacks" in own
    assert "Attacks" not in public
    assert "918273" not in public
    assert (here / "report.html").stat().st_mode & 0o077 == 0
    assert shoal("anonymize-graph", *files, *quasi, *more).code == 2


@pytest.mark.parametrize("limit", [0, 120, 700])
def test_a_full_disk_leaves_nothing(here, limit) -> None:
    def no_more() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    before = snapshot(here)
    files = (here / "people.csv", here / "knows.csv", "-o", here / "out")
    words = ("-q", "age,gender", "-k", 3, "--method", "sangreea")
    said = process("anonymize-graph", *files, *words, preexec_fn=no_more)
    assert said.code == 3
    assert "disk is full" in said.err
    assert snapshot(here) == before
    assert not (here / "out").exists()


def test_a_failure_at_the_last_step_takes_everything_back(here, monkeypatch) -> None:
    assert anonymize(here).code == 0
    before = snapshot(here)

    def broken(one: Path, other: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic_folders, "_placed", broken)
    assert anonymize(here, "--force", "-k", 4).code == 3
    assert snapshot(here) == before
