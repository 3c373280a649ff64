"""Audit screen: whether a table is safe enough, in one line, and what a person's row gives away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.groups import Note
from shoal.review.release_summary import guesses_said
from shoal.screen import MOST_BARS, Bar, Chart, Screen, listed, one_in, percent, stand_alone
from shoal.wording import Sentence, Set

if TYPE_CHECKING:
    from shoal.review.audit import Audit

USUAL_K = 5
NAMED = 3  # requirements and columns that are named in a line


def screen_of(audited: Audit) -> Screen:
    """Say what an audit found, the answer first."""
    facts = tuple(_facts(audited))
    return Screen(verdict_of(audited), facts, _chart(audited), audited.notices, sure=len(facts))


def verdict_of(audited: Audit) -> Sentence:
    """Say in one line whether a table is as safe as was required, or how safe it is."""
    if audited.unmet:
        unmet = "; ".join(failure.problem for failure in audited.unmet[:NAMED])
        count = f"{len(audited.unmet)} of {max(len(audited.required), len(audited.unmet))}"
        return Sentence(f"NOT safe enough: {count} requirements not met: {unmet}.")
    if audited.required:
        met = listed(audited.required, NAMED)
        verdict = "as required, but" if audited.k == 1 else "safe enough"
        return Sentence(f"{verdict}: {_found(audited)}. Required and met: {met}.")
    if audited.k == 1:
        return Sentence(f"NOT safe: {_found(audited)}.")
    usual = Set("require", [f"k={USUAL_K}"])
    alike = f"every row looks like at least {audited.k - 1:,} other{'s' * (audited.k > 2)}"
    return Sentence(f"{_found(audited)}: {alike}. Nothing was required (", usual, ").")


def notices_of(audited: Audit) -> tuple[Note, ...]:
    """Warn about sensitive columns that a whole group shares: finding someone tells the value."""
    fewest = audited.models.get("l-diversity", {})
    told = [name for name, value in fewest.items() if name and value == 1 and audited.k > 1]
    if not told:
        return ()
    whose = listed([f"'{name}'" for name in told], NAMED)
    words = f"in some groups everyone has the same {whose}: who is found there has it too"
    remedy = Set("models", ["l-diversity:l=2"])
    return (Note("leak", Sentence(words, "; when it is anonymized, ask for ", remedy)),)


def _found(audited: Audit) -> str:
    alone = audited.risks.get("sample-uniqueness")
    if audited.k == 1 and isinstance(alone, int | float):
        return f"{stand_alone(alone)}: whoever knows these columns finds them for certain"
    return f"nobody is found with a chance above {one_in(1 / audited.k)}"


def _facts(audited: Audit) -> Iterator[tuple[str, str]]:
    groups = f"{audited.groups:,} group{'s' * (audited.groups != 1)}"
    yield "this table", f"{audited.rows:,} rows in {groups} that look alike; k = {audited.k:,}"
    average = audited.risks.get("average-prosecutor-risk")
    if isinstance(average, float) and audited.k > 1:
        worst = one_in(1 / audited.k)
        yield "finding a person", f"{one_in(average)} on average, {worst} at worst"
    yield from guesses_said(audited.risks)[:NAMED]
    if audited.k > 1:
        yield from _variety(audited)
    few = [f"{rows:,} with {size}" for size, rows in audited.special.items() if rows]
    if few:
        yield "few columns do", f"rows that stand alone by a number of columns: {', '.join(few)}"
    if audited.kept is not None:
        names = listed(audited.kept.columns, NAMED)
        yield "kept columns", f"at least {audited.kept.k:,} rows share each combination of {names}"
    if audited.wildcard is not None:
        fits = f"a row has at least {audited.wildcard.k:,} like it"
        yield "missing fits all", fits


def _variety(audited: Audit) -> Iterator[tuple[str, str]]:
    """Say how many different sensitive values the poorest group holds."""
    fewest = {name: value for name, value in audited.models.get("l-diversity", {}).items() if name}
    counted = [f"{value:.0f} of '{name}'" for name, value in fewest.items() if value is not None]
    if counted:
        yield "different values", f"at least {listed(counted, NAMED)} in each group"


def _chart(audited: Audit) -> Chart | None:
    """Draw the share of rows that a column singles out by itself, where one does."""
    ranked = sorted(audited.columns.items(), key=lambda item: -item[1].alone)[:MOST_BARS]
    bars = [
        Bar(name, (0.0, 0.0, column.alone), (percent(column.alone),))
        for name, column in ranked
        if column.alone > 0
    ]
    return Chart("singles out by itself", ("rows alone",), tuple(bars)) if bars else None
