"""Certificates as files: the places of both parts, reading the public one, and its plan."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any, TypeVar

from shoal import registry
from shoal.adapters.databases import is_url, parted
from shoal.adapters.strict_json import strict_loads
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import DataError, PrivacyNotMet, RecipeError, ShoalError
from shoal.recipe import OverlapPlan, Plan, PlanParts, Recipe, hierarchy_of
from shoal.review.certificate import Certificate
from shoal.review.certificate_format import PrivateCertificate, PublicCertificate
from shoal.review.certificate_reading import AnyCertificate, AnyDistortion, AnyRelease, read_public
from shoal.wording import Remedy, Set

LARGEST = 64 * 2**20  # bytes of a certificate
Planned = TypeVar("Planned")
# A certificate as people hand it in: both parts, the public one, JSON-like data, or its file.
GivenCertificate = (
    Certificate[PublicCertificate, PrivateCertificate]
    | AnyCertificate
    | Mapping[str, Any]
    | str
    | Path
)


def certificate_places(
    place: str | Path, certificate: str | Path | None = None, table: str | None = None
) -> tuple[Path, ...]:
    """Return the places of the public and the private part of a certificate.

    They stand beside the release, or beside the certificate that was named. A table in a database
    gives them its name, in the current folder.
    """
    if is_url(place):
        place = re.sub(r"[^\w.-]", "_", parted(str(place), table)[1] or "released").lstrip(".")
    if str(place) == "-" and certificate is None:
        return ()
    if str(certificate) == "-":
        remedy = Remedy(Set("certificate", "released.certificate.json"))
        raise RecipeError("a certificate has two parts, and so goes to files", remedy=remedy)
    public = Path(certificate) if certificate else Path(f"{place}.certificate.json")
    stem = public.name.removesuffix(".json").removesuffix(".certificate")
    return public, public.with_name(f"{stem}.private.json")


def signature_place(certificate: str | Path) -> Path:
    """Return the place of the signature of a release, beside its public certificate.

    >>> signature_place("out.csv.certificate.json").name
    'out.csv.certificate.sig'
    """
    public = Path(certificate)
    stem = public.name.removesuffix(".json").removesuffix(".certificate")
    return public.with_name(f"{stem}.certificate.sig")


def stated_kind(certificate: Any) -> str | None:
    """Return the kind that a certificate states; None for one without a kind, or for none."""
    stated = certificate
    if isinstance(certificate, str | Path):
        try:
            with Path(certificate).open("rb") as file:
                stated = strict_loads(file.read(LARGEST).decode())
        except (OSError, ValueError, RecursionError):
            return None
    kind = stated.get("kind") if isinstance(stated, Mapping) else getattr(stated, "kind", None)
    return kind if isinstance(kind, str) else None


def public_of(certificate: GivenCertificate) -> AnyCertificate:
    """Return the public part of a certificate, decoded; DataError for what is none."""
    if isinstance(certificate, Certificate):
        return certificate.public
    if isinstance(certificate, AnyCertificate):
        return certificate
    if isinstance(certificate, Mapping):
        return read_public(certificate)
    try:
        with Path(certificate).open("rb") as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise DataError(f"'{certificate}' is too large for a certificate")
        stated = strict_loads(text.decode())
    except OSError as error:
        raise DataError(
            f"the certificate '{certificate}' can't be read: {error.strerror}"
        ) from None
    except (ValueError, RecursionError):
        problem = f"'{certificate}' is not a certificate: it is not JSON"
        raise DataError(problem, remedy="name OUT.certificate.json") from None
    if not isinstance(stated, dict) or not isinstance(stated.get("recipe", {}), dict):
        raise DataError(f"'{certificate}' is not a certificate")
    return read_public(stated)


def hierarchies_named(certificate: GivenCertificate | None) -> Mapping[str, Any]:
    """Return the hierarchies that the recipe of a certificate names, by column."""
    if certificate is None:
        return {}
    stated = public_of(certificate)
    return {} if isinstance(stated, AnyDistortion) else stated.recipe.get("hierarchies", {})


def plan_of(stated: AnyRelease, hierarchies: Mapping[str, Any]) -> Plan:
    """Plan the recipe that a certificate states, with hierarchies found where the user says."""
    return _undamaged(lambda: recipe_in(stated, hierarchies).plan())


def overlap_plan_of(stated: AnyRelease, hierarchies: Mapping[str, Any]) -> OverlapPlan:
    """Plan what a certificate of overlapping boxes states; PrivacyNotMet if it is damaged."""
    return _undamaged(lambda: recipe_in(stated, hierarchies).overlap_plan())


def recipe_in(stated: AnyRelease, hierarchies: Mapping[str, Any]) -> Recipe:
    """Read the recipe that a certificate states, with hierarchies found where the user says.

    A certificate may come from anybody: a file that only it names must have a plain name.
    """
    recipe = Recipe.of(**stated.recipe)
    # Columns that had no hierarchy have none now, whatever a folder holds.
    named = {name for name, spec in recipe.hierarchies.items() if spec != "none"}
    given = {name: plain_hierarchy(spec) for name, spec in hierarchies.items() if name in named}
    for column in named - {*given}:
        _refuse_elsewhere(column, recipe.hierarchies[column])
    return Recipe.of(**{**recipe.as_dict(), "hierarchies": {**recipe.hierarchies, **given}})


def trees_beside(
    stated: AnyCertificate | None, released: Any, certificate: GivenCertificate | None
) -> dict[str, str]:
    """Return where the hierarchy files that a certificate names are looked for, by column.

    That is the folder of the release, else that of the certificate: a plain name in another
    folder, where someone happens to work, means another file. A damaged recipe is refused.
    """
    if stated is None or isinstance(stated, AnyDistortion):
        return {}
    named = _undamaged(lambda: _plain_files(Recipe.of(**stated.recipe)))
    places = [place for place in (released, certificate) if isinstance(place, str | Path)]
    folders = [Path(place).parent for place in places if not is_url(place)]
    return {column: str(_inside(folders[0], name)) for column, name in named.items() if folders}


def _plain_files(recipe: Recipe) -> dict[str, str]:
    """List the hierarchy files that a recipe names without a folder, by column."""
    files = {column: _file_named(spec) for column, spec in recipe.hierarchies.items()}
    return {column: name for column, name in files.items() if name and _is_plain(name)}


def _inside(folder: Path, name: str) -> Path:
    """Return a file of a folder; a link that leads out of it is as good as no file."""
    place = folder / name
    led_away = os.path.realpath(place) != os.path.join(os.path.realpath(folder), name)
    return folder / f"{name} is a link" if led_away else place


def _file_named(spec: Any) -> str | None:
    hierarchy = hierarchy_of(spec)
    return None if hierarchy is None else hierarchy.file_path


def _is_plain(name: str) -> bool:
    """Tell whether a name is that of a file, without a folder."""
    return name not in (".", "..") and PurePath(name).name == name and "\\" not in name


def _refuse_elsewhere(column: str, spec: str | Mapping[str, Any]) -> None:
    """Refuse a hierarchy file that is named with a folder: certificates state base names alone."""
    path = _file_named(spec)
    if path is not None and not _is_plain(path):
        raise RecipeError(f"the hierarchy of '{column}' is named by a path, not by a file name")


def _undamaged(plan: Callable[[], Planned]) -> Planned:
    try:
        return plan()
    except ShoalError as error:
        problem = "the recipe in this certificate is damaged"
        raise PrivacyNotMet(problem, {"reason": error.problem}) from None
    except TypeError:  # of a kind that no recipe holds
        raise PrivacyNotMet("the recipe in this certificate is damaged") from None


def plan_beside(
    stated: AnyRelease | None, given: Mapping[str, Any], hierarchies: Mapping[str, Any]
) -> Plan:
    """Plan the recipe of a certificate, if there is one, with what was given beside it.

    The plan has the hierarchies that can be read.
    """
    plan = recipe_beside(stated, given, hierarchies).plan()
    return replace(plan, hierarchies=readable(plan))


def recipe_beside(
    stated: AnyRelease | None, given: Mapping[str, Any], hierarchies: Mapping[str, Any]
) -> Recipe:
    """The recipe of a certificate, if there is one, with what was given beside it."""
    asked = {
        **(
            _undamaged(lambda: recipe_in(stated, hierarchies)).as_dict()
            if stated is not None
            else {}
        ),
        **given,
    }
    trees = {
        **asked.get("hierarchies", {}),
        **{name: plain_hierarchy(spec) for name, spec in hierarchies.items()},
    }
    known = {*asked.get("quasi", ()), *asked.get("sensitive", ())}
    asked["hierarchies"] = {name: spec for name, spec in trees.items() if name in known}
    return Recipe.of(**asked)


def readable(plan: PlanParts) -> dict[str, Hierarchy | None]:
    """The hierarchies that can be read here."""
    at_hand = {}
    for name, hierarchy in plan.hierarchies.items():
        with suppress(DataError):
            _ = hierarchy.public_shares([]) if hierarchy is not None else None
            at_hand[name] = hierarchy
    return at_hand


def plain_hierarchy(
    hierarchy: str | Path | Hierarchy | Mapping[str, Any] | None,
) -> str | dict[str, Any]:
    """A hierarchy as plain data."""
    if hierarchy is None:
        return "none"
    if isinstance(hierarchy, Mapping):
        return dict(hierarchy)
    if not isinstance(hierarchy, Hierarchy):
        return str(hierarchy)
    fields = vars(hierarchy)
    if hierarchy.name == "file":
        return str(fields["path"])
    # Texts may hold what separates parameters.
    if any(isinstance(value, Mapping | str) for value in fields.values()):
        given = {name: value for name, value in fields.items() if value is not None}
        return {"kind": hierarchy.name, **given}
    return registry.spell(hierarchy)
