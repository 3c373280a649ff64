"""Filter: the parts of attacks that take some of the noise off all values.

    cut = 1 - root mean squared error of the estimates / that of reading the published values

The interval comes from rows drawn again, DRAWS times. A filter gates where the cut exceeds LIMIT;
of a table too long to be attacked as a whole, the upper end of the interval counts.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from shoal.arrays import Floats
from shoal.attacks.attack import Attack, Finding, Material, Tries
from shoal.attacks.perturbed import Perturbed
from shoal.screen import fine_percent
from shoal.wording import Sentence, Set

DRAWS = 200
LIMIT = 0.15


class Filter(Attack):
    """An attack that estimates values, scored by the share of the error that it takes away."""

    gates = "always"
    needs = ("numbers",)
    flows = ("distort",)
    stops_it = Sentence(
        "noise with the shape of the data, and little beside how far values lie apart: ",
        Set("method", "correlated-noise"),
    )

    @abstractmethod
    def _estimate(self, numbers: Perturbed) -> Floats:
        """Estimate the original values, in the form of `numbers.filled`."""

    def _tries(self, material: Material) -> Iterator[Tries]:
        raise NotImplementedError  # a share of an error has no single tries

    def _findings(self, material: Material) -> Iterator[Finding]:
        numbers = material.numbers
        assert numbers is not None
        if not numbers.varies.any():
            yield self._impossible("Nothing was perturbed.")
            return
        errors_read = _squares(numbers.filled, numbers.truth)
        errors_left = _squares(self._estimate(numbers), numbers.truth)
        cut = _cut(errors_read.sum(), errors_left.sum())
        low, high = _interval(errors_read, errors_left, cut)
        words = (
            f"Takes {fine_percent(cut)} of the error away that reading the published values has "
            f"({fine_percent(low)} to {fine_percent(high)})."
        )
        beyond = cut if numbers.share == 1.0 else high
        yield Finding(
            name=self.name,
            column=None,
            gates=True,
            trials=len(errors_read),
            attack=None,
            control=None,
            advantage=cut,
            low=low,
            high=high,
            conceded=0.0,
            beyond=beyond,
            words=words,
            stops_it=self.stops_it,
            limit=LIMIT,
        )


def _squares(values: Floats, truth: Floats) -> Floats:
    """Sum the squared errors of each row."""
    return np.asarray(np.nansum((values - truth) ** 2, axis=1), np.float64)


def _cut(read: float, left: float) -> float:
    return 1.0 - float(np.sqrt(left / read)) if read > 0 else 0.0


def _interval(read: Floats, left: Floats, cut: float) -> tuple[float, float]:
    """Compute the interval that holds the cut of 95 in 100 tables drawn from these rows."""
    rng = np.random.default_rng(1)
    rows = len(read)
    times = rng.multinomial(rows, np.full(rows, 1.0 / rows), DRAWS).astype(np.float64)
    cuts = [_cut(*sums) for sums in zip(times @ read, times @ left, strict=True)]
    low, high = np.quantile(cuts, [0.025, 0.975]).tolist()
    return min(low, cut), max(high, cut)
