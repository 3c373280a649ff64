"""People who fit printed cells: by hand, and as counted one by one."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import DataError
from shoal.review.sources import printed

EVERYONE = pa.table(
    {
        "age": [20, 25, 29, 30, 31, 39, None],
        "zip": ["10115", "10117", "10245", "10247", "20095", "20097", "10115"],
        "born": [date(1990, 1, 1) + timedelta(days=100 * i) for i in range(6)] + [None],
    }
)
ZIP = {"zip": Hierarchy.masks(5)}


def behind(
    release: dict[str, list[Any]], quasi: list[str], everyone: pa.Table = EVERYONE
) -> list[float]:
    """For each row, how many people fit it."""
    seen = printed(pa.table(release), quasi, [], everyone, ZIP)
    assert seen.population is not None and seen.population.counted
    return [float(seen.population.sizes[label]) for label in seen.groups.labels]


def test_every_kind_of_cell() -> None:
    ages = ["[20, 29]", "30", "*", None, "[20, 31]"]
    assert behind({"age": ages}, ["age"]) == [3, 1, 7, 1, 5]
    assert behind({"zip": ["1011*", "10***", "*", "20097"]}, ["zip"]) == [3, 5, 7, 1]
    assert behind({"born": ["[1990-01-01, 1990-12-31]", "1990-01-01", None]}, ["born"]) == [4, 1, 1]
    assert behind({"age": ["[20, 29]", "*"], "zip": ["101**", "20***"]}, ["age", "zip"]) == [2, 2]


def test_bounds_are_an_interval_and_nothing_is_everything() -> None:
    assert behind({"age_lo": [20, None], "age_hi": [29, None]}, ["age"]) == [3, 7]


def test_raw_values_fit_themselves() -> None:
    assert behind({"age": [20, 39], "zip": ["10115", "20097"]}, ["age", "zip"]) == [1, 1]
    assert behind({"age": ["20", "39.0"]}, ["age"]) == [1, 1]


def test_overlapping_boxes_count_in_each() -> None:
    assert behind({"age": ["[20, 30]", "[25, 39]"]}, ["age"]) == [4, 5]


def test_who_is_not_there_is_refused_without_a_cell() -> None:
    with pytest.raises(DataError, match="does not hold the people") as caught:
        behind({"age": ["77", "20"]}, ["age"])
    assert caught.value.facts["groups with more rows than people"] == 1
    assert "77" not in str(caught.value)
    with pytest.raises(DataError, match="does not hold the people"):
        behind({"age": ["20", "20"]}, ["age"])
    with pytest.raises(DataError, match="has no column 'town'"):
        behind({"town": ["Oslo"]}, ["town"])


def test_a_release_of_part_of_everyone(tmp_path: Any) -> None:
    """Counted one by one, from the boxes as printed."""
    rng = np.random.default_rng(5)
    everyone = pa.table(
        {
            "age": rng.integers(18, 80, 600),
            "zip": [f"{z:05d}" for z in rng.integers(10000, 10400, 600)],
        }
    )
    people = everyone.take(pa.array(rng.choice(600, 120, replace=False)))
    release = shoal.anonymize(
        people, quasi=["age", "zip"], k=4, hierarchies=ZIP, population=everyone, seed=1
    )
    sizes: dict[tuple[str, str], int] = {}
    for row in release.table.to_pylist():
        ends = row["age"].strip("[]").split(", ") if row["age"] != "*" else ["0", "999"]
        sizes[row["age"], row["zip"]] = sum(
            int(ends[0]) <= age <= int(ends[-1])
            and (z == "*" or all(c in (d, "*") for c, d in zip(z, other, strict=True)))
            for z in [row["zip"]]
            for age, other in zip(
                everyone["age"].to_pylist(), everyone["zip"].to_pylist(), strict=True
            )
        )
    after = release.risks["after"]
    assert after["highest-journalist-risk"] == pytest.approx(1 / min(sizes.values()))
    rows = [sizes[row["age"], row["zip"]] for row in release.table.to_pylist()]
    assert after["marketer-risk"] == pytest.approx(sum(1 / size for size in rows) / len(rows))
    assert after["marketer-risk"] < release.risks["before"]["marketer-risk"]  # type: ignore[operator]

    stated = release.certificate.public.as_dict()
    alone = {item.what: item for item in shoal.verify(release.table, stated).items}
    assert (
        alone["marketer-risk"].status == "not checkable"
        and "without population" in alone["marketer-risk"].note
    )
    assert alone["sample-uniqueness"].status == "recounted"
    together = shoal.verify(release.table, stated, population=everyone)
    assert together.holds and all(
        item.status == "recounted" for item in together.items if item.what == "marketer-risk"
    )
    forged = {**stated, "risks": {**stated["risks"], "marketer-risk": 0.001}}
    assert not shoal.verify(release.table, forged, population=everyone).holds


def test_a_number_of_people_can_be_verified_by_anyone() -> None:
    people = pa.table({"age": list(range(20, 60)), "ill": ["flu", "cold"] * 20})
    release = shoal.anonymize(people, quasi=["age"], sensitive=["ill"], k=4, population=0.1, seed=1)
    assert release.risks["after"]["marketer-risk"] is not None
    found = {
        item.what: item.status
        for item in shoal.verify(release.table, release.certificate.public).items
    }
    assert found["marketer-risk"] == found["best-guess"] == "recounted"
    forged = {
        **release.certificate.public.as_dict(),
        "risks": {**release.certificate.public.risks, "best-guess": {"ill": 0.1}},
    }
    assert not shoal.verify(release.table, forged).holds


def test_centres_name_no_box_so_people_are_estimated() -> None:
    everyone = pa.table({"age": list(range(20, 60)) * 2})
    release = shoal.anonymize(
        everyone.slice(0, 40), quasi=["age"], k=4, publish="centre", population=everyone, seed=1
    )
    assert release.risks["after"]["marketer-risk"] == pytest.approx(
        release.certificate.public.groups / 40 / 2
    )


def test_a_million_people_and_twenty_thousand_boxes() -> None:
    rng = np.random.default_rng(2)
    everyone = pa.table(
        {f"q{i}": rng.integers(0, size, 1_000_000) for i, size in enumerate((70, 8, 16, 7, 14, 5))}
    )
    lo = {name: everyone[name].to_numpy()[:20_000] for name in everyone.column_names}
    release = pa.table(
        {f"{name}_lo": cells for name, cells in lo.items()}
        | {f"{name}_hi": c + 2 for name, c in lo.items()}
    )
    seen = printed(release, everyone.column_names, [], everyone)
    assert seen.population is not None and (seen.population.sizes >= seen.groups.sizes).all()
