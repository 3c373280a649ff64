"""The default method beside others: loss and CPU seconds of dividing alone, section by section.

    python -m benchmarks.shoal                       all sections
    python -m benchmarks.shoal adult growth          some: adult, leaves, columns, growth, refine
    python -m benchmarks.shoal growth --rows 3000000 up to so many rows (1,000,000 unless told)

Losses on Adult come from the scorer that knows nothing of Shoal. Read the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks import adult, measure, score
from shoal.encode.profile import profile
from shoal.encode.rows import Rows, encode
from shoal.groups import Groups
from shoal.partition.method import Method
from shoal.partition.refinement import refine
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.promises import Promises
from shoal.recipe import hierarchy_of
from shoal.registry import make, names
from shoal.review.losses.leaf_share import LeafShare
from shoal.review.losses.loss import Evidence
from shoal.review.losses.total_information_loss import TotalInformationLoss

GOALS = {
    "low": (5_300, 13_250, 19_750, 29_800, 39_200, 49_300),
    "default": (4_900, 12_850, 19_350, 29_200, 38_600, 48_800),
    "high": (4_600, 12_400, 18_900, 28_700, 38_000, 48_200),
}
KS = (2, 5, 10, 25, 50, 100)
KDD = [
    *("age", "sex", "race", "hispanic-origin", "marital-stat", "education", "class-of-worker"),
    *("major-industry-code", "major-occupation-code", "country-of-birth-self", "citizenship"),
]  # fmt: skip
REDRAWN = ["marital-status", "education", "native-country", "workclass", "occupation"]


def main() -> None:
    """Print each table as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", default=list(SECTIONS))
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1, help="of the search; settings were chosen with 1, so look at others")
    options = parser.parse_args()
    for name in options.sections:
        for text in SECTIONS[name](options):
            print(text, flush=True)


def on_adult(options: argparse.Namespace) -> Iterator[str]:
    """Every effort at every k, with the goals."""
    rows, lines = rows_of(adult.table(), adult.QUASI, adult.hierarchies()), []
    for text in ["k-member", "mondrian", *(f"shoal:effort={effort}" for effort in GOALS)]:
        cells = []
        for k in KS:
            groups, seconds = _run(text, rows, k, options.seed)
            cells += [f"{score.information_loss(adult.table(), groups.labels, adult.hierarchies()):,.0f}", f"{seconds:.2f}"]
        lines.append([text, *cells])
        if text.startswith("shoal"):
            goals = GOALS[text.rpartition("=")[2]]
            lines.append(["  goal", *(cell for goal in goals for cell in (f"{goal:,}", ""))])
    header = ["method", *(cell for k in KS for cell in (f"k={k}", "CPU s"))]
    yield measure.markdown("Adult, 8 quasi-identifiers, total information loss", header, lines)


def by_leaves(options: argparse.Namespace) -> Iterator[str]:
    """Nine columns under `leaf-share`, age through its hierarchy and as a number."""
    quasi, goals = [*adult.QUASI, "income"], (0.0500, 0.0750, 0.1120, 0.1450)
    lines = [["goal", *(f"{goal:.4f}" for goal in goals)]]
    for title, age in (("age by hierarchy", str(adult.TREES / "age.csv")), ("age as intervals", None)):
        rows = rows_of(adult.table(), quasi, {**adult.hierarchies(), "age": age}, "leaf-share")
        for effort in ("low", "default"):
            found = [_run(f"shoal:effort={effort}", rows, k, options.seed) for k in (5, 10, 25, 50)]
            cells = [f"{LeafShare().measure(Evidence(rows, groups)):.4f}" for groups, _ in found]
            lines.append([f"{title}, {effort}", *cells])
    yield measure.markdown("Adult, 9 quasi-identifiers, leaf share", ["", "k=5", "10", "25", "50"], lines)


