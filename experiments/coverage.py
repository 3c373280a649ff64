"""Coverage: every part of the five founding papers, where it is in Shoal, and what became of it.

python -m experiments.coverage        writes docs/results/README.md

Verdicts are read from the pages of results, so that this table can't say something else than they
do. A test compares the file with what this module writes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from benchmarks.adult import ROOT

from experiments.__main__ import PAGES

RESULTS = ROOT / "docs" / "results"
PLACE = RESULTS / "README.md"

ALGORITHM = "algorithm"
MEASURE = "measure"
CLAIM = "claim"
FUTURE = "future work"
TABLE = "worked table"

EL_RASHIDY = "el_rashidy_2011"
LIN_WEI = "lin_wei_2009"
LAST = "last_2014"
LI = "li_2007"
BYUN = "byun_vanitha_2018"
MAPS = "li_2007_maps"
RULES = "last_2014_rules"
PAPERS = {
    EL_RASHIDY: "El-Rashidy, Ayad, Taha & Sroor 2011: three k-means algorithms",
    LIN_WEI: "Lin & Wei 2009: a genetic search on hybrid groups",
    LAST: "Last, Tassa, Zhmudyak & Shmueli 2014: NSVDist (as retold by Sindhujaa et al.)",
    RULES: "The same: association rules and future work",
    LI: "Li, Xu, Chu & Wang 2007: chaotic distortion for k-means",
    MAPS: "The same: future work",
    BYUN: "Byun, Kamra, Bertino & Li 2007: k-member (as retold by Vanitha & Bhuvaneswari 2018)",
}


@dataclass(frozen=True)
class Part:
    """A part of a paper: what it is, where it is here, and the claim of a page that judges it."""

    paper: str
    kind: str
    what: str
    here: str
    judged: str = ""
    """The beginning of a claim on the page of its paper."""
    reason: str = ""
    """Why it is not covered, or what else is to be said in place of a verdict."""

    def verdict(self, claims: dict[str, str]) -> str:
        """Look the verdict up on the page, or give the reason why there is none."""
        if not self.judged:
            return self.reason
        fitting = [each for claim, each in claims.items() if claim.startswith(self.judged)]
        if not fitting:
            raise LookupError(f"no claim of {self.paper} begins with '{self.judged}'")
        return " / ".join(dict.fromkeys(fitting))


def claims_of(page: Path) -> dict[str, str]:
    """Read the claims of a page of results with their verdicts."""
    claims = {}
    for line in page.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) in (3, 4) and cells[2].rstrip("| ").endswith("**"):
            claims[cells[0]] = cells[2].strip("*| ")
    return claims


PARTS = (
    Part(EL_RASHIDY, ALGORITHM, "No. 1, figures 1 and 4", "`k-means-adjusted`", "Figure 5"),
    Part(EL_RASHIDY, ALGORITHM, "No. 2, figure 3", "`k-means-filled`", "Figure 5"),
    Part(EL_RASHIDY, ALGORITHM, "No. 3, figure 2", "`k-means-adjusted-once`", "Figure 5"),
    Part(EL_RASHIDY, MEASURE, "information loss (1), (2)", "`total-information-loss`", "Figure 7"),
    Part(EL_RASHIDY, MEASURE, "discernibility", "`discernibility`", "Figure 8"),
    Part(EL_RASHIDY, MEASURE, "square error", "`squared-error`", "Figure 6"),
    Part(EL_RASHIDY, CLAIM, "figure 5: No. 1 is the best of the three", "", "Figure 5"),
    Part(EL_RASHIDY, CLAIM, "figure 6: less square error than its rivals", "", "Figure 6"),
    Part(EL_RASHIDY, CLAIM, "figure 7: what k-member and No. 1 lose", "", "Figure 7"),
    Part(EL_RASHIDY, CLAIM, "figure 8: discernibility is very close", "", "Figure 8"),
    Part(EL_RASHIDY, CLAIM, "section V: clustering by all columns", "", "All attributes"),
    Part(
        EL_RASHIDY,
        CLAIM,
        "formula (5): time grows with the square of the rows",
        "",
        reason="told beside all other methods: [growth of every method]"
        "(byun_vanitha_2018.md#scalability-of-every-method-k-5)",
    ),
    Part(
        EL_RASHIDY,
        ALGORITHM,
        "section III: the rivals, and two that it reviews",
        "`k-member`, `one-pass-k-means`, `threshold`, `weighted-c-means`",
        reason="built; the last two have no part in its experiments",
    ),
    Part(
        EL_RASHIDY, CLAIM, "title: little effect on the accuracy of mining", "`shoal mine`", "Title"
    ),
    Part(
        EL_RASHIDY, CLAIM, "the centre of a category, which it leaves open", "`centre=`", "Figure 6"
    ),
    Part(LIN_WEI, ALGORITHM, "hybrid method", "`hybrid`", reason="reconstructed: text not at hand"),
    Part(LIN_WEI, ALGORITHM, "genetic search", "`genetic`", "The genetic search reduces"),
    Part(
        LIN_WEI, MEASURE, "diversity, information loss", "`total-information-loss`", "The genetic"
    ),
    Part(
        LIN_WEI,
        MEASURE,
        "(4), after Solanas et al.",
        "`squared-error-share`",
        reason="built; the paper does not adopt it",
    ),
    Part(
        LIN_WEI,
        TABLE,
        "tables 1 to 3: attribute level and cell level",
        "`full-domain`, `shoal`",
        reason="both forms of recoding exist; the tables are examples, not results",
    ),
    Part(LIN_WEI, CLAIM, "test 1: crossover", "`genetic:crossover=`", "Test 1"),
    Part(LIN_WEI, CLAIM, "test 2: q", "`genetic:q=`", "Test 2"),
    Part(LIN_WEI, CLAIM, "test 3: replacement", "`genetic:replacement=`", "Test 3"),
    Part(LIN_WEI, CLAIM, "test 4: neighbours", "`genetic:neighbours=`", "Test 4"),
    Part(LIN_WEI, CLAIM, "test 5, abstract: it reduces the loss further", "", "The genetic"),
    Part(LIN_WEI, FUTURE, "section 5", "", reason="not at hand: the text ends in section 2.1"),
    Part(
        LAST,
        ALGORITHM,
        "NSVDist, (k, l) with overlapping neighbourhoods",
        "`nsvdist`",
        "Classifiers trained",
    ),
    Part(LAST, ALGORITHM, "its rivals", "`sequential`, `mondrian`, `top-down`", "At the largest k"),
    Part(
        LAST,
        TABLE,
        "table 1: data sets",
        "ten public sets",
        reason="its medical sets are not to be had; columns as it lists or chooses them "
        "(the page's appendix says where not)",
    ),
    Part(LAST, CLAIM, "abstract: more accurate classifiers", "", "Classifiers trained"),
    Part(LAST, CLAIM, "ranking tables", "", "At the largest k"),
    Part(LAST, CLAIM, "conclusion: less loss", "", "NSVDist loses less"),
    Part(LAST, CLAIM, "conclusion: a more secure form", "", "The data can be published"),
    Part(LAST, CLAIM, "what an adversary must learn", "", "An adversary must"),
    Part(LAST, CLAIM, "hypothesis: lower loss, better classifiers", "", "Lower loss"),
    Part(RULES, CLAIM, "title: association rules", "`shoal mine`", "Title"),
    Part(RULES, FUTURE, "(a) several sensitive columns", "models with `on=`", "Future work (a)"),
    Part(
        LAST,
        FUTURE,
        "(b) sequential release",
        "the ledger",
        reason="built: `--ledger` and `--across`; no claim of the paper to judge",
    ),
    Part(LI, ALGORITHM, "chaotic distortion, steps 1 to 6, (2), (7)", "`chaotic`", "Chaos is"),
    Part(LI, MEASURE, "ILD, PPD, CID, (3) to (6)", "effects of `shoal distort`", "All CID"),
    Part(LI, MEASURE, "Dunn's index", "the page", "Dunn"),
    Part(LI, CLAIM, "table 2: CID", "", "All CID"),
    Part(LI, CLAIM, "table 2: time", "", "All CPU time"),
    Part(LI, CLAIM, "table 3: order of rows", "", "The order of rows"),
    Part(LI, CLAIM, "figure 1: CID against Dunn's index", "", "CID and Dunn"),
    Part(LI, CLAIM, "table 4: PPD against ILD", "", "Rows move"),
    Part(LI, CLAIM, "abstract: it protects individuals", "attacks of `shoal distort`", "Chaos is"),
    Part(
        LI, CLAIM, "introduction: spectral filtering", "`spectral-filter`", "Chaotic noise resists"
    ),
    Part(LI, CLAIM, "abstract: centres are kept", "", "Chaotic noise keeps"),
    Part(
        MAPS, FUTURE, "other chaotic systems", "`experiments/chaotic_maps.py`", "Future work: noise"
    ),
    Part(MAPS, FUTURE, "mining other than k-means", "`shoal mine`", "Future work: mining"),
    Part(BYUN, ALGORITHM, "greedy k-member clustering", "`k-member`", "Figure 1"),
    Part(
        BYUN,
        ALGORITHM,
        "with the class in mind",
        "`k-member:class_weight=`",
        "The modification reduces",
    ),
    Part(BYUN, ALGORITHM, "median partitioning", "`mondrian:cuts=median`", "Figure 1"),
    Part(
        BYUN,
        MEASURE,
        "definition 1, (4): largest distances within groups",
        "",
        reason="not covered: the paper itself minimizes definition 6 in its place",
    ),
    Part(BYUN, MEASURE, "definitions 2 to 6", "`total-information-loss`, `height`", "Figure 1"),
    Part(BYUN, TABLE, "tables 1 and 2", "the tests", reason="worked in `tests/`"),
    Part(
        BYUN,
        CLAIM,
        "theorem 1: the problem is NP-complete",
        "",
        reason="a proof, not an experiment",
    ),
    Part(BYUN, CLAIM, "theorem 2: groups hold fewer than 2k rows", "`k-member`", "Their groups"),
    Part(BYUN, CLAIM, "theorem 3: quadratic time", "", "Theorem 3"),
    Part(BYUN, CLAIM, "figure 1: total information loss", "", "Figure 1"),
    Part(BYUN, CLAIM, "figure 2: discernibility", "", "Figure 2"),
    Part(BYUN, CLAIM, "section 4.2: loss grows linearly", "", "Total information loss is about"),
    Part(BYUN, CLAIM, "section 4.2: k-member loses least at every size", "", "k-member loses"),
    Part(BYUN, CLAIM, "section 4.2: partitioning is faster", "", "Median partitioning is"),
    Part(
        BYUN,
        CLAIM,
        "title, keywords: public graphs",
        "graphs",
        reason="the paper has no algorithm for them; built: `shoal anonymize-graph`, measured: "
        "[graphs](graphs.md)",
    ),
)

HEAD = """# What became of the founding papers

