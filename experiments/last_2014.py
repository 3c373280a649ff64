"""Last, Tassa, Zhmudyak & Shmueli 2014: classifiers and rules from overlapping neighbourhoods, and
the leak of these.

python -m experiments.last_2014 [--claim NAME] [--quick] [--full] [--finished] [--afresh]

Both runs have 10 folds, 10 concrete tables, four classifiers and three values of k; the usual one
has samples of the two large tables, `--full` more of their rows. Both go on where they were
stopped, and `--finished` writes the page from what is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import altair
import numpy as np

from experiments import accuracy_2014 as accuracy
from experiments import last_2014_rules
from experiments import leak_2014 as leak
from experiments.accuracy_2014 import MAJORITY, METHODS, ORIGINAL, OURS, REPAIRED, Size, by_method
from experiments.last_2014_rules import RIVALS
from experiments.means_2014 import SURE, means
from experiments.page import Page
from experiments.readings_2014 import APPENDIX, OLDER, PAPER_TOLD, SETTING
from experiments.runs import Options, Spread, options, spreads
from experiments.show_2014 import show_leak
from experiments.tables_2014 import ADULT, SOURCES
from experiments.verdicts import TOLD, together
from experiments.verdicts_2014 import (
    CLEARLY,
    best_of_four,
    better,
    classifiers_in,
    gains_of,
    goes_with_loss,
    loses_less,
    priced,
    security,
    solved,
)
from shoal.comparison.cells import Row
from shoal.review import charts

KS = (5, 25, 50)
CLAIMS = (
    "accuracy", "ranking", "loss", "hypothesis", "today", "rules", "several", "secure",
    "adversary", "price",
)  # fmt: skip
FOUR = ("decision-tree", "naive-bayes", "logistic-regression", "nearest-neighbours")
USUAL = Size({ADULT: 1_000, "nursery": 1_000}, 10, 10, KS, FOUR)
FULL = Size({ADULT: 5_000}, 10, 10, KS, FOUR)
QUICK = Size({ADULT: 300}, 2, 1, (5, 25), FOUR[1:2])
RUNS = {"default": USUAL, "full": FULL, "quick": QUICK}
FEW = (ADULT, "ecoli")
HIGHER = 2
NAMED = [name for name, source in SOURCES.items() if source.higher_l]


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
    cut = ", ".join(f"{rows:,} rows of {name}" for name, rows in size.rows.items())
    page.appendix = APPENDIX.format(higher=HIGHER, sure=SURE, cut=cut)
    if asked.claim in last_2014_rules.CLAIMS:
        last_2014_rules.judge(page, asked)
    found: dict[int, list[Row]] = {}
    leaks: list[Row] = []
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
        page.setting = setting(size, names, unfinished(size, names, found), measured_leaks(leaks))
    refusals(page, refused)
    page.answer = answer(page, found)
    page.write()


def leaked(asked: Options) -> list[Row]:
    """Measure what the paper's form leaks: on samples, with `--full` on all rows too."""
    cells = [cell for cell in leak.leaks(quick=asked.quick) if asked.full or cell.rows < leak.ALL]
    rows = asked.beside("leak_2014").measured(cells, leak.measure)
    count = Counter((row["rows"], row["sample"]) for row in rows)
    needed = Counter((cell.rows, cell.sample) for cell in cells)
    # A sample that was not finished would stand beside others with figures of some methods alone.
    return [row for row in rows if count[of := (row["rows"], row["sample"])] == needed[of]]


def measured_leaks(leaks: Sequence[Row]) -> str:
    """Say on which samples the leak was measured, and on which it was not."""
    there = Counter(rows for rows, _ in {(row["rows"], row["sample"]) for row in leaks})
    told = [
        f"{there[rows]} of {many} of {rows:,} rows"
        for rows, many in leak.SAMPLES.items()
        if there[rows] or rows < leak.ALL
    ]
    older = "" if there[leak.ALL] else f" ({OLDER})"
    return f"samples of Adult: {', '.join(told)}{older}"


def accuracies(asked: Options, size: Size, names: Sequence[str]) -> dict[int, list[Row]]:
    """Measure classifiers at l = 1 on all sets, and at a higher l where that means anything.

    Those trained on the original are the same at each l.
    """
    higher = [name for name in names if name in NAMED]
    found = {
        l: by_method(asked.measured(list(accuracy.cells(size, some, l)), accuracy.measure))
        for l, some in ((1, names), (HIGHER, higher))
    }
    found[HIGHER] += [
        row for row in found[1] if row["method"] == ORIGINAL and row["data"] in higher
    ]
    return found


