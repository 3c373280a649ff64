"""Recipe: what is asked, as plain data; TOML in and out. `plan` turns names into parts, or shows all errors at once."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pyarrow as pa

from shoal import registry
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.roles import Roles
from shoal.encode.costs import BOX_LOSSES
from shoal.errors import DataError, RecipeError, ShoalError, did_you_mean
from shoal.partition.method import Method
from shoal.partition.refinement import Effort
from shoal.partition.shoal import Shoal
from shoal.presets import PRESETS, preset, refuse_weaker
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import Model
from shoal.privacy.promises import Others
from shoal.recode.recoder import Recoder
from shoal.review.population import TYPED, refuse_odd

Names = tuple[str, ...]
Share = Annotated[float, msgspec.Meta(ge=0, lt=1)]
Weight = Annotated[float, msgspec.Meta(gt=0, le=1e9)]

SECTIONS: Mapping[str, Names] = {
    "roles": ("quasi", "sensitive", "identifiers", "keep", "force_keep", "person", "weight"),
    "protection": ("preset", "k", "models", "withhold", "missing", "others", "population"),
    "grouping": ("method", "loss", "effort", "time_limit", "refine", "importance", "seed"),
    "publishing": ("publish", "keep_order"),
}

EXAMPLES = {  # of what can be typed
    **{name: f"name columns: {name} = age, sex" for name in SECTIONS["roles"]},
    "person": "one column: --person patient",
    "weight": "one column: --weight weight",
    "preset": f"one of: {', '.join(PRESETS)}",
    "k": "a whole number from 1 to the number of rows: -k 5",
    "withhold": "a share of the rows from 0 to below 1: --withhold 0.01",
    "missing": "--missing own or --missing refuse",
    "others": "--others separate or --others as-quasi",
    "population": f"--population takes {TYPED}",
    "time_limit": "seconds above 0: --time-limit 30",
    "importance": "weights above 0: --importance age=2",
    "seed": "a whole number: --seed 7",
    "publish": "--publish snapped, tight, centre or bounds",
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
                errors.append(RecipeError(f"a recipe has no '{name}'", remedy=did_you_mean(name, known)))
                continue
            try:
                values[name] = msgspec.convert(_plain(value), known[name])
            except msgspec.ValidationError as wrong:
                errors.append(RecipeError(f"{name} is not right: {_in_words(str(wrong))}", remedy=EXAMPLES.get(name)))
        if values.get("preset") in PRESETS and "k" not in asked:
            values["k"] = preset(values["preset"]).k
        recipe = cls(**values)
        if errors:
            if set(asked) & set(SECTIONS["roles"]) <= set(values):  # else most of the rest would follow from that
                recipe._plan(errors)
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
        flat: dict[str, Any] = {"hierarchies": _beside(_table(asked, "hierarchies", errors), path.parent)}
        asked.pop("hierarchies", None)
        for section in asked:
            if section not in SECTIONS:
                known = [*SECTIONS, "hierarchies"]
                errors.append(RecipeError(f"a recipe has no section '{section}'", remedy=did_you_mean(section, known)))
                continue
            for name, value in _table(asked, section, errors).items():
                if name in SECTIONS[section]:
                    flat[name] = value
                else:
                    remedy = did_you_mean(name, SECTIONS[section])
                    errors.append(RecipeError(f"section '{section}' has no '{name}'", remedy=remedy))
        return cls._of({**flat, **_beside({"population": flat.pop("population", None)}, path.parent)}, errors)

    def to_toml(self, folder: str | Path | None = None) -> str:
        """The recipe as TOML, to hand over or to run again: without the seed, which would tell how groups were found.

        Hierarchy files are named as they are seen from the folder in which the recipe will stand.
        """
        asked = self.as_dict()
        asked.pop("seed", None)
        if "population" in asked:
            asked["population"] = _seen_from(folder, asked["population"])
        lines: list[str] = []
        for section, names in SECTIONS.items():
            lines += ["", f"[{section}]"] + [f"{name} = {_toml(asked[name])}" for name in names if name in asked]
        seen = {name: _seen_from(folder, spec) for name, spec in self.hierarchies.items()}
        lines += ["", "[hierarchies]"] + [f"{_key(name)} = {_toml(spec)}" for name, spec in seen.items()]
        return "\n".join(lines).strip() + "\n"

    def as_dict(self) -> dict[str, Any]:
        """What is asked and differs from the defaults, k and method always."""
        asked = msgspec.to_builtins(self)
        return {"k": self.k, "method": self.method, **asked}

    @property
    def roles(self) -> Roles:
        """The columns by role."""
        person = (self.person,) if self.person is not None and self.person not in self.identifiers else ()
        weight = (self.weight,) if self.weight is not None else ()
        return Roles(self.quasi, self.sensitive, (*self.identifiers, *person), self.keep, weight)

    def plan(self) -> Plan:
        """Names become parts; everything that is wrong is shown together."""
        errors: list[ShoalError] = []
        plan = self._plan(errors)
        if errors:
            raise RecipeError.together(errors)
        return plan

    def _method(self) -> Method:
        """The method; an effort or a time limit that was asked for beside it is its own."""
        method = registry.make(Method, self.method)
        beside: dict[str, Any] = {"effort": self.effort} if self.effort != "default" else {}
        beside |= {"time_limit": self.time_limit} if self.time_limit else {}
        return replace(method, **beside) if isinstance(method, Shoal) else method

    def _plan(self, errors: list[ShoalError]) -> Plan:
        """The parts, as far as there are any; what is wrong is added to the errors."""
        errors += self.roles.check()

        def attempt(make: Any, *args: Any) -> Any:
            try:
                return make(*args)
            except ShoalError as error:
                errors.append(error)
                return None

        method = attempt(self._method)
        models = (KAnonymity(self.k), *(attempt(_model, text, self.k) for text in self.models))
        publish = self.publish if isinstance(self.publish, dict) else dict.fromkeys(self.quasi, self.publish)
        recoders = {name: attempt(registry.make, Recoder, publish.get(name, "snapped")) for name in self.quasi}
        hierarchies = {name: attempt(hierarchy_of, spec) for name, spec in self.hierarchies.items()}
        loss = self.loss or (method.losses[0] if method else "height")
        errors += _strangers(self, publish)
        if self.population is not None and not isinstance(self.population, str):
            attempt(refuse_odd, self.population)
        if self.preset is not None:
            attempt(refuse_weaker, self.preset, self.k)
        errors += _unserved(self, method, [model for model in models if model is not None])
        if method and loss not in method.losses:
            remedy = f"one of: {', '.join(method.losses)}"
            errors.append(RecipeError(f"method '{method.name}' can't minimize '{loss}'", remedy=remedy))
        if self.time_limit and method and not self.refine and not isinstance(method, Shoal):
            problem = f"method '{method.name}' can't stop at a time limit"
            errors.append(RecipeError(problem, remedy="--method shoal, or add --refine: refinement can"))
        if self.refine and loss not in BOX_LOSSES:
            remedy = f"leave --refine out, or choose a loss of boxes: {', '.join(BOX_LOSSES)}"
            errors.append(RecipeError(f"refinement can't lower '{loss}'", remedy=remedy))
        errors += _collisions(self, publish)
        return Plan(self, method, models, recoders, hierarchies, loss)


@dataclass(frozen=True)
class Plan:
    """A recipe whose names have become parts."""

    recipe: Recipe
    method: Method
    models: tuple[Model, ...]
    recoders: Mapping[str, Recoder]
    hierarchies: Mapping[str, Hierarchy | None]
    loss: str
    everyone: pa.Table | None = None
    """The population, where a model judges groups beside it."""

    def among(self, population: object) -> Plan:
        """The same plan beside a population, if some model needs one that is a table."""
        needed = isinstance(population, pa.Table) and any(model.judges == "population" for model in self.models)
        return replace(self, everyone=population) if needed else self


def hierarchy_of(spec: str | Mapping[str, Any] | Path | Hierarchy | None) -> Hierarchy | None:
    """A hierarchy from what users write: `masks:length=5`, a file, a nested dict, `none`, or a hierarchy itself."""
    if spec is None or spec == "none" or isinstance(spec, Hierarchy):
        return spec if isinstance(spec, Hierarchy) else None
    if isinstance(spec, Mapping):
        if isinstance(spec.get("kind"), str):
            return registry.create(Hierarchy, spec["kind"], {k: v for k, v in spec.items() if k != "kind"})
        return registry.create(Hierarchy, "nested", {"tree": spec})
    name = str(spec).split(":")[0].split("(")[0]
    if name in registry.names(Hierarchy) and not Path(str(spec)).exists():
        return registry.make(Hierarchy, str(spec))
    return registry.create(Hierarchy, "file", {"path": str(spec)})


def _model(text: str, k: int) -> Model:
    """A model from what users write, under the k of its recipe."""
    return registry.make(Model, text).under(k)


def _unserved(recipe: Recipe, method: Method | None, models: Sequence[Model]) -> list[ShoalError]:
    """Models that lack a column or a hierarchy, or that the method can't serve."""
    wrong: list[ShoalError] = []
    for model in models:
        if model.needs_sensitive and not recipe.sensitive:
            wrong.append(RecipeError(f"model '{model.name}' needs a sensitive column", remedy="name one: -s diagnosis"))
        for name in recipe.sensitive if model.needs_hierarchy else ():
            if recipe.hierarchies.get(name, "none") == "none":
                problem = f"model '{model.name}' measures along a hierarchy, and '{name}' has none"
                wrong.append(RecipeError(problem, remedy=f"--hierarchy {name}=FILE"))
        if model.judges == "population" and recipe.person is not None:
            problem = f"model '{model.name}' counts the rows of a person as so many people"
            wrong.append(RecipeError(problem, remedy="leave --person out, or publish one row for each person"))
        if model.judges == "release" and recipe.person is not None and (getattr(model, "k", None) or 1) > recipe.k:
            problem = f"model '{model.name}' counts rows, and a person may have several: its k can't exceed that of the recipe"
            wrong.append(RecipeError(problem, remedy=f"-k {getattr(model, 'k', None)}"))
        if method and model.judges not in method.serves:
            able = [name for name, other in registry.names(Method).items() if model.judges in other.serves]
            remedy = f"one of: {', '.join(able)}" if able else None
            wrong.append(RecipeError(f"method '{method.name}' can't serve model '{model.name}'", remedy=remedy))
    return wrong


