"""`file`: a hierarchy from a CSV file in ARX's form.

Prasser et al. 2020, doi:10.1002/spe.2812.

One row for each leaf, no header: the value, then its groups from the lowest to the root.

    Oslo;Norway;Europe;*
    Rome;Italy;Europe;*

Fields are separated by `;` (or by `,` where the file has no `;`), may be quoted as in any CSV file,
and are UTF-8 with or without a byte order mark. All rows have one length: a leaf that needs fewer
levels is repeated (`Private;Private;*`). A number is generalized by a file just as a category is.

The file is linted before it is used: all that is wrong with it is told in one error, what is only
odd becomes notices. Cost: one pass over the file; 24,000 leaves of eight levels take about a
quarter of a second.

By hand: under the file above a group of people from Oslo is published as Oslo, one from Oslo and
Rome as Europe.

When to use it: where levels mean something that only you know: regions, departments, ICD chapters;
files of ARX are read as they are.
"""

from __future__ import annotations

import csv
import io
import stat
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from shoal.arrays import Counts
from shoal.declare.columns import Kind
from shoal.declare.hierarchies.hierarchy import Fitted
from shoal.declare.hierarchies.lint import HierarchyFault, lint
from shoal.declare.hierarchies.matching import laid_over
from shoal.declare.hierarchies.tree import Tree
from shoal.declare.hierarchies.written_tree import WrittenTree
from shoal.errors import DataError, RecipeError
from shoal.groups import Note

LARGEST = 2**28  # bytes: some three million leaves


@dataclass(frozen=True)
class File(WrittenTree):
    """Groups from a CSV file in ARX's form: one row for each value, from value to root."""

    name = "file"

    path: str

    def __post_init__(self) -> None:
        if "\0" in self.path:
            raise RecipeError("the path of a hierarchy holds a null, and is no name of a file")

    @property
    def file_path(self) -> str:
        """The file that holds the tree."""
        return self.path

    def fit(
        self, values: pa.Array, kind: Kind, column: str, counts: Counts | None = None
    ) -> Fitted:
        """Lay the file's tree over the values; refuses a file that is faulty or lacks values."""
        rows, lines = read_rows(self.path, column)
        report = lint(rows, values, counts=counts, lines=lines)
        if report.fatal:
            raise _refusal(report.fatal, self.path, column)
        notices = tuple(
            Note("hierarchy", f"hierarchy of '{column}': {notice}") for notice in report.notices
        )
        return laid_over([tuple(row) for row in rows], values, notices)

    def whole_tree(self) -> Tree:
        """Return the tree as it stands in the file; refuses a faulty one."""
        rows, lines = read_rows(self.path)
        if fatal := lint(rows, lines=lines).fatal:
            raise _refusal(fatal, self.path, None)
        return Tree.of_paths(rows)


def read_rows(path: str, column: str | None = None) -> tuple[list[list[str]], list[int]]:
    """Read the rows of a file, and the line on which each ends; empty lines are skipped."""
    return rows_in(_read(path, column), path, column)


def rows_in(text: str, path: str, column: str | None = None) -> tuple[list[list[str]], list[int]]:
    """Read the rows of a text that stands in a file (or will)."""
    delimiter = ";" if ";" in text else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as fault:
        facts = {"file": path, "line": reader.line_num, "reason": fault}
        remedy = "check the quotes on that line"
        raise DataError(f"{_named(column)} is no CSV file", facts, remedy) from None
    if not rows:
        remedy = "write one row for each value"
        raise DataError(f"{_named(column)} is empty", {"file": path}, remedy)
    return rows, lines


def _read(path: str, column: str | None) -> str:
    try:
        _refuse_endless(path, column)
        with Path(path).open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            facts = {"file": path, "bytes": f"more than {LARGEST:,}"}
            raise DataError(f"{_named(column)} is too large", facts, "name a hierarchy file")
        return data.decode("utf-8-sig")
    except OSError as fault:
        facts = {"file": path, "reason": fault.strerror or type(fault).__name__}
        raise DataError(f"{_named(column)} can't be read", facts, "check the path") from None
    except UnicodeDecodeError as fault:
        facts = {"file": path, "first fault": f"byte {fault.start + 1:,}"}
        raise DataError(f"{_named(column)} is not UTF-8", facts, "save it as UTF-8") from None


def _refuse_endless(path: str, column: str | None) -> None:
    """Refuse a device or a pipe, which may never end; `<(command)` of a shell is a file, too."""
    mode = Path(path).stat().st_mode
    known = stat.S_ISREG(mode) or stat.S_ISDIR(mode)  # opening a folder tells what is wrong
    if not known and not path.startswith("/dev/fd/"):
        raise DataError(f"{_named(column)} is no file", {"file": path}, "name a hierarchy file")


def _named(column: str | None) -> str:
    return f"the hierarchy of column '{column}'" if column else "a hierarchy"


def _refusal(fatal: tuple[HierarchyFault, ...], path: str, column: str | None) -> DataError:
    """Build one error with all that is wrong, so that a file is mended in one go."""
    remedies = {
        "uncovered": "add a row for each value of the column",
        "two-parents": "keep one row for each leaf",
        "ragged": "repeat the leaf where a level is missing",
        "empty-label": "fill the empty fields in, or drop a separator at the end of the lines",
    }
    facts: dict[str, object] = {"file": path}
    if len(fatal) > 1:
        facts |= {finding.kind: str(finding) for finding in fatal}
        problem = f"{_named(column)} has {len(fatal)} kinds of faults"
    else:
        problem = f"{_named(column)} can't be used: {fatal[0]}"
    return DataError(problem, facts, "; ".join(remedies[finding.kind] for finding in fatal))
