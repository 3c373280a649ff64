"""Report of a release of a graph, for people: for everyone, or with what its maker alone may know.

The public form is a function of the published tables and the public certificate.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from msgspec import UNSET

from shoal.arrays import AnyArray
from shoal.networks.certificate import GraphCertificate, GraphPrivate
from shoal.networks.k_degree import DegreeGraph
from shoal.networks.published import Supergraph
from shoal.networks.structure import Structure
from shoal.review.report.document import (
    Bars,
    Command,
    Entry,
    FigureTable,
    Part,
    Report,
    Section,
    Sentences,
    Text,
    Tiles,
)

MEANINGS = {
    "ngil": "what attributes lost, from 0 (nothing) to 1 (all)",
    "nsil": "structure that can't be guessed, over its maximum; small wherever edges are few",
    "structure-kept": "0 is what numbers of nodes and edges alone tell, 1 the graph itself",
    "sil": "wrong guesses of who knows whom, summed over all pairs",
    "bits": "log2 of the number of graphs that fit the release",
    "bits-of-one-cluster": "the same if numbers of nodes and edges alone were published",
    "edges-added": "edges that the original does not have",
    "edges-removed": "edges of the original that are gone",
    "lower-bound": "no such graph changes fewer edges",
    "gap": "changed edges above the bound, as a share of it",
}
BANDS = (0.0, 0.25, 0.5, 0.75, 1.0)
MOST_BARS = 12


def report_of(
    release: Supergraph | DegreeGraph,
    public: GraphCertificate,
    private: GraphPrivate | None = None,
    *,
    signed: str | None = None,
) -> Report:
    """Write the report; `private` adds what only the maker of a release may know."""
    sections = [_in_short(public, private)]
    if isinstance(release, Supergraph):
        structure = release.structure()
        sections.append(_sizes("Clusters", "people of a cluster", structure.sizes))
        sections.append(_densities(structure))
    else:
        degrees = release.network().degrees
        sections.append(_sizes("Neighbours", "people by number of neighbours", degrees))
    sections.append(_losses(public, private))
    if private is not None:
        sections += _for_its_maker(private)
    sections.append(Section("What is not promised", (Sentences(tuple(public.not_promised)),)))
    sections.append(_checking(signed))
    if private is None:
        readers = "Made from the published tables and their public certificate alone."
        return Report("Privacy report of a graph", "Public", readers, tuple(sections))
    readers = "It shows what follows from the original: do not publish it."
    return Report("Privacy report of a graph", "For you alone", readers, tuple(sections))


def _in_short(public: GraphCertificate, private: GraphPrivate | None) -> Section:
    tiles = [("people", f"{public.nodes:,}"), ("edges", f"{public.edges:,}")]
    if public.clusters is not UNSET:
        tiles.append(("clusters", f"{public.clusters:,}"))
        known = "knows all neighbours and all quasi-identifiers of a person"
        said = f"Whoever {known} still faces at least {public.k:,} people: nothing finer is told."
    else:
        said = (
            f"Every number of neighbours is shared by at least {public.k:,} people. Attributes "
            "are not published, and people were numbered anew by chance."
        )
    tiles.append(("fewest alike", f"{public.k:,}"))
    parts: list[Part] = [Tiles(tuple(tiles)), Text(said)]
    if private is not None and private.withheld:
        parts.append(Text(f"{private.withheld:,} people were left out, with all their edges."))
    rows = [(role, ", ".join(names)) for role, names in _roles(public).items() if names]
    if rows:
        parts.append(FigureTable(("columns", "names"), tuple(rows)))
    return Section("In short", tuple(parts))


def _roles(public: GraphCertificate) -> dict[str, list[str]]:
    columns = public.columns
    return {
        "generalized": list(columns.quasi),
        "sensitive": list(columns.sensitive),
        "kept": list(columns.kept),
        "dropped": list(columns.dropped),
    }


def _sizes(title: str, what: str, numbers: AnyArray) -> Section:
    """Show how often each number occurs; beyond a few, in bands of equal width."""
    most = int(numbers.max(initial=0))
    width = max(1, -(-(most + 1) // MOST_BARS))
    counts = np.bincount(numbers // width)
    labels = []
    values: list[tuple[float | None, ...]] = []
    for band in np.flatnonzero(counts).tolist():
        low = band * width
        labels.append(f"{low:,}" if width == 1 else f"{low:,} to {low + width - 1:,}")
        values.append((float(counts[band]),))
    return Section(title, (Bars(what, ("number",), tuple(labels), tuple(values)),))


def _densities(structure: Structure) -> Section:
    """Count clusters and pairs by the share of possible edges that is there."""
    count = len(structure.sizes)
    possible, real = structure.pairs
    held = possible > 0
    density = real / np.maximum(possible, 1)
    inside = density[:count][held[:count]]
    across = density[count:]
    none = count * (count - 1) // 2 - len(across)
    rows: list[tuple[Entry, ...]] = [("none", int((inside == 0).sum()), none)]
    for low, high in pairwise(BANDS):
        within = [int(((of > low) & (of <= high) & (of < 1.0)).sum()) for of in (inside, across)]
        rows.append((f"up to {high:.0%}" if high < 1 else "below 100 %", *within))
    rows.append(("all: known for certain", int((inside == 1).sum()), int((across == 1).sum())))
    table = FigureTable(("share of possible edges", "clusters", "pairs of clusters"), tuple(rows))
    return Section("Who knows whom", (table,))


def _losses(public: GraphCertificate, private: GraphPrivate | None) -> Section:
    losses = public.losses if private is None else private.losses
    rows = tuple((name, value, MEANINGS.get(name, "")) for name, value in losses.items())
    if not rows:
        return Section("What was lost", (Text("Counted for the maker of the release alone."),))
    return Section("What was lost", (FigureTable(("measure", "value", ""), rows),))


def _for_its_maker(private: GraphPrivate) -> list[Section]:
    """Show what attacks found, and what the search says of itself."""
    made = []
    if private.attacks:
        rows = tuple(
            (one["name"], one["attack"], one["control"], one["words"]) for one in private.attacks
        )
        heads = ("attack", "right", "right by guessing", "what is known")
        made.append(Section("Attacks", (FigureTable(heads, rows),)))
    if private.notes:
        made.append(Section("Notes", (Sentences(tuple(private.notes)),)))
    return made


def _checking(signed: str | None) -> Section:
    parts: list[Part] = [Command("shoal verify FOLDER")]
    if signed is not None:
        parts.append(Text(f"The release is signed by key {signed}; its public half checks that."))
    return Section("Check it", tuple(parts))
