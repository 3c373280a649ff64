"""`python -m soak`: attack Shoal with random cases for some time; exit 1 where one failed."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from pathlib import Path

from soak import runs
from soak.pool import Pool
from soak.tally import Result, Tally, write_failed

ROOT = Path(__file__).parents[2]
FAILED = ROOT / "build" / "soak"
KINDS = ("release", "odd input", "tampering", "graph", "ledger", "terminal", "kill", "full disk")


def main(typed: list[str] | None = None) -> int:
    """Run a soak, or one case again; return 1 where something failed."""
    given = _parser().parse_args(typed)
    if given.case:
        return again(Path(given.case))
    if given.add:
        print(runs.add(run for place in given.add for run in runs.read(Path(place))))
        return 0
    given.commit = runs.commit()  # now: files may change while it goes on
    tally = Tally(secrets.randbelow(10**9) if given.seed is None else given.seed)
    print(f"seed {tally.seed}; failed cases are written to {given.failed}", file=sys.stderr)
    _soak(given, tally)
    for name, count in sorted(tally.counts.items()):
        print(f"{count:>9,}  {name}")
    print(tally.line())
    if given.page:
        print(runs.add([tally.as_run(given.commit)]))
    return 1 if tally.failed else 0


def again(place: Path) -> int:
    """Run a failed case again, and say what is wrong with it."""
    from soak.cases import Case

    told = json.loads(place.read_text("utf-8"))
    done = Case(told["seed"], told["number"], (told["kind"],)).run()
    print(json.dumps(done.described, indent=2, default=str))
    print("\n".join(done.faults) or f"{done.outcome}: nothing is wrong any more")
    return 1 if done.faults else 0


def _soak(given: argparse.Namespace, tally: Tally) -> None:
    start = time.monotonic()
    end = start + given.hours * 3600
    said = start

    def wanted(number: int) -> bool:
        return time.monotonic() < end and (given.cases is None or number < given.cases)

    for result in Pool(tally.seed, tuple(given.kinds), given.workers).run(wanted):
        tally.add(result)
        tally.seconds = time.monotonic() - start
        if result.faults:
            _tell(result, Path(given.failed))
        if time.monotonic() - said > 30:
            said = time.monotonic()
            print(tally.line(), file=sys.stderr, flush=True)
            tally.as_run(given.commit).write(Path(given.failed))
    tally.as_run(given.commit).write(Path(given.failed))


def _tell(result: Result, folder: Path) -> None:
    place = write_failed(result, folder)
    print(f"FAILED {place}: {'; '.join(result.faults)}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=1.0, help="how long; an hour by default")
    parser.add_argument("--cases", type=int, help="stop after this many cases")
    parser.add_argument("--seed", type=int, help="repeats the cases; a new one by default")
    parser.add_argument("--workers", type=int, default=Pool(0, ()).workers, help="processes")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, help="only these cases")
    parser.add_argument("--case", help="run one failed case again, from its file")
    parser.add_argument(
        "--failed", default=str(FAILED), help="where failed cases and counts are written"
    )
    parser.add_argument("--page", action="store_true", help="add the counts to docs/results")
    parser.add_argument(
        "--add", nargs="+", metavar="FILE", help="add runs that ended to docs/results"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
