"""Models that guard some of the sensitive columns: `on`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal import registry
from shoal.errors import PrivacyNotMet, RecipeError
from shoal.partition.method import Method
from shoal.privacy.model import Model

ROWS = 120


def survey() -> pa.Table:
    rng = np.random.default_rng(1)
    return pa.table(
        {
            "age": rng.integers(20, 80, ROWS),
            "diagnosis": np.array(["flu", "gout", "cold", "hiv"])[rng.integers(0, 4, ROWS)],
            "smokes": ["no"] * ROWS,
            "how often": rng.integers(0, 3, ROWS),
        }
    )


ASKED: dict[str, Any] = {
    "quasi": ["age"],
    "sensitive": ["diagnosis", "smokes", "how often"],
    "k": 4,
    "method": "mondrian",
}


@pytest.mark.parametrize(
    "model",
    [
        "l-diversity:l=3,on=diagnosis",
        "l-diversity(l=3, on=[diagnosis])",
        "l-diversity(l=2, on=[diagnosis, how often])",
        "l-diversity:l=2,on=diagnosis;how often",
        shoal.LDiversity(l=3, on=("diagnosis",)),
        shoal.LDiversity(l=3, on=["diagnosis"]),  # type: ignore[arg-type]
        shoal.LDiversity(l=3, on="diagnosis"),  # type: ignore[arg-type]
    ],
)
@pytest.mark.parametrize("engine", ["local", "disk"])
def test_a_model_guards_the_columns_that_it_names(model: Any, engine: str) -> None:
    with pytest.raises(PrivacyNotMet):
        shoal.anonymize(survey(), **ASKED, models=["l-diversity:l=2"])
    release = shoal.anonymize(survey(), **ASKED, models=[model], engine=engine)
    judged = {each.column for each in release.certificate.public.models if each.column}
    assert judged <= {"diagnosis", "how often"} and "diagnosis" in judged
    assert shoal.verify(release.table, release.certificate).holds
    require = [registry.spell(model) if isinstance(model, Model) else model]
    given = {"quasi": "age", "sensitive": ["diagnosis", "smokes", "how often"]}
    shoal.audit(release.table, **given, require=require)
    with pytest.raises(PrivacyNotMet):
        shoal.audit(release.table, **given, require=["l-diversity:l=2"])


@pytest.mark.parametrize("method", registry.names(Method))
def test_every_method_keeps_a_promise_on_one_column(method: str) -> None:
    model = "l-diversity:l=2,on=diagnosis"
    release = shoal.anonymize(survey(), **{**ASKED, "method": method}, models=[model])
    (measured,) = [each for each in release.certificate.public.models if each.column]
    assert measured.measured >= 2 and measured.parameters == {"l": 2, "on": ["diagnosis"]}


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("l-diversity:l=2,on=diagnoses", "did you mean 'diagnosis'?"),
        ("l-diversity:l=2,on=age", "'age', which is no sensitive column"),
        ("k-anonymity:k=5,on=diagnosis", "takes no 'on'"),
    ],
)
def test_other_columns_are_refused(model: str, said: str) -> None:
    with pytest.raises(RecipeError) as refused:
        shoal.anonymize(survey(), **ASKED, models=[model])
    assert said in str(refused.value) and refused.value.exit_code == 2
    with pytest.raises(RecipeError) as required:
        shoal.audit(survey(), quasi="age", sensitive=["diagnosis"], require=[model])
    assert said in str(required.value)


def test_a_recipe_keeps_the_columns(tmp_path: Any) -> None:
    recipe = shoal.Recipe.of(**ASKED, models=["l-diversity(l=2, on=[diagnosis;how often])"])
    (tmp_path / "recipe.toml").write_text(recipe.to_toml())
    assert shoal.Recipe.read(tmp_path / "recipe.toml").plan().models[1].on == (
        "diagnosis",
        "how often",
    )


def test_a_refusal_names_a_promise_on_the_same_column() -> None:
    with pytest.raises(PrivacyNotMet) as refused:
        shoal.anonymize(survey(), **ASKED, models=["l-diversity:l=9,on=diagnosis"])
    assert "l-diversity(l=4,on=diagnosis)" in str(refused.value)
