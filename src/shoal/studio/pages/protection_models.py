"""Further promises: draws every privacy model of the registry with its sentence and parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from types import UnionType
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

import msgspec
from nicegui import ui

from shoal import registry
from shoal.errors import ShoalError
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import Model
from shoal.recipe import Recipe
from shoal.studio.desk import Desk
from shoal.studio.frame import listen
from shoal.studio.pages.checking import ask, problems_of
from shoal.studio.pages.dial import Dial
from shoal.studio.pages.result_panels import figures
from shoal.studio.words import in_words

RECOMMENDED = {  # names of models, in plain words
    "l-diversity": "Several different values in every group: nobody's is certain.",
    "alpha-k": "No value is held by more than a part of any group: nobody's can be guessed easily.",
    "t-closeness": "Every group is like the whole table: a group tells hardly more than all do.",
}
PLACE = "promises"  # where a link to them leads, on the page of protection
START = 1  # of a parameter for which a model names no usual range
NO_POPULATION = "needs a table of everybody (below, Everybody)"


def models(desk: Desk) -> None:
    """Draw all models but k-anonymity, which has a place of its own."""
    ui.link_target(PLACE)
    ui.label("Further promises").classes("side-title")
    ui.label(
        "k stops finding someone's row. It does not stop learning something about them, where all "
        "rows that look alike share one diagnosis. These promises do, each in its way, and each "
        "costs more. They can be combined."
    ).classes("faint")
    judged = ui.label().classes("faint")
    why = ui.label().classes("warn").props('data-testid="why-promise"')
    known = {
        name: model for name, model in registry.names(Model).items() if model is not KAnonymity
    }
    with ui.element("div").classes("columns"):
        cards = [Card(desk, known[name], plain) for name, plain in RECOMMENDED.items()]
    others = ui.expansion("More promises").classes("paper").props('data-testid="more-promises"')
    with others, ui.element("div").classes("columns"):
        cards += [Card(desk, model) for name, model in known.items() if name not in RECOMMENDED]

    def look() -> None:
        """Say why this very table needs a promise, once a preview has counted its groups."""
        job = desk.jobs.get("preview")
        why.set_text(reason(job.told[-1] if job is not None and job.told else {}))

    def follow() -> None:
        named = ", ".join(desk.recipe.sensitive)
        judged.set_text(
            f"They judge each sensitive column, unless one names its own: {named}."
            if named
            else "No column is sensitive yet (see Roles)."
        )
        for card in cards:
            card.follow()

    listen(desk, follow)
    ui.timer(1.0, look)


def reason(told: Mapping[str, Any]) -> str:
    """Say in how many groups of a preview everyone shares one sensitive value.

    >>> reason({"agreed": {"diagnosis": 23, "cost": 0}, "groups": 300})
    'diagnosis: 23 of 300 groups share one value, so it is learnt of everyone in them.'
    >>> reason({"agreed": {"cost": 0}, "groups": 300})
    ''
    """
    shared = [
        f"{name}: {count:,} of {told['groups']:,} groups share one value"
        for name, count in told.get("agreed", {}).items()
        if count
    ]
    return f"{'; '.join(shared)}, so it is learnt of everyone in them." if shared else ""


class Card:
    """Draw one model: a switch, and once it is asked for, its parameters."""

    def __init__(self, desk: Desk, model: type[Model], plain: str = "") -> None:
        self.desk = desk
        self.model = model
        self.controls: dict[str, Callable[[Any], object]] = {}
        self.given: dict[str, Any] = starts(model)
        with ui.element("div").classes("paper stack model"):
            self.switch = ui.switch(
                model.name, on_change=lambda event: self._switched(bool(event.value))
            )
            self.switch.props["data-testid"] = f"model-{model.name}"
            ui.label(plain or registry.summary(model))
            self.reason = ui.label().style("white-space: pre-line")
            with ui.element("div").classes("stack") as self.parameters:
                for field in shown_parameters(model):
                    self.controls[field.name] = self._control(
                        field, get_type_hints(model)[field.name]
                    )
            with ui.expansion("A small example").props("dense"):
                head, *rows = registry.example(model)
                figures(head, rows, f"An example of {model.name}")

    def follow(self) -> None:
        """Show what is asked now."""
        text = asked(self.desk.recipe, self.model)
        if text is not None:
            self.given = vars(registry.make(Model, text)).copy()
        for name, put in self.controls.items():
            put(self.given[name])
        reason = refusal(self.desk.recipe, self.model, text)
        self.switch.set_value(text is not None)
        self.switch.set_enabled(text is not None or reason is None)
        self.parameters.set_visibility(text is not None)
        self._say(reason)

    def _say(self, reason: str | None) -> None:
        self.reason.set_text(reason or "")
        self.reason.set_visibility(reason is not None)
        self.reason.classes(replace="problem" if self.switch.value else "faint")

    def _switched(self, on: bool) -> None:
        if on != (asked(self.desk.recipe, self.model) is not None):
            self._ask(self.given if on else None)

    def _set(self, name: str, value: Any) -> None:
        if asked(self.desk.recipe, self.model) is not None and self.given.get(name) != value:
            self._ask({**self.given, name: value})

    def _ask(self, given: dict[str, Any] | None) -> None:
        """Ask for the model with these parameters, or no more for it; say what can't be."""
        others = [
            text for text in self.desk.recipe.models if registry.parse(text)[0] != self.model.name
        ]
        try:
            if given is None:
                mine = []
            else:
                mine = [registry.spell(registry.create(Model, self.model.name, given))]
        except ShoalError as error:
            self._say(in_words(error))
        else:
            ask(self.desk, models=[*others, *mine])

    def _control(self, field: Field[Any], hint: Any) -> Callable[[Any], object]:
        """Draw a control for one parameter, and return how to show a value in it."""
        name = field.name
        value = self.given[field.name]
        if get_origin(hint) is Literal:
            pick = ui.select(list(get_args(hint)), label=name, value=value).props("dense outlined")
            pick.on_value_change(lambda event: self._set(name, event.value))
            return pick.set_value
        if get_origin(hint) is tuple:
            what = "on these columns" if name == "on" else name
            label = f"{what}, with ; between (empty: all)"
            typed = ui.input(label, value="; ".join(map(str, value)))
            typed.props("dense outlined debounce=600")
            typed.on_value_change(lambda event: self._set(name, _listed(event.value)))
            return lambda values: typed.set_value("; ".join(map(str, values)))
        if isinstance(hint, UnionType):
            number = ui.number(f"{name} (empty: as above)", min=1).props(
                "dense outlined debounce=600 clearable"
            )
            number.on_value_change(lambda event: self._set(name, _whole(event.value)))
            return number.set_value
        usual = self.model.usual.get(name)
        dial = Dial(
            name,
            value,
            lambda value: self._set(name, value),
            ends=usual and usual[1:],
            whole=hint is int,
        )
        return dial.put


