"""Vanitha & Bhuvaneswari 2018, after Byun et al. 2007: figures 1 and 2 on Adult, and the
scalability section.

python -m experiments.byun_vanitha_2018 [--quick] [--afresh] [--jobs N]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import adult
from experiments.page import Page
from experiments.runs import Options, adult_base, exponent, options, spreads, straightness
from experiments.verdicts import FAILS, HOLDS, UNKNOWN, below, together
from shoal.comparison.cells import Row
from shoal.partition.method import Method
from shoal.registry import make, names
from shoal.review import charts

MEDIAN = "median partitioning"
BELOW = "median partitioning, or below it"
OURS = "mondrian (ours)"
MEMBER = "k-member"
CLASSES = "k-member with class weight"
LISTING = "k-member, seeds as listed"
METHODS = {
    MEDIAN: "mondrian:cuts=median",
    BELOW: "mondrian:cuts=below-median",
    OURS: "mondrian",
    MEMBER: "k-member",
    CLASSES: "k-member:class_weight=0.5",
    LISTING: "k-member:seed_rule=last-added",
}
KS = (5, 10, 25, 50, 75, 100)
SEEDS = 3
SIZES = (2_000, 5_000, 10_000, 20_000, 30_000)
QUICK_SIZES = (500, 1_000, 2_000)
K = 5
CLOSE = 1.1  # what we take "very close" to mean
STRAIGHT = 0.99  # share of variance; what we take "about linearly" to mean
QUADRATIC = 2.1  # a power, with what is left to chance
BY_ROWS = ("method", "rows")
ON_METHODS = (
    "*Median partitioning* cuts at the median alone, as the paper has it, and is what its claims "
    "are judged on. *Or below it*: where many rows stand at the median, the cut below it is tried "
    "too. *mondrian (ours)* first tries to cut a column with a hierarchy by its nodes. *Seeds as "
    "listed*: the paper's listing overwrites its reference row, so that the next seed is furthest "
    "from the row that was added last; its text says from the previous seed, as the others do."
)
ON_CLASSES = (
    "The lower the figure, the more a group tells about its people's income: what helps a "
    "classifier helps an attacker too."
)


def main() -> None:
    """Measure, judge, write."""
    asked = options("byun_vanitha_2018", __doc__)
    table = asked.table(adult.table())
    quality = asked.run(table, adult_base(), METHODS, KS, asked.seeds(SEEDS))
    numbered = asked.run(
        asked.table(with_education_as_number()), number_base(), METHODS, KS, asked.seeds(SEEDS)
    )
    growing = grown(asked)
    sizes = QUICK_SIZES if asked.quick else SIZES
    page = Page(
        asked,
        "Byun et al. 2007, Vanitha & Bhuvaneswari 2018: k-member against median partitioning",
        "N. Vanitha & T. Bhuvaneswari (2018), Privacy preservation in public graph by clustering "
        "techniques, after J.-W. Byun, A. Kamra, E. Bertino & N. Li (2007), Efficient "
        "k-anonymization using clustering techniques, DASFAA.",
        f"Adult, {table.num_rows:,} rows, eight quasi-identifiers (age a number, seven "
        "hierarchies; in a second setting education is a number too, as Byun et al. have it), "
        f"income as the class, seeds 1 to {len(asked.seeds(SEEDS))}. Median partitioning is "
        f"strict Mondrian, the class weight 0.5. Scalability: k = {K}, the first "
        f"{', '.join(f'{size:,}' for size in sizes)} rows, one seed.",
    )
    judge_quality(page, quality, "")
    judge_quality(page, numbered, ", education a number")
    judge_readings(page, {"": quality, ", education a number": numbered})
    judge_growth(page, growing)
    show(page, quality, numbered, growing)
    page.answer = answer(page)
    page.write()


def answer(page: Page) -> str:
    """Say in five sentences what came out."""
    return (
        "The paper gathers rows greedily into groups of k and says that less is lost than by "
        "cutting the table at medians. "
        f"Beside the plain median cut that {page.verdict('figure-1', 'k-member has the least')}, "
        "whether education is a category or a number; "
        "beside the usual mend of the cut and our Mondrian, which it does not have, it "
        f"{page.verdict('not-in-the')}. "
        f"That groups are hardly larger than k {page.verdict('their-groups-are')}; that the "
        "variant which looks at the class loses almost the same "
        f"{page.verdict('figure-1', 'with the class in mind')}. "
        "That time grows at most with the square of the rows "
        f"{page.verdict('theorem-3')}, and that median partitioning is faster "
        f"{page.verdict('median-partitioning-is')}."
    )


def with_education_as_number() -> pa.Table:
    """Read Adult with the years of education in place of their names."""
    names = ["education-num" if name == "education" else name for name in adult.QUASI]
    return pq.read_table(adult.FILE, columns=[*names, adult.SENSITIVE])


def number_base() -> dict[str, Any]:
    """Describe the setting of Byun et al.: age and education are numbers."""
    base = adult_base()
    trees = {name: tree for name, tree in base["hierarchies"].items() if name != "education"}
    quasi = ["education-num" if name == "education" else name for name in base["quasi"]]
    return {**base, "quasi": quasi, "hierarchies": trees | {"education-num": "none"}}


def grown(asked: Options) -> list[Row]:
    """Every registered method on longer and longer parts of Adult."""
    methods = {name: name for name in names(Method)} | {
        MEDIAN: METHODS[MEDIAN],
        CLASSES: METHODS[CLASSES],
    }
    base = adult_base()
    of_boxes = {
        name: text for name, text in methods.items() if base["loss"] in make(Method, text).losses
    }
    others = {name: text for name, text in methods.items() if name not in of_boxes}
    rows = []
    for size in QUICK_SIZES if asked.quick else SIZES:
        table = adult.table().slice(0, size)
        measured = asked.run(table, base, of_boxes, [K], [1])
        measured += asked.run(table, {**base, "loss": "squared-error"}, others, [K], [1])
        rows += [{**row, "rows": size} for row in measured]
    return rows


def judge_quality(page: Page, rows: list[Row], setting: str) -> None:
    """Judge section 4.1 in one setting."""
    loss = "total-information-loss"
    page.claim(
        f"Figure 1{setting}: k-member has the least total information loss for all k.",
        below(rows, loss, MEMBER, [MEDIAN, CLASSES]),
        "figure-1",
    )
    page.claim(
        (
            f"Figure 1{setting}: with the class in mind it loses almost the same (taken as: at "
            f"most {CLOSE:.1f} times)."
        ),
        below(rows, loss, CLASSES, [MEMBER], at_most=CLOSE),
        "figure-1",
    )
    page.claim(
        f"Figure 1{setting}: both lose less than median partitioning.",
        both_below(rows, loss),
        "figure-1",
    )
    page.claim(
        f"Figure 2{setting}: both k-member algorithms have lower discernibility than median "
        "partitioning.",
        both_below(rows, "discernibility"),
        "figure-2",
    )
    page.claim(
        f"Their groups are very close to k in size{setting} (taken as: the mean is below "
        f"{CLOSE:.1f} k).",
        near_k(rows),
    )
    page.claim(
        f"The modification reduces classification error{setting}.",
        below(rows, "classification-metric", CLASSES, [MEMBER]),
    )


def judge_readings(page: Page, settings: Mapping[str, list[Row]]) -> None:
    """Judge the claim of figure 1 on other readings of what the paper leaves open."""
    loss = "total-information-loss"
    for setting, rows in settings.items():
        page.claim(
            f"Figure 1{setting}, seeds as the listing has them: k-member loses less than median "
            "partitioning for all k.",
            below(rows, loss, LISTING, [MEDIAN]),
            "figure-1",
        )
        page.claim(
            f"Not in the paper{setting}: k-member loses less than median partitioning with the "
            "cut below the median, and than our Mondrian.",
            below(rows, loss, MEMBER, [BELOW, OURS]),
        )


def both_below(rows: list[Row], measure: str) -> tuple[str, str]:
    """Whether both k-member algorithms stay below median partitioning."""
    return together(*(below(rows, measure, method, [MEDIAN]) for method in (MEMBER, CLASSES)))


def near_k(rows: list[Row]) -> tuple[str, str]:
    """Whether the mean size of k-member's groups is k, up to leftovers."""
    ratios = [
        row["average-group-size"] / row["k"] for row in rows if row["method"] in (MEMBER, CLASSES)
    ]
    if not ratios:
        return UNKNOWN, "not measured"
    largest = max(
        row["largest-group"] / row["k"] for row in rows if row["method"] in (MEMBER, CLASSES)
    )
    told = f"the mean size is at most {max(ratios):.3f} k, the largest group {largest:.2f} k"
    return HOLDS if max(ratios) < CLOSE else FAILS, told


