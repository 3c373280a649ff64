"""Perturbation: a perturbed table against its certificate, later and elsewhere."""

from __future__ import annotations

import pyarrow as pa

from shoal.review.certificate_format_1 import DistortedColumns1, DistortionCertificate1
from shoal.review.certificate_reading import AnyDistortion
from shoal.review.fingerprint import fingerprint
from shoal.review.verdict import Item, Verification
from shoal.wording import FILE, Call, Sentence, Set


def verify(table: pa.Table, said: AnyDistortion) -> Verification:
    """Recount rows, columns and hash of a release that was perturbed.

    Attacks can be repeated with the original alone, and the noise can't be seen at all.
    """
    columns = said.columns
    constant = columns.constant if isinstance(columns, DistortedColumns1) else []
    names = [*columns.perturbed, *constant, *columns.as_they_were]
    again = Sentence("with ", Call("attack", (Set("original", FILE),)))
    items = (
        _item("rows", said.rows, table.num_rows),
        _item("columns", sorted(names), sorted(table.column_names)),
        _hash(said.hash, table),
        Item("version of Shoal", "stated", said.shoal or None),
        Item("method", "stated", said.method),
        Item("rounded", "stated", said.rounded),
        Item("shuffled", "stated", said.shuffled),
        Item("attacks", "not checkable", _attacks(said), note=again),
    )
    return Verification(items)


def _attacks(said: AnyDistortion) -> int | list[str]:
    """Return the names of the attacks that had their turn; of format 1 their number."""
    return len(said.attacks) if isinstance(said, DistortionCertificate1) else said.attacks


def _hash(stated: str | None, table: pa.Table) -> Item:
    if not stated:
        return Item("hash", "not checkable", None)
    return _item("hash", stated, fingerprint(table))


def _item(what: str, told: object, again: object) -> Item:
    return Item(what, "recounted" if told == again else "differs", told, again)
