"""Last, Tassa, Zhmudyak & Shmueli 2014: classifiers and rules from overlapping neighbourhoods, and
the leak of these.

python -m experiments.last_2014 [--claim NAME] [--quick] [--full] [--afresh] [--jobs N]

The usual run has 3 folds, 2 concrete tables, four classifiers, and samples of the two large tables;
`--full` has 10 folds, 10 tables and six classifiers. Both go on where they were stopped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import altair
import numpy as np

from experiments import accuracy_2014 as accuracy
from experiments import last_2014_rules
from experiments import leak_2014 as leak
from experiments.accuracy_2014 import MAJORITY, METHODS, ORIGINAL, OURS, REPAIRED, Size, by_method
from experiments.last_2014_rules import RIVALS
from experiments.means_2014 import SURE, means, surely_above
from experiments.page import Page
from experiments.runs import Options, Spread, options, spreads
from experiments.show_2014 import show_leak
from experiments.tables_2014 import ADULT, SOURCES
from experiments.verdicts import (
    FAILS,
    HOLDS,
    IN_PART,
    LOST,
    TOLD,
    UNKNOWN,
    WON,
    below,
    overall,
    together,
)
from shoal.comparison.cells import Row
from shoal.mining.learners import LEARNERS
from shoal.review import charts

KS = (5, 25, 50)
CLAIMS = (
    "accuracy", "ranking", "loss", "hypothesis", "today", "rules", "several", "secure",
    "adversary", "price",
)  # fmt: skip
PAPER_TOLD = (
    "M. Last, T. Tassa, A. Zhmudyak, E. Shmueli (2014), Improving accuracy of classification "
    "models induced from anonymized datasets, Information Sciences 256, 138-161; read "
    "through N. Sindhujaa, M. Anees & P. S. K. Patra, Accuracy enhancement of mining "
    "association rules, which retells it."
)
FOUR = ("decision-tree", "naive-bayes", "logistic-regression", "nearest-neighbours")
USUAL = Size({ADULT: 1_000, "nursery": 1_000}, 10, 10, (5, 50), FOUR)
FULL = Size({ADULT: 5_000}, 10, 10, KS, FOUR)
QUICK = Size({ADULT: 300}, 2, 1, (5, 25), FOUR[1:2])
RUNS = {"default": USUAL, "full": FULL, "quick": QUICK}
FEW = (ADULT, "ecoli")
HIGHER = 2
NAMED = [name for name, source in SOURCES.items() if source.higher_l]
GUESS = 0.05  # how much better than the most frequent value an attacker may guess
SETTING = (
    "{count} data sets, complete rows, identifiers dropped (the paper lists them among the "
    "quasi-identifiers of six of its seven sets). Columns: those of its table 1 for heart, yeast "
    "and ecoli, eight for Adult, and elsewhere those that hill climbing with backtracking chooses "
    "by correlation with the class, as the paper says (one alone for nursery). Numbers are "
    "published as intervals and names as sets of values, as in the paper. Rows: {rows}. The "
    "class is the sensitive column. {folds} folds: all but "
    "one are anonymized, turned into {tables} concrete tables by drawing each cell evenly from "
    "what it may stand for (the paper leaves the law open), and tested on untouched rows. The "
    "paper's medical sets and the names of its four classifiers are not to be had: classifiers "
    "are {classifiers}, and *top-down* stands for its privacy-aware information sharing, with "
    "all columns as L. *nsvdist* is the paper's form, exact distributions over overlapping "
    "neighbourhoods; *nsvdist, repaired* is what is published by default (rings inside groups, "
    "one sampled value in each row); `shoal` is ours. l = {higher} stands for *a higher l*: no "
    "class in more than every second row. Only {named} have more than two classes and none in "
    "more than half of their rows; with two classes, l = 2 makes all distributions equal and "
    "nothing can be learned, of which the paper does not speak.\n\n"
    "This is the {run} run. The default one has {usual}; `--full` has {full}. Data sets, methods, "
    "k and l are the same, and so is the leak below: "
    "samples of 400 and 1,000 rows of Adult, and all 30,162. A run that was stopped goes on "
    "where it was when the same command is given again."
)


def main() -> None:
    """Measure, judge, write."""
    asked = options("last_2014", __doc__, claims=CLAIMS)
    size = QUICK if asked.quick else FULL if asked.full else USUAL
    names = FEW if asked.quick else tuple(SOURCES)
    page = Page(
        asked,
        "Last, Tassa, Zhmudyak & Shmueli 2014: classifiers from overlapping neighbourhoods",
        PAPER_TOLD,
        setting(size, names),
    )
    if asked.claim in last_2014_rules.CLAIMS:
        last_2014_rules.judge(page, asked)
    found: dict[int, list[Row]] = {}
    refused: list[Row] = []
    if asked.wants("accuracy", "ranking", "loss", "hypothesis", "today"):
        measured = accuracies(asked, size, names)
        refused = [row for rows in measured.values() for row in rows if row.get("refused")]
        found = {l: [row for row in rows if not row.get("refused")] for l, rows in measured.items()}
        judge(page, found)
    if asked.wants("secure", "adversary", "price"):
        leaks = leaked(asked)
        judge_leak(page, leaks)
        show_leak(page, leaks)
    if found:
        show(page, found, size)
    refusals(page, refused)
    page.answer = answer(page)
    page.write()


def leaked(asked: Options) -> list[Row]:
    """Measure what the paper's form leaks; for one claim on samples alone, which takes minutes."""
    cells = [
        cell for cell in leak.leaks(quick=asked.quick) if not asked.claim or cell.rows < leak.ALL
    ]
    return asked.beside("leak_2014").measured(cells, leak.measure)


