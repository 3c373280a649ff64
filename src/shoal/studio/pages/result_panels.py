"""Panels: show distributions, correlations, risks and cost of releases, one panel a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from nicegui import ui

from shoal.review.report.document import shown
from shoal.studio.desk_items import StudioRun
from shoal.studio.pages.charts import bars, chart, heat, lying, spread
from shoal.studio.pages.result_bound import could_be_spared
from shoal.studio.pages.result_notices import notices, search_notes
from shoal.studio.words import percent

QUESTIONS = {
    "singling out": "Can one row be told apart from all others?",
    "linkability": "Can someone who knows a person find the person's row?",
    "inference": "Can something be learnt about a person without finding the row?",
}
MEASURE = (
    "How far each two columns hang together: 0 says that one tells nothing of the other, 1 that "
    "it tells all (Cramér's V, corrected for chance, the same for numbers, dates and categories). "
    "After is what a reader sees who takes all values inside a cell for equally likely."
)
SPREAD = (
    "Shares of rows before, and after as someone reads the release who takes all values inside a "
    "cell for equally likely."
)
PAIRS = 8  # that are told in figures
Facts = Mapping[str, Any]


def facts_of(run: StudioRun) -> Facts:
    """Return all that was told about a run."""
    facts: Facts = run.told["facts"]
    return facts


def figures(columns: Sequence[str], rows: Sequence[Sequence[Any]], what: str) -> ui.table:
    """Draw a table of words and figures."""
    heads = [
        {"name": f"f{i}", "field": f"f{i}", "label": name, "align": "left"}
        for i, name in enumerate(columns)
    ]
    cells = [
        {"id": n, **{f"f{i}": shown(value) for i, value in enumerate(row)}}
        for n, row in enumerate(rows)
    ]
    made = (
        ui.table(columns=heads, rows=cells, row_key="id")
        .props("flat dense wrap-cells")
        .classes("figures")
    )
    made.props["aria-label"] = what
    return made


def distributions(runs: Sequence[StudioRun]) -> None:
    """Draw the distribution of every published column, before and after."""
    ui.label(SPREAD).classes("faint")
    spreads = [{one["column"]: one for one in facts_of(run)["spreads"]} for run in runs]
    with ui.element("div").classes("columns"):
        for name, first in spreads[0].items():
            with ui.element("div").classes("paper"):
                ui.label(name).classes("side-title")
                if not first["apart"]:
                    ui.label("as before").classes("faint")
                else:
                    words = f"the bars differ by {percent(first['apart'])} of the rows"
                    ui.label(words).classes("faint")
                series = {
                    "before": first["before"],
                    **_named(runs, [spread[name]["after"] for spread in spreads if name in spread]),
                }
                chart(*spread(first["labels"], series), f"Shares before and after of column {name}")
                _as_table(name, first["labels"], series)


def _as_table(
    name: str, labels: Sequence[str], series: Mapping[str, Sequence[float | None]]
) -> None:
    """Draw the bars of a column in figures, folded away."""
    rows = [
        (label, *(percent(values[place]) for values in series.values()))
        for place, label in enumerate(labels)
    ]
    with ui.expansion("The same as a table").props("dense").classes("w-full more"):
        figures(("value", *series), rows, f"Shares of {name}")


def correlations(runs: Sequence[StudioRun]) -> None:
    """Draw how columns hang together, before, after, and the difference."""
    ui.label(MEASURE).classes("faint")
    first = facts_of(runs[0])["dependence"]
    names = first["columns"]
    before = first["before"]
    if len(names) < 2:
        ui.label("There is only one column.")
        return
    published = sum(
        len(facts_of(runs[0])["columns"].get(role, ())) for role in ("quasi", "sensitive", "kept")
    )
    if published > len(names):
        words = f"The first {len(names)} of {published} published columns are shown."
        ui.label(words).classes("warn")
    height = 150 + 30 * len(names)
    with ui.element("div").classes("columns"):
        _heat("Before", names, before, height)
        for run in runs:
            after = facts_of(run)["dependence"]
            if after["columns"] != names:
                ui.label(f"{run.title} published other columns.").classes("faint")
                continue
            _heat(
                "After" if len(runs) == 1 else f"After: {run.title}", names, after["after"], height
            )
            gained = [
                [_less(b, a) for b, a in zip(*rows, strict=True)]
                for rows in zip(before, after["after"], strict=True)
            ]
            _heat(
                "Difference" if len(runs) == 1 else f"Difference: {run.title}",
                names,
                gained,
                height,
                signed=True,
            )
    for run in runs:
        _changed_most(run, alone=len(runs) == 1)


def _changed_most(run: StudioRun, *, alone: bool) -> None:
    """Draw the pairs of columns whose dependence changed most, in figures."""
    with ui.element("div").classes("paper"):
        ui.label(
            "Which pairs changed most" if alone else f"Which pairs changed most: {run.title}"
        ).classes("side-title")
        figures(
            ("columns", "before", "after"),
            changed_most(facts_of(run)["dependence"]),
            "Pairs that changed most",
        )


def changed_most(dependence: Mapping[str, Any]) -> list[tuple[str, float, float]]:
    """List pairs of columns with their dependence before and after, most changed first.

    >>> before, after = [[1, 0.5], [0.5, 1]], [[1, 0.25], [0.25, 1]]
    >>> changed_most({"columns": ["a", "b"], "before": before, "after": after})
    [('a and b', 0.5, 0.25)]
    """
    names = dependence["columns"]
    before = dependence["before"]
    after = dependence["after"]
    pairs = combinations(range(len(names)), 2)
    every = [(f"{names[a]} and {names[b]}", before[a][b], after[a][b]) for a, b in pairs]
    known = [one for one in every if one[1] is not None and one[2] is not None]
    return sorted(known, key=lambda one: -abs(one[1] - one[2]))[:PAIRS]


def _heat(
    title: str,
    names: Sequence[str],
    matrix: Sequence[Sequence[float | None]],
    height: int,
    *,
    signed: bool = False,
) -> None:
    with ui.element("div").classes("paper"):
        ui.label(title).classes("side-title")
        chart(
            heat(names, matrix, signed=signed),
            height,
            f"{title}: how far each two columns hang together",
        )


def _less(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _named(runs: Sequence[StudioRun], values: Sequence[Any]) -> dict[str, Any]:
    """Name values by the titles of their runs; `after` where there is one run."""
    if len(runs) == 1:
        return {"after": values[0]}
    return dict(zip([run.title for run in runs], values, strict=False))


def risks(runs: Sequence[StudioRun]) -> None:
    """Draw the risks before and after, by the question that each answers."""
    every = [
        {one["label"]: one for one in facts_of(run)["risks"] if one["after"] is not None}
        for run in runs
    ]
    for question, ask in QUESTIONS.items():
        chosen = {label: one for label, one in every[0].items() if one["question"] == question}
        if not chosen:
            continue
        with ui.element("div").classes("paper"):
            ui.label(ask).classes("side-title")
            after = [
                [risks[label]["after"] if label in risks else None for label in chosen]
                for risks in every
            ]
            series = {"before": [one["before"] for one in chosen.values()], **_named(runs, after)}
            chart(
                lying(list(chosen), series),
                60 + (18 + 14 * len(series)) * len(chosen),
                f"Risks before and after. {ask}",
            )
            heads = ("risk", "before", *_named(runs, after), "what it says")
            rows = [
                (label, *(percent(of[i]) for of in series.values()), one["meaning"])
                for i, (label, one) in enumerate(chosen.items())
            ]
            figures(heads, rows, f"Risks. {ask}")
    unknown = list(
        dict.fromkeys(one["name"] for one in facts_of(runs[0])["risks"] if one["after"] is None)
    )
    if unknown:
        ui.label(
            f"Not known unless you tell of everybody (Protection): {', '.join(unknown)}."
        ).classes("faint")
    _promises(runs)


def _promises(runs: Sequence[StudioRun]) -> None:
    """Draw what was promised, and what was recounted from the published cells."""
    for run in runs:
        facts = facts_of(run)
        with ui.element("div").classes("paper"):
            ui.label(f"{run.title}: promised and recounted").classes("side-title")
            rows = [
                (_called(one), one["column"], one["measured"], one["meaning"])
                for one in facts["models"]
            ]
            if rows:
                figures(("promise", "column", "recounted", "what it says"), rows, "Promises")
            if "promise" in facts:
                ui.label(f"Promised to everyone: {facts['promise']}.")
            for sentence in facts["not promised"]:
                ui.label(f"• {sentence}").classes("faint")


def _called(model: Mapping[str, Any]) -> str:
    given = ", ".join(f"{name} = {shown(value)}" for name, value in model["given"].items())
    return f"{model['name']} ({given})" if given else str(model["name"])


def cost(runs: Sequence[StudioRun], show_row: Callable[[int], None] | None) -> None:
    """Draw what was lost, in which columns, and by whom."""
    for run in runs:
        if words := could_be_spared(run):
            ui.label(words if len(runs) == 1 else f"{run.title}: {words}")
    every = [facts_of(run)["paid"] for run in runs]
    if all(every):
        _columns(runs, every)
        for run, paid in zip(runs, every, strict=True):
            # a line for each run: in one grid of three columns, its two cards would be parted
            with ui.element("div").classes("columns").props('data-testid="who-paid"'):
                _rows(run, paid, show_row, alone=len(runs) == 1)
                _people(run, paid, alone=len(runs) == 1)
    with ui.element("div").classes("paper"):
        _every_loss(runs)


def _every_loss(runs: Sequence[StudioRun]) -> None:
    """Draw a table of all losses, a column for each run."""
    losses = [{one["name"]: one for one in facts_of(run)["losses"]} for run in runs]
    ui.label("Every loss").classes("side-title")
    titles = [run.title for run in runs] if len(runs) > 1 else ["figure"]
    rows = [
        (name, *(of.get(name, {}).get("value") for of in losses), one["meaning"])
        for name, one in losses[0].items()
    ]
    figures(("loss", *titles, "what it says"), rows, "Losses")


def _columns(runs: Sequence[StudioRun], every: Sequence[Mapping[str, Any]]) -> None:
    """Draw the columns that cost most."""
    first = sorted(every[0]["columns"], key=lambda one: -one["height"])
    with ui.element("div").classes("paper"):
        ui.label("Which columns cost most").classes("side-title")
        ui.label(
            "The mean share of what a column told that its cells leave open: 0 % is as before, "
            "100 % is all hidden."
        ).classes("faint")
        heights = [{one["name"]: one["height"] for one in paid["columns"]} for paid in every]
        series = {
            name: [of.get(one["name"]) for one in first]
            for name, of in _named(runs, heights).items()
        }
        chart(
            lying([one["name"] for one in first], series),
            60 + 34 * len(first) * len(series),
            "Mean loss of each column",
        )


def _rows(
    run: StudioRun, paid: Mapping[str, Any], show_row: Callable[[int], None] | None, *, alone: bool
) -> None:
    """Draw how many rows lost how much, and buttons for the dearest."""
    steps = [f"{100 * i // paid['histogram']['steps']}" for i in range(paid["histogram"]["steps"])]
    rows = {"rows": paid["histogram"]["rows"]}
    with ui.element("div").classes("paper"):
        words = "Which rows cost most" if alone else f"Which rows cost most: {run.title}"
        ui.label(words).classes("side-title")
        ui.label(
            "How many rows lost how many percent of their detail: from 0, as before, to 100, all "
            "hidden or left out."
        ).classes("faint")
        chart(bars(steps, rows), 200, "How many rows lost how much")
        ui.label("The dearest rows; choose one to see it before and after.").classes("faint")
        with ui.row().classes("gap-1"):
            for one in paid["dearest"]:
                _row_button(one, show_row)


def _row_button(one: Mapping[str, Any], show_row: Callable[[int], None] | None) -> None:
    """Draw a button that shows one row before and after."""
    row = one["row"] - 1
    button = ui.button(f"{one['row']:,}", on_click=lambda: show_row and show_row(row))
    button.props("outline dense no-caps").set_enabled(show_row is not None)
    button.tooltip(f"loses {percent(one['loss'])} of its detail")


def _people(run: StudioRun, paid: Mapping[str, Any], *, alone: bool) -> None:
    if paid["people"]:
        with ui.element("div").classes("paper"):
            words = "Whom it cost most" if alone else f"Whom it cost most: {run.title}"
            ui.label(words).classes("side-title")
            ui.label(
                "People who share a value: rare kinds of people are made less exact than frequent "
                "ones."
            ).classes("faint")
            rows = [
                (one["column"], one["value"] or "(missing)", one["rows"], percent(one["loss"]))
                for one in paid["people"][:10]
            ]
            figures(
                ("column", "value", "rows", "mean loss"), rows, "Kinds of people by what they lost"
            )


def _sizes(counts: Mapping[str, int]) -> None:
    """Draw the rows by the size of their group; overlapping boxes have none."""
    if not counts:
        ui.label("Each row has a box of its own, so there are no groups.").classes("faint")
        return
    rows = {"rows": list(counts.values())}
    chart(bars(list(counts), rows), 250, "Rows by the size of their group")


def sizes(runs: Sequence[StudioRun]) -> None:
    """Draw the sizes of groups, the time it took, and what the maker should know."""
    with ui.element("div").classes("columns"):
        for run in runs:
            facts = facts_of(run)
            with ui.element("div").classes("paper"):
                ui.label(f"{run.title}: group sizes").classes("side-title")
                _sizes(facts["sizes"])
            with ui.element("div").classes("paper"):
                ui.label(f"{run.title}: notes").classes("side-title")
                if not facts["notices"]:
                    ui.label("Nothing out of the ordinary.")
                notices(run)
                search_notes(run)
                seconds = [(name, f"{value:.2f}") for name, value in facts["seconds"].items()]
                figures(("stage", "seconds"), seconds, "How long it took")
