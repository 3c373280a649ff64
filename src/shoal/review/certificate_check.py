"""Verification: a release against its certificate, later and elsewhere.

Each item is recounted, stated, or not checkable.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import msgspec
import pyarrow as pa
from msgspec import UnsetType

from shoal.declare.coding import Coding
from shoal.declare.columns import whole
from shoal.declare.roles import Roles
from shoal.declare.within_levels import WithinLevels
from shoal.errors import PrivacyNotMet
from shoal.groups import Groups
from shoal.privacy.model import Model
from shoal.privacy.promises import Others, Promises
from shoal.review.certificate import PERSONS, UNMARKED, models_measured, not_promised
from shoal.review.certificate_format_1 import GroupsCertificate1, rounded
from shoal.review.certificate_reading import AnyGroups
from shoal.review.coded_ends import is_as_coded
from shoal.review.coded_levels import is_within_levels
from shoal.review.counterfeits import fewest_people
from shoal.review.fingerprint import fingerprint
from shoal.review.identifiers import has_own_values
from shoal.review.identifiers import stated as stated_warnings
from shoal.review.kept_counts import KeptCounts
from shoal.review.kept_risks import kept_together
from shoal.review.losses.published import PublishedLoss, PublishedView
from shoal.review.nesting import crossing_columns
from shoal.review.promised import Hierarchies, promised, quasi_columns
from shoal.review.recount import coded, value_counts_of
from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk, plain
from shoal.review.sources import behind
from shoal.review.verdict import Item, Verification
from shoal.review.weights import is_even
from shoal.wording import FILE, FOLDER, Call, Option, Sentence, Set

OTHER_VERSION = "not checkable: another version of Shoal chose its attacks"


def refuse_untrue_withheld(certificate: AnyGroups) -> None:
    """Refuse a certificate whose statement about withheld rows can't be true.

    Format 1 states their number, rounded; format 2 the limit of the recipe, a share.
    """
    if not isinstance(certificate, GroupsCertificate1):
        if certificate.withheld_at_most != certificate.recipe.get("withhold", 0.0):
            raise PrivacyNotMet("the limit of withheld rows is not that of the recipe")
    elif certificate.withheld < 0 or certificate.withheld != rounded(certificate.withheld):
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
    coding: Mapping[str, Coding] = field(default_factory=dict)
    centres: Sequence[str] = ()
    nests: bool = False
    """Whether the recipe's method promises that published values of a column nest."""
    attacks: Sequence[str] | None = None
    """The attacks that a release of this recipe must have passed; None for another version's."""


def check(table: pa.Table, certificate: AnyGroups, means: RecountMeans) -> Verification:
    """Recount what a certificate says, by the roles and models of its recipe."""
    roles = means.roles
    quasi = quasi_columns(table, roles.quasi)
    due = (*roles.sensitive, *roles.keep, *roles.weight)
    lacking = [name for name in due if name not in table.column_names]
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
        *_kept(certificate, table, groups, means),
        *_losses(certificate, means.losses, means.view),
        *_nested(certificate, means),
        *(
            _same(f"'{name}' is the same in a group", True, is_even(table, roles.quasi, name))
            for name in roles.weight
        ),
        *(
            _same(f"'{name}' is published as coded", True, _is_as_coded(table, name, means))
            for name in means.coding
        ),
        *_coarse(certificate, table, means),
        *_persons(certificate),
        *_across(certificate),
        *_counterfeits(certificate, table, means),
        _withheld(certificate, table.num_rows, means.original_rows),
        *_attacks(certificate, means.attacks),
        Item("version of Shoal", "stated", certificate.shoal),
        Item("recipe", "stated", certificate.recipe),
        _unpromised(certificate, table, roles.sensitive),
        Item("dropped columns", "stated", columns.dropped),
    ]
    return Verification(tuple(items))


def _is_as_coded(table: pa.Table, name: str, means: RecountMeans) -> bool:
    """Tell whether no published value lies beyond the coded ends or off the step of a column."""
    if name not in (*means.roles.quasi, *table.column_names):
        return False
    quasi = name in means.roles.quasi
    return is_as_coded(table, means.coding[name], quasi=quasi, centre=name in means.centres)


