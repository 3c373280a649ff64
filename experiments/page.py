"""Pages: claim by claim what a paper states, what was measured, and whether it holds; with tables
and drawings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks import measure
from experiments.code import fingerprint
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
    name: str = ""
    """What is typed behind `--claim`."""


@dataclass
class Page:
    """A page of results that grows from top to bottom and is written at once."""

    options: Options
    title: str
    paper: str
    setting: str
    answer: str = ""
    """What came out, in about five sentences for someone who has not read the paper."""
    appendix: str = ""
    """What a reader needs who has the paper beside the page; stands at its end."""
    claims: list[Claim] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    drawings: dict[str, bytes] = field(default_factory=dict)

    def claim(self, states: str, found: tuple[str, str], name: str = "") -> None:
        """One more claim with its verdict, from `verdicts.below` or the like."""
        self.claims.append(Claim(states, found[1], found[0], name or name_of(states)))

    def verdict(self, name: str, words: str = "") -> str:
        """Join the different verdicts of the claims of a name, for the answer on top.

        Only claims that hold these words are looked at.
        """
        named = [claim for claim in self.claims if claim.name == name and words in claim.states]
        found = dict.fromkeys(claim.verdict for claim in named)
        return " / ".join(found) or "not measured"

    def measured(self, name: str) -> str:
        """Give what was measured of the first claim of a name, for the answer on top."""
        return next((claim.measured for claim in self.claims if claim.name == name), "not measured")

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

    def write(self) -> Path | None:
        """Write the page and its drawings; with `--claim`, print the verdict and write nothing."""
        if self.options.claim is not None:
            self._print(self.options.claim)
            return None
        folder = results(self.options)
        folder.mkdir(parents=True, exist_ok=True)
        for name, drawing in self.drawings.items():
            (folder / name).write_bytes(drawing)
        place = folder / f"{self.options.page}.md"
        place.write_text(self._text(), "utf-8")
        say(f"{self.options.page}: written to {place.name}; it cost {self.options.spent}")
        return place

    def _print(self, name: str) -> None:
        """Print the verdicts of one claim; ends with 2 where no claim has that name."""
        asked = [claim for claim in self.claims if claim.name == name]
        for claim in asked:
            print(f"{claim.states}\n  {claim.measured}\n  {claim.verdict}")
        if not asked:
            say(f"no such claim; there are {', '.join(dict.fromkeys(c.name for c in self.claims))}")
            raise SystemExit(2)

    def _text(self) -> str:
        made = (
            f"Made by `make experiments ARGS={self.options.page}` with Shoal {version()} (source "
            f"{fingerprint(())}) on {date.today().isoformat()}. Its figures cost "
            f"{self.options.spent}, as kept with each part when it was measured; a claim is "
            "rerun by adding `--claim` and its name. CPU seconds in tables are those of "
            "dividing alone, on a shared machine: read ratios. "
            f"Verdicts compare means over seeds, and the cut-offs in brackets are ours. {RULE}"
        )
        answer = [self.answer, ""] if self.answer else []
        head = [f"# {self.title}", "", *answer, self.paper, ""]
        rows = ["| the paper states | measured | verdict | `--claim` |", "|---|---|---|---|"]
        rows += [
            f"| {claim.states} | {claim.measured} | **{claim.verdict}** | {claim.name} |"
            for claim in self.claims
        ]
        setting = ["## How it was measured", "", self.setting, "", made, ""]
        last = ["## Appendix: readings of the paper", "", self.appendix] if self.appendix else []
        text = [*head, "## Claim by claim", "", *rows, "", *setting, *self.parts, *last]
        return "\n".join(text).rstrip() + "\n"


def name_of(states: str) -> str:
    """Make a name of what stands before the first colon, or of the first words.

    >>> name_of("Figure 5: No. 1 is best"), name_of("The genetic search reduces the loss further")
    ('figure-5', 'the-genetic-search')
    """
    words = re.findall(r"[a-z0-9]+", states.partition(":")[0].lower())
    return "-".join(words[:3])
