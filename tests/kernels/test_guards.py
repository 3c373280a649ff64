"""Rules as kernels test them against the models that they stand for."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.groups import Groups
from shoal.kernels.guards import add_group, judged, members_of, packed, tally_of
from shoal.privacy.column import Column, Sensitive
from shoal.privacy.model import Model
from shoal.privacy.promises import Promises
from shoal.registry import make, names
from tries import telling, tries

EXACT = [
    *(
        "l-diversity:l=1",
        "l-diversity:l=3",
        "p-sensitive:p=2",
        "k-e:e=1,k=2",
        "k-e:e=0.5",
        "k-e:e=2.5,k=3",
    ),
    *(
        "alpha-k:alpha=0.5",
        "alpha-k:alpha=0.3",
        "alpha-k:alpha=1",
        "alpha-k:alpha=0.4,values=[1;2]",
    ),
    *(
        "recursive-l-diversity:c=2,l=2",
        "recursive-l-diversity:c=0.7,l=1",
        "recursive-l-diversity:c=1.5,l=3",
    ),
    *("frequency-l-diversity:l=2", "frequency-l-diversity:l=1", "frequency-l-diversity:l=2.5"),
    *(
        "t-closeness:t=0.2",
        "t-closeness:t=0.5",
        "t-closeness:t=0.25,distance=ordered",
        "t-closeness:t=0.1,distance=ordered",
    ),
    *("beta-likeness:beta=1", "beta-likeness:beta=0.35", "entropy-l-diversity:l=1"),
]
ROUNDED = [
    *(
        "entropy-l-diversity:l=2",
        "entropy-l-diversity:l=3",
        "entropy-l-diversity:l=2.5",
        "t-closeness:t=0.123456789012345",
    ),
    *("beta-likeness:beta=1,form=enhanced", "beta-likeness:beta=0.2,form=enhanced"),
    *("recursive-l-diversity:c=0.777777777777777,l=2",),
    *(
        "delta-disclosure:delta=2",
        "delta-disclosure:delta=0.7,absent=skip",
        "alpha-k:alpha=0.33333333333333333",
    ),
]


def table(rng: np.random.Generator) -> np.ndarray:
    """Random groups by sensitive value; the last value is missing, every other one occurs."""
    groups = int(rng.integers(1, 8))
    values = int(rng.integers(1, 7))
    counts = rng.integers(0, int(rng.choice([3, 6, 40])), (groups, values + 1)) * (
        rng.random((groups, values + 1)) < 0.7
    )
    counts[:, -1] *= rng.random() < 0.5
    counts = counts[counts.sum(axis=1) > 0]
    return counts[:, np.append(counts[:, :-1].sum(axis=0) > 0, True)].astype(np.int64)


def sensitive(counts: np.ndarray) -> tuple[Groups, Sensitive]:
    """Rows that are counted so."""
    values = counts.shape[1]
    flat = np.repeat(np.arange(counts.size), counts.ravel())
    column = Column("ill", pa.array(np.arange(values - 1) / 2 + 1), counts.sum(axis=0))
    return Groups.of(flat // values), Sensitive(column, (flat % values).astype(np.int32))


def by_kernel(promises: Promises, groups: Groups) -> list[bool]:
    rules = promises.rules
    members = members_of(groups.labels, groups.count)
    tally = tally_of(rules)
    verdicts = []
    for group in range(groups.count):
        add_group(rules, tally, members, group)
        verdicts.append(judged(rules, tally))
    return verdicts


def test_every_model_of_groups_has_a_rule():
    counts = np.array([[2, 1, 1, 0], [1, 3, 1, 2]])
    _, column = sensitive(counts)
    ruled = {
        make(Model, text).name
        for text in [*EXACT, *ROUNDED]
        if make(Model, text).rule(column.column) is not None
    }
    assert {
        name
        for name, model in names(Model).items()
        if model.judges == "group" and model.needs_sensitive and not model.balances
    } == ruled


@pytest.mark.parametrize("text", EXACT)
def test_a_rule_says_what_its_model_says(text):
    verdicts = set()
    for seed in range(tries(150)):
        counts = table(np.random.default_rng(seed))
        if len(counts):
            groups, column = sensitive(counts)
            promises = Promises((make(Model, text),), (column,))
            assert by_kernel(promises, groups) == promises.safe(groups).tolist(), (
                text,
                counts.tolist(),
            )
            verdicts |= set(by_kernel(promises, groups))
    assert True in verdicts


@pytest.mark.parametrize("text", ROUNDED)
def test_a_rounded_rule_is_never_looser_than_its_model(text):
    kept = refused = 0
    for seed in range(tries(300)):
        counts = table(np.random.default_rng(seed))
        if len(counts):
            groups, column = sensitive(counts)
            promises = Promises((make(Model, text),), (column,))
            fast = np.array(by_kernel(promises, groups))
            exact = promises.safe(groups)
            assert not (fast & ~exact).any(), (text, counts.tolist())
            kept = kept + int((fast & exact).sum())
            refused = refused + int((exact & ~fast).sum())
    assert kept > telling(20) and refused * 50 <= kept


@given(st.lists(st.integers(1, 4), min_size=1, max_size=8), st.integers(2, 5))
@settings(max_examples=150, deadline=None)
def test_ties_of_entropy_are_decided_exactly_for_few_rows(counts, l):
    groups, column = sensitive(np.array([[*counts, 0]], np.int64))
    promises = Promises((make(Model, f"entropy-l-diversity:l={l}"),), (column,))
    assert by_kernel(promises, groups) == promises.safe(groups).tolist() or sum(counts) > 15


def test_rules_of_two_columns():
    first = np.array([0, 0, 1, 2, 2], np.int32)
    second = np.array([0, 1, 1, 0, 2], np.int32)
    groups = Groups.of(np.array([0, 0, 1, 1, 1]))
    columns = [
        Sensitive(Column("a", pa.array([1.0, 2.0]), np.bincount(first)), first),
        Sensitive(Column("b", pa.array([1.0, 2.0]), np.bincount(second)), second),
    ]
    two = Promises((make(Model, "l-diversity:l=2"),), tuple(columns))
    assert by_kernel(two, groups) == two.safe(groups).tolist() == [False, False]
    assert by_kernel(Promises(two.models, (columns[1],)), groups) == [True, True]


def test_no_rules_call_everyone_safe():
    groups = Groups.of(np.array([0, 1]))
    assert by_kernel(Promises((make(Model, "k-anonymity:k=1"),)), groups) == [True, True]
    assert packed([], []).width == 0


def test_models_that_look_beyond_a_group_have_no_rule():
    _, column = sensitive(np.array([[2, 1, 0], [1, 3, 1]]))
    for text in ("lkc:l=1,c=0.5,k=2", "t-closeness:t=0.2,distance=hierarchical"):
        assert Promises((make(Model, text),), (column,)).rules is None
    assert (
        Promises((make(Model, "l-diversity:l=2"),), (column, column), others="as-quasi").rules
        is None
    )
