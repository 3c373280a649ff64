"""Limits: what engines can't do, said once. Refusals, help and documentation are made from it.

An engine names its limits in `Engine.cannot`; each is an entry of `LIMITS` here, which knows how
to tell from a request whether it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.errors import RecipeError
from shoal.flows.port import Engine, Request
from shoal.recipe import Recipe, options_of, recipe_options_not_with
from shoal.wording import Option, Part, Python, Remedy, Sentence, Set, said

AnyEngine = Engine[Any] | type[Engine[Any]]


class Markdown(Python):
    """The door of the documentation: options are code, as Python spells them."""

    def option(self, option: Option) -> str:
        """Spell the name of an option."""
        return f"`{super().option(option)}`"

    def setting(self, setting: Set) -> str:
        """Spell an option with its value."""
        return f"`{super().setting(setting)}`"


MARKDOWN = Markdown()


@dataclass(frozen=True)
class Limit:
    """Something that can be asked of a release, and that some engine can't do."""

    words: Part
    """What is asked, for people who read a list."""
    asked: Callable[[Request], Iterable[Part]] = lambda request: ()
    """What a request asks for of this, as options that a door spells; empty where it does not."""
    in_python_alone: bool = False
    """Whether nobody at the terminal could ask for it."""


def _options() -> Iterable[str]:
    """List the options of a recipe that some engine can't serve, as their declarations say."""
    return dict.fromkeys((*recipe_options_not_with("disk"), *recipe_options_not_with("spark")))


def _option(name: str) -> Callable[[Request], Iterable[Part]]:
    """Tell whether an option of the recipe was given."""

    def asked(request: Request) -> Iterable[Part]:
        return (Option(name),) if options_of(Recipe)[name].is_asked(request.recipe) else ()

    return asked


def _publish(name: str) -> Callable[[Request], Iterable[Part]]:
    """Tell whether some column is published in a way."""

    def asked(request: Request) -> Iterable[Part]:
        ways = {recoder.name for recoder in request.plan.recoders.values()}
        return (Set("publish", name),) if name in ways else ()

    return asked


def _population(request: Request) -> Iterable[Part]:
    given = request.population is not None or request.recipe.population is not None
    return (Option("population"),) if given else ()


def _levels(request: Request) -> Iterable[Part]:
    return (Set("method", request.recipe.method),) if request.plan.method.sets_levels else ()


def _beyond_groups(request: Request) -> Iterable[Part]:
    beyond = [model.name for model in request.plan.models if model.judges != "group"]
    return tuple(Set("models", (name,)) for name in beyond)


def _counterfeits(request: Request) -> Iterable[Part]:
    return tuple(Set("models", (model.name,)) for model in request.plan.models if model.balances)


LIMITS = {
    **{name: Limit(Option(name), _option(name)) for name in _options()},
    "population": Limit(Option("population"), _population),
    "k = 1": Limit(Set("k", 1), lambda request: (Set("k", 1),) if request.recipe.k < 2 else ()),
    "centre": Limit(Set("publish", "centre"), _publish("centre")),
    "bounds": Limit(Set("publish", "bounds"), _publish("bounds")),
    "sets": Limit(Set("publish", "sets"), _publish("sets")),
    "beyond groups": Limit("models that look beyond groups", _beyond_groups),
    "counterfeits": Limit("models that fill groups up with counterfeits", _counterfeits),
    "levels": Limit(
        Sentence("one level for each column in all rows (", Set("method", "full-domain"), ")"),
        _levels,
    ),
    "bound": Limit(Option("bound"), lambda request: (Option("bound"),) if request.thorough else ()),
    "ledger": Limit(
        Option("ledger"), lambda request: (Option("ledger"),) if request.across else ()
    ),
    "overlap": Limit(Sentence("overlapping boxes (", Set("method", "nsvdist"), ")")),
    "report": Limit("a report"),
    "groups": Limit("`release.groups`", in_python_alone=True),
}
"""Everything that some engine can't do, by the name that `Engine.cannot` uses.

The last three are asked for at a door and not in a request: `refused` says that they can't be had.
"""


def refusals(engine: AnyEngine, request: Request) -> list[RecipeError]:
    """List one error for each thing in a request that an engine can't do."""
    asked = [what for name in engine.cannot for what in LIMITS[name].asked(request)]
    return [refused(engine, what) for what in dict.fromkeys(asked)]


def refuse_overlap(engine: AnyEngine, recipe: Recipe) -> None:
    """Refuse a method that gives each row a box of its own, where an engine can't do it."""
    if recipe.overlaps and "overlap" in engine.cannot:
        raise refused(engine, Set("method", recipe.method))


def refused(engine: AnyEngine, what: Part) -> RecipeError:
    """Say that an engine can't do something, and what to do instead."""
    ways = ("leave it out", engine.instead) if engine.instead else ("leave it out",)
    return RecipeError(Sentence(engine.called, " can't do ", what), remedy=Remedy(*ways))


def table_of(engines: Sequence[AnyEngine]) -> str:
    """Write which engine can't do what, as a Markdown table for the documentation."""
    shown = {name: limit for name, limit in LIMITS.items() if _known(name, engines)}
    head = ["", *(engine.name for engine in engines)]
    lines = [head, ["---"] * len(head)]
    for name, limit in shown.items():
        words = said(Sentence(limit.words), MARKDOWN)
        lines.append([words, *("no" if name in of.cannot else "yes" for of in engines)])
    return "\n".join(f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in lines)


def sentence_of(engine: AnyEngine) -> Sentence:
    """Say in one sentence what an engine can't do, for help at the terminal."""
    listed = [LIMITS[name].words for name in engine.cannot if not LIMITS[name].in_python_alone]
    words = [part for each in listed for part in (", ", each)][1:]
    return Sentence(engine.called, " can't do: ", *words, ".")


def _known(name: str, engines: Sequence[AnyEngine]) -> bool:
    return any(name in engine.cannot for engine in engines)
