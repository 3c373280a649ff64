"""The demo of graphs: invented patients and who shared a ward, released in clusters."""

from __future__ import annotations

from pathlib import Path

from shoal.adapters import files
from shoal.adapters.atomic_files import Staged
from shoal.api import graph
from shoal.api.graph_writing import private_place
from shoal.cli import render

QUASI = ("birth_date", "sex", "postcode")
NODES = "people.csv"
EDGES = "shared_ward.csv"


def run(folder: Path, seed: int) -> None:
    """Write the invented graph and its release into a folder, and show who stood alone."""
    folder.mkdir(parents=True, exist_ok=True)
    people, wards = graph.demo()
    with Staged(force=True) as staged:
        files.write_table(people, staged.file(folder / NODES), like=NODES)
        files.write_table(wards, staged.file(folder / EDGES), like=EDGES)
    before = graph.audit(people, wards, quasi=QUASI)
    stages = render.Stages()
    try:
        release = graph.anonymize(
            people,
            wards,
            quasi=QUASI,
            sensitive=["diagnosis"],
            identifiers=["name"],
            hierarchies={"postcode": "masks(length=5)"},
            k=5,
            seed=seed,
            progress=stages,
        )
        place = folder / "released"
        release.write(place, force=True)
    finally:
        stages.close()
    console = render.stderr()
    render.screen(console, before.screen)
    nodes = folder / NODES
    edges = folder / EDGES
    ends = [
        f"hand over   {place}     keep private   {private_place(place)}",
        f"check it    shoal verify {place}",
        f"now you     shoal anonymize-graph {nodes} {edges} -o mine -q birth_date,sex -k 10",
    ]
    render.screen(console, release.screen, ends, before="\n")
