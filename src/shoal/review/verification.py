"""Verification: a release against its certificate, later and elsewhere; each item recounted, stated, or not checkable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from shoal.errors import DataError, PrivacyNotMet
from shoal.groups import Groups
from shoal.privacy.model import Model
from shoal.privacy.promises import Promises, Sensitive
from shoal.review.certificate import FORMAT, rounded
from shoal.review.fingerprint import fingerprint
from shoal.review.losses.published import Published, PublishedLoss
from shoal.review.recount import coded, recount
from shoal.review.risks.risk import Risk
from shoal.review.verify import quasi_columns

Status = Literal["recounted", "differs", "stated", "not checkable"]


@dataclass(frozen=True)
class Item:
    """One line of a certificate, and what became of it."""

    what: str
    status: Status
    stated: Any
    found: Any = None
    note: str = ""


@dataclass(frozen=True)
class Verification:
    """All items; `holds` where none differs."""

    items: tuple[Item, ...]

    @property
    def holds(self) -> bool:
        """Whether everything that could be recounted agrees."""
        return all(item.status != "differs" for item in self.items)

    def require(self) -> Verification:
        """Itself, or a refusal that names what differs."""
        wrong = [item.what for item in self.items if item.status == "differs"]
        if wrong:
            raise PrivacyNotMet(
                f"the release does not match its certificate: {len(wrong)} of {len(self.items)} items differ",
                {"differ": ", ".join(wrong)},
                "ask whoever made the release for the pair that belongs together",
            )
        return self


def check(
    table: pa.Table,
    certificate: Mapping[str, Any],
    models: Sequence[Model],
    risks: Mapping[str, Risk],
    losses: Mapping[str, PublishedLoss],
    view: Published | None,
    original_rows: int | None = None,
) -> Verification:
    """Recount what a certificate says. `view` is None where the hierarchies are not at hand."""
    columns = _wanted(certificate, "columns")
    lacking = [name for name in columns["sensitive"] if name not in table.column_names]
    quasi = quasi_columns(table, columns["quasi"])
    if lacking or not quasi:
        missing = ", ".join(map(repr, lacking or columns["quasi"]))
        raise PrivacyNotMet("the release lacks columns that its certificate names", {"lacking": missing})
    groups = recount([table[name].combine_chunks() for name in quasi])
    sensitive = tuple(Sensitive(name, *coded(table[name].combine_chunks())) for name in columns["sensitive"])
    items = [
        _same("rows", certificate["rows"], table.num_rows),
        _same("groups", certificate["groups"], groups.count),
        _same("k", certificate["k"], int(groups.sizes.min(initial=table.num_rows))),
        _same("hash of the rows", certificate["hash"], fingerprint(table)),
        _same("published columns", _expected(columns, certificate["recipe"], table), table.column_names),
        *_promised(certificate, Promises(tuple(models), sensitive), groups),
        *(_same(name, stated, risks[name].measure(groups)) for name, stated in certificate["risks"].items() if name in risks),
        *_losses(certificate, losses, view),
        _withheld(certificate, table.num_rows, original_rows),
        *(Item(what, "stated", certificate[key]) for what, key in (("version of Shoal", "shoal"), ("recipe", "recipe"))),
        Item("dropped columns", "stated", columns["dropped"]),
    ]
    return Verification(tuple(items))


def _wanted(certificate: Mapping[str, Any], key: str) -> Any:
    needed = ("format", "rows", "groups", "k", "hash", "columns", "models", "losses", "risks", "recipe", "shoal", "withheld")
    lacking = [name for name in needed if name not in certificate]
    if lacking:
        raise DataError("this is not the public certificate of a release", {"lacking": ", ".join(lacking)})
    if certificate["format"] != FORMAT:
        raise DataError(f"certificate format {certificate['format']} is not known here", {"known": FORMAT}, "update shoal")
    return certificate[key]


def _same(what: str, stated: Any, found: Any) -> Item:
    if isinstance(stated, float | int) and isinstance(found, float | int):
        equal = math.isclose(stated, found, rel_tol=1e-9, abs_tol=1e-12)
    else:
        equal = stated == found
    return Item(what, "recounted" if equal else "differs", stated, found)


def _promised(certificate: Mapping[str, Any], promises: Promises, groups: Groups) -> list[Item]:
    """Every model: kept by all groups, and measured as stated."""
    broken = {(verdict.model.name, verdict.column) for verdict in promises.broken(groups)}
    stated = {(entry["model"], entry["column"]): entry["measured"] for entry in certificate["models"]}
    items = []
    for model, column, found in promises.measured(groups):
        what = model.name + (f" of '{column}'" if column else "")
        item = _same(what, stated.get((model.name, column)), found)
        kept = (model.name, column) not in broken
        items.append(item if kept else Item(what, "differs", item.stated, found, "the promise is broken"))
    return items


def _losses(certificate: Mapping[str, Any], losses: Mapping[str, PublishedLoss], view: Published | None) -> list[Item]:
    stated = certificate["losses"]
    if view is None:
        note = "not checkable without the hierarchies (--hierarchies DIR)"
        return [Item(name, "not checkable", value, note=note) for name, value in stated.items()]
    return [_same(name, value, losses[name].measure(view)) for name, value in stated.items() if name in losses]


def _withheld(certificate: Mapping[str, Any], rows: int, original_rows: int | None) -> Item:
    if original_rows is None:
        return Item("withheld rows", "not checkable", certificate["withheld"], note="not checkable without --original")
    return _same("withheld rows", certificate["withheld"], rounded(original_rows - rows))


def _expected(columns: Mapping[str, Sequence[str]], recipe: Mapping[str, Any], table: pa.Table) -> list[str]:
    """The columns that a release of this recipe has, in their order."""
    return [*quasi_columns(table, columns["quasi"]), *columns["sensitive"], *columns["kept"]]
