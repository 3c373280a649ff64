"""Shoal itself, asked and scored as everybody. A first run on 300 rows compiles what is needed."""

import warnings

import numpy as np
from exchange import Asked, serve

import shoal


def ours(asked: Asked) -> object:
    return released(asked, asked.frame)


def released(asked: Asked, frame: object) -> object:
    """Release some rows; those left out are not in the table."""
    warnings.simplefilter("ignore", shoal.ShoalWarning)
    trees: dict = dict(asked.trees)
    if asked.setting != "full-domain":
        trees["age"] = None
    release = shoal.anonymize(
        frame[asked.quasi],
        quasi=asked.quasi,
        hierarchies=trees,
        k=asked.k,
        method=asked.setting,
        withhold=asked.withhold,
        keep_order=True,
        seed=1,
    )
    return release.table.assign(row=frame["row"][np.asarray(release.groups) >= 0].to_numpy())


serve(ours, first=lambda asked: released(asked, asked.frame.head(300)))