def _coarse(certificate: AnyGroups, table: pa.Table, means: RecountMeans) -> list[Item]:
    """Recount whether columns with a hierarchy are as coarse as they must and may be."""
    asked = [certificate.recipe.get(bound, {}) for bound in ("at_least", "at_most")]
    items = []
    for name in dict.fromkeys(name for of in asked for name in of if name not in means.coding):
        what = f"'{name}' is as coarse as asked"
        hierarchy = means.hierarchies.get(name)
        if isinstance(hierarchy, WithinLevels) and name in table.column_names:
            within = is_within_levels(whole(table[name]), hierarchy)
            items.append(_same(what, True, within))
        else:
            note = Sentence("not checkable without ", Set("hierarchies", FOLDER, "the hierarchies"))
            items.append(Item(what, "not checkable", None, note=note))
    return items


def _unpromised(certificate: AnyGroups, table: pa.Table, sensitive: Sequence[str]) -> Item:
    """Compare what must be said; a lacking hash too, so that it can't be left out unnoticed."""
    what = "what is not promised"
    if isinstance(certificate, GroupsCertificate1):  # its sentences were others
        return Item(what, "stated", certificate.not_promised)
    unmarked = [UNMARKED] if certificate.hash is None else []
    unique = [name for name in sensitive if has_own_values(value_counts_of(whole(table[name])))]
    expected = [
        *not_promised(certificate.recipe, certificate.across),
        *unmarked,
        *stated_warnings(unique),
    ]
    return _same(what, certificate.not_promised, expected)


def _kept(
    certificate: AnyGroups, table: pa.Table, groups: Groups, means: RecountMeans
) -> list[Item]:
    """Count kept columns again: k rows for each combination, and the risks beside cells."""
    roles = means.roles
    if isinstance(certificate, GroupsCertificate1):
        unstated = Item("kept columns", "not checkable", None, note="format 1 does not state them")
        return [unstated] if roles.keep else []
    k = means.models[0].least  # k-anonymity stands first
    forced = list(certificate.recipe.get("force_keep", ()))
    codes = {name: coded(whole(table[name]))[0] for name in roles.keep}
    counts = KeptCounts.of(groups, codes, forced)
    again = kept_together(counts, roles.quasi, roles.keep)
    if isinstance(again, UnsetType) or isinstance(certificate.kept, UnsetType):
        agree = again is certificate.kept
        return [] if agree else [Item("kept columns", "differs", None)]
    what = "rows that hold each combination of kept columns"
    rare = counts.combinations.too_rare(k)
    item = _same(what, certificate.kept.fewest, again.fewest)
    if rare is not None:
        item = Item(what, "differs", item.stated, item.found, "the promise is broken")
    risks = [
        _same(f"{name} with kept columns", certificate.kept.risks.get(name), figure)
        for name, figure in again.risks.items()
    ]
    by_force = _same("columns kept by force", certificate.columns.kept_by_force, forced)
    counted = _same("columns that risks count", certificate.kept.counted, again.counted)
    return [item, by_force, counted, *risks]


def _marked(mark: str | None, table: pa.Table) -> Item:
    """Compare the hash of the rows; a release that was divided on a cluster has none."""
    what = "hash of the rows"
    if mark is None:
        return Item(what, "not checkable", None, note="it has none")
    return _same(what, mark, fingerprint(table))


def _same(what: str, stated: Any, again: Any) -> Item:
    if isinstance(stated, float | int) and isinstance(again, float | int):
        fits_a_float = abs(stated) < 1e308  # a certificate may state larger whole numbers
        close = fits_a_float and math.isclose(stated, again, rel_tol=1e-9, abs_tol=1e-12)
        equal = close or stated == again
    elif isinstance(stated, Mapping) and isinstance(again, Mapping) and set(stated) == set(again):
        equal = all(_same(what, stated[part], again[part]).status == "recounted" for part in again)
    else:
        equal = stated == again
    return Item(what, "recounted" if equal else "differs", stated, again)


def _promised(certificate: AnyGroups, promises: Promises, groups: Groups) -> list[Item]:
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
    certificate: AnyGroups, losses: Mapping[str, PublishedLoss], view: PublishedView | None
) -> list[Item]:
    stated = certificate.losses
    if view is None:
        without = Set("hierarchies", FOLDER, "the hierarchies")
        note = Sentence("not checkable without ", without)
        unread = [Item(name, "not checkable", value, note=note) for name, value in stated.items()]
        return _left_out(stated, losses) + unread
    return _figures(stated, losses, view)


def _across(certificate: AnyGroups) -> list[Item]:
    """State how the release was held against earlier ones: a ledger is not published."""
    if isinstance(certificate, GroupsCertificate1) or isinstance(certificate.across, UnsetType):
        return []
    return [Item("held against earlier releases", "stated", certificate.across)]


