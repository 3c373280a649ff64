"""Verdicts on Last, Tassa, Zhmudyak & Shmueli 2014, each from the figures of the page alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from experiments import leak_2014 as leak
from experiments.last_2014_rules import RIVALS
from experiments.means_2014 import SURE, means, said, surely_above
from experiments.releases_2014 import METHODS, OURS
from experiments.significance import paired
from experiments.verdicts import FAILS, HOLDS, IN_PART, LOST, UNKNOWN, WON, overall
from shoal.comparison.cells import Row

CLEARLY = -0.5  # a rank correlation that is more than a tendency
GUESS = 0.05  # how much better than the most frequent value an attacker may guess


def classifiers_in(rows: Iterable[Row]) -> tuple[str, ...]:
    return tuple(next(iter(rows))["classifiers"])


def better(rows: Sequence[Row], ours: str, rival: str) -> tuple[str, str]:
    """Whether one method's classifiers are more accurate than another's, data set by data set."""
    return surely_above(gains_of(rows, ours, rival), f"accuracy, against {rival}")


def gains_of(rows: Sequence[Row], ours: str, rival: str) -> list[float]:
    """How much more accurate one method's classifiers are than another's, for each data set."""
    both = means(rows, classifiers_in(rows))
    gains: dict[str, list[float]] = {}
    for name, method, k in both:
        if method == rival and (name, ours, k) in both:
            gains.setdefault(name, []).append(both[name, ours, k] - both[name, rival, k])
    return [float(np.mean(values)) for values in gains.values()]


def loses_less(rows: Sequence[Row], rival: str) -> tuple[str, str]:
    """Whether NSVDist loses less than a rival, data set by data set."""
    losses = means([row for row in rows if row["k"] > 1], ["height-share"])
    gaps: dict[str, list[float]] = {}
    for name, method, k in losses:
        if method == rival and (name, OURS, k) in losses:
            gaps.setdefault(name, []).append(losses[name, rival, k] - losses[name, OURS, k])
    return surely_above(
        [float(np.mean(values)) for values in gaps.values()], f"loss saved, against {rival}"
    )


def best_of_four(rows: Sequence[Row]) -> tuple[str, str]:
    """How often each of the paper's four methods has the most accurate classifier; equals count in
    part.
    """
    most = max(row["k"] for row in rows)
    times = dict.fromkeys((OURS, *RIVALS), 0.0)
    for classifier in classifiers_in(rows):
        found = means(rows, [classifier])
        for name in dict.fromkeys(row["data"] for row in rows):
            there = {
                method: found[name, method, most]
                for method in times
                if (name, method, most) in found
            }
            winners = [method for method, value in there.items() if value == max(there.values())]
            for method in winners:
                times[method] += 1 / len(winners)
    told = ", ".join(f"{method} {count:.0f}" for method, count in times.items())
    first = max(times, key=lambda method: times[method])
    half = times[OURS] > sum(times.values()) / 2
    return (
        HOLDS if half else IN_PART if first == OURS else FAILS
    ), f"best at k = {most}: {told} times"


def goes_with_loss(rows: Sequence[Row]) -> tuple[str, str]:
    """Rank correlation of loss and accuracy among methods, at each data set and k."""
    from scipy.stats import spearmanr  # a second of work, which most readers do not need

    losses = means([row for row in rows if row["k"] > 1], ["height-share"])
    right = means(rows, classifiers_in(rows))
    found: dict[str, list[float]] = {}
    for name, k in dict.fromkeys((name, k) for name, _, k in losses):
        there = [method for method in METHODS if (name, method, k) in losses]
        pairs = [(losses[name, method, k], right[name, method, k]) for method in there]
        if len(pairs) > 2 and all(np.ptp(side) for side in zip(*pairs, strict=True)):
            found.setdefault(name, []).append(float(spearmanr(*zip(*pairs, strict=True)).statistic))
    of_sets = [float(np.mean(values)) for values in found.values()]
    if len(of_sets) < 2:
        return UNKNOWN, "not measured"
    mean = float(np.mean(of_sets))
    p = paired(of_sets, [0.0] * len(of_sets)).p if np.ptp(of_sets) else 0.0
    good = sum(one < 0 for one in of_sets)
    told = (
        f"rank correlation of loss and accuracy among methods {mean:+.2f} on average, below 0 "
        f"on {good} of {len(of_sets)} sets ({said(p)})"
    )
    if mean >= 0 or p >= SURE:
        return FAILS, told
    return HOLDS if mean < CLEARLY else IN_PART, told


def security(leaks: Sequence[Row]) -> tuple[str, str]:
    """Judge who is hidden in the paper's form: as many rows and matches as promised, for all."""
    told = []
    outcomes = []
    for rows in dict.fromkeys(row["rows"] for row in leaks):
        plain = [row for row in leaks if row["method"] == leak.PAPER and row["rows"] == rows]
        few = [row["below k, printed"] for row in plain]
        none = [row["below k matches"] for row in plain]
        outcomes += [WON if max(pair) == 0 else LOST for pair in zip(few, none, strict=True)]
        told.append(
            f"of {rows:,} people {min(few):.0%} to {max(few):.0%} are covered by fewer than k "
            f"published rows, and {min(none):.0%} to {max(none):.0%} have fewer than k possible "
            "matches"
        )
    return overall(outcomes), "; ".join(told)


def solved(leaks: Sequence[Row]) -> tuple[str, str]:
    """Judge what equations regain without anybody's value known, for each k and l that was run.

    The claim stands where they regain no more than the most frequent value gives anyhow, up to
    `GUESS`.
    """
    plain = [row for row in leaks if row["method"] == leak.PAPER]
    told = [
        f"{name}: {_span([row['guessed'] for row in some])} of all values regained, "
        f"{_span([row['usual'] for row in some])} by the most frequent one"
        for name in ("income", "occupation")
        if (some := [row for row in plain if row["sensitive"] == name])
    ]
    outcomes = [WON if row["guessed"] - row["usual"] <= GUESS else LOST for row in plain]
    by_case: dict[tuple[int, int], list[str]] = {}
    for row, each in zip(plain, outcomes, strict=True):
        by_case.setdefault((row["k"], row["l"]), []).append(each)
    stands = [f"k = {k}, l = {l}" for (k, l), some in by_case.items() if LOST not in some]
    told.append(f"it stands at {', '.join(stands)}" if stands else "it stands at no k and l")
    return overall(outcomes), "with nobody's value known, " + "; ".join(told)


def priced(leaks: Sequence[Row]) -> str:
    """Height-share in multiples of the best groups', on the same rows."""
    same = ("sensitive", "k", "l", "rows", "sample")
    losses: dict[tuple[Any, ...], dict[str, float]] = {}
    for row in leaks:
        if row.get("height-share") is not None:
            losses.setdefault(tuple(row[name] for name in same), {})[row["method"]] = row[
                "height-share"
            ]
    told = []
    for method in (leak.PAPER, *leak.REPAIRS):
        ratios = [
            found[method] / min(found[name] for name in leak.GROUPED if name in found)
            for found in losses.values()
            if method in found and any(name in found for name in leak.GROUPED)
        ]
        told.append(
            f"{method}: {min(ratios):.2f} to {max(ratios):.2f} times"
            if ratios
            else f"{method}: always refused"
        )
    return "; ".join(told)


def _span(values: Sequence[float]) -> str:
    return f"{min(values):.0%} to {max(values):.0%}"
