"""Telling: all that the maker of a release wants to know, as plain data for a page to draw.

It is for the maker alone: it holds original values, exact counts and numbers of rows. It never goes
into a release.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from shoal import registry
from shoal.adapters.certificates import readable
from shoal.adapters.formulas import formulas
from shoal.adapters.tables import arrow
from shoal.api.reporting import facts_of
from shoal.attacks.attack import Attack
from shoal.declare.columns import whole
from shoal.declare.understanding.table import ColumnsAsked, understood
from shoal.encode.axes import axis_of
from shoal.encode.profile import profile
from shoal.flows.exposure import published_view
from shoal.handover.before_after import Aligned, aligned
from shoal.handover.folder import following, run_in_trees
from shoal.handover.ladders import ladders_of
from shoal.mining.dependence import dependence
from shoal.review.certificate_format import (
    GroupsCertificate,
    OptimalityGap,
    OverlapCertificate,
    StatedAttack,
)
from shoal.review.loss_by_column import STEPS, Paid, paid
from shoal.review.losses.loss import Evidence
from shoal.review.losses.published import HEIGHT
from shoal.review.measured_model import MeasuredModel
from shoal.review.optimality_gap import distance
from shoal.review.report.document import Bars
from shoal.review.report.facts import Facts
from shoal.review.report.questions import parted
from shoal.review.report.sections import classes
from shoal.review.report.spread import apart, as_it_was
from shoal.screen import fine_percent

if TYPE_CHECKING:
    from shoal.api.release import Release

Telling = dict[str, Any]


def told(release: Release, people: Any, beside: Aligned | None = None) -> Telling:
    """A release beside the table that it was made of: plain data, as JSON has it.

    `beside` is what `aligned` gave, where someone has it already. What is not known (of rows with
    boxes of their own, say) is None.
    """
    original = arrow(people)[0]
    beside = beside or aligned(release, original)
    read = understood(original, release.recipe.columns_asked)[0]
    facts = facts_of(release)
    spent = paid(Evidence(beside.rows, beside.groups, release.recipe.k)) if beside else None
    return {
        **_summary(release, facts),
        "risks": list(_risks(facts)),
        "attacks": [_attack(one, facts) for one in facts.attacks],
        "losses": [
            _figure(facts, name, value=value)
            for name, value in facts.losses.items()
            if value is not None
        ],
        "left": _left(release, beside),
        "models": [_model(one, facts) for one in facts.models],
        "sizes": None if facts.sizes is None else dict(classes(facts.sizes)),
        "spreads": [*_spreads(facts), *_untouched(release, read)],
        "dependence": _dependence(release, read),
        "ladders": beside
        and ladders_of(beside.rows, beside.plan.hierarchies, beside.groups.levels),
        "paid": None if spent is None else _paid(spent),
        "changed": None
        if beside is None
        else {name: int(flags.sum()) for name, flags in beside.changed.items()},
        "formulas": formulas(release.published),
        "following": following(release, original),
        "run in trees": run_in_trees(release.recipe),
    }


def _summary(release: Release, facts: Facts) -> Telling:
    public = facts.certificate
    private = release.certificate.private
    return {
        "rows": {"in": private.rows_in, "published": public.rows, "withheld": private.withheld},
        "groups": public.groups if isinstance(public, GroupsCertificate) else None,
        "k": public.k,
        "asked": dict(facts.recipe),
        "columns": public.columns.as_dict(),
        "hash": public.hash,
        "notices": [{"kind": note.kind, "text": str(note)} for note in release.notices],
        "search": list(private.notes),
        "not promised": list(public.not_promised),
        "seconds": dict(release.seconds),
        "bound": None if facts.gap is None else _bound(facts.gap),
        **(_hidden(public, facts) if isinstance(public, OverlapCertificate) else {}),
    }


def _left(release: Release, beside: Aligned | None) -> Telling:
    """Tell what is left of each quasi-identifier, and the share that its cells leave open."""
    lost: dict[str, float | None] = {}
    if beside is not None:
        view = published_view(release.published, beside.plan, release.certificate.private.withheld)
        lost = view.by_column(HEIGHT)
    return {
        name: {**column.as_dict(), "loss": lost.get(name)}
        for name, column in release.columns.items()
    }


def _hidden(public: OverlapCertificate, facts: Facts) -> Telling:
    """Tell the counts of people hidden among rows with boxes of their own."""
    assert facts.hidden is not None, "these figures are for the maker, who knows them"
    return {
        "promise": public.promise,
        "concealment": facts.hidden.concealment.as_dict(),
        "link": facts.hidden.link.as_dict(),
    }


def _bound(gap: OptimalityGap) -> Telling:
    """Tell the loss that no grouping can spare, and how much this one might have."""
    return {"loss": gap.loss, "lost": gap.lost, "least": gap.least, "distance": distance(gap)}


def _figure(facts: Facts, name: str, **figures: Any) -> Telling:
    """A figure with its name and a sentence on what it says."""
    return {"name": name, **figures, "meaning": facts.meaning(name)}


def _risks(facts: Facts) -> Iterator[Telling]:
    """Every risk before and after; one of several columns once for each."""
    for name, after in facts.after.items():
        before = parted(name, facts.before.get(name))
        question = facts.glossary[name].question
        for label, value in parted(name, after).items():
            figures = {
                "label": label,
                "question": question,
                "before": before.get(label),
                "after": value,
            }
            yield _figure(facts, name, **figures)


def _attack(one: StatedAttack, facts: Facts) -> Telling:
    """Tell the gain of an attack, in words too."""
    about = f" about '{one.column}'" if one.column else ""
    words = (
        f"{one.trials:,} people were attacked. Of the guesses{about}, {fine_percent(one.attack)} "
    )
    words += f"were right with the release and {fine_percent(one.control)} without it: gained "
    words += f"{fine_percent(one.advantage)} ({fine_percent(one.low)} to {fine_percent(one.high)})."
    return {
        **one.as_dict(),
        "words": words,
        "meaning": facts.meaning(one.name),
        "stops it": _stops(one.name),
    }


def _stops(name: str) -> str:
    known = registry.names(Attack)
    return str(known[name].stops_it) if name in known else ""


def _model(one: MeasuredModel, facts: Facts) -> Telling:
    given = {name: value for name, value in one.parameters.items() if value is not None}
    return _figure(facts, one.model, given=given, column=one.column, measured=one.measured)


def _spreads(facts: Facts) -> Iterator[Telling]:
    """Tell the distributions of quasi-identifiers."""
    for bars in facts.spreads:
        yield _spread(bars, "quasi")


def _untouched(release: Release, original: pa.Table) -> Iterator[Telling]:
    """Tell the distributions of columns that are published as they were.

    They are as before, unless rows were withheld.
    """
    recipe = release.recipe
    for name in (*recipe.sensitive, *recipe.keep) if release.groups is not None else ():
        axis, codes = axis_of(profile(whole(original[name]), name), None)
        bars = as_it_was(axis, codes[np.asarray(release.groups) >= 0], original.num_rows)
        yield _spread(bars, "sensitive" if name in recipe.sensitive else "kept")


def _spread(bars: Bars, role: str) -> Telling:
    before, after = (
        (list(series) for series in zip(*bars.values, strict=True)) if bars.values else ([], [])
    )
    shares = {"labels": list(bars.labels), "before": before, "after": after}
    return {"column": bars.title, "role": role, **shares, "apart": apart(bars)}


def _read(release: Release) -> pa.Table:
    """Return a release whose columns that are published as they were are read as the recipe says.

    Else a decimal comma would make categories of numbers, after and not before.
    """
    recipe = release.recipe
    asked = ColumnsAsked((), (*recipe.sensitive, *recipe.keep), recipe.read_as, recipe.na)
    return understood(release.published, asked)[0]


def _dependence(release: Release, original: pa.Table) -> Telling:
    """Tell the dependence between columns, before and after."""
    recipe = release.recipe
    trees = readable(recipe.overlap_plan() if recipe.overlaps else recipe.plan())
    of_quasi = {name: tree for name, tree in trees.items() if name in recipe.quasi}
    measured = asdict(
        dependence(
            original, _read(release), recipe.quasi, (*recipe.sensitive, *recipe.keep), of_quasi
        )
    )
    if recipe.overlaps or release.certificate.private.withheld:
        return measured
    # Columns that are no quasi-identifiers are as they were, and so is any pair of them.
    told = [name not in recipe.quasi for name in measured["columns"]]
    places = range(len(told))
    after = [
        [measured["before" if told[a] and told[b] else "after"][a][b] for b in places]
        for a in places
    ]
    return {**measured, "after": after}


def _paid(spent: Paid) -> Telling:
    """Who paid: columns, rows (numbered from 1, as people count) and people."""
    return {
        "columns": [asdict(one) for one in spent.columns],
        "histogram": {"steps": STEPS, "rows": spent.histogram.tolist()},
        "dearest": [
            {"row": int(row) + 1, "loss": float(spent.of_rows[row])} for row in spent.dearest
        ],
        "people": [asdict(one) for one in spent.people],
    }
