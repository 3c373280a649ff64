"""Numbers of columns: those that Arrow gives, found once in a block, never for other cells."""

from __future__ import annotations

import weakref

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from shoal.declare.numbering import dictionary_of, numbered_once

TEXTS = pa.array(["b", "a", None, "b", "c", "a"])


def test_a_column_is_numbered_once_inside_the_block_and_anew_outside_of_it():
    table = pa.table({"city": TEXTS})
    assert dictionary_of(TEXTS) is not dictionary_of(TEXTS)
    with numbered_once():
        first = dictionary_of(table["city"].chunk(0))
        assert dictionary_of(table["city"].chunk(0)) is first
        with numbered_once():
            assert dictionary_of(table["city"].chunk(0)) is not first
        assert dictionary_of(table["city"].chunk(0)) is first
    assert first.equals(pc.dictionary_encode(TEXTS))
    assert dictionary_of(TEXTS) is not first


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(TEXTS.slice(1), id="begins-later"),
        pytest.param(TEXTS.slice(0, 4), id="ends-earlier"),
        pytest.param(pa.array(["b", "a", "x", "b", "c", "a"]), id="other-cells"),
        pytest.param(TEXTS.cast(pa.large_string()), id="other-type"),
    ],
)
def test_other_cells_get_their_own_numbers(other):
    with numbered_once():
        for begun in (TEXTS, TEXTS.slice(0, 5)):
            dictionary_of(begun)
        assert dictionary_of(other).equals(pc.dictionary_encode(other))


def test_one_memory_read_as_two_types_is_two_columns():
    days = pa.array([3, 5, 3], pa.int32())
    with numbered_once():
        assert dictionary_of(days).dictionary.type == pa.int32()
        assert dictionary_of(days.view(pa.date32())).dictionary.type == pa.date32()


def test_the_memory_of_a_column_is_kept_for_no_other_until_the_block_ends():
    with numbered_once():
        column = pa.array(["a", "b"])
        alive = weakref.ref(column)
        dictionary_of(column)
        del column
        assert alive() is not None
    assert alive() is None
