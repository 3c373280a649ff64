"""Verdicts on Li et al. 2007: each takes figures alone, so that it can be shown to fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from experiments.significance import Significance
from experiments.verdicts import FAILS, HOLDS, IN_PART, LOST, UNKNOWN, WON, Finding, overall

SURE = 0.01
FALLS = 2.0  # by which factor, from 2 to 8 clusters: what we take "falls" to mean
ALIKE = 1.15  # how far figures may be off to be the printed ones
FAR = 1.5
TOGETHER = 0.5  # the least correlation that we take "the same trend" to mean
EQUAL_FILTERS = 0.03
EQUAL_CENTRES = 0.3


def above_one(cids: Mapping[str, Sequence[float]]) -> Finding:
    """Judge: all CID are above 1."""
    cells = [cell for row in cids.values() for cell in row]
    if not cells:
        return Finding(UNKNOWN, "not measured")
    won = sum(cell > 1 for cell in cells)
    verdict = overall(WON if cell > 1 else LOST for cell in cells)
    return Finding(verdict, f"{won} of {len(cells)}, the least {min(cells):.2f}")


def falls(cids: Mapping[str, Sequence[float]]) -> Finding:
    """Judge: CID falls with the number of clusters."""
    ends = [row[0] / row[-1] for row in cids.values()]
    verdict = overall(WON if end > FALLS else LOST for end in ends)
    return Finding(
        verdict, f"from 2 to 8 clusters by factors of {min(ends):.1f} to {max(ends):.1f}"
    )


def dips(census: Sequence[float]) -> Finding:
    """Judge: on Census, CID dips at 4 clusters and rises at 5; figures from 2 clusters on."""
    three, four, five, six = census[1:5]
    told = f"{three:.1f}, {four:.1f}, {five:.1f}, {six:.1f} at 3 to 6"
    return Finding(HOLDS if three > four < five > six else FAILS, told)


def quick(seconds: Mapping[str, Sequence[float]]) -> Finding:
    """Judge: all CPU time is less than one second."""
    cells = [cell for row in seconds.values() for cell in row]
    told = f"{min(cells):.2f} to {max(cells):.2f} CPU seconds"
    return Finding(overall(WON if cell < 1 else LOST for cell in cells), told)


def no_order(tests: Mapping[str, Significance]) -> Finding:
    """Judge: the order of rows has no influence; one test a table, corrected for their number."""
    won = [test.p > 0.05 / len(tests) for test in tests.values()]
    told = f"least p of {len(tests)} tests {min(test.p for test in tests.values()):.2f}"
    return Finding(overall(WON if each else LOST for each in won), told)


def further(tests: Sequence[Significance]) -> Finding:
    """Judge: rows move significantly further than centres, at every number of clusters."""
    won = [test.value > 0 and test.p < SURE for test in tests]
    return Finding(overall(WON if each else LOST for each in won), f"at {sum(won)} of {len(won)}")


def same_trend(correlations: Mapping[str, float]) -> Finding:
    """Judge: CID and Dunn's index go together."""
    verdict = overall(WON if each > TOGETHER else LOST for each in correlations.values())
    return Finding(verdict, ", ".join(f"{each:.2f}" for each in correlations.values()))


def printed_dunn(original: float, perturbed: float) -> Finding:
    """Judge: the printed Dunn indices are those of the original tables; by what factor not."""
    told = (
        f"they are off by a factor of {original:.2f} for the original tables, {perturbed:.2f} for "
        "the perturbed ones"
    )
    if original < ALIKE:
        return Finding(HOLDS, told)
    return Finding(IN_PART if original < FAR else FAILS, told)


def protects(known: Sequence[float], blind: Sequence[float], limit: float) -> Finding:
    """Judge: the noise protects; shares of cells that whoever knows a record, or none, regains."""
    told = (
        f"whoever knows one record regains {min(known):.0%} to {max(known):.0%} of all other cells "
        f"exactly, whoever knows none {min(blind):.0%} to {max(blind):.0%}"
    )
    worst = [max(pair) for pair in zip(known, blind, strict=True)]
    return Finding(overall(WON if share <= limit else LOST for share in worst), told)


def resists_filters(gaps: Sequence[float]) -> Finding:
    """Judge: chaotic noise resists filters better than plain noise.

    `gaps` are the shares of the error that filters take off plain noise, less what they take off
    chaotic noise.
    """
    told = (
        f"filters take {min(gaps):+.3f} to {max(gaps):+.3f} more off plain noise than off chaotic "
        "noise"
    )
    return Finding(overall(WON if gap > EQUAL_FILTERS else LOST for gap in gaps), told)


def keeps_centres(ratios: Sequence[float]) -> Finding:
    """Judge: chaotic noise keeps centres as well as plain noise; its error in that of the other."""
    told = (
        f"they move {min(ratios):.2f} to {max(ratios):.2f} times as far as under plain noise of "
        "the same variance: medians of 12 draws"
    )
    return Finding(overall(WON if each < 1 + EQUAL_CENTRES else LOST for each in ratios), told)
