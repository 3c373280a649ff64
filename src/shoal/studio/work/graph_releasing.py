"""Releasing a graph: makes a release as the terminal does, draws it, and packs its folder.

In the folder of its run:

    released/               the release, written and recounted as the terminal does
    released.private.json   the private certificate, beside the folder that is handed over
    report.html, report.public.html
    released.zip            the folder `released`, to be fetched at once
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.api import graph
from shoal.api.graph_release import GraphRelease, SupergraphRelease
from shoal.api.graph_writing import private_place
from shoal.arrays import Flags
from shoal.declare.columns import whole
from shoal.encode.profile import profile
from shoal.encode.rows import combined
from shoal.errors import notices_shown_by_door
from shoal.handover.folder import packed
from shoal.networks.network import NamedNetwork
from shoal.recipe import Recipe
from shoal.screen import stand_alone
from shoal.studio.words import untyped
from shoal.studio.work import graph_drawing as drawing
from shoal.studio.work.graph_reading import tables_of
from shoal.studio.work.telling import Tell

RELEASED = "released"
REPORT = "report.html"
BEFORE = {
    True: "{} by what others know of them and their number of neighbours",
    False: "{} by their number of neighbours",
}


def do(
    tell: Tell, graph_folder: str, recipe: Mapping[str, Any], own: Mapping[str, Any], folder: str
) -> dict[str, Any]:
    """Make a verified release in the folder of its run, whole or not at all."""
    nodes, edges = tables_of(graph_folder)
    asked = Recipe.of(**recipe)
    home = Path(folder)
    with notices_shown_by_door():
        release = graph.anonymize(nodes, edges, recipe=asked, progress=tell, **own)
    tell("drawing")
    known = asked.quasi if isinstance(release, SupergraphRelease) else ()
    alone = standing_alone(release.named, known)
    pictures = _drawn(release, alone, asked.k)
    tell("writing")
    place = home / RELEASED
    release.write(place, report=home / REPORT)
    archive = packed(place, home / f"{RELEASED}.zip", within=RELEASED)
    private = release.certificate.private
    return {
        "headline": untyped(release.screen.headline),
        "facts": [[title, untyped(words)] for title, words in release.screen.facts],
        "before": BEFORE[bool(known)].format(stand_alone(float(alone.mean()))),
        "notices": [{"kind": note.kind, "text": untyped(note.words)} for note in release.notices],
        "limits": list(release.certificate.public.not_promised),
        "losses": [[name, value] for name, value in release.losses.items()],
        "attacks": [[one["name"], one["attack"], one["control"]] for one in private.attacks],
        "pictures": pictures.as_dict(),
        "archive": str(archive),
        "private": str(private_place(place)),
    }


def _drawn(release: GraphRelease, alone: Flags, k: int) -> drawing.Pictures:
    network = release.named.network
    if isinstance(release, SupergraphRelease):
        return drawing.of_clusters(network, release.outcome.groups, alone)
    return drawing.of_degrees(network.degrees, release.sample().network.degrees, k)


def standing_alone(named: NamedNetwork, quasi: Sequence[str]) -> Flags:
    """Flag people who are the only ones with their attributes and number of neighbours."""
    degrees = profile(pa.array(named.network.degrees), "degree")
    columns = [profile(whole(named.nodes[name]), name) for name in quasi]
    codes = np.array([column.codes for column in (*columns, degrees)])
    keys = combined(codes, [column.size + 1 for column in (*columns, degrees)])
    _, place, count = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(count[place] == 1)
