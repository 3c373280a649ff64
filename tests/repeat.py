"""Repeats tests with processes, browsers, servers and noise: `make repeat ARGS='--times 20'`.

A test that fails once in twenty rounds depends on chance or on speed, and so may the product. One
line is printed a round; the output of a round that failed is kept in the folder build/repeat.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "repeat"
TELLING = re.compile(
    r"\bsubprocess\b|\bmultiprocessing\b|\bimport .*\bprocess\b|\bbrowser: |\bpage: |\benter: "
    r"|\bstarted\(|\bjvm\b|\bsail\b|\bpostgres|\bdistort\(|\"distort\"|distortions|\bPool\("
)
"""What stands in files whose tests start processes, drive a browser, share a server, draw noise."""


def main(typed: list[str] | None = None) -> int:
    """Repeat the tests; return 1 where a round failed."""
    given = _parser().parse_args(typed)
    failed = 0
    for number in range(1, given.times + 1):
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-n", given.processes, *(given.tests or chosen())],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        failed += done.returncode != 0
        line = (done.stdout.strip().splitlines() or [done.stderr.strip()[-200:]])[-1]
        if done.returncode:
            KEPT.mkdir(parents=True, exist_ok=True)
            place = KEPT / f"round-{number}-{time.strftime('%H%M%S')}.txt"
            place.write_text(done.stdout + done.stderr, "utf-8")
            line += f" (see {place.relative_to(ROOT)})"
        minutes = (time.monotonic() - began) / 60
        print(f"round {number} of {given.times}, {minutes:.1f} min: {line}", flush=True)
    print(f"{given.times} rounds, {failed} with a failure")
    return 1 if failed else 0


def chosen() -> list[str]:
    """List the test files that have to be repeated, by what stands in them."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [
        str(file.relative_to(ROOT)) for file in files if TELLING.search(file.read_text("utf-8"))
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make repeat ARGS=...", description=__doc__)
    parser.add_argument("--times", type=int, default=20, help="rounds; twenty by default")
    parser.add_argument("--processes", default="2", help="tests at once; two by default")
    parser.add_argument("tests", nargs="*", help="files or folders; all of that kind by default")
    return parser


if __name__ == "__main__":
    sys.exit(main())
