"""Blocks of groups: whatever is left out of a block, verdicts and measures are those of all groups
at once.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from shoal.groups import Groups
from shoal.privacy import counted
from shoal.privacy.column import Sensitive
from shoal.privacy.counted import Counted
from shoal.privacy.model import Model
from shoal.registry import make

ASKED = [
    *(
        "l-diversity:l=3",
        "p-sensitive:p=2",
        "entropy-l-diversity:l=2.5",
        "recursive-l-diversity:c=1,l=2",
        "k-e:e=4",
    ),
    *(
        "frequency-l-diversity:l=2",
        "alpha-k:alpha=0.4",
        "alpha-k:alpha=0.3,values=[1;4]",
        "t-closeness:t=0.6",
    ),
    *(
        "t-closeness:t=0.2,distance=ordered",
        "beta-likeness:beta=2",
        "beta-likeness:beta=2,form=enhanced",
    ),
    *("delta-disclosure:delta=2", "delta-disclosure:delta=1.2,absent=skip", "lkc:l=1,c=0.5"),
]


@pytest.mark.parametrize("text", ASKED)
def test_small_blocks_of_few_values_give_what_all_at_once_gives(text, monkeypatch):
    model = make(Model, text)
    rng = np.random.default_rng(7)
    seen = set()
    for _ in range(25):
        rows = 60
        values = int(rng.integers(1, 9))
        codes = np.minimum(
            rng.integers(0, values + 1, rows), rng.integers(0, values + 1, rows)
        ).astype(np.int32)
        column = Sensitive.of("s", codes, pa.array(range(values)))
        one = Counted(Groups.of(rng.integers(-1, 9, rows)), column.column, column.codes)
        monkeypatch.undo()
        expected = (one.verdicts(model).tolist(), one.measured(model))
        for name, few in (("MANY", 0), ("FEW", 2), ("BLOCK", 8)):
            monkeypatch.setattr(counted, name, few)
        assert one.verdicts(model).tolist() == expected[0]
        assert one.measured(model) == pytest.approx(expected[1])
        seen |= set(expected[0])
    assert seen == {True, False} or text in ("delta-disclosure:delta=2", "t-closeness:t=0.6")
