"""Releases that are made part by part, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import shoal
from shoal.engines.disk import DiskEngine
from shoal.recipe import Recipe


def write_streamed(
    source: Path | str, place: Path | str, recipe: Recipe, rows: int | None = None, **asked: Any
) -> shoal.Release:
    """Write a release part by part, at most `rows` of them at a time."""
    target = Path(place)
    engine = DiskEngine(folder=target.parent, like=target.name, rows=rows)
    release = shoal.anonymize(source, recipe=recipe, engine=engine, **asked)
    release.write(target, inputs=[str(source)])
    return release
