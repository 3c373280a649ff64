"""What every risk promises, whichever are in the folder."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.groups import Groups
from shoal.review import risks
from shoal.review.prechecks.population import Population
from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk, worst

FOUND = [
    (module.name, thing)
    for module in iter_modules(risks.__path__)
    for _, thing in inspect.getmembers(
        import_module(f"{risks.__name__}.{module.name}"), inspect.isclass
    )
    if issubclass(thing, Risk)
    and not inspect.isabstract(thing)
    and thing.__module__.endswith(f".{module.name}")
]
EACH = pytest.mark.parametrize("risk", [risk for _, risk in FOUND])
sizes = st.lists(st.integers(1, 12), min_size=1, max_size=20)


def exposed(labels: list[int], population: int | float | None = 0.25) -> Exposure:
    """Groups on one quasi-identifier, and a sensitive column in which everyone differs."""
    groups = Groups.of(np.array(labels))
    people = None if population is None else Population.estimated(groups, population)
    values = np.argsort(np.argsort(labels, kind="stable"), kind="stable").astype(np.int32)
    return Exposure(
        groups, {"age": (groups.labels, groups.count)}, {"ill": (values, len(labels))}, people
    )


def sized(of: list[int]) -> list[int]:
    return np.repeat(np.arange(len(of)), of).tolist()


def test_the_folder_holds_risks() -> None:
    assert len(FOUND) >= 18
    assert len({risk.name for _, risk in FOUND}) == len(FOUND)


@pytest.mark.parametrize(("module", "risk"), FOUND)
def test_names_agree_with_files_and_pages(module: str, risk: type[Risk]) -> None:
    assert risk.name == module.replace("_", "-")
    assert risk.__name__ == "".join(word.capitalize() for word in module.split("_"))
    page = inspect.getdoc(inspect.getmodule(risk)) or ""
    assert page.startswith(f"`{risk.name}`:")
    assert re.search(r"\n    risk = ", page)
    assert "By hand:" in page


@EACH
@settings(max_examples=25)
@given(of=sizes, order=st.randoms(use_true_random=False))
def test_a_fraction_that_does_not_depend_on_the_order_of_rows(
    risk: type[Risk], of: list[int], order: object
) -> None:
    labels = sized(of)
    value = worst(risk().measure(exposed(labels)))
    order.shuffle(labels)  # type: ignore[attr-defined]
    again = worst(risk().measure(exposed(labels)))
    assert (value is None and again is None) or again == pytest.approx(value, rel=1e-12)
    assert value is None or -1e-12 <= value <= 1.0 + 1e-12
    assert value is not None or risk.name in (
        "population-uniqueness-pitman",
        "population-uniqueness-snb",
    )


@EACH
@settings(max_examples=25)
@given(of=sizes.filter(lambda of: len(of) > 1))
def test_merging_two_groups_never_raises_it(risk: type[Risk], of: list[int]) -> None:
    if risk.name.startswith("population-uniqueness"):
        return  # an estimate of what is not seen may move either way
    merged, apart = (
        worst(risk().measure(exposed(sized(these)))) for these in ([of[0] + of[1], *of[2:]], of)
    )
    assert merged is not None and apart is not None
    assert merged <= apart + 1e-12


@EACH
@settings(max_examples=25)
@given(of=sizes)
def test_the_baseline_is_never_above(risk: type[Risk], of: list[int]) -> None:
    seen = exposed(sized(of))
    found = worst(risk().measure(seen))
    nothing = worst(risk().baseline(seen))
    assert nothing is not None
    assert found is None or nothing <= found + 1e-12


@EACH
def test_everyone_alone_is_certain_and_nobody_is_no_risk(risk: type[Risk]) -> None:
    certain = worst(risk().measure(exposed(list(range(7)), 1.0)))
    assert certain == (
        6 / 7 if risk.name == "attribute-disclosure" else 1.0
    )  # one of seven is guessed without groups
    for nobody in (np.zeros(0, np.int32), np.full(3, -1, np.int32)):
        column = (np.zeros(len(nobody), np.int32), 1)
        seen = Exposure(
            Groups(nobody, 0), {"age": column}, {"ill": column}, Population(9, np.zeros(0))
        )
        assert worst(risk().measure(seen)) == 0.0


@EACH
def test_only_who_needs_a_population_misses_it(risk: type[Risk]) -> None:
    found = risk().measure(exposed([0, 0, 1, 2, 2, 2], None))
    assert (found is None) == risk.needs_population
