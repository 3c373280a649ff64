"""Verification: a release against its certificate, later and elsewhere; each item recounted, stated, or not checkable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
import pyarrow as pa

from shoal.declare.roles import Roles
from shoal.errors import DataError, PrivacyNotMet
from shoal.groups import Groups
from shoal.privacy.model import Model
from shoal.privacy.promises import Promises, Sensitive
from shoal.review.certificate import FORMAT, finite, models_measured, not_promised, rounded
from shoal.review.fingerprint import fingerprint
from shoal.review.losses.published import Published, PublishedLoss
from shoal.review.recount import coded, recount
from shoal.review.risks.risk import Risk
from shoal.review.verify import quasi_columns

ROLES = {"quasi": "quasi", "sensitive": "sensitive", "kept": "keep"}  # in a certificate, in a recipe
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


class _Shape(msgspec.Struct):
    """What a public certificate holds; more may be there."""

    rows: int
    groups: int
    k: int
    withheld: int
    hash: str
    shoal: str
    models: list[dict[str, Any]]
    losses: dict[str, float | None]
    risks: dict[str, float | None]
    columns: dict[str, list[str]]
    recipe: dict[str, Any]


def check_shape(certificate: Mapping[str, Any]) -> None:
    """Refuse what is no certificate, or one of another time."""
    if certificate.get("format", FORMAT) != FORMAT:
        raise DataError("this format of certificate is not known here", {"known": FORMAT}, "update shoal")
    try:
        shape = msgspec.convert(certificate, _Shape)
    except msgspec.ValidationError as wrong:
        raise DataError("this is not the public certificate of a release", {"reason": str(wrong)}) from None
    if shape.withheld < 0 or shape.withheld != rounded(shape.withheld):
        raise PrivacyNotMet("the number of withheld rows in this certificate can't be true")


def check(
    table: pa.Table,
    certificate: Mapping[str, Any],
    roles: Roles,
    models: Sequence[Model],
    risks: Mapping[str, Risk],
    losses: Mapping[str, PublishedLoss],
    view: Published | None,
    original_rows: int | None = None,
) -> Verification:
    """Recount what a certificate says, by the roles and models of its recipe. `view` is None without the hierarchies."""
    quasi, beside = quasi_columns(table, roles.quasi), (*roles.sensitive, *roles.keep)
    lacking = [name for name in roles.sensitive if name not in table.column_names]
    if lacking:
        facts = {"lacking": ", ".join(map(repr, lacking))}
        raise PrivacyNotMet("the release lacks columns that its certificate names", facts)
    groups = recount([table[name].combine_chunks() for name in quasi])
    sensitive = tuple(Sensitive(name, *coded(table[name].combine_chunks())) for name in roles.sensitive)
    promises = Promises(tuple(models), sensitive)
    columns = certificate["columns"]
    items = [
        _same("rows", certificate["rows"], table.num_rows),
        _same("groups", certificate["groups"], groups.count),
        _same("k", certificate["k"], int(groups.sizes.min(initial=table.num_rows))),
        _same("hash of the rows", certificate["hash"], fingerprint(table)),
        _same("published columns", [*quasi, *beside], table.column_names),
        _same("roles", [columns.get(role) for role in ROLES], [list(getattr(roles, name)) for name in ROLES.values()]),
        *_promised(certificate, promises, groups),
        *_figures(certificate["risks"], risks, groups),
        *_losses(certificate, losses, view),
        _withheld(certificate, table.num_rows, original_rows),
        *(Item(what, "stated", certificate[key]) for what, key in (("version of Shoal", "shoal"), ("recipe", "recipe"))),
        _same("what is not promised", certificate.get("not promised"), not_promised(certificate["recipe"])),
        Item("dropped columns", "stated", columns.get("dropped")),
    ]
    return Verification(tuple(items))


def _same(what: str, stated: Any, found: Any) -> Item:
    if isinstance(stated, float | int) and isinstance(found, float | int):
        equal = math.isclose(stated, found, rel_tol=1e-9, abs_tol=1e-12)
    else:
        equal = stated == found
    return Item(what, "recounted" if equal else "differs", stated, found)


def _promised(certificate: Mapping[str, Any], promises: Promises, groups: Groups) -> list[Item]:
    """Every model of the recipe: the same as stated, kept by all groups, and measured as stated."""
    broken = [(verdict.model, verdict.column) for verdict in promises.broken(groups)]
    found = models_measured(promises, groups)
    items = [_same("models", len(certificate["models"]), len(found))]
    for stated, (model, column, _), entry in zip(certificate["models"], promises.measured(groups), found, strict=False):
        what = model.name + (f" of '{column}'" if column else "")
        kept = (model, column) not in broken
        promised = {**stated, "measured": None} == msgspec.to_builtins({**entry, "measured": None})
        item = _same(what, stated.get("measured"), entry["measured"])
        note = "the promise is broken" if not kept else "" if promised else "it is not what the recipe promises"
        items.append(item if kept and promised else Item(what, "differs", item.stated, item.found, note))
    return items


def _losses(certificate: Mapping[str, Any], losses: Mapping[str, PublishedLoss], view: Published | None) -> list[Item]:
    stated = certificate["losses"]
    if view is None:
        note = "not checkable without the hierarchies (--hierarchies DIR)"
        return [Item(name, "not checkable", value, note=note) for name, value in stated.items()]
    return _figures(stated, losses, view)


def _figures(stated: Mapping[str, Any], known: Mapping[str, Any], of: Any) -> list[Item]:
    """Figures measured again; those of a metric that is not known here can't be, and none may be left out."""
    lacking = [Item(name, "differs", None, note="the certificate leaves it out") for name in known if name not in stated]
    return lacking + [
        _same(name, value, finite(known[name].measure(of)))
        if name in known
        else Item(name, "not checkable", value, note="not checkable without a version of Shoal that knows it")
        for name, value in stated.items()
    ]


def _withheld(certificate: Mapping[str, Any], rows: int, original_rows: int | None) -> Item:
    if original_rows is None:
        return Item("withheld rows", "not checkable", certificate["withheld"], note="not checkable without --original")
    return _same("withheld rows", certificate["withheld"], rounded(original_rows - rows))
