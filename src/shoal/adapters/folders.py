"""Folders: read Parquet files that clusters wrote as parts of one table.

Files may lie in folders of their own that say a value of all their rows
(`year=2024/part-0.parquet`): that is a column then. Names that begin with `_` or `.` are not looked
at, nor are files that are Parquet neither by name nor by their first bytes. All have the same
columns, in any order; numbers of different width become the wider ones. A table of Delta, Iceberg
or Hudi is refused: its files also hold rows that were deleted since.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa

from shoal.adapters.plain_arrow import check_names, plain_column
from shoal.declare.understanding.spelled import inferred
from shoal.errors import DataError

MARK = b"PAR1"
NOTHING = "__HIVE_DEFAULT_PARTITION__"  # how clusters spell a missing value in the name of a folder
# files by which a table format says which of its data files count
BOOKS = {"Delta": "_delta_log/*", "Iceberg": "metadata/*.metadata.json", "Hudi": ".hoodie/*"}


@dataclass(frozen=True)
class Member:
    """One file, and the columns that its folder tells: one value for all of its rows."""

    path: Path
    told: dict[str, pa.Scalar]

    def aligned(self, table: pa.Table, schema: pa.Schema) -> pa.Table:
        """Return rows of this file with the columns of the whole table, in order and type."""
        columns = []
        for field in schema:
            if field.name in self.told:
                columns.append(pa.repeat(self.told[field.name], table.num_rows))
            else:
                columns.append(_cast(plain_column(table[field.name]), field))
        return pa.table(columns, schema=schema)

    def fields(self, schema: pa.Schema) -> pa.Schema:
        """List all columns: those of the file in plain types, then what its folder tells."""
        own = [
            pa.field(field.name, plain_column(pa.array([], field.type)).type) for field in schema
        ]
        return pa.schema([*own, *(pa.field(name, value.type) for name, value in self.told.items())])


def members(place: str | os.PathLike[str]) -> tuple[Member, ...]:
    """List the Parquet files of a folder; none where it is no folder, or has none."""
    if not os.path.isdir(place):
        return ()
    root = Path(place)
    refuse_books(root)
    paths = sorted(path.relative_to(root) for path in _files(root))
    spelled = [_spelled(path) for path in paths]
    names = dict.fromkeys(name for values in spelled for name in values)
    texts = {name: [_value(values.get(name)) for values in spelled] for name in names}
    try:
        told = {name: inferred(pa.array(of, pa.string())) for name, of in texts.items()}
    except UnicodeEncodeError:
        problem = f"folders in '{root}' have names that are no text"
        raise DataError(problem, remedy="rename them") from None
    return tuple(
        Member(root / path, {name: told[name][i] for name in spelled[i]})
        for i, path in enumerate(paths)
    )


def _files(root: Path) -> Iterator[Path]:
    """List the files of a folder, however deep.

    What can't be looked into is refused: nobody would notice that its rows are missing.
    """
    for folder, folders, names in os.walk(root, onerror=_refuse):
        folders[:] = [name for name in folders if _is_visible(name)]
        for path in (Path(folder, name) for name in folders):
            if path.is_symlink():
                raise DataError(
                    f"'{path}' is a link to a folder, and not followed",
                    remedy="move the folder itself there",
                )
        yield from (
            path for name in names if _is_visible(name) and _counts(path := Path(folder, name))
        )


def _refuse(error: OSError) -> None:
    raise DataError(
        f"'{error.filename}' can't be read", {"reason": error.strerror}, "check who may read it"
    ) from None


def _is_visible(name: str) -> bool:
    return not name.startswith(".") and not (name.startswith("_") and "=" not in name)


def _counts(path: Path) -> bool:
    """Tell whether a file is Parquet, by name or first bytes; clusters name files freely."""
    if path.suffix.lower() != ".parquet":
        return path.is_file() and os.access(path, os.R_OK) and _begins(path)
    if not path.exists():
        raise DataError(
            f"'{path}' leads to no file", remedy="remove the link, or fetch what it leads to"
        )
    return True


def _begins(path: Path) -> bool:
    with path.open("rb") as source:
        return source.read(len(MARK)) == MARK


def _spelled(path: Path) -> dict[str, str]:
    """Read the columns and values that the folders above a file tell."""
    pairs = (part.split("=", 1) for part in path.parts[:-1] if "=" in part)
    return {unquote(name): value for name, value in pairs}


def refuse_books(root: Path) -> None:
    """Refuse a folder of which not all files count."""
    for kind, book in BOOKS.items():
        if any(root.glob(book)):
            raise DataError(
                f"'{root}' is a table of {kind}, whose files also hold rows that were deleted",
                remedy=(
                    f"read it with a program that knows {kind}, and hand the frame over or save "
                    "it as Parquet"
                ),
            )


def common(schemas: Sequence[pa.Schema], name: str) -> pa.Schema:
    """Combine the columns of all files, in the order of the first."""
    first = schemas[0]
    problem = f"the files in {name} are not parts of one table"
    for schema in schemas:
        check_names(schema.names, name)
        if apart := sorted({*schema.names} ^ {*first.names}):
            facts = {"files": len(schemas), "columns that some lack": ", ".join(apart[:5])}
            raise DataError(problem, facts, "read those with the same columns")
    try:
        return pa.unify_schemas(list(schemas), promote_options="permissive")
    except pa.ArrowException:
        kinds = [
            column
            for column in first.names
            if len({str(schema.field(column).type) for schema in schemas}) > 1
        ]
        facts = {"files": len(schemas), "columns of different types": ", ".join(kinds[:5])}
        raise DataError(problem, facts, "cast the columns to one type") from None


def _cast(column: pa.Array, field: pa.Field) -> pa.Array:
    """Convert a column of one file to the type of all.

    What Arrow says of values that do not fit quotes them, and so is not passed on.
    """
    try:
        return column.cast(field.type)
    except pa.ArrowException:
        problem = (
            f"column '{field.name}' has other types in other files, and not all values fit into one"
        )
        raise DataError(problem, remedy="cast the column to one type") from None


def _value(spelled: str | None) -> str | None:
    return None if spelled in (None, NOTHING) else unquote(spelled)
