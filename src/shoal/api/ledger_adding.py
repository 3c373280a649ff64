"""Adding to a ledger: a release that was made without one, with its original.

A release does not tell whose its rows are. So it is made once more, from its original, its recipe
and the seed in its private certificate; the rows must come out the same.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from shoal.adapters import files
from shoal.adapters.certificates import certificate_places, public_of, recipe_beside, trees_beside
from shoal.adapters.ledgers import LedgerFile
from shoal.adapters.ledgers.entries import Entry
from shoal.adapters.ledgers.ledger_file import EVERYBODY
from shoal.adapters.tables import everyone
from shoal.api.engines import engine_for, origin_of
from shoal.api.ledgers import OpenLedger
from shoal.engines.local.members import unnamed_people
from shoal.errors import DataError, PrivacyNotMet, RecipeError
from shoal.flows import groups
from shoal.flows.port import Outcome
from shoal.ledger.across import EarlierReleases
from shoal.recipe import Recipe
from shoal.review.certificate_format import GroupsCertificate
from shoal.review.fingerprint import fingerprint


class _Seeded(msgspec.Struct):
    """A private certificate, as far as a release is made again by it."""

    seed: int


def add_release(
    ledger: str | Path,
    release: str | Path,
    original: str | Path,
    *,
    told_by: str | None = None,
    certificate: str | Path | None = None,
    recipient: str | None = None,
) -> Entry:
    """Write down a release that was made without a ledger; refuse one that is there already.

    `told_by` names the column that tells people apart, where the recipe does not.
    """
    opened = LedgerFile.open(ledger)
    public_place, private_place = certificate_places(release, certificate)
    stated = public_of(public_place)
    if not isinstance(stated, GroupsCertificate):
        raise RecipeError("a ledger holds releases in groups", remedy="add another release")
    if fingerprint(files.read(Path(release), typed=False)) != stated.hash:
        raise PrivacyNotMet(
            "the release does not hold the rows of its certificate",
            {"the ledger": "as it was"},
            "name the certificate that belongs to it",
        )
    given = {} if told_by is None else {"person": told_by}
    recipe = recipe_beside(stated, given, trees_beside(stated, release, public_place))
    if recipe.person is None:
        raise unnamed_people()
    recipe = msgspec.structs.replace(recipe, seed=_seed(private_place))
    whom = recipient or EVERYBODY
    across = EarlierReleases("measure", opened.past(whom), opened.hashed)
    outcome = _made_again(original, recipe, across)
    if outcome.certificate.public.hash != stated.hash:
        raise PrivacyNotMet(
            "the original and the recipe give other rows than this release",
            {"the ledger": "as it was"},
            "name the table that it was made of, and use the version of Shoal that made it",
        )
    open_ledger = OpenLedger(opened, across, whom)
    open_ledger.refuse_twice(outcome, recipe)
    with open_ledger.recorded(outcome, recipe) as recording:
        recording.pending(release, Path(release))
    assert recording.entry is not None
    return recording.entry


def _made_again(original: str | Path, recipe: Recipe, across: EarlierReleases) -> Outcome:
    """Carry the recipe out once more."""
    engine = engine_for(original)
    origin = origin_of(original, None, engine)
    return groups.run(
        origin.table, recipe, engine, population=everyone(recipe.population), across=across
    )


def _seed(private: Path) -> int:
    """Read the seed of a release from its private certificate."""
    try:
        return msgspec.json.decode(private.read_bytes(), type=_Seeded).seed
    except (OSError, msgspec.DecodeError):
        raise DataError(
            f"the private certificate of the release can't be read: '{private}'",
            {"why": "its seed tells whose row is whose, as the release does not"},
            "put it beside the release",
        ) from None
