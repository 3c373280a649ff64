"""`chaotic`: noise from orbits of the logistic map, as published (Li, Xu, Chu & Wang 2007).

    for each column:
        x = a random number between 0 and 1
        for each row: x = r x (1 - x); the value moves by
            (x - 0.5) * scale * (largest - least value of the column)

With r = 4 the noise follows the arcsine law: up to five hundredths of the range to either side at
scale 0.1, standard deviation 3.5 hundredths. `orbit=column` is this reading; with `orbit=cell`
every cell has a random number of its own, on which the map is used WARM times: then rows don't
follow from each other, and chaos adds nothing to plain noise. Cost: one step a cell.

**It does not protect.** An orbit is deterministic: whoever knows or guesses one value of a column
knows the noise of that row, and by the map that of the rows below it. `shoal attack` shows how much
is regained; `correlated-noise` and its siblings withstand it. It is here to be measured, and is
refused for publication unless `--as-published` insists.

Orbits of floats end (at 0, or in a cycle): that is noticed, the orbit goes on from a fresh number,
and the private certificate counts it.

Paper: J. Li, Y. Xu, C.-H. Chu, Y. Wang, Privacy preserving k-means clustering with chaotic
distortion, ICEB 2007.

By hand: a column from 0 to 100, scale 0.1, r = 4, and x = 0.2 to begin with. The first row has x =
4 * 0.2 * 0.8 = 0.64 and moves by 0.14 * 10 = 1.4; the second x = 0.9216 and moves by 4.2; the third
x = 0.289 and moves by -2.1.

When to use it: to see why not to; never for publication.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.arrays import Floats
from shoal.distortions.chance import Chance
from shoal.distortions.distortion import Distortion, Stream
from shoal.distortions.shape import Shape
from shoal.errors import RecipeError
from shoal.groups import Note
from shoal.kernels.distortions.orbits import Place, iterated, start, walk

# Between these r the map is chaotic, apart from windows of order.
LEAST_R = 3.57
MOST_R = 4.0
WARM = 10  # steps after which numbers that began uniform follow the law of the map
FRESH = 64  # numbers drawn for an orbit that ends; more are drawn when they run out


@dataclass(frozen=True)
class Chaotic(Distortion):
    """Noise from orbits of the logistic map (2007). It does not protect: see its page."""

    name = "chaotic"
    r: float = 4.0
    orbit: Literal["column", "cell"] = "column"

    @property
    def orbit_parameter(self) -> float:
        """The parameter r of its own orbits."""
        return self.r

    def __post_init__(self) -> None:
        super().__post_init__()
        if not LEAST_R < self.r <= MOST_R:
            problem = (
                f"r of '{self.name}' must be above {LEAST_R} and at most {MOST_R:g}, not {self.r:g}"
            )
            raise RecipeError(problem, remedy="the map is not chaotic elsewhere; write chaotic:r=4")

    def begin(self, shape: Shape, chance: Chance) -> Stream:
        """Start an orbit for each column, walked on from part to part.

        Or draw a number for each cell.
        """
        reach = self.scale * shape.range
        if self.orbit == "cell":
            return Stream(lambda values: values + (self._cells(chance, values.shape) - 0.5) * reach)
        orbits = [_Orbit(self.r, chance) for _ in reach]

        def perturb(values: Floats) -> Floats:
            steps = np.stack([orbit.next(len(values)) for orbit in orbits], axis=1)
            return np.asarray(values + (steps - 0.5) * reach, np.float64)

        return Stream(perturb, lambda: _note(sum(int(orbit.place.used[0]) - 1 for orbit in orbits)))

    def _cells(self, chance: Chance, shape: tuple[int, ...]) -> Floats:
        cells = chance.uniform(*shape)
        iterated(self.r, WARM, cells.reshape(-1))
        return cells


class _Orbit:
    """The orbit of a column, with fresh values at hand for when it ends."""

    def __init__(self, r: float, chance: Chance) -> None:
        self.r = r
        self.chance = chance
        self.fresh = chance.uniform(FRESH)
        self.place: Place = start(self.fresh)

    def next(self, rows: int) -> Floats:
        """Return the values of the map for the next rows."""
        steps = np.empty(rows)
        while not walk(self.r, self.fresh, self.place, steps):
            self.fresh = np.concatenate((self.fresh, self.chance.uniform(len(self.fresh))))
        return steps


def _note(restarts: int) -> tuple[Note, ...]:
    text = f"orbits ended and were begun anew {restarts:,} times"
    return (Note("noise", text),) if restarts else ()
