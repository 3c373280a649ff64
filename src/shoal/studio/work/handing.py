"""Handing over: the release of a run in the form that was asked for, packed with its public papers."""

from __future__ import annotations

from pathlib import Path

from shoal.api.handing import Handed
from shoal.studio.work.telling import Tell

FORMS = {".csv": "CSV", ".parquet": "Parquet", ".arrow": "Arrow"}


def do(tell: Tell, folder: str, suffix: str) -> dict[str, str]:
    """The folder that holds this form; made when it is first asked for."""
    home = Path(folder)
    made = Handed(home / ("handed" if suffix == ".parquet" else f"handed{suffix}"))
    if not made.folder.exists():
        tell("writing and recounting")
        made = Handed(home / "handed").again(made.folder, f"released{suffix}")
    tell("packing")
    made.pack(home / f"released{suffix}.zip")
    return {"folder": str(made.folder), "archive": str(home / f"released{suffix}.zip")}
