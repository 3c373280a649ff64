"""Certified: the two parts of the certificate of a release of groups, built in one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal import registry
from shoal.attacks.attacking import Findings
from shoal.declare.hierarchies.file import File
from shoal.flows.port import Grouped, Looked, Measured, Recounted, Request
from shoal.recipe import Recipe, hierarchy_of
from shoal.review.certificate import Certificate, public_counts, rounded
from shoal.review.risks.risk import Figure

Risks = Mapping[str, Mapping[str, Figure]]


@dataclass(frozen=True)
class Figures:
    """What was measured of a release, beside what was counted."""

    losses: Mapping[str, float | None]
    """Losses of the cells as printed."""
    risks: Risks
    """Every risk by its name, `before` and `after`."""
    findings: Findings
    """What the attacks found that had their turn."""


def certificate_of(
    request: Request,
    table: Looked,
    groups: Grouped,
    counted: Recounted,
    measured: Measured,
    figures: Figures,
) -> Certificate:
    """Build the certificate of a release, for every engine."""
    public = public_of(request, table, groups, counted, figures)
    return Certificate(public, private_of(request, table, groups, measured, figures))


def public_of(
    request: Request, table: Looked, groups: Grouped, counted: Recounted, figures: Figures
) -> dict[str, Any]:
    """State what anyone can recount from the release, the recipe and the hierarchies.

    That the attacks had their turn is stated, too.
    """
    public = public_counts(
        counted.rows,
        public_recipe(request.recipe),
        counted.groups,
        counted.models,
        figures.losses,
        figures.risks["after"],
        counted.hash,
        columns=columns_of(table.names, request.recipe),
        withheld=rounded(groups.withheld),
        version=registry.version(),
        weighed=request.weighed,
    )
    return public | {"attacks": stated(figures.findings)}


def private_of(
    request: Request, table: Looked, groups: Grouped, measured: Measured, figures: Figures
) -> dict[str, Any]:
    """State what only the maker should know; what an engine does not measure is not there."""
    different = {} if measured.different is None else {"different rows": measured.different}
    before = {} if table.before is None else {"risks before": dict(figures.risks["before"])}
    return {
        "seed": request.seed,
        "rows in": table.rows,
        "withheld": groups.withheld,
        **different,
        "losses": dict(measured.losses),
        **before,
        "notes": [*groups.notes, *measured.notes],
        "group sizes": {str(size): number for size, number in groups.sizes.items()},
        "bound": measured.bound,
    }


def stated(findings: Findings) -> list[dict[str, Any]]:
    """List the figures of every attack that was possible."""
    return [finding.stated() for finding in findings.all if finding.trials]


def columns_of(names: Sequence[str], recipe: Recipe) -> dict[str, tuple[str, ...]]:
    """Tell which column became what, for the public certificate."""
    dropped = (*recipe.roles.identifiers, *recipe.roles.without_role(names))
    return {
        "quasi": recipe.quasi,
        "sensitive": recipe.sensitive,
        "kept": recipe.keep,
        "weight": recipe.roles.weight,
        "dropped": dropped,
        "kept by force": recipe.force_keep,
    }


def public_recipe(recipe: Recipe) -> dict[str, Any]:
    """Give the recipe as it may be published: no seed, and hierarchy files by their name alone."""
    asked = recipe.as_dict()
    asked.pop("seed", None)
    if isinstance(recipe.population, str):
        asked["population"] = _file_name(recipe.population)
    named = dict(recipe.hierarchies)
    for name, spec in named.items():
        hierarchy = hierarchy_of(spec)
        if isinstance(hierarchy, File):
            named[name] = _file_name(hierarchy.path)
    return {**asked, "hierarchies": named}


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]
