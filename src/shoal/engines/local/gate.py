"""Gate: groups and promises of a table in memory, recounted from its published values alone."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from shoal.declare.columns import whole
from shoal.encode.profile import profile
from shoal.encode.rows import Rows
from shoal.engines.people import PublishedPeople
from shoal.flows.coded import centres_of
from shoal.flows.coded import coded as coded_as_asked
from shoal.flows.declared import profiled
from shoal.groups import Groups
from shoal.privacy.promises import Promises
from shoal.recipe import Plan
from shoal.review.coded_ends import refuse_beyond_ends
from shoal.review.coded_levels import refuse_beyond_levels
from shoal.review.gate import refuse_as_they_are, refuse_strangers, verify
from shoal.review.identifiers import nearly_unique
from shoal.review.kept_counts import KeptCounts
from shoal.review.recount import coded
from shoal.review.sources import behind, printed
from shoal.review.weights import refuse_uneven


@dataclass(frozen=True)
class Gated:
    """A release that has passed the gate: its groups, promises, and counts of kept columns."""

    groups: Groups
    promises: Promises
    kept: KeptCounts
    nearly_unique: tuple[str, ...]


def gated(published: pa.Table, plan: Plan) -> Gated:
    """Count the groups of a release and what is promised about them; refuse a broken promise.

    Rows with equal cells are one group, whoever made them.
    """
    recipe = plan.recipe
    refuse_strangers(published, recipe.quasi, recipe.roles.beside)
    refuse_beyond_ends(published, plan.coding, recipe.quasi, centres_of(plan))
    refuse_beyond_levels(published, plan.hierarchies)
    for name in recipe.roles.weight:
        refuse_uneven(published, recipe.quasi, name)
    people = None
    if plan.everyone is not None:
        people = behind(printed(published, recipe.quasi, (), plan.everyone, plan.hierarchies))
    beside = {"hierarchies": plan.hierarchies, "others": recipe.others, "people": people}
    groups, promises = verify(published, recipe.quasi, recipe.sensitive, plan.models, **beside)
    kept = {name: coded(whole(published[name]))[0] for name in recipe.keep}
    counts = KeptCounts.of(groups, kept, recipe.force_keep)
    sensitive = [profile(whole(published[name]), name) for name in recipe.sensitive]
    unforced = [column for column in sensitive if column.name not in recipe.force_keep]
    refuse_as_they_are(counts.combinations, unforced, recipe.k)
    return Gated(groups, promises, counts, tuple(nearly_unique(sensitive)))


def refuse_few_people(table: pa.Table, rows: Rows, groups: Groups, plan: Plan) -> None:
    """Refuse groups and kept values that fewer than k people of the published rows hold.

    A release does not tell whose its rows are, so that this is counted before it is written.
    """
    if rows.person is None:
        return
    recipe = plan.recipe
    judged = [name for name in recipe.keep if name not in recipe.force_keep]
    columns = coded_as_asked(profiled(table, judged), plan.coding)
    kept = [(column.name, column.codes) for column in columns]
    people = PublishedPeople.of(rows.person, groups, kept, recipe.k)
    PublishedPeople.refuse_together([people], people.count, recipe.k)
