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
from experiments.verdicts import RULE
from shoal.comparison.cells import Row
from shoal.registry import version
from shoal.review import charts


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
        """One more claim with its verdict, from `verdicts.below` or the like."""
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
            f"seeds, and the cut-offs in brackets are ours. {RULE}"
        )
        head = [f"# {self.title}", "", self.paper, "", self.setting, "", made, ""]
        rows = ["| the paper states | measured | verdict |", "|---|---|---|"]
        rows += [
            f"| {claim.states} | {claim.measured} | **{claim.verdict}** |" for claim in self.claims
        ]
        return "\n".join([*head, "## Claim by claim", "", *rows, "", *self.parts]).rstrip() + "\n"
