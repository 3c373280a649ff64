"""Losses: every one of a table; those that add up over shards, measured of one and summed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shoal import registry
from shoal.arrays import Codes
from shoal.engines.encoding import Coded
from shoal.groups import Groups, Note
from shoal.kernels.threads import side_by_side
from shoal.review.certificate import finite
from shoal.review.losses.loss import Evidence, Loss

LEFT_OUT = Note(
    "unmeasured", "measured on parts of the table: what does not add up over them is left out"
)


def of_whole(evidence: Evidence) -> dict[str, float | None]:
    """Measure every loss of a table in memory, several at a time."""
    # What several of them look at is found before threads begin, and so once.
    _ = (evidence.boxes, evidence.held, evidence.rows.distinct)
    every = registry.names(Loss)
    measured = side_by_side(
        lambda loss: finite(loss().measure(evidence)), every.values(), rows=evidence.rows.count
    )
    return dict(zip(every, measured, strict=True))


def of_shard(table: Coded, codes: Codes, groups: Groups) -> dict[str, float]:
    """Measure the losses of a shard that add up: sums, and means times its rows."""
    evidence = Evidence(replace(table.rows(codes), axes=table.axes), groups)
    measured = dict[str, float]()
    for name, loss in registry.names(Loss).items():
        if loss.adds and (value := loss().measure(evidence)) is not None:
            measured[name] = value * codes.shape[1] if loss.adds == "rows" else value
    return measured


def of_table(shards: Sequence[Mapping[str, float]], rows: int) -> dict[str, float]:
    """Sum the losses of all shards of a table."""
    summed = {name: sum(shard[name] for shard in shards) for name in shards[0]}
    means = [name for name in summed if registry.names(Loss)[name].adds == "rows"]
    return summed | {name: summed[name] / rows for name in means}
