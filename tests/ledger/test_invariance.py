"""m-invariance: values can change places over all releases, and counterfeits are counted."""

from __future__ import annotations

import csv
import json
import traceback
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from ledger.people import ROLES, table
from ledger.test_measures import tally
from naive import invariance
from shoal.errors import DataError, PrivacyNotMet, RecipeError
from shoal.ledger.signatures import unexchangeable
from shoal.partition.balanced_groups import shared_out
from tries import tries

QUASI = ["age", "town"]
ASKED: dict[str, Any] = {**ROLES, "k": 2, "models": ["m-invariance:m=2"], "across": "sticky"}
del ASKED["effort"]


def groups_of(place: Path) -> dict[tuple[str, ...], list[str]]:
    """The values of each group of a file."""
    groups: dict[tuple[str, ...], list[str]] = {}
    with place.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            groups.setdefault(tuple(row[name] for name in QUASI), []).append(row["ill"])
    return groups


def nobodys(place: Path) -> Counter[tuple[str, ...]]:
    """How many rows of each group are about nobody, as published beside the file."""
    stated = json.loads(place.with_name(f"{place.name}.certificate.json").read_text())
    each = {tuple(of["cells"][name] for name in QUASI): of["rows"] for of in stated["counterfeits"]}
    return Counter(each)


def verified(place: Path) -> bool:
    """Whether a release is what its certificate says."""
    try:
        return shoal.verify(place, f"{place}.certificate.json").holds
    except (PrivacyNotMet, DataError):
        return False


class Month:
    """What was published of a table; the attacker knows who stands in which group."""

    def __init__(self, people: pa.Table, release: shoal.Release, place: Path) -> None:
        release.write(place)
        self.published = groups_of(place)
        self.nobody = nobodys(place)
        inside = release.outcome.crossed.published
        cells = [tuple(row[name] for name in QUASI) for row in inside.cells.to_pylist()]
        pairs = zip(inside.people.to_pylist(), inside.group.tolist(), strict=True)
        self.group = {person: cells[group] for person, group in pairs}

    def groups(self) -> list[tuple[list[str], list[str], int]]:
        return [
            ([p for p in self.group if self.group[p] == cells], values, self.nobody[cells])
            for cells, values in self.published.items()
        ]


def test_the_posterior_is_exactly_one_in_m_for_small_traces(tmp_path: Path) -> None:
    """Known answer: everybody's set of values stays, and every way to give them out is tried."""
    rng = np.random.default_rng(7)
    several = filled = 0
    for trace in range(40):
        months: list[Month] = []
        everyone = range(10 * trace, 10 * trace + 8)
        there = set(everyone[: int(rng.integers(5, 9))])
        k = int(rng.integers(2, 5))
        for month in range(3):
            people = table(sorted(there))
            leavers = str(rng.choice(["keep", "withdraw"]))
            asked = {**ASKED, "k": k, "ledger": tmp_path / f"{trace}.ledger", "leavers": leavers}
            try:
                release = shoal.anonymize(people, **asked)
            except PrivacyNotMet:
                break
            months.append(Month(people, release, tmp_path / f"{trace}-{month}.csv"))
            there = set(rng.choice(everyone, int(rng.integers(4, 9)), replace=False).tolist())
        if not months:
            continue
        for person in {p for month in months for p in month.group}:
            shown = {
                frozenset(month.published[month.group[person]])
                for month in months
                if person in month.group
            }
            assert len(shown) == 1
        shares = invariance.posteriors([month.groups() for month in months])
        for person, of in shares.items():
            month = next(month for month in months if person in month.group)
            signature = set(month.published[month.group[person]])
            assert len(signature) >= 2
            assert of == dict.fromkeys(signature, Fraction(1, len(signature)))
        several += len(months) > 1
        filled += any(month.nobody.total() for month in months)
    assert several > 10 and filled > 5


