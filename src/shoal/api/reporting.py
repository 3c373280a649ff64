"""Reports of a release: two forms, and the files that they become."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from shoal import registry
from shoal.attacks.attack import Attack
from shoal.errors import RecipeError
from shoal.overlap.overlap import Overlap
from shoal.partition.method import Method
from shoal.privacy.model import Model
from shoal.recipe import Recipe, options_of
from shoal.recode.recoder import Recoder
from shoal.review.losses.loss import Loss
from shoal.review.losses.published import PublishedLoss
from shoal.review.report.facts import Facts, Glossary, Meaning, Settings, internal, public
from shoal.review.report.html import as_html
from shoal.review.report.markdown import as_markdown
from shoal.review.report.sections import report_of
from shoal.review.risks.risk import Risk
from shoal.wording import Option, Sentence

if TYPE_CHECKING:
    from shoal.api.release import Release

WRITERS = {".html": as_html, ".htm": as_html, ".md": as_markdown, ".markdown": as_markdown}


def report_places(place: str | Path | None) -> tuple[Path, ...]:
    """Return the places of the report for its maker and, beside it, of the public one.

    These are `report.html` and `report.public.html`, say.
    """
    if place is None:
        return ()
    path = Path(place)
    if path.suffix.lower() not in WRITERS:
        raise RecipeError(
            f"a report can't be written as '{path.name}'", remedy="a name that ends in .html or .md"
        )
    return path, path.with_name(f"{path.stem}.public{path.suffix}")


def absent() -> RecipeError:
    """The refusal where the rows are not in memory."""
    return RecipeError(
        "a report needs the whole table in memory",
        remedy=Sentence("leave out ", Option("memory"), " or ", Option("report")),
    )


def internal_report(release: Release, place: str | Path) -> str:
    """The form for its maker alone, as the name of its file asks."""
    return _written(_signed(facts_of(release), release), place)


def facts_of(release: Release) -> Facts:
    """All that is known of a release, for its maker alone."""
    return internal(
        _rows(release),
        release.axes,
        release.certificate,
        release.losses,
        release.risks,
        release.notices,
        _glossary(),
    )


def public_report(release: Release, place: str | Path) -> str:
    """The form for everyone, from the published table and the public certificate alone."""
    told = public(_rows(release), release.certificate.public, _glossary())
    return _written(_signed(told, release), place)


def _signed(facts: Facts, release: Release) -> Facts:
    """Add the name of the key with which the release is signed, if it is."""
    return replace(facts, signed_by=release.signer.key_id if release.signer else None)


def _rows(release: Release) -> pa.Table:
    """Give the published rows, where they stand in memory."""
    if not isinstance(release.outcome.table, pa.Table):
        raise absent()
    return release.published


def _written(facts: Facts, place: str | Path) -> str:
    return WRITERS[report_places(place)[0].suffix.lower()](report_of(facts, _settings()))


def _settings() -> Settings:
    """Every option of a recipe in one sentence; columns and hierarchies are shown elsewhere."""
    settings: dict[str, str | None] = {}
    for name, option in options_of(Recipe).items():
        said = option.help if option.reported is None else option.reported
        shown_elsewhere = option.form == "columns" or not option.section
        settings[name] = None if shown_elsewhere else said
    return settings


def _glossary() -> Glossary:
    """Every figure of a report and every part of a recipe by name, in one sentence."""
    kinds = (Loss, PublishedLoss, Risk, Attack, Model, Method, Overlap, Recoder)
    plugins = (item for kind in kinds for item in registry.names(kind).items())
    return {
        name: Meaning(registry.summary(plugin), getattr(plugin, "question", ""))
        for name, plugin in plugins
    }
