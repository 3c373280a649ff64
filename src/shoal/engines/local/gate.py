"""Gate: groups and promises of a table in memory, recounted from its published values alone."""

from __future__ import annotations

import pyarrow as pa

from shoal.flows.coded import centres_of
from shoal.groups import Groups
from shoal.privacy.promises import Promises
from shoal.recipe import Plan
from shoal.review.coded_ends import refuse_beyond_ends
from shoal.review.gate import refuse_strangers, verify
from shoal.review.sources import behind, printed
from shoal.review.weights import refuse_uneven


def gated(published: pa.Table, plan: Plan) -> tuple[Groups, Promises]:
    """Count the groups of a release and what is promised about them; refuse a broken promise.

    Rows with equal cells are one group, whoever made them.
    """
    recipe = plan.recipe
    refuse_strangers(published, recipe.quasi, recipe.roles.beside)
    refuse_beyond_ends(published, plan.coding, recipe.quasi, centres_of(plan))
    for name in recipe.roles.weight:
        refuse_uneven(published, recipe.quasi, name)
    people = None
    if plan.everyone is not None:
        people = behind(printed(published, recipe.quasi, (), plan.everyone, plan.hierarchies))
    beside = {"hierarchies": plan.hierarchies, "others": recipe.others, "people": people}
    return verify(published, recipe.quasi, recipe.sensitive, plan.models, **beside)
