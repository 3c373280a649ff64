"""What every recoder keeps, whoever wrote it: the names come from the registry."""

from __future__ import annotations

import inspect
import sys
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.declare.columns import text_of
from shoal.encode.axes import Axis
from shoal.encode.profile import profile
from shoal.encode.rows import encode
from shoal.groups import Groups
from shoal.kernels.costs import boxes as boxes_of
from shoal.recode.cells import Everything, Interval, Value, ValueSet, read
from shoal.recode.recoder import Boxes, Recoder
from shoal.registry import names, summary
from shoal.review.recount import recount
from tables import Column, Paths, paths, table

RECODERS = names(Recoder)
KINDS = [
    pa.int64(),
    pa.float32(),
    pa.date32(),
    pa.timestamp("us"),
    pa.timestamp("s", "UTC"),
    pa.time64("us"),
    pa.decimal128(9, 2),
]


@pytest.fixture(params=RECODERS)
def recoder(request) -> Recoder:
    return RECODERS[request.param]()


def sample(seed: int) -> tuple[list[pa.Array], list[Axis], np.ndarray, Groups]:
    """A random table of every kind of column, and groups of at least k of its rows."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(4, 40))
    k = int(rng.integers(1, 5))
    columns = table(rng, rows, int(rng.integers(1, 5)))
    arrays = [_typed(rng, column) for column in columns]
    trees = {
        f"c{i}": Paths(tuple(paths(c.tree))) for i, c in enumerate(columns) if c.tree is not None
    }
    encoded = encode([profile(array, f"c{i}") for i, array in enumerate(arrays)], trees)
    return (
        arrays,
        list(encoded.axes),
        encoded.codes,
        Groups.of(rng.permutation(rows) // k % max(rows // k, 1)),
    )


def _typed(rng: np.random.Generator, column: Column) -> pa.Array:
    if column.tree is not None:
        return pa.array(column.cells, pa.string())
    if rng.random() < 0.4:
        return pa.array(column.cells, pa.float64())
    kind = KINDS[int(rng.integers(len(KINDS)))]
    wholes = [
        None if cell is None else int(cell) * (86_399 if pa.types.is_timestamp(kind) else 1)
        for cell in column.cells
    ]
    if pa.types.is_decimal(kind):
        return pa.array([None if cell is None else Decimal(cell) / 4 for cell in wholes], kind)
    if pa.types.is_time(kind):
        wholes = [
            None if cell is None else abs(cell) * 1_000_003 % 86_400_000_000 for cell in wholes
        ]
    return pc.cast(pa.array(wholes, pa.int32() if kind == pa.date32() else pa.int64()), kind)


def published(
    recoder: Recoder, axis: Axis, codes: np.ndarray, groups: Groups
) -> tuple[Boxes, dict[str, pa.Array]]:
    lo, hi = boxes_of(codes[None], groups.labels, groups.count)
    box = Boxes(axis, codes, groups, lo[0], hi[0])
    return box, recoder.publish(box)


def point(text: str) -> Decimal | np.datetime64:
    """A printed end as something that can be compared: a number, else a date or a time of day."""
    try:
        return Decimal(text)
    except ArithmeticError:
        return np.datetime64(
            f"1970-01-01T{text}" if text[2:3] == ":" else text.removesuffix("Z"), "us"
        )


def covers(axis: Axis, cell: object, value: str | None) -> bool:
    """Whether what is printed covers an original value, by the words of the contract alone."""
    if cell is None or value is None:
        return isinstance(cell, Everything) or (cell is None and value is None)
    if isinstance(cell, Everything):
        return True
    if isinstance(cell, Interval):
        return bool(point(cell.lo) <= point(value) <= point(cell.hi))
    if isinstance(cell, ValueSet):
        return any(covers(axis, Value(text), value) for text in cell.texts)
    assert isinstance(cell, Value)
    if axis.tree is None:
        return cell.text == value
    leaf = axis.tree.leaves.index(value)
    return cell.text in {axis.tree.written[node] for node in axis.tree.node[:, leaf]}


def test_there_are_recoders():
    assert set(RECODERS) >= {"snapped", "tight", "centre", "bounds", "sets"}


def test_page(recoder):
    page = inspect.getdoc(sys.modules[type(recoder).__module__])
    assert page.startswith(f"`{recoder.name}`")
    assert summary(type(recoder)).endswith(".")


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_every_cell_covers_the_values_of_its_group(recoder, start):
    for seed in range(start, start + 20):
        arrays, axes, codes, groups = sample(seed)
        for array, axis, column in zip(arrays, axes, codes, strict=True):
            box, cells = published(recoder, axis, column, groups)
            texts = text_of(array).to_pylist()
            if recoder.covers and axis.name in cells:
                read_back = [read(text) for text in cells[axis.name].to_pylist()]
                assert all(
                    covers(axis, read_back[g], text)
                    for g, text in zip(groups.labels, texts, strict=True)
                )
            elif recoder.covers:
                ends = [text_of(cells[f"{axis.name}_{end}"]).to_pylist() for end in ("lo", "hi")]
                for group, text in zip(groups.labels, texts, strict=True):
                    lo = ends[0][group]
                    hi = ends[1][group]
                    missing = box.hi[group] == axis.size
                    assert (
                        (lo is None and hi is None)
                        if missing
                        else point(lo) <= point(text) <= point(hi)
                    )
            else:
                assert all(len(column) == groups.count for column in cells.values())


@pytest.mark.parametrize("start", range(0, 40, 20))
def test_equal_boxes_print_equal_cells_and_k_holds(recoder, start):
    for seed in range(start, start + 20):
        _, axes, codes, groups = sample(seed)
        shown: list[pa.Array] = []
        for axis, column in zip(axes, codes, strict=True):
            box, cells = published(recoder, axis, column, groups)
            if recoder.covers and not recoder.names_members:
                texts = list(
                    zip(*(text_of(cell).to_pylist() for cell in cells.values()), strict=True)
                )
                by_box: dict[tuple[int, int], object] = {}
                for lo, hi, text in zip(box.lo, box.hi, texts, strict=True):
                    assert by_box.setdefault((int(lo), int(hi)), text) == text
            shown += [cell.take(pa.array(groups.labels)) for cell in cells.values()]
        again = recount(shown)
        assert again.sizes.min() >= groups.sizes.min()
        assert (
            len({*zip(groups.labels.tolist(), again.labels.tolist(), strict=True)}) == groups.count
        )  # no group is split


@pytest.mark.parametrize("kind", [pa.float64(), pa.string(), pa.date32(), pa.bool_()])
def test_missing_values(recoder, kind):
    values = {pa.string(): ["a", "b"], pa.date32(): [0, 900], pa.bool_(): [True, False]}.get(
        kind, [1.0, 2.0]
    )
    column = pa.array([values[0], None, None, None, values[1], values[1]], kind)
    rows = encode([profile(column, "x")], {})
    _, cells = published(
        recoder, rows.axes[0], rows.codes[0], Groups.of(np.array([0, 0, 1, 1, 2, 2]))
    )
    mixed, nobody, one = zip(*(text_of(cell).to_pylist() for cell in cells.values()), strict=True)
    assert set(nobody) == {None}  # all missing: null
    categories = kind in (pa.string(), pa.bool_())
    assert set(mixed) == (
        {"*"} if categories or recoder.name in ("snapped", "tight", "sets") else {None}
    )
    assert None not in one and "*" not in one


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=12), st.randoms())
@settings(max_examples=25)
def test_the_order_of_rows_and_the_numbers_of_groups_do_not_show(values, random):
    for name, made in RECODERS.items():
        labels = [random.randrange(3) for _ in values]
        turned = random.sample(range(len(values)), len(values))
        found = []
        for order in (range(len(values)), turned):
            rows = encode([profile(pa.array([values[i] for i in order]), "x")], {})
            groups = Groups.of(np.array([labels[i] for i in order]))
            _, cells = published(made(), rows.axes[0], rows.codes[0], groups)
            shown = zip(
                *(
                    text_of(cell.take(pa.array(groups.labels))).to_pylist()
                    for cell in cells.values()
                ),
                strict=True,
            )
            found.append(sorted(zip([values[i] for i in order], shown, strict=True)))
        assert found[0] == found[1], name
