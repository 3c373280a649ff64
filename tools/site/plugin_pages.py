"""Plug-in pages: one for each method, model, loss and so on, from its module's docstring."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from shoal import registry
from shoal.attacks.attack import Attack
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.distortions.distortion import Distortion
from shoal.mining.task import Task
from shoal.overlap.overlap import Overlap
from shoal.partition.method import Method
from shoal.privacy.model import Model
from shoal.recode.recoder import Recoder
from shoal.review.effects.effect import Effect
from shoal.review.losses.loss import Loss
from shoal.review.losses.published import PublishedLoss
from shoal.review.risks.risk import Risk

DOCS = Path(__file__).resolve().parents[2] / "docs"


@dataclass(frozen=True)
class Kind:
    """A kind of plug-in: its folder in the catalogue, and how one asks for one of it."""

    folder: str
    bases: tuple[type, ...]
    about: str
    """What all of them are, in a sentence or two."""
    terminal: str = ""
    """How one is asked for at the terminal; NAME stands for it."""
    python: str = ""
    cost: str = ""
    """What each costs that does not say so itself."""

    @property
    def title(self) -> str:
        """The heading of its list."""
        return {"recoders": "Ways to publish", "tasks": "Mining tasks"}.get(
            self.folder, self.folder.capitalize()
        )

    @property
    def plugins(self) -> Mapping[str, type]:
        """All of them by name, in alphabetical order."""
        named: dict[str, type] = {}
        for base in self.bases:
            named |= registry.names(base)
        return dict(sorted(named.items()))


KINDS = (
    Kind(
        "methods",
        (Method, Overlap),
        "A method decides which rows are published as one. The default is `shoal`;"
        " [Which method?](../../questions/which-method.md) helps to choose another one.",
        "shoal anonymize ... --method NAME",
        'shoal.anonymize(..., method="NAME")',
    ),
    Kind(
        "models",
        (Model,),
        "A model is a promise about groups: nothing is released that does not keep it."
        " [Privacy models](../../concepts/privacy-models.md) compares all of them on one table.",
        "shoal anonymize ... --model NAME",
        'shoal.anonymize(..., models=["NAME"])',
        cost="the values of each group are counted once, in one pass over the rows.",
    ),
    Kind(
        "losses",
        (Loss, PublishedLoss),
        "A loss says how much detail a release gave up; less is better."
        " [How do I read this figure?](../../questions/reading-figures.md) says which to look at.",
        "shoal anonymize ... --verbose",
        'release.loss("NAME")',
        cost="about one pass over the cells.",
    ),
    Kind(
        "risks",
        (Risk,),
        "A risk says what a table gives away; less is better."
        " [Risks](../../concepts/risks.md) sorts them by the question that they answer.",
        "shoal audit ... --verbose",
        'shoal.audit(...).risks["NAME"]',
        cost="one count of equal rows, which all risks share, and a step or two for each group.",
    ),
    Kind(
        "attacks",
        (Attack,),
        "An attack tries to get more out of a release than it should tell, and is scored beside a"
        " guess without the release. Some must fail before anything is released.",
        "shoal attack ... --attacks NAME",
        'shoal.attack(..., attacks="NAME")',
    ),
    Kind(
        "hierarchies",
        (Hierarchy,),
        "A hierarchy says how the values of one column become coarser, step by step."
        " [Hierarchies](../../guides/hierarchies.md) shows how to write and choose them.",
        "shoal anonymize ... --hierarchy COLUMN=NAME",
        'shoal.anonymize(..., hierarchies={"COLUMN": "NAME"})',
        cost="one pass over the different values for each level.",
    ),
    Kind(
        "recoders",
        (Recoder,),
        "A way to publish says how the cells of a group are written."
        " [What is published](../../concepts/what-is-published.md) shows all of them.",
        "shoal anonymize ... --publish NAME",
        'shoal.anonymize(..., publish="NAME")',
        cost="one pass over the rows of each column.",
    ),
    Kind(
        "distortions",
        (Distortion,),
        "A distortion adds noise to numbers and leaves rows as they are; our own attacks must fail"
        " on what comes out.",
        "shoal distort ... --method NAME",
        'shoal.distort(..., method="NAME")',
    ),
    Kind(
        "effects",
        (Effect,),
        "An effect says what a distortion did to the numbers of a table.",
        "shoal distort ... --json",
        'shoal.distort(...).effects["NAME"]',
    ),
    Kind(
        "tasks",
        (Task,),
        "A task measures what a release is still good for, beside the original."
        " [Mining](../../guides/mining.md) shows them at work.",
        "shoal mine ... --tasks NAME",
        'shoal.mine(..., tasks="NAME")',
    ),
)


def pages() -> dict[str, str]:
    """Return the catalogue: its first page, a list for each kind, a page for each plug-in."""
    made = {"catalogue/index.md": _catalogue()}
    for kind in KINDS:
        made[f"catalogue/{kind.folder}/index.md"] = _list_of(kind)
        for name, plugin in kind.plugins.items():
            made[f"catalogue/{kind.folder}/{name}.md"] = page(kind, name, plugin)
    return made


def places() -> dict[str, str]:
    """Return where the page of each plug-in stands, by name; the first kind has a shared name."""
    found: dict[str, str] = {}
    for kind in KINDS:
        for name in kind.plugins:
            found.setdefault(name, f"catalogue/{kind.folder}/{name}.md")
    return found


def page(kind: Kind, name: str, plugin: type) -> str:
    """Return the page of a plug-in: what it is, how to ask for it, its parameters, all about it."""
    first, _, rest = body(plugin).partition("\n\n")
    parts = [f"# {name}", _sentence(first), *_picture(kind, name), *_asked(kind, name, plugin)]
    parts += [*_parameters(plugin), rest, *_cost(kind, rest)]
    return "\n\n".join(part for part in parts if part) + "\n"


def body(plugin: type) -> str:
    """Return the documentation of a plug-in: the docstring of its module, or its own.

    A module with several plug-ins documents each in its class.
    """
    module = inspect.getmodule(plugin)
    text = inspect.getdoc(module) or ""
    name = str(vars(plugin)["name"])
    if not text.startswith(f"`{name}`"):
        text = inspect.getdoc(plugin) or text
    return text


def _sentence(text: str) -> str:
    """Turn "`name`: what it is." into a sentence of its own."""
    said = re.sub(r"^`[^`]+`(?: \([^)]*\))?:\s*", "", text)
    return said[:1].upper() + said[1:]


def _asked(kind: Kind, name: str, plugin: type) -> Iterator[str]:
    """Show how a plug-in is asked for at both doors."""
    rows = [("terminal", kind.terminal), ("Python", kind.python)]
    shown = [f"| {door} | `{how.replace('NAME', name)}` |" for door, how in rows if how]
    yield "\n".join(["| ask for it | |", "|---|---|", *shown])


def _cost(kind: Kind, text: str) -> Iterator[str]:
    """Say what all of a kind cost, where the text of a plug-in does not say what it costs."""
    if kind.cost and "Cost:" not in " ".join(text.split()):
        yield f"Cost: {kind.cost}"


def _parameters(plugin: type) -> Iterator[str]:
    """List the parameters of a plug-in with their defaults and what they take."""
    every = fields(plugin) if hasattr(plugin, "__dataclass_fields__") else ()
    hints = get_type_hints(plugin)
    rows = []
    for field in every:
        if not field.init or (field.name == "on" and not getattr(plugin, "needs_sensitive", False)):
            continue
        default = "needed" if field.default is MISSING else f"`{field.default}`"
        rows.append(f"| `{field.name}` | {_takes(hints[field.name])} | {default} |")
    if rows:
        yield "\n".join(["| parameter | takes | default |", "|---|---|---|", *rows])


def _takes(hint: Any) -> str:
    """Say in words what values a parameter takes."""
    if get_origin(hint) is Literal:
        return ", ".join(f"`{word}`" for word in get_args(hint))
    if get_origin(hint) is tuple:
        return "several, with `;` between"
    options = [option for option in get_args(hint) if option is not type(None)]
    if options:
        return _takes(options[0])
    plain = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    return plain.get(hint, "a tree of dicts and lists")


def _picture(kind: Kind, name: str) -> Iterator[str]:
    """Show the picture of a plug-in, where one was drawn."""
    place = f"pictures/{kind.folder}/{name}.svg"
    if (DOCS / place).exists():
        yield f"![What {name} does with points in a plane](../../{place}){{ .plane }}"


def _list_of(kind: Kind) -> str:
    """Return the list of a kind: a line for each."""
    rows = [
        f"| [{name}]({name}.md) | {_cell(registry.summary(plugin))} |"
        for name, plugin in kind.plugins.items()
    ]
    return "\n\n".join(
        [f"# {kind.title}", kind.about, "\n".join(["| name | in a line |", "|---|---|", *rows])]
    )


def _catalogue() -> str:
    """Return the first page of the catalogue."""
    rows = [
        f"| [{kind.title}]({kind.folder}/index.md) | {len(kind.plugins)} |"
        f" {_cell(kind.about.split('. ')[0].rstrip('.'))} |"
        for kind in KINDS
    ]
    text = (
        "Everything that Shoal can do by name. Each has a page: what it is, how it is asked for, \
an example by hand, what it costs, and its source."
    )
    table = "\n".join(["| | | |", "|---|--:|---|", *rows])
    return "\n\n".join(["# Catalogue", text, table]) + "\n"


def _cell(text: str) -> str:
    """Return a text as it stands in a cell of a table."""
    return textwrap.shorten(text.replace("|", "\\|"), 400)
