"""Hand over: offers the release with its public papers, and what to type to make it again.

What stays with its maker stands apart.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from shoal.adapters import databases, files
from shoal.adapters.second_release import TOGETHER
from shoal.handover.commands import RECIPE_FILE, python_lines, released_name, terminal_command
from shoal.handover.folder import KEPT, REPORT, STATED, TREES, Handed, named_beside
from shoal.recipe import Recipe
from shoal.review.report.questions import PROMISED
from shoal.studio.desk import Desk
from shoal.studio.desk_items import StudioRun
from shoal.studio.frame import OFTEN, listen
from shoal.studio.pages import left
from shoal.studio.pages.promised import promised
from shoal.studio.pages.protection_models import PLACE
from shoal.studio.pages.recording import must_be_recorded, not_compared, record_first, stands_in
from shoal.studio.pages.releases import choice, empty, offer
from shoal.studio.pages.result_notices import notices
from shoal.studio.pages.signing import show_signature
from shoal.studio.work.handing import FORMS

SAFE = (".parquet", ".arrow")
FOLLOWING = (
    "They list values that fewer than k people of your table hold, or that the release "
    "does not show: whoever reads them learns that such people are in it. They stay with "
    "you; the recipe runs once they lie in its folder hierarchies."
)


def show(desk: Desk) -> None:
    """Show the latest or the chosen release in the chosen form; empty while there is none."""

    known = {"to everyone": False}

    @ui.refreshable
    def result() -> None:
        run = next((run for run in desk.finished if run.number == number.value), None)
        if run is not None:
            _to_know(desk, run)
            _second(desk, run)
            not_compared(desk, run)
            follows = run.told["facts"]["following"]
            if follows:
                _kept_back(follows, known, result.refresh)
            if run.told["facts"]["run in trees"]:
                _run_in_trees(run.told["facts"]["run in trees"])
            if form.value == ".csv" and _formulas(run):
                _refused(run, form)
            else:
                _prepared(desk, run, form.value, all_trees=bool(follows) and known["to everyone"])
            _typed(run, form.value)

    with ui.row().classes("items-center gap-4") as choices:
        number = choice("Release")
        form = choice("As").props("data-testid=form")
        form.set_options(dict(FORMS), value=usual_form(getattr(desk.sheet, "name", "")))
    empty(desk)
    result()
    for one in (number, form):
        one.on_value_change(result.refresh)
    listen(desk, lambda: offer(desk, choices, number))


def usual_form(name: str) -> str:
    """Choose the form in which a release is offered first: who came with a workbook gets one.

    >>> usual_form("Station.XLSX"), usual_form("people.parquet")
    ('.xlsx', '.csv')
    """
    if Path(name).suffix.lower() in files.WORKBOOKS:
        return ".xlsx"
    return ".csv"


def _to_know(desk: Desk, run: StudioRun) -> None:
    """Say what was promised and what was not, before anything leaves."""
    facts = run.told["facts"]
    with ui.element("div").classes("paper").props('data-testid="to-know"'):
        ui.label("Before you hand it over").classes("side-title")
        with_boxes = PROMISED.get(facts.get("promise", ""), "").format(k=run.recipe.k)
        ui.label(f"Promised: {with_boxes or '; '.join(promised(run.recipe)) + '.'}")
        guarded = run.recipe.overlaps or any(one["column"] for one in facts["models"])
        if run.recipe.sensitive and not guarded:
            said = (
                f"Nothing is promised about {', '.join(run.recipe.sensitive)}: it is learnt where "
                "a group agrees on it."
            )
            ui.label(f"• {said}").classes("warn")
            ui.link("Ask for a promise about it (l-diversity, say)", f"/protection#{PLACE}")
        left.of_runs(desk, [run])
        notices(run)
        more = ui.expansion("What nobody should read into it").classes("w-full more")
        with more.props("dense dense-toggle"):
            for sentence in facts["not promised"]:
                ui.label(f"• {sentence}").classes("faint")


def _second(desk: Desk, run: StudioRun) -> None:
    """Say that several releases of one table are more than each of them, where there are some."""
    mark = run.told["facts"].get("hash")
    others = [
        other.title
        for other in desk.finished
        if other.number != run.number
        and other.sheet.source == run.sheet.source
        and other.told["facts"].get("hash") != mark
    ]
    if others:
        with ui.element("div").classes("paper").props('data-testid="second-release"'):
            ui.label(
                f"There are other releases of this table ({', '.join(others)}): {TOGETHER}."
            ).classes("warn")


def _formulas(run: StudioRun) -> dict[str, int]:
    formulas: dict[str, int] = run.told["facts"]["formulas"]
    return formulas


def _refused(run: StudioRun, form: ui.select) -> None:
    formulas = _formulas(run)
    with ui.element("div").classes("paper"):
        ui.label("This release should not become a CSV file").classes("side-title bad")
        ui.label(
            f"{sum(formulas.values()):,} of its texts are formulas (a calculation or a call behind "
            "=, +, - or @), or hold one behind a comma, semicolon, tab or bar. A spreadsheet that "
            "opens the file would run them, on the machine of whoever reads it. Choose Parquet or "
            "Arrow, or leave the columns out:"
        )
        for name, count in formulas.items():
            ui.label(f"• {name}: {count:,}")
        with ui.row():
            for suffix in SAFE:
                ui.button(
                    f"Take {FORMS[suffix]} instead", on_click=partial(form.set_value, suffix)
                ).props("outline no-caps")


def _kept_back(
    follows: Mapping[str, int], known: dict[str, bool], refresh: Callable[[], object]
) -> None:
    """Name hierarchies that would tell who is in the table, unless everyone knows them."""

    def say(changed: ValueChangeEventArguments[bool | None]) -> None:
        known["to everyone"] = bool(changed.value)
        refresh()

    with ui.element("div").classes("paper"):
        ui.label("Some hierarchies follow your table").classes("side-title warn")
        ui.label(FOLLOWING)
        for name, rare in follows.items():
            ui.label(f"• {name}: {rare:,} telling values")
        words = "Everyone knows these lists (all countries, say): hand them over too"
        box = ui.checkbox(words, value=known["to everyone"])
        box.on_value_change(say).props("data-testid=known")


def _run_in_trees(formulas: Mapping[str, int]) -> None:
    """Name hierarchy files that no spreadsheet should open."""
    with ui.element("div").classes("paper"):
        ui.label("Some hierarchies hold what a spreadsheet would run").classes("side-title warn")
        for name, count in formulas.items():
            ui.label(
                f"• {name}: {count:,} labels are formulas. The file stays with you; "
                "rename them to hand it over."
            )


def _prepared(desk: Desk, run: StudioRun, suffix: str, *, all_trees: bool) -> None:
    """Have the release written, read back and recounted in this form; then offer the downloads."""
    purpose = f"hand{suffix}{'-all' if all_trees else ''}"
    if purpose not in run.further or run.further[purpose].state in ("failed", "cancelled"):
        run.further[purpose] = desk.shop.start(
            "hand", folder=str(run.folder), suffix=suffix, all_trees=all_trees
        )
    job = run.further[purpose]

    @ui.refreshable
    def state() -> None:
        if job.result is not None:
            handed = Handed(Path(job.result["folder"]))
            if must_be_recorded(run):
                record_first(desk, run, handed, suffix, state.refresh)
            else:
                stands_in(run)
                _downloads(desk, run, suffix, job.result)
        elif job.over:
            ui.label(job.problem or "It was cancelled.").classes("problem")
        else:
            with ui.row().classes("items-center"):
                ui.spinner(size="sm")
                ui.label("It is written, read back and recounted.").classes("faint")

    def look() -> None:
        if job.over:
            watch.deactivate()
            state.refresh()

    state()
    if not job.over:
        watch = ui.timer(OFTEN, look)


def _downloads(desk: Desk, run: StudioRun, suffix: str, made: dict[str, Any]) -> None:
    """Offer every file under the name that it has in the archive.

    So the papers find each other, however they came.
    """
    handed = Handed(Path(made["folder"]))

    @ui.refreshable
    def signature() -> None:
        name = handed.release.name
        checked = f"shoal verify {name} {name}{STATED} --key FILE.pub"
        show_signature(desk, handed, Path(made["archive"]), checked, signature.refresh)

    signature()
    with ui.element("div").classes("columns"):
        with ui.element("div").classes("paper"):
            ui.label("To hand over").classes("side-title")
            ui.label(
                "Nothing in here tells more than the release itself: no original value, and no "
                "seed, with which the groups could be made again."
            ).classes("faint")
            named = f"{released_name(run.sheet.name, suffix).removesuffix(suffix)}.zip"
            _download(
                desk,
                Path(made["archive"]),
                "Everything below in one archive",
                named=named,
                form=suffix,
            )
            _public(desk, handed)
        with ui.element("div").classes("paper"):
            ui.label("For you alone").classes("side-title warn")
            ui.label(
                "These show original values, exact counts and the seed. They are in no archive; "
                "do not publish them."
            ).classes("faint")
            _private(desk, handed)


def _public(desk: Desk, handed: Handed) -> None:
    _download(desk, handed.release, "The release")
    _download(desk, Path(f"{handed.release}{STATED}"), "Its public certificate")
    _download(desk, handed.public / RECIPE_FILE, "The recipe")
    _download(desk, handed.public / REPORT, "The public report")
    for path in sorted((handed.public / TREES).glob("*.csv")):
        _download(desk, path, f"A hierarchy that the recipe names: {TREES}/{path.name}")


def _private(desk: Desk, handed: Handed) -> None:
    _download(desk, handed.private / f"{handed.release.name}{KEPT}", "The private certificate")
    _download(
        desk, handed.private / REPORT, "The report with original values", named=f"private.{REPORT}"
    )
    for path in handed.kept_back:
        _download(desk, path, f"A hierarchy that stays with you: {path.name}")


def _download(
    desk: Desk, path: Path, words: str, *, named: str | None = None, form: str | None = None
) -> None:
    """Draw a button that fetches one file; that of the archive says in which form it is."""
    address = desk.offer(path, named or path.name)
    button = ui.button(
        words, icon="download", on_click=lambda: ui.download.from_url(address)
    ).props("no-caps align=left")
    button.props(f"unelevated data-testid=archive data-form={form}" if form else "flat dense")
    button.classes("w-full")


def _typed(run: StudioRun, suffix: str) -> None:
    """Show what to type in the folder of the unpacked archive, with the table beside it."""
    source, reading = _source(run)
    recipe = named_beside(run.recipe)
    output = released_name(run.sheet.name, suffix)
    against = run.ledger.typed if run.ledger else {}
    command = terminal_command(recipe, source, output, reading=reading, against=against)
    lines = python_lines(recipe, source, output, reading=reading, against=against)
    with ui.element("div").classes("paper"):
        ui.label("To make such a release again").classes("side-title")
        ui.label(
            "Unpack the archive, put your table beside it, and type one of these there. The "
            "groups are searched anew, so the rows differ in detail; what is promised is the same."
        ).classes("faint")
        if isinstance(recipe.population, str):
            ui.label(
                f"Put {recipe.population}, the table of everybody, beside it too. It is in no "
                "archive."
            ).classes("faint")
        _copied("At the terminal", command, "command")
        _copied("In Python", lines, "lines")
        verified = _verification(recipe, source, suffix)
        _copied("To check the release from outside", verified, "verify")


def _verification(recipe: Recipe, source: str, suffix: str) -> str:
    """Write the command that checks the unpacked release from outside."""
    words = [f"shoal verify released{suffix} released{suffix}{STATED}"]
    if recipe.overlaps:
        words.append(f"--original {shlex.quote(source)}")
    if isinstance(recipe.population, str):
        words.append(f"--population {shlex.quote(recipe.population)}")
    if any(str(spec).startswith(f"{TREES}/") for spec in recipe.hierarchies.values()):
        words.append(f"--hierarchies {TREES}")
    return " ".join(words)


def _source(run: StudioRun) -> tuple[str, dict[str, str]]:
    """Return the place of the table, without user and password, and the options of reading it."""
    source = run.sheet.source
    reading = {
        name: str(source[name]) for name in ("table", "delimiter", "encoding") if source.get(name)
    }
    place = str(source.get("place", ""))
    return (databases.shown(place) if databases.is_url(place) else run.sheet.name), reading


def _copied(title: str, text: str, mark: str) -> None:
    """Show a text to type, and a button that copies it."""
    with ui.row().classes("items-center w-full"):
        ui.label(title).classes("side-title")
        button = ui.button(icon="content_copy", on_click=lambda: ui.clipboard.write(text)).props(
            "flat dense round"
        )
        button.props["aria-label"] = f"Copy: {title}"
    ui.label(text).classes(f"typed typed-{mark}")
