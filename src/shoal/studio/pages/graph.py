"""Graph: one page from people and who knows whom to a release that is handed over."""

from __future__ import annotations

from nicegui import run, ui

from shoal.adapters import files
from shoal.adapters.demo_graph import people_and_wards
from shoal.studio.desk import Desk
from shoal.studio.frame import OFTEN, listen
from shoal.studio.graph_desk import EDGES, PEOPLE, WHOLE
from shoal.studio.jobs import Job
from shoal.studio.pages.graph_asked import show_asked
from shoal.studio.pages.graph_result import show_result
from shoal.studio.pages.sending import sent_to

WHAT = (
    "A network singles people out by their values and by their neighbours. Here it is published so "
    "that at least k people look alike by both, or by their number of neighbours."
)
PARTS = {
    PEOPLE: ("People", "a table with a row for each person, with an id in the first column"),
    EDGES: (
        "Who knows whom",
        "a table whose first two columns are ids; or one GraphML or GML file with everything",
    ),
}
DEMO = {PEOPLE: "people.csv", EDGES: "shared_ward.csv"}
KEPT = (
    "A graph is no project: files and release are removed when the studio ends, or another project "
    "is opened. Fetch the release before that."
)


def show(desk: Desk) -> None:
    """Draw the files, then what is asked of the graph, then the release."""
    with ui.element("div").classes("stack"):
        _files(desk)
        asked = ui.element("div").classes("stack")
        show_result(desk)
    last: list[object] = [asked]  # which is no graph

    def follow() -> None:
        if desk.graph.sheet is not last[0]:
            last[0] = desk.graph.sheet
            asked.clear()
            if desk.graph.sheet is not None:
                with asked:
                    show_asked(desk)

    listen(desk, follow)


async def take_demo(desk: Desk) -> None:
    """Read the invented patients and who shared a ward, as files that one would have chosen."""
    made = await run.io_bound(people_and_wards)
    if made is None:  # the studio ends
        return
    for part, table in zip((PEOPLE, EDGES), made, strict=True):
        place = desk.new_place()
        await run.io_bound(files.write_table, table, place, like=DEMO[part])
        desk.graph.files.pop(part, None)
        desk.graph.take(part, DEMO[part], place)


def _files(desk: Desk) -> None:
    with ui.element("div").classes("paper stack"):
        ui.label(WHAT)
        for part, (title, meant) in PARTS.items():
            _file(desk, part, title, meant)
        with ui.element("div").classes("choices"):
            once = ui.checkbox("Count each pair once, without direction; leave loops out")
            once.props('data-testid="simplify"')
            demo = ui.button("Try the demo graph", on_click=lambda: take_demo(desk))
            demo.props('outline no-caps data-testid="graph-demo"')
        _state(desk)
        ui.label(KEPT).classes("faint")

    def simplify() -> None:
        if once.value != desk.graph.simplify:
            desk.graph.simplify = bool(once.value)
            desk.graph.read()

    def follow() -> None:
        once.set_value(desk.graph.simplify)

    once.on_value_change(simplify)
    listen(desk, follow)


def _file(desk: Desk, part: str, title: str, meant: str) -> None:
    """Draw the button that opens the field of a browser, and which file was chosen."""
    upload = sent_to(ui.upload(auto_upload=True).classes("hidden"), f"/upload/graph/{part}")
    upload.props(f'data-testid="graph-{part}"')
    with ui.element("div").classes("choices"):
        button = ui.button(
            title, icon="upload_file", on_click=lambda: upload.run_method("pickFiles")
        )
        button.props(f'no-caps data-testid="choose-{part}"')
        said = ui.label().props(f'data-testid="file-{part}"')
        away = ui.button("Take it away", on_click=lambda: desk.graph.give_up(part))
        away.props("flat dense no-caps").props["aria-label"] = f"Take away: {title}"

    def follow() -> None:
        file = desk.graph.files.get(part)
        other = "in the file below" if part == PEOPLE and _has_both(desk) else meant
        said.set_text(file.name if file else other)
        said.classes(**{"remove" if file else "add": "faint"})
        away.set_visibility(file is not None)

    listen(desk, follow)


def _has_both(desk: Desk) -> bool:
    """Tell whether the file of edges holds people as well."""
    return EDGES in desk.graph.files and desk.graph.files[EDGES].place.suffix in WHOLE


def _state(desk: Desk) -> None:
    """Say how far the graph is read, what it is, or why it was refused."""
    with ui.element("div").classes("progress"):
        size = ui.label().props('aria-live="polite" data-testid="graph-size"')
        bar = ui.linear_progress(show_value=False).props('indeterminate aria-label="reading"')
        stop = ui.button("Stop", on_click=lambda: _stop(desk.graph.reading)).props("flat dense")
    problem = ui.label().classes("problem").props('role="alert" data-testid="graph-problem"')
    notices = ui.element("div")
    last: list[object] = [notices]

    def look() -> None:
        graph = desk.graph
        job = graph.reading
        busy = desk.arriving is not None or (job is not None and not job.over)
        size.set_text(_said(desk))
        bar.set_visibility(busy)
        stop.set_visibility(job is not None and not job.over)
        problem.set_text(job.problem or "" if job is not None and not busy else "")
        if graph.sheet is not last[0]:
            last[0] = graph.sheet
            notices.clear()
            with notices:
                for notice in graph.facts.get("notices", ()):
                    ui.label(f"• {notice}").classes("warn")

    listen(desk, look)
    ui.timer(OFTEN, look)


def _stop(job: Job | None) -> None:
    if job is not None:
        job.cancel()


def _said(desk: Desk) -> str:
    graph = desk.graph
    if desk.arriving is not None:
        return f"The file arrives: {desk.arriving:.0%}"
    if graph.reading is not None and not graph.reading.over:
        return graph.reading.waiting_for or "The graph is being read ..."
    if PEOPLE in graph.files and EDGES not in graph.files:
        return "Now choose who knows whom."
    if graph.sheet is None or graph.reading is None or graph.reading.problem:
        return ""
    facts = graph.facts
    return f"{facts['people']:,} people, {facts['edges']:,} edges. Ids: {facts['id']}."
