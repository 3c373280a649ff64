"""Runs where pyCANON is installed, and nothing of Shoal: tables as JSON in, what pyCANON measures
out.

Only what it is known to measure rightly: not its recursive (c, l), its entropy l, nor anything with
missing values.
"""

import json
import sys
from importlib.metadata import version

import pandas as pd
from pycanon import anonymity

MEASURES = {
    "k-anonymity": lambda *table: anonymity.k_anonymity(*table[:2]),
    "alpha-k": lambda *table: anonymity.alpha_k_anonymity(*table)[0],
    "l-diversity": anonymity.l_diversity,
    "t-closeness": anonymity.t_closeness,
    "beta-likeness": anonymity.basic_beta_likeness,
    "delta-disclosure": anonymity.delta_disclosure,
}


def measured(columns):
    """Every measure of a table whose last column is the sensitive one; its index counts from 0."""
    table = pd.DataFrame(columns).reset_index(drop=True)
    *quasi, sensitive = table.columns
    return {
        name: float(measure(table, list(quasi), [sensitive])) for name, measure in MEASURES.items()
    }


if __name__ == "__main__":
    found = [measured(columns) for columns in json.load(sys.stdin)]
    json.dump({"version": version("pycanon"), "found": found}, sys.stdout)
