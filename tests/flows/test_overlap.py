"""Releases in which each row has a box of its own: what is published, what is promised, and what is
refused.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from naive import concealment as naive
from shoal.declare import memory
from shoal.errors import DataError, PrivacyNotMet, RecipeError, ShoalError
from shoal.overlap import hiding
from terminal import shoal as run

QUASI = ["age", "city"]
ILL = ["flu", "cold", "gout", "asthma"]


def people(rows: int, seed: int = 1) -> pa.Table:
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "age": rng.integers(20, 80, rows),
            "city": rng.choice(["Oslo", "Rome", "Bonn", "Łódź"], rows),
            "ill": rng.choice(ILL, rows),
            "pays": rng.choice(["yes", "no"], rows),
        }
    )


@pytest.mark.parametrize("match", ["ring", "k-concealment", "mutual", "k-k", "1-k"])
@pytest.mark.parametrize("publish", ["snapped", "tight", "bounds"])
def test_every_repair_keeps_its_promise_in_print(match: str, publish: str) -> None:
    table = people(60)
    release = shoal.anonymize(
        table, quasi=QUASI, sensitive="ill", k=4, method=f"nsvdist:match={match}", publish=publish
    )
    counted = release.certificate.private.as_dict()["concealment"]
    fewest = {
        "k-k": min(counted["people that a row fits"], counted["rows that fit a person"]),
        "1-k": counted["rows that fit a person"],
    }
    assert fewest.get(match, counted["possible matches"]) >= 4
    assert counted["people that a row fits"] >= 4
    assert release.groups is None
    assert release.table.num_rows == 60
    assert sorted(release.table["ill"].to_pylist()) == sorted(table["ill"].to_pylist())
    assert shoal.verify(release.table, release.certificate, original=table).holds


@pytest.mark.parametrize("loss", ["loss-metric", "squared-error"])
@pytest.mark.parametrize(
    "asked",
    [
        "",
        "match=k-concealment",
        "match=mutual",
        "match=k-k",
        "match=1-k",
        "l=2",
        "values=groups",
        "values=noisy",
    ],
)
def test_every_repair_keeps_its_promise_under_losses_of_sets(loss: str, asked: str) -> None:
    table = people(60)
    quasi = QUASI if loss == "loss-metric" else ["age"]
    method = f"nsvdist:{asked}" if asked else "nsvdist"
    release = shoal.anonymize(
        table, quasi=quasi, sensitive="ill", k=6, method=method, loss=loss, seed=1
    )
    counted = release.certificate.private.as_dict()["concealment"]
    promise = release.certificate.public.promise
    fewest = {
        "k-concealment": "possible matches",
        "1-k": "rows that fit a person",
        "k-k": "people that a row fits",
    }
    assert counted[fewest[promise]] >= 6
    assert release.certificate.public.recipe["loss"] == loss
    noted = any("groups found by leaf-share" in note for note in release.certificate.private.notes)
    assert noted == (loss == "loss-metric" and "match" not in asked)
    assert shoal.verify(release.table, release.certificate, original=table).holds


def test_the_papers_form_says_nothing_of_groups() -> None:
    given = {
        "quasi": QUASI,
        "k": 6,
        "method": "nsvdist",
        "loss": "loss-metric",
        "as_published": True,
    }
    assert not shoal.anonymize(people(60), **given).certificate.private.notes


@settings(max_examples=25, deadline=None)
@given(
    st.integers(4, 7),
    st.integers(2, 3),
    st.integers(0, 1000),
    st.sampled_from(["ring", "k-concealment", "mutual"]),
)
def test_possible_matches_as_counted_by_hand(rows: int, k: int, seed: int, match: str) -> None:
    """Every way to give all people a row is written down; a match is a pair that stands in one of
    them.
    """
    table = people(rows, seed).select(["age", "city"])
    given = {"quasi": ["age"], "k": k, "publish": "tight", "seed": seed}
    release = shoal.anonymize(table, method=f"nsvdist:match={match}", **given)
    ages = table["age"].to_pylist()
    boxes = [[_ends(cell)] for cell in release.table["age"].to_pylist()]
    matches = naive.matches([(age,) for age in ages], boxes)
    assert min(matches) == release.certificate.private.concealment.matches
    assert min(matches) >= k


def _ends(cell: str) -> tuple[float, float]:
    if cell == "*":
        return -1e9, 1e9
    parts = cell.strip("[]").split(", ")
    return float(parts[0]), float(parts[-1])


def test_the_papers_form_says_what_it_does_not_protect() -> None:
    table = people(200)
    release = shoal.anonymize(
        table, quasi=QUASI, sensitive="ill", keep="pays", k=5, method="nsvdist", as_published=True
    )
    public = release.certificate.public.as_dict()
    assert public["promise"] == "k-1"
    assert release.certificate.private.concealment.covering_below > 0
    assert public["attacks"] == []  # nothing was asked to fail
    assert any("without repair" in sentence for sentence in public["not promised"])
    assert [name for name in release.table.column_names if name.startswith("ill=")] == [
        f"ill={ill}" for ill in sorted(ILL)
    ]
    shares = np.array([release.table[f"ill={ill}"].to_numpy() for ill in ILL])
    assert np.allclose(shares.sum(axis=0), 1)
    assert np.allclose(shares * 5, np.round(shares * 5))
    assert {"pays=no", "pays=yes"} <= set(release.table.column_names)
    found = {one.name: one for one in release.certificate.private.attacks}
    assert found["reconstruction"].attack > found["reconstruction"].control + 0.1


def test_no_share_above_one_in_l_as_published() -> None:
    release = shoal.anonymize(
        people(120),
        quasi=QUASI,
        sensitive="ill",
        k=6,
        method="nsvdist:l=3,write=text",
        as_published=True,
    )
    for told in map(json.loads, release.table["ill"].to_pylist()):
        assert max(told.values()) <= 1 / 3
        assert abs(sum(told.values()) - 1) < 1e-4


def test_where_l_is_asked_for_groups_keep_it_missing_values_or_not() -> None:
    """Recounted from print: rows with equal cells are a group, and no value that is there is in
    more than one of l.
    """
    table = people(120, 5)
    ill = [None if row % 10 == 0 else value for row, value in enumerate(table["ill"].to_pylist())]
    table = table.set_column(2, "ill", pa.array(ill))
    release = shoal.anonymize(
        table, quasi=QUASI, sensitive="ill", k=6, method="nsvdist:l=2", publish="tight", seed=3
    )
    assert release.certificate.private.link.largest <= 1 / 6
    assert next(
        one for one in release.certificate.private.attacks if one.name == "reconstruction"
    ).gates
    found = shoal.audit(
        release.table, quasi=QUASI, sensitive="ill", require=["k=6", "frequency-l-diversity:l=2"]
    )
    assert found.k >= 6


def test_noise_protects_values_and_says_that_rows_can_be_recognised() -> None:
    release = shoal.anonymize(
        people(80),
        quasi=QUASI,
        sensitive="ill",
        k=6,
        method="nsvdist:values=noisy",
        publish="tight",
    )
    assert release.certificate.private.link.largest == 1.0
    assert any("recognised" in sentence for sentence in release.certificate.public.not_promised)


def test_noise_and_groups(tmp_path: Path) -> None:
    table = people(80)
    for values in ("noisy", "groups"):
        release = shoal.anonymize(
            table, quasi=QUASI, sensitive="ill", k=4, method=f"nsvdist:values={values}"
        )
        shares = np.array([release.table[f"ill={ill}"].to_numpy() for ill in ILL])
        assert np.allclose(shares.sum(axis=0), 1, atol=1e-4)
        assert "ill=" not in release.table.column_names
        release.write(tmp_path / f"{values}.csv")
        assert shoal.verify(
            tmp_path / f"{values}.csv", tmp_path / f"{values}.csv.certificate.json", original=table
        ).holds


def test_what_protects_can_not_be_repeated() -> None:
    table = people(120)
    drawn = {
        tuple(
            shoal.anonymize(table, quasi=QUASI, sensitive="ill", k=6, method="nsvdist", seed=1)
            .table["ill"]
            .to_pylist()
        )
        for _ in range(3)
    }
    assert len(drawn) > 1


def test_the_gate_refuses_boxes_that_do_not_hide(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(rows: object, near: object, *rest: object) -> hiding.Hidden:
        return dataclasses.replace(hiding.left_alone(near), promise="k-concealment")  # type: ignore[arg-type]

    monkeypatch.setattr("shoal.flows.overlap.hidden", careless)
    with pytest.raises(PrivacyNotMet, match="fewer than 5 possible matches"):
        shoal.anonymize(
            people(100), quasi=QUASI, sensitive="ill", k=5, method="nsvdist:match=mutual"
        )


def test_the_gate_refuses_a_file_with_other_rows() -> None:
    table = people(60)
    release = shoal.anonymize(
        table, quasi=QUASI, sensitive="ill", k=4, method="nsvdist", publish="tight"
    )
    narrowed = release.table.set_column(0, "age", pa.array(["20"] * 60))
    with pytest.raises(ShoalError):
        release.recount(narrowed)


def test_reconstruction_refuses_where_l_was_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact distributions slip through as if they protected: the attack must find out."""
    from shoal.overlap.speech import exact

    monkeypatch.setattr(
        "shoal.flows.overlap.spoken",
        lambda boxes, cover, columns, *rest: exact(boxes.near, columns),
    )
    with pytest.raises(PrivacyNotMet, match="attacks succeed"):
        shoal.anonymize(people(300), quasi=QUASI, sensitive="ill", k=6, method="nsvdist:l=3")


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"models": ["l-diversity:l=2"]}, r"can't serve models=\[\"l-diversity\(l=2\)"),
        ({"refine": True}, "can't serve refine"),
        ({"withhold": 0.1}, "can't serve withhold"),
        ({"keep_order": True}, "can't serve keep_order"),
        ({"person": "ill", "sensitive": ()}, "can't serve person"),
        ({"publish": "centre"}, "shows no box"),
        ({"method": "nsvdist:l=0"}, "at least 1"),
        ({"method": "nsvdist:l=2,values=noisy"}, "l = 1 alone"),
        ({"method": "nsvdist:match=rings"}, "can't be 'rings'"),
        ({"method": "nsvdist:epsilon=0,values=noisy"}, "epsilon above 0"),
        ({"method": "nsvdist:l=4"}, "number of values"),
        ({"method": "nsvdist:l=2,match=mutual"}, "keep no l"),
        ({"method": "nsvdist:values=groups,match=mutual"}, "would be left out"),
        ({"method": "nsvdist:values=noisy", "as_published": True}, "none of the repairs"),
        ({"method": "shoal", "as_published": True}, "nothing of it has been repaired"),
        (
            {"loss": "squared-error"},
            r"numbers alone, and 'city' is none(.*\n)*  try: loss=\"loss-metric\"",
        ),
        (
            {"loss": "entropy-loss"},
            r"can't minimize 'entropy-loss'\n  why: it can fall .*\n  try: one of: span, height, "
            r"leaf-share",
        ),
        ({"loss": "classification-metric"}, "why: it can fall"),
        ({"loss": "discernibility"}, "why: it depends on numbers of rows alone"),
        ({"loss": "average-group-size"}, "why: it depends on numbers of rows alone"),
        ({"loss": "total-information-loss"}, "why: it is what 'height' minimizes"),
    ],
)
def test_what_can_not_be_asked(asked: dict, problem: str) -> None:
    given = {"quasi": QUASI, "sensitive": "ill", "k": 4, "method": "nsvdist", **asked}
    with pytest.raises(RecipeError, match=problem):
        shoal.anonymize(people(40), **given)