def test_shares_of_ways_know_a_skewed_group() -> None:
    people = ["a", "b", "c"]
    shares = invariance.posteriors([[(people, ["flu", "flu", "gout"], 0)]])
    assert shares["a"] == {"flu": Fraction(2, 3), "gout": Fraction(1, 3)}
    filled = invariance.posteriors([[(people, ["flu", "flu", "gout", "gout"], 1)]])
    assert filled["a"] == {"flu": Fraction(1, 2), "gout": Fraction(1, 2)}


@pytest.mark.parametrize("seed", range(30))
def test_rows_are_shared_out_as_far_as_values_allow(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(50):
        counts = rng.integers(0, 30, int(rng.integers(1, 9)))
        k, m = int(rng.integers(1, 12)), int(rng.integers(1, 5))
        shared = shared_out(counts, k, m)
        used = shared.rest.copy()
        for bucket in shared.buckets:
            assert len(bucket.values) >= m and bucket.rows >= k
            used[bucket.values] += bucket.each
        assert (used <= counts).all()
        if shared.rest.any():
            assert shared.rest.sum() >= k and np.count_nonzero(shared.rest) >= m
        if counts.sum() >= max(k, 1) and counts.max() * m <= counts.sum():
            assert (used == counts).all()  # nobody is left out whom the paper would place


def test_leavers_are_replaced_by_counterfeits(tmp_path: Path) -> None:
    """Three of six leave a group of k = 3: what is left still shows every value equally often."""
    one = pa.table(
        {
            "id": list("abcdef"),
            "age": [30] * 6,
            "town": ["Oslo"] * 6,
            "ill": ["flu", "cold", "gout"] * 2,
        }
    )
    asked = {**ASKED, "k": 3, "models": ["m-invariance:m=3"], "ledger": tmp_path / "w.ledger"}
    shoal.anonymize(one, **asked).write(tmp_path / "1.csv")
    rest = one.take([0, 3, 1])  # flu, flu, cold
    second = shoal.anonymize(rest, **asked)
    second.write(tmp_path / "2.csv")
    (values,) = groups_of(tmp_path / "2.csv").values()
    assert Counter(values) == {"flu": 2, "cold": 2, "gout": 2}
    assert nobodys(tmp_path / "2.csv").total() == 3
    assert str(second).startswith("3 people (6 rows) released in 1 group of at least 3 people.")
    assert second.certificate.private.across.k == 3
    assert verified(tmp_path / "2.csv")


def test_a_value_that_others_still_have_is_filled_up_too(tmp_path: Path) -> None:
    """All with gout leave one group, and nobody leaves the other."""
    people = pa.table(
        {
            "id": list("abcdefghijkl"),
            "age": [30] * 6 + [70] * 6,
            "town": ["Oslo"] * 6 + ["Moss"] * 6,
            "ill": ["flu", "cold", "gout"] * 4,
        }
    )
    asked = {**ASKED, "k": 3, "models": ["m-invariance:m=3"], "ledger": tmp_path / "w.ledger"}
    shoal.anonymize(people, **asked).write(tmp_path / "1.csv")
    second = shoal.anonymize(people.take([0, 3, 1, *range(6, 12)]), **asked, leavers="withdraw")
    second.write(tmp_path / "2.csv")
    shown = [set(values) for values in groups_of(tmp_path / "2.csv").values()]
    assert shown and all(each == {"flu", "cold", "gout"} for each in shown)
    assert verified(tmp_path / "2.csv")


def test_people_whose_value_changed_are_no_longer_published(tmp_path: Path) -> None:
    asked = {**ASKED, "k": 3, "ledger": tmp_path / "w.ledger"}
    people = table(range(60))
    shoal.anonymize(people, **asked).write(tmp_path / "1.csv")
    ills = ["plague", *people["ill"].to_pylist()[1:]]
    second = shoal.anonymize(people.set_column(3, "ill", pa.array(ills)), **asked)
    assert any("as values changed" in note for note in second.notices)
    assert "plague" not in second.table["ill"].to_pylist()


def test_apply_fills_groups_up_and_lets_newcomers_wait(tmp_path: Path) -> None:
    asked = {**ASKED, "k": 3, "ledger": tmp_path / "w.ledger"}
    shoal.anonymize(table(range(60)), **asked).write(tmp_path / "1.csv")
    again = shoal.apply(tmp_path / "w.ledger", table(range(70)))
    assert again.certificate.private.across.waiting >= 10
    again.write(tmp_path / "2.csv")
    assert groups_of(tmp_path / "2.csv").keys() <= groups_of(tmp_path / "1.csv").keys()
    assert verified(tmp_path / "2.csv")


def test_groups_made_anew_are_refused_even_where_they_are_only_measured(tmp_path: Path) -> None:
    asked = {**ASKED, "k": 3, "ledger": tmp_path / "w.ledger", "across": "measure"}
    shoal.anonymize(table(range(60)), **asked).record()
    with pytest.raises(PrivacyNotMet, match="beside other values of 'ill' than before"):
        shoal.anonymize(table(range(5, 80)), **{**asked, "seed": 3})


def test_a_way_to_publish_that_there_is_not_is_refused_as_such() -> None:
    with pytest.raises(RecipeError, match=r"there is no .* 'set'"):
        shoal.anonymize(table(range(60)), **ASKED, ledger="ward.ledger", publish="set")


@pytest.mark.parametrize("forged", ["none", "more", "elsewhere", "gone"])
def test_counterfeits_of_a_certificate_are_checked(tmp_path: Path, forged: str) -> None:
    place = tmp_path / "1.csv"
    asked = {name: value for name, value in ASKED.items() if name not in ("across", "person")}
    people = table(range(14)).drop_columns(["id"])
    ills = pa.array(["flu"] * 6 + ["cold"] * 4 + ["gout"] * 4)
    shoal.anonymize(people.set_column(2, "ill", ills), **{**asked, "k": 3}).write(place)
    certificate = place.with_name("1.csv.certificate.json")
    stated = json.loads(certificate.read_text())
    assert stated["counterfeits"]
    if forged == "more":
        stated["counterfeits"][0]["rows"] += 1000
    elif forged == "elsewhere":
        stated["counterfeits"][0]["cells"]["age"] = "[1, 2]"
    elif forged == "gone":
        del stated["counterfeits"]
    certificate.write_text(json.dumps(stated))
    assert verified(place) == (forged == "none")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sensitive": ["ill", "town"], "quasi": ["age"]}, "guards one sensitive column"),
        ({"quasi": ["age"], "keep": ["town"]}, "would be seen by"),
        ({"method": "mondrian"}, "no method is asked"),
        ({"keep_order": True}, "no place in the order"),
        ({"publish": "centre", "quasi": ["age"]}, "as intervals and labels"),
        ({"models": ["m-invariance:m=2", "l-diversity:l=2"]}, "stands alone"),
        ({"sensitive": ["age"], "quasi": ["town"]}, "guards categories"),
    ],
)
def test_what_a_counterfeit_could_not_show_is_refused(change: dict[str, Any], words: str) -> None:
    asked = {name: value for name, value in ASKED.items() if name not in ("across", "person")}
    with pytest.raises(RecipeError, match=words):
        shoal.anonymize(table(range(60)).drop_columns(["id"]), **{**asked, **change})