def accuracies(asked: Options, size: Size, names: Sequence[str]) -> dict[int, list[Row]]:
    """Measure classifiers at l = 1 on all sets, and at a higher l where that means anything."""
    higher = [name for name in names if name in NAMED]
    return {
        l: by_method(asked.measured(list(accuracy.cells(size, some, l)), accuracy.measure))
        for l, some in ((1, names), (HIGHER, higher))
    }


def answer(page: Page) -> str:
    """Say in five sentences what came out."""
    return (
        "NSVDist hides each row in a neighbourhood of its own instead of a group, and publishes "
        "how often each class occurs in it. "
        "That classifiers learn more from it than from the groups of its time "
        f"{page.verdict('accuracy')} ([rules](last_2014_rules.md) have a page of their own). "
        f"That it loses less information than these groups {page.verdict('loss')}. "
        f"That it is a more secure form {page.verdict('secure')}: many people are covered by fewer "
        "than k rows, and their classes can be solved for from the published shares. "
        "So Shoal repairs it before anything is published, and what is gained is then mostly lost."
    )


def setting(size: Size, names: Sequence[str]) -> str:
    """What was measured, and how."""
    rows = ", ".join(
        f"{name} {accuracy.classified(name, size.rows.get(name, 10**9)).table.num_rows:,}"
        for name in names
    )
    told = {
        "count": len(names),
        "rows": rows,
        "folds": size.folds,
        "tables": size.tables,
        "higher": HIGHER,
    }
    told |= {"run": run_named(size), "usual": extent(USUAL), "full": extent(FULL)}
    return SETTING.format(**told, classifiers=", ".join(size.classifiers), named=", ".join(NAMED))


def run_named(size: Size) -> str:
    """Name the run that has a size."""
    return next(name for name, known in RUNS.items() if known is size)


def extent(size: Size) -> str:
    """How much a run measures.

    >>> extent(QUICK)
    '2 folds, 1 concrete tables, 1 of 6 classifiers, 300 rows of adult, all rows of every other set'
    """
    cut = ", ".join(f"{rows:,} rows of {name}" for name, rows in size.rows.items())
    classifiers = f"{len(size.classifiers)} of {len(LEARNERS)} classifiers"
    return (
        f"{size.folds} folds, {size.tables} concrete tables, {classifiers}, {cut}, all rows of "
        "every other set"
    )


def classifiers_in(rows: Iterable[Row]) -> tuple[str, ...]:
    return tuple(next(iter(rows))["classifiers"])


def judge(page: Page, found: dict[int, list[Row]]) -> None:
    """Judge the claims about classifiers and loss."""
    for level, rows in found.items():
        many = "l = 1" if level == 1 else f"a higher l (here {level})"
        page.claim(
            "Classifiers trained on NSVDist are more accurate than those on Sequential, Mondrian "
            f"and PAIS, with {many} (abstract; taken as: on average over data sets, p < {SURE}).",
            together(*(better(rows, OURS, rival) for rival in RIVALS)),
            "accuracy",
        )
    for level, rows in found.items():
        page.claim(
            (
                f"At the largest k, l = {level}, NSVDist is most often the best of the four "
                "(ranking tables)."
            ),
            best_of_four(rows),
            "ranking",
        )
    page.claim(
        (
            "NSVDist loses less information than leading algorithms (conclusion; height-share, "
            "mean over data sets)."
        ),
        below([row for row in found[1] if row["k"] > 1], "height-share", OURS, RIVALS),
        "loss",
    )
    page.claim(
        "Lower loss makes more accurate classifiers (hypothesis of the conclusion).",
        goes_with_loss(found[1]),
        "hypothesis",
    )
    told = "; ".join(better(found[1], OURS, other)[1] for other in ("shoal", REPAIRED))
    page.claim(
        "Homogeneous methods of today and the repair, l = 1: not in the paper.",
        (TOLD, told),
        "today",
    )