def test_what_the_data_can_not_give() -> None:
    table = people(40)
    with pytest.raises(PrivacyNotMet, match="can't form"):
        shoal.anonymize(table, quasi=QUASI, k=41, method="nsvdist")
    one = table.set_column(2, "ill", pa.array(["flu"] * 40))
    with pytest.raises(PrivacyNotMet, match="too few or too rare"):
        shoal.anonymize(one, quasi=QUASI, sensitive="ill", k=4, method="nsvdist:l=2")
    many = pa.table({"age": range(1200), "code": [f"c{i}" for i in range(1200)]})
    with pytest.raises(DataError, match="too many values"):
        shoal.anonymize(
            many,
            quasi="age",
            sensitive="code",
            force_keep="code",
            k=4,
            method="nsvdist",
            as_published=True,
        )


def test_columns_that_nobody_can_guess() -> None:
    table = people(40)
    empty = table.set_column(2, "ill", pa.array([None] * 40, pa.string()))
    assert (
        shoal.anonymize(empty, quasi=QUASI, sensitive="ill", k=5, method="nsvdist")
        .table["ill"]
        .null_count
        == 40
    )
    pay = table.set_column(2, "ill", pa.array(np.random.default_rng(1).permutation(40) * 1.5))
    assert (
        shoal.anonymize(pay, quasi=QUASI, sensitive="ill", k=5, method="nsvdist").table.num_rows
        == 40
    )