def _strangers(recipe: Recipe, publish: Mapping[str, str]) -> list[ShoalError]:
    """Columns that are spoken about without having the role for it."""
    asked: dict[str, Iterable[str]] = {"hierarchy": recipe.hierarchies, "importance": recipe.importance, "publish": publish}
    wrong: list[ShoalError] = [
        RecipeError(f"'{name}' has a {what} but is no quasi-identifier", remedy=did_you_mean(name, recipe.quasi))
        for what, names in asked.items()
        for name in names
        if name not in recipe.quasi and not (what == "hierarchy" and name in recipe.sensitive)
    ]
    kept = (*recipe.keep, *recipe.sensitive)
    wrong += [
        RecipeError(f"'{name}' is forced but neither kept nor sensitive", remedy=f"add --keep {name}")
        for name in recipe.force_keep
        if name not in kept
    ]
    return wrong


def _collisions(recipe: Recipe, publish: Mapping[str, str]) -> list[ShoalError]:
    """Columns of bounds that would have the name of another published column."""
    taken = (*recipe.quasi, *recipe.roles.beside)
    return [
        RecipeError(f"the bounds of '{name}' would be published as '{bound}', which is another column",
                    remedy=f"rename '{bound}', or publish '{name}' in another way")
        for name in recipe.quasi
        for bound in (f"{name}_lo", f"{name}_hi")
        if publish.get(name) == "bounds" and bound in taken
    ]  # fmt: skip


