"""In short: sums a report up in a few sentences; the sections below give the figures."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.review.certificate_format import OverlapCertificate
from shoal.review.report.document import Section, Sentences, shown
from shoal.review.report.facts import Facts
from shoal.review.report.questions import PROMISED

ALONE = "sample-uniqueness"
LEFT_OPEN = "published-height-share"


def in_short(facts: Facts) -> Section:
    """Write the whole report in a few sentences."""
    said = (
        _rows(facts),
        _alike(facts),
        *_forced(facts),
        *_before(facts),
        _learnt(facts),
        *_lost(facts),
    )
    return Section("In short", (Sentences(said),))


def _rows(facts: Facts) -> str:
    said = f"{facts.count(facts.certificate.rows)} rows are published"
    limit = facts.recipe.get("withhold", 0)
    if facts.withheld:
        said += f", {facts.withheld:,} were left out"
    elif facts.withheld is None and limit:
        said += f", and a share of at most {limit} may have been left out"
    return f"{said[0].upper()}{said[1:]}."


def _alike(facts: Facts) -> str:
    k = facts.recipe["k"]
    known = ", ".join(facts.columns.quasi)
    began = f"What others may know of a person ({known}) was made less exact"
    if isinstance(facts.certificate, OverlapCertificate):
        return f"{began}: {PROMISED.get(facts.certificate.promise, '').format(k=k)}"
    if k < 2:
        return f"{began}, but k is 1: a row may still be the only one of its kind."
    others = "one other" if k == 2 else f"{k - 1:,} others"
    said = f"who knows no more and guesses a person's row is right at most once in {k:,} times."
    return f"{began}, until every row looked like at least {others}: {said}"


def _forced(facts: Facts) -> Iterator[str]:
    forced = ", ".join(facts.columns.kept_by_force)
    if forced:
        yield (
            f"Published as they were, by force ({forced}): whoever knows these may find a "
            "person's row by them."
        )


def _before(facts: Facts) -> Iterator[str]:
    alone = facts.before.get(ALONE)
    if isinstance(alone, int | float):
        yield f"Before, a share of {shown(alone)} of the rows were the only ones of their kind."


def _learnt(facts: Facts) -> str:
    sensitive = ", ".join(facts.columns.sensitive)
    guarding = tuple(one.model for one in facts.models if one.column is not None)
    # models without a column promise nothing about sensitive values
    models = [asked for asked in facts.recipe.get("models", ()) if asked.startswith(guarding)]
    if not sensitive:
        return (
            "No column was declared sensitive, so nothing is promised about what is learnt "
            "without finding a row."
        )
    if models:
        return (
            f"What nobody should learn of a person ({sensitive}) is published under further "
            f"promises: {', '.join(models)}."
        )
    if facts.sizes is None:
        return (
            f"What nobody should learn of a person ({sensitive}) is guarded by how its values are "
            "told; see Inference."
        )
    said = (
        f"What nobody should learn of a person ({sensitive}) is published without a promise of "
        "its own"
    )
    return f"{said}: where all rows that look alike agree on it, it is learnt."


def _lost(facts: Facts) -> Iterator[str]:
    lost = facts.losses.get(LEFT_OPEN)
    if lost is not None:
        yield (
            f"On average a cell leaves open {shown(lost)} of what its column told: 0 is as "
            "before, 1 is nothing left."
        )