def judge_leak(page: Page, leaks: Sequence[Row]) -> None:
    """Judge what the paper says of security, at each k and l that was run."""
    page.claim(
        "The data can be published in a more secure form (conclusion).", security(leaks), "secure"
    )
    page.claim(
        (
            "An adversary must learn as many people's values as with homogeneous groups before "
            "a target's is known (k-anonymity and l-diversity together)."
        ),
        solved(leaks),
        "adversary",
    )
    page.claim(
        (
            "Loss beside the best groups at equal k on Adult, before and after repair: not in "
            "the paper."
        ),
        (TOLD, priced(leaks)),
        "price",
    )


def better(rows: Sequence[Row], ours: str, rival: str) -> tuple[str, str]:
    """Whether one method's classifiers are more accurate than another's, data set by data set."""
    both = means(rows, classifiers_in(rows))
    names = list(dict.fromkeys(name for name, method, _ in both if method == rival))
    gains = {
        name: [
            both[name, ours, k] - both[name, rival, k]
            for n, m, k in both
            if (n, m) == (name, rival) and (name, ours, k) in both
        ]
        for name in names
    }
    gains = {name: values for name, values in gains.items() if values}
    if len(gains) < 2:
        return UNKNOWN, f"{rival}: not measured"
    mean = [float(np.mean(values)) for values in gains.values()]
    return surely_above(mean, f"accuracy, against {rival}")


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
    found = []
    for name, k in dict.fromkeys((name, k) for name, _, k in losses):
        there = [method for method in METHODS if (name, method, k) in losses]
        pairs = [(losses[name, method, k], right[name, method, k]) for method in there]
        if len(pairs) > 2 and all(np.ptp(side) for side in zip(*pairs, strict=True)):
            found.append(float(spearmanr(*zip(*pairs, strict=True)).statistic))
    if not found:
        return UNKNOWN, "not measured"
    mean = float(np.mean(found))
    good = sum(one < 0 for one in found)
    told = (
        f"rank correlation of loss and accuracy among methods {mean:+.2f} on average, below 0 "
        f"in {good} of {len(found)} cases"
    )
    return HOLDS if mean < -0.5 else IN_PART if mean < -0.2 else FAILS, told


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


def show(page: Page, found: dict[int, list[Row]], size: Size) -> None:
    """Rankings, the paper's tables, what is lost and leaked, curves."""
    for level, rows in found.items():
        ranking(page, rows, f"Mean rank over data sets, l = {level}")
    for level, rows in found.items():
        lost(page, rows, level)
    for classifier in size.classifiers:
        paper_table(page, found, classifier, max(size.ks))
    ways(page, found[1])
    for level, rows in found.items():
        curves(page, rows, level)


def ranking(page: Page, rows: Sequence[Row], title: str) -> None:
    """Mean rank of each method, 1 = most accurate, by classifier and k; data sets in which one was
    refused are left out.
    """
    from scipy.stats import rankdata  # a second of work, which most readers do not need

    lines = []
    for classifier, k in product(
        classifiers_in(rows), dict.fromkeys(row["k"] for row in rows if row["k"] > 1)
    ):
        found = means(rows, [classifier])
        names = [
            n
            for n in dict.fromkeys(row["data"] for row in rows)
            if all((n, m, k) in found for m in METHODS)
        ]
        ranks = [rankdata([-found[name, method, k] for method in METHODS]) for name in names]
        if ranks:
            lines.append(
                [
                    classifier,
                    f"{k}",
                    f"{len(names)}",
                    *(f"{rank:.1f}" for rank in np.mean(ranks, axis=0)),
                ]
            )
    if not lines:
        return
    every = np.mean([[float(cell) for cell in line[3:]] for line in lines], axis=0)
    lines.append(["all", "", "", *(f"{rank:.2f}" for rank in every)])
    page.plain_table(
        title,
        ["classifier", "k", "sets", *METHODS],
        lines,
        "1 = most accurate; equal ones share a rank.",
    )


