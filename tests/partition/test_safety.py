"""Refinement under the rules of models: nothing unsafe is left behind, and more is found than by
judging afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pytest

from shoal.encode.profile import profile
from shoal.encode.rows import Rows
from shoal.groups import Groups, unwatched
from shoal.partition.balance import Balance
from shoal.partition.pieces import Pieces, ordered
from shoal.partition.refinement import EFFORTS, RefinementRounds, refine
from shoal.partition.repair import loss_of, repair
from shoal.privacy.column import Sensitive
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import Model
from shoal.privacy.promises import Promises
from shoal.registry import make
from tables import encoded, sample

MODELS = [
    "l-diversity:l=2",
    "alpha-k:alpha=0.6",
    "t-closeness:t=0.3",
    "entropy-l-diversity:l=2",
    "frequency-l-diversity:l=2",
]


@dataclass(frozen=True)
class Judge:
    """Promises without rules."""

    promises: Promises
    only_size = False
    survives_merging = True
    rules = None

    @property
    def least(self) -> int:
        return self.promises.least

    def safe(self, groups):
        return self.promises.safe(groups)


def promised(seed: int, text: str) -> tuple[Rows, Promises, Groups]:
    """A random table with a sensitive column, and groups that are safe unless none are."""
    case = sample(seed, 150)
    rng = np.random.default_rng(seed)
    column = profile(pa.array(rng.choice(4, case.rows.count)), "ill")
    rows = encoded(case.columns, sensitive=[column])
    promises = Promises(
        (KAnonymity(2), make(Model, text)), (Sensitive.of("ill", column.codes, column.values),)
    )
    return (
        rows,
        promises,
        repair(Groups.of(rng.integers(0, rows.count // 4 + 1, rows.count)), rows, promises),
    )


@pytest.mark.parametrize("text", MODELS)
def test_every_step_follows_the_rules(text, monkeypatch):
    """The verdict on each round is there for models without rules, and for regions divided anew:
    after steps under rules it finds nothing.
    """
    thrown_away = []

    def safe(rounds, parts, found):
        together = Pieces.together(found)
        groups = Groups(together.labels(rounds.tuples, rounds.rows.count), together.groups)
        thrown_away.append(int((~rounds.guard.safe(groups)).sum()))
        return found

    monkeypatch.setattr(RefinementRounds, "_safe", safe)
    monkeypatch.setattr(RefinementRounds, "_renewals", lambda rounds, groups: 0)
    for seed in range(60):
        rows, promises, groups = promised(seed, text)
        if promises.safe(groups).all():
            refine(groups, rows, 2, promises, np.random.default_rng(1))
    assert len(thrown_away) > 50 and not any(thrown_away)


@pytest.mark.parametrize("text", MODELS)
def test_more_is_found_than_by_judging_blocks_afterwards(text):
    saved = {True: 0, False: 0}
    for seed in range(40):
        rows, promises, groups = promised(seed, text)
        for ruled in (True, False) if promises.safe(groups).all() else ():
            better = refine(
                groups, rows, 2, promises if ruled else Judge(promises), np.random.default_rng(1)
            )
            assert promises.safe(better).all()
            assert loss_of(better, rows) <= loss_of(groups, rows)
            saved[ruled] += loss_of(groups, rows) - loss_of(better, rows)
    assert saved[True] > saved[False] > 0


def test_withheld_rows_stay_withheld_under_rules():
    for seed in range(40):
        rows, promises, groups = promised(seed, "l-diversity:l=2")
        some = groups.withhold([groups.count - 1])
        if some.count and promises.safe(some).all():
            better = refine(some, rows, 2, promises, np.random.default_rng(1))
            assert np.array_equal(better.labels < 0, some.labels < 0)
            assert promises.safe(better).all()


def test_one_thread_gives_what_two_give_under_rules():
    rows, promises, groups = promised(3, "alpha-k:alpha=0.6")
    search = replace(EFFORTS["default"], block=4)
    tuples = ordered(rows, apart=True)
    tuple_of = np.repeat(np.arange(len(tuples.counts)), tuples.counts)
    pieces = Pieces.of(groups.labels[tuples.order], tuple_of, len(tuples.counts))
    one, two = (
        RefinementRounds(
            *(rows, tuples, 2, promises, search, np.random.default_rng(5), unwatched),
            *(Balance(rows, tuples, 0.0), threads),
        ).refined(pieces)[0][0]
        for threads in (1, 2)
    )
    assert np.array_equal(one.labels(tuples, rows.count), two.labels(tuples, rows.count))
