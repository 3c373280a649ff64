"""`shoal anonymize --report`: two files beside the release, there with it or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from terminal import in_house_form, shoal, snapshot, write

CALL = ("anonymize", "people.csv", "-o", "out.csv", "-q", "age,sex", "-s", "ill", "-i", "name")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = (
        f"Canary {i},{20 + i * 7 % 41},{'fm'[i % 2]},{('flu', 'gout', 'cold')[i * i % 3]}"
        for i in range(60)
    )
    write(tmp_path / "people.csv", "\n".join(["name,age,sex,ill", *rows]) + "\n")
    return tmp_path


@pytest.mark.parametrize("ending", ["html", "md"])
def test_both_forms_stand_beside_the_release(folder, ending):
    said = shoal(*CALL, "-k", 4, "--report", f"r.{ending}")
    assert said.code == 0, said.err
    handed = f"hand over   out.csv, out.csv.certificate.json and r.public.{ending}"
    assert f"{handed}     keep private   out.csv.private.json and r.{ending}\n" in said.err
    for name in (f"r.{ending}", f"r.public.{ending}"):
        text = Path(name).read_text("utf-8")
        assert "Singling out" in text and "Canary" not in text
    assert Path(f"r.{ending}").stat().st_mode & 0o077 == 0
    assert shoal("verify", "out.csv", "out.csv.certificate.json").code == 0


REFUSED = {
    "it exists": (2, ("-k", 4, "--report", "there.html"), "exists"),
    "its public form exists": (2, ("-k", 4, "--report", "public.html"), "exists"),
    "no such format": (2, ("-k", 4, "--report", "r.pdf"), ".html or .md"),
    "it is the release": (2, ("-k", 4, "--report", "r.html", "-o", "r.html"), ""),
    "it is the input": (2, ("-k", 4, "--report", "people.md"), "is the input"),
    "rows that are not in memory": (
        2,
        ("-k", 4, "--report", "r.html", "--memory", "2GB"),
        "in memory",
    ),
    "a promise that can't be kept": (4, ("-k", 99, "--report", "r.html"), ""),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_leave_nothing(folder, case):
    code, given, words = REFUSED[case]
    for name in ("there.html", "public.public.html"):
        write(folder / name, "mine")
    write(folder / "people.md", (folder / "people.csv").read_text())
    before = snapshot(folder)
    source = "people.md" if case == "it is the input" else "people.csv"
    said = shoal("anonymize", source, *CALL[2:], *given)
    assert said.code == code and words in said.err and in_house_form(said), said.err
    assert snapshot(folder) == before


def test_force_replaces_both(folder):
    write(folder / "r.public.html", "mine")
    assert shoal(*CALL, "-k", 4, "--report", "r.html", "--force").code == 0
    assert "Public" in Path("r.public.html").read_text()
