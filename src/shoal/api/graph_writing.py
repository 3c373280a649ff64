"""Writing releases of graphs: a folder that appears whole or not at all, and papers beside it.

| place | holds |
|---|---|
| `FOLDER/*.csv` | the published tables |
| `FOLDER/certificate.json`, `FOLDER/certificate.sig` | the public certificate, and its signature |
| `FOLDER.private.json` | the private certificate, beside the folder, which is handed over whole |

All promises are recounted from the hidden files before anything takes its place. The private
certificate is put in place first, the folder last.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.adapters import files
from shoal.adapters.atomic_files import Staged, check_targets
from shoal.adapters.atomic_folders import StagedFolder, check_folder
from shoal.adapters.signing import BYTES, ROWS, Signer, file_hash, statement_about
from shoal.api.reporting import WRITERS, report_places
from shoal.errors import ShoalError
from shoal.networks.certificate import GraphCertificate, GraphCertificates, hashes_of, written
from shoal.review.report.document import Report

CERTIFICATE = "certificate.json"
SIGNATURE = "certificate.sig"
TABLES = ("members", "clusters", "cluster_edges", "nodes", "edges")
NAMES = (CERTIFICATE, SIGNATURE, *(f"{name}.csv" for name in TABLES))


@dataclass(frozen=True)
class GraphPapers:
    """A release that is to be written: tables, both certificates, a signer if there is one."""

    tables: Mapping[str, pa.Table]
    certificate: GraphCertificates
    signer: Signer | None
    judge: Callable[[dict[str, pa.Table]], None]
    """Refuses tables that break a promise."""
    reports: tuple[Report, Report]
    """For its maker, and for everyone."""


def private_place(folder: str | Path) -> Path:
    """Name the private certificate: beside the folder, which is handed over as a whole."""
    path = Path(folder)
    return path.with_name(f"{path.name}.private.json")


def check_places(
    folder: str | Path,
    report: str | Path | None = None,
    *,
    force: bool = False,
    inputs: Sequence[str] = (),
) -> None:
    """Refuse outputs that could not be written or would destroy something, before any work."""
    check_folder(folder, NAMES, force=force, inputs=inputs)
    beside = [private_place(folder), *report_places(report)]
    check_targets(beside, force=force, inputs=inputs)


def write_folder(
    papers: GraphPapers,
    place: str | Path,
    *,
    report: str | Path | None = None,
    force: bool = False,
    inputs: Sequence[str] = (),
) -> None:
    """Write a release into a folder, whole or not at all, and its papers beside it."""
    check_places(place, report, force=force, inputs=inputs)
    with (
        StagedFolder(place, NAMES, force=force, inputs=inputs) as folder,
        Staged(force=force, inputs=inputs) as staged,  # the folder outlives it
    ):
        private = staged.file(private_place(place), private=True)
        private.write_text(written(papers.certificate.private), encoding="utf-8")
        _stage_reports(staged, papers.reports, report)
        public = papers.certificate.public
        (folder.hidden / CERTIFICATE).write_text(written(public), encoding="utf-8")
        _recount(papers, _written_tables(papers.tables, folder.hidden))
        if papers.signer is not None:
            said = statement_of(public, folder.hidden)
            envelope = papers.signer.envelope(said)
            (folder.hidden / SIGNATURE).write_text(envelope, encoding="utf-8")
        staged.last(folder.take_place)


def _stage_reports(
    staged: Staged, reports: tuple[Report, Report], place: str | Path | None
) -> None:
    for target, made in zip(report_places(place), reports, strict=False):
        private = made is reports[0]
        text = WRITERS[target.suffix.lower()](made)
        staged.file(target, private=private).write_text(text, encoding="utf-8")


def _written_tables(tables: Mapping[str, pa.Table], folder: Path) -> dict[str, pa.Table]:
    """Write tables and read them back from the disk."""
    read_back = {}
    for name, table in tables.items():
        target = folder / f"{name}.csv"
        files.write_table(table, target)
        read_back[name] = read_table(target)
    return read_back


def read_table(place: Path) -> pa.Table:
    """Read a table of a release as texts; one without rows has its columns all the same."""
    try:
        with place.open(newline="", encoding="utf-8") as file:
            lines = list(islice(csv.reader(file), 2))
    except (OSError, ValueError, csv.Error):
        lines = []
    if len(lines) == 1:
        return pa.table({name: pa.array([], pa.string()) for name in lines[0]})
    return files.read(place, typed=False)


def _recount(papers: GraphPapers, tables: dict[str, pa.Table]) -> None:
    """The gate once more, on what is really in the files."""
    papers.judge(tables)
    if hashes_of(tables) != papers.certificate.public.hashes:
        raise ShoalError("what was written does not hold the release", {"published": "nothing"})


def statement_of(public: GraphCertificate, folder: Path) -> dict[str, Any]:
    """State what a release is: the hashes of its rows and files, and its certificate."""
    subjects = []
    for name, rows in public.hashes.items():
        file = f"{name}.csv"
        subjects.append({"name": f"{file} (rows)", "digest": {ROWS: rows}})
        subjects.append({"name": file, "digest": {BYTES: file_hash(folder / file)}})
    return statement_about(subjects, public.as_dict())
