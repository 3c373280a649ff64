"""Mining: measures what a release is good for, beside the table that it was made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal import api, registry
from shoal.handover.folder import STATED, Handed
from shoal.mining.task import Task
from shoal.studio.words import STUDIO
from shoal.studio.work.inspecting import opened
from shoal.studio.work.telling import Tell


def do(
    tell: Tell, table: str, folder: str, hierarchies: Mapping[str, Any], tasks: list[str]
) -> dict[str, Any]:
    """Return what `shoal mine` measures, as plain data.

    Each task also says in a sentence what it asks.
    """
    release = Handed(Path(folder) / "handed").release
    given: dict[str, Any] = {"certificate": f"{release}{STATED}", "hierarchies": dict(hierarchies)}
    measured = api.mine(release, opened(table), tasks=tasks, progress=tell, **given).as_dict(STUDIO)
    return {
        **measured,
        "meanings": {name: registry.summary(registry.names(Task)[name]) for name in tasks},
    }
