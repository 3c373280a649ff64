"""`shoal inspect`: who is singled out, and a command to go on with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from shoal import api
from shoal.adapters import databases, tables
from shoal.adapters.manner import manner_of
from shoal.cli import options, render
from shoal.cli.spelling import typed
from shoal.groups import Note
from shoal.review.inspection import Inspection
from shoal.review.inspection_screen import headline_of
from shoal.screen import stand_alone
from shoal.wording import Sentence

MOST_NOTES = 7


@click.command()
@click.argument("file", metavar="FILE")
@options.take("table", "delimiter", "encoding", "as_json")
@options.take("verbose", help="Show every figure.")
def command(file: str, table: str | None, as_json: bool, verbose: bool, **reading: Any) -> None:
    """Suggest a role for each column, with the reason, and show which columns single people out.

    \b
    shoal inspect people.csv
    """
    file, table = tables.parted(file, table)
    rows = tables.read(file, table, **reading)
    inspection = api.inspect(rows)
    place = databases.shown(file) if databases.is_url(file) else file
    next_command = inspection.command(place, table)
    call = inspection.call(place, table)
    if as_json:
        told = inspection.as_dict()
        columns = [{**column, "reason": typed(column["reason"])} for column in told["columns"]]
        render.print_json({**told, "columns": columns, "command": next_command, "call": call})
        return
    show(inspection, verbose=verbose)
    console = render.stdout()
    asked = [f"{c.name}={word}" for c in inspection.asked_about for word in c.missing_words]
    _show_notes(manner_of(rows).notes_on(rows.column_names, asked), verbose=verbose)
    console.print(f"\nin Python:  {call}\n\nrun this:\n", markup=False, soft_wrap=True)
    render.say(next_command, to_stderr=False)


def show(inspection: Inspection, *, verbose: bool = False) -> None:
    """Print who stands alone, every column with its role, and what only the owner knows."""
    console = render.stdout()
    console.print(f"{headline_of(inspection)}\n", markup=False, soft_wrap=True)
    shown = [(c.name, c.understood, c.role, typed(c.reason)) for c in inspection.columns]
    headings = ("column", "understood as", "suggested role", "why")
    console.print(render.table("", headings, shown))
    if inspection.pairs:
        pair = inspection.pairs[0]
        both = " and ".join(pair.columns)
        told = f"\nthe two that tell most: {both}; with both, {stand_alone(pair.alone)}"
        console.print(told, markup=False)
    if verbose:
        _show_figures(inspection)
    if inspection.notices:
        console.print("")
    for question in inspection.notices:
        console.print(f"! {typed(question.words)}", markup=False)


def _show_notes(notes: Sequence[Note], *, verbose: bool) -> None:
    """Print what was noticed while the file was read, what is about all of it first."""
    console = render.stdout()
    told = sorted(
        notes, key=lambda note: (note.kind != "file", not isinstance(note.words, Sentence))
    )
    shown = told if verbose else told[:MOST_NOTES]
    for note in shown:
        console.print(f"note: {typed(note.words)}", markup=False, soft_wrap=True)
    if len(shown) < len(told):
        more = f"note: {len(told) - len(shown):,} more notes (--verbose)"
        console.print(more, markup=False)


def _show_figures(inspection: Inspection) -> None:
    """Print how far each column, and each pair, singles rows out."""
    console = render.stdout()
    counts = [(c.name, c.different, c.missing, f"{c.alone:.1%}") for c in inspection.columns]
    headings = ("", "different", "missing", "alone")
    console.print("")
    console.print(render.table("columns by themselves", headings, counts, right=(1, 2, 3)))
    pairs = [(" + ".join(pair.columns), f"{pair.alone:.1%}") for pair in inspection.pairs]
    console.print("")
    console.print(render.table("pairs", ("", "alone"), pairs, right=(1,)))
