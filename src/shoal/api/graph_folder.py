"""Releases of graphs read back from their folder, and verified against their certificate."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.adapters.keys import key_id, read_public
from shoal.adapters.signing import (
    BYTES,
    ROWS,
    BrokenSignature,
    Statement,
    file_hash,
    opened,
    read_signature,
)
from shoal.api.graph_writing import CERTIFICATE, NAMES, SIGNATURE, private_place, read_table
from shoal.arrays import Longs
from shoal.errors import DataError, PrivacyNotMet
from shoal.networks.certificate import GraphCertificate, hashes_of, read_certificate, read_private
from shoal.networks.gate import as_texts_of, recounted
from shoal.networks.k_degree import DegreeGraph, fewest_of_a_degree
from shoal.networks.published import Supergraph
from shoal.networks.supergraph import plan_of, public_losses
from shoal.recipe import Plan, Recipe
from shoal.review.verdict import THE_FILE, Item, Verification

TABLES = {"supergraph": ("clusters", "cluster_edges"), "k-degree": ("nodes", "edges")}
JUDGED = ("quasi", "sensitive", "keep", "force_keep", "k", "models", "others", "read_as", "na")
CODED = ("top", "bottom", "round")


def read_folder(
    folder: str | Path, certificate: str | Path | GraphCertificate | None = None
) -> tuple[GraphCertificate, Supergraph | DegreeGraph]:
    """Read a release of a graph; DataError for a folder that holds none."""
    place = Path(folder)
    if not place.is_dir():
        raise DataError(f"there is no folder '{folder}'", remedy="name the folder of a release")
    if isinstance(certificate, GraphCertificate):
        stated = certificate
    else:
        stated = read_certificate(certificate or place / CERTIFICATE)
    tables = {name: read_table(place / f"{name}.csv") for name in TABLES[stated.form]}
    if stated.form == "k-degree":
        return stated, DegreeGraph(tables["nodes"], tables["edges"])
    members = place / "members.csv"
    if members.is_file():
        tables["members"] = read_table(members)
    return stated, as_texts_of(tables)


def true_places(folder: str | Path) -> Longs | None:
    """Read the published number of each node from the private part, where it stands there."""
    if not private_place(folder).is_file():
        return None
    numbers = read_private(private_place(folder)).numbers
    return np.asarray(numbers, np.int64) if numbers else None


def verified(
    folder: str | Path,
    certificate: str | Path | GraphCertificate | None = None,
    *,
    key: str | Path | None = None,
    signature: str | Path | None = None,
) -> Verification:
    """Recount a release from its files, and compare all that its certificate states.

    `certificate` is the one in the folder, unless another is named; so is `signature`.
    """
    stated, release = read_folder(folder, certificate)
    tables: Mapping[str, pa.Table] = release.tables
    try:
        counted = _counted(release, stated)
        items = _compared(stated, counted)
    except PrivacyNotMet as broken:
        items = (Item("promises", "differs", "kept", str(broken.problem)),)
    hashed = hashes_of(tables)
    rows = Item.compared("hash of the rows", stated.hashes, hashed, same=hashed == stated.hashes)
    every = (*items, rows, *_further_files(Path(folder)), *_only_stated(stated))
    place = Path(signature) if signature is not None else Path(folder) / SIGNATURE
    return _with_signature(Verification(every), Path(folder), stated, place, key)


def _compared(stated: GraphCertificate, counted: Mapping[str, Any]) -> tuple[Item, ...]:
    said = _stated(stated)
    return tuple(
        Item.compared(name, said[name], counted[name], same=_same(said[name], counted[name]))
        for name in said
    )


def _only_stated(stated: GraphCertificate) -> list[Item]:
    """List what no file can tell."""
    said = {
        "form": stated.form,
        "version": stated.shoal,
        "dropped columns": list(stated.columns.dropped),
        "recipe": stated.recipe,
        "attacks": stated.attacks,
        "limits": stated.not_promised,
    }
    return [Item(name, "stated", value) for name, value in said.items()]


def _further_files(folder: Path) -> list[Item]:
    """Name files that the certificate says nothing about."""
    further = [path.name for path in folder.iterdir() if path.name not in NAMES]
    if not further:
        return []
    note = f"{len(further):,} further files are no part of the release"
    return [Item("further files", "not checkable", len(further), note=note)]


def _stated(stated: GraphCertificate) -> dict[str, Any]:
    figures: dict[str, Any] = {"nodes": stated.nodes, "edges": stated.edges, "k": stated.k}
    if stated.form == "k-degree":
        return figures
    models = [one.as_dict() for one in stated.models or ()]
    return {**figures, "clusters": stated.clusters, "models": models, "losses": stated.losses}


def _counted(release: Supergraph | DegreeGraph, stated: GraphCertificate) -> dict[str, Any]:
    """Count again what a certificate states; PrivacyNotMet where its recipe asks for more."""
    if isinstance(release, DegreeGraph):
        network = release.network()
        fewest = fewest_of_a_degree(network)
        if fewest < _asked_k(stated):
            raise PrivacyNotMet("a number of neighbours is shared by fewer nodes than asked for")
        return {"nodes": network.count, "edges": network.edges, "k": fewest}
    most_dense = stated.recipe.get("most_dense", 1.0)
    if not isinstance(most_dense, int | float):
        raise DataError("the certificate states no number as most_dense")
    counted = recounted(release, judged_plan(stated), float(most_dense))
    return {
        "nodes": int(counted.structure.sizes.sum()),
        "edges": counted.structure.edges,
        "k": counted.k,
        "clusters": len(counted.structure.sizes),
        "models": [one.as_dict() for one in counted.models],
        "losses": public_losses(counted.structure),
    }


def _asked_k(stated: GraphCertificate) -> int:
    asked = stated.recipe.get("k")
    if not isinstance(asked, int) or asked < 1:
        raise DataError("the certificate states no k")
    return asked


def judged_plan(stated: GraphCertificate) -> Plan:
    """Plan what promises are judged by, and how values were coded; cells need no hierarchy."""
    asked = {name: value for name, value in stated.recipe.items() if name in (*JUDGED, *CODED)}
    return plan_of(Recipe.of(**asked))


def _same(stated: Any, again: Any) -> bool:
    if isinstance(stated, dict) and isinstance(again, dict):
        return stated.keys() == again.keys() and all(
            _same(stated[name], again[name]) for name in stated
        )
    if isinstance(stated, float) and isinstance(again, float):
        return abs(stated - again) <= 1e-9 * max(abs(stated), 1.0)
    return bool(stated == again)


def _with_signature(
    verification: Verification,
    folder: Path,
    stated: GraphCertificate,
    place: Path,
    key: str | Path | None,
) -> Verification:
    """Add what became of the signature; with a key, a lacking one differs like a wrong one."""
    if key is None:
        return replace(verification, signature_unchecked=place.exists())
    public = read_public(key)
    if not place.exists():
        items = [Item("signature", "differs", None, note="there is none in the folder")]
    else:
        items = _checked(read_signature(place), public, folder, stated)
    holds = all(item.status != "differs" for item in items)
    signed_by = key_id(public) if holds else None
    return replace(verification, items=(*verification.items, *items), signed_by=signed_by)


def _checked(text: str, key: Any, folder: Path, stated: GraphCertificate) -> list[Item]:
    """Check who signed, and that certificate, rows and files are those that were signed."""
    try:
        said = opened(text, key)
    except BrokenSignature as broken:
        return [Item("signature", "differs", key_id(key), note=str(broken))]
    same = _spelled(said.predicate) == _spelled(stated.as_dict())
    note = "" if same else "it is not the certificate that was signed"
    return [
        Item("signature", "recounted", key_id(key), key_id(key)),
        Item("signed certificate", "recounted" if same else "differs", None, note=note),
        _signed_tables(said, stated),
        *_signed_files(said, folder),
    ]


def _signed_tables(said: Statement, stated: GraphCertificate) -> Item:
    """Compare the hashes of rows that were signed with those of the certificate."""
    marks = {each.name: each.digest[ROWS] for each in said.subject if ROWS in each.digest}
    wanted = {f"{name}.csv (rows)": mark for name, mark in stated.hashes.items()}
    return Item.compared("signed rows", marks, wanted, same=marks == wanted)


def _signed_files(said: Statement, folder: Path) -> list[Item]:
    items = []
    for each in said.subject:
        if BYTES not in each.digest:
            continue
        what = f"signed file {each.name}"
        file = folder / Path(each.name).name
        if not file.is_file():
            items.append(Item(what, "differs", each.digest[BYTES], note=f"without {THE_FILE}"))
            continue
        again = file_hash(file)
        items.append(
            Item.compared(what, each.digest[BYTES], again, same=again == each.digest[BYTES])
        )
    return items


def _spelled(certificate: Mapping[str, Any]) -> str:
    return json.dumps(certificate, sort_keys=True)
