"""`genetic`: groups exchange rows while the loss falls, starting from those of `hybrid`.

After Lin & Wei 2009, Genetic algorithm-based clustering approach for k-anonymization, doi
10.1016/j.eswa.2009.02.009.

    the groups of `hybrid` are the chromosomes, their rows the genes
    repeat, for `generations` or until two in a row have exchanged nothing:
        groups are ranked by loss (size times box), worst first
        each group is once the first parent, in an order drawn by rank
        the second parent is drawn by rank from the 100 groups nearest to it
        one row of each is exchanged, if the replacement policy agrees

Equal numbers are exchanged, so sizes never change and every row stays in one group. A rank i of K
has the probability q (1 - q)^(i - 1) / (1 - (1 - q)^K). Groups are as near as their medoids: rows
with the least sum of distances to the others.

`crossover`: which rows are exchanged.

- `random`: any row of each.
- `farthest`: of each group the row farthest from its own medoid.
- `cross`: of each group the row nearest to the other's medoid.
- `nearest`: the row of the second group nearest to the first one's medoid, for whichever row of the
  first is best.
- `multiple-nearest`: the best of so many `neighbours` that are nearest, and of all rows of the
  first.
- `best`: the best of all pairs. The same as 10 neighbours up to k = 10; beyond that better, and
  dearer by the square of k.

`replacement`: `better` exchanges where the loss of both together falls; `always`, whatever happens;
`annealing` lets it grow by as much as an exponential draw times a temperature, which sinks from a
twentieth of the mean loss of a group to nothing. The result is the best generation, or the start:
never worse than `hybrid`, whatever the policy.

Cost: O(K^2) distances for K = n / k groups, every 10 generations, and O(n) exchanges to weigh in
each.

What we do differently. **This is a reconstruction**: of the paper its abstract, its definition of
loss and its headings were at hand (initial population, rank-based selection of pairs, crossovers,
replacement, multiple nearest neighbours, a parameter q). That one chromosome is one group follows
from them: the result of one run of `hybrid` is a whole population. The formulas are ours. So is
that each group is first parent once a generation: drawn with repetition, a search on thousands of
groups never comes to those that are not among the worst. Random numbers, in this order: those of
`hybrid`, then for each generation four uniform ones and an exponential one for every trial, needed
or not.

By hand, in years: the groups {20, 40} and {21, 42} lose 2 * 20 + 2 * 21 = 82. Exchanging 40 and 21
makes {20, 21} and {40, 42}, which lose 2 * 1 + 2 * 2 = 6: it is done.

When to use it: to compare with the field. It takes about a seventh off the loss of `hybrid`;
`annealing` with more generations takes more. `shoal` also moves single rows and whole groups, and
loses less in less time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.encode.rows import Rows
from shoal.errors import RecipeError
from shoal.groups import Groups, Guard, Note, Watch, within
from shoal.kernels.partition import genetic as kernels
from shoal.kernels.partition.genetic import Chromosomes, Generation
from shoal.partition.hybrid import Hybrid
from shoal.partition.method import Method
from shoal.partition.points import LOSSES

# All other crossovers are NEAREST.
CROSSOVERS = {"random": kernels.RANDOM, "farthest": kernels.FARTHEST, "cross": kernels.CROSS}
REPLACEMENTS = {"always": kernels.ALWAYS, "better": kernels.BETTER, "annealing": kernels.ANNEALING}
NEAR = 100  # how many groups may be second parent
SAME_NEIGHBOURS = 10  # generations before nearness is measured anew
HEAT = 0.05  # the first temperature, as a share of the mean loss of a group
PATIENCE = 2  # generations without an exchange
BREATH = 10_000_000  # looks at a code between two looks at the watch: a fraction of a second


@dataclass(frozen=True)
class Genetic(Method):
    """Groups of `hybrid` exchange rows while the loss falls (reconstructed; Lin & Wei 2009)."""

    name = "genetic"
    losses = LOSSES
    crossover: Literal["random", "farthest", "cross", "nearest", "multiple-nearest", "best"] = (
        "multiple-nearest"
    )
    neighbours: int = 10
    replacement: Literal["always", "better", "annealing"] = "better"
    q: float = 0.1
    generations: int = 100

    def __post_init__(self) -> None:
        if not 0 < self.q <= 1:
            raise RecipeError(
                f"q of 'genetic' must be above 0 and at most 1, not {self.q:g}",
                remedy="genetic:q=0.1",
            )
        for what, least in (("neighbours", self.neighbours), ("generations", self.generations)):
            if least < 1:
                raise RecipeError(
                    f"{what} of 'genetic' must be at least 1, not {least}",
                    remedy=f"genetic:{what}=10",
                )

    def _divide(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        start = Hybrid().divide(rows, k, guard, rng, within(watch, 0.0, 0.1))
        groups = _chromosomes(rows, start)
        best = start.labels
        least = int(groups.losses.sum())
        idle = 0
        done = 0
        heat = HEAT * least / start.count
        while not (why := self._over(start.count, least, idle, done)):
            by = self._generation(start.count, heat * (1 - done / self.generations), rng)
            exchanges = _evolved(rows, groups, by, done, self._share(watch, done))
            done = done + 1
            idle = 0 if exchanges else idle + 1
            loss = int(groups.losses.sum())
            if loss < least:
                best = groups.labels.copy()
                least = loss
        return Groups.of(best, (Note("rounds", f"stopped after {done} generations: {why}"),))

    def _over(self, groups: int, least: int, idle: int, done: int) -> str:
        """Tell why the search ends here, or nothing."""
        ends = {
            "nothing to exchange": groups == 1,
            "nothing is lost": least == 0,
            "nothing was exchanged any more": idle == PATIENCE,
            "no more were allowed": done == self.generations,
        }
        return next((why for why, so in ends.items() if so), "")

    def _share(self, watch: Watch, done: int) -> Watch:
        """Make a watch for one generation; the start is a tenth of the way."""
        return within(
            watch, 0.1 + 0.9 * done / self.generations, 0.1 + 0.9 * (done + 1) / self.generations
        )

    def _generation(self, groups: int, temperature: float, rng: np.random.Generator) -> Generation:
        """Draw the random numbers of one generation, beside its rules."""
        return Generation(
            crossover=CROSSOVERS.get(self.crossover, kernels.NEAREST),
            neighbours={"nearest": 1, "best": 2**62}.get(self.crossover, self.neighbours),
            replacement=REPLACEMENTS[self.replacement],
            temperature=temperature,
            tails=np.cumprod(np.append(1.0, np.full(groups, 1.0 - self.q)), dtype=np.float64),
            draws=rng.random((groups, 4)),
            waits=rng.standard_exponential(groups),
        )


def _chromosomes(rows: Rows, start: Groups) -> Chromosomes:
    """Make the first population of the groups to start from, with the loss of each."""
    order, starts = start.by_group
    groups = kernels.population_of(rows.costs, rows.codes, start.labels, order, starts, NEAR)
    kernels.describe(rows.costs, groups, 0, start.count)
    return groups


def _evolved(rows: Rows, groups: Chromosomes, by: Generation, done: int, watch: Watch) -> int:
    """Evolve one generation; return how many exchanges took place."""
    count = len(groups.losses)
    axes = len(rows.axes)
    if done % SAME_NEIGHBOURS == 0:
        for part in _parts(count, count * axes):
            watch(0.0)
            kernels.rank_neighbours(rows.costs, groups, part.start, part.stop)
    ranked = np.argsort(-groups.losses, kind="stable")
    exchanges = 0
    size = rows.count // count + 1
    for part in _parts(count, size * (min(by.neighbours, size) + 10) * axes):
        watch(part.start / count)
        exchanges += kernels.evolve(rows.costs, groups, by, ranked, part.start, part.stop)
    return exchanges


def _parts(total: int, work: int) -> Iterator[slice]:
    """Cut a way into pieces, each step of which takes some work."""
    stride = 1 + BREATH // work
    return (slice(first, min(first + stride, total)) for first in range(0, total, stride))
