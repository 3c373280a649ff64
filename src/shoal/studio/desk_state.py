"""State of a desk: what a project keeps of it, and a desk that is laid out again from that.

Addresses of databases are never kept: they may hold a password.
"""

from __future__ import annotations

import json
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.adapters import databases
from shoal.errors import ShoalError
from shoal.recipe import Recipe
from shoal.studio import projects
from shoal.studio.desk import Desk
from shoal.studio.desk_items import Sheet, StudioRun
from shoal.studio.jobs import Job, Shop
from shoal.studio.ledger_choice import LedgerChoice

TOLD = "told.json"


def keep(desk: Desk) -> None:
    """Write what is on a desk into its folder, if it has a table and anything has changed."""
    if desk.sheet is None:
        return
    state = state_of(desk)
    if state == desk.kept:
        return
    with suppress(OSError):  # a full disk: the next change tries again, and the work goes on
        for run in desk.finished:
            if not (run.folder / TOLD).exists():
                projects.write_whole(run.folder / TOLD, json.dumps(run.told))
        projects.write(desk.folder, {**state, "changed": time.time()})
        desk.kept = state


def state_of(desk: Desk) -> dict[str, Any]:
    """Return what is kept of a desk, as plain data."""
    assert desk.sheet is not None
    sheet = desk.sheet
    place = str(sheet.source["place"])
    source = {**sheet.source, "place": "" if databases.is_url(place) else place}
    return {
        "title": desk.title or sheet.name,
        "table": {
            "name": sheet.name,
            "file": sheet.path.name,
            "kinds": dict(sheet.kinds),
            "source": source,
        },
        "recipe": desk.recipe.as_dict(),
        "ledger": _plain(desk.ledger),
        "runs": [
            {
                "number": run.number,
                "recipe": run.recipe.as_dict(),
                "file": run.sheet.path.name,
                "seconds": run.job.seconds,
                "ledger": _plain(run.ledger),
            }
            for run in desk.finished
        ],
    }


def opened(folder: Path, shop: Shop) -> Desk:
    """Lay a desk out again as its project keeps it.

    Where the copy of the table is gone, it is read again from its own file if that is there;
    otherwise the settings wait for a table that has their columns.
    """
    state = projects.read(folder)
    projects.take(folder)
    desk = Desk(folder, shop)
    if state is None:
        return desk
    desk.title = str(state["title"])
    desk.recipe = _recipe(state["recipe"])
    desk.ledger = LedgerChoice.of(state.get("ledger"))
    sheet = _sheet(folder, state["table"])
    _remove_strangers(folder, state)
    if sheet is None:
        _without_table(desk, state["table"])
        return desk
    for run in state["runs"]:
        _restore(desk, run, sheet)
    desk.lay_again(sheet)
    desk.kept = state_of(desk)
    return desk


def _plain(ledger: LedgerChoice | None) -> dict[str, Any] | None:
    return None if ledger is None else ledger.as_dict()


def _recipe(asked: dict[str, Any]) -> Recipe:
    try:
        return Recipe.of(**asked)
    except ShoalError:  # of another version of Shoal
        return Recipe()


def _sheet(folder: Path, table: dict[str, Any]) -> Sheet | None:
    path = folder / str(table["file"])
    try:
        read = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    except (OSError, pa.ArrowInvalid):
        return None
    return Sheet(table["name"], path, read, table["kinds"], table["source"])


def _restore(desk: Desk, kept: dict[str, Any], sheet: Sheet) -> None:
    """Put a finished run back on the desk, if all that it told is there."""
    number = int(kept["number"])
    folder = desk.folder / f"run-{number}"
    desk.count = max(desk.count, number)
    try:
        told = json.loads((folder / TOLD).read_text("utf-8"))
    except (OSError, ValueError):
        return
    if kept["file"] != sheet.path.name:
        return
    seconds = float(kept["seconds"])
    job = Job("anonymize", {}, state="done", result=told, began=0.0, ended=seconds)
    run = StudioRun(number, _recipe(kept["recipe"]), folder, job, sheet)
    run.ledger = LedgerChoice.of(kept.get("ledger"))
    desk.made.append(run)


def _remove_strangers(folder: Path, state: dict[str, Any]) -> None:
    """Remove runs that were cut off in the midst."""
    whole = {f"run-{run['number']}" for run in state["runs"]}
    for run in folder.glob("run-*"):
        if run.name not in whole:
            shutil.rmtree(run, ignore_errors=True)


def _without_table(desk: Desk, table: dict[str, Any]) -> None:
    desk.awaiting = str(table["name"])
    source = dict(table["source"])
    place = str(source.pop("place"))
    if place and Path(place).is_file():
        desk.read(str(table["name"]), place, **source)
