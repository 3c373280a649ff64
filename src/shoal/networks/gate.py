"""Gate: what a supergraph promises, recounted from its published tables alone.

Whoever knows all neighbours of a node and all its attributes still faces its whole cluster: nothing
finer is published. So what is counted are the nodes of each cluster, and what the models say about
the sensitive values in it. Numbers of edges must be such that some graph has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from shoal.declare.columns import whole
from shoal.encode.profile import profile
from shoal.errors import PrivacyNotMet
from shoal.groups import Groups
from shoal.networks.published import CLUSTER, SIZE, Supergraph
from shoal.networks.structure import Structure
from shoal.recipe import Plan
from shoal.review.certificate import models_measured
from shoal.review.gate import refuse_as_they_are, verify
from shoal.review.kept_counts import KeptCounts
from shoal.review.measured_model import MeasuredModel
from shoal.review.recount import coded
from shoal.wording import Remedy, Set


@dataclass(frozen=True)
class RecountedGraph:
    """A supergraph that has passed the gate."""

    structure: Structure
    groups: Groups
    models: list[MeasuredModel]

    @property
    def k(self) -> int:
        """The fewest nodes of a cluster."""
        return int(self.structure.sizes.min(initial=2**31))


def recounted(release: Supergraph, plan: Plan, most_dense: float = 1.0) -> RecountedGraph:
    """Count clusters, members, edges and promises again; refuse what is broken."""
    structure = release.structure()
    rows = release.rows()
    recipe = plan.recipe
    _refuse_columns(release, recipe.quasi, (*recipe.sensitive, *recipe.keep))
    groups, promises = verify(
        rows,
        [CLUSTER],
        recipe.sensitive,
        plan.models,
        hierarchies=plan.hierarchies,
        others=recipe.others,
    )
    kept = {name: coded(whole(rows[name]))[0] for name in recipe.keep}
    counts = KeptCounts.of(groups, kept, recipe.force_keep)
    sensitive = [profile(whole(rows[name]), name) for name in recipe.sensitive]
    unforced = [column for column in sensitive if column.name not in recipe.force_keep]
    refuse_as_they_are(counts.combinations, unforced, recipe.k)
    _refuse_dense(structure, most_dense)
    return RecountedGraph(structure, groups, models_measured(promises, groups))


def _refuse_columns(release: Supergraph, quasi: Sequence[str], beside: Sequence[str]) -> None:
    """Refuse a release with a column more or less than its roles ask for."""
    members: list[str] = release.members.column_names[1:] if release.members is not None else []
    cells = [name for name in release.clusters.column_names if name not in (CLUSTER, SIZE)][1:]
    bounds = {f"{name}_{end}" for name in quasi for end in ("lo", "hi")}
    strangers = {name for name in cells if name not in quasi and name not in bounds}
    if strangers or sorted(members) != sorted(beside):
        odd = sorted(strangers | (set(members) ^ set(beside)))
        facts = {"columns": ", ".join(odd), "published": "nothing"}
        raise PrivacyNotMet("the release does not have the columns it should", facts)


def _refuse_dense(structure: Structure, most: float) -> None:
    """Refuse clusters or pairs that hold a larger share of their possible edges than asked for."""
    if most >= 1.0:
        return
    above = int((structure.densities > most).sum())
    if above:
        facts = {"most_dense": most, "published": "nothing"}
        remedy = Remedy(Set("most_dense", 1.0, "allow it"), "lower k")
        problem = f"{above:,} clusters or pairs of clusters tell more of their edges than allowed"
        raise PrivacyNotMet(problem, facts, remedy)


def as_texts_of(tables: dict[str, pa.Table]) -> Supergraph:
    """Take the tables of a release as they were read from files."""
    return Supergraph(tables["clusters"], tables["cluster_edges"], tables.get("members"))
