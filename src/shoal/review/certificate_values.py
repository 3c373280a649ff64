"""Values of certificates: refuses figures and lists that no release can have.

The structs of a format fix the fields and their types; here stand the rules between them: counts
that don't go together, shares outside of 0 to 1, roles that are not those of the recipe, attacks
that were left out. What is left then is recounted by `verify`, fixed by the recipe, or listed as
stated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from msgspec import UnsetType

from shoal.errors import PrivacyNotMet
from shoal.review.certificate import WEIGHTS
from shoal.review.certificate_format import (
    DistortionCertificate,
    GroupsCertificate,
    OverlapCertificate,
)
from shoal.review.certificate_format_1 import (
    ROUNDED_TO,
    DistortionCertificate1,
    GroupsCertificate1,
    OverlapCertificate1,
)
from shoal.review.certificate_reading import AnyCertificate, AnyDistortion, AnyGroups, AnyRelease

HASH = re.compile(r"[0-9a-f]{64}")
VERSION = re.compile(r"[0-9][0-9A-Za-z.+-]{0,40}")
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+){0,5}")
FORMATS_2 = GroupsCertificate | OverlapCertificate | DistortionCertificate
RELEASE_COLUMNS = ("quasi", "sensitive", "kept", "weight", "dropped")


def refuse_impossible(stated: AnyCertificate, attacks: Mapping[str, bool]) -> None:
    """Refuse a certificate that states what can't be true of any release.

    `attacks` names those that have their turn before every release in groups, and whether an
    attack needs a sensitive column.
    """
    faults = list(dict.fromkeys(_faults(stated, attacks)))
    if faults:
        problem = "this certificate states what can't be true"
        remedy = "ask whoever made the release for its certificate"
        raise PrivacyNotMet(problem, {"impossible": "; ".join(faults)}, remedy)


def _faults(stated: AnyCertificate, attacks: Mapping[str, bool]) -> Iterator[str]:
    yield from _of_all(stated)
    if isinstance(stated, AnyDistortion):
        columns = stated.columns
        constant = stated.columns.constant if isinstance(stated, DistortionCertificate1) else []
        yield from _twice((columns.perturbed, constant, columns.as_they_were))
    else:
        yield from _of_recipe(stated)
    if isinstance(stated, AnyGroups):
        yield from _of_groups(stated)
    elif not isinstance(stated, AnyDistortion) and (
        not 1 <= stated.k <= stated.rows or stated.k != stated.recipe.get("k", stated.k)
    ):
        yield "a k that is not the recipe's"
    yield from _of_format_1(stated, attacks)
    if isinstance(stated, FORMATS_2):
        yield from _names_of_attacks(stated.attacks)


def _names_of_attacks(names: Sequence[str]) -> Iterator[str]:
    """Look for sentences in the place of names: another version may have other attacks."""
    if not all(map(NAME.fullmatch, names)) or len({*names}) < len(names):
        yield "an attack that has no name, or is stated twice"


def _of_format_1(stated: AnyCertificate, attacks: Mapping[str, bool]) -> Iterator[str]:
    """Check figures that follow from the original, which format 1 alone states."""
    if isinstance(stated, GroupsCertificate1):
        if stated.withheld > _most_withheld(stated):
            yield "more rows left out than the recipe allows"
        yield from _attacks_left_out(stated, attacks)
    if isinstance(stated, OverlapCertificate1):
        yield from _of_boxes(stated)
    written = GroupsCertificate1 | OverlapCertificate1 | DistortionCertificate1
    if isinstance(stated, written) and not isinstance(stated.attacks, UnsetType):
        yield from _figures_of_attacks(stated.attacks)


def _of_all(stated: AnyCertificate) -> Iterator[str]:
    """Check what every certificate has: a number of rows, a hash, a version."""
    if stated.rows < 1:
        yield "a release without rows"
    if stated.hash is not None and not HASH.fullmatch(stated.hash):
        yield "a hash that is no SHA-256"
    if isinstance(stated.shoal, str) and not VERSION.fullmatch(stated.shoal):
        yield "a version that is none"


def _of_recipe(stated: AnyRelease) -> Iterator[str]:
    """Compare what a certificate says of columns with the recipe that it states."""
    recipe = stated.recipe
    columns = stated.columns
    if "seed" in recipe:
        yield "a recipe with a seed"
    yield from _twice(getattr(columns, role) for role in RELEASE_COLUMNS)
    by_role = {
        "quasi": columns.quasi,
        "sensitive": columns.sensitive,
        "keep": columns.kept,
        "force_keep": columns.kept_by_force,
    }
    for role, names in by_role.items():
        if names != _listed(recipe.get(role)):
            yield f"columns that are not those of the recipe ({role})"
    if not {*_listed(recipe.get("identifiers"))} <= {*columns.dropped}:
        yield "identifiers that were not dropped"


def _of_groups(stated: AnyGroups) -> Iterator[str]:
    """Compare counts with each other and with the recipe."""
    if not 1 <= stated.groups <= stated.rows or not 1 <= stated.k <= stated.rows:
        yield "more groups, or larger ones, than rows"
    elif stated.k * stated.groups > stated.rows:
        yield "groups of k that need more rows"
    asked = stated.recipe.get("k")
    if isinstance(asked, int) and stated.k < asked:
        yield "groups smaller than the recipe's k"
    yield from _shares("risk", stated.risks)
    if any(value is not None and value < 0 for value in stated.losses.values()):
        yield "a loss below 0"
    if not isinstance(stated.people_from, UnsetType) and (
        stated.people_from != WEIGHTS or "weight" not in stated.recipe
    ):
        yield "people from weights that there are not"


def _most_withheld(stated: GroupsCertificate1) -> int:
    """Return the number of rows that may be left out, rounded as it is stated."""
    share = stated.recipe.get("withhold", 0)
    number = isinstance(share, int | float) and not isinstance(share, bool)
    if not number or not 0 <= share < 1:
        return 0
    asked = Fraction(str(share))
    # of all rows, those left out too: n - published <= share n
    most = math.floor(asked * stated.rows / (1 - asked))
    return -(-most // ROUNDED_TO) * ROUNDED_TO


def _of_boxes(stated: OverlapCertificate1) -> Iterator[str]:
    """Compare what is said of boxes that overlap with the number of rows."""
    counts = stated.concealment.as_dict().values()
    if any(not 0 <= count <= stated.rows for count in counts):
        yield "more people or rows than there are"
    yield from _shares("link", {"largest": stated.link.largest, "limit": stated.link.limit})


def _attacks_left_out(stated: GroupsCertificate1, attacks: Mapping[str, bool]) -> Iterator[str]:
    """Look for attacks that have their turn before every release, where figures are stated.

    An attack on a sensitive column has its turn unless nobody has a value of it.
    """
    if isinstance(stated.attacks, UnsetType):
        yield "no attack had its turn"
        return
    tried = {each.name for each in stated.attacks}
    always = {name for name, sensitive in attacks.items() if not sensitive}
    if not always & tried:
        yield "attacks were left out"
    on_columns = {each.column for each in stated.attacks}
    if not on_columns <= {None, *stated.columns.sensitive}:
        yield "an attack on a column that is not sensitive"
    by_column = [
        {each.name for each in stated.attacks if each.column == name}
        for name in stated.columns.sensitive
    ]
    wanted = {name for name, sensitive in attacks.items() if sensitive}
    if any(names and not wanted <= names for names in by_column):
        yield "attacks were left out"
    if wanted and by_column and not any(by_column):
        yield "attacks were left out"


def _figures_of_attacks(attacks: Iterable[Any]) -> Iterator[str]:
    """Check the figures of attacks, where a format states them."""
    seen = set()
    for each in attacks:
        if (each.name, each.column) in seen:
            yield "an attack that is stated twice"
        seen.add((each.name, each.column))
        shares = {"attack": each.attack, "control": each.control}
        yield from _shares("attack", shares)
        ends = (each.low, each.advantage, each.high)
        ordered = None in ends or (each.low <= each.high and max(ends) <= 1)
        if each.trials < 0 or not ordered:
            yield "figures of an attack"


def _shares(what: str, figures: Mapping[str, Any]) -> Iterator[str]:
    """Look for shares outside of 0 to 1."""
    for value in figures.values():
        if isinstance(value, Mapping):
            yield from _shares(what, value)
        elif value is not None and not 0 <= value <= 1:
            yield f"a {what} that is not between 0 and 1"


def _twice(lists: Iterable[Iterable[str]]) -> Iterator[str]:
    names = [name for each in lists for name in each]
    if len({*names}) < len(names):
        yield "a column in two roles"


def _listed(names: Any) -> list[str]:
    named = isinstance(names, list | tuple)
    return [name for name in names if isinstance(name, str)] if named else []
