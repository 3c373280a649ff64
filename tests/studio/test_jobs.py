"""Jobs: real processes that are cancelled, killed, and speak in tongues; the shop outlives them
all.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from shoal.studio import jobs
from shoal.studio.desk import REMEMBERED, Desk
from shoal.studio.desk_items import Sheet
from shoal.studio.jobs import AT_ONCE, DRAWN, Job, Shop
from shoal.studio.work.telling import Tell
from studio.conftest import PATIENCE, in_a_loop

PUPPET = """
import json, sys, time
asked = json.loads(sys.stdin.readline())
for step in asked["steps"]:
    if isinstance(step, str):
        sys.stdout.write(step)
        sys.stdout.flush()
    else:
        time.sleep(step)
"""
DONE = json.dumps({"says": "done", "result": {"found": 1}}) + "\n"
LONG = 600
NONSENSE = {
    "no JSON": "what?\n",
    "without its share": '{"says": "share"}\n',
    "says nothing": '{"no": 1}\n',
    "half a line": '{"says": "done", "result": {',
    "too long": "x" * 2**17,
}


@pytest.fixture
def puppets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that do what a job says, and begin at once."""

    async def worker() -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-S", "-E", "-c", PUPPET)
        return await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, start_new_session=True, limit=2**16
        )

    monkeypatch.setattr(jobs, "_worker", worker)


def within(work: Callable[[Shop], Awaitable[Any]]) -> Any:
    """What the work gives in a shop that is closed afterwards; every process it started ends with
    it.
    """
    coming: list[int] = []
    begun: list[asyncio.subprocess.Process] = []
    worker = jobs._worker

    async def recorded() -> asyncio.subprocess.Process:
        coming.append(1)
        try:
            begun.append(await worker())
        finally:
            coming.pop()
        return begun[-1]

    async def opened() -> Any:
        shop = Shop()
        try:
            return await asyncio.wait_for(work(shop), PATIENCE)
        finally:
            shop.close()
            await until(lambda: not coming)
            await until(lambda: all(process.returncode is not None for process in begun))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "_worker", recorded)
        return in_a_loop(opened)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.01)


async def gone(job: Job) -> None:
    """Waits until the process of a job is no more; its `wait` would wait for what nobody reads any
    more, too.
    """
    process = job.process
    assert process is not None
    await until(lambda: process.returncode is not None)


def table_in(folder: Path, rows: int) -> Path:
    table = pa.table(
        {
            "age": [20 + i * 7919 % 60 for i in range(rows)],
            "zip": [i * 104729 % 9999 for i in range(rows)],
        }
    )
    with (
        pa.OSFile(str(folder / "table.arrow"), "wb") as file,
        pa.ipc.new_file(file, table.schema) as writer,
    ):
        writer.write_table(table)
    return folder / "table.arrow"


def test_real_workers_are_cancelled_killed_and_followed_by_others(tmp_path: Path) -> None:
    path = table_in(tmp_path, 40_000)

    async def work(shop: Shop) -> None:
        desk = Desk(tmp_path / "desk", shop)
        read = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
        desk.sheet = Sheet("table", path, read, {}, {"place": str(path)})
        desk.change(quasi=["age", "zip"], k=2, effort="high")
        runs = [desk.run(), desk.run(), desk.run()]
        await until(lambda: all(run.job.stage for run in runs[:2]))
        assert [run.job.state for run in runs] == ["running", "running", "waiting"]
        runs[2].job.cancel()
        runs[0].job.cancel()
        assert runs[1].job.process
        os.kill(runs[1].job.process.pid, signal.SIGKILL)
        await until(lambda: not any(run.folder.exists() for run in runs))
        assert [run.job.state for run in runs] == ["cancelled", "failed", "cancelled"]
        assert "ended unexpectedly" in (runs[1].job.problem or "")
        await gone(runs[0].job)
        assert desk.finished == []
        found = await shop.start("inspect", table=str(path)).wait()
        assert found.state == "done"
        assert found.result
        found.cancel()
        assert found.state == "done"
        desk.close()

    within(work)