def test_distributions_never_share_a_column() -> None:
    table = people(40)
    both = table.set_column(2, "ill", pa.array(["", None, "flu", "cold"] * 10))
    given = {"k": 4, "method": "nsvdist", "as_published": True}
    for method in ("nsvdist", "nsvdist:write=text"):
        with pytest.raises(DataError, match="in one place"):
            shoal.anonymize(both, quasi=QUASI, sensitive="ill", **{**given, "method": method})
    taken = table.append_column("ill=flu", table["city"])
    with pytest.raises(RecipeError, match="has already") as refused:
        shoal.anonymize(taken, quasi=["age", "ill=flu"], sensitive="ill", **given)
    assert "flu" not in str(refused.value)
    other = table.append_column("ill=flu", pa.array(["x", "y"] * 20)).rename_columns(
        ["age", "city", "ill", "pays", "ill=x"]
    )
    alike = other.set_column(2, "ill", pa.array(["x=x", "x=y"] * 20))
    with pytest.raises(RecipeError, match="of another column need") as refused:
        shoal.anonymize(alike, quasi=["age"], sensitive=["ill", "ill=x"], **given)
    assert "x=y" not in str(refused.value)


@pytest.mark.parametrize(
    "asked",
    [
        {"as_published": True},
        {"method": "nsvdist:values=noisy"},
        {"method": "nsvdist:values=groups"},
    ],
)
def test_no_certificate_holds_a_value_though_names_of_columns_do(asked: dict) -> None:
    release = shoal.anonymize(
        people(60),
        **{"quasi": QUASI, "sensitive": ["ill", "pays"], "k": 5, "method": "nsvdist", **asked},
    )
    assert {"ill=flu", "pays=no"} <= {*release.table.column_names}
    public = release.certificate.public.as_dict()
    assert public["columns"]["published"] == ["age", "city", "ill=<value>", "pays=<value>"]
    said = json.dumps([public, release.certificate.private.as_dict()], ensure_ascii=False)
    assert not [value for value in (*ILL, "pays=no", "pays=yes", "Oslo") if value in said]
    assert shoal.verify(release.table, release.certificate).holds
    assert not shoal.verify(
        release.table.rename_columns(["age", "city", *"abcdef"]), release.certificate
    ).holds