def _counterfeits(certificate: AnyGroups, table: pa.Table, means: RecountMeans) -> list[Item]:
    """Count people again without counterfeits; their number itself is stated."""
    if isinstance(certificate, GroupsCertificate1):
        return []
    what = "people in each group beside counterfeits"
    stated = certificate.counterfeits
    due = any(model.balances for model in means.models)
    if isinstance(stated, UnsetType) or not due:
        agree = isinstance(stated, UnsetType) and not due
        return [] if agree else [Item(what, "differs", None, note="the model asks for them")]
    k = means.models[0].least  # k-anonymity stands first
    fewest = fewest_people(table, means.roles.quasi, stated)
    kept = fewest is not None and fewest >= k
    count = Item("counterfeits", "stated", sum(each.rows for each in stated))
    return [count, Item(what, "recounted" if kept else "differs", k, fewest)]


def _nested(certificate: AnyGroups, means: RecountMeans) -> list[Item]:
    """Check again that values of a column nest, where the recipe's method promises it."""
    if isinstance(certificate, GroupsCertificate1):
        return []
    what = "published values nest"
    stated = None if isinstance(certificate.nested, UnsetType) else certificate.nested
    if not means.nests or stated is None:
        due = True if means.nests else None
        return [] if stated == due else [_same(what, stated, due)]
    if means.view is None:
        note = Sentence("not checkable without ", Set("hierarchies", FOLDER, "the hierarchies"))
        return [Item(what, "not checkable", stated, note=note)]
    return [_same(what, stated, not crossing_columns(means.view))]


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
    lacking = _left_out(stated, known, beside)
    strange = "this version of Shoal measures no such figure"
    return lacking + [
        _same(name, value, plain(known[name].measure(of)))
        if name in known
        else Item(name, "differs", value, note=strange)
        for name, value in stated.items()
    ]


def _left_out(
    stated: Mapping[str, Any], known: Mapping[str, Any], beside: Container[str] = ()
) -> list[Item]:
    """List the metrics that are known here and not stated."""
    names = [name for name in known if name not in stated and name not in beside]
    return [Item(name, "differs", None, note="the certificate leaves it out") for name in names]


def _attacks(certificate: AnyGroups, expected: Sequence[str] | None) -> list[Item]:
    """State the attacks before the release; only its maker has what it takes to try again.

    None may be left out of those that the recipe asks for.
    """
    if isinstance(certificate.attacks, UnsetType):  # before attacks had their turn
        return []
    if isinstance(certificate, GroupsCertificate1):
        names = [each.name for each in certificate.attacks]
        expected = names
    else:
        names = certificate.attacks
    if expected is None:
        return [Item("attacks", "not checkable", names, note=OTHER_VERSION)]
    if not names or sorted(names) != sorted(expected):
        note = "they are not those of the recipe" if names else "the certificate leaves them out"
        return [Item("attacks", "differs", names, list(expected) or None, note)]
    again = Sentence(Call("attack", (Set("original", FILE),)), " tries them again")
    return [Item("attacks", "stated", names, note=again)]


def _persons(certificate: AnyGroups) -> list[Item]:
    """Several rows for one person: the promise is that of the recipe, and nobody can recount it."""
    stated = None if isinstance(certificate.persons, UnsetType) else certificate.persons
    known = PERSONS if "person" in certificate.recipe else None
    if stated != known:
        return [_same("persons", stated, known)]
    return [Item("persons", "stated", stated)] if known else []


def _withheld(certificate: AnyGroups, rows: int, original_rows: int | None) -> Item:
    """Check the rows that were left out: their rounded number, or that they keep to the limit."""
    what = "withheld rows"
    if isinstance(certificate, GroupsCertificate1):
        stated: float = certificate.withheld
    else:
        stated = certificate.withheld_at_most
    if original_rows is None:
        note = Sentence("not checkable without ", Option("original"))
        return Item(what, "not checkable", stated, note=note)
    withheld = original_rows - rows
    if isinstance(certificate, GroupsCertificate1):
        return _same(what, stated, rounded(withheld))
    # The share is read as the decimal that was typed, as it is when rows are withheld.
    kept = 0 <= withheld <= math.floor(Fraction(str(stated)) * original_rows)
    share = withheld / max(original_rows, 1)
    return Item(what, "recounted" if kept else "differs", stated, stated if kept else share)
