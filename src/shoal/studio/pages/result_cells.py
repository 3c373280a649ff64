"""Cells: shows rows as they came beside what each became; changed cells are marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
from nicegui import ui

from shoal.studio.desk import Desk
from shoal.studio.desk_items import StudioRun
from shoal.studio.grid import grid

SCROLL = """(event) => {{
  for (const id of [{others}]) {{
    const other = document.getElementById('c' + id), mine = document.getElementById('c{own}');
    for (const [part, way] of [
      ['.ag-body-viewport', 'scrollTop'],
      ['.ag-body-horizontal-scroll-viewport', 'scrollLeft'],
    ]) {{
      const from = mine && mine.querySelector(part), to = other && other.querySelector(part);
      if (from && to && Math.abs(to[way] - from[way]) > 1) to[way] = from[way];
    }}
  }}
}}"""


def cells(desk: Desk, runs: Sequence[StudioRun]) -> Callable[[int], None] | None:
    """Draw the grids, and return what shows a row, by its number from 0, in all of them.

    None where rows have no place.
    """
    if any(run.told["facts"]["changed"] is None for run in runs):
        _boxes(desk, runs)
        return None
    facts = runs[0].told["facts"]
    shown = ui.label().classes("faint")
    changed = facts["changed"]
    rows = facts["rows"]
    touched = sum(1 for number in changed.values() if number)
    shown.set_text(
        "Row by row, in the order of your table. Marked cells differ from what came in: "
        f"{sum(changed.values()):,} of {rows['in'] * len(changed):,}, in {touched} of "
        f"{len(changed)} columns. This order is for you alone; a release is sorted."
    )
    with ui.element("div").classes("side-by-side"):
        grids = [_before(desk, runs[0]), *(_after(desk, run, alone=len(runs) == 1) for run in runs)]
    for one in grids:
        others = ", ".join(str(other.id) for other in grids if other is not one)
        one.options[":onBodyScroll"] = SCROLL.format(others=others, own=one.id)

    def show(row: int) -> None:
        for one in grids:
            one.run_grid_method("ensureIndexVisible", row, "middle")
            one.run_grid_method("setFocusedCell", row, "n")
        ui.run_javascript(f"getHtmlElement({grids[0].id}).scrollIntoView({{block: 'center'}})")

    return show


def _before(desk: Desk, run: StudioRun) -> ui.aggrid:
    """Draw the columns that are published, in their order, and then those that are dropped."""
    facts = run.told["facts"]
    table = run.sheet.table
    names = [
        name
        for role in ("quasi", "sensitive", "kept", "weight")
        for name in facts["columns"].get(role, ())
    ]
    dropped = [name for name in facts["columns"]["dropped"] if name in table.column_names]
    key = desk.show(run.folder / "before", table.select([*names, *dropped]))
    with ui.element("div"):
        ui.label("Before").classes("side-title")
        return _grid(desk, key, lambda name: f"{name} (dropped)" if name in dropped else name)


def _after(desk: Desk, run: StudioRun, *, alone: bool) -> ui.aggrid:
    key = desk.show(run.folder / "after", _opened(run, "after"), _opened(run, "marks"))
    with ui.element("div"):
        ui.label("After" if alone else f"After: {run.title}").classes("side-title")
        return _grid(desk, key, lambda name: name)


def _grid(desk: Desk, key: str, headers: Callable[[str], str]) -> ui.aggrid:
    made = grid(desk, key, headers=headers)
    for column in made.options["columnDefs"][1:]:
        column["width"] = 150
    return made


def _boxes(desk: Desk, runs: Sequence[StudioRun]) -> None:
    """Draw the release alone, where rows have boxes of their own.

    They can't be put beside the people they are about: that is what protects them.
    """
    ui.label(
        "Here each row has a box of its own, and nobody, not even you, is told which row is about "
        "whom. The release is shown as it is published."
    ).classes("faint")
    for run in runs:
        ui.label(run.title).classes("side-title")
        grid(desk, desk.show(run.folder / "after", _opened(run, "after")))


def _opened(run: StudioRun, name: str) -> pa.Table:
    return pa.ipc.open_file(pa.memory_map(str(run.folder / f"{name}.arrow"))).read_all()