def test_losses_of_members_are_those_of_groups_where_rows_are_groups() -> None:
    table = people(80).append_column("pay", pa.array(np.arange(80) ** 2 % 37))
    names = ("loss-metric", "squared-error")
    given = {"quasi": [*QUASI, "pay"], "sensitive": "ill", "k": 6, "seed": 5}
    groups = shoal.anonymize(table, **given)
    whole = shoal.anonymize(table, method="nsvdist:values=groups", **given)
    for name in (*names, "non-uniform-entropy", "height-share"):
        assert whole.loss(name) == pytest.approx(groups.loss(name), rel=1e-12)
    ring = shoal.anonymize(table, method="nsvdist", **given)
    paper = shoal.anonymize(table, method="nsvdist", as_published=True, **given)
    assert all(paper.loss(name) < ring.loss(name) <= groups.loss(name) for name in names)
    widened = shoal.anonymize(table, method="nsvdist:match=mutual", **given).certificate.private
    assert not {*names} & {*widened.losses} and {*names} <= {*widened.losses_as_in_the_paper}


def test_losses_of_members_by_hand() -> None:
    """Each of three rows with the other that is nearest: 20 and 30 have each other, 60 has 30."""
    table = pa.table({"age": [20, 30, 60], "city": ["Oslo", "Oslo", "Rome"]})
    release = shoal.anonymize(
        table, quasi=["age", "city"], k=2, method="nsvdist", as_published=True
    )
    assert release.loss("loss-metric") == pytest.approx((10 / 40 + 10 / 40 + 30 / 40 + 1) / 6)
    assert release.loss("squared-error") == pytest.approx(
        2 * (5 / 40) ** 2 + (15 / 40) ** 2 + 1 / 2
    )


