"""Python pages: one for each public function and class, from signature and docstring."""

from __future__ import annotations

from dataclasses import dataclass

import shoal


@dataclass(frozen=True)
class Shown:
    """A class with the members that users meet; a new one is added here."""

    path: str
    members: tuple[str, ...]
    about: str


FUNCTIONS = {
    "anonymize": "shoal.api.anonymizing.anonymize",
    "apply": "shoal.api.applying.apply",
    "audit": "shoal.api.auditing.audit",
    "verify": "shoal.api.auditing.verify",
    "inspect": "shoal.api.auditing.inspect",
    "compare": "shoal.api.anonymizing.compare",
    "attack": "shoal.api.attacking.attack",
    "mine": "shoal.api.mining.mine",
    "distort": "shoal.api.distorting.distort",
}
RELEASE = (
    *("table", "columns", "loss", "losses", "risks", "notices", "certificate", "groups", "seconds"),
    *("write", "report", "scheme"),
)
KINDS = (
    *("read", "masks", "us_zip", "intervals", "ladder", "dates", "nested", "listed"),
    *("flat", "name"),
)
CLASSES = {
    "Release": Shown("shoal.api.release.Release", RELEASE, "what `anonymize` returns"),
    "Recipe": Shown(
        "shoal.recipe.recipe.Recipe",
        ("of", "read", "to_toml", "as_dict", "schema", "check"),
        "everything that is asked, as plain data",
    ),
    "Hierarchy": Shown(
        "shoal.declare.hierarchies.hierarchy.Hierarchy", KINDS, "how a column becomes coarser"
    ),
    "Audit": Shown(
        "shoal.review.audit.Audit",
        ("rows", "groups", "k", "models", "risks", "unmet", "holds", "require", "as_dict"),
        "what `audit` returns",
    ),
    "Verification": Shown(
        "shoal.review.verdict.Verification",
        ("items", "holds", "signed_by", "require"),
        "what `verify` returns",
    ),
    "Inspection": Shown(
        "shoal.review.inspection.Inspection",
        ("rows", "columns", "pairs", "alone", "people", "notices", "names", "command", "call"),
        "what `inspect` returns",
    ),
    "Findings": Shown(
        "shoal.attacks.findings.Findings",
        ("all", "tried", "holds", "require", "as_dict"),
        "what `attack` returns",
    ),
    "Mined": Shown(
        "shoal.mining.mining.Mined", ("utility", "risk", "as_dict"), "what `mine` returns"
    ),
    "Distorted": Shown(
        "shoal.adapters.distorted.Distorted",
        ("table", "certificate", "findings", "effects", "write"),
        "what `distort` returns",
    ),
    "ShoalWarning": Shown("shoal.errors.ShoalWarning", (), "the category of notices as warnings"),
}
MODULES = {
    "graph": Shown("shoal.api.graph", ("anonymize", "read"), "the same for who knows whom"),
    "datasets": Shown(
        "shoal.api.datasets",
        ("names", "about", "path", "table", "hierarchies"),
        "the public tables of our tests and benchmarks",
    ),
}
SAID = """# Python

`import shoal` gives these names. Every result shows itself: in a terminal as a few lines, in a
notebook as a small page.

"""
AFTER = """
Every privacy model is a class of this module, too (`shoal.LDiversity(l=3)`): the
[catalogue](../../catalogue/models/index.md) lists them. Methods are in `shoal.methods`
(`shoal.methods.KMember()`). Everything that takes an object also takes its name as text:
`models=["l-diversity(l=3)"]`, `method="k-member"`.

Refusals are `shoal.errors.PrivacyNotMet` (a promise can't be kept), `shoal.errors.RecipeError` (the
call is wrong) and `shoal.errors.DataError` (the table can't be used). Nothing is written then.
"""


def pages() -> dict[str, str]:
    """Return a page for each public name, and the list of all."""
    made = {"reference/python/index.md": _list()}
    for name, path in FUNCTIONS.items():
        made[f"reference/python/{name}.md"] = _page(f"shoal.{name}", path, {})
    for name, shown in MODULES.items():
        options = {"members": list(shown.members)}
        made[f"reference/python/{name}.md"] = _page(f"shoal.{name}", shown.path, options)
    for name, shown in CLASSES.items():
        public = f"shoal.{name}" if name in shoal.__all__ else name
        options = {"members": list(shown.members), "merge_init_into_class": False}
        options["show_signature"] = False
        made[f"reference/python/{name}.md"] = _page(public, shown.path, options)
    return made


def _page(title: str, path: str, options: dict[str, object]) -> str:
    """Return a page that has one function or class documented."""
    chosen = {"heading": title, "toc_label": title, "heading_level": 1, **options}
    lines = [f"      {name}: {_yaml(value)}" for name, value in chosen.items()]
    return "\n".join([f"---\ntitle: {title}\n---\n", f"::: {path}", "    options:", *lines]) + "\n"


def _yaml(value: object) -> str:
    """Spell a value as YAML."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _list() -> str:
    """Return the list of public names."""
    doors = {name: _first_line(name) for name in FUNCTIONS}
    beside = {**MODULES, **CLASSES}
    doors |= {name: shown.about.capitalize() + "." for name, shown in beside.items()}
    rows = [f"| [`{name}`]({name}.md) | {said} |" for name, said in doors.items()]
    return SAID + "\n".join(["| name | what it does |", "|---|---|", *rows]) + "\n" + AFTER


def _first_line(name: str) -> str:
    return str(getattr(shoal, name).__doc__).partition("\n")[0]
