"""Certified: the two parts of the certificate of a release of groups, built in one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from shoal import registry
from shoal.attacks.findings import Findings
from shoal.flows.attacked import had_their_turn
from shoal.flows.chosen_ladders import as_shown, ladder_notes
from shoal.flows.port import Grouped, Looked, Measured, Recounted, Request
from shoal.ledger.across import Crossed
from shoal.recipe import Recipe, hierarchy_of
from shoal.review.certificate import (
    PERSONS,
    UNMARKED,
    WEIGHTS,
    Certificate,
    not_promised,
    plain_risks,
)
from shoal.review.certificate_format import (
    GroupsCertificate,
    GroupsPrivate,
    PublishedColumns,
    StatedAttack,
)
from shoal.review.identifiers import stated as stated_warnings
from shoal.review.kept_risks import kept_together
from shoal.review.risks.risk import Figure

Risks = Mapping[str, Mapping[str, Figure]]


@dataclass(frozen=True)
class Figures:
    """Figures that were measured of a release, beside what was counted."""

    losses: Mapping[str, float | None]
    """Losses of the cells as printed, over the published rows."""
    charged: Mapping[str, float | None]
    """Losses of the cells as printed; withheld rows count in full."""
    risks: Risks
    """Every risk by its name, `before` and `after`."""
    findings: Findings
    """What the attacks found that had their turn."""
    crossed: Crossed | None = None
    """What the release tells together with earlier ones, where there is a ledger."""


@dataclass(frozen=True)
class PrintedFigures:
    """Figures that were measured of a release alone, as anyone can who has it."""

    losses: Mapping[str, float | None]
    risks: Mapping[str, Figure]


def certificate_of(
    request: Request,
    table: Looked,
    groups: Grouped,
    counted: Recounted,
    measured: Measured,
    figures: Figures,
) -> Certificate[GroupsCertificate, GroupsPrivate]:
    """Build the certificate of a release, for every engine."""
    printed = PrintedFigures(figures.losses, figures.risks["after"])
    public = public_of(request, table.names, counted, printed)
    if groups.counterfeits is not None:
        public = replace(public, counterfeits=list(groups.counterfeits))
    return Certificate(public, private_of(request, table, groups, measured, figures))


def public_of(
    request: Request, names: Sequence[str], counted: Recounted, printed: PrintedFigures
) -> GroupsCertificate:
    """State what anyone can recount from the release, the recipe and the hierarchies.

    Of the original it gets the names of its columns alone: tables with equal releases under equal
    recipes have equal public certificates, byte for byte.
    """
    recipe = public_recipe(as_shown(request, counted.view))
    unmarked = [UNMARKED] if counted.hash is None else []
    mode = UNSET if request.across is None else request.across.mode
    return GroupsCertificate(
        shoal=registry.version(),
        rows=counted.rows,
        groups=counted.groups.count,
        k=int(counted.groups.sizes.min(initial=counted.rows)),
        withheld_at_most=request.recipe.withhold,
        models=counted.models,
        losses=dict(printed.losses),
        risks=plain_risks(printed.risks),
        kept=kept_together(counted.kept, request.recipe.quasi, request.recipe.keep),
        columns=columns_of(names, request.recipe),
        recipe=recipe,
        hash=counted.hash,
        not_promised=[
            *not_promised(recipe, mode),
            *unmarked,
            *stated_warnings(counted.nearly_unique),
        ],
        persons=PERSONS if "person" in recipe else UNSET,
        people_from=WEIGHTS if request.weighed else UNSET,
        nested=True if request.plan.method.nests else UNSET,
        across=mode,
        attacks=had_their_turn(request.recipe),
    )


def private_of(
    request: Request, table: Looked, groups: Grouped, measured: Measured, figures: Figures
) -> GroupsPrivate:
    """State what only the maker should know; what an engine does not measure is not there."""
    before = UNSET if table.before is None else plain_risks(figures.risks["before"])
    return GroupsPrivate(
        seed=request.seed,
        rows_in=table.rows,
        withheld=groups.withheld,
        people=UNSET if groups.people is None else groups.people,
        different_rows=UNSET if measured.different is None else measured.different,
        losses=dict(measured.losses),
        printed_losses=dict(figures.charged),
        risks_before=before,
        notes=[str(note) for note in (*groups.notes, *measured.notes, *ladder_notes(request))],
        group_sizes={str(size): number for size, number in groups.sizes.items()},
        bound=measured.bound,
        attacks=stated(figures.findings),
        across=UNSET if figures.crossed is None else figures.crossed.figures,
    )


def stated(findings: Findings) -> list[StatedAttack]:
    """List the figures of every attack that was possible, for the private part."""
    return [StatedAttack(**finding.stated()) for finding in findings.all if finding.trials]


def columns_of(names: Sequence[str], recipe: Recipe) -> PublishedColumns:
    """Tell which column became what, for the public certificate."""
    dropped = (*recipe.roles.identifiers, *recipe.roles.without_role(names))
    return PublishedColumns(
        quasi=list(recipe.quasi),
        sensitive=list(recipe.sensitive),
        kept=list(recipe.keep),
        weight=list(recipe.roles.weight),
        dropped=list(dropped),
        kept_by_force=list(recipe.force_keep),
    )


def public_recipe(recipe: Recipe) -> dict[str, Any]:
    """Give the recipe as it may be published: no seed, and hierarchy files by their name alone.

    A hierarchy that is written down in the recipe (`nested`) is named by its kind: its leaves may
    be values that one person has, of which no cell of the release tells.
    """
    asked = recipe.as_dict()
    asked.pop("seed", None)
    if isinstance(recipe.population, str):
        asked["population"] = _file_name(recipe.population)
    if recipe.scheme is not None:
        asked["scheme"] = _file_name(recipe.scheme)
    named = dict(recipe.hierarchies)
    for name, spec in named.items():
        hierarchy = hierarchy_of(spec)
        if hierarchy is None:
            continue
        if hierarchy.file_path is not None:
            named[name] = _file_name(hierarchy.file_path)
        elif hierarchy.lists_values:
            named[name] = hierarchy.name
    return {**asked, "hierarchies": named}


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]
