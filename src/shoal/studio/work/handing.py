"""Handing over: writes the release of a run in the chosen form, packed with its public papers."""

from __future__ import annotations

from pathlib import Path

from shoal.handover.folder import Handed
from shoal.studio.work.telling import Tell

FORMS = {".csv": "CSV", ".xlsx": "Excel", ".parquet": "Parquet", ".arrow": "Arrow"}


def do(tell: Tell, folder: str, suffix: str, *, all_trees: bool = False) -> dict[str, str]:
    """Return the folder that holds this form, and make it when it is first asked for.

    `all_trees` also packs hierarchies that follow the table.
    """
    home = Path(folder)
    kind = f"{suffix}{'-all' if all_trees else ''}"
    made = Handed(home / ("handed" if kind == ".parquet" else f"handed{kind}"))
    if not made.folder.exists():
        tell("writing and recounting")
        made = Handed(home / "handed").again(made.folder, f"released{suffix}", all_trees=all_trees)
    tell("packing")
    archive = made.pack(home / f"released{kind}.zip")
    return {"folder": str(made.folder), "archive": str(archive)}
