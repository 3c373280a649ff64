"""The leak of `nsvdist` as published, on Adult: who is hidden, what can be solved for, what repairs
cost.

python -m experiments.leak_2014 [--afresh]: measures this part alone; experiments.last_2014 writes
the page.

*The attacker knows* the quasi-identifiers of everyone in the table, and the method. So they find
every neighbourhood again by running it (with l above 1, sensitive values shape neighbourhoods:
there, what is solved for is an upper bound).

Who is covered by a row is a matter of reading: its box as printed (nodes of hierarchies, intervals
snapped); nodes and exact intervals; exact intervals and the very values that occur in the
neighbourhood; or the members of the neighbourhood alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

import shoal
from benchmarks import adult
from experiments.accuracy_2014 import by_group
from experiments.divided import divided
from experiments.runs import adult_base, key_of, options
from experiments.tables_2014 import drawn
from shoal.attacks.reconstruction import guesses
from shoal.comparison.cells import Row
from shoal.encode.rows import Rows
from shoal.errors import ShoalError
from shoal.flows import overlap
from shoal.flows.declared import declared
from shoal.overlap.cover import Cover, as_published
from shoal.overlap.overlap import Neighbourhoods
from shoal.overlap.speech import exact
from shoal.recipe import Recipe
from shoal.review.overlap_gate import printed_boxes

SETTINGS = (
    ("income", 5, 1),
    ("income", 10, 1),
    ("income", 20, 1),
    ("occupation", 5, 1),
    ("occupation", 10, 1),
    ("occupation", 10, 5),
)
REFERENCE = {
    ("income", 5, 1): 0.952,
    ("income", 10, 1): 0.945,
    ("income", 20, 1): 0.898,
    ("occupation", 5, 1): 0.858,
    ("occupation", 10, 1): 0.775,
    ("occupation", 10, 5): 0.685,
}
"""What equations regained on a sample of 400 in another implementation."""
ALL = 30_162
SAMPLES = {400: 5, 1_000: 3, ALL: 1}
PAPER = "nsvdist, as published"
FLAT = "nsvdist, as published, without hierarchies"
REPAIRS = {"nsvdist, k-concealment": "k-concealment", "nsvdist, ring": "ring"}
GROUPED = ("shoal", "k-member")
AT_ONCE = 256
SMALL = 1_000  # rows, up to which all is measured that takes their square


@dataclass(frozen=True)
class Leak:
    """A method on one sample of Adult."""

    method: str
    sensitive: str
    k: int
    l: int
    rows: int
    sample: int

    @property
    def key(self) -> str:
        """A name for the result."""
        return key_of(self)

    @property
    def table(self) -> pa.Table:
        """The sample."""
        return drawn(adult.table(), self.rows, self.sample)

    @property
    def asked(self) -> dict[str, Any]:
        """The table as Adult always is; where occupation is sensitive it is no quasi-identifier."""
        base = adult_base()
        quasi = [name for name in base["quasi"] if name != self.sensitive]
        trees = {name: base["hierarchies"][name] for name in quasi if self.method != FLAT}
        return {
            "quasi": quasi,
            "sensitive": [self.sensitive],
            "hierarchies": trees,
            "k": self.k,
            "seed": self.sample,
        }


def leaks(*, quick: bool = False) -> Iterator[Leak]:
    """All cells; in a quick run those of the smallest samples."""
    for rows, samples in SAMPLES.items():
        for sample in range(1, 1 + (1 if quick else samples)):
            if not quick or rows == min(SAMPLES):
                for setting in SETTINGS[::3] if quick else SETTINGS:
                    methods = (PAPER, *REPAIRS, *GROUPED, *((FLAT,) if rows <= SMALL else ()))
                    yield from (Leak(name, *setting, rows, sample) for name in methods)


def measure(leak: Leak) -> Row:
    """Who is hidden, what is guessed, what is lost."""
    try:
        if leak.method in (PAPER, FLAT):
            return _as_published(leak)
        return _repaired(leak) if leak.method in REPAIRS else _grouped(leak)
    except ShoalError as error:
        return {"refused": error.problem, "usual": _usual(leak)}


def _as_published(leak: Leak) -> Row:
    recipe = Recipe.of(**leak.asked, method=f"nsvdist:l={leak.l}", as_published=True)
    plan = recipe.overlap_plan()
    table = leak.table
    rows, _ = declared(table, plan)
    near = plan.method.cover(rows, leak.k, np.random.default_rng(leak.sample))
    known = overlap.overlapped(exact(near, rows.sensitive), rows.sensitive, plan)
    told = known.told[leak.sensitive]
    right = {
        f"by {how}": float(np.mean(guess == told.truth))
        for how, guess in guesses(known, told).items()
    }
    release = shoal.anonymize(table, recipe=recipe)
    readings = {
        "printed": Cover.of(rows.codes, *printed_boxes(release.table, rows.axes)).covering,
        "nodes": Cover.of(rows.codes, *as_published(rows.axes, near.lo, near.hi)).covering,
        **({"values": by_values(rows, near)} if rows.count <= SMALL else {}),
        "members": np.bincount(near.members.reshape(-1), minlength=rows.count),
    }
    found = {f"below k, {how}": float(np.mean(counts < leak.k)) for how, counts in readings.items()}
    found |= {f"one row, {how}": float(np.mean(counts == 1)) for how, counts in readings.items()}
    return {
        **_stated(release, leak),
        **found,
        **right,
        "guessed": max(right.values()),
        "rank": _rank(near),
    }


def _rank(near: Neighbourhoods) -> float | None:
    """How many of the equations are independent, as a share; of small tables."""
    rows = len(near.members)
    if rows > SMALL:
        return None
    known = np.zeros((rows, rows))
    known[np.arange(rows)[:, None], near.members] = 1
    return float(np.linalg.matrix_rank(known) / rows)


def by_values(rows: Rows, near: Neighbourhoods) -> np.ndarray:
    """How many neighbourhoods cover each record, if a number must lie between theirs and a category
    occur in them.
    """
    covering = np.zeros(rows.count, np.int64)
    for start in range(0, rows.count, AT_ONCE):
        some = near.members[start : start + AT_ONCE]
        inside = np.ones((len(some), rows.count), bool)
        for place, axis in enumerate(rows.axes):
            codes = rows.codes[place]
            there = np.zeros((len(some), int(codes.max()) + 1), bool)
            if axis.kind == "category":
                there[np.arange(len(some))[:, None], codes[some]] = True
            else:
                low, high = (
                    ends[place, start : start + AT_ONCE, None] for ends in (near.lo, near.hi)
                )
                there |= (low <= np.arange(there.shape[1])) & (np.arange(there.shape[1]) <= high)
            inside &= there[:, codes]
        covering += inside.sum(axis=0)
    return covering


def _repaired(leak: Leak) -> Row:
    method = f"nsvdist:l={leak.l},match={REPAIRS[leak.method]},values=sampled"
    release = shoal.anonymize(leak.table, **leak.asked, method=method)
    private = release.certificate.private
    attack = next(one for one in private.attacks if one.name == "reconstruction")
    found = _stated(release, leak) | {"guessed": attack.attack}
    below = private.concealment.covering_below
    return found | {"below k, printed": below / leak.rows}


def _grouped(leak: Leak) -> Row:
    models = [f"frequency-l-diversity:l={leak.l}"] if leak.l > 1 else []
    found = divided(leak.table, Recipe.of(**leak.asked, method=leak.method, models=models))
    guessed = by_group(found.published(), leak.asked["quasi"], leak.sensitive)
    return {
        "usual": _usual(leak),
        "height-share": found.lost("height-share"),
        "guessed": guessed,
        "link": 1 / leak.k,
    }


def _stated(release: Any, leak: Leak) -> Row:
    """What the certificate says."""
    told = release.certificate.private
    matches = told.concealment.matches_below / leak.rows
    return {
        "usual": _usual(leak),
        "height-share": _loss(release),
        "below k matches": matches,
        "link": told.link.largest,
    }


def _usual(leak: Leak) -> float:
    return (
        max(leak.table[leak.sensitive].combine_chunks().value_counts().field("counts").to_pylist())
        / leak.rows
    )


def _loss(release: Any) -> float:
    return release.certificate.private.losses["height-share"]


def main() -> None:
    """Measure this part alone."""
    asked = options("leak_2014", __doc__)
    asked.measured(list(leaks(quick=asked.quick)), measure)


if __name__ == "__main__":
    main()
