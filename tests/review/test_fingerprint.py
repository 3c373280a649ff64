"""The fingerprint read literally: all rows spelled, sorted, and hashed one after the other."""

from __future__ import annotations

import hashlib

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.review import fingerprint as module
from shoal.review.fingerprint import fingerprint

CELLS = st.one_of(st.none(), st.text(alphabet="ab\\\x1e\x1f12é", max_size=3))
ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12)


def spelled(cell: str | None) -> str:
    return (
        "\x1e"
        if cell is None
        else cell.replace("\\", "\\\\").replace("\x1f", "\\1").replace("\x1e", "\\2")
    )


def literal(names: list[str], rows: list[tuple[str | None, ...]]) -> str:
    head = "\x1f".join(map(spelled, names)).encode()
    texts = sorted("\x1f".join(map(spelled, row)).encode() for row in rows)
    ends = [sum(map(len, texts[: i + 1])) for i in range(len(texts))]
    parts = [
        len(head).to_bytes(8, "little"),
        head,
        *(end.to_bytes(8, "little") for end in ends),
        *texts,
    ]
    return hashlib.sha256(b"".join(parts)).hexdigest()


@given(ROWS, st.integers(1, 4), st.integers(1, 3))
def test_different_rows_are_hashed_as_often_as_they_occur(
    rows: list[tuple[str | None, ...]], times: int, block: int
) -> None:
    columns = [pa.array([row[i] for row in rows * times], pa.string()) for i in (0, 1)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        assert fingerprint(pa.table(columns, names=["a", "b"])) == literal(["a", "b"], rows * times)


SAME = pa.table({"age": [31, 52], "city": ["Rome", None], "cost": [0.5, 2.0]})


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (pa.table({"age": ["31", "52"], "city": ["Rome", None], "cost": ["0.5", "2"]}), True),
        (SAME.take(pa.array([1, 0])), False),
        (SAME.slice(1), False),
        (SAME.select(["city", "age", "cost"]), False),
        (SAME.set_column(1, "city", pa.array(["Rome", ""])), False),
        (SAME.set_column(1, "town", SAME["city"]), False),
        (SAME.set_column(0, "age", pa.array([31, 53])), False),
    ],
)
def test_tables_have_the_same_texts_only_if_every_cell_and_name_has(other, same):
    assert module.are_same_texts(SAME, other) is same
    assert not same or fingerprint(SAME) == fingerprint(other)
