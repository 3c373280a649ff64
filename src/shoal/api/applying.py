"""`apply`: a new table, published by the groups that a ledger knows; no group is made anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.adapters.ledgers import LedgerFile
from shoal.adapters.ledgers.ledger_file import EVERYBODY
from shoal.adapters.progress import progress_of
from shoal.adapters.signing import Signer
from shoal.adapters.workbooks.reading import refuse_failures
from shoal.api.anonymizing import carried_out
from shoal.api.engines import engine_for, origin_of
from shoal.api.ledgers import OpenLedger
from shoal.api.release import Release
from shoal.errors import DataError, RecipeError, warn_each
from shoal.flows.clock import Stage
from shoal.ledger.across import EarlierReleases, Leavers
from shoal.recipe import Recipe


def apply(
    ledger: str | Path,
    people: Any,
    *,
    leavers: Leavers = "withdraw",
    recipient: str | None = None,
    sign: str | Path | Signer | None = None,
    progress: Stage | None = None,
) -> Release:
    """Publish a new table by the groups of the last release in a ledger, with its recipe.

    Rows of people who are known take the box of their group, which may only become wider. Newcomers
    take an old box where k of them fit into it, and wait otherwise: they are counted, never
    published.

    Args:
        ledger: The ledger of these people.
        people: The new table, as for `anonymize`; it has the columns of the last one.
        leavers: Groups of which too few people are in the table: `withdraw` leaves them out of this
            release, `keep` publishes them as they were.
        recipient: Who gets the release, where the ledger says that some never compare.
        sign: A private key, or its file: the release is signed when it is written.
        progress: Called with the name of each stage.

    Returns:
        The release; it is written down in the ledger when it is written, or by `record()`.

    Raises:
        shoal.errors.PrivacyNotMet: Nobody could be published, or people would be exposed.
        shoal.errors.DataError: The ledger or the table can't be used.

    Examples:
        >>> import tempfile
        >>> import pyarrow as pa
        >>> from shoal.api.anonymizing import anonymize
        >>> def month(last):
        ...     ages = [20 + number % 4 for number in range(last)]
        ...     return pa.table({"who": [f"p{number}" for number in range(last)], "age": ages})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ledger = f"{folder}/ward.ledger"
        ...     first = anonymize(month(40), quasi=["age"], person="who", k=5, ledger=ledger)
        ...     _ = first.record()
        ...     second = apply(ledger, month(43))
        >>> second.table.num_rows  # three newcomers are too few for a group, and wait
        40
    """
    if leavers not in ("keep", "withdraw"):
        raise RecipeError("leavers are kept or withdrawn", {"leavers": "keep or withdraw"})
    opened = LedgerFile.open(ledger)
    whom = recipient or EVERYBODY
    asked = last_recipe(opened, whom)
    engine = engine_for(people)
    signer = Signer.of(sign)
    past = opened.past(whom)
    across = EarlierReleases("sticky", past, opened.hashed, leavers=leavers, joins=True)
    origin = origin_of(people, None, engine)
    refuse_failures(origin.manner, [*asked.quasi, *asked.roles.beside], asked.na)
    with progress_of(progress) as stage:
        made = carried_out(asked, engine, origin, asked.population, stage, {"across": across})
    release = replace(
        made, signer=signer, manner=origin.manner, ledger=OpenLedger(opened, across, whom)
    )
    warn_each(release.notices)
    return release


def last_recipe(ledger: LedgerFile, recipient: str) -> Recipe:
    """Return the recipe of the last release that a recipient may compare; refuse where none is."""
    listed = ledger.compared(recipient)
    if not listed:
        problem = f"ledger '{ledger.place}' holds no release yet"
        raise DataError(problem, remedy="publish a first table with it (shoal anonymize)")
    recipe = listed[-1].entry.says.get("recipe")
    if recipe is None:
        problem = f"{listed[-1].called} was written down without its recipe"
        raise DataError(problem, remedy="publish once more with sticky groups (shoal anonymize)")
    return Recipe.of(**recipe)