def test_a_worker_tells_refusals_and_faults_without_what_was_said(tmp_path: Path) -> None:
    async def work(shop: Shop) -> None:
        refused = shop.start(
            "frontier", table=str(table_in(tmp_path, 10)), recipe={"quasi": ["age", "height"]}
        )
        await refused.wait()
        assert (refused.state, "'height'" in (refused.problem or "")) == ("refused", True)
        failed = await shop.start("inspect", table=str(tmp_path / "SECRET")).wait()
        assert failed.state == "failed"
        assert "FileNotFoundError" in (failed.problem or "")
        assert "SECRET" not in (failed.problem or "")

    within(work)


def test_a_worker_serves_again_after_short_work_that_went_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "UNDISTURBED", LONG)  # no other worker is begun meanwhile
    path = str(table_in(tmp_path, 10))

    async def work(shop: Shop) -> None:
        async def served(do: str, **asked: Any) -> tuple[str, int]:
            job = shop.start(do, **asked)
            assert job.task
            await job.task
            assert shop.spare
            return job.state, (await shop.spare).pid

        state, first = await served("inspect", table=path)
        assert state == "done"
        assert await served("inspect", table=path) == ("done", first)
        refused = {"place": str(tmp_path / "none.csv"), "name": "x", "target": str(tmp_path / "t")}
        state, second = await served("read", **refused)  # who knows what a broken file left behind
        assert (state, second != first) == ("refused", True)
        recipe = {"quasi": ["age"], "k": 2}
        state, third = await served("frontier", table=path, recipe=recipe)  # it lowers its priority
        assert (state, third != second) == ("done", True)

    within(work)


@pytest.mark.usefixtures("puppets")
class TestShop:
    def test_two_work_a_third_waits_and_the_frontier_has_a_place_of_its_own(self) -> None:
        async def work(shop: Shop) -> None:
            many = [shop.start("read", steps=[LONG]) for _ in range(AT_ONCE + 1)]
            beside = [shop.start("frontier", steps=[LONG]) for _ in range(2)]
            await until(lambda: sum(job.process is not None for job in shop.jobs) == AT_ONCE + 1)
            assert [job.state for job in many] == ["running"] * AT_ONCE + ["waiting"]
            assert [job.state for job in beside] == ["running", "waiting"]
            many[0].cancel()
            await until(lambda: many[-1].state == "running")

        within(work)

    def test_whoever_is_told_is_told_once_however_it_ends(self) -> None:
        async def work(shop: Shop) -> None:
            ended: list[str] = []
            steps = {
                "done": [DONE],
                "gone": [],
                "running": [LONG],
                "unbegun": [LONG],
                "waiting": [LONG],
            }
            begun = {
                name: shop.start("read", then=lambda job, name=name: ended.append(name), steps=does)
                for name, does in steps.items()
            }
            begun["unbegun"].cancel()  # before its turn on the loop
            await until(
                lambda: {"done", "gone"} <= set(ended) and begun["running"].process is not None
            )
            begun["running"].cancel()
            begun["waiting"].cancel()
            begun["waiting"].cancel()
            await until(lambda: len(ended) == len(steps))
            await asyncio.sleep(0.05)
            assert sorted(ended) == sorted(steps)
            assert begun["gone"].state == "failed"
            await gone(begun["running"])

        within(work)

    @pytest.mark.parametrize("kind", NONSENSE)
    def test_nonsense_fails_its_own_job_and_no_other(self, kind: str) -> None:
        said = NONSENSE[kind]

        async def work(shop: Shop) -> None:
            bad = await shop.start("read", steps=[said]).wait()
            assert bad.state == "failed"
            assert bad.result is None
            good = await shop.start("read", steps=[DONE]).wait()
            assert (good.problem, good.result) == (None, {"found": 1})

        within(work)

    def test_a_spare_worker_that_died_is_replaced(self) -> None:
        async def work(shop: Shop) -> None:
            shop.prepare()
            assert shop.spare
            process = await shop.spare
            process.kill()
            await process.wait()
            assert (await shop.start("read", steps=[DONE]).wait()).state == "done"

        within(work)

    def test_no_process_to_be_had_is_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def none() -> asyncio.subprocess.Process:
            raise OSError("too many")

        monkeypatch.setattr(jobs, "_worker", none)

        async def work(shop: Shop) -> None:
            job = await shop.start("read", steps=[]).wait()
            assert (job.state, "OSError" in (job.problem or "")) == ("failed", True)

        within(work)

    def test_of_many_quick_changes_the_latest_wins(self, tmp_path: Path) -> None:
        async def work(shop: Shop) -> None:
            desk = Desk(tmp_path / "desk", shop)
            begun = []
            for i in range(30):
                begun.append(desk.start("curve", "frontier", steps=[0.05, DONE], number=i))
                await asyncio.sleep(0.002 * (i % 3))
            await desk.jobs["curve"].wait()
            assert [job.state for job in begun] == ["cancelled"] * 29 + ["done"]
            for job in begun:
                if job.process is not None:
                    await gone(job)

        within(work)

    def test_the_loss_so_far_is_kept_as_a_curve_of_bounded_length(self) -> None:
        job = Job("read", {})
        job.hear({"says": "stage", "name": "dividing"})
        for i in range(5_000):
            job.hear({"says": "share", "share": i / 5_000, "loss": 1 / (i + 1)})
        job.hear({"says": "share", "share": 1.0, "loss": None})
        assert job.loss == 1 / 5_000
        assert DRAWN / 2 <= len(job.losses) <= DRAWN
        assert [loss for _, loss in job.losses] == sorted(
            (loss for _, loss in job.losses), reverse=True
        )
        assert job.losses[0][1] == 1


