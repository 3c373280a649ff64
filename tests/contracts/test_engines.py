"""Every engine, found by itself: with the same shards and seed it gives the release, the labels and
the public certificate of `LocalEngine(shards=n)`, and refuses what that refuses.

An engine that leaves a stage out is planted at the end, and each time somebody notices.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pytest

import shoal.engines
from clusters import sail
from shoal import api
from shoal.api.engines import origin_of
from shoal.attacks.findings import Findings
from shoal.encode.profile import profile
from shoal.engines.local import LocalEngine
from shoal.engines.people import PersonCoding
from shoal.errors import DataError, PrivacyNotMet, RecipeError, ShoalError
from shoal.flows.attacked import at_release
from shoal.flows.declared import declared
from shoal.flows.groups import run
from shoal.flows.limits import LIMITS
from shoal.flows.port import Engine, Outcome, Recounted, Request, Store
from shoal.flows.schemes import scheme_of
from shoal.groups import unwatched
from shoal.recipe import Recipe
from shoal.review.certificate import as_json

__all__ = ["sail"]

ROWS = 1200
SHARDS = 3
ASKED: dict[str, Any] = {
    "quasi": ["age", "city"],
    "sensitive": ["ill"],
    "keep": ["ward"],
    "identifiers": ["name"],
    "k": 4,
    "seed": 3,
    "effort": "low",
    "models": ["l-diversity:l=2", "t-closeness:t=0.6"],
}


def engines() -> dict[str, type[Engine[Any]]]:
    """Every engine in the folders of `shoal.engines`, by its name."""
    for module in pkgutil.iter_modules(shoal.engines.__path__):
        if module.ispkg:
            importlib.import_module(f"shoal.engines.{module.name}")
    every = list(Engine.__subclasses__())
    return {
        engine.name: engine for engine in every if engine.__module__.startswith("shoal.engines.")
    }


NAMES = sorted(engines())
assert {*NAMES} >= {"disk", "local", "spark"}


def people() -> pa.Table:
    """People in the order of their codes, in which a cluster takes them."""
    rng = np.random.default_rng(8)
    table = pa.table(
        {
            "age": pa.array(rng.integers(20, 80, ROWS)),
            "city": pa.array(rng.choice(["Oslo", "Rome", "Bonn", None], ROWS)),
            "ill": pa.array(rng.choice(["flu", "gout", "cold", None], ROWS)),
            "ward": pa.array(rng.integers(0, 3, ROWS)),
            "name": pa.array([f"n{i}" for i in range(ROWS)]),
        }
    )
    return table.take(pa.array(np.lexsort(codes_of(table)[::-1])))


def codes_of(table: pa.Table) -> np.ndarray:
    """All codes of each row: [column, row]."""
    recipe = Recipe.of(**ASKED)
    rows, _ = declared(table, recipe.plan())
    kept = [profile(table[name].combine_chunks(), name).codes for name in recipe.keep]
    return np.array([*rows.codes, *(column.codes for column in rows.sensitive), *kept])


PEOPLE = people()


def made(name: str, shards: int = SHARDS) -> Engine[Any]:
    """An engine that cuts the people into that many shards."""
    kind = engines()[name]
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    if "shards" in known:
        return kind(shards=shards)  # type: ignore[call-arg]
    assert "rows" in known, f"tell this suite in how many shards engine '{name}' works"
    # it asks for half as many shards again as would hold all rows
    return kind(rows=ROWS if shards == 1 else -(-3 * ROWS // (2 * shards)))  # type: ignore[call-arg]


@dataclass(frozen=True)
class Bench:
    """An engine, and how the people come to it."""

    engine: Engine[Any]
    session: Any

    def handed(self, table: pa.Table = PEOPLE) -> Any:
        """A table as the engine takes it."""
        if self.engine.name == "spark":
            return self.session.createDataFrame(table)
        return origin_of(table, None, self.engine).table

    def run(self, table: pa.Table = PEOPLE, **asked: Any) -> Outcome:
        """The people through the flow."""
        return run(self.handed(table), Recipe.of(**{**ASKED, **asked}), self.engine)


@pytest.fixture(params=NAMES)
def bench(request: pytest.FixtureRequest) -> Bench:
    session = request.getfixturevalue("sail") if request.param == "spark" else None
    return Bench(made(request.param), session)


def table_of(outcome: Outcome, engine: Engine[Any]) -> pa.Table:
    """The published rows, read from wherever an engine keeps them."""
    if engine.name == "spark":
        return outcome.table.table.toArrow()
    if engine.name == "disk":
        return pa.concat_tables(outcome.table.parts().read())
    return outcome.table


def rows_in(table: pa.Table) -> Counter[str]:
    return Counter(map(str, table.to_pylist()))


def check_release(bench: Bench, shards: int = SHARDS) -> None:
    """The published rows and the public certificate are those of the specification."""
    bench = replace(bench, engine=made(bench.engine.name, shards))
    found = bench.run()
    whole = run(PEOPLE, Recipe.of(**ASKED), LocalEngine(shards=shards))
    published = table_of(found, bench.engine)
    assert published.column_names == whole.table.column_names
    assert rows_in(published) == rows_in(whole.table)
    assert as_json(found.certificate.public) == as_json(whole.certificate.public)
    private = found.certificate.private.as_dict()
    specified = whole.certificate.private.as_dict()
    assert {*private} <= {*specified}
    for name in ("seed", "rows in", "withheld", "group sizes"):
        assert private[name] == specified[name]
    assert (f"divided in {shards} shards" in private["notes"]) == (shards > 1)
    assert list(found.seconds) == list(whole.seconds)
    assert found.columns == whole.columns and list(whole.columns) == list(ASKED["quasi"])


@pytest.mark.parametrize("shards", [1, SHARDS])
def test_release_and_public_certificate_are_those_of_the_specification(
    bench: Bench, shards: int
) -> None:
    check_release(bench, shards)


def test_coded_columns_are_those_of_the_specification(bench: Bench) -> None:
    asked = {
        **ASKED,
        "top": {"age": 70, "ward": 2},
        "bottom": {"age": 30},
        "round": {"ward": 2},
        "sensitive": ["ill"],
    }
    found = bench.run(**asked)
    whole = run(PEOPLE, Recipe.of(**asked), LocalEngine(shards=SHARDS))
    assert rows_in(table_of(found, bench.engine)) == rows_in(whole.table)
    assert found.certificate.public.hash == whole.certificate.public.hash
    assert {*whole.table["ward"].to_pylist()} == {"0", "2+"}
    assert [note for note in found.notices if note.kind == "coded"] == [
        note for note in whole.notices if note.kind == "coded"
    ]
    counted = bench.engine.counted(bench.handed(), ["age", "ward"])
    assert [column.name for column in counted] == ["age", "ward"]
    assert sum(counted[0].counts) == ROWS


@pytest.mark.parametrize(
    "asked",
    [
        {"at_least": {"age": 10}},
        {"at_least": {"age": 5, "city": "1-digit"}, "at_most": {"age": 20}, "withhold": 0.2},
    ],
)
def test_cells_are_as_coarse_as_in_the_specification(bench: Bench, asked: dict[str, Any]) -> None:
    found = bench.run(**asked)
    whole = run(PEOPLE, Recipe.of(**{**ASKED, **asked}), LocalEngine(shards=SHARDS))
    assert rows_in(table_of(found, bench.engine)) == rows_in(whole.table)
    assert as_json(found.certificate.public) == as_json(whole.certificate.public)
    assert found.columns["age"].exact == 0


def test_nested_bands_are_those_of_the_specification(bench: Bench, tmp_path: Path) -> None:
    asked = {**ASKED, "method": "banded", "top": {"age": 70}}
    found = bench.run(**asked)
    whole = run(PEOPLE, Recipe.of(**asked), LocalEngine(shards=SHARDS))
    assert rows_in(table_of(found, bench.engine)) == rows_in(whole.table)
    assert as_json(found.certificate.public) == as_json(whole.certificate.public)
    assert found.certificate.public.nested is True
    stated = Recipe.of(**found.certificate.public.recipe)
    schemes = [scheme_of(stated, outcome.view) for outcome in (found, whole) if outcome.view]
    assert len(schemes) == 2 and schemes[0] == schemes[1]
    (tmp_path / "bands.toml").write_text(schemes[0].to_toml())
    again = bench.run(method="banded", scheme=str(tmp_path / "bands.toml"))
    assert rows_in(table_of(again, bench.engine)) == rows_in(whole.table)


def visits() -> pa.Table:
    """People of whom most have several rows, some of them alike; a few rows say nothing of whom."""
    rng = np.random.default_rng(4)
    who = rng.integers(0, 500, ROWS)
    ages = rng.integers(20, 80, 500)
    cities = rng.choice(["Oslo", "Rome", "Bonn"], 500)
    table = pa.table(
        {
            "age": pa.array(ages[who] + rng.integers(0, 2, ROWS)),
            "city": pa.array(cities[who]),
            "ill": pa.array(rng.choice(["flu", "gout", "cold", None], ROWS)),
            "ward": pa.array(rng.integers(0, 3, ROWS)),
            "name": pa.array([f"n{i}" for i in range(ROWS)]),
            "who": pa.array([None if one < 5 else f"p{one}" for one in who.tolist()]),
        }
    )
    person = PersonCoding("who").code(table["who"].combine_chunks())
    return table.take(pa.array(np.lexsort([*codes_of(table), *person][::-1])))


VISITS = visits()


@pytest.mark.parametrize("shards", [1, SHARDS])
@pytest.mark.parametrize(
    "more", [{}, {"withhold": 0.2, "models": ["l-diversity:l=3", "alpha-k:alpha=0.6"]}]
)
def test_people_with_several_rows_are_those_of_the_specification(
    bench: Bench, shards: int, more: dict[str, Any]
) -> None:
    assert "person" not in bench.engine.cannot
    bench = replace(bench, engine=made(bench.engine.name, shards))
    asked = {**ASKED, **more, "person": "who"}
    found = bench.run(VISITS, **asked)
    whole = run(VISITS, Recipe.of(**asked), LocalEngine(shards=shards))
    assert (f"divided in {shards} shards" in whole.certificate.private.notes) == (shards > 1)
    assert rows_in(table_of(found, bench.engine)) == rows_in(whole.table)
    assert as_json(found.certificate.public) == as_json(whole.certificate.public)
    for name in ("withheld", "group sizes", "people"):
        specified = whole.certificate.private.as_dict()[name]
        assert found.certificate.private.as_dict()[name] == specified
    if "groups" not in bench.engine.cannot:
        check_people(VISITS, labels_by_name(found, bench.engine, VISITS))
        assert Counter(labels_by_name(found, bench.engine, VISITS).values()) == Counter(
            whole.groups.labels.tolist()
        )


@pytest.mark.parametrize("shards", [1, SHARDS])
def test_what_is_left_out_beside_kept_values_is_said_once_by_every_engine(
    bench: Bench, shards: int
) -> None:
    bench = replace(bench, engine=made(bench.engine.name, shards))
    asked = {**ASKED, "withhold": 0.1, "models": ["l-diversity:l=2"]}
    found = bench.run(**asked)
    whole = run(PEOPLE, Recipe.of(**asked), LocalEngine(shards=shards))
    assert rows_in(table_of(found, bench.engine)) == rows_in(whole.table)
    said = [[note for note in one.notices if note.kind == "left-out"] for one in (found, whole)]
    withheld = whole.certificate.private.withheld
    assert withheld and said[0] == said[1]
    assert len(said[0]) == 1 and f"left out {withheld} of 1,200 people" in said[0][0]


def check_people(table: pa.Table, label: dict[str, int]) -> None:
    """No person stands in two groups, and every group holds k people, counted by labels."""
    pairs = {
        (who or name, label[name])
        for who, name in zip(table["who"].to_pylist(), table["name"].to_pylist(), strict=True)
    }
    assert len({who for who, _ in pairs}) == len(pairs)
    held = Counter(group for _, group in pairs if group >= 0)
    assert min(held.values()) >= ASKED["k"]


def labels_by_name(outcome: Outcome, engine: Engine[Any], table: pa.Table) -> dict[str, int]:
    """The group of each row, by a name that no other row has."""
    if engine.name == "spark":
        rows = outcome.groups.toArrow()
        return dict(zip(rows["name"].to_pylist(), rows["group"].to_pylist(), strict=True))
    labels = outcome.groups.labels.tolist()
    return dict(zip(table["name"].to_pylist(), labels, strict=True))


def six_people() -> pa.Table:
    """Rows of six people, in which each ward is held by 400 rows and by two people."""
    rows = [pa.array([f"p{i % 6}" for i in range(ROWS)]), pa.array([i % 3 for i in range(ROWS)])]
    return VISITS.set_column(5, "who", rows[0]).set_column(3, "ward", rows[1])


@pytest.mark.parametrize(
    ("table", "asked", "words"),
    [
        (VISITS, {"person": "who", "k": 700, "keep": []}, "persons can't form a group of 700"),
        (six_people(), {"person": "who", "models": []}, "are held by fewer than 4 people"),
        (
            VISITS.append_column("patient_id", VISITS["who"]),
            {"identifiers": ["name", "patient_id"]},
            "1,200 rows are about 471 people: groups of 4 rows may hold 1 person",
        ),
    ],
)
def test_refusals_of_people_are_those_of_the_specification(
    bench: Bench, table: pa.Table, asked: dict[str, Any], words: str
) -> None:
    alone = replace(bench, engine=made(bench.engine.name, 1))
    with pytest.raises(PrivacyNotMet, match=words) as refused:
        alone.run(table, **asked)
    with pytest.raises(PrivacyNotMet) as specified:
        run(table, Recipe.of(**{**ASKED, **asked}), LocalEngine())
    assert refused.value.problem == specified.value.problem
    assert refused.value.facts == specified.value.facts


@pytest.mark.parametrize(
    ("column", "identifiers"),
    [
        ([f"A{i % 400}" for i in range(ROWS)], ["name", "x17"]),
        ([str(i % 400) for i in range(ROWS)], ["name", "x17"]),
        ([i % 400 for i in range(ROWS)], ["name", "x17"]),
        ([float(3 * (i % 400)) for i in range(ROWS)], ["name", "x17"]),  # amounts, no ids
        ([f"{1 + i % 28}.{1 + i % 12}.1999" for i in range(ROWS)], ["name", "x17"]),
        ([f"A{i % 400}" for i in range(ROWS)], ["name"]),
    ],
)
def test_what_is_said_of_repeated_ids_is_that_of_the_specification(
    bench: Bench, column: list[Any], identifiers: list[str]
) -> None:
    table = PEOPLE.append_column("x17", pa.array(column))
    table = table.append_column("household_id", pa.array([i // 2 for i in range(ROWS)]))
    asked = {**ASKED, "identifiers": identifiers}

    def said(engine: Engine[Any], handed: Any) -> list[str]:
        request = Request.of(Recipe.of(**asked))
        try:
            with engine.opened() as store:
                notices = store.look(handed, request, unwatched).notices
        except PrivacyNotMet as refused:
            return [str(refused)]
        return [note for note in notices if note.kind == "repeated"]

    expected = said(LocalEngine(), table)
    assert said(bench.engine, bench.handed(table)) == expected
    assert len(expected) == 1


def test_labels_are_those_of_the_specification(bench: Bench) -> None:
    if "groups" in bench.engine.cannot:
        assert bench.run().groups is None
        return
    whole = run(PEOPLE, Recipe.of(**ASKED), LocalEngine(shards=SHARDS))
    labels = bench.run().groups
    named = PEOPLE["name"].to_pylist()
    if bench.engine.name == "spark":
        table = labels.toArrow()
        of_name = dict(zip(table["name"].to_pylist(), table["group"].to_pylist(), strict=True))
    else:
        of_name = dict(zip(named, labels.labels.tolist(), strict=True))
    keys = list(map(tuple, codes_of(PEOPLE).T.tolist()))  # equal rows may change places
    assert Counter((key, of_name[name]) for key, name in zip(keys, named, strict=True)) == Counter(
        zip(keys, whole.groups.labels.tolist(), strict=True)
    )


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"k": 5000}, PrivacyNotMet),
        ({"models": ["l-diversity:l=9"]}, PrivacyNotMet),
        ({"keep": ["name"], "identifiers": []}, PrivacyNotMet),
        ({"quasi": ["age", "nobody"]}, RecipeError),
        ({"missing": "refuse"}, DataError),
    ],
)
def test_refusals_are_those_of_the_specification(
    bench: Bench, asked: dict[str, Any], error: type[ShoalError]
) -> None:
    alone = replace(bench, engine=made(bench.engine.name, 1))
    with pytest.raises(error) as refused:
        alone.run(**asked)
    with pytest.raises(error) as specified:
        run(PEOPLE, Recipe.of(**{**ASKED, **asked}), LocalEngine())
    assert type(refused.value) is type(specified.value)
    assert refused.value.problem == specified.value.problem


LIMITED: dict[str, dict[str, Any]] = {
    "keep_order": {"keep_order": True},
    "weight": {"weight": "ward", "keep": []},
    "population": {"population": 10_000},
    "time_limit": {"time_limit": 3.0},
    "k = 1": {"k": 1, "models": []},
    "centre": {"publish": "centre"},
    "bounds": {"publish": "bounds"},
    "beyond groups": {"models": ["lkc:l=2,c=0.9"], "method": "top-down", "effort": "default"},
    "counterfeits": {"models": ["m-invariance:m=2"], "keep": []},
}


def test_every_limit_is_known_and_every_known_one_is_some_engines() -> None:
    named = {name for engine in engines().values() for name in engine.cannot}
    assert named == {*LIMITS}


def test_what_an_engine_can_not_do_is_refused_before_it_looks(bench: Bench) -> None:
    for name in (name for name in LIMITED if name in bench.engine.cannot):
        with pytest.raises(RecipeError, match="can't do"):
            bench.run(**LIMITED[name])


def check_recount(bench: Bench) -> None:
    """Groups of 4 are not taken for groups of 400, whatever made them."""
    request = Request.of(Recipe.of(**ASKED))
    with bench.engine.opened() as store:
        table = store.look(bench.handed(), request, unwatched)
        groups = store.divide(table, request, unwatched)
        released = store.publish(table, groups, request, unwatched)
        assert store.recount(released, request, unwatched).rows == ROWS
        stricter = Request.of(msgspec.structs.replace(request.recipe, k=400))
        with pytest.raises(PrivacyNotMet):
            store.recount(released, stricter, unwatched)


def test_recount_judges_the_release_and_not_what_was_meant(bench: Bench) -> None:
    check_recount(bench)


def test_every_attack_has_its_turn(bench: Bench) -> None:
    request = Request.of(Recipe.of(**ASKED))
    with bench.engine.opened() as store:
        table = store.look(bench.handed(), request, unwatched)
        groups = store.divide(table, request, unwatched)
        released = store.publish(table, groups, request, unwatched)
        findings = store.attack(table, groups, released, request)
    assert {*at_release()} <= {finding.name for finding in findings.all}


# --- engines that leave something out -----------------------------------------------------


class Unattacked(LocalEngine):
    """Leaves the attacks out."""

    def attack(self, *given: Any) -> Findings:
        return Findings(())


class Uncounted(LocalEngine):
    """Believes that all is well, and counts with nothing promised."""

    def recount(self, released: pa.Table, request: Request, watch: Any) -> Recounted:
        easy = msgspec.structs.replace(request.recipe, k=1, models=())
        return super().recount(released, Request.of(easy), watch)


class Forgetful(LocalEngine):
    """Loses a row on the way."""

    def publish(self, *given: Any) -> pa.Table:
        return super().publish(*given).slice(1)


def test_engine_that_leaves_the_attacks_out_is_refused() -> None:
    with pytest.raises(ShoalError, match="attacks did not have their turn"):
        run(PEOPLE, Recipe.of(**ASKED), Unattacked())
    with pytest.raises(ShoalError, match="record-linkage"):
        api.anonymize(PEOPLE, **ASKED, engine=Unattacked())


def test_engine_that_does_not_recount_fails_the_contract() -> None:
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        check_recount(Bench(Uncounted(), None))


def test_engine_that_loses_a_row_is_refused() -> None:
    with pytest.raises(ShoalError, match="does not have the rows it should"):
        run(PEOPLE, Recipe.of(**{**ASKED, "models": [], "k": 1}), Forgetful())


def test_engine_without_a_verb_can_not_be_made() -> None:
    verbs = {name: getattr(LocalEngine, name) for name in Store.__abstractmethods__}
    type("Whole", (Store,), verbs)()
    for name in verbs:
        some = {verb: made for verb, made in verbs.items() if verb != name}
        with pytest.raises(TypeError, match=name):
            type("Partial", (Store,), some)()
