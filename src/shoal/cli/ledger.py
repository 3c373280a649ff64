"""`shoal ledger`: what was published before, written down for the next release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from shoal.adapters.ledgers import LedgerFile
from shoal.adapters.ledgers.ledger_file import ListedRelease
from shoal.adapters.ledgers.ledger_key import place_of
from shoal.api.ledger_adding import add_release
from shoal.cli import options, render
from shoal.errors import PrivacyNotMet
from shoal.review.across_releases import AcrossReleases


@click.group()
def command() -> None:
    """Write down what is published about the same people, and see what it tells together.

    \b
    shoal anonymize jan.csv -o jan.released.csv -q age,zip --person id --ledger ward.ledger
    shoal ledger show ward.ledger
    shoal ledger check ward.ledger
    """


@command.command()
@click.argument("ledger", metavar="LEDGER")
def init(ledger: str) -> None:
    """Make a new ledger and its key, LEDGER.key: keep both private, and keep copies."""
    made = LedgerFile.create(ledger)
    console = render.stdout()
    console.print(f"ledger   {made.place} (holds no value of any person)", markup=False)
    console.print(f"its key  {place_of(made.place)} (only you may read it)", markup=False)


@command.command()
@click.argument("ledger", metavar="LEDGER")
@click.argument("release", metavar="RELEASE")
@click.option("--original", metavar="FILE", required=True, help="The table that it was made of.")
@options.take("person", help="Tells people apart.  [default: as in the recipe]")
@click.option("--certificate", metavar="FILE", help="Found beside the release by itself.")
@options.take("recipient")
def add(
    ledger: str,
    release: str,
    original: str,
    certificate: str | None,
    recipient: str | None,
    **given: Any,
) -> None:
    """Add a release that was made without a ledger, with its original."""
    entry = add_release(
        ledger,
        release,
        original,
        told_by=given["person"],
        certificate=certificate,
        recipient=recipient,
    )
    render.stdout().print(f"added as release {entry.number}", markup=False)


@command.command()
@click.argument("ledger", metavar="LEDGER")
@options.take("as_json")
def show(ledger: str, as_json: bool) -> None:
    """List all releases, and how many people share all groups of anyone after each."""
    opened = LedgerFile.open(ledger)
    listed = opened.listed()
    if as_json:
        render.print_json({"releases": [_plain(each) for each in listed]})
        return
    heads = ("", "day", "file", "people", "k", "over all", "below k", "recipient", "")
    rows = [_row(each) for each in listed]
    render.stdout().print(render.table(str(ledger), heads, rows, right=(0, 3, 4, 5, 6)))


@command.command()
@click.argument("ledger", metavar="LEDGER")
def check(ledger: str) -> None:
    """Read every entry: exit 4 if one was changed, removed or added by hand.

    Files of releases that are still there are compared with what was written down.
    """
    opened = LedgerFile.open(ledger)
    listed = opened.check()
    changed = opened.changed_files(listed)
    if changed:
        named = ", ".join(each.called for each in changed)
        raise PrivacyNotMet("files of releases were changed", {"which": named})
    render.stdout().print(f"sound: {len(opened.entries.all()):,} entries follow from each other")


@command.command()
@click.argument("ledger", metavar="LEDGER")
@click.argument("number", metavar="NUMBER", type=int)
@click.option("--reason", metavar="TEXT", required=True, help="Why; it is written down.")
def withdraw(ledger: str, number: int, reason: str) -> None:
    """No longer compare with release NUMBER, which nobody has seen.

    Whoever has a copy can still compare: withdraw only what was never handed over.
    """
    LedgerFile.open(ledger).withdraw(number, reason)
    render.stdout().print(f"release {number} is no longer compared", markup=False)


@command.command()
@click.argument("ledger", metavar="LEDGER")
@click.argument("recipients", metavar="NAME NAME...", nargs=-1, required=True)
def apart(ledger: str, recipients: tuple[str, ...]) -> None:
    """Declare recipients who never compare what they got; all others may."""
    LedgerFile.open(ledger).set_apart(recipients)
    render.stdout().print(f"kept apart: {', '.join(sorted(recipients))}", markup=False)


def _row(each: ListedRelease) -> tuple[Any, ...]:
    says = each.entry.says
    figures = msgspec.convert(says["figures"], AcrossReleases)
    name = says.get("file")
    return (
        each.entry.number,
        each.entry.time[:10],
        Path(name).name if name else "-",
        figures.people,
        says["k"],
        figures.k,
        figures.below,
        says["recipient"] or "everybody",
        "" if each.state == "published" else each.state,
    )


def _plain(each: ListedRelease) -> dict[str, Any]:
    hidden = ("parts", "file hash")
    says = {name: value for name, value in each.entry.says.items() if name not in hidden}
    return {"number": each.entry.number, "time": each.entry.time, "state": each.state, **says}
