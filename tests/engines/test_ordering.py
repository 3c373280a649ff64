"""Rows on disk are sorted by all their codes, whatever fits into a bucket."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines.ordering import sorted_rows
from shoal.engines.row_files import Folder


@given(
    st.integers(1, 3),
    st.integers(1, 60),
    st.integers(1, 70),
    st.integers(1, 9),
    st.integers(0, 2**32 - 1),
)
def test_buckets_one_after_the_other_are_sorted(
    width: int, count: int, most: int, values: int, seed: int
) -> None:
    rows = np.random.default_rng(seed).integers(0, values, (count, width), dtype=np.int32)
    with tempfile.TemporaryDirectory() as place, Folder(Path(place, "rows")) as folder:
        file = folder.file(width)
        file.append(rows)
        buckets = sorted_rows(file, most, folder)
        found = [row for bucket in buckets for block in bucket.blocks() for row in block.tolist()]
        assert len(buckets) == -(-count // most) and found == sorted(rows.tolist())


def test_buckets_are_about_as_long_as_asked_for(tmp_path: Path) -> None:
    rows = np.random.default_rng(1).integers(0, 50, (20_000, 4), dtype=np.int32)
    with Folder(tmp_path / "rows") as folder:
        file = folder.file(4)
        file.append(rows)
        sizes = [bucket.rows for bucket in sorted_rows(file, 1_000, folder)]
        assert len(sizes) == 20 and sum(sizes) == 20_000 and max(sizes) < 2_000
        assert not file.path.exists()
