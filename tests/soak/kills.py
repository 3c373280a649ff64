"""Kills and full disks of a soak: files stay whole, and nothing strange is left behind."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
from pathlib import Path
from random import Random

from soak import inputs, terminal_runs
from soak.outside.tables import Column, Original, read_table
from soak.releases import Done
from terminal import Said

QUASI = ("age", "zip")
OUT = "out.csv"
OURS = {OUT, f"{OUT}.certificate.json", f"{OUT}.private.json"}


def killed(rng: Random, folder: Path) -> Done:
    """Stop a run at a random moment, look at its files, and run it again."""
    rows = rng.choice((200, 2000, 6000))
    words = _words(rng, folder, rows)
    if rng.random() < 0.5:
        before = terminal_runs.here(folder, *words)
        if before.code:
            return Done("broken", {}, [f"the first run exits with {before.code}"])
        words.append("--force")
    there = _visible(folder)
    how = rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM))
    code = _stopped(folder, words, how, rng.uniform(0.2, 4))
    wrong = _after(folder, there, how, code)
    again = terminal_runs.here(folder, *words, *([] if "--force" in words else ["--force"]))
    if again.code:
        wrong.append(f"the next run exits with {again.code}: {terminal_runs.last_line(again.err)}")
    else:
        wrong += _whole(folder)
    stopped = "stopped" if code not in (0, 1) else "ended before it was stopped"
    described = {"signal": how.name, "rows": rows, "words": words}
    return Done("killed", {f"kills: {stopped}": 1}, wrong, described)


def disk_full(rng: Random, folder: Path) -> Done:
    """Let files grow to a few kilobytes only; a run ends with exit 3, and leaves nothing."""
    words = _words(rng, folder, rng.choice((200, 2000, 6000)))
    there = _visible(folder)
    limit = rng.choice((0, 200, 4096, 30_000, 300_000))

    def no_more() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    said = terminal_runs.apart(folder, *words, preexec_fn=no_more)
    wrong = terminal_runs.rules_broken(said)
    if said.code not in (0, 3):
        wrong.append(f"a full disk ends with exit code {said.code}")
    if said.code == 0:
        wrong += _whole(folder)
    elif _visible(folder) != there:
        wrong.append("a full disk left or changed files")
    hidden = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    if hidden:
        wrong.append(f"a full disk left {len(hidden)} hidden files")
    return Done("full disk", {f"full disks: exit {said.code}": 1}, wrong, {"limit": limit})


def _words(rng: Random, folder: Path, rows: int) -> list[str]:
    """Write a table and spell a command that takes a second or so."""
    people: Original = {
        "age": Column("number", [rng.randint(0, 99) for _ in range(rows)]),
        "zip": Column("category", [f"x{rng.randint(1000, 9999)}" for _ in range(rows)]),
        "ill": Column("category", [rng.choice(("flu", "gout", "hip")) for _ in range(rows)]),
    }
    source = inputs.write(people, folder, rng.choice(("csv", "parquet"))).name
    words = ["anonymize", source, "-o", OUT, "-q", ",".join(QUASI), "-s", "ill", "-k", "3"]
    words += ["--hierarchy", "zip=masks", "--method", rng.choice(("mondrian", "shoal"))]
    return words + (["--memory", "2GB"] if rng.random() < 0.3 else [])


def _stopped(folder: Path, words: list[str], how: signal.Signals, after: float) -> int:
    """Start a command, send it a signal after some seconds, and return its exit code."""
    run = terminal_runs.started(folder, *words, start_new_session=True)
    try:
        run.wait(after)
    except subprocess.TimeoutExpired:
        run.send_signal(how)
    try:
        run.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        run.kill()
        run.communicate()
        return 1
    return run.returncode


def _after(folder: Path, there: dict[str, bytes], how: signal.Signals, code: int) -> list[str]:
    """List what is wrong with the files that a stopped run left."""
    wrong = list[str]()
    now = _visible(folder)
    strange = set(now) - set(there) - OURS
    if strange:
        wrong.append(f"{how.name} left {len(strange)} strange files")
    lost = [name for name in there if name not in now]
    if lost:
        wrong.append(f"{how.name} lost {len(lost)} files")
    inputs_changed = [name for name in there if name not in OURS and now.get(name) != there[name]]
    if inputs_changed:
        wrong.append(f"{how.name} changed the input")
    if how == signal.SIGINT and code not in (0, 130, -signal.SIGINT):
        wrong.append(f"an interrupted run exits with {code}")
    if code == 130 and now != there:
        wrong.append("an interrupted run changed files")
    return wrong + [
        f"{how.name} halved {name}" for name in OURS & set(now) if not _is_whole(folder / name)
    ]


def _is_whole(path: Path) -> bool:
    """Tell if a file can be read to its end."""
    try:
        if path.suffix == ".json":
            json.loads(path.read_text("utf-8"))
        else:
            lengths = {len(values) for values in read_table(path).values()}
            return len(lengths) == 1 and path.read_bytes().endswith(b"\n")
    except (ValueError, IndexError):
        return False
    return True


def _whole(folder: Path) -> list[str]:
    """Verify the release that stands in the folder."""
    said: Said = terminal_runs.here(folder, "verify", OUT, f"{OUT}.certificate.json")
    return [f"verify exits with {said.code} after a run that ended well"] if said.code else []


def _visible(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if not p.name.startswith(".")}
