"""Future work of Li, Xu, Chu & Wang 2007: other chaotic systems, and mining other than k-means.

python -m experiments.li_2007_maps [--claim maps] [--quick] [--jobs N]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa

import shoal
from experiments.accuracy_2014 import fold_of
from experiments.chaotic_maps import (
    MAPS,
    distorted,
    guessed,
    noise_alone,
    regained,
    regained_blindly,
)
from experiments.page import Page
from experiments.runs import Options, key_of, options, spreads
from experiments.verdicts import HOLDS, LOST, UNKNOWN, WON, Finding, overall
from shoal.arrays import Floats
from shoal.comparison.cells import Row
from shoal.errors import ShoalError
from shoal.mining.association import Association
from shoal.mining.classification import Classification
from shoal.mining.task import MiningMaterial

NOISE = "drawn anew for each cell"
ORIGINAL = "original"
CLASSIFIERS = ("decision-tree", "naive-bayes", "nearest-neighbours")
SETS = {"breast_wisconsin": "class", "ecoli": "class", "yeast": "class", "heart_cleveland": "num"}
ATTACKED = ("census", "breast_wisconsin", "heart_cleveland", "boston")
GUESS = 0.05  # how many more cells than by guessing may be regained
LITTLE = 0.02  # accuracy that may be lost
FOLDS = 3
CLAIMS = ("maps", "classifiers", "rules")
NAMES = (*(chaotic.name for chaotic in MAPS), NOISE)
PAPER = (
    "J. Li, Y. Xu, C.-H. Chu, Y. Wang (2007), Privacy preserving k-means clustering with chaotic "
    "distortion, ICEB 2007: its future work. The claims of the paper itself are on "
    "[its own page](li_2007.md)."
)
SETTING = (
    "Each map moves every value by its orbit, scale 0.1, as the paper's logistic map does; *noise "
    "drawn anew for each cell* has the same law and no orbit. The attacker knows the map and the "
    "first rows (one; two for Henon; three for Lorenz) and follows the orbit, rounding each value "
    "to the unit of its column (`experiments/chaotic_maps.py`). These maps are no distortions of "
    "the product: a distortion that is broken this way has no place there, and `chaotic` is kept "
    "to be measured. Classifiers learn from {folds} folds of distorted rows less one, and are "
    "tested on that one as it was. Rules: `shoal mine`, task `association`, usual thresholds."
)


@dataclass(frozen=True)
class Cell:
    """One table, noise and seed; `task` says what is measured."""

    task: str
    data: str
    method: str
    seed: int

    @property
    def key(self) -> str:
        """A name for the result."""
        return key_of(self)


def main() -> None:
    """Measure, judge, write."""
    asked = options("li_2007_maps", __doc__, claims=CLAIMS)
    page = Page(
        asked,
        "Li et al. 2007, future work: other chaotic maps, classifiers and rules",
        PAPER,
        SETTING.format(folds=FOLDS),
    )
    if asked.wants("maps"):
        judge_maps(page, asked.measured(cells(asked, "attack", ATTACKED), measure))
    if asked.wants("classifiers"):
        judge_classifiers(page, asked.measured(cells(asked, "classify", tuple(SETS)), measure))
    if asked.wants("rules"):
        judge_rules(page, asked.measured(cells(asked, "rules", tuple(SETS)), measure))
    page.answer = answer(page)
    page.write()


def cells(asked: Options, task: str, names: Sequence[str]) -> list[Cell]:
    """List tables, kinds of noise and seeds for a task."""
    seeds = range(1, 1 + (1 if asked.quick or task == "rules" else FOLDS))
    of = (*NAMES, ORIGINAL) if task == "classify" else NAMES
    return [Cell(task, name, method, seed) for name in names for method in of for seed in seeds]


def measure(cell: Cell) -> Row:
    """Distort one table, and attack it or mine it."""
    measures = {"attack": _attacked, "classify": _classified, "rules": _mined}
    return measures[cell.task](cell)


@cache
def numbers_of(name: str) -> Floats:
    """Read the columns of a data set that are numbers and not constant, complete rows alone."""
    table = shoal.datasets.table(name)
    kept = [
        column
        for column in table.column_names
        if not pa.types.is_string(table[column].type) and column != SETS.get(name)
    ]
    complete = table.drop_null().select(kept).to_pandas().to_numpy(np.float64)
    return complete[:, np.ptp(complete, axis=0) > 0]


def noisy(values: Floats, method: str, seed: int) -> Floats:
    """Distort a table by a map, by plain noise, or not at all."""
    rng = np.random.default_rng(seed)
    if method == ORIGINAL:
        return values
    if method == NOISE:
        return noise_alone(values, rng)
    chaotic = next(one for one in MAPS if one.name == method)
    return distorted(values, chaotic, rng)


def _attacked(cell: Cell) -> Row:
    values = numbers_of(cell.data)
    published = noisy(values, cell.method, cell.seed)
    followed = [one for one in MAPS if cell.method in (one.name, NOISE)]
    best = max(regained(values, published, one) for one in followed)
    return {
        "regained": best,
        "by rounding": regained_blindly(values, published),
        "by guessing": guessed(values),
    }


def _parts(cell: Cell) -> tuple[pa.Table, pa.Table, str]:
    """Return a table with its class as it is and distorted."""
    table = shoal.datasets.table(cell.data).drop_null()
    target = SETS[cell.data]
    values = numbers_of(cell.data)
    names = [f"x{place}" for place in range(values.shape[1])]
    moved = noisy(values, cell.method, cell.seed)
    classes = table[target].cast(pa.string())
    plain, other = (
        pa.table({**dict(zip(names, some.T, strict=True)), target: classes})
        for some in (values, moved)
    )
    return plain, other, target


def _classified(cell: Cell) -> Row:
    plain, other, target = _parts(cell)
    classes = np.unique(plain[target].to_pylist(), return_inverse=True)[1]
    inside, outside = fold_of(classes, cell.seed - 1, FOLDS)
    train, released = (table.take(pa.array(inside)) for table in (plain, other))
    material = MiningMaterial(
        train,
        released,
        (),
        tuple(plain.column_names),
        {},
        target,
        plain.take(pa.array(outside)),
        tables=1,
    )
    figures = Classification(CLASSIFIERS).measure(material)
    found = [figures[f"accuracy of {name}"].value for name in CLASSIFIERS]
    return {"accuracy": sum(found) / len(found)}


def _mined(cell: Cell) -> Row:
    plain, other, target = _parts(cell)
    material = MiningMaterial(plain, other, (), tuple(plain.column_names), {}, target, tables=1)
    try:
        figures = Association(longest=3).measure(material)
    except ShoalError as error:
        return {"refused": error.problem}
    return {name: figures[name].value for name in ("lost rules", "ghost rules")}


def judge_maps(page: Page, rows: Sequence[Row]) -> None:
    """Judge each map: does it protect?"""
    for method in NAMES:
        page.claim(
            f"Future work: {called(method)} protects (taken as: who follows orbits, or rounds, "
            f"regains at most {GUESS:.0%} more cells than by guessing, in every table).",
            protects([row for row in rows if row["method"] == method]),
            "maps",
        )
    page.table("Cells regained by following orbits", rows, "regained", ("method", "data"))
    page.table("Cells regained by rounding alone", rows, "by rounding", ("method", "data"))


def called(method: str) -> str:
    """Name a kind of noise in a sentence."""
    return f"noise {method}" if method == NOISE else f"noise of the {method} map"


def protects(rows: Sequence[Row]) -> Finding:
    """Judge whether neither orbits nor rounding regain more than guesses do, table by table."""
    if not rows:
        return Finding(UNKNOWN, "not measured")
    gains: dict[str, list[float]] = {}
    for row in rows:
        best = max(row["regained"], row["by rounding"])
        gains.setdefault(row["data"], []).append(best - row["by guessing"])
    means = {name: float(np.mean(of_table)) for name, of_table in gains.items()}
    verdict = overall(WON if gain <= GUESS else LOST for gain in means.values())
    followed = [row["regained"] for row in rows]
    beyond = ", ".join(f"{name} {gain:+.0%}" for name, gain in means.items())
    return Finding(
        verdict,
        f"{min(followed):.0%} to {max(followed):.0%} of all cells are regained from the orbit; the "
        f"better of orbit and rounding, beyond guessing: {beyond}",
    )


def judge_classifiers(page: Page, rows: Sequence[Row]) -> None:
    """Judge what distortion does to classifiers, and show it."""
    page.claim(
        "Future work: mining other than k-means works on distorted tables: classifiers (taken as: "
        f"they lose at most {LITTLE:.0%} of accuracy, in every table, under the logistic map).",
        keeps_accuracy(rows, "logistic"),
        "classifiers",
    )
    page.table("Accuracy of classifiers", rows, "accuracy", ("method", "data"))


def keeps_accuracy(rows: Sequence[Row], method: str) -> Finding:
    """Judge whether the mean accuracy falls by no more than a little, table by table."""
    means = spreads(rows, "accuracy", ("method", "data"))
    losses = {
        data: means[ORIGINAL, data].mean - spread.mean
        for (name, data), spread in means.items()
        if name == method and (ORIGINAL, data) in means
    }
    if not losses:
        return Finding(UNKNOWN, "not measured")
    told = ", ".join(f"{data} {-loss:+.3f}" for data, loss in losses.items())
    return Finding(overall(WON if loss <= LITTLE else LOST for loss in losses.values()), told)


def judge_rules(page: Page, rows: Sequence[Row]) -> None:
    """Judge what distortion does to association rules, and show it."""
    kept = [row for row in rows if not row.get("refused")]
    page.claim(
        "Future work: mining other than k-means works on distorted tables: association rules "
        "(taken as: at most one rule in ten is lost, in every table, under the logistic map).",
        keeps_rules(kept, "logistic"),
        "rules",
    )
    page.table("Share of rules lost", kept, "lost rules", ("method", "data"))
    page.table("Ghost rules", kept, "ghost rules", ("method", "data"))


def keeps_rules(rows: Sequence[Row], method: str, most: float = 0.1) -> Finding:
    """Judge whether few rules are lost, table by table."""
    shares = {row["data"]: row["lost rules"] for row in rows if row["method"] == method}
    told = ", ".join(f"{data} {share:.0%} lost" for data, share in shares.items())
    verdict = overall(WON if share <= most else LOST for share in shares.values())
    return Finding(verdict, told or "not measured")


def answer(page: Page) -> str:
    """Say in five sentences what came out."""
    broken = [
        called(method)
        for method in NAMES
        if page.verdict("maps", f"{called(method)} protects") != HOLDS
    ]
    listed = ", ".join(broken) or "none"
    return (
        "The paper hopes that chaotic systems other than the logistic map protect better, and that "
        "distorted tables serve more than k-means. "
        f"These do not protect in every table: {listed}. "
        "Any map whose orbit follows from a few numbers can be followed by whoever knows as many "
        "rows, because values are rounded and each rounded value puts the orbit right again. "
        f"That classifiers lose little on distorted tables {page.verdict('classifiers')}; that "
        f"association rules survive {page.verdict('rules')}. "
        "Noise that is drawn anew for each cell has no orbit to follow; where it is smaller than "
        "half a unit of its column, rounding takes it away all the same."
    )


if __name__ == "__main__":
    main()
