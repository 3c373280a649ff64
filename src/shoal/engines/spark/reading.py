"""Reading: a folder of Parquet files as a DataFrame of a Spark Connect server."""

from __future__ import annotations

import socket
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow as pa

from shoal.adapters.databases import is_url
from shoal.adapters.folders import NOTHING, members, refuse_books
from shoal.engines.spark import jobs
from shoal.engines.spark.jobs import Frame, quoted
from shoal.errors import DataError, RecipeError
from shoal.wording import Remedy, Set

PORT = 15_002  # of a server whose address names none
# types of columns that folders tell
TOLD = {pa.int64(): "bigint", pa.float64(): "double", pa.date32(): "date"}


def read(place: str, remote: str) -> Frame:
    """Read a folder of Parquet files as a DataFrame of a Spark Connect server
    (`sc://host:port`).
    """
    try:
        from pyspark.sql.connect.session import SparkSession
    except ImportError:
        raise RecipeError(
            "Spark is not installed here", remedy="pip install 'shoal[spark]'"
        ) from None
    path = place if is_url(place) else str(Path(place).absolute())
    address = urlsplit(remote)
    refuse_books(Path(path))
    try:  # Spark itself would ask again for many minutes
        socket.create_connection((address.hostname, address.port or PORT), timeout=10).close()
    except (OSError, ValueError):
        raise DataError(
            "there is no server at this address", remedy=Remedy(Set("remote", "sc://host:port"))
        ) from None
    session = jobs.running(lambda: SparkSession.builder.remote(remote).create())
    with suppress(Exception):  # where a server has none of this, it infers nothing
        session.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
    frame = jobs.running(lambda: session.read.parquet(path))
    try:
        columns = frame.columns  # here the server looks
    except Exception:  # what it says quotes its own paths
        columns = []
    if not columns:
        facts = {"server": f"{address.hostname}:{address.port or PORT}"}
        raise DataError(
            f"the server finds no Parquet files in '{place}'",
            facts,
            "name a folder that the server sees, too",
        )
    return _as_told(frame, path)


def _as_told(frame: Frame, place: str) -> Frame:
    """Give columns that folders tell their types, and missing values where folders say so."""
    told = {
        name: value.type for member in members(place)[:1] for name, value in member.told.items()
    }
    shown = []
    for name, cell in zip(frame.columns, quoted(frame.columns), strict=True):
        text = f"nullif(cast({cell} as string), '{NOTHING}')"
        shown.append(
            f"cast({text} as {TOLD.get(told[name], 'string')}) as {cell}" if name in told else cell
        )
    return frame.selectExpr(*shown) if told else frame
