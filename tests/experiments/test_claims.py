"""The judge of the papers' claims says what the figures say, and bites when a claim does not
hold.
"""

from __future__ import annotations

import json
import multiprocessing
import time

import pytest
from experiments.lin_wei_2009 import GENETIC, LOSS, REFINED, reduces, worth_its_time
from experiments.runs import Options, Spread, available, exponent, spreads, straightness
from experiments.verdicts import FAILS, HOLDS, IN_PART, UNKNOWN, below, close, together

from experiments import runs
from sleepers import Sleeper, slept


def rows(**losses: list[float]) -> list[dict]:
    """Two seeds at each k of 5, 10, 15 ...; the second one point above the first."""
    return [
        {"method": method, "k": 5 * (i + 1), "seed": seed, "loss": loss + seed - 1}
        for method, values in losses.items()
        for i, loss in enumerate(values)
        for seed in (1, 2)
    ]


@pytest.mark.parametrize(
    ("mine", "verdict"),
    [([10, 20, 30], HOLDS), ([10, 50, 30], IN_PART), ([70, 70, 70], FAILS), ([20, 40, 60], FAILS)],
)
def test_below_at_all_some_or_no_k(mine, verdict):
    found = below(rows(mine=mine, theirs=[20, 40, 60]), "loss", "mine", ["theirs"])
    assert found[0] == verdict


def test_below_must_beat_all_rivals_and_names_where_it_does_not():
    found = below(
        rows(mine=[10, 20, 30], weak=[20, 40, 60], strong=[20, 40, 5]),
        "loss",
        "mine",
        ["weak", "strong"],
    )
    assert found[0] == IN_PART and "not below at k = 15" in found[1]


def test_a_gap_within_the_spread_is_a_tie_and_no_win():
    # Two seeds, one point apart: a standard deviation of 0.71 on both sides.
    figures = rows(mine=[10, 20, 30.0], theirs=[20, 20.5, 30.5])
    tied = below(figures, "loss", "mine", ["theirs"])
    assert tied.verdict == IN_PART and "a tie at k = 10, 15" in tied.told
    assert below(rows(mine=[20.0], theirs=[20.5]), "loss", "mine", ["theirs"]).verdict == FAILS
    assert below(rows(mine=[20.0], theirs=[20.8]), "loss", "mine", ["theirs"]).verdict == HOLDS


def test_ties_are_shown_beside_losses():
    told = below(rows(mine=[10, 30, 20.0], theirs=[20, 20, 20]), "loss", "mine", ["theirs"]).told
    assert "a tie at k = 15; not below at k = 10" in told


def test_nearly_below_is_allowed_only_where_asked():
    figures = rows(mine=[105.0], theirs=[100.0])
    assert below(figures, "loss", "mine", ["theirs"])[0] == FAILS
    assert below(figures, "loss", "mine", ["theirs"], at_most=1.1)[0] == HOLDS


def test_what_was_not_measured_is_not_judged():
    assert below(rows(mine=[1.0]), "loss", "mine", ["theirs"])[0] == UNKNOWN
    assert close(rows(mine=[1.0]), "loss", ["mine", "theirs"], within=0.1)[0] == UNKNOWN
    assert reduces({}).verdict == UNKNOWN


def test_close_is_the_gap_between_largest_and_smallest():
    assert (
        close(rows(a=[100.0], b=[101.0], c=[99.0]), "loss", ["a", "b", "c"], within=0.025)[0]
        == HOLDS
    )
    assert (
        close(rows(a=[100.0], b=[101.0], c=[90.0]), "loss", ["a", "b", "c"], within=0.025)[0]
        == FAILS
    )


@pytest.mark.parametrize(
    ("verdicts", "joined"),
    [
        ((HOLDS, HOLDS), HOLDS),
        ((HOLDS, FAILS), IN_PART),
        ((FAILS, FAILS), FAILS),
        ((UNKNOWN, HOLDS), UNKNOWN),
    ],
)
def test_findings_join(verdicts, joined):
    assert together(*((verdict, "told") for verdict in verdicts)) == (joined, "told")


