"""A description of a table travels to wherever its rows are, and codes them there as a table at one
go is coded.
"""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa

from shoal.engines.encoding import Coded
from shoal.engines.profiles import profiles
from shoal.engines.sharding import Countable, ShardTally, cut_table
from shoal.flows.declared import declared
from shoal.recipe import Recipe

RNG = np.random.default_rng(2)
PEOPLE = pa.table(
    {
        "age": pa.array(RNG.choice([20, 30, 44, None], 900)),
        "city": pa.array(RNG.choice(["Oslo", "Rome", "Bonn"], 900)),
        "ill": pa.array(RNG.choice(["flu", None, "gout"], 900)),
    }
)
TREE = {"Europe": {"north": ["Oslo"], "south": ["Rome", "Bonn"]}}
PLAN = Recipe.of(quasi=["city", "age"], sensitive=["ill"], k=3, hierarchies={"city": TREE}).plan()


def test_codes_are_those_of_the_table_at_one_go() -> None:
    rows, _ = declared(PEOPLE, PLAN)
    parts = [PEOPLE.slice(first, 70) for first in range(0, 900, 70)]
    names = ["city", "age", "ill"]
    found = Coded.of(dict(zip(names, profiles(parts, names, 10**9), strict=True)), 900, PLAN)
    sent, plan = pickle.loads(pickle.dumps((found, PLAN)))
    codes = np.concatenate([sent.code(part) for part in parts], axis=1)
    assert (
        codes[:2].tolist() == rows.codes.tolist()
        and codes[2].tolist() == rows.sensitive[0].codes.tolist()
    )
    assert sent.rows(codes).axes[0].counts.tolist() == rows.axes[0].counts.tolist()
    assert all(np.array_equal(a, b) for a, b in zip(sent.costs, rows.costs, strict=True))
    countable = Countable(
        sent.axes,
        sent.costs,
        sent.sensitive,
        lambda grid, cuts: grid.counted(cuts, codes[:2]),
        lambda shards: ShardTally.of(
            shards.shard_of(codes[:2]), shards.count, sent.rows(codes).sensitive
        ),
    )
    shards, tally = cut_table(countable, plan, 4)
    assert shards.count == len(tally.sizes) > 1 and tally.sizes.sum() == 900
    assert (
        pickle.loads(pickle.dumps(shards)).shard_of(codes[:2]).tolist()
        == shards.shard_of(codes[:2]).tolist()
    )
