"""Attacking: tries every attack on a release, by someone who has the whole table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal import api, registry
from shoal.attacks.attack import Attack
from shoal.handover.folder import STATED, Handed
from shoal.studio.words import STUDIO
from shoal.studio.work.inspecting import opened
from shoal.studio.work.telling import Tell


def do(tell: Tell, table: str, folder: str, hierarchies: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `shoal attack` finds, as plain data.

    Each attack also says in a sentence what it tries.
    """
    tell("attacking")
    release = Handed(Path(folder) / "handed").release
    given: dict[str, Any] = {
        "original": opened(table),
        "certificate": f"{release}{STATED}",
        "hierarchies": dict(hierarchies),
    }
    findings = api.attack(release, **given).as_dict(STUDIO)
    known = registry.names(Attack)
    return {
        **findings,
        "attacks": [
            {**one, "meaning": registry.summary(known[one["name"]])} for one in findings["attacks"]
        ],
    }
