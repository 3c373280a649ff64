"""Sections: facts in plain words.

Each function is one section of the report; what is not known is left out.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from msgspec import UNSET, UnsetType

from shoal.arrays import AnyArray
from shoal.review.certificate_format import LEAST, GroupsCertificate, OverlapCertificate
from shoal.review.optimality_gap import distance
from shoal.review.report.document import (
    Bars,
    Command,
    FigureTable,
    Part,
    Report,
    Section,
    Sentences,
    Text,
    Tiles,
    shown,
)
from shoal.review.report.facts import Facts, Settings
from shoal.review.report.questions import inference, linkability, singling_out
from shoal.review.report.short import in_short
from shoal.review.report.spread import apart, rounded
from shoal.review.risks.risk import Figure

ROLES = {
    "quasi": "generalized (could identify people)",
    "sensitive": "sensitive: published without being generalized",
    "kept": "published as they are, guarded by no model",
    "weight": "published as group means",
    "dropped": "dropped",
    "kept_by_force": "published although they tell too much",
}
MOST_SIZES = 12


def report_of(facts: Facts, settings: Settings) -> Report:
    """The whole document."""
    made = (
        in_short,
        partial(asked, settings=settings),
        sizes,
        singling_out,
        linkability,
        inference,
        cost,
        distributions,
        not_covered,
        verifying,
    )
    sections = tuple(section for write in made if (section := write(facts)) is not None)
    if facts.public:
        return Report(
            "Privacy report",
            "Public",
            "Made from the published table and its public certificate alone.",
            sections,
        )
    return Report(
        "Privacy report",
        "For you alone",
        "It shows original values and exact counts: do not publish it.",
        sections,
    )


def asked(facts: Facts, settings: Settings) -> Section:
    """Show what was asked and done."""
    recipe = facts.recipe
    columns = [
        (said, ", ".join(names))
        for role, said in ROLES.items()
        if (names := getattr(facts.columns, role))
    ]
    shown_here = [
        (name.replace("_", " "), _setting(value), settings.get(name) or _meant(facts, value))
        for name, value in recipe.items()
        if settings.get(name, "") is not None
    ]
    trees = [
        (f"hierarchy of {name}", _hierarchy(spec), "")
        for name, spec in recipe.get("hierarchies", {}).items()
    ]
    made = ("made with", f"shoal {facts.certificate.shoal}", "")
    parts: list[Part] = [
        Tiles(tuple(_tiles(facts))),
        Text("What became of the columns:"),
        FigureTable(("role", "columns"), tuple(columns)),
        Text("What was asked for:"),
        FigureTable(("setting", "value", "what it says"), (*shown_here, *trees, made)),
    ]
    return Section(
        "What was asked and done", (*parts, *([Sentences(facts.notes)] if facts.notes else []))
    )


def _tiles(facts: Facts) -> Iterator[tuple[str, str]]:
    public = facts.certificate
    yield "rows published", facts.count(public.rows)
    if isinstance(public, OverlapCertificate):
        yield "promised to everyone", public.promise.replace("k-", f"{public.k}-")
    elif facts.sizes is not None:
        yield "groups that look alike", facts.count(len(facts.sizes))
        smallest = f"at least {facts.recipe['k']}" if facts.public else f"{public.k:,}"
        yield "rows in the smallest group", smallest
        if facts.withheld is not None:
            yield "rows left out", f"{facts.withheld:,}"
        else:
            yield "share of rows left out", f"at most {facts.recipe.get('withhold', 0)}"
    highest = "highest-prosecutor-risk"
    before = facts.before.get(highest)
    after = facts.after.get(highest)
    if after is not None and "person" in facts.recipe:
        # Risks count rows, and a group of six rows may hold five people.
        after = max(after, 1 / facts.recipe["k"])
    if before is not None:
        yield "highest risk of being found", f"{_risk(before)} → {_risk(after)}"
    elif after is not None:
        yield "highest risk of being found", _risk(after)


def _risk(figure: Figure) -> str:
    return shown(figure)  # type: ignore[arg-type]


def _setting(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_setting(part)}" for name, part in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_setting, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _meant(facts: Facts, value: object) -> str:
    """Return the sentence of the part that a setting names."""
    return facts.meaning(re.split(r"[:(]", value)[0]) if isinstance(value, str) else ""


def _hierarchy(spec: Any) -> str:
    if not isinstance(spec, Mapping):
        return "intervals" if spec in (None, "none") else str(spec)
    return str(spec["kind"]) if isinstance(spec.get("kind"), str) else "a tree given in the recipe"


def sizes(facts: Facts) -> Section | None:
    """Show how many rows stand in groups of which size; None where there are no groups."""
    if facts.sizes is None or not len(facts.sizes):
        return None
    said = (
        "Rows are in one group where all their generalized cells are equal. There are "
        f"{facts.count(len(facts.sizes))} groups"
    )
    if not facts.public:
        said += f", of {int(facts.sizes.min()):,} to {int(facts.sizes.max()):,} rows"
    ranges = _doubled(facts.sizes, facts.recipe["k"]) if facts.public else classes(facts.sizes)
    counted = [(label, rounded(rows) if facts.public else rows) for label, rows in ranges]
    labels, rows = zip(*counted, strict=True)
    name = "rows, rounded" if facts.public else "rows"
    title = "How many rows stand in groups of which size"
    bars = Bars(title, (name,), labels, tuple((float(row),) for row in rows))
    return Section("Group sizes", (Text(f"{said}."), bars))


def classes(sizes: AnyArray) -> list[tuple[str, int]]:
    """Rows by the size of their group: each size, or where there are many, sizes that double."""
    different, times = np.unique(sizes, return_counts=True)
    if len(different) > MOST_SIZES:
        return _doubled(sizes, int(different[0]))
    return [
        (f"{size:,} rows", int(size * many)) for size, many in zip(different, times, strict=True)
    ]


def _doubled(sizes: AnyArray, start: int) -> list[tuple[str, int]]:
    """Count rows by the size of their group: from the start to its double, and so on.

    In public, the start is what was asked for.
    """
    counts = []
    largest = int(sizes.max())
    while start <= largest:
        inside = (sizes >= start) & (sizes < 2 * start)
        if inside.any():
            label = f"{start:,} to {2 * start - 1:,} rows" if start > 1 else "1 row"
            counts.append((label, int(sizes[inside].sum())))
        start *= 2
    return counts


def cost(facts: Facts) -> Section:
    """Show what the protection took away."""
    rows = [
        (name, loss, facts.meaning(name)) for name, loss in facts.losses.items() if loss is not None
    ]
    parts: list[Part] = [
        Text("What the table lost by it. Each figure has a definition of its own; lower is better.")
    ]
    if gap := facts.gap:
        said = f"It is proven that {LEAST} {shown(gap.least)} ({gap.loss}). "
        said += f"This one loses {shown(gap.lost)}: {distance(gap)}."
        bars = Bars(gap.loss, ("loss",), (LEAST, "this grouping"), ((gap.least,), (gap.lost,)))
        parts += [Text(said), bars]
    elif facts.public:
        said = "How much a better grouping might have spared is known to the maker of the "
        parts.append(Text(f"{said}release alone."))
    table = FigureTable(("loss", "figure", "what it says"), tuple(rows))
    return Section("What was lost", (*parts, table))


def distributions(facts: Facts) -> Section:
    """Show the distribution of values, column by column."""
    if facts.public:
        words = (
            "How often each cell is printed, rounded to multiples of five. Cells of few rows, "
            "and those that come after the "
        )
        words += "twelve most frequent, are counted together as (other)."
        return Section("Distributions", (Text(words), *facts.spreads))
    words = (
        "Shares of rows before, and after as someone reads the release who takes all values "
        "inside a cell for equally likely."
    )
    moved = [(bars.title, apart(bars)) for bars in facts.spreads]
    table = FigureTable(("column", "share of rows in another bar than before"), tuple(moved))
    return Section("Distributions", (Text(words), table, *facts.spreads))


def not_covered(facts: Facts) -> Section:
    """List what nobody should read into the release."""
    people = (
        "The protection is about the generalized columns alone: it does not reach what else "
        "someone knows of a person."
    )
    public = facts.certificate
    persons = public.persons if isinstance(public, GroupsCertificate) else UNSET
    unguarded = []
    if facts.columns.kept:
        kept = ", ".join(facts.columns.kept)
        unguarded.append(f"Published as they are, guarded by no model: {kept}.")
    said = [
        *(facts.said(sentence) for sentence in public.not_promised),
        *([] if isinstance(persons, UnsetType) else [persons]),
        *unguarded,
    ]
    return Section("What this does not cover", (Text(people), Sentences(tuple(said))))


def verifying(facts: Facts) -> Section:
    """Tell a reader how to check the release."""
    files = any(
        isinstance(spec, str) and spec.endswith(".csv")
        for spec in facts.recipe.get("hierarchies", {}).values()
    )
    tail = " --hierarchies FOLDER" if files else ""
    parts: list[Part] = [
        Text("Whoever has the published table and its certificate can recount what is promised:")
    ]
    if facts.sizes is None:
        parts.append(Command(f"shoal verify RELEASE CERTIFICATE --original FILE{tail}"))
        parts.append(
            Text("How people are hidden among the rows can be recounted with the original alone.")
        )
    else:
        parts.append(Command(f"shoal verify RELEASE CERTIFICATE{tail}"))
        parts.append(
            Text("Without any certificate, the same figures are measured from the table by itself:")
        )
        roles = {"-q": facts.columns.quasi, "-s": facts.columns.sensitive}
        given = " ".join(
            f"{option} {shlex.quote(','.join(map(_typed, names)))}"
            for option, names in roles.items()
            if names
        )
        parts.append(Command(f"shoal audit RELEASE {given} --require k={facts.recipe['k']}"))
    parts.append(
        Text(
            "The certificate belongs to this table alone: its rows as a set have the hash "
            f"{facts.certificate.hash}."
        )
    )
    parts += _signature(facts.signed_by)
    return Section("How to verify", tuple(parts))


def _signature(signed_by: str | None) -> list[Part]:
    """Tell whether the release was signed, and how that is checked."""
    if signed_by is None:
        said = "UNSIGNED when this report was written: nothing proves who made the release."
        return [Text(said)]
    said = f"The release is signed by the key {signed_by}. With the public key of its maker:"
    return [Text(said), Command("shoal verify RELEASE CERTIFICATE --key FILE.pub")]


def _typed(name: str) -> str:
    """A column as one names it at the terminal."""
    return '"' + name.replace('"', '""') + '"' if any(mark in name for mark in ',"') else name