def test_a_search_that_gains_next_to_nothing_does_not_reduce_the_loss():
    assert reduces({"k = 5": [0.05, 0.06], "k = 10": [0.04, 0.05]}).verdict == HOLDS
    assert reduces({"k = 5": [0.05, 0.06], "k = 10": [0.0, 0.001]}).verdict == IN_PART
    assert reduces({"k = 5": [0.0, 0.0], "k = 10": [0.0, 0.001]}).verdict == FAILS
    assert reduces({"k = 5": [0.0, 0.06]}).verdict == FAILS  # no more than its spread
    assert "nothing better than its start in 1 of 2" in reduces({5: [0.0, 0.06]}).told


def compared(genetic: float, refined: float, seconds: float) -> list[dict]:
    """Two methods on the same start at one k; the genetic one takes 1 second."""
    return [
        {"method": GENETIC, "k": 5, "seed": 1, LOSS: genetic, "seconds": 1.0},
        {"method": REFINED, "k": 5, "seed": 1, LOSS: refined, "seconds": seconds},
    ]


def test_a_search_is_not_worth_its_time_where_refinement_is_better_and_quicker():
    assert worth_its_time("Adult", compared(100.0, 110.0, 0.1)).verdict == HOLDS
    assert worth_its_time("Adult", compared(100.0, 90.0, 2.0)).verdict == HOLDS
    assert worth_its_time("Adult", compared(100.0, 90.0, 0.1)).verdict == FAILS
    assert worth_its_time("Adult", []).verdict == UNKNOWN


def test_spread_is_the_deviation_over_seeds():
    found = spreads(rows(mine=[10.0]), "loss")["mine", 5]
    assert found == Spread(10.5, pytest.approx(0.5**0.5), 2)
    assert str(Spread(12345.6, 7.8, 3)) == "12,346 ± 8"


def test_exponents_and_straight_lines():
    assert exponent({n: 3e-9 * n**2 for n in (2e3, 5e3, 3e4)}) == pytest.approx(2)
    assert straightness({n: 4 + 3 * n for n in (1, 2, 5)}) == pytest.approx(1)
    assert straightness({1: 1, 2: 0, 3: 1}) == pytest.approx(0)


def test_a_method_that_is_not_there_is_skipped_with_a_line(capsys):
    assert available({"old": "k-member", "new": "not-yet"}) == {"old": "k-member"}
    assert "skipped: new" in capsys.readouterr().err


def test_a_run_that_is_stopped_stops_at_once_and_goes_on_from_what_is_kept(
    tmp_path, monkeypatch, capsys
):
    def stop(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runs, "BUILD", tmp_path)
    monkeypatch.setattr(runs, "_shown", lambda page: stop)
    # an hour each: whoever waited for them would be seen on any machine
    cells = [Sleeper(0.0), *(Sleeper(3600.0 + more) for more in range(20))]
    start = time.monotonic()
    with pytest.raises(SystemExit) as stopped:
        Options("page", quick=False, jobs=2).measured(cells, slept)
    assert stopped.value.code == 130 and "1 finished cells are kept" in capsys.readouterr().err
    # A child that was stopped is listed until the thread that waits for it has heard so.
    while multiprocessing.active_children() and time.monotonic() - start < 1800:
        time.sleep(0.01)
    assert time.monotonic() - start < 1800
    monkeypatch.setattr(runs, "_shown", lambda page: lambda share: None)
    again = Options("page", quick=False, jobs=2).measured(
        cells[:1], lambda cell: {"slept": "again"}
    )
    assert again == [{"seconds": 0.0, "slept": 0.0}]
    assert len([json.loads(line) for file in tmp_path.iterdir() for line in file.open()]) == 1
