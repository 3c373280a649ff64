"""The audit: known answers, a literal recount, planted faults, and requirements that bite."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from conftest import data_file
from shoal.arrays import Counts, Flags
from shoal.errors import DataError, PrivacyNotMet, RecipeError
from shoal.privacy import counted
from shoal.privacy.column import Column
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import Model
from shoal.review.audit import Audit, Wildcard, audit
from shoal.review.recount import recount, value_counts
from shoal.review.risks.average_prosecutor_risk import AverageProsecutorRisk
from shoal.review.risks.marketer_risk import MarketerRisk
from shoal.review.risks.sample_uniqueness import SampleUniqueness

MODELS: dict[str, type[Model]] = {"k-anonymity": KAnonymity, "l-diversity": LDiversity}
RISKS = {
    "average-prosecutor-risk": AverageProsecutorRisk(),
    "sample-uniqueness": SampleUniqueness(),
}


@dataclass(frozen=True)
class Spread(Model):
    """A model that compares with the whole table: no value's share in a group is far above its
    share in the table.
    """

    name = "spread"
    promise = "most"
    most: float

    def safe(self, counts: Counts, column: Column) -> Flags:
        return self.measures(counts, column) <= self.most

    def failing(self, who: str, column: str | None) -> str:
        return f"{who} stray too far in '{column}'"

    def measures(self, counts: Counts, column: Column) -> Any:
        share = counts[:, :-1] / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        return (share - column.totals[:-1] / column.totals.sum()).max(axis=1)


def measure(table: pa.Table, quasi: list[str], sensitive: list[str], **given: Any) -> Audit:
    return audit(table, quasi, sensitive, MODELS, RISKS, **given)


PATIENTS = pa.table(
    {
        "age": ["[20, 29]"] * 3 + ["[30, 39]"] * 2 + [None] * 2,
        "city": ["Oslo"] * 3 + ["Rome"] * 4,
        "disease": ["flu", "asthma", "flu", "flu", "flu", "gout", None],
    }
)


def test_a_small_table_by_hand() -> None:
    found = measure(PATIENTS, ["age", "city"], ["disease"])
    assert (found.rows, found.groups, found.k) == (7, 3, 2)
    assert found.models == {"k-anonymity": {"": 2}, "l-diversity": {"disease": 1}}
    assert found.risks == {"average-prosecutor-risk": 3 / 7, "sample-uniqueness": 0.0}
    assert (found.sizes.least, found.sizes.median, found.sizes.largest) == (2, 2, 3)
    assert found.wildcard is None


def test_plain_data_has_the_keys_of_the_door() -> None:
    found = measure(PATIENTS, ["age"], ["disease"]).as_dict()
    assert set(found) == {
        "rows",
        "k",
        "groups",
        "models",
        "risks",
        "baselines",
        "columns",
        "special uniques",
    }
    assert set(measure(PATIENTS, ["age"], [], missing="wildcard").as_dict()) == {*found, "wildcard"}


def test_figures_stand_beside_what_a_table_that_tells_nothing_has() -> None:
    found = measure(PATIENTS, ["age", "city"], ["disease"])
    assert found.baselines == {"average-prosecutor-risk": 1 / 7, "sample-uniqueness": 0.0}
    assert found.special == {1: 0, 2: 0, 3: 0}
    assert vars(found.columns["city"]) == {
        "distinction": 2 / 7,
        "separation": 1 - 18 / 42,
        "alone": 0.0,
    }
    alone = measure(
        pa.table({"a": [1, 1, 2, 3], "b": [1, 2, 1, 1], "c": [1, 1, 1, 2]}), ["a", "b", "c"], []
    )
    assert alone.special == {1: 3, 2: 1, 3: 0}
    assert alone.columns["a"].alone == 0.5
    assert json.dumps(alone.as_dict())


def test_a_population_makes_risks_computable() -> None:
    risks = {"marketer-risk": MarketerRisk()}
    none = audit(PATIENTS, ["city"], [], {}, risks)
    some = audit(PATIENTS, ["city"], [], {}, risks, population=0.5)
    assert (none.risks, none.among_everyone) == ({"marketer-risk": None}, False)
    assert (some.risks, some.baselines) == ({"marketer-risk": 1 / 7}, {"marketer-risk": 1 / 14})
    with pytest.raises(DataError, match="smaller than the table"):
        audit(PATIENTS, ["city"], [], {}, risks, population=6)


def test_wildcards_are_a_second_figure_and_change_no_other() -> None:
    own = measure(PATIENTS, ["age", "city"], ["disease"])
    both = measure(PATIENTS, ["age", "city"], ["disease"], missing="wildcard")
    assert both.wildcard == Wildcard(k=3, mean=(3 * 3 + 2 * 4 + 2 * 4) / 7)
    assert (both.k, both.models) == (own.k, own.models)


def test_without_a_sensitive_column_its_models_are_left_out() -> None:
    assert measure(PATIENTS, ["age"], []).models == {"k-anonymity": {"": 2}}


def test_a_name_finds_its_bounds() -> None:
    table = pa.table({"age_lo": [20, 20, 30], "age_hi": [29, 29, 39], "sex": ["f", "f", "f"]})
    assert measure(table, ["age"], []).groups == 2
    assert measure(table.append_column("age", [["x", "y", "z"]]), ["age"], []).groups == 3
    with pytest.raises(RecipeError, match="no column 'age'"):
        measure(table.drop_columns("age_hi"), ["age"], [])


def test_arx_known_answers() -> None:
    table = pq.read_table(data_file("adult.parquet"))
    quasi = [
        "sex",
        "age",
        "race",
        "marital-status",
        "education",
        "native-country",
        "workclass",
        "occupation",
        "income",
    ]
    found = measure(table, quasi, ["relationship", "hours-per-week"])
    assert (found.rows, found.groups, found.k) == (30162, 19502, 1)
    assert found.risks == {
        "average-prosecutor-risk": 0.6465751607983555,
        "sample-uniqueness": 0.5142895033485844,
    }
    assert found.models["l-diversity"] == {"relationship": 1, "hours-per-week": 1}


cells = st.sampled_from(["a", "b", None])
tables = st.lists(
    st.tuples(cells, cells, st.sampled_from(["x", "y", "z", None])), min_size=1, max_size=30
)


def as_table(rows: list[tuple[str | None, ...]]) -> pa.Table:
    return pa.table(
        {
            name: pa.array(list(cells), pa.string())
            for name, cells in zip("pqs", zip(*rows, strict=True), strict=True)
        }
    )


@given(tables)
def test_it_measures_what_a_dictionary_counts(rows: list[tuple[str | None, ...]]) -> None:
    sizes = Counter((p, q) for p, q, _ in rows)
    values = {key: {s for p, q, s in rows if (p, q) == key and s is not None} for key in sizes}
    found = measure(as_table(rows), ["p", "q"], ["s"])
    assert (found.k, found.groups) == (min(sizes.values()), len(sizes))
    assert found.models["l-diversity"]["s"] == min(len(of) for of in values.values())


@pytest.fixture
def tiny_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(counted, "BLOCK", 8)
    yield


@pytest.mark.usefixtures("tiny_blocks")
def test_blocks_of_groups_give_what_all_at_once_gives() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        labels = rng.integers(0, 9, 60)
        values = rng.integers(0, 4, 60)
        table = pa.table({"q": labels, "s": pa.array(values, mask=rng.random(60) < 0.1)})
        counts = value_counts(recount([table["q"].combine_chunks()]), table["s"].combine_chunks())
        found = audit(table, ["q"], ["s"], {**MODELS, "spread": Spread}, {})
        whole = Column("s", pa.array(range(counts.shape[1] - 1)), counts.sum(axis=0))
        assert found.models["l-diversity"]["s"] == LDiversity(1).measures(counts, whole).min()
        assert found.models["spread"]["s"] == pytest.approx(Spread(1).measures(counts, whole).max())
        threshold = float(np.median(Spread(1).measures(counts, whole))) + 1e-9
        unsafe = int((~Spread(threshold).safe(counts, whole)).sum())
        with pytest.raises(PrivacyNotMet, match=f"{unsafe} of {len(counts)} groups"):
            audit(table, ["q"], ["s"], {}, {}, require=[Spread(threshold)]).require()


def test_what_would_take_too_long_is_left_unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counted, "WORTHWHILE", 39)
    table = pa.table({"q": list(range(20)) * 2, "s": [1, 2] * 20})
    found = audit(table, ["q"], ["s"], {"spread": Spread}, {})
    assert found.models == {"spread": {"s": None}}
    assert found.as_dict()["models"] == {"spread": {"s": None}}


def test_requirements_that_hold_are_silent() -> None:
    assert measure(PATIENTS, ["age"], ["disease"], require=[KAnonymity(2), LDiversity(1)]).k == 2


def test_a_requirement_that_fails_says_where() -> None:
    with pytest.raises(PrivacyNotMet) as caught:
        measure(PATIENTS, ["age", "city"], ["disease"], require=[KAnonymity(3)]).require()
    assert caught.value.exit_code == 4
    assert "2 of 3 groups hold fewer than 3 rows" in str(caught.value)
    assert caught.value.facts == {"model": "k-anonymity (k = 3)", "rows concerned": 4}


def test_all_failing_requirements_are_shown_together_and_no_cell() -> None:
    with pytest.raises(PrivacyNotMet) as caught:
        measure(
            PATIENTS,
            ["age", "city"],
            ["disease"],
            require=[KAnonymity(3), LDiversity(2), KAnonymity(1)],
        ).require()
    text = str(caught.value)
    assert "2 promises" in text and "k-anonymity (k = 3)" in text and "l-diversity (l = 2)" in text
    assert not any(value in text for value in ("flu", "Oslo", "29"))


def test_a_planted_small_group_is_found() -> None:
    table = pa.table({"q": ["a"] * 500 + ["b"] * 4 + ["c"] * 500})
    assert measure(table, ["q"], [], require=[KAnonymity(4)]).k == 4
    with pytest.raises(PrivacyNotMet, match="1 of 3 groups"):
        measure(table, ["q"], [], require=[KAnonymity(5)]).require()


@pytest.mark.parametrize(
    ("quasi", "sensitive", "said"),
    [
        (["agee"], [], "did you mean 'age'"),
        (["age"], ["diseas"], "did you mean 'disease'"),
        (["age"], ["age"], "quasi and sensitive"),
        ([], [], "no quasi-identifier"),
        (["agee"], ["diseas"], "2 things"),
    ],
)
def test_wrong_calls_are_refused(quasi: list[str], sensitive: list[str], said: str) -> None:
    with pytest.raises(RecipeError, match=said):
        measure(PATIENTS, quasi, sensitive)


def test_a_requirement_without_its_column_is_a_wrong_call() -> None:
    with pytest.raises(RecipeError, match="l-diversity"):
        measure(PATIENTS, ["age"], [], require=[LDiversity(2)])


def test_an_empty_table_is_no_answer() -> None:
    with pytest.raises(DataError, match="no rows"):
        measure(PATIENTS.slice(0, 0), ["age"], [])


def test_values_ascend_for_models_that_read_distances() -> None:
    groups = recount([pa.array(["a", "a", "a"])])
    assert value_counts(groups, pa.array([30, 4, 4])).tolist() == [[2, 1, 0]]
    assert value_counts(groups, pa.array(["30", "4", "4"])).tolist() == [[2, 1, 0]]
    assert value_counts(groups, pa.array(["b", None, "a"])).tolist() == [[1, 1, 1]]


def test_zero_has_one_sign_and_nan_is_missing() -> None:
    assert recount([pa.array([0.0, -0.0, None, float("nan")])]).labels.tolist() == [0, 0, 1, 1]


def test_a_million_rows_of_eight_columns() -> None:
    rng = np.random.default_rng(2)
    rows = 1_000_000
    table = pa.table(
        {
            f"q{i}": pa.array([f"value {v}" for v in range(size)]).take(
                pa.array(rng.integers(0, size, rows))
            )
            for i, size in enumerate((70, 8, 16, 7, 14, 5, 2, 41))
        }
    )
    found = audit(table, [f"q{i}" for i in range(8)], [], {"k-anonymity": KAnonymity}, RISKS)
    assert found.groups > 900_000


def test_the_example_of_the_page_on_missing_values() -> None:
    age = pa.array([34, 36, None, None, None])
    sex = ["f", "f", "f", "m", "m"]
    disease = ["flu", "asthma", "gout", "flu", None]
    before = measure(pa.table({"age": age, "sex": sex}), ["age", "sex"], [], missing="wildcard")
    assert (before.groups, before.k, before.wildcard) == (4, 1, Wildcard(k=2, mean=2.2))
    after = measure(
        pa.table({"age": ["*", "*", "*", None, None], "sex": sex, "disease": disease}),
        ["age", "sex"],
        ["disease"],
    )
    assert (after.k, after.models["l-diversity"]["disease"]) == (2, 1)


def test_seventy_columns_do_not_overflow() -> None:
    # keys of power-of-two columns would push the first one out of 64 bits
    columns = [pa.array([1, None], pa.int8())] + [pa.array([1, 1], pa.int8())] * 70
    assert recount(columns).count == 2


def test_kept_columns_are_counted_beside_cells() -> None:
    table = pa.table(
        {"age": ["[20, 30]"] * 6, "ward": ["a"] * 4 + ["b"] * 2, "shift": ["day", "night"] * 3}
    )
    audited = shoal.audit(table, quasi="age", keep=["ward"], require=["k=2"])
    assert audited.kept is not None and audited.kept.k == 2
    assert audited.kept.risks["highest-prosecutor-risk"] == 0.5
    assert audited.as_dict()["kept"]["columns"] == ("ward",)
    with pytest.raises(PrivacyNotMet, match="of 'ward' is held by fewer than 3 rows: 2 of 6 rows"):
        shoal.audit(table, quasi="age", keep=["ward"], require=["k=3"])
    with pytest.raises(PrivacyNotMet, match="combinations of values of 'ward' and 'shift'"):
        shoal.audit(table, quasi="age", keep=["ward", "shift"], require=["k=2"])
    with pytest.raises(RecipeError, match="can't be kept"):
        shoal.audit(table, quasi="age", keep=["age"])
