"""The public door: tables in, verified releases out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from shoal import distorting, pipeline, registry
from shoal.adapters import files
from shoal.adapters.certificates import certificate_places, plain_hierarchy, plan_beside, plan_of, public_of, readable
from shoal.adapters.distorted import Distorted
from shoal.adapters.staged import Staged
from shoal.adapters.tables import arrow as _arrow
from shoal.adapters.tables import everyone, named
from shoal.adapters.traces import traces
from shoal.arrays import Labels
from shoal.attack import attacking
from shoal.attack.attack import Attack
from shoal.attack.attacking import Findings
from shoal.comparison import comparing
from shoal.comparison.kept import Kept
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.roles import check_table
from shoal.distort.distortion import Distortion
from shoal.engine import LocalEngine
from shoal.errors import RecipeError, ShoalError, did_you_mean
from shoal.groups import Watch, unwatched
from shoal.partition.method import Method
from shoal.partition.refinement import Effort
from shoal.pipeline import Outcome, Stage
from shoal.presets import under_preset
from shoal.privacy.model import Model
from shoal.privacy.promises import Others
from shoal.recipe import Recipe, hierarchy_of
from shoal.review import audit as auditing
from shoal.review import inspection, perturbation, verification
from shoal.review.certificate import PEOPLE_FROM, Certificate, as_json
from shoal.review.fingerprint import fingerprint
from shoal.review.losses.published import PublishedLoss
from shoal.review.risks.risk import Figure, Risk
from shoal.review.sources import Source

Names = str | Sequence[str]


@dataclass(frozen=True, repr=False)
class Release:
    """A verified release: every promise was recounted from its published values."""

    table: Any
    """The same kind of frame as came in, in published order, without an index."""
    groups: Labels
    """The group of each *input* row, -1 = withheld."""
    certificate: Certificate
    """`.public` goes with the release, `.private` stays at home."""
    losses: Mapping[str, float | None]
    risks: Mapping[str, Mapping[str, Figure]]
    notices: tuple[str, ...]
    seconds: Mapping[str, float]
    recipe: Recipe
    published: pa.Table
    population: Source = None
    """Everyone, as far as known: promises beside a population are recounted with it."""

    def __repr__(self) -> str:
        public = self.certificate.public
        return f"<Release: rows={public['rows']}, groups={public['groups']}, k={public['k']}>"

    def loss(self, name: str) -> float | None:
        """One loss by its name; None where it means nothing for this table."""
        if name not in self.losses:
            raise RecipeError(f"there is no metric '{name}'", remedy=did_you_mean(name, self.losses))
        return self.losses[name]

    def write(
        self,
        place: str | Path,
        *,
        certificate: str | Path | None = None,
        recipe: str | Path | None = None,
        force: bool = False,
        inputs: Sequence[str] = (),
    ) -> None:
        """The release and its two certificates as files, whole or not at all; recounted once more from the file itself.

        `recipe` names a file for what was asked, without the seed.
        """
        with Staged(force=force, inputs=inputs) as staged:
            if recipe:
                staged.file(recipe).write_text(self.recipe.to_toml(Path(recipe).parent), encoding="utf-8")
            parts = (self.certificate.public, self.certificate.private)
            for target, part in zip(certificate_places(place, certificate), parts, strict=False):  # before the release
                private = part is self.certificate.private
                staged.file(target, private=private).write_text(as_json(part), encoding="utf-8")
            written = staged.file(place)
            files.write_table(self.published, written, like=place)
            self._recount(files.read(written, typed=False, like=place))

    def _recount(self, written: pa.Table) -> None:
        """The gate once more, on what is really in the file."""
        LocalEngine().counts(written, self.recipe.plan().among(self.population))
        if fingerprint(written) != self.certificate.public["hash"]:
            raise ShoalError("the file that was written does not hold the release", {"published": "nothing"})


def anonymize(
    people: Any,
    *,
    quasi: Names | None = None,
    sensitive: Names | None = None,
    identifiers: Names | None = None,
    keep: Names | None = None,
    force_keep: Names | None = None,
    k: int | None = None,
    models: Sequence[str | Model] | None = None,
    hierarchies: Mapping[str, str | Path | Hierarchy | Mapping[str, Any] | None] | None = None,
    method: str | Method | None = None,
    loss: str | None = None,
    effort: Effort | None = None,
    time_limit: float | None = None,
    refine: bool | None = None,
    publish: str | Mapping[str, str] | None = None,
    importance: Mapping[str, float] | None = None,
    withhold: float | None = None,
    missing: Literal["own", "refuse"] | None = None,
    others: Others | None = None,
    person: str | None = None,
    weight: str | None = None,
    preset: str | None = None,
    population: Any = None,
    seed: int | None = None,
    keep_order: bool | None = None,
    recipe: Recipe | str | Path | None = None,
    bound: bool = False,
    progress: Stage = lambda name: unwatched,
) -> Release:
    """A release in which every row looks like at least k-1 others on its quasi-identifiers, recounted before it is returned.

    Raises `shoal.errors.PrivacyNotMet` and returns nothing where a promise can't be kept. `population` is a table or file
    of everyone, their number, or the fraction of them that was sampled: risks among everyone need it. Where several rows
    are about one `person`, groups count persons. `weight` says for how many people a row stands. A `preset` is a k in
    common use. What is not given is as in the recipe, or else as in `shoal.Recipe`: k is 5, intervals are snapped, no row
    is withheld.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 33, 52, 58], "city": ["Oslo", "Oslo", "Rome", "Rome"], "ill": ["flu", "cold"] * 2})
    >>> release = anonymize(people, quasi=["age", "city"], sensitive=["ill"], k=2)
    >>> release.table["city"].to_pylist()
    ['Oslo', 'Oslo', 'Rome', 'Rome']
    """
    given = {
        "quasi": _names(quasi), "sensitive": _names(sensitive), "identifiers": _names(identifiers), "keep": _names(keep),
        "force_keep": _names(force_keep), "k": k, "loss": loss, "effort": effort, "time_limit": time_limit, "refine": refine,
        "publish": publish, "importance": importance, "withhold": withhold, "missing": missing, "others": others,
        "person": person, "weight": weight, "preset": preset, "population": named(population), "seed": seed,
        "keep_order": keep_order,
        "models": None if models is None else [_spelled(model) for model in _each(models)],
        "method": None if method is None else _spelled(method),
        "hierarchies": None if hierarchies is None else {name: plain_hierarchy(spec) for name, spec in hierarchies.items()},
    }  # fmt: skip
    asked = _recipe(recipe, {name: value for name, value in given.items() if value is not None})
    table, back = _arrow(people)
    behind = everyone(asked.population if population is None else population)
    outcome = pipeline.run(table, asked, stage=progress, population=behind, bound=bound)
    return _release(outcome, asked, back, behind)


def compare(
    people: Any,
    *,
    methods: str | Method | Sequence[str | Method] = "all",
    k: int | Sequence[int] = (2, 5, 10, 25, 50, 100),
    quasi: Names | None = None,
    sensitive: Names | None = None,
    models: Sequence[str | Model] | None = None,
    hierarchies: Mapping[str, str | Path | Hierarchy | Mapping[str, Any] | None] | None = None,
    seed: int | None = None,
    recipe: Recipe | str | Path | None = None,
    cells: str | Path | None = None,
    jobs: int | None = None,
    progress: Watch = unwatched,
    **asked: Any,
) -> Any:
    """A table with one row for each method and k: every loss, the risks, CPU seconds of dividing, and sizes of groups.

    The same kind of frame as came in. What is refused (k above the number of rows, say) is a row with the reason. Cells are
    measured side by side, in so many processes (`jobs`) as memory allows. With `cells`, finished ones are kept in that file
    and not measured again; it holds no value of the table. Other parts of a recipe (loss, withhold ...) may be given too.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 33, 52, 58], "city": ["Oslo", "Oslo", "Rome", "Rome"]})
    >>> found = compare(people, quasi=["age", "city"], methods=["k-member", "mondrian"], k=[2, 9])
    >>> found.select(["method", "k", "groups", "refused"]).to_pylist()[1]
    {'method': 'k-member', 'k': 9, 'groups': None, 'refused': "4 rows can't form a group of 9"}
    """
    given = {
        "quasi": _names(quasi),
        "sensitive": _names(sensitive),
        "models": None if models is None else [_spelled(model) for model in _each(models)],
        "hierarchies": None if hierarchies is None else {name: plain_hierarchy(spec) for name, spec in hierarchies.items()},
        "seed": seed,
        **asked,
    }
    plain = _recipe(recipe, {name: value for name, value in given.items() if value is not None})
    chosen = [methods] if isinstance(methods, str | Method) else methods
    table, back = _arrow(people)
    grid = comparing.grid(plain, [_spelled(method) for method in chosen], [k] if isinstance(k, int) else list(k))
    return back(comparing.compare(table, grid, kept=Kept(cells), jobs=jobs, watch=progress))


def audit(
    released: Any,
    *,
    quasi: Names,
    sensitive: Names = (),
    require: Sequence[str | Model] = (),
    missing: Literal["own", "wildcard"] = "own",
    population: Any = None,
    hierarchies: Mapping[str, str | Path | Hierarchy | Mapping[str, Any] | None] | None = None,
) -> auditing.Audit:
    """What a table gives away, measured from its published values alone: k, the other models, and the risks.

    `population` is a table or file of everyone, their number, or the fraction of them that was sampled: risks among
    everyone need it; in such a table, labels are found by `hierarchies`. With `require`, raises
    `shoal.errors.PrivacyNotMet` unless every named model holds.
    """
    table, _ = _arrow(released, typed=False)
    check_table(table)
    required = [registry.make(Model, _model(model)) if isinstance(model, str) else model for model in _each(require)]
    risks = {name: risk() for name, risk in registry.names(Risk).items()}
    known = registry.names(Model)
    columns = (_names(quasi) or (), _names(sensitive) or ())
    trees = {name: hierarchy_of(spec) for name, spec in (hierarchies or {}).items()}
    asked: dict[str, Any] = {"missing": missing, "require": required, "population": everyone(population), "hierarchies": trees}
    return auditing.audit(table, *columns, known, risks, **asked)


def verify(
    released: Any,
    certificate: Mapping[str, Any] | Certificate | str | Path,
    *,
    hierarchies: Mapping[str, str | Path | Hierarchy | Mapping[str, Any] | None] | None = None,
    original: Any = None,
    population: Any = None,
) -> verification.Verification:
    """Each item of a certificate: recounted, only stated, or not checkable. `.holds` says whether all agree."""
    stated = public_of(certificate)
    if perturbation.is_perturbation(stated):
        return perturbation.verify(_arrow(released, typed=False)[0], stated)
    verification.check_shape(stated)
    table, _ = _arrow(released, typed=False)
    plan = plan_of(stated, hierarchies or {})
    at_hand = readable(plan)  # without a file its losses and distances can't be recounted, everything else can
    lacking = [name for name in plan.hierarchies if name in plan.recipe.quasi and name not in at_hand]
    view = None if lacking else pipeline.published_view(table, plan, stated["withheld"])
    rows = _arrow(original)[0].num_rows if original is not None else None
    known = plan.recipe.population if not isinstance(plan.recipe.population, str) else None
    behind = everyone(population if population is not None else known) if view or population is None else None
    return verification.check(
        *(table, stated, plan.recipe.roles, plan.models),
        {name: risk() for name, risk in registry.names(Risk).items()},
        {name: loss() for name, loss in registry.names(PublishedLoss).items()},
        view,
        lambda: pipeline.exposed(table, plan, behind, weighed=behind is None and stated.get(PEOPLE_FROM) == "weights"),
        rows,
        at_hand,
        plan.recipe.others,
    )


def attack(
    released: Any,
    *,
    original: Any = None,
    register: Any = None,
    earlier: Any = (),
    certificate: Mapping[str, Any] | Certificate | str | Path | None = None,
    quasi: Names | None = None,
    sensitive: Names | None = None,
    k: int | None = None,
    hierarchies: Mapping[str, str | Path | Hierarchy | Mapping[str, Any] | None] | None = None,
    attacks: str | Attack | Sequence[str | Attack] = "all",
) -> Findings:
    """What an adversary gains from a release over guessing, attack by attack. `.holds` says whether those that gate fail.

    The certificate, where there is one, tells roles, recipe and promises; what is given beside it wins. `original` scores
    the guesses. `register` is what the attacker knows, all of the original where it is not given; with as many rows as the
    original it is about the same people, row by row. Attacks whose material is absent say so.
    """
    if certificate is not None and perturbation.is_perturbation(public_of(certificate)):
        before = None if original is None else _arrow(original)[0]
        found = distorting.attacked_later(before, _arrow(released)[0], public_of(certificate))
        return replace(found, all=tuple(one for one in found.all if one.name in {each.name for each in _attacks(attacks)}))
    given = {"quasi": _names(quasi), "sensitive": _names(sensitive), "k": k}
    plan = plan_beside(certificate, {name: value for name, value in given.items() if value is not None}, hierarchies or {})
    known: dict[str, Any] = {} if k is not None or certificate is not None else {"k": None, "method": None}
    others = [earlier] if isinstance(earlier, str | Path) or hasattr(earlier, "columns") else earlier
    known |= {name: _arrow(table)[0] for name, table in (("original", original), ("register", register)) if table is not None}
    known["earlier"] = tuple(pipeline.material(_arrow(other, typed=False)[0], plan).release for other in others)
    material = pipeline.material(_arrow(released, typed=False)[0], plan, **known)
    if isinstance(released, str | Path) and str(released) != "-":
        material = replace(material, traces=traces(released))
    return attacking.attack(material, _attacks(attacks))


def _attacks(asked: str | Attack | Sequence[str | Attack]) -> list[Attack]:
    every = registry.names(Attack) if asked == "all" else [asked] if isinstance(asked, str | Attack) else asked
    return [registry.make(Attack, one) if isinstance(one, str) else one for one in every]


def distort(
    people: Any,
    *,
    columns: Names = "all",
    method: str | Distortion = distorting.DEFAULT,
    rounded: bool = False,
    shuffled: bool = False,
    clusters: int = 4,
    as_published: bool = False,
    seed: int | None = None,
    progress: Stage = lambda name: unwatched,
) -> Distorted:
    """A table whose numbers were perturbed, and what our own attacks regain of them; every other column stays as it is.

    Raises `shoal.errors.PrivacyNotMet` where an attack takes the protection off, unless `as_published`. Noise comes from the
    operating system; `seed` is for experiments alone. `clusters` is how many k-means looks for when effects are measured.

    >>> import pyarrow as pa
    >>> people = pa.table({"name": list("abcdefgh"), "pay": [900, 950, 990, 1010, 1100, 1130, 1180, 1250]})
    >>> found = distort(people, columns=["pay"], rounded=True, seed=1)
    >>> found.table.schema.types == people.schema.types, found.table["name"] == people["name"]
    (True, True)
    """
    named = columns if isinstance(columns, str) else _names(columns) or ()
    asked = distorting.Asked(named, _spelled(method), rounded, shuffled, clusters, as_published, seed)
    table, back = _arrow(people)
    outcome = distorting.run(table, asked, progress)
    measured = (outcome.findings, outcome.effects, outcome.notices, outcome.seconds)
    return Distorted(back(outcome.table), outcome.certificate, *measured, outcome.table)


def inspect(people: Any) -> inspection.Inspection:
    """Suggested roles with reasons, and which columns single people out."""
    table, _ = _arrow(people)
    check_table(table)
    return inspection.inspect(table)


def _release(outcome: Outcome, recipe: Recipe, back: Callable[[pa.Table], Any], population: Source) -> Release:
    return Release(
        table=back(outcome.table),
        groups=outcome.groups.labels,
        certificate=outcome.certificate,
        losses=outcome.losses,
        risks=outcome.risks,
        notices=outcome.notices,
        seconds=outcome.seconds,
        recipe=recipe,
        published=outcome.table,
        population=population,
    )


def _recipe(recipe: Recipe | str | Path | None, given: Mapping[str, Any]) -> Recipe:
    """A recipe with what was given beside it, which wins."""
    if recipe is not None and not isinstance(recipe, Recipe):
        recipe = Recipe.read(recipe)
    if recipe is not None and not given:
        return recipe
    return Recipe.of(**under_preset({**(recipe.as_dict() if recipe else {}), **given}, given))


def _names(names: Names | None) -> tuple[str, ...] | None:
    if names is None or isinstance(names, str):
        return names if names is None else (names,)
    return tuple(str(name) if isinstance(name, str) else name for name in names)  # NumPy's texts are texts


def _each(models: str | Model | Sequence[str | Model]) -> Sequence[str | Model]:
    return (models,) if isinstance(models, str | Model) else models


def _spelled(part: str | Method | Model | Distortion) -> str:
    return part if isinstance(part, str) else registry.spell(part)


def _model(text: str) -> str:
    """`k=5` is short for k-anonymity."""
    return f"k-anonymity:{text}" if text.replace(" ", "").startswith("k=") else text
