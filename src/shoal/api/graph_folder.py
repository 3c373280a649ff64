"""Releases of graphs read back from their folder, and verified against their certificate."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.adapters import files
from shoal.api.graph_release import CERTIFICATE, private_place
from shoal.arrays import Longs
from shoal.errors import DataError, PrivacyNotMet
from shoal.networks.certificate import GraphCertificate, hashes_of, read_certificate, read_private
from shoal.networks.gate import as_texts_of, recounted
from shoal.networks.k_degree import DegreeGraph, fewest_of_a_degree
from shoal.networks.published import Supergraph
from shoal.networks.supergraph import plan_of, public_losses
from shoal.recipe import Recipe
from shoal.review.verdict import Item, Verification

TABLES = {"supergraph": ("clusters", "cluster_edges"), "k-degree": ("nodes", "edges")}
JUDGED = ("quasi", "sensitive", "keep", "force_keep", "k", "models", "others", "read_as", "na")


def read_folder(folder: str | Path) -> tuple[GraphCertificate, Supergraph | DegreeGraph]:
    """Read a release of a graph; DataError for a folder that holds none."""
    place = Path(folder)
    if not place.is_dir():
        raise DataError(f"there is no folder '{folder}'", remedy="name the folder of a release")
    stated = read_certificate(place / CERTIFICATE)
    tables = {name: files.read(place / f"{name}.csv", typed=False) for name in TABLES[stated.form]}
    if stated.form == "k-degree":
        return stated, DegreeGraph(tables["nodes"], tables["edges"])
    members = place / "members.csv"
    if members.is_file():
        tables["members"] = files.read(members, typed=False)
    return stated, as_texts_of(tables)


def true_places(folder: str | Path) -> Longs | None:
    """Read the published number of each node from the private part, where it stands there."""
    if not private_place(folder).is_file():
        return None
    numbers = read_private(private_place(folder)).numbers
    return np.asarray(numbers, np.int64) if numbers else None


def verified(folder: str | Path) -> Verification:
    """Recount a release from its files, and compare all that its certificate states."""
    stated, release = read_folder(folder)
    tables: Mapping[str, pa.Table] = release.tables
    try:
        counted = _counted(release, stated)
    except PrivacyNotMet as broken:
        return Verification((Item("promises", "differs", "kept", str(broken.problem)),))
    said = _stated(stated)
    items = tuple(
        Item.compared(name, said[name], counted[name], same=_same(said[name], counted[name]))
        for name in said
    )
    hashed = hashes_of(tables)
    rows = Item.compared("hash of the rows", stated.hashes, hashed, same=hashed == stated.hashes)
    only = Item("recipe", "stated", stated.recipe)
    return Verification((*items, rows, only))


def _stated(stated: GraphCertificate) -> dict[str, Any]:
    figures: dict[str, Any] = {"nodes": stated.nodes, "edges": stated.edges, "k": stated.k}
    if stated.form == "k-degree":
        return figures
    models = [one.as_dict() for one in stated.models or ()]
    return {**figures, "clusters": stated.clusters, "models": models, "losses": stated.losses}


def _counted(release: Supergraph | DegreeGraph, stated: GraphCertificate) -> dict[str, Any]:
    """Count again what a certificate states."""
    if isinstance(release, DegreeGraph):
        network = release.network()
        fewest = fewest_of_a_degree(network)
        return {"nodes": network.count, "edges": network.edges, "k": fewest}
    counted = recounted(release, plan_of(judged_recipe(stated)))
    return {
        "nodes": int(counted.structure.sizes.sum()),
        "edges": counted.structure.edges,
        "k": counted.k,
        "clusters": len(counted.structure.sizes),
        "models": [one.as_dict() for one in counted.models],
        "losses": public_losses(counted.structure),
    }


def judged_recipe(stated: GraphCertificate) -> Recipe:
    """Take from a stated recipe what promises are judged by; cells need no hierarchy for that."""
    asked = {name: value for name, value in stated.recipe.items() if name in JUDGED}
    return Recipe.of(**asked)


def _same(stated: Any, again: Any) -> bool:
    if isinstance(stated, dict) and isinstance(again, dict):
        return stated.keys() == again.keys() and all(
            _same(stated[name], again[name]) for name in stated
        )
    if isinstance(stated, float) and isinstance(again, float):
        return abs(stated - again) <= 1e-9 * max(abs(stated), 1.0)
    return bool(stated == again)
