"""Workers of a soak: what dies or works too long is a fault of its own case, and of no other."""

from __future__ import annotations

import os
import signal
from types import SimpleNamespace

import pytest

from soak import pool
from soak.pool import Pool


def planted(seed, kinds, pipe) -> None:
    """A worker that dies at its second case, and does not come back from its fourth."""
    import time

    from soak.tally import Result

    while (number := pipe.recv()) is not None:
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        while number == 3:
            time.sleep(60)
        pipe.send(Result(seed, number, "release", "released", {}, []))


def test_one_that_dies_or_hangs_costs_its_own_case(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = dict[int, int]()

    def worked(worker: pool._Worker) -> float:
        """Nothing at first, and far too much once a worker is asked again how long it worked."""
        asked[worker.number] = asked.get(worker.number, 0) + 1
        return 1000.0 if worker.number == 3 and asked[3] > 1 else 0.0

    monkeypatch.setattr(pool, "work", planted)
    monkeypatch.setattr(pool._Worker, "worked", worked)
    done = list(Pool(7, ("release",), 1).run(lambda number: number < 7))
    assert [result.number for result in done] == list(range(7))
    faults = {result.number: result.faults for result in done if result.faults}
    assert faults == {1: ["the process died"], 3: ["took too long"]}


def test_to_wait_is_no_work() -> None:
    """On a busy machine the clock says nothing of what a case takes."""
    this = pool._Worker(SimpleNamespace(pid=os.getpid()), None)
    spent = os.times()
    assert spent.user + spent.system - 0.02 <= this.worked()
    mine = this.worked()
    while os.times().user + os.times().system < spent.user + spent.system + 0.05:
        pass
    assert mine < this.worked() <= sum(os.times()[:4]) + 0.02
