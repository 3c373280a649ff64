"""The public door: tables in, verified releases out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from shoal import pipeline, registry
from shoal.adapters import files, frames
from shoal.adapters.staged import Staged
from shoal.arrays import Labels
from shoal.comparison import comparing
from shoal.comparison.kept import Kept
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.roles import check_table
from shoal.errors import DataError, PrivacyNotMet, RecipeError, ShoalError, did_you_mean
from shoal.groups import Watch, unwatched
from shoal.partition.method import Method
from shoal.partition.refinement import Effort
from shoal.pipeline import Outcome, Stage
from shoal.privacy.model import Model
from shoal.recipe import Plan, Recipe
from shoal.review import audit as auditing
from shoal.review import inspection, verification
from shoal.review.certificate import Certificate, as_json
from shoal.review.fingerprint import fingerprint
from shoal.review.losses.published import PublishedLoss
from shoal.review.risks.risk import Risk
from shoal.review.verify import verify as gate

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
    risks: Mapping[str, Mapping[str, float | None]]
    notices: tuple[str, ...]
    seconds: Mapping[str, float]
    recipe: Recipe
    published: pa.Table

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
            self._recount(files.read(written, typed=False))

    def _recount(self, written: pa.Table) -> None:
        """The gate once more, on what is really in the file."""
        gate(written, self.recipe.quasi, self.recipe.sensitive, self.recipe.plan().models)
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
    refine: bool | None = None,
    publish: str | Mapping[str, str] | None = None,
    importance: Mapping[str, float] | None = None,
    withhold: float | None = None,
    missing: Literal["own", "refuse"] | None = None,
    seed: int | None = None,
    keep_order: bool | None = None,
    recipe: Recipe | str | Path | None = None,
    progress: Stage = lambda name: unwatched,
) -> Release:
    """A release in which every row looks like at least k-1 others on its quasi-identifiers, recounted before it is returned.

    Raises `shoal.errors.PrivacyNotMet` and returns nothing where a promise can't be kept. What is not given is as in the
    recipe, or else as in `shoal.Recipe`: k is 5, intervals are snapped, no row is withheld.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 33, 52, 58], "city": ["Oslo", "Oslo", "Rome", "Rome"], "ill": ["flu", "cold"] * 2})
    >>> release = anonymize(people, quasi=["age", "city"], sensitive=["ill"], k=2)
    >>> release.table["city"].to_pylist()
    ['Oslo', 'Oslo', 'Rome', 'Rome']
    """
    given = {
        "quasi": _names(quasi),
        "sensitive": _names(sensitive),
        "identifiers": _names(identifiers),
        "keep": _names(keep),
        "force_keep": _names(force_keep),
        "k": k,
        "loss": loss,
        "effort": effort,
        "refine": refine,
        "publish": publish,
        "importance": importance,
        "withhold": withhold,
        "missing": missing,
        "seed": seed,
        "keep_order": keep_order,
        "models": None if models is None else [_spelled(model) for model in _each(models)],
        "method": None if method is None else _spelled(method),
        "hierarchies": None if hierarchies is None else {name: _spec(spec) for name, spec in hierarchies.items()},
    }
    asked = _recipe(recipe, {name: value for name, value in given.items() if value is not None})
    table, back = _arrow(people)
    outcome = pipeline.run(table, asked, stage=progress)
    return _release(outcome, asked, back)


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
        "hierarchies": None if hierarchies is None else {name: _spec(spec) for name, spec in hierarchies.items()},
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
) -> auditing.Audit:
    """What a table gives away, measured from its published values alone: k, the other models, and the risks.

    With `require`, raises `shoal.errors.PrivacyNotMet` unless every named model holds.
    """
    table, _ = _arrow(released, typed=False)
    check_table(table)
    required = [registry.make(Model, _model(model)) if isinstance(model, str) else model for model in _each(require)]
    risks = {name: risk() for name, risk in registry.names(Risk).items()}
    known = registry.names(Model)
    columns = (_names(quasi) or (), _names(sensitive) or ())
    return auditing.audit(table, *columns, known, risks, missing=missing, require=required)


def verify(
    released: Any,
    certificate: Mapping[str, Any] | Certificate | str | Path,
    *,
    hierarchies: Mapping[str, str | Path | Hierarchy | Mapping[str, Any] | None] | None = None,
    original: Any = None,
) -> verification.Verification:
    """Each item of a certificate: recounted, only stated, or not checkable. `.holds` says whether all agree."""
    stated = _public(certificate)
    verification.check_shape(stated)
    table, _ = _arrow(released, typed=False)
    plan = _plan_of(stated, hierarchies or {})
    try:
        view = pipeline.published_view(table, plan, stated["withheld"])
        for hierarchy in view.hierarchies.values():
            _ = hierarchy.public_shares([]) if hierarchy is not None else None
    except DataError:  # a hierarchy file is not at hand: its losses can't be recounted, everything else can
        view = None
    rows = _arrow(original)[0].num_rows if original is not None else None
    return verification.check(
        *(table, stated, plan.recipe.roles, plan.models),
        {name: risk() for name, risk in registry.names(Risk).items()},
        {name: loss() for name, loss in registry.names(PublishedLoss).items()},
        view,
        rows,
    )


def inspect(people: Any) -> inspection.Inspection:
    """Suggested roles with reasons, and which columns single people out."""
    table, _ = _arrow(people)
    check_table(table)
    return inspection.inspect(table)


def _arrow(frame: Any, *, typed: bool = True) -> tuple[pa.Table, Callable[[pa.Table], Any]]:
    """Anything with rows as an Arrow table, and the way back."""
    if isinstance(frame, str | Path):
        return files.read(frame, typed=typed), lambda table: table
    return frames.to_arrow(frame)


def _release(outcome: Outcome, recipe: Recipe, back: Callable[[pa.Table], Any]) -> Release:
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
    )


def certificate_places(place: str | Path, certificate: str | Path | None = None) -> tuple[Path, ...]:
    """Where the public and the private part go: beside the release, or beside the certificate that was named."""
    if str(place) == "-" and certificate is None:
        return ()
    if str(certificate) == "-":
        raise RecipeError(
            "a certificate has two parts, and so goes to files", remedy="--certificate released.certificate.json"
        )
    public = Path(certificate) if certificate else Path(f"{place}.certificate.json")
    stem = public.name.removesuffix(".json").removesuffix(".certificate")
    return public, public.with_name(f"{stem}.private.json")


def _recipe(recipe: Recipe | str | Path | None, given: Mapping[str, Any]) -> Recipe:
    """A recipe with what was given beside it, which wins."""
    if recipe is not None and not isinstance(recipe, Recipe):
        recipe = Recipe.read(recipe)
    return recipe if recipe is not None and not given else Recipe.of(**{**(recipe.as_dict() if recipe else {}), **given})


def _names(names: Names | None) -> tuple[str, ...] | None:
    if names is None or isinstance(names, str):
        return names if names is None else (names,)
    return tuple(str(name) if isinstance(name, str) else name for name in names)  # NumPy's texts are texts


def _each(models: str | Model | Sequence[str | Model]) -> Sequence[str | Model]:
    return (models,) if isinstance(models, str | Model) else models


def _spelled(part: str | Method | Model) -> str:
    return registry.spell(part) if isinstance(part, Method | Model) else part


def _model(text: str) -> str:
    """`k=5` is short for k-anonymity."""
    return f"k-anonymity:{text}" if text.replace(" ", "").startswith("k=") else text


def _spec(hierarchy: str | Path | Hierarchy | Mapping[str, Any] | None) -> str | dict[str, Any]:
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
    if any(isinstance(value, Mapping | str) for value in fields.values()):  # texts may hold what separates parameters
        return {"kind": hierarchy.name, **{name: value for name, value in fields.items() if value is not None}}
    return registry.spell(hierarchy)


def _public(certificate: Mapping[str, Any] | Certificate | str | Path) -> Mapping[str, Any]:
    if isinstance(certificate, Certificate):
        return certificate.public
    if isinstance(certificate, Mapping):
        return certificate
    try:
        stated = json.loads(Path(certificate).read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"the certificate '{certificate}' can't be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise DataError(f"'{certificate}' is not a certificate: it is not JSON") from None
    if not isinstance(stated, dict):
        raise DataError(f"'{certificate}' is not a certificate")
    return stated


def _plan_of(stated: Mapping[str, Any], hierarchies: Mapping[str, Any]) -> Plan:
    """The recipe that a certificate states, with hierarchies found where the user says."""
    try:
        recipe = Recipe.of(**stated["recipe"])
        found = {name: _spec(spec) for name, spec in hierarchies.items() if name in recipe.quasi}
        return Recipe.of(**{**recipe.as_dict(), "hierarchies": {**recipe.hierarchies, **found}}).plan()
    except ShoalError as error:
        raise PrivacyNotMet("the recipe in this certificate is damaged", {"reason": error.problem}) from None