@pytest.mark.parametrize("asked", [5, 4, 3])
def test_an_l_that_no_groups_could_keep_is_refused_before_any_work_with_one_that_works(
    asked: int,
) -> None:
    """Half of 80 people have the flu; four more values share the rest."""
    table = people(80).set_column(
        2, "ill", pa.array(["flu"] * 40 + ["cold", "gout", "asthma", "acne", "mumps"] * 8)
    )
    given = {"quasi": QUASI, "sensitive": "ill", "k": 10, "seed": 1}
    seen = []
    with pytest.raises(PrivacyNotMet, match="no groups could keep") as refused:
        shoal.anonymize(
            table,
            method=f"nsvdist:l={asked}",
            progress=lambda name: seen.append(name) or (lambda share: None),
            **given,
        )
    assert str(refused.value.remedy) == 'method="nsvdist(l=2)"' and seen == ["looking at the table"]
    assert shoal.anonymize(table, method="nsvdist:l=2", **given).table.num_rows == 80
    assert (
        shoal.anonymize(
            table, method=f"nsvdist:l={asked}", as_published=True, **given
        ).table.num_rows
        == 80
    )
    with pytest.raises(RecipeError, match="is the number of values") as refused:
        shoal.anonymize(table, method="nsvdist:l=6", **{**given, "k": 12})
    assert str(refused.value.remedy) == 'method="nsvdist(l=2)"'


def test_neighbourhoods_beyond_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free", lambda: 140 * 10**6)
    table = pa.table({"age": [1, 2] * 2000})
    assert shoal.anonymize(table, quasi="age", k=5, method="nsvdist").table.num_rows == 4000
    with pytest.raises(DataError, match="memory") as refused:
        shoal.anonymize(table, quasi="age", k=2000, method="nsvdist")
    assert "k=10" in str(refused.value) and "part by part" not in str(refused.value)


def test_missing_values_all_equal_rows_and_one_column() -> None:
    table = pa.table(
        {
            "age": [None, 30, 30, 30, None, 30, 30, 30],
            "ill": [None, "a", "b", "a", "b", None, "a", "b"],
        }
    )
    release = shoal.anonymize(table, quasi="age", sensitive="ill", k=3, method="nsvdist")
    assert release.certificate.private.concealment.matches >= 3
    same = pa.table({"age": [30] * 8, "ill": ["a", "b"] * 4})
    assert set(
        shoal.anonymize(same, quasi="age", sensitive="ill", k=3, method="nsvdist")
        .table["age"]
        .to_pylist()
    ) == {"30"}


