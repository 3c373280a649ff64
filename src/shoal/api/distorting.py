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

    Every other column stays as it is.

    Raises `shoal.errors.PrivacyNotMet` where an attack takes the protection off, unless
    `as_published`. Noise comes from the operating system; `seed` is for experiments alone.
    `clusters` is how many k-means looks for when effects are measured. `table` names the table of a
    database. `sign` names the private key with which `.write` signs the table.

    >>> import pyarrow as pa
    >>> pay = [900, 950, 990, 1010, 1100, 1130, 1180, 1250]
    >>> people = pa.table({"name": list("abcdefgh"), "pay": pay})
    >>> found = distort(people, columns=["pay"], rounded=True, seed=1)
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