def _plain(value: Any) -> Any:
    """NumPy's numbers as Python's."""
    return value.item() if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0 else value


def _table(asked: Mapping[str, Any], section: str, errors: list[ShoalError]) -> Mapping[str, Any]:
    """One section of a recipe file."""
    values = asked.get(section, {})
    if isinstance(values, Mapping):
        return values
    errors.append(
        RecipeError(f"'{section}' must be a section of the recipe", remedy=f"write [{section}] on a line of its own")
    )
    return {}


def _in_words(message: str) -> str:
    """A validator's message in the user's words."""
    words = {
        "int": "a whole number", "str": "text", "float": "a number", "bool": "true or false",
        "array": "a list", "object": "a table", "null": "nothing", "|": "or",
    }  # fmt: skip
    message = message.partition(" - at `$")[0]
    message = re.sub(r"`([^`]*)`", lambda kinds: " ".join(words.get(kind, kind) for kind in kinds[1].split()), message)
    return message[:1].lower() + message[1:]


def _beside(hierarchies: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Hierarchy files named in a recipe stand beside it unless their path says otherwise."""
    return {
        name: str(folder / spec) if isinstance(spec, str) and (folder / spec).is_file() else spec
        for name, spec in hierarchies.items()
    }


def _seen_from(folder: str | Path | None, spec: Any) -> Any:
    """A hierarchy file by its way from a folder; anything else as it is."""
    if folder is None or not isinstance(spec, str) or not Path(spec).is_file():
        return spec
    return Path(os.path.relpath(spec, folder)).as_posix()


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else _toml(name)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(str(k))} = {_toml(v)}" for k, v in value.items()) + " }"
    if value is None:  # nothing below a name of a nested hierarchy
        return "[]"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(v) for v in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
