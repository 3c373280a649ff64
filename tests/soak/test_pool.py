"""Workers of a soak: what dies or works too long is a fault of its own case, and of no other."""

from __future__ import annotations

import os
import signal

import pytest

from soak import pool
from soak.pool import Pool


def planted(seed, kinds, pipe) -> None:
    """A worker that dies at its second case, works without end at its fourth, and waits at its
    sixth, which is no fault.
    """
    import time

    from soak.tally import Result

    while (number := pipe.recv()) is not None:
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        while number == 3:
            pass
        if number == 5:
            time.sleep(2.5)
        pipe.send(Result(seed, number, "release", "released", {}, []))


def test_one_that_dies_or_hangs_costs_its_own_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "work", planted)
    monkeypatch.setattr(pool, "PATIENCE", 3.0)
    done = list(Pool(7, ("release",), 1).run(lambda number: number < 7))
    assert [result.number for result in done] == list(range(7))
    faults = {result.number: result.faults for result in done if result.faults}
    assert faults == {1: ["the process died"], 3: ["took too long"]}
