"""What every risk promises, whichever are in the folder."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.groups import Groups
from shoal.review import risks
from shoal.review.risks.risk import Risk

FOUND = [
    (module.name, thing)
    for module in iter_modules(risks.__path__)
    for _, thing in inspect.getmembers(import_module(f"{risks.__name__}.{module.name}"), inspect.isclass)
    if issubclass(thing, Risk) and not inspect.isabstract(thing)
]
sizes = st.lists(st.integers(1, 12), min_size=1, max_size=20)


def sized(of: list[int]) -> Groups:
    return Groups.of(np.repeat(np.arange(len(of)), of))


def test_the_folder_holds_risks() -> None:
    assert len(FOUND) >= 4
    assert len({risk.name for _, risk in FOUND}) == len(FOUND)


@pytest.mark.parametrize(("module", "risk"), FOUND)
def test_names_agree_with_files_and_pages(module: str, risk: type[Risk]) -> None:
    assert risk.name == module.replace("_", "-")
    assert risk.__name__ == "".join(word.capitalize() for word in module.split("_"))
    page = inspect.getdoc(inspect.getmodule(risk)) or ""
    assert page.startswith(f"`{risk.name}`:")
    assert re.search(r"\n    risk = ", page)
    assert "By hand:" in page


@pytest.mark.parametrize("risk", [risk for _, risk in FOUND])
@given(of=sizes, order=st.randoms(use_true_random=False))
def test_a_fraction_that_does_not_depend_on_the_order_of_rows(risk: type[Risk], of: list[int], order: object) -> None:
    groups = sized(of)
    shuffled = list(groups.labels)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    value = risk().measure(groups)
    assert 0.0 <= value <= 1.0
    assert risk().measure(Groups.of(np.array(shuffled))) == value


@pytest.mark.parametrize("risk", [risk for _, risk in FOUND])
@given(of=sizes.filter(lambda of: len(of) > 1))
def test_merging_two_groups_never_raises_it(risk: type[Risk], of: list[int]) -> None:
    merged = [of[0] + of[1], *of[2:]]
    assert risk().measure(sized(merged)) <= risk().measure(sized(of))


@pytest.mark.parametrize("risk", [risk for _, risk in FOUND])
def test_everyone_alone_is_certain_and_nobody_is_no_risk(risk: type[Risk]) -> None:
    assert risk().measure(sized([1] * 7)) == 1.0
    assert risk().measure(Groups(np.zeros(0, np.int32), 0)) == 0.0
    assert risk().measure(Groups(np.full(3, -1, np.int32), 0)) == 0.0
