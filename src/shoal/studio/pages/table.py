"""Table: the first step: choose a file, a database or the demonstration, see rows and formats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import run, ui

from shoal.adapters import databases, files
from shoal.adapters.csv.table import DELIMITERS
from shoal.adapters.demo_data import patients
from shoal.errors import ShoalError
from shoal.studio.desk import Desk
from shoal.studio.desk_items import Sheet
from shoal.studio.frame import listen, next_link
from shoal.studio.grid import grid
from shoal.studio.pages import projects
from shoal.studio.pages.graph import take_demo
from shoal.studio.pages.sending import sent_to
from shoal.studio.pages.table_formats import Formats
from shoal.studio.words import in_words

FORMATS = "CSV, Excel, Parquet, SPSS, Stata, SAS or JSON lines"
HOW = ("delimiter", "encoding")
ENCODINGS = {
    "": "UTF-8 (or UTF-16) unless chosen",
    "cp1252": "Windows (cp1252)",
    "latin-1": "Latin 1",
    "utf-16": "UTF-16",
}
SPELLED = {"": "found by itself", "\t": "tab"}


def show(desk: Desk) -> None:
    """Draw the choice of a table above, the table below."""
    projects.welcome(desk)
    with ui.element("div").classes("w-full"):
        upload = _chooser(desk)
        _progress(desk, upload)
    _refusal(desk)
    rows = ui.element("div").classes("stack")
    below = ui.element("div").classes("stack")
    projects.recent(desk)
    last: list[Sheet | None] = [None]

    def follow() -> None:
        sheet = desk.sheet
        if sheet is None or sheet is last[0]:
            return
        last[0] = sheet
        rows.clear()
        with rows:
            _rows(desk, sheet)
        below.clear()
        with below:
            _formats(desk, sheet)
            projects.present(desk)

    listen(desk, follow)


def _chooser(desk: Desk) -> ui.upload:
    """Draw where a file is dropped, and the two other ways to a table."""
    upload = sent_to(ui.upload().classes("drop").props('flat data-testid="drop"'), "/upload")
    upload.on("added", lambda: _send(desk, upload), args=[])
    pick = f"event => getElement({upload.id}).$refs.qRef.pickFiles(event)"
    with upload.add_slot("list"), ui.element("div").classes("choices"):
        ui.icon("upload_file", size="28px").props('aria-hidden="true"')
        ui.label(f"Drop a {FORMATS} file here, or")
        ui.button("Choose a file").props('data-testid="choose"').on("click", js_handler=pick)
        with ui.element("div").classes(
            "hidden"
        ):  # the field of the browser, which the button opens
            ui.element("q-uploader-add-trigger")
        ui.button("Take a database", on_click=lambda: _database(desk)).props(
            'outline data-testid="database"'
        )
        ui.button("Try the demo table", on_click=lambda: _demo(desk)).props(
            'outline data-testid="demo"'
        )
        ui.button("Try the demo graph", on_click=lambda: _demo_graph(desk)).props(
            'outline data-testid="demo-graph"'
        )
    return upload


async def _send(desk: Desk, upload: ui.upload) -> None:
    if await _sure(desk):
        upload.run_method("upload")
    else:
        upload.reset()


async def _sure(desk: Desk) -> bool:
    """Ask whether another table may take the place of all that was made so far."""
    if not desk.runs:
        return True
    with ui.dialog() as dialog, ui.card().classes("paper"):
        ui.label("Another table?").classes("text-lg").props('role="heading" aria-level="2"')
        if len(desk.runs) == 1:
            made = "The run that was made"
        else:
            made = f"All {len(desk.runs):,} runs that were made"
        reason = "as they are about the table that is here"
        ui.label(f"{made} and all choices are thrown away, {reason}.")
        with ui.row():
            keep = ui.button("Keep them", on_click=lambda: dialog.submit(False))
            keep.props('autofocus data-testid="keep"')
            throw = ui.button("Throw them away", on_click=lambda: dialog.submit(True))
            throw.props('outline data-testid="throw-away"')
            cabinet = desk.cabinet
            if cabinet is not None:
                begin = ui.button("Begin another project", on_click=cabinet.begin)
                begin.props("outline").tooltip("this one stays as it is; choose the file there")
    answer = await dialog
    dialog.delete()
    return bool(answer)


async def _demo(desk: Desk) -> None:
    """Read invented patients, as the file that one would have uploaded."""
    if not await _sure(desk):
        return
    place = desk.new_place()
    await run.io_bound(lambda: files.write_table(patients(), place, like="patients.csv"))
    desk.read("patients.csv", place)


async def _demo_graph(desk: Desk) -> None:
    """Read an invented graph, on the page for graphs."""
    await take_demo(desk)
    ui.navigate.to("/graph")


def _database(desk: Desk) -> None:
    """Ask for the address of a database.

    It is used and then shown nowhere: the dialog is gone with the answer.
    """
    with ui.dialog(value=True) as dialog, ui.card().classes("paper"):
        ui.label("Take a table from a database").classes("text-lg")
        ui.label(
            "It is read once, in one moment, and never written to. The address stays in this "
            "studio."
        ).classes("faint")
        address = (
            ui.input("Address", password=True)
            .classes("w-full")
            .props('autocomplete="off" data-testid="address"')
        )
        ui.label("postgresql://host/database or sqlite:////folder/people.db").classes("faint")
        table = (
            ui.input("Table").classes("w-full").props('autocomplete="off" data-testid="table-name"')
        )
        problem = ui.label().classes("problem").props('role="alert"')

        async def read() -> None:
            url = str(address.value or "").strip()
            name = str(table.value or "").strip()
            try:
                if not databases.is_url(url):
                    # the text is not repeated: it may be a password
                    problem.set_text("that is no address of a database")
                    return
                if not await _sure(desk):
                    return
                desk.read(f"{databases.shown(url)}, table {name}", url, name or None)
            except ShoalError as refusal:
                problem.set_text(in_words(refusal))
                return
            dialog.close()

        with ui.row():
            ui.button("Read it", on_click=read).props('data-testid="read-database"')
            ui.button("Cancel", on_click=dialog.close).props("flat")
    dialog.on("hide", dialog.delete)


def _progress(desk: Desk, upload: ui.upload) -> None:
    """Show how far the file has come, and how far it is read.

    It lies over what is below, which stays where it is.
    """
    over = ui.element("div").classes("over")
    with (
        over,
        ui.element("div")
        .classes("paper progress")
        .props('role="status" data-testid="progress"') as line,
    ):
        words = ui.label()
        bar = ui.linear_progress(show_value=False).props("instant-feedback")
        ui.button("Stop", on_click=lambda: _stop(desk, upload)).props('flat data-testid="stop"')

    def look() -> None:
        job = desk.jobs.get("read")
        busy = job is not None and not job.over
        line.set_visibility(busy or desk.arriving is not None)
        bar.props["indeterminate"] = desk.arriving is None
        if desk.arriving is not None:
            words.set_text(f"the file arrives: {desk.arriving:.0%}")
            bar.set_value(desk.arriving)
        elif busy and job is not None:
            words.set_text(f"{job.stage or 'waiting'} ... {job.seconds:.0f} s")

    listen(desk, look)
    ui.timer(0.25, look)


def _refusal(desk: Desk) -> None:
    """Show why the latest table was refused, until something else is done."""
    with ui.element("div").classes("paper refusal") as refusal:
        problem = ui.label().classes("problem").props('role="alert" data-testid="problem"')
        otherwise = ui.element("div")
    last: list[object] = [None, None]

    def look() -> None:
        job = desk.jobs.get("read")
        if job is None or not job.problem or desk.arriving is not None:
            refusal.set_visibility(False)
        elif job is not last[0]:
            last[:] = [job, desk.now]
            refusal.set_visibility(True)
            problem.set_text(job.problem)
            otherwise.clear()
            with otherwise:
                _how(
                    desk,
                    job.asked["name"],
                    {name: job.asked.get(name) for name in ("place", "table", *HOW)},
                )
        elif desk.now != last[1]:
            refusal.set_visibility(False)

    listen(desk, look)
    ui.timer(0.25, look)


def _stop(desk: Desk, upload: ui.upload) -> None:
    upload.reset()
    if "read" in desk.jobs:
        desk.jobs["read"].cancel()


def _rows(desk: Desk, sheet: Sheet) -> None:
    """Show what was read: how much, and the rows."""
    with ui.element("div").classes("facts"):
        ui.label(sheet.name).classes("text-lg").props('data-testid="table-shown"')
        size = ui.label(f"{sheet.table.num_rows:,} rows, {len(sheet.columns):,} columns")
        size.classes("faint").props('data-testid="size"')
        ui.space()
        next_link("/roles")
    grid(desk, "table").props('data-testid="grid"')


def _formats(desk: Desk, sheet: Sheet) -> None:
    """Show what each column was taken for, and how a text may be read otherwise."""
    panel = ui.expansion("What each column was taken for").classes("paper")
    with panel.props('data-testid="formats"'):
        _how(desk, sheet.name, sheet.source)
        place = ui.element("div").classes("stack")
    drawn: list[Formats] = []

    def opened() -> None:
        if panel.value and not drawn:
            with place:
                drawn.append(Formats(desk, sheet))

    panel.on_value_change(opened)


def _how(desk: Desk, name: str, source: Mapping[str, Any]) -> None:
    """Offer another delimiter or encoding, where the source is a text."""
    if databases.is_url(source["place"]) or not _is_text(source["place"]):
        return
    with ui.row().classes("items-center"):
        signs = {sign: SPELLED.get(sign, sign) for sign in ("", *DELIMITERS)}
        choices = {
            "delimiter": ui.select(
                signs, value=source.get("delimiter") or "", label="Delimiter of a CSV file"
            ),
            "encoding": ui.select(
                ENCODINGS, value=source.get("encoding") or "", label="Its encoding"
            ),
        }
        for choice in choices.values():
            choice.props("dense outlined").classes("w-64")

        async def again() -> None:
            if await _sure(desk):
                desk.read(
                    name,
                    **dict(source)
                    | {part: choice.value or None for part, choice in choices.items()},
                )

        ui.button("Read again", on_click=again).props('outline data-testid="read-again"')


def _is_text(place: str) -> bool:
    """Tell whether a file is read as CSV: by its first bytes, as `files` does."""
    try:
        with open(place, "rb") as file:
            return not file.read(8).startswith(tuple(files.KINDS))
    except OSError:  # gone, or a folder of parts
        return False
