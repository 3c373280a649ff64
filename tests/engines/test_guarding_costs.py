"""Guarding costs: what a column cost is said with its cause and a remedy, and the remedy works.

Children have no value of `education_adult`, and groups that guard it mix them with adults.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal import registry
from shoal.cli.spelling import typed
from shoal.engines.local import LocalEngine
from shoal.flows import groups as flow
from shoal.groups import Note
from shoal.privacy.model import Model
from shoal.recipe import Recipe
from shoal.wording import Sentence

ROWS = 1500
GUARDED = [f"d{n}" for n in range(5)]
CHILDREN = 598  # some 40 %, as this seed draws them


def people(often: tuple[str, ...] = ("education_adult",)) -> pa.Table:
    """People in a school for each child and a job for each adult, and six sensitive columns."""
    rng = np.random.default_rng(5)
    child = rng.random(ROWS) < 0.4
    drawn = {name: rng.integers(0, 4, ROWS) for name in [*GUARDED, "education_adult"]}
    return pa.table(
        {
            "age": np.where(child, rng.integers(0, 18, ROWS), rng.integers(18, 90, ROWS)),
            "place": [
                f"{'school' if young else 'job'} {number}"
                for young, number in zip(child, rng.integers(0, 6, ROWS), strict=True)
            ],
            **{
                name: pa.array(
                    [f"secret {n}" for n in codes], mask=child if name in often else None
                )
                for name, codes in drawn.items()
            },
        }
    )


def asked(**beside: Any) -> dict[str, Any]:
    places = {
        "children": [f"school {n}" for n in range(6)],
        "adults": [f"job {n}" for n in range(6)],
    }
    return {
        "quasi": ["age", "place"],
        "sensitive": [*GUARDED, "education_adult"],
        "k": 5,
        "models": ["l-diversity(l=2)"],
        "hierarchies": {"place": places},
        "effort": "low",
        "seed": 1,
        **beside,
    }


def said(release: Any) -> list[Note]:
    return [note for note in release.notices if note.kind == "guarding"]


def words(note: Note) -> Sentence:
    assert isinstance(note.words, Sentence)
    return note.words


def test_the_dear_column_is_named_with_its_cause_and_a_remedy_that_works() -> None:
    release = shoal.anonymize(people(), **asked())
    (note,) = said(release)
    assert note.startswith("guarding 'education_adult' cost about ")
    assert f" % of the detail (estimate): {CHILDREN} people have no value there" in note
    assert "missing never counts as different" in note and "secret" not in note
    assert "guard fewer columns (--model 'l-diversity:l=2,on=[d0;d1;d2;d3;d4]')" in typed(
        note.words
    )
    assert any(line.startswith("! guarding 'education") for line in repr(release).splitlines())
    assert len([line for line in repr(release).splitlines() if line]) <= 15

    (remedy,) = words(note).settings
    better = shoal.anonymize(people(), **asked(**{remedy.option: remedy.value}))
    share = "published-height-share"
    assert better.certificate.public.losses[share] < 0.8 * release.certificate.public.losses[share]
    assert not said(better)


def test_the_estimate_is_for_the_maker_alone() -> None:
    release = shoal.anonymize(people(), **asked())
    assert any("estimate" in note for note in release.certificate.private.notes)
    assert "estimate" not in str(release.certificate.public.as_dict())


def test_columns_that_miss_the_same_values_are_named_together() -> None:
    # Each of them alone costs nothing: the other one asks for the same groups.
    release = shoal.anonymize(people(("d4", "education_adult")), **asked())
    (note,) = said(release)
    assert note.startswith("guarding 'd4' and 'education_adult' cost about ")
    assert f"{CHILDREN} people have no value in one of them" in note
    (remedy,) = words(note).settings
    assert remedy.value == ["l-diversity(l=2, on=[d0;d1;d2;d3])"]


def test_rows_are_counted_where_people_have_several() -> None:
    table = people().sort_by([("age", "ascending"), ("place", "ascending")])
    table = table.append_column("who", pa.array(np.arange(ROWS) // 2))
    (note,) = said(shoal.anonymize(table, **asked(person="who")))
    assert f"{CHILDREN} rows have no value there" in note


def test_where_only_one_column_is_guarded_less_is_to_be_asked() -> None:
    (note,) = said(
        shoal.anonymize(people(), **asked(models=["l-diversity(l=2,on=education_adult)"]))
    )
    assert "ask for less than 'l-diversity (l = 2, on education_adult)'" in note
    assert "release those who have no value in a table of their own" in note
    assert not words(note).settings


def test_a_model_among_several_is_named() -> None:
    models = ["l-diversity(l=2,on=[d0])", "t-closeness(t=0.05,on=[d1])"]
    notes = said(shoal.anonymize(people(()), **asked(models=models)))
    assert "guarding 'd1' cost about " in notes[0]
    assert notes[-1].startswith("'t-closeness (t = 0.05, distance = equal, on d1)' cost about ")
    assert words(notes[-1]).settings[0].value == ["l-diversity(l=2, on=[d0])"]
    assert all("missing" not in note for note in notes)


def test_what_costs_little_and_what_can_not_be_tried_is_not_said() -> None:
    assert not said(shoal.anonymize(people(()), **asked()))
    assert not said(shoal.anonymize(people(), **asked(models=[])))
    assert not said(shoal.anonymize(people(), **asked(method="full-domain")))
    assert not said(shoal.anonymize(people(), **asked(at_most={"age": 60}, withhold=0.5)))


def test_a_name_that_can_not_be_typed_is_left_out_of_the_remedy() -> None:
    table = people().rename_columns(["age", "place", "d0", "a;b)", "d2", "d3", "d4", "edu"])
    sensitive = ["d0", "a;b)", "d2", "d3", "d4", "edu"]
    (note,) = said(shoal.anonymize(table, **asked(sensitive=sensitive)))
    assert "; guard fewer columns, or release" in note and not words(note).settings


def test_shards_of_a_table_in_memory_say_the_same() -> None:
    recipe = Recipe.of(**asked())
    one, several = (flow.run(people(), recipe, LocalEngine(shards)) for shards in (1, 4))
    assert said(one) == said(several) != []


def test_order_of_rows_does_not_matter() -> None:
    order = np.random.default_rng(2).permutation(ROWS)
    shuffled = people().take(pa.array(order))
    assert said(shoal.anonymize(shuffled, **asked())) == said(shoal.anonymize(people(), **asked()))


@pytest.mark.parametrize("name", ["l-diversity(l=2)", "l-diversity(l=2, on=[a;b])"])
def test_a_model_spares_columns(name: str) -> None:
    model = registry.make(Model, name)
    sensitive = ["a", "b"]
    spared = model.sparing(["b"], sensitive)
    assert spared is not None and registry.spell(spared) == "l-diversity(l=2, on=[a])"
    assert model.sparing(["a", "b"], sensitive) is None
    assert model.sparing(["c"], sensitive) is model
