"""Whoever looks on is told the loss so far: one that never rises while groups are refined, and at
last that of the release.
"""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from rich.console import Console

import shoal
from on_disk import write_streamed
from shoal.cli import render
from shoal.engines.local import LocalEngine
from shoal.flows.groups import run
from shoal.groups import Groups, InTurn, Watch, heard, within
from shoal.partition import microaggregation
from shoal.partition.microaggregation import AnnealingEffort
from shoal.partition.refinement import refine
from shoal.partition.shoal import Shoal
from shoal.recipe import Recipe
from shoal.review.losses.height_share import HeightShare
from shoal.review.losses.loss import Evidence
from tables import AtLeast, adult

RNG = np.random.default_rng(9)
PEOPLE = pa.table(
    {
        "age": pa.array(RNG.integers(20, 80, 1500)),
        "city": pa.array(RNG.choice(["Oslo", "Rome", "Bonn", None], 1500, p=[0.4, 0.3, 0.2, 0.1])),
        "born": pa.array(np.datetime64("1960-01-01") + RNG.integers(0, 9000, 1500)),
    }
)
QUASI = ["age", "city", "born"]
ROUNDING = 1e-6  # costs are whole numbers of 2^-20


class Told:
    """A watch that remembers what it is told while rows are divided."""

    def __init__(self) -> None:
        self.shares: list[float] = []
        self.losses: list[float] = []

    def __call__(self, share: float, loss: float | None = None) -> None:
        self.shares.append(share)
        if loss is not None:
            self.losses.append(loss)

    def stage(self, name: str) -> Watch:
        return self if name == "dividing into groups" else Told()

    @property
    def falls(self) -> bool:
        return (
            len(self.losses) > 1
            and self.losses == sorted(self.losses, reverse=True)
            and self.losses[0] > self.losses[-1]
        )


@pytest.mark.parametrize("effort", ["low", "default", "high"])
def test_the_loss_never_rises_while_the_groups_of_another_method_are_refined(effort: str) -> None:
    told = Told()
    some = PEOPLE.slice(0, 200)
    release = shoal.anonymize(
        some, quasi=QUASI, k=5, method="mondrian", refine=True, effort=effort, progress=told.stage
    )
    assert told.falls
    assert told.losses[-1] == pytest.approx(release.losses["height-share"], abs=ROUNDING)


@pytest.mark.parametrize(
    ("asked", "metric"),
    [
        ({}, "height-share"),
        ({"loss": "leaf-share"}, "leaf-share"),
        ({"loss": "squared-error"}, "squared-error-share"),
    ],
)
def test_the_loss_falls_to_that_of_the_release(
    asked: dict[str, str], metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        microaggregation.EFFORTS, "default", AnnealingEffort(each=300, all=3_000_000)
    )
    told = Told()
    quasi = ["age", "born"] if asked.get("loss") == "squared-error" else QUASI
    release = shoal.anonymize(
        PEOPLE, quasi=quasi, k=5, method="shoal:balance=0", seed=2, progress=told.stage, **asked
    )
    assert told.falls and told.shares == sorted(told.shares) and told.shares[-1] == 1
    assert told.losses[-1] == pytest.approx(release.losses[metric], abs=ROUNDING)


def test_the_last_loss_is_that_of_the_release_where_rows_are_balanced() -> None:
    rows = adult().some(np.arange(4000))
    told = Told()
    groups = Shoal().divide(rows, 10, AtLeast(10), np.random.default_rng(0), told)
    assert told.losses[-1] == pytest.approx(
        HeightShare().measure(Evidence(rows, groups)), abs=ROUNDING
    )
    assert told.losses[-1] < told.losses[0]
    assert np.array_equal(
        groups.labels, Shoal().divide(rows, 10, AtLeast(10), np.random.default_rng(0)).labels
    )


