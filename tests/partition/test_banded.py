"""`banded`: cells are nodes of one ladder a column, so values nest, next month too."""

from __future__ import annotations

import datetime as dt
import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import shoal
from shoal.engines.local.engine import LocalEngine
from shoal.errors import PrivacyNotMet, RecipeError
from shoal.flows.groups import run
from shoal.partition.shoal import Shoal
from shoal.recode.cells import Interval, Value, ends_of, is_open, read

DAY = dt.date(1990, 1, 1)


def people(rows: int = 200, seed: int = 0) -> pa.Table:
    """Invent people with a column of each kind."""
    rng = np.random.default_rng(seed)
    age = rng.integers(17, 91, rows)
    return pa.table(
        {
            "age": age,
            "height": np.round(150 + 40 * rng.random(rows), 1),
            "born": [DAY + dt.timedelta(days=int(day)) for day in rng.integers(0, 12_000, rows)],
            "city": np.array(["Oslo", "Bergen", "Rome"])[rng.integers(0, 3, rows)],
            "ill": np.array(["flu", "gout", "hip"])[rng.integers(0, 3, rows)],
        }
    )


QUASI = ["age", "height", "born", "city"]


def banded(table: pa.Table, quasi: list[str] = QUASI, k: int = 5, **asked):
    return shoal.anonymize(table, quasi=quasi, k=k, method="banded", seed=1, **asked)


def span(text: str) -> tuple[float, float]:
    """Read a cell of numbers or dates by hand, half open where bands touch."""
    cell = read(text)
    assert isinstance(cell, Interval | Value)
    ends = []
    for end in ends_of(cell):
        try:
            ends.append(float(end))
        except ValueError:
            ends.append(float(dt.date.fromisoformat(end).toordinal()))
    below, above = is_open(cell)
    return (-np.inf if below else ends[0]), (np.inf if above else ends[1])


def crossing(texts, *, touching: bool = False) -> list[tuple[str, str]]:
    """List pairs of cells that overlap in part, by looking at all of them."""
    spans = {text: span(text) for text in set(texts) - {"*", None}}
    wrong = []
    for one, (low, high) in spans.items():
        for other, (first, last) in spans.items():
            apart = high < first or last < low
            if touching:
                apart = apart or high <= first or last <= low
            inside = (first <= low and high <= last) or (low <= first and last <= high)
            if not apart and not inside:
                wrong.append((one, other))
    return wrong


def test_values_of_every_kind_of_column_nest():
    release = banded(people())
    assert crossing(release.table["age"].to_pylist()) == []
    assert crossing(release.table["born"].to_pylist()) == []
    assert crossing(release.table["height"].to_pylist(), touching=True) == []
    assert any("[" in text for text in release.table["age"].to_pylist())


def test_shoal_on_the_same_table_does_not_nest():
    release = shoal.anonymize(people(), quasi=QUASI, k=5, seed=1)
    assert crossing(release.table["age"].to_pylist())


def test_the_recipe_states_the_ladders_and_repeats_the_release():
    release = banded(people())
    stated = release.certificate.public.recipe["hierarchies"]
    # only the bands that are seen: no age stands in a band of 5, no birth in one of a year
    assert stated["age"] == "ladder:widths=10-20-40"
    assert stated["born"] == "ladder:widths=5years-10years-20years"
    assert "city" not in stated
    # fewer levels to begin with may lead the search elsewhere; the maker's own recipe repeats it
    again = banded(people(), hierarchies=release.recipe.hierarchies)
    assert again.table.equals(release.table)


@pytest.mark.parametrize(
    "ages, start",
    [
        ([17, 30, 38, 40, 45, 80], ",start=20"),  # the median is near the middle of 20 to 59
        ([17, 20, 22, 25, 60, 80], ""),  # ... of 0 to 39
    ],
)
def test_the_widest_bands_begin_where_the_median_lies_near_their_middle(ages, start):
    release = banded(pa.table({"age": ages * 5}), ["age"])
    assert release.recipe.hierarchies["age"] == f"ladder:widths=5-10-20-40{start}"


def test_widest_bands_of_dates_begin_in_a_year():
    days = [dt.date(year, 6, 1) for year in (1940, 1958, 1960, 1961, 1962, 2000)] * 5
    release = banded(pa.table({"born": days}), ["born"])
    widths = "month-quarter-year-5years-10years-20years-40years"
    assert release.recipe.hierarchies["born"] == f"ladder:widths={widths},start=20"


def test_the_median_of_rows_counts_and_not_that_of_values():
    ages = [17, 18, 19, 20, 21, 22, 23, 90] + [40] * 40
    release = banded(pa.table({"age": ages}), ["age"])
    assert release.recipe.hierarchies["age"].endswith("start=20")