def many_columns(options: argparse.Namespace) -> Iterator[str]:
    """Tables with many rows or many columns."""
    credit = pq.read_table(adult.DATA / "credit_default.parquet")
    tables = {
        "census_income_kdd, 11 columns": (pq.read_table(adult.DATA / "census_income_kdd.parquet", columns=KDD), KDD),
        "credit_default, 5 columns": (credit, credit.column_names[1:6]),
        "credit_default, all columns": (credit, credit.column_names),
    }
    for title, (table, quasi) in tables.items():
        rows, lines = rows_of(table, quasi, {}), []
        for text in ("mondrian", "k-member", "shoal:effort=low", "shoal"):
            if text == "k-member" and rows.count > 100_000:
                continue
            groups, seconds = _run(text, rows, 10, options.seed)
            loss = TotalInformationLoss().measure(Evidence(rows, groups))
            lines.append([text, f"{loss:,.0f}", f"{seconds:.2f}", "; ".join(groups.notes)])
        yield measure.markdown(f"{title}, {rows.count:,} rows, k = 10", ["method", "loss", "CPU s", "notes"], lines)


def growth(options: argparse.Namespace) -> Iterator[str]:
    """A hard table of growing length, k = 10."""
    lines, before = [], {}
    for count in [n for n in (30_000, 100_000, 300_000, 1_000_000, 3_000_000) if n <= options.rows]:
        rows = rows_of(hard(count), adult.QUASI, adult.hierarchies())
        for text in ("shoal:effort=low", "shoal"):
            groups, seconds = _run(text, rows, 10, options.seed)
            loss = TotalInformationLoss().measure(Evidence(rows, groups))
            last = before.get(text)
            exponent = f"{math.log(seconds / last[1]) / math.log(count / last[0]):.2f}" if last else ""
            before[text] = (count, seconds)
            lines.append([f"{count:,}, {text}", f"{loss / count:.4f}", f"{seconds:.2f}", exponent])
    yield measure.markdown("Hard table, k = 10", ["rows, method", "loss per row", "CPU s", "exponent"], lines)


def refinement(options: argparse.Namespace) -> Iterator[str]:
    """What refinement makes of every other method."""
    rows, lines = rows_of(adult.table(), adult.QUASI, adult.hierarchies()), []
    for text in [name for name, method in names(Method).items() if "height" in method.losses and name != "shoal"]:
        groups, seconds = _run(text, rows, 10, options.seed)
        guard, start = Promises((KAnonymity(10),)), time.process_time()
        better = refine(groups, rows, 10, guard, np.random.default_rng(1))
        losses = [f"{TotalInformationLoss().measure(Evidence(rows, some)):,.0f}" for some in (groups, better)]
        lines.append([text, losses[0], f"{seconds:.2f}", losses[1], f"{time.process_time() - start:.2f}"])
    header = ["method", "loss", "CPU s", "refined", "CPU s more"]
    yield measure.markdown("Adult, k = 10, refinement of other methods", header, lines)


def hard(count: int, seed: int = 7) -> pa.Table:
    """Adult drawn again, ages shifted by up to 3, five columns redrawn with chance 0.3: few rows are alike."""
    rng = np.random.Generator(np.random.PCG64(seed))
    table = adult.repeated(count, seed)
    for name in REDRAWN:
        other = table[name].take(pa.array(rng.permutation(count)))
        table = table.set_column(
            table.column_names.index(name), name, pc.if_else(pa.array(rng.random(count) < 0.3), other, table[name])
        )
    shifted = table["age"].to_numpy() + rng.integers(-3, 4, count)
    return table.set_column(table.column_names.index("age"), "age", pa.array(shifted))


def rows_of(table: pa.Table, quasi: Sequence[str], trees: dict[str, str | None], loss: str = "height") -> Rows:
    """A table as methods see it."""
    columns = [profile(table[name].combine_chunks(), name) for name in quasi]
    return encode(columns, {name: hierarchy_of(tree) for name, tree in trees.items()}, loss=loss)


def _run(text: str, rows: Rows, k: int, seed: int) -> tuple[Groups, float]:
    """The groups of a method, and the CPU seconds it took."""
    start = time.process_time()
    groups = make(Method, text).divide(rows, k, Promises((KAnonymity(k),)), np.random.default_rng(seed))
    seconds = time.process_time() - start
    assert groups.sizes.min() >= k
    return groups, seconds


SECTIONS = {"adult": on_adult, "leaves": by_leaves, "columns": many_columns, "growth": growth, "refine": refinement}

if __name__ == "__main__":
    main()
