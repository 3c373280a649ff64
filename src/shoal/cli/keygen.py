"""`shoal keygen`: a pair of keys, to sign releases and to check signatures."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from shoal.adapters.atomic_files import check_targets
from shoal.adapters.keys import VARIABLE, given_passphrase, key_id, make_keys, read_public
from shoal.cli import options, render
from shoal.errors import RecipeError


@click.command()
@click.argument("place", metavar="FILE")
@options.take("force")
def command(place: str, force: bool) -> None:
    """Write a new private key to FILE, for you alone, and its public key to FILE.pub.

    \b
    shoal keygen release.key
    shoal anonymize people.csv -o out.csv -q age,zip --sign release.key
    shoal verify out.csv out.csv.certificate.json --key release.key.pub

    The passphrase is asked for, or taken from the variable SHOAL_PASSPHRASE. Hand FILE.pub to those
    who check your releases, by a way that nobody can change.
    """
    if place == "-":
        raise RecipeError("a private key goes to a file", remedy="shoal keygen release.key")
    check_targets([place, f"{place}.pub"], force=force)
    passphrase = _passphrase()
    public = make_keys(place, passphrase, force=force)
    if not passphrase:
        render.say(
            f"no passphrase (no terminal to ask at, and {VARIABLE} is not set, or it is empty): "
            f"whoever reads {place} can sign as you"
        )
    console = render.stdout()
    console.print(f"private key  {place} (keep it; only you may read it)", markup=False)
    console.print(f"public key   {public} (hand it to those who check)", markup=False)
    console.print(f"its name     {key_id(read_public(Path(public)))}", markup=False)


def _passphrase() -> str | None:
    """Return the passphrase for a new key: from the environment, or typed twice; None without."""
    given = given_passphrase()
    if given is None and sys.stdin is not None and sys.stdin.isatty():
        words = "Passphrase (empty for none)"
        typed = click.prompt(
            words,
            default="",
            hide_input=True,
            confirmation_prompt=True,
            show_default=False,
            err=True,
        )
        return typed or None
    return given
