"""Graphs: publish who knows whom, with the attributes, so that nobody is singled out by either.

>>> import pyarrow as pa
>>> people = pa.table({"id": [1, 2, 3, 4], "age": [31, 33, 52, 58]})
>>> knows = pa.table({"one": [1, 1, 3], "other": [2, 3, 4]})
>>> release = anonymize(people, knows, quasi=["age"], k=2, seed=1)
>>> release.clusters.select(["cluster", "size", "inner_edges", "age"]).to_pylist()[0]
{'cluster': 1, 'size': 2, 'inner_edges': 1, 'age': '[30, 34]'}
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from shoal.adapters.demo_graph import people_and_wards
from shoal.adapters.progress import progress_of
from shoal.adapters.signing import Signer
from shoal.api.arguments import plainly, recipe_of
from shoal.api.graph_folder import verified
from shoal.api.graph_measures import GraphAudit, alone_in, attack, mine
from shoal.api.graph_release import DegreeRelease, GraphRelease, SupergraphRelease
from shoal.api.reading_graphs import read
from shoal.errors import RecipeError, did_you_mean, warn_each
from shoal.networks import k_degree, supergraph
from shoal.networks.certificate import Form, GraphCertificate
from shoal.networks.methods import method_of
from shoal.networks.network import NamedNetwork
from shoal.recipe import Recipe
from shoal.review.verdict import Verification
from shoal.wording import Option, Sentence

FORMS = ("supergraph", "k-degree")
ASKED = (
    *("quasi", "sensitive", "identifiers", "keep", "force_keep", "preset", "k", "models"),
    *("withhold", "missing", "others", "effort", "importance", "top", "bottom", "round"),
    *("at_least", "publish", "hierarchies", "read_as", "na", "seed"),
)
"""The options of tables that graphs take as well."""


def anonymize(
    nodes: Any,
    edges: Any = None,
    *,
    form: Form = "supergraph",
    method: str = "shoal",
    simplify: bool = False,
    most_dense: float = 1.0,
    **asked: Any,
) -> GraphRelease:
    """Make a release of a graph in which every node looks like at least k-1 others.

    `nodes` is any table that Shoal reads, with an id in the column `id` or else the first one;
    `edges` a table whose first two columns are ids. Or `nodes` alone is a graph: a GraphML or GML
    file, an object of networkx, igraph or rustworkx, or a table of edges.

    Form `supergraph` publishes clusters of at least k nodes: their size, cells of the
    quasi-identifiers, and numbers of edges inside and between them. Form `k-degree` publishes an
    ordinary graph without attributes, in which at least k nodes share every number of neighbours.

    `method` is `shoal` or `sangreea`, with the weight of attributes: `shoal:alpha=0.7`. `simplify`
    counts each pair of nodes once, without direction or loops. `most_dense` bounds the share of
    possible edges that clusters and pairs of clusters hold. `removals` lets k-degree remove edges
    as well as add them, where that changes fewer. `sign` is the private key with which
    `.write` signs the release. Quasi-identifiers, models, hierarchies
    and the like are asked for as in `shoal.anonymize`, or by a recipe (`recipe=`).

    Raises `shoal.errors.PrivacyNotMet` and returns nothing where a promise can't be kept.
    """
    progress = asked.pop("progress", None)
    sign = asked.pop("sign", None)
    removals = asked.pop("removals", False)
    recipe = _recipe(asked)
    _refuse_odd(form, most_dense, removals=removals)
    signer = Signer.of(sign)  # before anything is read
    named, back = read(nodes, edges, simplify=simplify)
    recipe = _without_id(recipe, named)
    with progress_of(progress) as stage:
        if form == "k-degree":
            added = k_degree.run(named, recipe, stage, removals=removals)
            release: GraphRelease = DegreeRelease(added, named, back, signer)
        else:
            chosen = method_of(method, named.network, recipe.effort)
            outcome = supergraph.run(named, recipe, chosen, most_dense=most_dense, stage=stage)
            release = SupergraphRelease(outcome, named, back, signer)
    warn_each(release.notices)
    return release


def demo() -> tuple[pa.Table, pa.Table]:
    """Make 1,200 invented patients, and who of them shared a ward: nodes and edges to try.

    >>> people, wards = demo()
    >>> people.num_rows, wards.column_names
    (1200, ['person', 'shared_ward_with'])
    """
    return people_and_wards()


def audit(nodes: Any, edges: Any = None, *, quasi: Any = (), simplify: bool = False) -> GraphAudit:
    """Measure who stands alone in a graph as it is: by neighbours, and by attributes."""
    return alone_in(nodes, edges, quasi, simplify=simplify)


def verify(
    folder: str | Path,
    certificate: str | Path | GraphCertificate | None = None,
    *,
    key: str | Path | None = None,
    signature: str | Path | None = None,
) -> Verification:
    """Recount a release from the files in its folder, and compare it with its certificate.

    `certificate` and `signature` are those in the folder unless others are named. With `key`, a
    file with the maker's public key, the release must be signed by it.
    """
    checked = verified(folder, certificate, key=key, signature=signature)
    warn_each(checked.notices)
    return checked


def _recipe(asked: dict[str, Any]) -> Recipe:
    """Read what is asked of the table of nodes; refuse what means nothing for graphs."""
    given = dict(asked)
    recipe = given.pop("recipe", None)
    unknown = [name for name in given if name not in ASKED]
    if unknown:
        name = unknown[0]
        problem = Sentence("graphs can't be published with ", Option(name))
        raise RecipeError(problem, remedy=did_you_mean(name, ASKED))
    made = recipe_of(recipe, plainly(given))
    beyond = [name for name in made.as_dict() if name not in (*ASKED, "method", "loss")]
    if beyond:
        problem = Sentence("graphs can't be published with ", Option(beyond[0]))
        raise RecipeError(problem, remedy="leave it out")
    return made


def _refuse_odd(form: str, most_dense: float, *, removals: bool) -> None:
    if form not in FORMS:
        raise RecipeError(f"there is no form '{form}'", remedy=did_you_mean(form, FORMS))
    if not 0 < most_dense <= 1:
        raise RecipeError("most_dense must be above 0 and at most 1", remedy="most_dense=0.9")
    if removals and form != "k-degree":
        problem = "edges are removed in the form 'k-degree' alone"
        raise RecipeError(problem, remedy="leave 'removals' out, or ask for that form")


def _without_id(recipe: Recipe, named: NamedNetwork) -> Recipe:
    """Drop the ids of nodes; a recipe that publishes them gives them two roles, and is refused."""
    if named.id_column in recipe.identifiers:
        return recipe
    return msgspec.structs.replace(recipe, identifiers=(*recipe.identifiers, named.id_column))


__all__ = ["anonymize", "attack", "audit", "demo", "mine", "verify"]