def test_one_person_more_changes_no_band():
    before = banded(people())
    older = pa.concat_tables([people(), people(1).set_column(0, "age", pa.array([104]))])
    after = banded(older, hierarchies=before.recipe.hierarchies)
    bands = {text for text in before.table["age"].to_pylist() if "[" in text}
    new = {text for text in after.table["age"].to_pylist() if "[" in text}
    assert crossing([*bands, *new]) == []


def test_open_ends_are_the_last_rung():
    release = banded(people(), ["age"], k=8, top={"age": 80}, bottom={"age": 20})
    cells = set(release.table["age"].to_pylist())
    assert "80+" in cells
    assert crossing(cells) == []
    assert release.certificate.public.nested is True


def test_missing_values_stand_apart():
    ages = [*range(20, 60), *[None] * 6]
    cells = banded(pa.table({"age": ages}), ["age"], k=3).table["age"].to_pylist()
    assert cells.count(None) == 6


@pytest.mark.parametrize("engine", [LocalEngine(), LocalEngine(shards=3)])
def test_shards_have_the_ladders_of_the_whole_table(engine):
    recipe = shoal.Recipe.of(quasi=QUASI, k=5, method="banded", seed=3)
    outcome = run(people(400), recipe, engine)
    assert outcome.certificate.public.nested is True
    assert crossing(outcome.table["age"].to_pylist()) == []


def test_models_withholding_and_importance():
    release = banded(
        people(400),
        sensitive=["ill"],
        models=["l-diversity(l=2)"],
        withhold=0.05,
        importance={"age": 3},
        top={"age": 85},
    )
    assert crossing(release.table["age"].to_pylist()) == []
    assert release.certificate.public.models[1].measured >= 2


@pytest.mark.parametrize("loss", ["span", "height", "leaf-share", "non-uniform-entropy"])
def test_losses_of_boxes_are_served(loss):
    assert banded(people(60), loss=loss).certificate.public.nested is True


def test_losses_of_members_are_refused():
    with pytest.raises(RecipeError, match="can't minimize 'squared-error'"):
        banded(people(60), ["age"], loss="squared-error")


@pytest.mark.parametrize("ages", [[40] * 9, [17, 90] * 5, list(range(9)), [-3, -40, 7] * 4])
def test_odd_columns(ages):
    cells = banded(pa.table({"age": ages}), ["age"], k=4).table["age"].to_pylist()
    assert len(cells) == len(ages)
    assert crossing(cells) == []


@settings(max_examples=40, deadline=None)
@given(
    ages=some.lists(some.integers(-50, 5_000), min_size=4, max_size=40),
    k=some.integers(1, 4),
    start=some.sampled_from(["", ",start=5", ",start=-20"]),
)
def test_any_ladder_gives_bands_that_nest(ages, k, start):
    ladder = {"age": f"ladder:widths=5-10-20-40-1000{start}"}
    table = pa.table({"age": ages})
    cells = banded(table, ["age"], k=k, hierarchies=ladder, effort="low").table["age"].to_pylist()
    assert crossing(cells) == []


# --- the gate, and the certificate


def test_a_method_that_promises_nesting_and_does_not_keep_it_is_refused(monkeypatch):
    monkeypatch.setattr(Shoal, "nests", True)
    with pytest.raises(PrivacyNotMet, match="overlap in part") as refusal:
        shoal.anonymize(people(), quasi=["age"], k=5, seed=1)
    assert refusal.value.facts["columns"] == "'age'"


def test_centres_are_refused_as_they_are_no_nodes():
    with pytest.raises(RecipeError, match="banded"):
        banded(people(), publish="centre")


@pytest.fixture
def written(tmp_path):
    banded(people(), ["age", "city"]).write(tmp_path / "out.csv")
    return tmp_path / "out.csv", tmp_path / "out.csv.certificate.json"


def nest_item(release, certificate):
    verified = shoal.verify(release, certificate)
    items = [item for item in verified.items if item.what == "published values nest"]
    return (items[0].status if items else None), verified.holds


def test_verify_recounts_that_values_nest(written):
    assert nest_item(*written) == ("recounted", True)


def test_verify_sees_a_band_that_lies_across_others(written):
    text = written[0].read_text()
    assert '"[40, 49]"' in text
    written[0].write_text(text.replace('"[40, 49]"', '"[41, 50]"'))
    assert nest_item(*written) == ("differs", False)


def test_verify_sees_a_certificate_that_leaves_it_out(written):
    stated = json.loads(written[1].read_text())
    del stated["values nest"]
    written[1].write_text(json.dumps(stated))
    assert nest_item(*written) == ("differs", False)


def test_verify_sees_a_certificate_that_claims_it_for_another_method(tmp_path):
    shoal.anonymize(people(), quasi=["age"], k=5, seed=1).write(tmp_path / "out.csv")
    place = tmp_path / "out.csv.certificate.json"
    stated = json.loads(place.read_text())
    assert "values nest" not in stated
    place.write_text(json.dumps({**stated, "values nest": True}))
    assert nest_item(tmp_path / "out.csv", place) == ("differs", False)
