"""Verification: a release against its certificate, later and elsewhere.

Each item is recounted, stated, or not checkable.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
import pyarrow as pa
from msgspec import UnsetType

from shoal.declare.roles import Roles
from shoal.errors import PrivacyNotMet
from shoal.groups import Groups
from shoal.privacy.model import Model
from shoal.privacy.promises import Others, Promises
from shoal.review.certificate import PERSONS, UNMARKED, models_measured, not_promised, rounded
from shoal.review.certificate_format import GroupsCertificate, StatedAttack
from shoal.review.fingerprint import fingerprint
from shoal.review.losses.published import PublishedLoss, PublishedView
from shoal.review.promised import Hierarchies, promised, quasi_columns
from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk, plain
from shoal.review.sources import behind
from shoal.review.weights import is_even
from shoal.wording import FILE, FOLDER, Call, Option, Sentence, Set

Status = Literal["recounted", "differs", "stated", "not checkable"]


@dataclass(frozen=True)
class Item:
    """One line of a certificate, and what became of it."""

    what: str
    status: Status
    stated: Any
    found: Any = None
    note: str = ""

    @classmethod
    def compared(cls, what: str, stated: Any, again: Any, *, same: bool) -> Item:
        """Return the item for a statement and what was counted again."""
        return cls(what, "recounted" if same else "differs", stated, again)


@dataclass(frozen=True)
class Verification:
    """All items; `holds` where none differs."""

    items: tuple[Item, ...]
    signed_by: str | None = None
    """The name of the key that signed the release, if its signature was checked and holds."""
    signature_unchecked: bool = False
    """Whether a signature is there that nobody checked, as no key was given."""

    @property
    def holds(self) -> bool:
        """Whether everything that could be recounted agrees."""
        return all(item.status != "differs" for item in self.items)

    def require(self) -> Verification:
        """Itself, or a refusal that names what differs."""
        wrong = [item.what for item in self.items if item.status == "differs"]
        if wrong:
            raise PrivacyNotMet(
                f"the release does not match its certificate: {len(wrong)} of {len(self.items)} "
                "items differ",
                {"differ": ", ".join(wrong)},
                "ask whoever made the release for the pair that belongs together",
            )
        return self


def refuse_untrue_withheld(certificate: GroupsCertificate) -> None:
    """Refuse a certificate whose number of withheld rows was never rounded as Shoal rounds it."""
    if certificate.withheld < 0 or certificate.withheld != rounded(certificate.withheld):
        raise PrivacyNotMet("the number of withheld rows in this certificate can't be true")


@dataclass(frozen=True, kw_only=True)
class RecountMeans:
    """Means to recount a certificate: its recipe's roles and models, the metrics, the material.

    `view` is None without the hierarchies, `look` gives what the release shows once its columns are
    known to be there.
    """

    roles: Roles
    models: Sequence[Model]
    others: Others
    risks: Mapping[str, Risk]
    losses: Mapping[str, PublishedLoss]
    hierarchies: Hierarchies
    view: PublishedView | None
    look: Callable[[], Exposure]
    original_rows: int | None


def check(table: pa.Table, certificate: GroupsCertificate, means: RecountMeans) -> Verification:
    """Recount what a certificate says, by the roles and models of its recipe."""
    roles = means.roles
    quasi = quasi_columns(table, roles.quasi)
    lacking = [name for name in (*roles.sensitive, *roles.weight) if name not in table.column_names]
    if lacking:
        facts = {"lacking": ", ".join(map(repr, lacking))}
        raise PrivacyNotMet("the release lacks columns that its certificate names", facts)
    seen = means.look()
    groups, promises = promised(
        table,
        roles.quasi,
        roles.sensitive,
        means.models,
        hierarchies=means.hierarchies,
        others=means.others,
        people=behind(seen),
    )
    columns = certificate.columns
    items = [
        _same("rows", certificate.rows, table.num_rows),
        _same("groups", certificate.groups, groups.count),
        _same("k", certificate.k, int(groups.sizes.min(initial=table.num_rows))),
        _marked(certificate.hash, table),
        _same("published columns", [*quasi, *roles.beside], table.column_names),
        _same(
            "roles",
            [columns.quasi, columns.sensitive, columns.kept, columns.weight],
            [list(names) for names in (roles.quasi, roles.sensitive, roles.keep, roles.weight)],
        ),
        *_promised(certificate, promises, groups),
        *_risks(certificate.risks, means.risks, seen),
        *_losses(certificate, means.losses, means.view),
        *(
            _same(f"'{name}' is the same in a group", True, is_even(table, roles.quasi, name))
            for name in roles.weight
        ),
        *_persons(certificate),
        _withheld(certificate, table.num_rows, means.original_rows),
        *_attacks(certificate.attacks),
        Item("version of Shoal", "stated", certificate.shoal),
        Item("recipe", "stated", certificate.recipe),
        _same("what is not promised", certificate.not_promised, _unpromised(certificate)),
        Item("dropped columns", "stated", columns.dropped),
    ]
    return Verification(tuple(items))


def _unpromised(certificate: GroupsCertificate) -> list[str]:
    """List what must be said; a lacking hash too, so that it can't be left out unnoticed."""
    return [*not_promised(certificate.recipe), *([UNMARKED] if certificate.hash is None else [])]