def test_too_frequent_values_are_left_out_or_refused() -> None:
    asked = {name: value for name, value in ASKED.items() if name not in ("across", "person")}
    people = table(range(40)).drop_columns(["id"])
    people = people.set_column(2, "ill", pa.array(["flu"] * 24 + ["cold"] * 16))
    with pytest.raises(PrivacyNotMet, match="8 of 40 rows have no value, or one that is too"):
        shoal.anonymize(people, **asked)
    assert shoal.anonymize(people, **asked, withhold=0.2).table.num_rows == 32


FOURS = {"id": list("abcdefgh"), "age": [30] * 4 + [70] * 4, "town": ["Oslo"] * 4 + ["Moss"] * 4}


def test_people_who_stood_where_a_value_was_likelier_are_refused(tmp_path: Path) -> None:
    """Three of four had the flu in a release without the model: no counterfeit undoes that."""
    asked = {**ASKED, "k": 3, "ledger": tmp_path / "w.ledger"}
    people = pa.table({**FOURS, "ill": ["flu", "flu", "flu", "cold"] * 2})
    shoal.anonymize(people, **{**asked, "models": []}).write(tmp_path / "1.csv")
    with pytest.raises(PrivacyNotMet, match="stood where some were likelier"):
        shoal.anonymize(people, **asked)