Shoal grew from five papers. This page lists every algorithm, measure, table, claim and piece of
future work in them, where it is in Shoal, and what our own measurements say of it. Behind each
verdict stands a page with the figures and the reading of the paper that was used.

A verdict says what the figures say, by one rule: a claim *holds* if it is won in every case, *holds
in part* if in some, *does not hold* if in none. A gap within the spread over seeds is a tie, and a
tie is no win. Several verdicts in one line belong to several readings of the paper.

Written by `python -m experiments.coverage`; the pages by `make experiments`. One page is rerun by
`make experiments ARGS=li_2007`, one claim by `make experiments ARGS='last_2014 --claim rules'`;
finished parts are kept with the CPU time that they took, and measured anew where the code changed.
Each page says from which code and when its figures stem; those of all pages together cost
{cost:.0f} CPU minutes. `--finished` writes a page from what a stopped run has left, and the page
then says what is missing. Beside the five: [Slijepcevic et al. 2021](slijepcevic_2021.md), whose
figures for classifiers on Adult are the best public ones.
"""


def cost_of(page: Path) -> float:
    """Read the CPU minutes that the figures of a page cost."""
    told = re.search(r"figures cost ([\d.]+) CPU minutes", page.read_text("utf-8"))
    if told is None:
        raise LookupError(f"{page.name} does not say what its figures cost")
    return float(told[1])


def text() -> str:
    """Write the page."""
    lines = [HEAD.format(cost=sum(cost_of(RESULTS / f"{page}.md") for page in PAGES))]
    for paper, title in PAPERS.items():
        claims = claims_of(RESULTS / f"{paper}.md")
        lines += [f"## {title}", "", f"Figures and readings: [{paper}]({paper}.md)", ""]
        lines += ["| part | kind | in Shoal | verdict |", "|---|---|---|---|"]
        lines += [
            f"| {part.what} | {part.kind} | {part.here} | {part.verdict(claims)} |"
            for part in PARTS
            if part.paper == paper
        ]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PLACE.write_text(text(), "utf-8")
