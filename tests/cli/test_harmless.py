"""Nothing that other people wrote into a file is carried out by the terminal that shows it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pyarrow as pa
import pytest

from shoal.adapters import files
from terminal import COMMAND, PATIENCE, Said
from terminal import shoal as run

ERASING = "\x1b[1A\x1b[2K"
TURNING = "\u202e"
NAME = f"age{ERASING}{TURNING}"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    table = pa.table({NAME: [20 + i % 30 for i in range(90)], "ill": ["flu", "gout", "cold"] * 30})
    files.write(table, tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


def silent(said: Said) -> bool:
    """No character that a terminal would carry out, wherever it was printed."""
    printed = said.out + said.err
    return not any(ord(each) < 32 and each != "\n" for each in printed) and TURNING not in printed


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_names_of_columns_are_shown_by_their_characters(
    people: Path, more: tuple[str, ...]
) -> None:
    out = people.with_name(f"out{len(more)}.csv")
    asked = ("anonymize", people, "-o", out, "-q", NAME, "-s", "ill", "-k", "5", *more)
    spoken = [
        run(*asked),
        run("inspect", people, *more),
        run("audit", people, "-q", NAME, *more),
        run("anonymize", people, "-o", "x.csv", "-q", f"{NAME}s"),
        run("verify", out, f"{out}.certificate.json", *more),
    ]
    assert [said.code for said in spoken] == [0, 0, 0, 2, 0]
    assert all(silent(said) for said in spoken)
    assert "\\x1b[1A" in spoken[3].err or "\\u001b[1A" in spoken[3].err


def test_json_keeps_the_name_that_it_escapes(people: Path) -> None:
    assert NAME in [column["name"] for column in run("inspect", people, "--json").json["columns"]]


def test_a_certificate_can_not_erase_the_lines_of_its_verdict(people: Path) -> None:
    out = people.with_name("out.csv")
    assert run("anonymize", people, "-o", out, "-q", NAME, "-s", "ill", "-k", "5").code == 0
    place = Path(f"{out}.certificate.json")
    stated = json.loads(place.read_text())
    forged = {**stated, "k": 50, "not promised": [f"{ERASING}{TURNING}\nverified: all is well"]}
    place.chmod(0o600)
    place.write_text(json.dumps(forged))
    said = run("verify", out, place)
    assert said.code == 4 and silent(said)


def command(*args: object, **given: object) -> subprocess.CompletedProcess[bytes]:
    words = [*COMMAND, *map(str, args)]
    return subprocess.run(words, timeout=PATIENCE, check=False, **given)  # type: ignore[call-overload]


def test_a_terminal_without_our_letters_is_no_fault(people: Path) -> None:
    plain = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    table = pa.table({"Größe 長い": [20 + i % 30 for i in range(90)]})
    files.write(table, people.with_name("odd.parquet"))
    odd = people.with_name("odd.parquet")
    for words in (("inspect", odd), ("audit", odd, "-q", "Größe 長い", "--verbose")):
        done = command(*words, env=plain, capture_output=True)
        assert done.returncode == 0, done.stderr
        assert b"\\u9577" in done.stdout + done.stderr


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "1>&- 2>&-"])
def test_closed_streams_are_no_fault(people: Path, closed: str) -> None:
    words = " ".join(f"'{word}'" for word in COMMAND)
    asked = f"anonymize '{people}' -q '{NAME}' -s ill -k 5 --seed 1"
    out = people.with_name("out.csv")
    done = command_line(f"{words} {asked} -o '{out}' {closed}")
    assert done == 0 and out.exists()


def test_a_release_is_not_sent_into_a_closed_stream(people: Path) -> None:
    words = " ".join(f"'{word}'" for word in COMMAND)
    asked = f"anonymize '{people}' -q '{NAME}' -s ill -k 5 --certificate '{people}.json'"
    assert command_line(f"{words} {asked} -o - 1>&-") == 3
    assert sorted(path.name for path in people.parent.iterdir()) == ["people.parquet"]


def command_line(line: str) -> int:
    done = subprocess.run(["bash", "-c", line], timeout=PATIENCE, check=False)
    return done.returncode