def test_removed_runs_and_recipes_are_steps_of_one_history(tmp_path: Path, puppets: None) -> None:
    async def work(shop: Shop) -> None:
        desk = Desk(tmp_path / "desk", shop)
        sheets = [_sheet(desk, kind) for kind in ("number", "category")]
        desk.lay(sheets[0])
        desk.change(k=7)
        runs = [desk.run() for _ in range(3)]
        for run in runs:
            run.job.end("done")
        desk.remove(runs[1])
        desk.change(k=9)
        assert (desk.runs, desk.recipe.k) == ([runs[0], runs[2]], 9)
        found = []
        for _ in range(3):
            desk.undo()
            found.append((len(desk.runs), desk.recipe.k))
        assert found == [(2, 7), (3, 7), (3, 5)]
        for _ in range(2):
            desk.redo()
        assert desk.runs == [runs[0], runs[2]] and all(run.folder.exists() for run in runs)
        desk.lay(sheets[1])  # another table: nothing leads back
        assert not desk.made and not desk.before and not desk.after
        assert [
            place.exists()
            for place in (*(run.folder for run in runs), *(sheet.path for sheet in sheets))
        ] == [False, False, False, False, True]

    within(work)


def test_files_go_when_no_way_leads_back_to_them(tmp_path: Path, puppets: None) -> None:
    async def work(shop: Shop) -> None:
        desk = Desk(tmp_path / "desk", shop)
        desk.lay(_sheet(desk, "number"))
        run = desk.run()
        desk.remove(run)
        for k in range(6, 6 + REMEMBERED):
            assert run.folder.exists()
            desk.change(k=k)
        assert not run.folder.exists()

    within(work)


def _sheet(desk: Desk, kind: str) -> Sheet:
    path = desk.new_place(".arrow")
    path.touch()
    return Sheet("table", path, pa.table({"a": [1]}), {"a": kind}, {"place": "t"})


class TestHowFarAJobIs:
    def test_a_first_start_says_that_code_is_compiled_and_for_how_long(self) -> None:
        job = Job("frontier", {}, state="running")
        assert "compiled" not in job.waiting_for
        job.hear({"says": "compiling"})
        assert "takes about a minute" in job.waiting_for

    def test_what_is_left_is_guessed_from_the_present_stage_alone(self) -> None:
        """An hour of reading says nothing of how long dividing takes."""
        job = Job("anonymize", {}, state="running", began=time.monotonic() - 3_600)
        job.hear({"says": "stage", "name": "dividing into groups"})
        job.stage_began -= 10
        assert job.seconds_left is None
        job.hear({"says": "share", "share": 0.5, "loss": 0.3, "rounds": 7})
        assert job.rounds == 7
        assert job.seconds_left is not None and 9 < job.seconds_left < 60

    def test_better_divisions_are_counted_also_between_two_reports(self) -> None:
        said = io.StringIO()
        tell = Tell(said)
        watch = tell("dividing into groups")
        for loss in (None, 0.5, 0.5, 0.4, 0.3, 0.3):
            watch(0.5, loss)
        assert tell.rounds == 2
        tell("another stage")
        assert tell.rounds == 0