def test_groups_that_showed_no_value_are_no_longer_published(tmp_path: Path) -> None:
    asked = {**ASKED, "k": 3, "ledger": tmp_path / "w.ledger"}
    twelve = pa.table(
        {
            "id": list("abcdefghijkl"),
            "age": [30] * 4 + [50] * 4 + [70] * 4,
            "town": ["Oslo"] * 4 + ["Bodo"] * 4 + ["Moss"] * 4,
            "ill": ["flu", "cold"] * 2 + [None] * 8,
        }
    )
    shoal.anonymize(twelve, **{**asked, "models": []}).write(tmp_path / "1.csv")
    shoal.anonymize(twelve.set_column(3, "ill", pa.array(["flu", "cold"] * 6)), **asked).write(
        tmp_path / "2.csv"
    )
    assert groups_of(tmp_path / "2.csv").keys() == {("30", "Oslo")}


@pytest.mark.parametrize("seed", range(3))
def test_values_of_people_who_are_not_marked_are_equally_likely(seed: int) -> None:
    """Whoever is gone may tell of those who stay: every way to give out values is tried."""
    rng = np.random.default_rng(seed)
    sound = linked = 0
    for _ in range(tries(150)):
        labels = rng.integers(-1, 2, (int(rng.integers(1, 4)), 5)).astype(np.int32)
        values = rng.integers(0, 3, 5)
        tallies = [tally(row, values) for row in labels]
        marked = unexchangeable(labels, tallies)
        releases = [
            [
                ([str(p) for p in np.flatnonzero(row == group)], values[row == group].tolist(), 0)
                for group in set(row.tolist()) - {-1}
            ]
            for row in labels
        ]
        for person, shares in invariance.posteriors(releases).items():
            if not marked[int(person)]:
                assert len(set(shares.values())) == 1
                sound += len(shares) > 1
        alone = [unexchangeable(labels[[at]], tallies[at : at + 1]) for at in range(len(labels))]
        linked += (marked & ~np.any(alone, axis=0)).any()
    assert sound > 10 and linked > 10


def test_a_column_in_another_role_is_refused(tmp_path: Path) -> None:
    """Each value of it stood in a row of its own, or nowhere."""
    asked = {**ASKED, "k": 3, "ledger": tmp_path / "w.ledger"}
    people = table(range(60)).append_column("cost", pa.array([1, 2, 3] * 20))
    before = {**asked, "models": [], "sensitive": ["cost"]}
    shoal.anonymize(people, **before, keep=["ill"]).write(tmp_path / "1.csv")
    with pytest.raises(RecipeError, match="a release without the sensitive column 'ill'"):
        shoal.anonymize(people, **asked)
    with pytest.raises(PrivacyNotMet, match="shows 'ill' in another role"):
        shoal.anonymize(people, **{**asked, "across": "measure"})


def test_a_value_that_nobody_has_any_more_is_told_in_no_error(tmp_path: Path) -> None:
    """A counterfeit with the plague has no place in a column of yes and no."""
    asked = {**ASKED, "k": 3, "ledger": tmp_path / "w.ledger"}
    six = {"id": list("abcdef"), "age": [30] * 6, "town": ["Oslo"] * 6}
    people = pa.table({**six, "ill": ["true", "plague"] * 3})
    shoal.anonymize(people, **asked).write(tmp_path / "1.csv")
    rest = people.take([0, 2, 4]).set_column(3, "ill", pa.array([True] * 3))
    with pytest.raises(DataError, match="another type than when it was published") as refused:
        shoal.anonymize(rest, **asked)
    assert "plague" not in "".join(traceback.format_exception(refused.value))