def answer(page: Page, found: Mapping[int, Sequence[Row]]) -> str:
    """Say in five sentences what came out."""
    learnt = gained(found[1], RIVALS) if found else "not measured"
    repaired = gained(found[1], ("shoal",), REPAIRED) if found else "not measured"
    lost = shares(found[1]) if found else "not measured"
    return (
        "NSVDist hides each row in a neighbourhood of its own instead of a group, and publishes "
        "how often each class occurs in it. "
        "That classifiers learn more from it than from the groups of its time "
        f"{page.verdict('accuracy', 'l = 1')} with l = 1 and {page.verdict('accuracy', 'higher l')}"
        f" with a higher l: with l = 1 they are right in {learnt} more of 100 rows, and only what "
        "the data sets agree on counts ([rules](last_2014_rules.md) have a page of their own). "
        f"That it loses less information than these groups {page.verdict('loss')}: {lost}. "
        f"That it is a more secure form {page.verdict('secure')}: many people are covered by fewer "
        "than k rows, and their classes can be solved for from the published shares. "
        "So Shoal repairs it before anything is published, and its classifiers are then right in "
        f"{repaired} more of 100 rows than those on groups of today."
    )


def shares(rows: Sequence[Row]) -> str:
    """What NSVDist loses, as a share of what each rival loses; the mean over data sets."""
    losses = {
        method: np.mean([row["height-share"] for row in rows if row["method"] == method])
        for method in (OURS, *RIVALS)
    }
    told = [f"{losses[OURS] / losses[rival]:.0%} of {rival}" for rival in RIVALS]
    return ", ".join(told)


def gained(rows: Sequence[Row], rivals: Sequence[str], ours: str = OURS) -> str:
    """How much more often the classifiers of a method are right, in rows of 100."""
    told = []
    for rival in rivals:
        gains = gains_of(rows, ours, rival)
        told.append(f"{100 * np.mean(gains):+.1f} ({rival})" if gains else f"? ({rival})")
    return ", ".join(told)


def setting(size: Size, names: Sequence[str], missing: str = "", leaks: str = "") -> str:
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
        "missing": missing or "All of it is finished.",
        "leaks": leaks or "samples of Adult",
    }
    told |= {"run": run_named(size), "extent": extent(size), "full": extent(FULL)}
    return SETTING.format(**told, classifiers=", ".join(size.classifiers), named=", ".join(NAMED))


def unfinished(size: Size, names: Sequence[str], found: Mapping[int, Sequence[Row]]) -> str:
    """Say of which folds there are figures, where a run was stopped."""
    told = []
    for l, rows in found.items():
        sets = len([name for name in names if l == 1 or name in NAMED])
        for k in size.ks:
            done = Counter(row["data"] for row in rows if (row["k"], row["method"]) == (k, OURS))
            least = min((done[name] for name in done), default=0) if len(done) == sets else 0
            if least < size.folds:
                most = max(done.values(), default=0)
                folds = f"{least}" if least == most else f"{least} to {most}"
                told.append(f"{folds} of {size.folds} folds at k = {k}, l = {l}")
    if not told:
        return ""
    return f"It was stopped, and verdicts rest on the folds that were tested: {'; '.join(told)}."


def run_named(size: Size) -> str:
    """Name the run that has a size."""
    return next(name for name, known in RUNS.items() if known is size)


def extent(size: Size) -> str:
    """How much a run measures.

    >>> extent(QUICK)
    '2 folds, 1 concrete tables, k = 5, 25, 300 rows of adult, all rows of every other set'
    """
    cut = ", ".join(f"{rows:,} rows of {name}" for name, rows in size.rows.items())
    ks = ", ".join(f"{k}" for k in size.ks)
    return (
        f"{size.folds} folds, {size.tables} concrete tables, k = {ks}, {cut}, all rows of every "
        "other set"
    )


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
                "(ranking tables; taken as: in more than half of the cases)."
            ),
            best_of_four(rows),
            "ranking",
        )
    page.claim(
        (
            "NSVDist loses less information than leading algorithms (conclusion; height-share, "
            f"taken as: on average over data sets, p < {SURE})."
        ),
        together(*(loses_less(found[1], rival) for rival in RIVALS)),
        "loss",
    )
    page.claim(
        "Lower loss makes more accurate classifiers (hypothesis of the conclusion; taken as: rank "
        f"correlations of data sets below {CLEARLY} on average, and surely below 0, p < {SURE}).",
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
