"""Preset rules: what HIPAA's Safe Harbor asks of columns is written into the recipe.

| column | told by | becomes |
|---|---|---|
| a date | its values | at least a year wide; births of 90 years ago or before are one open end |
| an age | its name | 90 or more is published as 90+ |
| a ZIP code | its name | at most three digits, through the hierarchy `us-zip` |
| a place smaller than a state | its name | refused |
| something that points at one person | its name | refused |

The published recipe states what was set, so that a rerun and `verify` agree. What the user asked
for stands where it is stricter; where it is weaker, the recipe is refused. Rule: 45 CFR
164.514(b)(2)(i). It also asks that nobody knows of a way to identify someone in the release,
(b)(2)(ii): that remains with whoever publishes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import msgspec
import pyarrow as pa

from shoal.declare.coarseness import Bound, Coarseness, coarseness_of
from shoal.declare.columns import Kind, kind_of
from shoal.errors import RecipeError, ShoalError
from shoal.presets import SAFE_HARBOR
from shoal.recipe import Recipe
from shoal.review.vocabulary import RoleRule, rule_for, words_of
from shoal.wording import Remedy, Set

PRESETS_WITH_RULES = (SAFE_HARBOR,)
OLDEST = 90
AGE = RoleRule("quasi", "", "age|ages|alter|edad|eta|idade|leeftijd")
BIRTH = RoleRule("quasi", "", "~birth|dob|born|~geburt|~naissance|nacimiento|nascita")
ZIP = RoleRule("quasi", "", "zip|~zipcode|~postcode|postal|plz|~postleitzahl|code postal|cp")
SMALL_PLACE = RoleRule(
    "quasi",
    "",
    "city|town|village|county|~district|~municip|borough|parish|suburb|~neighbou?rhood|street|"
    "address|latitude|longitude|lat|lon|lng|tract|precinct|stadt|gemeinde|landkreis|ville|ciudad",
)


def published(recipe: Recipe) -> list[str]:
    """List the columns that are published in any form."""
    return [*recipe.quasi, *recipe.sensitive, *recipe.keep]


def under_rules(
    recipe: Recipe, values: Mapping[str, pa.Array], today: date | None = None
) -> Recipe:
    """Write the rules of a recipe's preset into it; refuse what they forbid, all at once.

    `values` holds the different values of each published column, understood.
    """
    rules = _Rules(recipe, (today or date.today()).year)
    for name in published(recipe):
        rules.apply(name, kind_of(values[name].type, name))
    if rules.errors:
        raise RecipeError.together(rules.errors)
    return msgspec.structs.replace(
        recipe,
        top=rules.top,
        bottom=rules.bottom,
        at_least=rules.at_least,
        hierarchies=rules.hierarchies,
    )


class _Rules:
    """Collects settings of columns, and what the rule forbids."""

    def __init__(self, recipe: Recipe, year: int) -> None:
        self.recipe = recipe
        self.year = year
        self.errors: list[ShoalError] = []
        self.top = dict(recipe.top)
        self.bottom = dict(recipe.bottom)
        self.at_least = dict(recipe.at_least)
        self.hierarchies = dict(recipe.hierarchies)

    def apply(self, name: str, kind: Kind) -> None:
        """Apply the first rule that fits a column."""
        words = words_of(name)
        told = rule_for(name, points=True)
        if kind in ("date", "time"):
            self._date(name, kind, births=BIRTH.fits(words))
        elif AGE.fits(words) and kind == "number":
            self._age(name)
        elif ZIP.fits(words):
            self._zip(name)
        elif SMALL_PLACE.fits(words):
            self._forbid(name, "is a place smaller than a state")
        elif told is not None and told.role == "identifier":
            self._forbid(name, "points at one person")

    def _date(self, name: str, kind: Kind, *, births: bool) -> None:
        if kind == "time":
            self._forbid(name, "holds times of day", "turn it into a date")
            return
        if not self._is_quasi(name, "is a date"):
            return
        self._coarsen(name, "year")
        if births:
            last = date(self.year - OLDEST, 12, 31).isoformat()
            self.bottom.setdefault(name, last)
            if str(self.bottom[name]) < last:
                self._weaker(name, "bottom", last)

    def _age(self, name: str) -> None:
        given = self.top.setdefault(name, OLDEST)
        if isinstance(given, str) or given > OLDEST:
            self._weaker(name, "top", OLDEST)

    def _zip(self, name: str) -> None:
        if not self._is_quasi(name, "is a ZIP code"):
            return
        hierarchy = self.hierarchies.setdefault(name, "us-zip")
        if not str(hierarchy).startswith("us-zip"):
            self._weaker(name, "hierarchies", "us-zip")
            return
        self._coarsen(name, "3-digits")

    def _coarsen(self, name: str, least: str) -> None:
        """Ask for at least this much, unless more is asked for."""
        given = self.at_least.setdefault(name, least)
        bound: Bound = "at_least"
        asked = coarseness_of(given, name, bound)
        needed: Coarseness = coarseness_of(least, name, bound)
        if asked.measure != needed.measure or asked.amount < needed.amount:
            self._weaker(name, bound, least)

    def _is_quasi(self, name: str, what: str) -> bool:
        """Refuse a column that would be published as it is."""
        if name in self.recipe.quasi:
            return True
        self._forbid(name, what, "declare it a quasi-identifier, which is made coarser")
        return False

    def _forbid(self, name: str, what: str, instead: str = "") -> None:
        problem = f"'{name}' {what}, which preset '{SAFE_HARBOR}' does not let be published"
        drop: Sequence[str | Set] = [Set("identifiers", (name,), "drop it")]
        other = [instead] if instead else []
        self.errors.append(RecipeError(problem, remedy=Remedy(*other, *drop)))

    def _weaker(self, name: str, option: str, value: object) -> None:
        problem = f"less is asked of '{name}' than preset '{SAFE_HARBOR}' asks for"
        remedy = Remedy(Set(option, {name: value}), "leave it out: the preset sets it")
        self.errors.append(RecipeError(problem, remedy=remedy))
