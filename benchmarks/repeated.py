"""What a second release costs, and what cadence costs: Adult, k = 10.

    python -m benchmarks.repeated second --method shoal    two releases: who is exposed, and to what
    python -m benchmarks.repeated second --method mondrian
    python -m benchmarks.repeated cadence                  sticky groups by the number of batches
    python -m benchmarks.repeated monthly --wait 0         twelve releases with a ledger, one by one
    python -m benchmarks.repeated monthly --wait 2
    python -m benchmarks.repeated monthly --wait 2 --table bank --season 0.5
    python -m benchmarks.repeated apart --effort high      twelve batches, each divided alone
    python -m benchmarks.repeated floor                    what no division of them stays below

People are drawn at random (seed 1), quasi-identifiers are eight columns with ARX's trees and age as
a number, the sensitive column is income. Losses are those that are minimized (`span`), for each
published row, beside one joint run over the same people at the same effort.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import shoal
from benchmarks import adult, measure
from shoal.arrays import AnyArray
from shoal.encode.rows import Rows
from shoal.engines.local import sticky
from shoal.engines.widest_cells import divided
from shoal.flows.declared import declared
from shoal.groups import Groups
from shoal.kernels.costs import UNIT, boxes, of_box
from shoal.recipe import Plan, Recipe
from shoal.review.losses.loss import Evidence
from shoal.review.losses.lower_bound import LowerBound

K = 10
ANOTHER_K = 15
BATCHES = (2, 4, 12, 52)
BANK = "bank_marketing.parquet"
USED = ["age", "job", "marital", "education", "balance", "housing", "loan", "default"]
OVERLAPS = (
    ("the same people, another seed", 0.0),
    ("1 % joined", 0.01),
    ("5 % joined", 0.05),
    ("20 % joined", 0.2),
)


def people(name: str = "adult") -> pa.Table:
    """Everybody in random order, numbered."""
    table = adult.table() if name == "adult" else pq.read_table(adult.DATA / BANK, columns=USED)
    order = np.random.default_rng(1).permutation(table.num_rows)
    return table.take(pa.array(order)).append_column("id", pa.array(np.arange(table.num_rows)))


def asked(method: str, effort: str, name: str = "adult") -> dict[str, Any]:
    """Give the recipe of all runs."""
    trees = adult.hierarchies() if name == "adult" else {}
    return {
        "quasi": adult.QUASI if name == "adult" else USED[:-1],
        "sensitive": [adult.SENSITIVE if name == "adult" else USED[-1]],
        "hierarchies": trees,
        "person": "id",
        "k": K,
        "method": method,
        "effort": effort,
        "seed": 1,
    }


def lost(rows: Rows, labels: AnyArray) -> float:
    """Sum what rows lose, as methods minimize it."""
    groups = Groups.of(labels)
    lo, hi = boxes(rows.codes, groups.labels, groups.count)
    pairs = zip(np.ascontiguousarray(lo.T), np.ascontiguousarray(hi.T), strict=True)
    each = np.array([of_box(rows.costs, low, high) for low, high in pairs], np.float64)
    return float((each * groups.sizes).sum())


def second(method: str, effort: str) -> None:
    """Publish twice; print who is below k, whose income is certain, and what the attack gains."""
    table = people()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        other = next(name for name in ("mondrian", "shoal") if name != method)
        again = (table, table, method, effort, folder)
        lines.append([f"the same people, k = {ANOTHER_K}", *_twice(*again, k=ANOTHER_K)])
        lines.append([f"the same people, {other}", *_twice(*again, method=other)])
        for name, added in OVERLAPS:
            before = table.slice(0, round(table.num_rows / (1 + added)))
            lines.append([name, *_twice(before, table, method, effort, folder)])
        third = table.num_rows // 3
        one, other = table.slice(0, 2 * third), table.slice(third)
        lines.append(
            ["another publisher, half in common", *_twice(one, other, method, effort, folder)]
        )
    heads = ["second release", "below k", "alone", "by boxes, of 100", "certain: once", "twice"]
    heads += ["attack", "best release alone", "gain (interval)"]
    print(measure.markdown(f"{method}, effort {effort}", heads, lines))


def _twice(
    first: pa.Table, then: pa.Table, by: str, effort: str, folder: str, **changed: Any
) -> tuple[str, ...]:
    """Publish two tables with a ledger of their own; the second with another seed, or more."""
    place = Path(folder) / f"{time.monotonic_ns()}.ledger"
    recipe = asked(by, effort)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        earlier = shoal.anonymize(first, **recipe, ledger=place)
        earlier.record()
        recipe |= {"seed": 2, **changed}
        later = shoal.anonymize(then, **recipe, ledger=place, across="measure")
    figures = later.certificate.private.across
    left = figures.candidates[adult.SENSITIVE]
    both = then.filter(pc.is_in(then["id"], first["id"].combine_chunks()))
    (gain,) = shoal.attack(
        later.table,
        original=both,
        earlier=[earlier.table],
        certificate=later.certificate,
        hierarchies=adult.hierarchies(),
        attacks=["repeated"],
    ).all
    return (
        f"{figures.below / figures.people:.1%}",
        f"{figures.alone / figures.people:.1%}",
        str(figures.by_boxes),
        f"{left.certain_alone / figures.people:.1%}",
        f"{left.certain / figures.people:.1%}",
        f"{gain.attack:.3f}",
        f"{gain.control:.3f}",
        f"{gain.advantage:.3f} ({gain.low:.3f} to {gain.high:.3f})",
    )


def cadence(effort: str) -> None:
    """Divide each batch alone, as sticky groups do, beside one joint run."""
    table = people()
    plan = _plan(effort)
    rows, _ = declared(table, plan)
    joint = lost(rows, _labels(rows, plan))
    lines = []
    for number in BATCHES:
        parts = np.array_split(np.arange(rows.count), number)
        apart = sum(lost(rows.some(part), _labels(rows.shard(part), plan)) for part in parts)
        lines.append([f"{number}", f"{rows.count // number:,}", f"{apart / joint:.2f}"])
    print(measure.markdown(f"effort {effort}", ["batches", "people", "times the loss"], lines))


def apart(effort: str) -> None:
    """Divide twelve batches alone at some effort, beside joint runs at low and at this effort."""
    table = people()
    start = time.process_time()
    plan = _plan(effort)
    rows, _ = declared(table, plan)
    parts = np.array_split(np.arange(rows.count), 12)
    batches = sum(lost(rows.some(part), _labels(rows.shard(part), plan)) for part in parts)
    seconds = time.process_time() - start
    low = lost(rows, _labels(rows, _plan("low")))
    line = [effort, f"{batches / low:.2f}", f"{seconds:.0f}"]
    if effort != "high":
        line.append(f"{batches / lost(rows, _labels(rows, plan)):.2f}")
    heads = ["effort", "times the joint loss at low effort", "CPU s", "at the same effort"]
    print(measure.markdown("12 batches, each alone", heads[: len(line)], [line]))


def floor() -> None:
    """Prove what twelve batches lose at least, whoever divides them, beside the joint runs.

    Each newcomer stands with k - 1 others of the same batch at least, so a release of all loses no
    less than the sum of what its batches must lose alone.
    """
    table = people()
    start = time.process_time()
    rows, _ = declared(table, _plan("low"))
    proof = LowerBound(thorough=True)
    least = 0.0
    for part in np.array_split(np.arange(rows.count), 12):
        batch = rows.shard(part)
        evidence = Evidence(batch, Groups.of(np.zeros(batch.count, np.int64)), K)
        least += proof.measure(evidence) or 0.0
        print(f"{batch.count:,} people: {least:,.1f} so far", flush=True)
    seconds = time.process_time() - start
    lines = []
    for effort in ("low", "default"):
        plan = _plan(effort)
        lines.append([effort, f"{least * UNIT / lost(rows, _labels(rows, plan)):.2f}"])
    heads = ["joint run at effort", "no method that publishes all stays below"]
    print(measure.markdown(f"12 batches, proven in {seconds:.0f} CPU s", heads, lines))


def _plan(effort: str, name: str = "adult") -> Plan:
    given = {key: value for key, value in asked("shoal", effort, name).items() if key != "person"}
    given["hierarchies"] = {key: tree or "none" for key, tree in given["hierarchies"].items()}
    return Recipe.of(**given).plan()


def _labels(rows: Rows, plan: Plan) -> AnyArray:
    return divided(rows, plan, np.random.default_rng(1), lambda *_: None).labels


def monthly(wait: int, effort: str, name: str, season: float) -> None:
    """Publish twelve tables with sticky groups, each with one batch more."""
    sticky.SEASON = season
    table = people(name)
    ends = [len(part) for part in np.array_split(np.arange(table.num_rows), 12)]
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for end in np.cumsum(ends):
            release = shoal.anonymize(
                table.slice(0, int(end)),
                **asked("shoal", effort, name),
                ledger=Path(folder) / "town.ledger",
                across="sticky",
                wait=wait,
            )
            release.record()
    rows, _ = declared(table, _plan(effort, name))
    labels = np.asarray(release.groups)
    joint = lost(rows, _labels(rows, _plan(effort, name))) / rows.count
    ratio = lost(rows, labels) / int((labels >= 0).sum()) / joint
    figures = release.certificate.private.across
    line = [name, f"{season:g}", f"{wait}", f"{ratio:.2f}", f"{figures.k}", f"{figures.waiting:,}"]
    line.append(f"{time.process_time() - start:.0f}")
    heads = [
        "table",
        "threshold",
        "may wait",
        "times the loss",
        "k over all",
        "wait at the end",
        "CPU s",
    ]
    print(measure.markdown(f"12 batches, effort {effort}", heads, [line]))


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=["second", "cadence", "monthly", "apart", "floor"])
    parser.add_argument("--method", default="shoal")
    parser.add_argument("--effort", default="low")
    parser.add_argument("--wait", type=int, default=0)
    parser.add_argument("--table", choices=["adult", "bank"], default="adult")
    parser.add_argument("--season", type=float, default=sticky.SEASON)
    given = parser.parse_args()
    if given.part == "second":
        second(given.method, given.effort)
    elif given.part == "cadence":
        cadence(given.effort)
    elif given.part == "apart":
        apart(given.effort)
    elif given.part == "floor":
        floor()
    else:
        monthly(given.wait, given.effort, given.table, given.season)


if __name__ == "__main__":
    main()
