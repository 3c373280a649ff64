"""Refusals: what must not be published, by exit code of the terminal and class of error in Python.

Their texts may be reworded, so only the code and the class are frozen, here and by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import shoal
from guarantees.golden_runs import BASE, people

ERRORS = {2: "RecipeError", 3: "DataError", 4: "PrivacyNotMet"}


@dataclass(frozen=True)
class Refused:
    """A call that is refused at both doors: its exit code, what is typed, what is called."""

    code: int
    typed: tuple[object, ...]
    called: Callable[[], object]


def anonymize(code: int, *typed: object, source: str = "people.csv", **asked: Any) -> Refused:
    """Describe a refused `anonymize`; options that are typed last win."""
    words = ("anonymize", source, "-o", "out.csv", "-q", "age,sex", "-i", "name", "-k", 5)
    given = {**BASE, "quasi": ["age", "sex"], "sensitive": [], "hierarchies": {}, **asked}
    return Refused(code, (*words, *typed), lambda: shoal.anonymize(source, **given))


ILL = {"sensitive": ["illness"]}
REFUSALS = {
    "unknown column": anonymize(2, "-s", "ilness", sensitive=["ilness"]),
    "two roles": anonymize(2, "-s", "age", sensitive=["age"]),
    "k of 0": anonymize(2, "-k", 0, k=0),
    "unknown method": anonymize(2, "--method", "k-membr", method="k-membr"),
    "bad parameter": anonymize(2, "--method", "v-mdav:gamma=x", method="v-mdav:gamma=x"),
    "model without a column": anonymize(
        2, "--model", "l-diversity:l=2", models=["l-diversity:l=2"]
    ),
    "model that the method can't serve": anonymize(
        2, *("-s", "illness", "--model", "lkc:l=2,c=0.7"), models=["lkc:l=2,c=0.7"], **ILL
    ),
    "loss that the method can't minimize": anonymize(
        2, *("--method", "k-member", "--loss", "loss-metric"), method="k-member", loss="loss-metric"
    ),
    "k below the preset": anonymize(2, "--preset", "ema", preset="ema"),
    "no such file": anonymize(3, source="nobody.csv"),
    "ragged file": anonymize(3, source="ragged.csv"),
    "value missing from its hierarchy": anonymize(
        3, *("-q", "job", "--hierarchy", "job=short.csv"),
        quasi=["age", "sex", "job"], hierarchies={"job": "short.csv"},
    ),
    "missing values refused": anonymize(
        3, "--missing", "refuse", source="gaps.parquet", missing="refuse"
    ),
    "population without these people": anonymize(
        3, "--population", "everyone.csv", population="everyone.csv"
    ),
    "k above the rows": anonymize(4, "-k", 301, k=301),
    "l not reachable": anonymize(
        4, *("-s", "illness", "--model", "l-diversity:l=6"), models=["l-diversity:l=6"], **ILL
    ),
    "kept column that names people": Refused(
        4,
        ("anonymize", "people.csv", "-o", "out.csv", "-q", "age,sex", "--keep", "name"),
        lambda: shoal.anonymize(people(), quasi=["age", "sex"], keep=["name"]),
    ),
    "distortion that an attack undoes": Refused(
        4,
        ("distort", "people.csv", "-o", "out.csv", "--columns", "age,cost", "--method", "chaotic"),
        lambda: shoal.distort(people(), columns=["age", "cost"], method="chaotic"),
    ),
    "audit of a promise not kept": Refused(
        4,
        ("audit", "people.csv", "-q", "age,sex", "--require", "k=5"),
        lambda: shoal.audit(people(), quasi=["age", "sex"], require=["k=5"]),
    ),
}  # fmt: skip
