"""`nearest-code`: read published values as the nearest of the values that a column has.

*The attacker knows* the values that many people hold, such as pay grades, or the step on which the
values of a column lie. Such lists are public more often than not.

    heaps   = values that at least HEAPS of the rows hold, and MEMBERS rows
    lattice = offset + step, twice the step ..., where at least half of the values lie on it
    guess   = the nearest value on a lattice or a heap; a column has the list that serves best
    control = the most frequent value of the column

Noise that is small beside the distance between such values takes nothing away, whatever the number
of different values. Columns are judged one by one, and the finding is about the one in which most
is gained. It gates above LIMIT: see docs/decisions/0022-values-far-apart.md. Cost: about 30 steps a
cell.

By hand: pay grades are 1,000, 1,500 and 2,000. Noise of up to 50 publishes 1,500 as 1,462: the
nearest grade is 1,500, and nothing was hidden. Noise of up to 500 would leave the choice open.

When to use it: on perturbed codes, zeros and ones, pay grades: values that lie far apart shine
through noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Counts, Flags, Floats
from shoal.attacks.attack import Finding, Tries
from shoal.attacks.on_numbers import NumbersAttack, cell_tries
from shoal.attacks.perturbed import Perturbed
from shoal.attacks.plain_reading import frequent
from shoal.wording import Option, Sentence

LIMIT = 0.25
HEAPS = (0.002, 0.01, 0.03)  # shares of the rows
MEMBERS = 10
STEPS = 12  # tried for a lattice: the most common distances between neighbouring values
ON_LATTICE = 0.5
SAME = 1e-6  # of a step: what floats may lie beside a lattice
MOST_POINTS = 10_000


@dataclass(frozen=True)
class NearestCode(NumbersAttack):
    """Take the nearest of the values that many hold, or of those on a lattice."""

    name = "nearest-code"
    stops_it = Sentence(
        "more noise (a larger scale), or leave the column out of ",
        Option("columns"),
        ": it is then published as it is, and the certificate says so",
    )

    def _on(self, numbers: Perturbed) -> Tries:
        hits = decoded(numbers)
        blind = frequent(numbers.original)
        tried = numbers.tried
        gained = (hits & tried).sum(axis=0) - (blind & tried).sum(axis=0)
        gains = gained / np.maximum((~blind & tried).sum(axis=0), 1)
        words = "Reads published values as the nearest one that many hold, or that lies on a step."
        if not tried.any():
            return cell_tries(numbers, np.zeros(0), np.zeros(0), words)
        worst = int(np.argmax(np.where(tried.any(axis=0), gains, -np.inf)))
        here = tried[:, worst]
        right = hits[here, worst].astype(np.float64)
        known = blind[here, worst].astype(np.float64)
        return cell_tries(numbers, right, known, words, numbers.called(worst))

    def _finding(self, tries: Tries) -> Finding:
        return replace(super()._finding(tries), limit=LIMIT)


def decoded(numbers: Perturbed) -> Flags:
    """Mark cells whose original value is the nearest code, by the best list for each column."""
    hits = np.zeros(numbers.original.shape, np.bool_)
    for place in np.flatnonzero(numbers.varies):
        there = ~np.isnan(numbers.original[:, place]) & ~np.isnan(numbers.published[:, place])
        values = numbers.original[there, place]
        published = numbers.published[there, place]
        near = SAME * (numbers.high[place] - numbers.low[place])
        best = np.zeros(len(values), np.bool_)
        for codes in _lists(values):
            right = np.abs(_nearest(codes, published) - values) <= near
            best = right if right.sum() > best.sum() else best
        hits[there, place] = best
    return hits


def _lists(values: Floats) -> Iterator[Floats]:
    """Yield lists of codes that an attacker may know: heaps, and lattices with these heaps."""
    different, counts = np.unique(values, return_counts=True)
    heaps = [different[counts >= max(MEMBERS, share * len(values))] for share in HEAPS]
    yield from (heap for heap in heaps if len(heap))
    for lattice in _lattices(different, counts, heaps[1]):
        yield np.union1d(lattice, heaps[1])


def _lattices(different: Floats, counts: Counts, heaps: Floats) -> Iterator[Floats]:
    """Yield the lattices on which at least half of the values lie."""
    for step in _steps(different, heaps):
        low = different[0]
        points = (different[-1] - low) / step
        if points > MOST_POINTS:
            continue
        residues = np.round((different - low) / step % 1.0 / SAME) * SAME % 1.0
        where = np.unique(residues, return_inverse=True)[1]
        held = np.bincount(where, counts)
        commonest = int(np.argmax(held))
        if held[commonest] >= ON_LATTICE * held.sum():
            members = different[where == commonest]
            # Laid through a value, so that its points are values to the last digit or nearly so.
            yield members[0] + step * np.arange(round((members[-1] - members[0]) / step) + 1)


def _steps(different: Floats, heaps: Floats) -> Floats:
    """List distances between neighbours among all values and among heaps, the commonest first."""
    gaps = np.concatenate((np.diff(different), np.diff(heaps)))
    if not len(gaps):
        return gaps
    rounded = np.round(gaps / gaps.max(), 9) * gaps.max()
    steps, counts = np.unique(rounded[rounded > 0], return_counts=True)
    return np.asarray(steps[np.argsort(-counts, kind="stable")][:STEPS], np.float64)


def _nearest(codes: Floats, published: Floats) -> Floats:
    """Find the code nearest to each published value."""
    middles = (codes[1:] + codes[:-1]) / 2
    return np.asarray(codes[np.searchsorted(middles, published)], np.float64)
