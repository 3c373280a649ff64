"""Coded ends: checks that nothing is published beyond the ends of a coded column, or off its step.

Cells are read as texts, by code that knows no axis: an end of an interval lies inside top and
bottom or is marked as open, and a value by itself is a multiple of the step. Centres are means, and
only have to lie inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from shoal.declare.coding import Coding
from shoal.declare.columns import text_of
from shoal.errors import PrivacyNotMet
from shoal.recode.cells import Everything, Interval, Value, ValueSet, read


def refuse_beyond_ends(
    table: pa.Table,
    codings: Mapping[str, Coding],
    quasi: Sequence[str],
    centres: Sequence[str] = (),
) -> None:
    """Refuse a release in which some column is not as its coding says."""
    wrong = [
        name
        for name, coding in codings.items()
        if not is_as_coded(table, coding, quasi=name in quasi, centre=name in centres)
    ]
    if wrong:
        raise _refusal(wrong)


def refuse_column_beyond_ends(
    different: pa.Array, coding: Coding | None, quasi: Sequence[str]
) -> None:
    """Refuse the different values of one published column that is not as its coding says."""
    if coding is None:
        return
    texts = text_of(different).to_pylist()
    if not _allow(coding, texts, quasi=coding.name in quasi):
        raise _refusal([coding.name])


def is_as_coded(table: pa.Table, coding: Coding, *, quasi: bool, centre: bool = False) -> bool:
    """Tell whether a published column lies inside its coded ends, and on its step."""
    name = coding.name
    if name not in table.column_names:
        pairs = zip(*_different(table, [f"{name}_lo", f"{name}_hi"]), strict=True)
        return all(
            coding.allows_ends(low, high)
            for low, high in pairs
            if low is not None and high is not None
        )
    texts = [text for text in _different(table, [name])[0] if text is not None]
    if centre:
        return all(coding.allows_inside(text) for text in texts)
    return _allow(coding, texts, quasi=quasi)


def _allow(coding: Coding, texts: Iterable[str], *, quasi: bool) -> bool:
    """Tell whether all texts are allowed: as cells of a quasi-identifier, or as values."""
    if quasi:
        return all(_allows_cell(coding, text) for text in texts)
    return all(coding.allows(text) for text in texts)


def _allows_cell(coding: Coding, text: str) -> bool:
    """Tell whether a generalized cell is one that the coding allows; `*` without a widest one."""
    cell = read(text)
    if isinstance(cell, Everything):
        return coding.most is None
    if isinstance(cell, Interval):
        return coding.allows_ends(cell.lo, cell.hi)
    if isinstance(cell, ValueSet):
        return all(coding.allows(text) for text in cell.texts)
    return not isinstance(cell, Value) or coding.allows(cell.text)


def _different(table: pa.Table, names: Sequence[str]) -> list[list[str | None]]:
    """List the different combinations of some columns as texts, column by column."""
    plain = [_plain(table[name].combine_chunks()) for name in names]
    combinations = pa.table(plain, names=list(names)).group_by(list(names)).aggregate([])
    return [text_of(combinations[name].combine_chunks()).to_pylist() for name in names]


def _plain(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _refusal(names: Sequence[str]) -> PrivacyNotMet:
    facts = {"columns": ", ".join(map(repr, names)), "published": "nothing"}
    return PrivacyNotMet("the release shows values that its coding does not allow", facts)
