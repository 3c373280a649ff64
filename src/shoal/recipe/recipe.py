"""Recipe: what is asked of a release, as plain data that is published with it; TOML in and out.

Its options are declared in `recipe_options`. `plan` turns names into parts, or shows all errors at
once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from shoal import registry
from shoal.declare.coding import Coding, codings_of
from shoal.declare.roles import Roles
from shoal.declare.understanding.table import ColumnsAsked
from shoal.errors import RecipeError, ShoalError
from shoal.overlap.overlap import Overlap
from shoal.presets import PRESETS, preset
from shoal.recipe.coarseness import widths_of, within_levels
from shoal.recipe.options import Where, checked_values, options_of, sections_of
from shoal.recipe.plan import OverlapPlan, Plan
from shoal.recipe.planning import Made, plan_groups, plan_overlap
from shoal.recipe.recipe_options import Names, RecipeOptions
from shoal.recipe.run import Run
from shoal.recipe.toml import key, read_sections, seen_from, written


class Recipe(RecipeOptions, frozen=True, kw_only=True, omit_defaults=True):
    """Everything that can be asked of a release, as plain data.

    Its fields are the options of `anonymize` that are published with a release.

    Examples:
        >>> recipe = Recipe.of(quasi=["age"], sensitive=["ill"], k=2)
        >>> recipe.k, recipe.method
        (2, 'shoal')
    """

    @classmethod
    def of(cls, **asked: Any) -> Recipe:
        """A recipe from plain values; shows all that is wrong with them at once.

        Args:
            **asked: Options of `anonymize` by name.
        """
        return cls._of(asked, [])

    @classmethod
    def _of(cls, asked: Mapping[str, Any], errors: list[ShoalError]) -> Recipe:
        """A recipe, if there are no errors yet and no others are found."""
        values = checked_values(cls, asked, errors)
        if values.get("preset") in PRESETS and "k" not in asked:
            least = preset(values["preset"]).k
            values |= {} if least is None else {"k": least}
        recipe = cls(**values)
        if errors:
            # without its roles, most of the other faults of a recipe would follow from that
            if set(asked) & set(SECTIONS["roles"]) <= set(values):
                errors += recipe.problems()
            raise RecipeError.together(errors)
        return recipe

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """The JSON Schema of what `of` takes and `as_dict` gives."""
        schema: dict[str, Any] = json.loads(msgspec.json.encode(msgspec.json.schema(cls)))
        return schema

    @classmethod
    def read(cls, path: str | Path) -> Recipe:
        """A recipe from a TOML file. Hierarchy files are found beside it.

        Args:
            path: The file.
        """
        errors: list[ShoalError] = []
        return cls._of(read_sections(Path(path), SECTIONS, errors), errors)

    def to_toml(self, folder: str | Path | None = None) -> str:
        """Write the recipe as TOML, to hand over or to run again.

        It has no seed, which would tell how groups were found.

        Args:
            folder: Where the recipe will stand: hierarchy files are named as seen from there.
        """
        asked = self.to_share()
        if "population" in asked:
            asked["population"] = seen_from(folder, asked["population"])
        if "scheme" in asked:
            asked["scheme"] = seen_from(folder, asked["scheme"])
        sections = {
            section: [f"{name} = {written(asked[name])}" for name in names if name in asked]
            for section, names in SECTIONS.items()
        }
        seen = {name: seen_from(folder, spec) for name, spec in self.hierarchies.items()}
        sections["hierarchies"] = [f"{key(name)} = {written(spec)}" for name, spec in seen.items()]
        texts = ["\n".join([f"[{name}]", *lines]) for name, lines in sections.items() if lines]
        return "\n\n".join(texts) + "\n"

    def as_dict(self) -> dict[str, Any]:
        """Return what differs from the defaults, k and method always."""
        asked = msgspec.to_builtins(self)
        return {"k": self.k, "method": self.method, **asked}

    def to_share(self) -> dict[str, Any]:
        """Return what others may see of `as_dict`: the options that are declared here, no seed."""
        declared = options_of(type(self))
        return {name: value for name, value in self.as_dict().items() if name in declared}

    @property
    def columns(self) -> Names:
        """The columns that are named in any role."""
        one = [each.name for each in options_of(type(self)).values() if each.form == "column"]
        many = [each.name for each in options_of(type(self)).values() if each.form == "columns"]
        named = [getattr(self, name) for name in one if getattr(self, name) is not None]
        named += [column for name in many for column in getattr(self, name)]
        return tuple(dict.fromkeys(named))

    @property
    def roles(self) -> Roles:
        """The columns by role."""
        persons: Names = ()
        if self.person is not None and self.person not in self.identifiers:
            persons = (self.person,)
        weight = (self.weight,) if self.weight is not None else ()
        return Roles(self.quasi, self.sensitive, (*self.identifiers, *persons), self.keep, weight)

    @property
    def coding(self) -> dict[str, Coding]:
        """The rounding and the ends of columns that are coded before rows are grouped, by name."""
        least = widths_of(self, "at_least")
        most = widths_of(self, "at_most")
        return codings_of(self.top, self.bottom, self.round, least, most)

    @property
    def columns_asked(self) -> ColumnsAsked:
        """Collect what is asked about the cells of columns before anything else.

        A hierarchy that matches texts says by itself how the cells of a column are read. Columns
        that are rounded or capped are understood too: their cells are meant as numbers or dates.
        """
        names = [*self.quasi, *self.roles.beside]
        if self.person is not None:
            names.append(self.person)
        codes = within_levels(self)  # digits are shown or hidden as they are written
        free = tuple(
            name
            for name in names
            if (name in self.quasi and _is_free(self.hierarchies.get(name)) and name not in codes)
            or name in self.coding
        )
        others = tuple(name for name in names if name not in free)
        settled = (*self.hierarchies, *self.coding, *self.at_least)
        return ColumnsAsked(free, others, self.read_as, self.na, settled)

    def may_mix_no_text(self, name: str) -> bool:
        """Tell whether a column of numbers and texts is refused: nobody said that it is text."""
        return name not in self.hierarchies and name not in self.read_as

    @property
    def overlaps(self) -> bool:
        """Whether the method gives each row a box of its own, instead of dividing rows."""
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
        """Plan a method that gives each row a box of its own; raises what is wrong."""
        errors: list[ShoalError] = []
        plan = plan_overlap(self, errors)
        return _faultless(plan, errors)


SECTIONS: Mapping[str, Names] = sections_of(options_of(Recipe, Run).values())


def _is_free(spec: str | Mapping[str, Any] | None) -> bool:
    """Tell whether a column may be understood by itself: nothing matches its texts."""
    kind = str(spec.get("kind")) if isinstance(spec, Mapping) else str(spec)
    return (
        spec is None
        or re.match(r"(?:none|intervals|ladder|listed|dates)(?:[:(]|$)", kind) is not None
    )


def recipe_options_not_with(where: Where) -> Names:
    """Return the names of the options that an engine or flow can't serve."""
    return tuple(name for name, each in options_of(Recipe).items() if where in each.not_with)


def _faultless(plan: Made, errors: Sequence[ShoalError]) -> Made:
    """The plan, unless something is wrong with it."""
    if errors:
        raise RecipeError.together(errors)
    return plan