def shown_parameters(model: type[Model]) -> list[Field[Any]]:
    """List the parameters that are drawn: those of the model, then the columns it guards."""
    every = fields(cast(Any, model))
    own = [field for field in every if field.name != "on"]
    on = [field for field in every if field.name == "on" and model.needs_sensitive]
    return [*own, *on]


def asked(recipe: Recipe, model: type[Model]) -> str | None:
    """Return how a recipe asks for this model; None where it does not."""
    return next((text for text in recipe.models if registry.parse(text)[0] == model.name), None)


def starts(model: type[Model]) -> dict[str, Any]:
    """Return the values to begin with: usual ones of promises, and defaults of all else."""
    values = {}
    for field in fields(cast(Any, model)):
        begin = model.usual.get(field.name, (START,))[0]
        values[field.name] = begin if field.default is MISSING else field.default
    return values


def refusal(recipe: Recipe, model: type[Model], text: str | None = None) -> str | None:
    """Return why this model can't stand beside the rest of the recipe; None where it can."""
    if model.judges == "population" and not isinstance(recipe.population, str):
        return NO_POPULATION
    text = text or registry.spell(registry.create(Model, model.name, starts(model)))
    before = problems_of(msgspec.structs.replace(recipe, models=()))
    new = [
        one
        for one in problems_of(msgspec.structs.replace(recipe, models=(text,)))
        if one not in before
    ]
    return (
        "\n".join(new).replace(
            "what helps: one of:", "what helps: another method (below, More), one of:"
        )
        or None
    )


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(";") if part.strip())


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
