"""Singling: every figure agrees with a literal count."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.adapters.demo_data import patients
from shoal.studio.work import singling
from shoal.studio.work.telling import Tell

CELLS = st.sampled_from(["a", "b", "c", None])
ROW = st.tuples(
    CELLS,
    CELLS,
    st.one_of(st.none(), st.sampled_from([0.0, -0.0, 1.5, float("nan")])),
    st.integers(0, 4),
)
NAMES = ["x", "y", "z", "who"]


def laid(table: pa.Table, path: Path) -> str:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return str(path)


def told(table: pa.Table, path: Path, **asked: Any) -> tuple[dict[str, Any], dict[str, int]]:
    """The picture, and what each column does to it."""
    said = io.StringIO()
    singling.do(Tell(said), laid(table, path), **asked)
    lines = [json.loads(line) for line in said.getvalue().splitlines()]
    [picture] = [line for line in lines if line["says"] == "picture"]
    return picture, {line["column"]: line["people"] for line in lines if line["says"] == "effect"}


def counted(table: pa.Table, columns: list[str], person: str | None = None) -> list[int]:
    """Rows in groups of one person, of 2 to 4, of 5 to 9, of 10 and more."""
    people = defaultdict(set)
    keys = []
    for number, row in enumerate(table.to_pylist()):
        key = tuple(
            "missing" if row[name] is None or row[name] != row[name] else row[name]
            for name in columns
        )
        keys.append(key)
        people[key].add(number if person is None else row[person])
    sizes = [len(people[key]) for key in keys]
    return [
        sum(low <= size <= high for size in sizes)
        for low, high in ((1, 1), (2, 4), (5, 9), (10, 10**9))
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ROW, min_size=1, max_size=40), st.sets(st.sampled_from(NAMES[:3])), st.booleans())
def test_figures_are_those_of_a_literal_count(
    tmp_path: Path, rows: list[tuple[Any, ...]], chosen: set[str], by: bool
) -> None:
    table = pa.table({name: [row[place] for row in rows] for place, name in enumerate(NAMES)})
    person = "who" if by else None
    quasi = sorted(chosen)
    others = [name for name in NAMES[:3] if name not in chosen]
    picture, effects = told(table, tmp_path / "t", quasi=quasi, others=others, person=person)
    bars = counted(table, quasi, person)
    assert picture == {"says": "picture", "rows": len(rows), "of": len(rows), "bars": bars}
    for name in quasi:
        assert (
            effects.pop(name)
            == bars[0] - counted(table, [other for other in quasi if other != name], person)[0]
        )
    for name in others:
        assert effects.pop(name) == counted(table, [*quasi, name], person)[0] - bars[0]
    assert not effects


def test_patients_are_nearly_all_alone(tmp_path: Path) -> None:
    picture, effects = told(
        patients(), tmp_path / "t", quasi=["sex", "postcode"], others=["birth_date"]
    )
    assert picture["bars"] == counted(patients(), ["sex", "postcode"]) == [3, 25, 153, 4_819]
    with_date = counted(patients(), ["sex", "postcode", "birth_date"])[0]
    assert effects == {"sex": 3, "postcode": 3, "birth_date": with_date - 3} and with_date > 4_900


def test_a_long_table_is_drawn_from_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(singling, "MOST_ROWS", 700)
    first = told(patients(), tmp_path / "t", quasi=["postcode"], others=[])
    assert (first[0]["rows"], first[0]["of"], sum(first[0]["bars"])) == (700, 5_000, 700)
    assert (
        told(patients(), tmp_path / "u", quasi=["postcode"], others=[]) == first
    )  # always the same rows


def test_a_wide_table_has_its_first_columns_looked_at(tmp_path: Path) -> None:
    table = pa.table({f"c{place}": [0, 1] for place in range(50)})
    names = table.column_names
    _, effects = told(table, tmp_path / "t", quasi=names[:5], others=names[5:])
    assert list(effects) == names[: singling.MOST_COLUMNS]
    _, effects = told(table, tmp_path / "t", quasi=names[:30], others=names[30:])
    assert list(effects) == names[: singling.MOST_COLUMNS]
