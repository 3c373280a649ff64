"""The leak of `nsvdist` in tables: who is hidden, what is guessed, before and after repair, and
what that costs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from experiments.leak_2014 import ALL, FLAT, GROUPED, PAPER, REFERENCE, REPAIRS, SAMPLES
from experiments.page import Page
from shoal.comparison.cells import Row

MARGIN = 0.05
READINGS = {"printed": "as printed", "nodes": "nodes", "values": "values", "members": "members"}
KNOWS = (
    "The attacker knows the quasi-identifiers of everyone in the table and the method, nobody's "
    "sensitive value, and finds each neighbourhood again by running the method (with l above 1 "
    "sensitive values shape neighbourhoods, so that what equations regain there is an upper "
    "bound). "
)
NOTES = {
    "hidden": (
        "Shares of people, Adult; samples are means over {samples}. A published row covers a "
        "person *as printed* (nodes of hierarchies, intervals snapped to round ends), by *nodes* "
        "and exact intervals, by exact intervals and the very *values* of its neighbourhood "
        "(samples only), or because the person is one of its *members*; *flat* is the last "
        "reading where categories have no hierarchies. Another implementation found 49% to 62% "
        "below k and 9% to 22% with one row on samples of 400 to 1,000: members of flat "
        "neighbourhoods come nearest to that. Each step towards what is printed covers more "
        "people than the neighbourhood has members. *matches*: rows that could be the person's "
        "while everybody else has one too, as printed."
    ),
    "guessed": (
        KNOWS + "*own row*: the most frequent value of the row that was grown around the person. "
        "*votes*: of all rows that speak about the person. *equations*: least squares over all "
        "rows and people. *shares*: the same where everybody's values are shares that add up to "
        "1. *flat*: the best of these where categories have no hierarchies; *elsewhere*: by "
        "equations in another implementation, on a sample of 400. *rank*: independent equations, "
        "as a share of people: neighbourhoods that coincide say nothing new, and with "
        "hierarchies more of them do."
    ),
    "repaired": (
        "*below k*: covered by fewer than k printed rows. *matches*: fewer than k possible "
        "matches. *link*: how likely the likeliest link of a person and a row is. *guessed*: the "
        "best of what attackers try; in groups, the most frequent value of the group. *allowed*: "
        "max(1/l, majority) + 0.05 where l promises something; with l = 1 nothing is promised "
        "about sensitive values, and what is guessed is what any release of that detail teaches. "
        "*cost*: height-share against that of the paper's form. Widened boxes keep no l, so that "
        "k-concealment is refused with l above 1."
    ),
}


def show_leak(page: Page, rows: Sequence[Row]) -> None:
    """Three tables: hidden, guessed, repaired."""
    hidden(page, rows)
    guessed(page, rows)
    repaired(page, rows)


def settings_in(rows: Sequence[Row]) -> list[tuple[int, str, int, int]]:
    return list(dict.fromkeys((row["rows"], row["sensitive"], row["k"], row["l"]) for row in rows))


def of(rows: Sequence[Row], setting: tuple[int, str, int, int], method: str) -> list[Row]:
    """The samples of one setting."""
    return [
        r
        for r in rows
        if (r["rows"], r["sensitive"], r["k"], r["l"]) == setting and r["method"] == method
    ]


def mean(rows: Sequence[Row], name: str) -> float | None:
    """The mean of what was measured; None where nothing was."""
    there = [row[name] for row in rows if row.get(name) is not None]
    return float(np.mean(there)) if there else None


def told(value: float | None, digits: int = 3) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def hidden(page: Page, rows: Sequence[Row]) -> None:
    """Who is covered by how many rows of the paper's form."""
    lines = []
    for setting in settings_in(rows):
        some = of(rows, setting, PAPER)
        few = [told(mean(some, f"below k, {name}")) for name in READINGS]
        one = [told(mean(some, f"one row, {name}")) for name in READINGS]
        flat = [
            told(mean(of(rows, setting, FLAT), f"{what}, members"))
            for what in ("below k", "one row")
        ]
        lines.append(
            [*_named(setting), *few, flat[0], told(mean(some, "below k matches")), *one, flat[1]]
        )
    shown = (*READINGS.values(), "flat")
    header = [
        "rows",
        "sensitive",
        "k",
        "l",
        *(f"below k, {name}" for name in shown),
        "below k matches",
    ]
    header += [f"one row, {name}" for name in shown]
    there = Counter(size for size, _ in {(row["rows"], row["sample"]) for row in rows})
    samples = ", ".join(f"{count} of {size:,}" for size, count in there.items() if size != ALL)
    page.plain_table(
        "The leak: who is hidden", header, lines, NOTES["hidden"].format(samples=samples)
    )


def guessed(page: Page, rows: Sequence[Row]) -> None:
    """What is regained from the paper's form."""
    lines = []
    for setting in settings_in(rows):
        some = of(rows, setting, PAPER)
        figures = [
            told(mean(some, name))
            for name in ("usual", "by own row", "by votes", "by equations", "by shares")
        ]
        elsewhere = told(REFERENCE[setting[1:]]) if setting[0] == min(SAMPLES) else ""
        flat = of(rows, setting, FLAT)
        ranks = [told(mean(samples, "rank"), 2) for samples in (some, flat)]
        lines.append([*_named(setting), *figures, told(mean(flat, "guessed")), elsewhere, *ranks])
    measured = [
        "majority",
        "own row",
        "votes",
        "equations",
        "shares",
        "flat",
        "elsewhere",
        "rank",
        "rank, flat",
    ]
    header = ["rows", "sensitive", "k", "l", *measured]
    page.plain_table("The leak: sensitive values regained", header, lines, NOTES["guessed"])


def repaired(page: Page, rows: Sequence[Row]) -> None:
    """The same after repair, beside groups at equal k."""
    lines = []
    for setting in settings_in(rows):
        paper = mean(of(rows, setting, PAPER), "height-share")
        for method in (PAPER, *REPAIRS, *GROUPED):
            some = of(rows, setting, method)
            loss = mean(some, "height-share")
            usual = mean(some, "usual")
            gone = sum("refused" in row for row in some)
            allowed = max(1 / setting[3], usual or 0) + MARGIN if setting[3] > 1 else None
            grouped = method in GROUPED and not gone
            few = (
                ["0", "0"]
                if grouped
                else [told(mean(some, name)) for name in ("below k, printed", "below k matches")]
            )
            figures = [
                told(mean(some, "link")),
                told(mean(some, "guessed")),
                told(allowed),
                told(loss),
            ]
            cost = f"{loss / paper - 1:+.0%}" if loss and paper and method != PAPER else ""
            lines.append(
                [
                    *_named(setting),
                    method,
                    *few,
                    *figures,
                    cost,
                    f"{gone} of {len(some)}" if gone else "",
                ]
            )
    measured = [
        "below k",
        "matches",
        "link",
        "guessed",
        "allowed",
        "height-share",
        "cost",
        "refused",
    ]
    header = ["rows", "sensitive", "k", "l", "method", *measured]
    page.plain_table("The leak repaired, and what that costs", header, lines, NOTES["repaired"])


def _named(setting: tuple[int, str, int, int]) -> list[str]:
    return [f"{setting[0]:,}", setting[1], f"{setting[2]}", f"{setting[3]}"]
