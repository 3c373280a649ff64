"""Perturbation: a perturbed table against its certificate, later and elsewhere."""

from __future__ import annotations

import pyarrow as pa

from shoal.review.certificate_check import Item, Verification
from shoal.review.certificate_format import DistortionCertificate
from shoal.review.fingerprint import fingerprint
from shoal.wording import FILE, Call, Sentence, Set


def verify(table: pa.Table, said: DistortionCertificate) -> Verification:
    """Rows, columns and hash are recounted; what attacks found needs the original, and the noise
    can't be seen at all.
    """
    columns = said.columns
    names = [*columns.perturbed, *columns.constant, *columns.as_they_were]
    marked = (
        (_item("hash", said.hash, fingerprint(table)),)
        if said.hash
        else (Item("hash", "not checkable", None),)
    )
    return Verification(
        (
            _item("rows", said.rows, table.num_rows),
            _item("columns", sorted(names), sorted(table.column_names)),
            *marked,
            Item("method", "stated", said.method),
            Item("rounded", "stated", said.rounded),
            Item("shuffled", "stated", said.shuffled),
            Item(
                "attacks",
                "not checkable",
                len(said.attacks),
                note=Sentence("with ", Call("attack", (Set("original", FILE),))),
            ),
        )
    )


def _item(what: str, told: object, found: object) -> Item:
    return Item(what, "recounted" if told == found else "differs", told, found)