def _marked(mark: str | None, table: pa.Table) -> Item:
    """Compare the hash of the rows; a release that was divided on a cluster has none."""
    what = "hash of the rows"
    if mark is None:
        return Item(what, "not checkable", None, note="it has none")
    return _same(what, mark, fingerprint(table))


def _same(what: str, stated: Any, again: Any) -> Item:
    if isinstance(stated, float | int) and isinstance(again, float | int):
        equal = math.isclose(stated, again, rel_tol=1e-9, abs_tol=1e-12)
    elif isinstance(stated, Mapping) and isinstance(again, Mapping) and set(stated) == set(again):
        equal = all(_same(what, stated[part], again[part]).status == "recounted" for part in again)
    else:
        equal = stated == again
    return Item(what, "recounted" if equal else "differs", stated, again)


def _promised(certificate: GroupsCertificate, promises: Promises, groups: Groups) -> list[Item]:
    """Check that each model of the recipe is stated, kept by all groups, and measured as stated."""
    broken = [(verdict.model, verdict.column) for verdict in promises.broken(groups)]
    lacking = {(model, column): what for model, column, what in promises.lacking()}
    measured = models_measured(promises, groups)
    items = [_same("models", len(certificate.models), len(measured))]
    for stated, (model, column, _), entry in zip(
        certificate.models, promises.measured(groups), measured, strict=False
    ):
        what = model.name + (f" of '{column}'" if column else "")
        asked = (stated.model, stated.parameters, stated.column)
        as_asked = asked == (model.name, msgspec.to_builtins(entry.parameters), column)
        if (
            as_asked
            and (model, column) in lacking
            and (model.needs_hierarchy or model.judges == "population")
        ):
            absent = Sentence("not checkable without ", lacking[model, column])
            items.append(Item(what, "not checkable", stated.measured, note=absent))
            continue
        kept = (model, column) not in broken
        item = _same(what, stated.measured, entry.measured)
        if not kept or not as_asked:
            note = "it is not what the recipe promises" if kept else "the promise is broken"
            item = Item(what, "differs", item.stated, item.found, note)
        items.append(item)
    return items


def _losses(
    certificate: GroupsCertificate, losses: Mapping[str, PublishedLoss], view: PublishedView | None
) -> list[Item]:
    stated = certificate.losses
    if view is None:
        without = Set("hierarchies", FOLDER, "the hierarchies")
        note = Sentence("not checkable without ", without)
        return [Item(name, "not checkable", value, note=note) for name, value in stated.items()]
    return _figures(stated, losses, view)


def _risks(stated: Mapping[str, Any], known: Mapping[str, Risk], seen: Exposure) -> list[Item]:
    """Measure risks again; among everyone only where it is known how many these are."""
    far = {
        name for name, risk in known.items() if risk.needs_population and seen.population is None
    }
    unknown = {name: value for name, value in stated.items() if name in far and value is not None}
    measurable = {name: value for name, value in stated.items() if name not in unknown}
    note = Sentence("not checkable without ", Option("population"))
    return [
        *_figures(measurable, known, seen, unknown),
        *(Item(name, "not checkable", value, note=note) for name, value in unknown.items()),
    ]


def _figures(
    stated: Mapping[str, Any], known: Mapping[str, Any], of: Any, beside: Container[str] = ()
) -> list[Item]:
    """Measure figures again; none may be left out, and none may be there that nobody measures."""
    left_out = [name for name in known if name not in stated and name not in beside]
    lacking = [
        Item(name, "differs", None, note="the certificate leaves it out") for name in left_out
    ]
    strange = "this version of Shoal measures no such figure"
    return lacking + [
        _same(name, value, plain(known[name].measure(of)))
        if name in known
        else Item(name, "differs", value, note=strange)
        for name, value in stated.items()
    ]


def _attacks(stated: list[StatedAttack] | UnsetType) -> list[Item]:
    """State the attacks before the release; only its maker has what it takes to try again."""
    if isinstance(stated, UnsetType):  # before attacks had their turn
        return []
    names = [each.name for each in stated]
    if not names:
        return [Item("attacks", "differs", names, note="the certificate leaves them out")]
    again = Sentence(Call("attack", (Set("original", FILE),)), " tries them again")
    return [Item("attacks", "stated", names, note=again)]


def _persons(certificate: GroupsCertificate) -> list[Item]:
    """Several rows for one person: the promise is that of the recipe, and nobody can recount it."""
    stated = None if isinstance(certificate.persons, UnsetType) else certificate.persons
    known = PERSONS if "person" in certificate.recipe else None
    if stated != known:
        return [_same("persons", stated, known)]
    return [Item("persons", "stated", stated)] if known else []


def _withheld(certificate: GroupsCertificate, rows: int, original_rows: int | None) -> Item:
    if original_rows is None:
        return Item(
            "withheld rows",
            "not checkable",
            certificate.withheld,
            note=Sentence("not checkable without ", Option("original")),
        )
    return _same("withheld rows", certificate.withheld, rounded(original_rows - rows))
