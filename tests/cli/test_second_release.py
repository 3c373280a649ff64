"""Second release: another release of the same table in the same folder gets a sentence."""

from __future__ import annotations

from pathlib import Path

from terminal import shoal

SAID = "another release that may be of the same table"


def released(folder: Path, name: str, *call: str, source: str = "in.csv") -> str:
    call = call or ("-q", "age,zip", "-k", "2", "--seed", "1")
    said = shoal("anonymize", folder / source, "-o", folder / name, *call)
    assert said.code == 0, said.err
    return " ".join(said.err.split())


def test_a_second_release_of_the_same_table_gets_a_sentence(tmp_path: Path) -> None:
    rows = [f"{20 + row % 9},{100 + row % 7},{row % 3}" for row in range(60)]
    (tmp_path / "in.csv").write_text("\n".join(["age,zip,ill", *rows]) + "\n")
    (tmp_path / "fewer.csv").write_text("\n".join(["age,zip,ill", *rows[:40]]) + "\n")
    assert SAID not in released(tmp_path, "one.csv")
    assert SAID in released(tmp_path, "two.csv", "-q", "age,zip", "-k", "5")
    assert SAID not in released(tmp_path, "fewer-out.csv", source="fewer.csv")
    (tmp_path / "apart").mkdir()
    assert SAID not in released(tmp_path, "apart/one.csv")
    assert SAID not in released(tmp_path, "apart/same.csv")