def test_withheld_rows_lose_everything() -> None:
    rows = adult().some(np.arange(600))
    told = Told()
    groups = Groups.of(np.where(np.arange(600) < 60, -1, np.arange(600) // 20))
    better = refine(groups, rows, 5, AtLeast(5), np.random.default_rng(0), told)
    assert told.falls and told.losses[-1] > 0.1
    assert told.losses[-1] == pytest.approx(
        HeightShare().measure(Evidence(rows, better)), abs=ROUNDING
    )


def test_what_an_interruption_leaves_is_told() -> None:
    told = Told()
    rows = adult().some(np.arange(4000))

    def impatient(share: float, loss: float | None = None) -> None:
        told(share, loss)
        if share > 0.5:
            raise KeyboardInterrupt

    groups = Shoal(balance=0.0).divide(rows, 10, AtLeast(10), np.random.default_rng(0), impatient)
    assert "interrupted" in groups.notes[-1]
    assert told.falls
    assert told.losses[-2:] == pytest.approx(
        [HeightShare().measure(Evidence(rows, groups))] * 2, abs=ROUNDING
    )


def test_shards_are_told_together() -> None:
    told = Told()
    recipe = Recipe.of(quasi=QUASI, k=5, seed=1)
    outcome = run(PEOPLE, recipe, LocalEngine(shards=3), told.stage)
    assert "divided in 3 shards" in outcome.certificate.private.notes
    assert told.losses[-1] == pytest.approx(outcome.losses["height-share"], abs=ROUNDING)


def test_streams_are_told_together(tmp_path: Path) -> None:
    parquet.write_table(PEOPLE, tmp_path / "people.parquet")
    told = Told()
    places = [tmp_path / f"{name}.parquet" for name in ("people", "released")]
    recipe = Recipe.of(quasi=QUASI, k=5, seed=1)
    outcome = write_streamed(*places, recipe, 700, progress=told.stage)
    assert told.losses[-1] == pytest.approx(outcome.losses["height-share"], abs=ROUNDING)


def test_parts_in_turn_by_hand() -> None:
    told = Told()
    in_turn = InTurn(told, 10)
    first = in_turn.part(4)
    first(0.5)
    first(1.0, 0.5)
    second = in_turn.part(6)
    second(0.0)
    second(0.5, 0.2)
    second(1.0, 0.1)
    assert told.shares == pytest.approx([0.2, 0.4, 0.4, 0.7, 1.0])
    assert told.losses == pytest.approx([0.5, (4 * 0.5 + 6 * 0.2) / 10, (4 * 0.5 + 6 * 0.1) / 10])


def test_nothing_is_said_about_parts_of_which_one_said_nothing() -> None:
    told = Told()
    in_turn = InTurn(told, 10)
    in_turn.part(4)(1.0)
    in_turn.part(6)(1.0, 0.1)
    assert told.shares == [0.4, 1.0] and not told.losses


def test_a_part_stays_within_its_ends() -> None:
    told = Told()
    for begin, end in ((0.0, 0.1), (0.1, 0.7), (0.7, 1.0)):
        for share in (0.0, 0.3, 1.0):
            within(told, begin, end)(share, 0.5)
    assert (
        told.shares == sorted(told.shares)
        and told.shares[2::3] == [0.1, 0.7, 1.0]
        and told.losses == [0.5] * 9
    )


@pytest.mark.parametrize("door", [heard, lambda watch: watch], ids=["alone", "through the door"])
def test_whoever_looks_at_shares_alone_is_told_those(
    door: Callable[[Callable[[float], None]], Watch],
) -> None:
    shares: list[float] = []
    watch = door(shares.append)
    if door is heard:
        watch(0.5, 0.1)
        assert shares == [0.5]
    else:
        run(PEOPLE, Recipe.of(quasi=QUASI, k=5), LocalEngine(shards=2), lambda name: watch)
        assert shares[-1] == 1.0


def test_a_watch_that_hears_losses_is_left_alone() -> None:
    told = Told()
    assert heard(told) is told


def test_a_terminal_shows_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(
        render, "stderr", lambda: Console(file=screen, force_terminal=True, width=120)
    )
    stages = render.Stages()
    try:
        watch = stages("dividing into groups")
        watch(0.1)
        stages.bar.refresh()
        assert "10 %" in screen.getvalue() and "loss" not in screen.getvalue()
        watch(0.4, 0.0812345)
        stages.bar.refresh()
    finally:
        stages.close()
    assert "40 %" in screen.getvalue() and "loss so far 0.08123" in screen.getvalue()


def test_a_log_has_the_loss_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(render, "PATIENCE", -1.0)
    stages = render.Stages()
    try:
        watch = stages("dividing into groups")
        watch(0.1)
        watch(0.4, 0.0812345)
    finally:
        stages.close()
    assert (
        "dividing into groups: 10%\ndividing into groups: 40%, loss so far 0.08123\n"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("heard_between", [False, True])
def test_a_second_interruption_is_never_lost(heard_between: bool) -> None:
    """Refinement catches both; what follows must not begin."""
    stages = render.Stages()
    try:
        watch = stages("dividing into groups")
        signal.raise_signal(signal.SIGINT)
        if heard_between:
            with pytest.raises(KeyboardInterrupt):
                watch(0.5)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            watch(1.0)
        with pytest.raises(KeyboardInterrupt):
            stages("recoding")
    finally:
        stages.close()