def test_verify_finds_what_was_changed() -> None:
    table = people(60)
    release = shoal.anonymize(table, quasi=QUASI, sensitive="ill", k=4, method="nsvdist")
    public = release.certificate.public.as_dict()
    for impossible in ({"k": 9}, {"promise": "k-k", "k": 30}, {"hash": "0"}):
        with pytest.raises(ShoalError):
            shoal.verify(release.table, {**public, **impossible}, original=table)
    for change in ({"rows": 61}, {"hash": "0" * 64}, {"losses": {"published-height-share": 0.0}}):
        assert not shoal.verify(release.table, {**public, **change}, original=table).holds, change
    without = shoal.verify(release.table, release.certificate)
    assert without.holds
    unseen = [item.what for item in without.items if item.status == "not checkable"]
    assert unseen[0] == "promise" and len(unseen) == 5  # the others ask for the original too
    assert not shoal.verify(release.table, release.certificate, original=people(60, 9)).holds


@pytest.mark.parametrize("asked", ["values=noisy", "values=groups", "as published"])
def test_distributions_in_text_are_no_values_of_the_original(asked: str) -> None:
    table = people(60)
    method = "nsvdist:write=text" + ("" if asked == "as published" else f",{asked}")
    release = shoal.anonymize(
        table,
        quasi=QUASI,
        sensitive=["ill"],
        k=4,
        method=method,
        as_published=asked == "as published",
    )
    again = shoal.verify(release.table, release.certificate, original=table)
    assert again.holds, [item for item in again.items if item.status == "differs"]


def test_nearly_unique_columns_stand_in_the_certificate() -> None:
    table = people(60).append_column("cost", pa.array([i * 101.3 for i in range(60)]))
    release = shoal.anonymize(table, quasi=QUASI, sensitive=["ill", "cost"], k=4, method="nsvdist")
    public = release.certificate.public
    assert any("'cost' occur in one row alone" in each for each in public.not_promised)
    assert shoal.verify(release.table, release.certificate).holds
    silent = {**public.as_dict(), "not promised": public.not_promised[:-1]}
    assert not shoal.verify(release.table, silent).holds


def test_from_a_file_to_a_verified_file(tmp_path: Path) -> None:
    pq.write_table(people(80), tmp_path / "in.parquet")
    asked = ["-q", "age,city", "-s", "ill", "-k", "4", "--method", "nsvdist:l=2"]
    done = run("anonymize", tmp_path / "in.parquet", "-o", tmp_path / "out.csv", *asked, "--json")
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert said["groups"] is None
    assert said["concealment"]["possible matches"] >= 4
    assert "seed" not in (tmp_path / "out.csv.certificate.json").read_text()
    certificate = tmp_path / "out.csv.certificate.json"
    verified = run(
        "verify", tmp_path / "out.csv", certificate, "--original", tmp_path / "in.parquet"
    )
    assert verified.code == 0, verified.err
    refused = run(
        "anonymize",
        tmp_path / "in.parquet",
        "-o",
        tmp_path / "no.csv",
        *asked,
        "--model",
        "t-closeness:t=0.2",
    )
    assert refused.code == 2
    assert not (tmp_path / "no.csv").exists()


def test_what_is_mined_stands_beside_how_people_are_hidden_and_not_beside_k() -> None:
    table = people(80)
    given = {"quasi": QUASI, "sensitive": "ill", "k": 6, "method": "nsvdist", "seed": 1}
    for asked, hidden in (({}, True), ({"as_published": True}, False)):
        release = shoal.anonymize(table, **given, **asked)
        found = shoal.mine(
            release.table, table, certificate=release.certificate, tasks="distributions"
        ).risk
        assert "k" not in found and (found["fewest possible matches"] >= 6) is hidden
        assert (found["people below k matches"] == 0) is hidden and (
            found["likeliest link"] < 0.25
        ) is hidden
