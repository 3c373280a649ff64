"""The hash of rows that come in sorted parts is that of the table."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from shoal.review.fingerprint import fingerprint, fingerprint_in_parts, in_order
from shoal.review.recount import encoded

CELLS = st.one_of(st.none(), st.text("a\\\t\x1e\x1fä0", max_size=3))


@given(
    st.lists(st.tuples(CELLS, CELLS, st.one_of(st.none(), st.integers(0, 12))), min_size=1),
    st.integers(1, 4),
)
def test_sorted_parts_have_the_hash_of_the_table(
    rows: list[tuple[str | None, str | None, int | None]], parts: int
) -> None:
    x, y, z = zip(*rows, strict=True)
    table = pa.table(
        {"x": pa.array(x, pa.string()), "y": pa.array(y, pa.string()), "z": pa.array(z, pa.int64())}
    )
    coded = [encoded(column.combine_chunks()) for column in table.columns]
    places = [in_order(values, last=i == 2) for i, (_, values) in enumerate(coded)]
    codes = np.array([place[of] for (of, _), (_, place) in zip(coded, places, strict=True)])
    codes = codes[:, np.lexsort(codes[::-1])]
    found = fingerprint_in_parts(
        list("xyz"), [texts for texts, _ in places], lambda: np.array_split(codes, parts, axis=1)
    )
    assert found == fingerprint(table)
