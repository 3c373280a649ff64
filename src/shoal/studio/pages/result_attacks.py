"""Attacks: spells out what an attacker gains, and holds it against what was promised.

Attacks without a gain are named in one line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from shoal import registry
from shoal.attacks.attack import LIMIT, Attack
from shoal.screen import fine_percent, one_in
from shoal.studio.desk import Desk
from shoal.studio.desk_items import StudioRun
from shoal.studio.pages.charts import chart, lying
from shoal.studio.pages.result_further import Further
from shoal.studio.pages.result_panels import facts_of
from shoal.studio.words import untyped

NOTHING = 0.0005  # less than three digits show
MEANT = (
    "Attacks by someone who knows everyone's quasi-identifiers exactly, beside the same guess "
    "without the release. Gained is the share of the guesses that would have been wrong without "
    "the release and are right with it: 0 % is nothing, 100 % is all."
)
Found = Mapping[str, Any]
Kept = Callable[[Found], str]


def attacks(desk: Desk, runs: Sequence[StudioRun]) -> None:
    """Show the attacks that every release goes through, and a button for all there are."""
    ui.label(MEANT).classes("faint")
    for run in runs:
        with ui.element("div").classes("paper"):
            ui.label(f"{run.title}: tried before it was published").classes("side-title")
            facts = facts_of(run)
            kept = partial(within, run.recipe.k, facts.get("link"))
            _gained(facts["attacks"], kept)
            Further(
                desk, run, "attack", "Try every attack", partial(_every_attack, kept), dict
            ).show()


def _every_attack(kept: Kept, result: Mapping[str, Any]) -> None:
    tried = [one for one in result["attacks"] if one["trials"]]
    verdict = "withstands" if result["holds"] else "does not withstand"
    look = "good" if result["holds"] else "bad"
    words = f"The release {verdict} the attacks that count: {len(tried)} were tried."
    ui.label(words).classes(look)
    _gained(tried, kept)
    for one in result["attacks"]:
        if not one["trials"]:
            ui.label(f"{one['name']}: {one['words']}").classes("faint")


def _gained(findings: Sequence[Found], kept: Kept) -> None:
    """Draw what attacks gained, the largest gain first."""
    if not findings:
        ui.label("None applies to this release.").classes("faint")
        return
    gains = [one for one in findings if _advantage(one) >= NOTHING]
    told = sorted(gains, key=lambda one: -_advantage(one))
    if told:
        series = {
            "without the release": [one["control"] for one in told],
            "with it": [one["attack"] for one in told],
        }
        what = "Share of right guesses without and with the release"
        chart(lying([called(one) for one in told], series), 60 + 40 * len(told), what)
    for one in told:
        _told(one, kept)
    nothing = [called(one) for one in findings if _advantage(one) < NOTHING]
    if nothing:
        words = f"Nothing was gained by {len(nothing)} of {len(findings)}: {', '.join(nothing)}."
        ui.label(words).classes("told faint")


def _told(one: Found, kept: Kept) -> None:
    with ui.element("div").classes("told").props('data-testid="attack"'):
        ui.label(called(one)).classes("side-title")
        ui.label(one["meaning"])
        ui.label(one["words"]).classes("bad" if one.get("refuses") else "faint")
        if not one.get("refuses") and (said := kept(one)):
            ui.label(said)
        elif _advantage(one) > LIMIT:
            stops = untyped(registry.names(Attack)[one["name"]].stops_it)
            with ui.element("div").classes("choices"):
                ui.label(f"What would stop it: {stops}").classes("warn")
                ui.link("Ask for it", "/protection")


def called(one: Found) -> str:
    """Name an attack, and the column that it is about."""
    return str(one["name"]) + (f" of {one['column']}" if one["column"] else "")


def within(k: int, link: Found | None, one: Found) -> str:
    """Say what is promised against an attack that looks for rows.

    Where each row has a box of its own, some links are likelier than others.

    >>> within(5, {"largest": 0.445}, {"gates": True, "column": None})
    'That is the mean over people: the likeliest link of a person and a row has a chance of 44.5 %.'
    """
    promised = conceded(one, k)
    if not promised or (link and link["largest"] is None):
        return ""
    if link:
        return (
            "That is the mean over people: the likeliest link of a person and a row has a chance "
            f"of {fine_percent(link['largest'])}."
        )
    return (
        f"That is within what k = {k:,} promises: nobody is found with a chance above "
        f"{one_in(promised)}."
    )


def conceded(one: Found, k: int) -> float:
    """Return the chance of success that k itself allows; a release on this page has kept it.

    >>> conceded({"gates": True, "column": None}, 5), conceded({"gates": True, "column": "ill"}, 5)
    (0.2, 0.0)
    """
    known: float | None = one.get("conceded")
    if known is not None:
        return known
    return 1 / k if one["gates"] and not one["column"] else 0.0


def _advantage(one: Found) -> float:
    advantage: float = one["advantage"] or 0.0
    return advantage
