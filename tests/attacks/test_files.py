"""What ends of intervals, the order of rows, an index and a file's metadata tell."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from attacks.people import found, material_of, people, published_as, release_of, seen
from shoal.adapters.file_metadata import traces
from shoal.attacks.attack import Material
from shoal.attacks.downcoding import Downcoding
from shoal.attacks.file_metadata import FileMetadata
from shoal.attacks.row_index import RowIndex
from shoal.attacks.row_order import RowOrder, in_order


def test_downcoding_by_hand():
    cells = published_as(
        age=["[20, 24]"] * 3 + ["[30, 40]"] * 2 + ["21", "35"],
        city=["o", "o", "o", "r", "r", "r", "o"],
    )
    original = published_as(
        age=[20, 22, 24, 31, 40, 21, 35], city=["o", "o", "o", "r", "r", "r", "o"]
    )
    finding = found(Downcoding(), Material(seen(cells, sensitive=()), original))
    assert (
        finding.trials == 4 and finding.attack == 3 / 4
    )  # 20, 24 and 40 are someone's, but nobody is 30
    assert finding.control == pytest.approx(
        (3 / 4 + 2 / 3) / 2
    )  # 20, 22, 24 of four values; 31, 40 of three
    assert finding.advantage == pytest.approx((3 / 4 - 17 / 24) / (1 - 17 / 24))


def test_downcoding_finds_tight_ends_and_no_snapped_ones():
    table = people(1, 300)
    releases = (
        release_of(table, publish=publish, k=6).published for publish in ("tight", "snapped")
    )
    tight, snapped = (found(Downcoding(), material_of(published, table)) for published in releases)
    assert tight.attack == 1.0 > tight.control and tight.advantage == pytest.approx(1.0)
    assert snapped.advantage < 0.1 and not tight.gates


def test_a_release_in_order_tells_nothing():
    table = people(2, 200)
    finding = found(RowOrder(), material_of(release_of(table).published, table))
    assert finding.attack is None and "sorted by their published values" in finding.words


def test_rows_left_in_their_places_are_found():
    table = people(2, 300)
    kept = release_of(table, keep_order=True).published
    finding = found(RowOrder(), material_of(kept, table))
    assert finding.attack == 1.0 and finding.advantage > 0.9 and finding.refuses
    assert not found(RowOrder(), material_of(kept, table, keeps_order=True)).refuses


def test_shuffled_rows_are_not_found():
    table = people(2, 2000)
    kept = release_of(table, keep_order=True).published
    shuffled = kept.take(pa.array(np.random.default_rng(1).permutation(2000)))
    finding = found(RowOrder(), material_of(shuffled, table))
    assert abs(finding.advantage) < 0.06 and finding.high > finding.advantage


def test_order_by_columns_as_numbers_or_as_text():
    assert in_order(pa.table({"a": ["1", "1", "9", "10"], "b": [2.0, 3.0, 1.0, 1.0]}))
    assert in_order(pa.table({"a": ["1", "10", "9", None]}))
    assert not in_order(pa.table({"a": ["1", "10", "9", "2"]}))
    assert not in_order(pa.table({"a": ["1", "1"], "b": [2, 1]}))


def test_an_index_is_found():
    table = people(2, 200)
    published = release_of(table, keep_order=True).published
    shuffled = np.random.default_rng(1).permutation(200)
    numbered = published.append_column("Unnamed: 0", pa.array(np.arange(200))).take(
        pa.array(shuffled)
    )
    finding = found(RowIndex(), material_of(numbered, table))
    assert finding.column == "Unnamed: 0" and finding.attack == 1.0 and finding.refuses
    assert found(RowIndex(), material_of(published, table)).attack is None


def test_other_numbers_are_no_index():
    table = people(2, 200)
    published = release_of(table).published
    payed = published.append_column(
        "pay", pa.array(np.random.default_rng(2).permutation(10**6)[:200])
    )
    assert found(RowIndex(), material_of(payed, table)).attack is None
    numbered = published.append_column(
        "n", pa.array(np.arange(200)[::-1])
    )  # by the release, not by the original
    assert found(RowIndex(), material_of(numbered, table)).attack < 0.5


def told(path) -> dict[str, int]:
    return {what: number for what, number in traces(path).items() if number}


def test_files_of_our_own_tell_nothing(tmp_path):
    for name in ("out.parquet", "out.arrow", "out.csv", "out.csv.gz"):
        release_of(people(1)).write(tmp_path / name)
        assert told(tmp_path / name) == {}


def test_files_of_others_may_tell(tmp_path):
    frame = pd.DataFrame(
        {"age": [1, 2], "city": pd.Categorical(["oslo", "oslo"], ["oslo", "rome"])},
        index=["ada", "bob"],
    )
    frame.to_parquet(tmp_path / "frame.parquet")
    assert set(told(tmp_path / "frame.parquet")) >= {"notes in the schema"}
    feather.write_feather(
        pa.Table.from_pandas(frame), str(tmp_path / "frame.arrow"), compression="uncompressed"
    )
    assert told(tmp_path / "frame.arrow") == {
        "notes in the schema": 1,
        "category levels that no row has": 1,
    }
    noted = pa.table(
        {"a": pa.array([1])}, schema=pa.schema([pa.field("a", pa.int64(), metadata={"by": "ada"})])
    )
    pq.write_table(noted, tmp_path / "noted.parquet")
    assert told(tmp_path / "noted.parquet") == {"notes in the schema": 1}
    with gzip.open(tmp_path / "patients.csv.gz", "wb") as packed:
        packed.write(b"a\n1\n")
    assert set(told(tmp_path / "patients.csv.gz")) == {"name of the packed file", "time of packing"}


@pytest.mark.parametrize(
    ("found_there", "refuses"),
    [({"notes in the schema": 0}, False), ({"notes in the schema": 2}, True)],
)
def test_one_thing_told_is_too_much(found_there, refuses):
    finding = found(
        FileMetadata(), Material(seen(published_as(age=["1"]), ("age",), ()), traces=found_there)
    )
    assert finding.refuses == refuses and finding.gates
