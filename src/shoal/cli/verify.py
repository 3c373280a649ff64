"""`shoal verify`: a release against its certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal import api
from shoal.cli import options, render
from shoal.cli.spelling import typed
from shoal.errors import DataError
from shoal.review.verdict import Item, Verification, signed, verdict


@click.command()
@click.argument("release", metavar="RELEASE")
@click.argument("certificate", metavar="[CERTIFICATE]", required=False)
@click.option(
    "--original",
    metavar="FILE",
    help="The original table (or URL#TABLE), to check what only it can tell.",
)
@click.option(
    "--population",
    metavar="FILE",
    help="Everyone, where the certificate's risks were counted in a file.",
)
@click.option(
    "--key", metavar="FILE.pub", help="The maker's public key: the release must be signed by it."
)
@click.option(
    "--signature",
    metavar="FILE",
    help="Where the signature stands.  [default: beside the certificate]",
)
@options.take("folder", "hierarchies", "table")
@options.take("as_json")
@options.take("verbose", help=render.ALL_FIGURES)
def command(
    release: str,
    certificate: str | None,
    folder: str | None,
    hierarchies: dict[str, str],
    as_json: bool,
    verbose: bool,
    **beside: str | None,
) -> None:
    """Recount a release against its certificate; exit 4 on any difference.

    RELEASE is a table, or the folder of a graph, which holds its certificate.

    \b
    shoal verify released.csv released.csv.certificate.json
    shoal verify released.csv released.csv.certificate.json --key maker.key.pub
    shoal verify postgresql://localhost/hospital --table released released.certificate.json
    shoal verify folder
    """
    if folder and not Path(folder).is_dir():
        raise DataError(
            f"there is no folder '{folder}'", remedy="name the folder that holds <column>.csv files"
        )
    trees = {path.stem: str(path) for path in sorted(Path(folder).glob("*.csv"))} if folder else {}
    material: dict[str, Any] = dict(beside)
    verified = api.verify(release, certificate, hierarchies={**trees, **hierarchies}, **material)
    if as_json:
        items = [{**vars(item), "note": typed(item.note)} for item in verified.items]
        signature = {"signed": verified.signed_by is not None, "key": verified.signed_by}
        state = typed(signed(verified))
        render.print_json(
            {
                "holds": verified.holds,
                "verdict": typed(verdict(verified)),
                "signature": {"state": state, **signature},
                "items": items,
            }
        )
    else:
        show(verified, verbose=verbose)
    verified.require()


def show(verified: Verification, *, verbose: bool) -> None:
    """Print the verdict, and what it is about; or every statement."""
    console = render.stdout()
    render.screen(console, verified.screen)
    if verbose:
        rows = [
            (item.status, item.what, _shown(item.stated), typed(item.note) or _difference(item))
            for item in verified.items
        ]
        console.print("")
        console.print(render.table("", ("", "", "stated", ""), rows))


def _shown(stated: object) -> str:
    if isinstance(stated, dict):
        return f"{len(stated)} entries"
    if isinstance(stated, list):
        return ", ".join(map(str, stated[:8])) + (" ..." if len(stated) > 8 else "")
    return render.number(stated)


def _difference(item: Item) -> str:
    return f"found {_shown(item.found)}" if item.status == "differs" else ""