def lost(page: Page, rows: Sequence[Row], level: int) -> None:
    """Accuracy and loss of each method at each k."""
    lines = []
    right = classifiers_in(rows)
    for k, method in product(dict.fromkeys(row["k"] for row in rows if row["k"] > 1), METHODS):
        some = [row for row in rows if (row["k"], row["method"]) == (k, method)]
        if some:
            loss = np.mean([row["height-share"] for row in some])
            accurate = np.mean([row[name] for row in some for name in right])
            lines.append([f"{k}", method, f"{accurate:.3f}", f"{loss:.3f}"])
    note = "Means over data sets, folds and classifiers; what is leaked stands in the tables above."
    header = ["k", "method", "accuracy", "height-share"]
    page.plain_table(f"Accuracy and loss, l = {level}", header, lines, note)


def paper_table(page: Page, found: dict[int, list[Row]], classifier: str, k: int) -> None:
    """The paper's table of a classifier: a line for each data set, methods at l = 1, at a higher l,
    and both baselines.
    """
    lines = []
    for name in dict.fromkeys(row["data"] for row in found[1]):
        cells: list[str] = []
        for rows in found.values():
            there = means(rows, [classifier])
            values = [there.get((name, method, k)) for method in METHODS]
            best = max((value for value in values if value is not None), default=None)
            cells += [
                "" if v is None else f"**{v:.3f}**" if v == best else f"{v:.3f}" for v in values
            ]
        base = (
            means(found[1], [classifier])[name, ORIGINAL, 1],
            means(found[1], [MAJORITY])[name, ORIGINAL, 1],
        )
        lines.append([name, *cells, *(f"{value:.3f}" for value in base)])
    header = [
        "data",
        *(f"{method}, l = {level}" for level in found for method in METHODS),
        "original",
        "majority",
    ]
    page.plain_table(f"Accuracy of {classifier}, k = {k}", header, lines)


def ways(page: Page, rows: Sequence[Row]) -> None:
    """Whether the verdict hangs on how generalized cells become concrete."""
    right = classifiers_in(rows)
    both = {"drawn evenly": right, "middle, weighted": [f"{name}, expanded" for name in right]}
    lines = []
    for method in METHODS:
        some = [row for row in rows if row["method"] == method and row["fold"] == 0]
        spread = [Spread(*_over_sets(some, names)) for names in both.values()]
        lines.append([method, *(f"{one.mean:.3f}" for one in spread)])
    note = (
        "Mean accuracy over data sets, k and classifiers, l = 1, the first fold. *middle, "
        "weighted*: intervals become their middle, labels their likeliest value, and a published "
        "distribution one row for each value, of that weight."
    )
    page.plain_table("Two ways to make cells concrete", ["method", *both], lines, note)


def _over_sets(rows: Sequence[Row], names: Sequence[str]) -> tuple[float, float, int]:
    found = list(means(rows, names).values())
    return float(np.mean(found)), float(np.std(found)), len(found)


def curves(page: Page, rows: Sequence[Row], level: int) -> None:
    """Accuracy above majority against k, a panel for each data set."""
    measure = "accuracy-above-majority"
    panels = []
    found = means(rows, classifiers_in(rows))
    usual = means(rows, [MAJORITY])
    ks = sorted({row["k"] for row in rows if row["k"] > 1})
    for name in dict.fromkeys(row["data"] for row in rows):
        base = usual[name, ORIGINAL, 1]
        points: list[dict[str, Any]] = [
            {"method": method, "k": k, measure: found[name, method, k] - base}
            for method, k in product(METHODS, ks)
            if (name, method, k) in found
        ]
        points += [
            {"method": ORIGINAL, "k": k, measure: found[name, ORIGINAL, 1] - base} for k in ks
        ]
        panels.append(charts.against_k(points, measure, title=f"{name} (majority {base:.2f})"))
    shared = dict.fromkeys(("color", "shape", "strokeDash"), "shared")
    title = f"Accuracy above the majority rule against k, mean over classifiers, l = {level}"
    page.draw(f"curves-l{level}", title, altair.concat(*panels, columns=2).resolve_scale(**shared))


def refusals(page: Page, rows: Sequence[Row]) -> None:
    """What was not published, and why."""
    found = spreads([{**row, "one": 1.0} for row in rows], "one", ("method", "refused"))
    lines = [[method, reason, f"{spread.seeds}"] for (method, reason), spread in found.items()]
    page.plain_table(
        "Refused", ["method", "reason", "cells"], lines, "Cells that are not in the tables above."
    )


if __name__ == "__main__":
    main()