def judge_growth(page: Page, rows: list[Row]) -> None:
    """Section 4.2 and theorem 3."""
    loss = "total-information-loss"
    page.claim(
        (
            "Total information loss is about linear in rows, for both (taken as: a line "
            f"explains over {STRAIGHT:.0%})."
        ),
        together(*(linear(rows, method, loss) for method in (MEMBER, MEDIAN))),
    )
    page.claim("k-member loses least at every size.", below(rows, loss, MEMBER, [MEDIAN], BY_ROWS))
    page.claim("Median partitioning is faster.", below(rows, "seconds", MEDIAN, [MEMBER], BY_ROWS))
    page.claim(
        "Theorem 3: k-member's time grows at most with the square of the rows.",
        at_most_quadratic(rows),
    )


def at_most_quadratic(rows: list[Row]) -> tuple[str, str]:
    """Whether k-member's time grows no faster than the square of the rows."""
    power = power_of(rows, MEMBER, "seconds")
    told = (
        f"CPU seconds grow as rows to the power {power:.2f} (a longer table holds more equal "
        "rows, handled as one)"
    )
    return HOLDS if power < QUADRATIC else FAILS, told


def linear(rows: list[Row], method: str, measure: str) -> tuple[str, str]:
    """Whether a figure grows along a straight line; the power tells whether also in proportion (1)
    or less.
    """
    points = {row["rows"]: row[measure] for row in rows if row["method"] == method}
    if len(points) < 3:
        return UNKNOWN, "not measured"
    power = exponent(points)
    fit = straightness(points)
    told = (
        f"{method}: rows to the power {power:.2f}; a straight line explains {fit:.2%} of the "
        "variance"
    )
    return HOLDS if fit > STRAIGHT else FAILS, told


