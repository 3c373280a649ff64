"""Promises as one guard: several columns, populations, releases, what can't be judged, and what
can't be kept.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from naive import models as naive
from shoal.engines.local.dividing import groups_of
from shoal.errors import PrivacyNotMet, RecipeError
from shoal.flows.declared import declared
from shoal.groups import Groups, unwatched
from shoal.partition.method import Method
from shoal.privacy.column import Sensitive
from shoal.privacy.model import Model
from shoal.privacy.population import Crowd
from shoal.privacy.promises import Promises
from shoal.recipe import Recipe
from shoal.registry import make
from terminal import shoal as terminal
from terminal import write

TREE = {"lung": ["flu", "asthma"], "joint": ["gout"]}
ILL = ["flu", "asthma", "gout"] * 8
PEOPLE = pa.table(
    {"age": list(range(20, 44)), "ill": ILL, "pay": [str(9 + i % 4) for i in range(24)]}
)

codes = st.integers(0, 2)
rows = st.lists(st.tuples(st.integers(-1, 3), codes, codes), min_size=1, max_size=25)


def sensitive(name: str, codes: list[int]) -> Sensitive:
    return Sensitive.of(name, np.array(codes, np.int32), pa.array(["x", "y"]))  # 2 is missing


@given(rows, st.sampled_from(["l-diversity:l=2", "t-closeness:t=0.4", "alpha-k:alpha=0.5"]))
def test_others_as_quasi_splits_groups_by_what_is_known(rows, text):
    labels, one, two = (list(part) for part in zip(*rows, strict=True))
    groups = Groups.of(np.array(labels))
    model = make(Model, text)
    promises = Promises((model,), (sensitive("s", one), sensitive("t", two)), "as-quasi")
    judge = getattr(naive, model.name.replace("-", "_"))
    there = [i for i in range(len(rows)) if labels[i] >= 0]
    expected = np.ones(groups.count, bool)
    for judged, known in ((one, two), (two, one)):
        table = [None if judged[i] == 2 else judged[i] for i in there]
        for group, value in {(groups.labels[i], known[i]) for i in there}:
            part = [i for i in there if (groups.labels[i], known[i]) == (group, value)]
            expected[group] &= judge(
                [None if judged[i] == 2 else judged[i] for i in part], table, **model.own_parameters
            )
    assert promises.safe(groups).tolist() == expected.tolist()
    assert np.array_equal(
        Promises((model,), promises.sensitive[:1], "as-quasi").safe(groups),
        Promises((model,), promises.sensitive[:1]).safe(groups),
    )


def test_knowing_one_column_does_not_give_the_other_away_as_quasi():
    rng = np.random.default_rng(5)
    ill = rng.choice(["flu", "gout"], 200)
    pills = np.where(rng.random(200) < 0.8, ill, rng.choice(["flu", "gout"], 200))
    table = pa.table({"age": rng.integers(20, 60, 200), "ill": ill, "pills": pills})
    asked = {
        "quasi": ["age"],
        "sensitive": ["ill", "pills"],
        "models": ["l-diversity:l=2"],
        "k": 4,
        "seed": 1,
    }
    separate, known = (
        shoal.anonymize(table, **asked, others=others) for others in ("separate", "as-quasi")
    )
    parts = {}
    for row in known.table.to_pylist():
        parts.setdefault((row["age"], row["pills"]), set()).add(row["ill"])
    assert all(len(values) == 2 for values in parts.values())
    assert known.certificate.public.groups < separate.certificate.public.groups
    assert known.certificate.public.recipe["others"] == "as-quasi"
    assert any("guarded alone" in sentence for sentence in separate.certificate.public.not_promised)
    assert not any(
        "guarded alone" in sentence for sentence in known.certificate.public.not_promised
    )
    assert shoal.verify(known.table, known.certificate).holds
    forged = json.loads(json.dumps(separate.certificate.public.as_dict()))
    forged["recipe"]["others"] = "as-quasi"
    assert not shoal.verify(separate.table, forged).holds


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 30)), min_size=1, max_size=6))
def test_population_models_read_rows_and_people(pairs):
    groups = Groups.of(np.repeat(np.arange(len(pairs)), [rows for rows, _ in pairs]))
    people = np.array([people for _, people in pairs])
    for text in ("k-map:k=5", "delta-presence:low=0.1,high=0.5", "delta-presence:low=0,high=1"):
        model = make(Model, text)
        judge = getattr(naive, model.name.replace("-", "_"))
        promises = Promises((model,), people=lambda groups: Crowd(people, np.zeros_like(people)))
        expected = [
            bool(judge(*pair, **model.own_parameters)) if pair[1] else False for pair in pairs
        ]
        assert promises.safe(groups).tolist() == expected and not promises.lacking()
        overlapping = Promises((model,), people=lambda groups: Crowd(people, np.ones_like(people)))
        assert overlapping.safe(groups).tolist() == (
            expected if model.name == "k-map" else [False] * len(pairs)
        )
        if model.name == "delta-presence":
            assert overlapping.measured(groups)[0][2] == np.inf
        alone = Promises((model,))
        assert not alone.safe(groups).any() and "population" in alone.lacking()[0][2]
        assert not alone.only_size


cells = st.lists(st.tuples(codes, codes, codes, codes), min_size=1, max_size=20)


@given(cells, st.integers(1, 4), st.sampled_from([0.5, 0.7, 1.0]), st.integers(1, 4))
def test_lkc_looks_at_some_columns_at_a_time(rows, l, c, k):
    table = pa.table(
        {
            name: pa.array(values)
            for name, values in zip("abcs", zip(*rows, strict=True), strict=True)
        }
    )
    promise = f"lkc:l={l},c={c},k={k}"
    try:
        shoal.audit(table, quasi=["a", "b", "c"], sensitive=["s"], require=[promise])
        kept = True
    except PrivacyNotMet:
        kept = False
    assert kept == naive.lkc([(row[:3], row[3]) for row in rows], l, c, k)


def test_lkc_publishes_more_than_k_on_all_columns_would():
    rng = np.random.default_rng(8)
    table = pa.table(
        {name: rng.integers(0, 4, 300).astype(str) for name in "abcde"}
        | {"ill": rng.choice(["x", "y"], 300)}
    )
    asked = {"quasi": list("abcde"), "sensitive": ["ill"], "method": "top-down"}
    lkc = shoal.anonymize(table, **asked, k=1, models=["lkc:l=1,c=0.8,k=10"])
    full = shoal.anonymize(table, **asked, k=10)
    assert lkc.loss("height-share") < full.loss("height-share")
    assert naive.lkc(
        [(tuple(row[name] for name in "abcde"), row["ill"]) for row in lkc.table.to_pylist()],
        1,
        0.8,
        10,
    )
    assert shoal.verify(lkc.table, lkc.certificate).holds


def test_a_method_that_cannot_serve_a_model_is_refused_and_those_that_can_are_named():
    asked = {"quasi": ["age"], "sensitive": ["ill"]}
    with pytest.raises(RecipeError, match="'mondrian' can't serve model 'lkc'") as refusal:
        Recipe.of(**asked, models=["lkc:l=1,c=0.5"], method="mondrian").plan()
    assert refusal.value.remedy == "one of: full-domain, top-down"
    with pytest.raises(RecipeError, match="can't serve model 'k-map'"):
        Recipe.of(**asked, models=["k-map:k=3"]).plan()
    assert (
        Recipe.of(**asked, models=["lkc:l=1,c=0.5"], method="top-down", k=7).plan().models[1].k == 7
    )


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("t-closeness:t=1.5", "between 0 and 1"),
        ("t-closeness:t=0.2,distance=hierarchical", "'ill' has none"),
        ("alpha-k:alpha=0", "above 0 and at most 1"),
        ("k-e:e=5", "numbers in 'ill'"),
        ("alpha-k:alpha=0.5,values=[flue]", "1 of its values occur in no sensitive column"),
        ("entropy-l-diversity:l=0.5", "at least 1"),
        ("beta-likeness:beta=1,form=odd", "form"),
        ("delta-presence:low=0.5,high=0.2", "between low and 1"),
    ],
)
def test_what_cannot_be_judged_is_a_wrong_call(model, said):
    with pytest.raises(RecipeError, match=said) as refusal:
        shoal.anonymize(PEOPLE, quasi=["age"], sensitive=["ill"], models=[model], k=2)
    assert refusal.value.exit_code == 2 and "flue" not in str(refusal.value)


@pytest.mark.parametrize(
    ("model", "reachable"),
    [
        ("l-diversity:l=4", "l-diversity:l=3"),
        ("p-sensitive:p=9", "p-sensitive:p=3"),
        ("entropy-l-diversity:l=3.1", "entropy-l-diversity:l=3"),
        ("frequency-l-diversity:l=4", "frequency-l-diversity:l=3"),
        ("alpha-k:alpha=0.3", "alpha-k:alpha=0.3334"),
        ("recursive-l-diversity:c=0.4,l=2", "recursive-l-diversity:c=0.5005,l=2"),
        ("recursive-l-diversity:c=4,l=9", "nothing of the kind"),
    ],
)
def test_what_no_grouping_can_keep_is_refused_with_what_could_be(model, reachable):
    asked = {"quasi": ["age"], "sensitive": ["ill"], "k": 2}
    with pytest.raises(PrivacyNotMet, match="all rows together") as refusal:
        shoal.anonymize(PEOPLE, **asked, models=[model])
    assert refusal.value.facts["reachable"] == reachable
    if ":" in reachable:
        assert shoal.anonymize(PEOPLE, **asked, models=[reachable]).certificate.public.rows == 24


@dataclass(frozen=True)
class Given(Method):
    """Groups that were made elsewhere."""

    name = "given"
    labels: tuple[int, ...] = ()

    def _divide(self, rows, k, guard, rng, watch):
        return Groups.of(np.array(self.labels))


def divided(withhold: float) -> Groups:
    """Eight rows of one group are even, four of another are not; together they are not."""
    table = pa.table({"age": [20] * 8 + [60] * 4, "ill": ["flu", "gout"] * 4 + ["flu"] * 4})
    asked = {"quasi": ["age"], "sensitive": ["ill"], "models": ["entropy-l-diversity:l=2"], "k": 4}
    plan = replace(Recipe.of(**asked, withhold=withhold).plan(), method=Given((0,) * 8 + (1,) * 4))
    found, _ = declared(table, plan)
    return groups_of(found, plan, np.random.default_rng(0), unwatched)


def test_withholding_may_keep_what_all_rows_together_do_not():
    with pytest.raises(PrivacyNotMet, match="all rows together"):
        divided(0)
    with pytest.raises(PrivacyNotMet, match="in 1 of 2 groups") as refusal:
        divided(0.3)
    assert "withhold=0.34" in str(refusal.value.remedy)
    assert divided(0.34).labels.tolist() == [0] * 8 + [-1] * 4


def test_withholding_shifts_the_table_and_all_are_judged_again():
    """What is compared with the table holds for the published rows, not for those that came in."""
    rng = np.random.default_rng(3)
    table = pa.table(
        {"age": rng.integers(20, 90, 80), "ill": rng.choice(["a", "b", "c"], 80, p=[0.7, 0.2, 0.1])}
    )
    asked = {"quasi": ["age"], "sensitive": ["ill"], "k": 5, "seed": 1, "method": "k-member"}
    release = shoal.anonymize(table, **asked, models=["t-closeness:t=0.15"], withhold=0.3)
    groups = {}
    for row in release.table.to_pylist():
        groups.setdefault(row["age"], []).append(row["ill"])
    everyone = [value for group in groups.values() for value in group]
    assert all(naive.t_closeness(group, everyone, 0.15) for group in groups.values())


def test_a_hierarchy_of_a_sensitive_column(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{age},{ill}" for age, ill in zip(PEOPLE["age"].to_pylist(), ILL, strict=True)]
    write(tmp_path / "people.csv", "\n".join(["age,ill", *lines]) + "\n")
    (tmp_path / "trees").mkdir()
    write(tmp_path / "trees" / "ill.csv", "flu;lung;*\nasthma;lung;*\ngout;joint;*\n")
    asked = [
        "anonymize",
        "people.csv",
        "-o",
        "out.csv",
        "-q",
        "age",
        "-s",
        "ill",
        "-k",
        3,
        "--force",
    ]
    model = ["--model", "t-closeness:t=0.3,distance=hierarchical"]
    assert terminal(*asked, *model).code == 2
    assert terminal(*asked, *model, "--hierarchies", "trees").code == 0
    assert terminal(*asked, *model, "--hierarchy", "ill=trees/ill.csv").code == 0
    stated = json.loads(Path("out.csv.certificate.json").read_text())["models"][1]
    assert (stated["distance"], stated["column"]) == ("hierarchical", "ill") and stated[
        "measured"
    ] <= 0.3
    without = terminal("verify", "out.csv", "out.csv.certificate.json", "--verbose")
    assert without.code == 0 and "not checkable without the hierarchy of 'ill'" in " ".join(
        without.out.split()
    )
    within = terminal(
        "verify", "out.csv", "out.csv.certificate.json", "--hierarchies", "trees", "--json"
    )
    status = {item["what"]: item["status"] for item in json.loads(within.out)["items"]}
    assert within.code == 0 and status["t-closeness of 'ill'"] == "recounted"
    require = ["--require", "t-closeness:t=0.3,distance=hierarchical"]
    assert terminal("audit", "out.csv", "-q", "age", "-s", "ill", *require).code == 2
    assert (
        terminal(
            "audit", "out.csv", "-q", "age", "-s", "ill", *require, "--hierarchies", "trees"
        ).code
        == 0
    )
    write(tmp_path / "bad.csv", "age,ill\n" + "young,flu\nyoung,asthma\n" * 3 + "old,gout\n" * 3)
    planted = terminal(
        "audit", "bad.csv", "-q", "age", "-s", "ill", *require, "--hierarchy", "ill=trees/ill.csv"
    )
    assert planted.code == 4 and "2 of 2 groups" in planted.err


def test_numbers_in_text_stand_in_the_order_of_numbers():
    """As text, 10 comes before 9: the gate and the method must see the same ladder."""
    asked = {
        "quasi": ["age"],
        "sensitive": ["pay"],
        "k": 4,
        "models": ["t-closeness:t=0.2,distance=ordered", "k-e:e=2"],
    }
    release = shoal.anonymize(PEOPLE, **asked)
    groups = {}
    for row in release.table.to_pylist():
        groups.setdefault(row["age"], []).append(int(row["pay"]))
    everyone = [value for group in groups.values() for value in group]
    assert all(
        naive.t_closeness(group, everyone, 0.2, "ordered") and naive.k_e(group, everyone, 2, 4)
        for group in groups.values()
    )
    assert shoal.verify(release.table, release.certificate).holds


def test_every_public_name():
    asked = {"quasi": ["age"], "sensitive": ["ill"], "k": 3}
    release = shoal.anonymize(
        PEOPLE, **asked, models=[shoal.TCloseness(t=0.4), shoal.AlphaK(alpha=0.9, values=("gout",))]
    )
    stated = release.certificate.public.models
    assert [entry.model for entry in stated] == ["k-anonymity", "t-closeness", "alpha-k"]
    assert shoal.verify(
        release.table, json.loads(json.dumps(release.certificate.public.as_dict()))
    ).holds


def test_two_spellings_of_a_number_are_one():
    people = pa.table({"age": [30] * 3, "pay": ["30", "30.0", "36"]})
    with pytest.raises(PrivacyNotMet):
        shoal.anonymize(people, quasi=["age"], sensitive=["pay"], models=["k-e:e=5,k=3"], k=2)
    release = shoal.anonymize(people, quasi=["age"], sensitive=["pay"], models=["k-e:e=5,k=2"], k=2)
    assert release.certificate.public.models[1].measured == 6
