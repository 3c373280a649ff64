"""Recipe: what is asked, as plain data; TOML in and out. `plan` turns names into parts, or shows
all errors at once.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from shoal import registry
from shoal.declare.roles import Roles
from shoal.errors import DataError, RecipeError, ShoalError, did_you_mean
from shoal.overlap.overlap import Overlap
from shoal.partition.refinement import Effort
from shoal.presets import PRESETS, preset
from shoal.privacy.promises import Others
from shoal.recipe.plan import OverlapPlan, Plan
from shoal.recipe.planning import Made, plan_groups, plan_overlap
from shoal.recipe.toml import beside, key, seen_from, written
from shoal.review.prechecks.population import TAKES
from shoal.wording import OneOf, Remedy, Sentence, Set

Names = tuple[str, ...]
Share = Annotated[float, msgspec.Meta(ge=0, lt=1)]
Weight = Annotated[float, msgspec.Meta(gt=0, le=1e9)]

SECTIONS: Mapping[str, Names] = {
    "roles": ("quasi", "sensitive", "identifiers", "keep", "force_keep", "person", "weight"),
    "protection": ("preset", "k", "models", "withhold", "missing", "others", "population"),
    "grouping": ("method", "loss", "effort", "time_limit", "refine", "importance", "seed"),
    "publishing": ("publish", "keep_order", "as_published"),
}

EXAMPLES: Mapping[str, str] = {  # of what can be typed
    **{name: f"name columns: {name} = age, sex" for name in SECTIONS["roles"]},
    "person": Sentence("one column: ", Set("person", "patient")),
    "weight": Sentence("one column: ", Set("weight", "weight")),
    "preset": f"one of: {', '.join(PRESETS)}",
    "k": Sentence("a whole number from 1 to the number of rows: ", Set("k", 5)),
    "withhold": Sentence("a share of the rows from 0 to below 1: ", Set("withhold", 0.01)),
    "missing": Remedy(Set("missing", OneOf("own", "refuse"))),
    "others": Remedy(Set("others", OneOf("separate", "as-quasi"))),
    "population": TAKES,
    "time_limit": Sentence("seconds above 0: ", Set("time_limit", 30)),
    "importance": Sentence("weights above 0: ", Set("importance", {"age": 2})),
    "seed": Sentence("a whole number: ", Set("seed", 7)),
    "publish": Remedy(Set("publish", OneOf("snapped", "tight", "centre", "bounds"))),
    "hierarchies": "a file, or a kind with its parameters: masks:length=5",
}


class Recipe(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything that `anonymize` can be asked, as plain data.

    >>> Recipe.of(quasi=["age"], k=2).k
    2
    """

    quasi: Names = ()
    sensitive: Names = ()
    identifiers: Names = ()
    keep: Names = ()
    force_keep: Names = ()
    person: str | None = None
    weight: str | None = None
    preset: str | None = None
    k: Annotated[int, msgspec.Meta(ge=1)] = 5
    models: Names = ()
    withhold: Share = 0.0
    missing: Literal["own", "refuse"] = "own"
    others: Others = "separate"
    population: int | float | str | None = None
    method: str = "shoal"
    loss: str | None = None
    effort: Effort = "default"
    time_limit: Annotated[float, msgspec.Meta(gt=0)] | None = None
    refine: bool = False
    importance: dict[str, Weight] = {}
    seed: Annotated[int, msgspec.Meta(ge=0)] | None = None
    publish: str | dict[str, str] = "snapped"
    keep_order: bool = False
    as_published: bool = False
    hierarchies: dict[str, str | dict[str, Any]] = {}

    @classmethod
    def of(cls, **asked: Any) -> Recipe:
        """A recipe from plain values; shows all that is wrong with them at once."""
        return cls._of(asked, [])

    @classmethod
    def _of(cls, asked: Mapping[str, Any], errors: list[ShoalError]) -> Recipe:
        """A recipe, if there are no errors yet and no others are found."""
        known = {field.name: field.type for field in msgspec.structs.fields(cls)}
        values: dict[str, Any] = {}
        for name, value in asked.items():
            if name not in known:
                errors.append(
                    RecipeError(f"a recipe has no '{name}'", remedy=did_you_mean(name, known))
                )
                continue
            try:
                values[name] = msgspec.convert(_plain(value), known[name])
            except msgspec.ValidationError as wrong:
                errors.append(
                    RecipeError(
                        f"{name} is not right: {_in_words(str(wrong))}", remedy=EXAMPLES.get(name)
                    )
                )
        if values.get("preset") in PRESETS and "k" not in asked:
            values["k"] = preset(values["preset"]).k
        recipe = cls(**values)
        if errors:
            if set(asked) & set(SECTIONS["roles"]) <= set(
                values
            ):  # else most of the rest would follow from that
                plan_overlap(recipe, errors) if recipe.overlaps else plan_groups(recipe, errors)
            raise RecipeError.together(errors)
        return recipe

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """The JSON Schema of what `of` takes and `as_dict` gives."""
        schema: dict[str, Any] = json.loads(msgspec.json.encode(msgspec.json.schema(cls)))
        return schema

    @classmethod
    def read(cls, path: str | Path) -> Recipe:
        """A recipe from a TOML file. Hierarchy files are found beside it."""
        path = Path(path)
        try:
            asked = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise DataError(f"the recipe '{path}' can't be read: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise RecipeError(f"the recipe '{path}' is not TOML: {error}") from None
        errors: list[ShoalError] = []
        flat: dict[str, Any] = {
            "hierarchies": beside(_table(asked, "hierarchies", errors), path.parent)
        }
        asked.pop("hierarchies", None)
        for section in asked:
            if section not in SECTIONS:
                known = [*SECTIONS, "hierarchies"]
                errors.append(
                    RecipeError(
                        f"a recipe has no section '{section}'", remedy=did_you_mean(section, known)
                    )
                )
                continue
            for name, value in _table(asked, section, errors).items():
                if name in SECTIONS[section]:
                    flat[name] = value
                else:
                    remedy = did_you_mean(name, SECTIONS[section])
                    errors.append(
                        RecipeError(f"section '{section}' has no '{name}'", remedy=remedy)
                    )
        return cls._of(
            {**flat, **beside({"population": flat.pop("population", None)}, path.parent)}, errors
        )

    def to_toml(self, folder: str | Path | None = None) -> str:
        """The recipe as TOML, to hand over or to run again: without the seed, which would tell how
        groups were found.

        Hierarchy files are named as they are seen from the folder in which the recipe will stand.
        """
        asked = self.as_dict()
        asked.pop("seed", None)
        if "population" in asked:
            asked["population"] = seen_from(folder, asked["population"])
        lines: list[str] = []
        for section, names in SECTIONS.items():
            lines += ["", f"[{section}]"] + [
                f"{name} = {written(asked[name])}" for name in names if name in asked
            ]
        seen = {name: seen_from(folder, spec) for name, spec in self.hierarchies.items()}
        lines += ["", "[hierarchies]"] + [
            f"{key(name)} = {written(spec)}" for name, spec in seen.items()
        ]
        return "\n".join(lines).strip() + "\n"

    def as_dict(self) -> dict[str, Any]:
        """What is asked and differs from the defaults, k and method always."""
        asked = msgspec.to_builtins(self)
        return {"k": self.k, "method": self.method, **asked}

    @property
    def roles(self) -> Roles:
        """The columns by role."""
        person = (
            (self.person,)
            if self.person is not None and self.person not in self.identifiers
            else ()
        )
        weight = (self.weight,) if self.weight is not None else ()
        return Roles(self.quasi, self.sensitive, (*self.identifiers, *person), self.keep, weight)

    @property
    def overlaps(self) -> bool:
        """Whether the method gives each row a box of its own, instead of dividing rows into
        groups.
        """
        return registry.parse(self.method)[0] in registry.names(Overlap)

    def check(self) -> None:
        """Silence, or everything that is wrong before any table is read."""
        _faultless(self, self.problems())

    def problems(self) -> list[ShoalError]:
        """Everything that is wrong before any table is read, one by one."""
        errors: list[ShoalError] = []
        _ = plan_overlap(self, errors) if self.overlaps else plan_groups(self, errors)
        return list({str(error): error for error in errors}.values())

    def plan(self) -> Plan:
        """Names become parts; everything that is wrong is shown together."""
        errors: list[ShoalError] = []
        plan = plan_groups(self, errors)
        return _faultless(plan, errors)

    def overlap_plan(self) -> OverlapPlan:
        """The same for a method that gives each row a box of its own."""
        errors: list[ShoalError] = []
        plan = plan_overlap(self, errors)
        return _faultless(plan, errors)


def _faultless(plan: Made, errors: Sequence[ShoalError]) -> Made:
    """The plan, unless something is wrong with it."""
    if errors:
        raise RecipeError.together(errors)
    return plan


def _plain(value: Any) -> Any:
    """NumPy's numbers as Python's."""
    return (
        value.item()
        if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0
        else value
    )


def _table(asked: Mapping[str, Any], section: str, errors: list[ShoalError]) -> Mapping[str, Any]:
    """One section of a recipe file."""
    values = asked.get(section, {})
    if isinstance(values, Mapping):
        return values
    errors.append(
        RecipeError(
            f"'{section}' must be a section of the recipe",
            remedy=f"write [{section}] on a line of its own",
        )
    )
    return {}


def _in_words(message: str) -> str:
    """A validator's message in the user's words."""
    words = {
        "int": "a whole number",
        "str": "text",
        "float": "a number",
        "bool": "true or false",
        "array": "a list",
        "object": "a table",
        "null": "nothing",
        "|": "or",
    }
    message = message.partition(" - at `$")[0]
    message = re.sub(
        r"`([^`]*)`",
        lambda kinds: " ".join(words.get(kind, kind) for kind in kinds[1].split()),
        message,
    )
    return message[:1].lower() + message[1:]
