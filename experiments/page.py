"""Pages: claim by claim what a paper states, what was measured, and whether it holds; with tables
and drawings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import measure
from experiments.runs import Options, drawable, results, say, spreads
from shoal.comparison.cells import Row
from shoal.registry import version
from shoal.review import charts

HOLDS = "holds"
IN_PART = "holds in part"
FAILS = "does not hold"
UNKNOWN = "can't be told"
TOLD = "told, not judged"


@dataclass(frozen=True)
class Claim:
    """What a paper states, in our words, and what came out."""

    states: str
    measured: str
    verdict: str


@dataclass
class Page:
    """A page of results that grows from top to bottom and is written at once."""

    options: Options
    title: str
    paper: str
    setting: str
    claims: list[Claim] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    drawings: dict[str, bytes] = field(default_factory=dict)

    def claim(self, states: str, found: tuple[str, str]) -> None:
        """One more claim with its verdict, from `below` or the like."""
        self.claims.append(Claim(states, found[1], found[0]))

    def table(
        self,
        title: str,
        rows: Iterable[Row],
        name: str,
        by: tuple[str, str] = ("method", "k"),
        note: str = "",
    ) -> None:
        """A measure of each method at each k: mean ± standard deviation over seeds."""
        found = spreads(rows, name, by)
        lines, columns = (list(dict.fromkeys(key[i] for key in found)) for i in (0, 1))
        cells = [
            [str(line), *(str(found.get((line, column), "")) for column in columns)]
            for line in lines
        ]
        header = [
            by[0],
            *(
                f"{by[1]} = {column:,}" if isinstance(column, int) else f"{column}"
                for column in columns
            ),
        ]
        if cells:
            self.parts.append(measure.markdown(title, header, cells, note))

    def plain_table(
        self, title: str, header: Sequence[str], rows: Sequence[Sequence[str]], note: str = ""
    ) -> None:
        if rows:
            self.parts.append(measure.markdown(title, header, rows, note))

    def chart(
        self, name: str, title: str, rows: Sequence[Row], what: str, against: Any = charts.against_k
    ) -> None:
        """A drawing of means with their spread, beside the page."""
        by = ("method", "rows") if against is charts.against_rows else ("method", "k")
        points = drawable(rows, what, by)
        if points:
            self.draw(name, title, against(points, what, title=title))

    def draw(self, name: str, title: str, chart: Any) -> None:
        """A drawing of any kind, beside the page."""
        file = f"{self.options.page}-{name}.svg"
        self.drawings[file] = charts.drawn(charts.single(chart), "svg")
        self.parts.append(f"![{title}]({file})\n")

    def write(self) -> Path:
        """The page and its drawings."""
        folder = results(self.options)
        folder.mkdir(parents=True, exist_ok=True)
        for name, drawing in self.drawings.items():
            (folder / name).write_bytes(drawing)
        place = folder / f"{self.options.page}.md"
        place.write_text(self._text(), "utf-8")
        say(f"{self.options.page}: written to {place.name}")
        return place

    def _text(self) -> str:
        made = (
            f"Made by `make experiments` with Shoal {version()}; CPU seconds are those of "
            "dividing alone, on a shared machine: read ratios. Verdicts compare means over "
            "seeds, and the cut-offs in brackets are ours: where a gap is smaller than the "
            "spread in the tables, read it as a tie."
        )
        head = [f"# {self.title}", "", self.paper, "", self.setting, "", made, ""]
        rows = ["| the paper states | measured | verdict |", "|---|---|---|"]
        rows += [
            f"| {claim.states} | {claim.measured} | **{claim.verdict}** |" for claim in self.claims
        ]
        return "\n".join([*head, "## Claim by claim", "", *rows, "", *self.parts]).rstrip() + "\n"


def below(
    rows: Iterable[Row],
    name: str,
    low: str,
    others: Sequence[str],
    by: tuple[str, str] = ("method", "k"),
    at_most: float = 1.0,
) -> tuple[str, str]:
    """Whether one method's mean stays below (a multiple of) all others', at every k: verdict and
    what was found.
    """
    found = spreads(rows, name, by)
    there = [other for other in others if any(key[0] == other for key in found)]
    columns = [key[1] for key in found if key[0] == low]
    if not there or not columns:
        return UNKNOWN, "not measured: a method is missing"
    ratios = {
        c: {other: found[low, c].mean / found[other, c].mean for other in there} for c in columns
    }
    good = [c for c in columns if all(ratio < at_most for ratio in ratios[c].values())]
    shown = "; ".join(
        f"{_range([ratios[c][other] for c in columns])} of {other}" for other in there
    )
    bad = [c for c in columns if c not in good]
    told = f"{charts.words(name)} of {low} is {shown}" + (
        f"; not below at {by[1]} = {_listed(bad)}" if bad and good else ""
    )
    return HOLDS if not bad else IN_PART if good else FAILS, told


def close(rows: Iterable[Row], name: str, methods: Sequence[str], within: float) -> tuple[str, str]:
    """Whether the means of some methods are within a share of each other, at every k."""
    found = spreads(rows, name)
    gaps = {}
    for k in dict.fromkeys(key[1] for key in found):
        means = [found[method, k].mean for method in methods if (method, k) in found]
        if len(means) > 1:
            gaps[k] = max(means) / min(means) - 1
    if not gaps:
        return UNKNOWN, "not measured: a method is missing"
    good = [k for k, gap in gaps.items() if gap <= within]
    told = (
        f"the largest is above the smallest by {min(gaps.values()):.2%} to {max(gaps.values()):.2%}"
    )
    return HOLDS if len(good) == len(gaps) else IN_PART if good else FAILS, told


def together(*found: tuple[str, str]) -> tuple[str, str]:
    """Several findings as one: it holds if all do, and fails if all do."""
    verdicts = {verdict for verdict, _ in found}
    verdict = UNKNOWN if UNKNOWN in verdicts else verdicts.pop() if len(verdicts) == 1 else IN_PART
    return verdict, "; ".join(dict.fromkeys(told for _, told in found))


def _range(ratios: Sequence[float]) -> str:
    return (
        f"{min(ratios):.2f}"
        if max(ratios) - min(ratios) < 0.005
        else f"{min(ratios):.2f} to {max(ratios):.2f}"
    )


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(f"{number:,}" for number in numbers)
