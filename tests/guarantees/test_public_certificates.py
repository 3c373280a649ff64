"""A public certificate tells what its release tells: equal releases have equal public bytes.

`equal_releases` draws the pairs; SHOAL_PAIRS asks for more cases than the suite takes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import msgspec
import pyarrow as pa
import pytest

import shoal
from guarantees import equal_releases
from guarantees.equal_releases import Case, Tally, compared, differ, distorted
from search import short_search
from shoal import registry
from shoal.distortions.distortion import Distortion
from shoal.flows import distortion, groups
from shoal.partition.method import Method
from shoal.review.certificate import Certificate, as_json

__all__ = ["short_search"]

CASES = int(os.environ.get("SHOAL_PAIRS", "150"))
TREE = {"North": ["Oslo", "Bergen"], "South": ["Rome", "Longyearbyen"]}


def kept_apart(*ages: int) -> pa.Table:
    """People in two groups that every method finds, and perhaps more people far away."""
    rows = len(ages)
    ills = ["flu", "cold"] * rows
    return pa.table({"age": list(ages), "ill": ills[:rows], "name": [f"n{i}" for i in range(rows)]})


def test_pairs_of_tables_with_equal_releases_have_equal_public_bytes() -> None:
    tally = compared(CASES, seed=1)
    assert tally.leaks == [], str(tally)
    assert tally.pairs > CASES / 4 and tally.telling > CASES / 5, str(tally)
    methods = {kind.split()[1] for kind in tally.by_kind if kind.startswith("method")}
    lacking = {*registry.names(Method)} - methods
    assert len(lacking) <= max(1, 600 // CASES), lacking
    forms = {kind.split()[1] for kind in tally.by_kind if kind.startswith("publish")}
    assert forms >= {"snapped", "tight", "bounds"}
    assert {"engine local", "engine shards", "engine disk", "with withhold"} <= {*tally.by_kind}
    assert any(kind.startswith("method nsvdist") for kind in tally.by_kind)


def test_bands_that_the_table_chose_are_stated_as_far_as_the_release_shows_them() -> None:
    tally = compared(CASES // 3, seed=2, drawn=equal_releases.on_ladders)
    assert tally.leaks == [], str(tally)
    assert tally.by_kind["method full-domain"] > 10 and tally.by_kind["method banded"] > 10


def ages_asked(method: str, **more: Any) -> dict[str, Any]:
    return {"quasi": ["age"], "k": 4, "seed": 1, "method": method, **more}


@pytest.mark.parametrize(
    ("method", "one", "other", "more"),
    [
        # Everything is `*`, whatever the range was.
        ("full-domain", [1, 20, 40, 60], [1, 200, 400, 600], {}),
        ("banded", [1, 20, 40, 60], [1, 200, 400, 600], {}),
        # The median moves the start, and no band of the release is as wide as that.
        ("banded", [20, 25, 29, 30, 70, 71, 75, 79], [20, 25, 31, 39, 70, 71, 75, 79], {}),
        ("full-domain", [20] * 4 + [31] * 4 + [400], [20] * 4 + [31] * 4 + [45], {"withhold": 0.2}),
    ],
)
def test_ranges_and_medians_of_hidden_values_stand_in_no_public_recipe(
    method: str, one: list[int], other: list[int], more: dict[str, Any]
) -> None:
    asked = ages_asked(method, **more)
    releases = [shoal.anonymize(pa.table({"age": ages}), **asked) for ages in (one, other)]
    assert releases[0].table.equals(releases[1].table)
    chosen = [release.recipe.hierarchies["age"] for release in releases]
    assert chosen[0] != chosen[1], "the pair tells nothing"
    assert len({as_json(release.certificate.public) for release in releases}) == 1
    for release, ladder in zip(releases, chosen, strict=True):
        assert any(str(ladder) in note for note in release.certificate.private.notes)
        assert shoal.verify(release.table, release.certificate).holds


def test_bands_that_the_release_shows_stand_in_the_public_recipe() -> None:
    people = pa.table({"age": [*range(20, 60)]})
    release = shoal.anonymize(people, **ages_asked("full-domain"))
    assert release.table["age"][0].as_py() == "[20, 24]"
    assert release.recipe.hierarchies["age"] == "ladder:widths=5-10-20"
    assert release.certificate.public.recipe["hierarchies"] == {"age": "ladder:widths=5"}
    assert shoal.verify(release.table, release.certificate).holds
    typed = shoal.anonymize(
        people, **ages_asked("full-domain", hierarchies={"age": "ladder:widths=5-10"})
    )
    assert typed.certificate.public.recipe["hierarchies"] == {"age": "ladder:widths=5-10"}


def test_one_perturbed_table_has_one_public_certificate_whatever_the_original_was() -> None:
    number = len(registry.names(Distortion)) * 4
    tally = distorted(number, seed=1)
    assert tally.leaks == [], str(tally)
    assert tally.telling == tally.pairs > number / 2
    assert {f"distortion {name}" for name in registry.names(Distortion)} == {*tally.by_kind}


def with_findings(certificate: Certificate[Any, Any]) -> Any:
    """Give away what attacks found."""
    told = [f"{one.name} {one.attack} {one.control}" for one in certificate.private.attacks]
    return msgspec.structs.replace(certificate.public, attacks=told)


def with_trials(certificate: Certificate[Any, Any]) -> Any:
    """Give away which attacks had somebody to try."""
    told = [f"{one.name} {one.trials}" for one in certificate.private.attacks]
    return msgspec.structs.replace(certificate.public, attacks=told)


def with_charged_losses(certificate: Certificate[Any, Any]) -> Any:
    """Give away losses that count the withheld rows."""
    losses = certificate.private.printed_losses
    return msgspec.structs.replace(certificate.public, losses=losses)


@pytest.mark.parametrize("leak", [with_findings, with_trials, with_charged_losses])
def test_a_public_part_that_takes_anything_from_the_private_one_is_found(
    leak: Callable[[Certificate[Any, Any]], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = groups.certificate_of

    def leaking(*given: Any) -> Certificate[Any, Any]:
        certificate = plain(*given)
        return Certificate(leak(certificate), certificate.private)

    monkeypatch.setattr(groups, "certificate_of", leaking)
    one = Case(with_strangers("c"), strangers_asked())
    first = one.run()
    second = one.run(with_strangers("c", "d"))
    assert first is not None and second is not None and first.table.equals(second.table)
    tally = Tally()
    tally.add(one, first, second)
    assert tally.telling and len(tally.leaks) == 1


def with_strangers(*towns: str) -> pa.Table:
    """People of two towns, and some who are alone in theirs: they are withheld."""
    rows = 8 + len(towns)
    return pa.table({"town": [*"aaaabbbb", *towns], "ill": (["flu", "cold"] * rows)[:rows]})


def strangers_asked() -> dict[str, Any]:
    """A recipe that withholds whoever is alone in a town."""
    method = "threshold:small=withhold,delta=0.5"
    return {
        "quasi": ["town"],
        "sensitive": ["ill"],
        "k": 4,
        "method": method,
        "seed": 1,
        "withhold": 0.3,
    }


def asked_of(**more: Any) -> dict[str, Any]:
    """A recipe for people in two groups."""
    return {
        "quasi": ["age"],
        "sensitive": ["ill"],
        "identifiers": ["name"],
        "k": 4,
        "method": "mondrian",
        "seed": 1,
        **more,
    }


def test_a_distortion_that_tells_of_its_original_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = distortion.Perturbing.certificate

    def leaking(work: Any, audit: Any, mark: Any) -> Certificate[Any, Any]:
        certificate = plain(work, audit, mark)
        told = msgspec.structs.replace(
            certificate.public, not_promised=[str(work.shape.high.tolist())]
        )
        return Certificate(told, certificate.private)

    monkeypatch.setattr(distortion.Perturbing, "certificate", leaking)
    assert distorted(10, seed=1).leaks


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((40, 41, 44, 46, 80, 83, 86, 90), (40, 41, 44, 50, 80, 83, 86, 90)),
        ((40, 41, 44, 50, 80, 83, 86, 90), (40, 42, 46, 50, 80, 83, 86, 90)),
    ],
)
def test_whoever_stands_on_the_end_of_an_interval_is_not_counted(
    one: tuple[int, ...], other: tuple[int, ...]
) -> None:
    asked = {**asked_of(), "hierarchies": {"age": "intervals:width=20"}}
    first, second = (shoal.anonymize(kept_apart(*ages), **asked) for ages in (one, other))
    assert first.table.equals(second.table)
    assert differ(first.certificate, second.certificate, "public") is None


def test_the_number_of_withheld_rows_is_private() -> None:
    tables = [with_strangers(*towns) for towns in ("", "c", "cd", "de")]
    releases = [shoal.anonymize(table, **strangers_asked()) for table in tables]
    assert [release.certificate.private.withheld for release in releases] == [0, 1, 2, 2]
    assert len({as_json(release.certificate.public) for release in releases}) == 1
    charged = [release.loss("published-height-share") for release in releases]
    assert charged == [0, 1 / 9, 2 / 10, 2 / 10]
    private = [release.certificate.private.printed_losses for release in releases]
    assert [losses["published-height-share"] for losses in private] == charged
    public = releases[2].certificate.public
    assert public.losses["published-height-share"] == 0
    assert public.withheld_at_most == 0.3
    for release, table in zip(releases, tables, strict=True):
        assert shoal.verify(release.table, release.certificate, original=table).holds
    many = with_strangers(*"cdefghijkl")
    assert not shoal.verify(releases[0].table, public, original=many).holds


def test_attacks_are_named_by_the_recipe_whether_anybody_could_be_tried() -> None:
    table = kept_apart(40, 41, 44, 46, 80, 83, 86, 90)
    nobody = table.set_column(1, "ill", pa.nulls(8, pa.string()))
    names = [
        shoal.anonymize(each, **asked_of()).certificate.public.attacks for each in (table, nobody)
    ]
    assert names[0] == names[1] and "homogeneity" in names[0]
    alone = shoal.anonymize(table, **asked_of(sensitive=[])).certificate.public
    assert "record-linkage" in alone.attacks and "homogeneity" not in alone.attacks


def test_an_attack_that_is_left_out_is_missed() -> None:
    release = shoal.anonymize(kept_apart(40, 41, 44, 46, 80, 83, 86, 90), **asked_of())
    public = release.certificate.public.as_dict()
    assert shoal.verify(release.table, public).holds
    fewer = {**public, "attacks": public["attacks"][:1]}
    assert not shoal.verify(release.table, fewer).holds
    later = {**fewer, "shoal": "99.0"}  # another version may have other attacks
    assert shoal.verify(release.table, later).holds


def nested_release() -> tuple[pa.Table, shoal.Release]:
    towns = ["Oslo", "Bergen"] * 4 + ["Rome"] * 7 + ["Longyearbyen"]
    table = pa.table({"town": towns, "ill": ["flu", "cold"] * 8})
    asked = {"quasi": ["town"], "sensitive": ["ill"], "k": 4, "hierarchies": {"town": TREE}}
    return table, shoal.anonymize(table, **asked)


def test_a_nested_hierarchy_shows_no_value_that_one_person_has(tmp_path: Any) -> None:
    _, release = nested_release()
    assert "Longyearbyen" not in json.dumps(release.table.to_pylist())
    release.write(tmp_path / "out.csv", report=tmp_path / "r.md")
    for paper in ("out.csv", "out.csv.certificate.json", "r.public.md"):
        assert "Longyearbyen" not in (tmp_path / paper).read_text(), paper
    assert release.certificate.public.recipe["hierarchies"] == {"town": "nested"}


def test_whoever_has_a_nested_hierarchy_can_check_it() -> None:
    table, release = nested_release()
    without = shoal.verify(release.table, release.certificate)
    assert without.holds
    assert [item.what for item in without.items if "hierarchies" in str(item.note)]
    given = {"town": TREE}
    whole = shoal.verify(release.table, release.certificate, hierarchies=given, original=table)
    assert whole.holds and "not checkable" not in {item.status for item in whole.items}
    other = {"town": {**TREE, "East": ["Sofia", "Varna"]}}
    assert not shoal.verify(release.table, release.certificate, hierarchies=other).holds
    assert shoal.attack(release.table, original=table, certificate=release.certificate).holds
    mined = shoal.mine(release.table, table, certificate=release.certificate, tasks="distributions")
    assert mined.risk["k"] == release.certificate.public.k


def test_a_nested_hierarchy_without_its_tree_is_refused() -> None:
    with pytest.raises(shoal.errors.RecipeError, match="dict of dicts and lists"):
        shoal.anonymize(kept_apart(1, 2, 3, 4), quasi="ill", k=2, hierarchies={"ill": "nested"})


def test_pairs_are_counted_only_where_published_columns_differ() -> None:
    table = kept_apart(40, 41, 44, 46)
    case = Case(table, asked_of())
    assert case.columns == ["age", "ill"]
    assert equal_releases.replaced(table, "age", [1, 2, 3, 4])["name"][0].as_py() == "m0"
