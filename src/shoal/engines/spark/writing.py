"""Writing: a release on a cluster as a folder of Parquet files, recounted from these."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.adapters.leftovers import remove_leftovers, token
from shoal.engines.spark import jobs
from shoal.engines.spark.jobs import Frame
from shoal.engines.spark.recounting import recounted
from shoal.errors import DataError, ShoalError
from shoal.flows.port import Recounted
from shoal.recipe import Plan
from shoal.review.certificate_format import GroupsCertificate, ReleaseCertificate


@contextmanager
def folder(table: Frame, plan: Plan, certified: ReleaseCertificate, target: Path) -> Iterator[Path]:
    """Write a release to a hidden folder beside the target, and recount it from its files.

    Refuses files that do not hold what the public certificate says. The folder is gone at the end,
    unless it was moved; one that a killed run left for the same target is removed.
    """
    before = f".{target.stem}."
    after = f".part{target.suffix}"
    remove_leftovers(target.parent, before, after)
    hidden = target.parent / f"{before}{token()}{after}"
    try:
        jobs.running(lambda: table.write.parquet(str(hidden)))
        if not any(hidden.glob("*.parquet")):
            raise DataError(
                "what Spark wrote can't be seen from here", remedy="name a folder that both can see"
            )
        _refuse_other(recounted(table.sparkSession.read.parquet(str(hidden)), plan), certified)
        yield hidden
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def _refuse_other(counted: Recounted, certified: ReleaseCertificate) -> None:
    """Refuse files of which the counts or the hash are not those of the certificate."""
    assert isinstance(certified, GroupsCertificate)
    stated = (certified.rows, certified.groups, certified.models, certified.hash)
    if (counted.rows, counted.groups.count, counted.models, counted.hash) != stated:
        raise ShoalError("what was written does not hold the release", {"published": "nothing"})
