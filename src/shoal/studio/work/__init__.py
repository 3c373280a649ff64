"""Work: the tasks that the studio has done in processes of their own, one task a file.

None of them knows of browsers.

A task is `do(tell, **asked) -> result`: plain data in, plain data out, tables as files. `tell` says
how far it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

TASKS = {
    "read": "reading",
    "everyone": "everyone",
    "inspect": "inspecting",
    "formats": "formats",
    "single": "singling",
    "preview": "previewing",
    "frontier": "frontier",
    "levels": "levels",
    "candidates": "candidates",
    "anonymize": "anonymizing",
    "attack": "attacking",
    "mine": "mining",
    "expose": "exposing",
    "hand": "handing",
    "ledger": "ledgers",
    "foresee": "foreseeing",
    "record": "recording",
    "read-graph": "graph_reading",
    "try-graph": "graph_trying",
    "anonymize-graph": "graph_releasing",
}


def task(name: str) -> Callable[..., Mapping[str, Any]]:
    """Return a task by its name."""
    do: Callable[..., Mapping[str, Any]] = import_module(f"shoal.studio.work.{TASKS[name]}").do
    return do
