"""Tables for a classifier: ten public data sets, complete rows, identifiers dropped, the columns
that tell about the class.

The paper chooses columns by correlation before it anonymizes (Hall 1998, Correlation-based feature
subset selection): those that go together with the class and not with each other. So do we, by hill
climbing with backtracking as the paper says: the best subset so far is grown or cut by one column,
and five steps in a row without a better one end the search (Weka's best-first search):

    merit = n * (mean uncertainty shared with the class) / sqrt(n + n (n - 1) * (mean shared among
    each other))

Numbers are cut into ten bins of equal counts for this. Whole tables choose, not training parts, as
in the paper. Heart, yeast and ecoli have the columns of the paper's table 1, without the sequence
name, which is an identifier; Adult has the eight columns that every paper of this field takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import shoal
from benchmarks import adult
from experiments.runs import adult_base

BINS = 10
STALE = 5  # steps without a better subset, after which the search ends
ADULT = "adult"


@dataclass(frozen=True)
class Source:
    """Where a table is, what its class is called, what is dropped, and which codes are names in
    truth.
    """

    target: str
    identifiers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    """Quasi-identifiers, where the paper's table 1 lists them."""
    higher_l: bool = False
    """Whether a higher l means anything: more classes than l, and none in more than one of l rows.
    """


NAMES_OF_HEART = ("sex", "cp", "fbs", "restecg", "exang", "thal")
HEART = (
    "age", "sex", "cp", "trestbps", "chol", "fbs", "restecg",
    "thalach", "exang", "oldpeak", "slope", "ca", "thal",
)  # fmt: skip
ECOLI = ("mcg", "gvh", "lip", "alm1", "alm2")
SOURCES = {
    ADULT: Source("income"),
    "heart_cleveland": Source("num", (), NAMES_OF_HEART, HEART),
    "yeast": Source("class", ("sequence_name",), (), ("alm", "erl", "pox"), higher_l=True),
    "ecoli": Source("class", ("sequence_name",), (), ECOLI, higher_l=True),
    "german_credit": Source("class"),
    "cmc": Source(
        "contraceptive_method",
        names=("wife_religion", "wife_working", "husband_occupation", "media_exposure"),
        higher_l=True,
    ),
    "nursery": Source("class", higher_l=True),
    "mammographic": Source("severity", names=("shape", "margin")),
    "breast_wisconsin": Source("class"),
    "breast_ljubljana": Source("class"),
}


@dataclass(frozen=True)
class Classified:
    """A table with a class, and how it is anonymized."""

    name: str
    table: pa.Table
    quasi: tuple[str, ...]
    target: str
    hierarchies: Mapping[str, Any]

    @property
    def classes(self) -> np.ndarray:
        """The class of each row as a number."""
        return np.unique(
            self.table[self.target].to_numpy(zero_copy_only=False), return_inverse=True
        )[1]


@cache
def classified(name: str, rows: int) -> Classified:
    """So many rows of a data set at most, drawn at random; all columns that tell about the
    class.
    """
    source = SOURCES[name]
    if name == ADULT:
        base = adult_base()
        return Classified(
            name,
            drawn(adult.table(), rows, 1),
            tuple(base["quasi"]),
            source.target,
            base["hierarchies"],
        )
    table = shoal.datasets.table(name).drop_columns(list(source.identifiers))
    table = _empty_texts(table).drop_null()
    for column in (*source.names, source.target):
        table = table.set_column(
            table.column_names.index(column), column, table[column].cast(pa.string())
        )
    quasi = source.listed or telling(table, source.target)
    return Classified(
        name, drawn(table.select([*quasi, source.target]), rows, 1), quasi, source.target, {}
    )


def _empty_texts(table: pa.Table) -> pa.Table:
    """Write a missing text as an empty one, a value of its own here; missing numbers stay."""
    columns = [
        column.fill_null("") if pa.types.is_string(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, table.column_names)


def drawn(table: pa.Table, rows: int, seed: int) -> pa.Table:
    """So many rows at random; the table itself where it has no more."""
    if rows >= table.num_rows:
        return table
    return table.take(
        pa.array(np.sort(np.random.default_rng(seed).choice(table.num_rows, rows, replace=False)))
    )


def telling(table: pa.Table, target: str) -> tuple[str, ...]:
    """The columns of highest merit, in the order of the table."""
    names = [name for name in table.column_names if name != target]
    codes = {name: binned(table[name]) for name in table.column_names}
    with_class = {name: shared(codes[name], codes[target]) for name in names}
    among = {(a, b): shared(codes[a], codes[b]) for a in names for b in names if a != b}

    def merit(some: frozenset[str]) -> float:
        return _merit([name for name in names if name in some], with_class, among)

    best = best_first(names, merit)
    return tuple(name for name in names if name in best)


def best_first(names: Sequence[str], merit: Callable[[frozenset[str]], float]) -> frozenset[str]:
    """Search subsets from the most promising one on, going back where a path leads nowhere."""
    best = frozenset[str]()
    value = 0.0
    waiting: dict[frozenset[str], float] = {best: value}
    seen = {best}
    stale = 0
    while waiting and stale < STALE:
        here = max(waiting, key=lambda some: (waiting[some], sorted(some)))
        del waiting[here]
        stale += 1
        for some in (here ^ {name} for name in names):
            if some and some not in seen:
                seen.add(some)
                waiting[some] = merit(some)
                if waiting[some] > value:
                    best = some
                    value = waiting[some]
                    stale = 0
    return best


def _merit(
    some: list[str], with_class: Mapping[str, float], among: Mapping[tuple[str, str], float]
) -> float:
    each_other = sum(among[a, b] for a in some for b in some if a != b)
    return float(sum(with_class[name] for name in some) / np.sqrt(len(some) + each_other))


def shared(ones: np.ndarray, others: np.ndarray) -> float:
    """Symmetric uncertainty: the information that two columns share, of what both hold."""
    alone = [entropy(codes) for codes in (ones, others)]
    both = entropy(ones * (int(others.max()) + 1) + others)
    return 2 * (sum(alone) - both) / sum(alone) if sum(alone) else 0.0


def entropy(codes: np.ndarray) -> float:
    """Measure the information of a column of codes, in bits."""
    share = np.unique(codes, return_counts=True)[1] / len(codes)
    return float(-(share * np.log2(share)).sum())


def binned(column: pa.ChunkedArray) -> np.ndarray:
    """The different values as codes; of numbers bins of equal counts."""
    if not pa.types.is_string(column.type):
        values = column.to_numpy()
        ends = np.unique(np.quantile(values, np.arange(1, BINS) / BINS))
        return np.searchsorted(ends, values, side="right")
    return np.asarray(pc.dictionary_encode(column.combine_chunks()).indices)
