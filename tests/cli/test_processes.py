"""In processes of their own: interrupts, full disks, files that change, closed pipes, and the
installed command.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.cli import commands
from terminal import COMMAND, PATIENCE, Said, in_house_form, process, snapshot, write

TABLE = "age,sex,disease\n" + "".join(
    f"{20 + i % 13},{'fm'[i % 2]},{'abcde'[i * i % 5]}\n" for i in range(400)
)
LIMIT = 600  # bytes: less than a certificate has


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "people.csv", TABLE)
    return tmp_path


def test_the_installed_command(folder):
    command = Path(sys.executable).with_name("shoal")
    assert command.exists()
    args = [command, "anonymize", "people.csv", "-o", "out.csv", "-q", "age,sex", "-s", "disease"]
    done = subprocess.run(args, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0 and done.stdout == b""
    assert sorted(snapshot(folder)) == [
        "out.csv",
        "out.csv.certificate.json",
        "out.csv.private.json",
        "people.csv",
    ]
    again = subprocess.run(args, capture_output=True, timeout=PATIENCE, check=False)
    assert again.returncode == 2 and b"exists" in again.stderr


@pytest.mark.parametrize("when", ["dividing", "reading"])
def test_an_interrupt_leaves_nothing_behind(folder, when):
    if when == "dividing":  # long enough for any machine: quadratic in the rows
        rng = np.random.default_rng(0)
        pq.write_table(pa.table({f"c{i}": rng.random(100_000) for i in range(4)}), "people.parquet")
        source = "people.parquet"
        wait = "dividing into groups"
    else:
        os.mkfifo("people.fifo")  # nobody writes to it
        source = "people.fifo"
        wait = ""
    before = {path.name for path in folder.iterdir()}
    args = [
        *COMMAND,
        "anonymize",
        source,
        "-o",
        "out.csv",
        "-q",
        "c0,c1,c2,c3",
        "--method",
        "k-member",
        "-k",
        "5",
    ]
    started = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if wait:  # it says so after two seconds
        assert any(wait in line for line in started.stderr)
    held = None if wait else opened(Path(source), started)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=PATIENCE)
    if held is not None:
        os.close(held)
    assert started.returncode == 130, err
    assert out == "" and "interrupted" in err and "Traceback" not in err
    assert {path.name for path in folder.iterdir()} == before


def opened(pipe: Path, reader: subprocess.Popen[str]) -> int:
    """The other end of a pipe, which says nothing, as soon as someone reads from it."""
    while reader.poll() is None:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody does yet
            time.sleep(0.02)
    raise AssertionError(reader.stderr and reader.stderr.read())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_full_disk(folder, ending):
    write(folder / f"out.{ending}", "old")
    before = snapshot(folder)

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))

    args = (
        "anonymize",
        "people.csv",
        "-o",
        f"out.{ending}",
        "-q",
        "age,sex",
        "-s",
        "disease",
        "--force",
    )
    said = process(*args, preexec_fn=full, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    assert said.code == 3, said.err
    assert in_house_form(said) and "full" in said.err and said.out == ""
    assert snapshot(folder) == before


GROWING = """
import sys

def grow(frame, event, called):
    read = event == "c_call" and called.__name__ == "read"
    if read and getattr(called.__self__, "name", None) == "people.csv":
        with open("people.csv", "ab") as file:
            file.write(b"20,f,a\\n")

from shoal.cli import main
sys.setprofile(grow)  # whenever someone begins to read the file, it grows: no chance decides
main()
"""


def test_a_file_that_changes_while_it_is_read(folder):
    asked = ["anonymize", "people.csv", "-o", "out.csv", "-q", "age,sex"]
    said = subprocess.run(
        [sys.executable, "-c", GROWING, *asked], capture_output=True, text=True, timeout=PATIENCE
    )
    assert said.returncode == 3, said.stderr
    assert "changed while it was read" in said.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["people.csv"]


def test_a_reader_that_goes_away(folder):
    started = subprocess.Popen(
        [*COMMAND, "inspect", "people.csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    started.stdout.close()
    err = started.stderr.read()
    assert started.wait(timeout=PATIENCE) == 0 and "Traceback" not in err


def test_a_fault_of_ours_shows_no_message(folder):
    """What foreign errors say may quote cells; the terminal says where it happened, and nothing
    else.
    """
    code = "import shoal.cli, shoal.cli.demo as d, click\n"
    code += "@click.command()\ndef command(): raise ValueError('Zyxwvut')\n"
    code += "d.command = command\nshoal.cli.main(['demo'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=PATIENCE, check=False, text=True
    )
    assert done.returncode == 1
    assert "ValueError" in done.stderr and "Zyxwvut" not in done.stderr and done.stdout == ""


def test_loading_a_command_leaves_the_search_for_rubbish_as_it_was() -> None:
    """Whoever calls from a program of their own may have switched it off, and calls more than
    once.
    """
    context = click.Context(commands)
    commands.get_command(context, "models")
    frozen = gc.get_freeze_count()
    for switch, is_on in ((gc.disable, False), (gc.enable, True)):
        switch()
        commands.get_command(context, "models")
        assert gc.isenabled() == is_on and gc.get_freeze_count() <= frozen


@pytest.mark.parametrize(
    "beside",
    [
        "reading: 50%",
        "dividing into groups: 25%, loss so far 0.0123",
        "compiling code for this machine, once",
    ],
)
def test_what_a_slow_machine_says_beside_is_no_fault(beside):
    refused = "shoal.errors.DataError: the disk is full\n  written: nothing\n"
    assert in_house_form(Said(3, "", f"{beside}\n{refused}"))
    assert not in_house_form(Said(3, "", f"Traceback\n{refused}"))