def power_of(rows: list[Row], method: str, measure: str) -> float:
    """How fast a figure of a method grows."""
    return exponent({row["rows"]: row[measure] for row in rows if row["method"] == method})


def show(page: Page, quality: list[Row], numbered: list[Row], growing: list[Row]) -> None:
    """Show the figures and the growth of every method."""
    page.table(
        "Figure 1: total information loss", quality, "total-information-loss", note=ON_METHODS
    )
    page.chart("figure-1", "Total information loss on Adult", quality, "total-information-loss")
    page.table(
        "Figure 1 with education as a number: total information loss",
        numbered,
        "total-information-loss",
    )
    page.table("Figure 2: discernibility", quality, "discernibility")
    page.chart("figure-2", "Discernibility on Adult", quality, "discernibility")
    page.table("Classification metric", quality, "classification-metric", note=ON_CLASSES)
    page.table("CPU seconds", quality, "seconds")
    shown = [row for row in growing if row["method"] in (MEDIAN, MEMBER)]
    page.table(
        f"Scalability: total information loss, k = {K}", shown, "total-information-loss", BY_ROWS
    )
    growth(page, growing)
    page.chart(
        "growth",
        f"CPU seconds of every method on Adult, k = {K}",
        growing,
        "seconds",
        charts.against_rows,
    )


def growth(page: Page, rows: list[Row]) -> None:
    """Seconds by size and the exponent, for every method."""
    found = spreads(rows, "seconds", BY_ROWS)
    sizes = list(dict.fromkeys(row["rows"] for row in rows))
    lines = []
    for method in dict.fromkeys(row["method"] for row in rows):
        seconds = [
            f"{found[method, size].mean:.3f}" if (method, size) in found else "" for size in sizes
        ]
        loss, time = (
            power_of(rows, method, measure) for measure in ("total-information-loss", "seconds")
        )
        lines.append([method, *seconds, f"{time:.2f}", f"{loss:.2f}"])
    header = [
        "CPU seconds",
        *(f"{size:,} rows" for size in sizes),
        "exponent of time",
        "exponent of loss",
    ]
    note = (
        "An exponent of 1 is linear, 2 quadratic: the slope of a line through the logarithms "
        "of all sizes."
    )
    page.plain_table(f"Scalability of every method, k = {K}", header, lines, note)


if __name__ == "__main__":
    main()
