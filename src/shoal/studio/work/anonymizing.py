"""Anonymizing: carries a recipe out on the desk's table, and writes what the result page shows.

In the folder of its run, each whole:

    handed/        the release and its papers, public and private          (handover/folder)
    after.arrow    what became of each input row, in input order: for the maker's eyes alone
                   (handover/before_after); the release itself, where rows have boxes of their own
                   and nobody knows what became of which
    marks.arrow    which of those cells changed
    prepared       what a ledger is to keep of the release once it is handed over, where one is
                   asked for: a run is no publication yet
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from shoal import api
from shoal.errors import notices_shown_by_door
from shoal.handover.before_after import Aligned, aligned
from shoal.handover.figures import told
from shoal.handover.folder import handed
from shoal.recipe import Recipe
from shoal.review.across_releases import AcrossReleases
from shoal.studio.ledger_choice import LedgerChoice
from shoal.studio.words import untyped
from shoal.studio.work.inspecting import opened
from shoal.studio.work.telling import Tell

WITHHELD = "(withheld)"
PREPARED = "prepared"
RELEASE = "released.parquet"


def do(
    tell: Tell,
    table: str,
    recipe: Mapping[str, Any],
    folder: str,
    name: str,
    ledger: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Make a verified release in the folder of its run, whole or not at all.

    `facts` is what `told` tells of it.
    """
    people = opened(table)
    home = Path(folder)
    choice = LedgerChoice.of(ledger)
    beside_recipe = {} if choice is None else choice.asked()
    with notices_shown_by_door():
        release = api.anonymize(people, recipe=Recipe.of(**recipe), progress=tell, **beside_recipe)
    tell("comparing before and after")
    beside = aligned(release, people)
    facts = told(release, people, beside)
    facts["notices"] = [
        {"kind": note.kind, "text": untyped(note.words)} for note in release.notices
    ]
    laid_out(release.published if beside is None else _shown(beside), home / "after.arrow")
    if beside is not None:
        laid_out(pa.table(dict(beside.changed)), home / "marks.arrow")
    tell("writing")
    if release.ledger is not None:
        release.ledger.prepared(release.outcome, release.recipe).write(home / PREPARED)
        facts["together"] = msgspec.to_builtins(_together(release))
        release = replace(release, ledger=None)  # else writing its files would publish it
    handed(release, people, home / "handed", RELEASE)
    public = release.certificate.public
    return {"rows": public.rows, "k": public.k, "losses": dict(release.losses), "facts": facts}


def _together(release: api.Release) -> AcrossReleases:
    """Return what the release tells together with earlier ones."""
    crossed = release.outcome.crossed
    assert crossed is not None, "there is a ledger"
    return crossed.figures


def laid_out(table: pa.Table, path: Path) -> None:
    """Write a table as an Arrow file that can be mapped into memory."""
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def _shown(beside: Aligned) -> pa.Table:
    """Return the cells as the screen shows them: a withheld row says so."""
    withheld = pa.array(beside.withheld)
    texts = beside.texts
    return pa.table(
        {name: pc.if_else(withheld, WITHHELD, texts[name]) for name in texts.column_names}
    )
