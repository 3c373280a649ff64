"""Numbers in, perturbed numbers out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.adapters.distorted import Distorted
from shoal.adapters.progress import progress_of
from shoal.adapters.signing import Signer
from shoal.adapters.tables import arrow_and_manner
from shoal.api.arguments import Names, names_of, spelled
from shoal.distortions.distortion import Distortion
from shoal.errors import warn_each
from shoal.flows import distortion
from shoal.flows.clock import Stage
from shoal.flows.distortion_attacks import DEFAULT


def distort(
    people: Any,
    *,
    table: str | None = None,
    columns: Names = "all",
    method: str | Distortion = DEFAULT,
    rounded: bool = False,
    shuffled: bool = False,
    clusters: int = 4,
    as_published: bool = False,
    seed: int | None = None,
    sign: str | Path | Signer | None = None,
    progress: Stage | None = None,
) -> Distorted:
    """Perturb the numbers of a table, and tell what our own attacks regain of them.

    Every other column stays as it is. Noise comes from the operating system.

    Args:
        people: The table: a frame, the path of a file, or the address of a database.
        table: The table of a database, or the sheet of a workbook.
        columns: Columns to perturb, or `"all"` that hold numbers.
        method: The distortion, by name or as an object.
        rounded: Give each column its own precision and type back.
        shuffled: Publish rows in random order.
        clusters: How many clusters k-means looks for when effects are measured.
        as_published: Publish although an attack takes the protection off.
        seed: Repeats the noise, for experiments alone: the certificate says not to publish it.
        sign: The private key with which `.write` signs the table.
        progress: Called with the name of each stage.

    Returns:
        `.table`, `.certificate`, `.findings` of the attacks, `.effects`.

    Raises:
        shoal.errors.PrivacyNotMet: An attack takes the protection off.

    Examples:
        >>> import pyarrow as pa
        >>> pay = [903, 951, 987, 1014, 1102, 1133, 1178, 1256]
        >>> people = pa.table({"name": list("abcdefgh"), "pay": pay})
        >>> asked = {"columns": ["pay"], "method": "correlated-noise(scale=0.5)", "rounded": True}
        >>> found = distort(people, **asked, seed=1)
        >>> found.table.schema.types == people.schema.types, found.table["name"] == people["name"]
        (True, True)
    """
    named = columns if isinstance(columns, str) else names_of(columns) or ()
    asked = distortion.DistortionRequest(
        named, spelled(method), rounded, shuffled, clusters, as_published, seed
    )
    signer = Signer.of(sign)  # before anything is read
    rows, back, manner = arrow_and_manner(people, table)
    with progress_of(progress) as stage:
        outcome = distortion.run(rows, asked, stage)
    warn_each(outcome.notices)
    measured = (outcome.findings, outcome.effects, outcome.notices, outcome.seconds)
    table_out = back(outcome.table)
    return Distorted(table_out, outcome.certificate, *measured, outcome.table, signer, manner)
