"""Result of a graph: how far it is, what it tells in plain words, before and after, and its files.

The private certificate and the reports with original figures stand apart from what is handed over.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nicegui import ui

from shoal.handover.graph_commands import graph_command
from shoal.studio.desk import Desk
from shoal.studio.frame import OFTEN, listen
from shoal.studio.graph_desk import EDGES, PEOPLE, GraphRun
from shoal.studio.jobs import Job
from shoal.studio.pages.result_panels import figures
from shoal.studio.words import percent

RELEASED = "released"
REPORTS = {"report.html": "Your report", "report.public.html": "The public report"}


def show_result(desk: Desk) -> None:
    """Draw the release that is made, or was made; nothing before."""
    stale = ui.label("Made with other settings than those above.").classes("warn")
    place = ui.element("div").classes("stack").props('data-testid="graph-result"')
    last: list[object] = [place, None]  # which is no run

    def look() -> None:
        run = desk.graph.run
        state = run and (run.job.state, run.job.stage, run.job.compiling)
        stale.set_visibility(
            run is not None and run.job.state == "done" and run.asked != desk.graph.asked
        )
        if last != [run, state]:
            last[:] = [run, state]
            place.clear()
            with place:
                if run is not None:
                    _drawn(desk, run)

    listen(desk, look)
    ui.timer(OFTEN, look)


def _drawn(desk: Desk, run: GraphRun) -> None:
    if run.job.result is not None:
        _told(run.job.result)
        _pictures(run.job.result["pictures"])
        _figures(run.job.result)
        _handing_over(desk, run, run.job.result)
        return
    with ui.element("div").classes("paper progress"):
        if run.job.over:
            said = run.job.problem or "It was stopped; nothing was published."
            ui.label(said).classes("problem").props('role="alert" data-testid="graph-refused"')
            return
        ui.spinner(size="sm")
        ui.label(_stage(run.job)).props('role="status"')
        ui.button("Stop", on_click=run.job.cancel).props('flat dense data-testid="graph-stop"')


def _stage(job: Job) -> str:
    return f"{job.stage[:1].upper()}{job.stage[1:]} ..." if job.stage else job.waiting_for


def _told(told: dict[str, Any]) -> None:
    """Say what was released, in the words of the terminal, and what its maker should know."""
    with ui.element("div").classes("paper stack"):
        head = ui.label(told["headline"]).classes("text-lg")
        head.props('role="heading" aria-level="2" data-testid="graph-headline"')
        with ui.element("div").classes("asked"):
            for title, words in (("before", told["before"]), *told["facts"]):
                ui.label(title).classes("side-title")
                ui.label(words)
        for notice in told["notices"]:
            look = "faint" if notice["kind"] == "dropped" else "warn"
            ui.label(f"• {notice['text']}").classes(look)
        with ui.expansion("What nobody should read into it").classes("w-full more").props("dense"):
            for sentence in told["limits"]:
                ui.label(f"• {sentence}").classes("faint")


def _pictures(pictures: dict[str, Any]) -> None:
    """Draw the graph before and after, each part at the same place, and the same as a table."""
    with ui.element("div").classes("paper stack"):
        with ui.element("div").classes("side-by-side"):
            for title in ("before", "after"):
                with ui.element("div").classes("stack").props(f'data-testid="graph-{title}"'):
                    ui.label(title.capitalize()).classes("side-title")
                    # made of figures alone, by our own code
                    drawn = ui.html(pictures[title], sanitize=False).props('role="img"')
                    drawn.props["aria-label"] = pictures[f"said_{title}"]
                    ui.label(pictures[f"said_{title}"]).classes("faint")
        with ui.expansion("The same as a table").classes("w-full more").props("dense"):
            figures(pictures["heads"], pictures["rows"], "What the pictures show")


def _figures(told: dict[str, Any]) -> None:
    with ui.expansion("Attacks that were tried, and all figures").classes("paper").props("dense"):
        if told["attacks"]:
            heads = ("attack", "right", "right by guessing")
            rows = [
                (name, percent(right), percent(blind)) for name, right, blind in told["attacks"]
            ]
            figures(heads, rows, "How often attacks are right")
        figures(("figure", "value"), told["losses"], "What was lost")


def _handing_over(desk: Desk, run: GraphRun, told: dict[str, Any]) -> None:
    """Offer what may leave the house, and apart from it what may not."""
    archive = Path(told["archive"])
    home = archive.parent
    with ui.element("div").classes("columns"):
        with ui.element("div").classes("paper"):
            ui.label("To hand over").classes("side-title")
            ui.label("The folder with the tables and the public certificate; unsigned.").classes(
                "faint"
            )
            _download(desk, archive, "The release in one archive", mark="graph-archive")
            _download(desk, home / "report.public.html", REPORTS["report.public.html"])
        with ui.element("div").classes("paper"):
            ui.label("For you alone").classes("side-title warn")
            ui.label("These show what follows from the original. Do not publish them.").classes(
                "faint"
            )
            _download(desk, Path(told["private"]), "The private certificate", mark="graph-private")
            _download(desk, home / "report.html", REPORTS["report.html"])
    with ui.element("div").classes("paper"):
        ui.label("At the terminal").classes("side-title")
        said = "To make such a release again (the terminal can sign it), and to check it:"
        ui.label(said).classes("faint")
        files = [
            desk.graph.files[part].name for part in (PEOPLE, EDGES) if part in desk.graph.files
        ]
        own = {**run.asked.own(), "simplify": desk.graph.simplify}
        command = graph_command(run.asked.recipe_of_form(), own, files, RELEASED)
        ui.label(command).classes("typed").props('data-testid="graph-command"')
        ui.label(f"shoal verify {RELEASED}").classes("typed")


def _download(desk: Desk, path: Path, words: str, *, mark: str | None = None) -> None:
    address = desk.offer(path, path.name)
    button = ui.button(words, icon="download", on_click=lambda: ui.download.from_url(address))
    button.props("flat dense no-caps align=left").classes("w-full")
    if mark is not None:
        button.props(f'data-testid="{mark}"')
