"""`full-domain`: every column at one level of its hierarchy in all rows; the best choice of levels.

    a node is one level for each column; the lattice is all of them
    under a node, rows with equal parts on all columns are a group;
        groups that the models don't call safe are left out, as far as the recipe allows
    take the node that loses least; of several the one that leaves out fewest rows,
        then the one with the lowest levels

This is global recoding: equal values are published equally everywhere, as ten-year bands for all or
as single years for all. Numbers and dates without a hierarchy get a `ladder` of bands, chosen by
their range and stated in the recipe. Nothing is random but which cells are blanked. Rows that may
be left out (`withhold`, here up to 1) are what keeps one rare value from costing everyone a level.

| parameter | meaning |
|---|---|
| `aggregate` | `sum`: mean over columns; `geometric`: (product of 1 + loss)^(1/columns) - 1 |
| `charge` | `full`: a row that is left out loses everything; `level`: as if it were published |
| `suppress` | `rows`: unsafe ones are left out; `cells`: blanked cell by cell (`blanking`) |
| `at_least`, `at_most` | the lowest and the highest level of a column: `at_least=[age=2;zip=1]` |

A loss that charges rows left out in full is not monotone: a lower node leaves out more rows and may
lose more. `discernibility` with `charge=level` is the sum of squared group sizes, of groups left
out too.

Cost: the search (`lattice`) finds the best of up to 10,000,000 nodes and looks at few of them: of
12,960 on Adult with 9 columns at some hundred. A look groups different tuples, or the groups of a
finer node, by hashing (`nodes`); models that look beyond sizes are asked about every row. Larger
lattices are searched with fewer levels for each column, and the private certificate states how far
the result may be from the best of all.

Papers: F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. A. Kuhn, Flash: efficient, stable and
optimal k-anonymity, PASSAT 2012, doi:10.1109/SocialCom-PASSAT.2012.52. K. El Emam et al., A
globally optimal k-anonymity method for the de-identification of health data, JAMIA 16(5), 2009,
doi:10.1197/jamia.M3144.

What we do differently: Flash and OLA tag nodes as safe or unsafe and take the best safe one, which
needs a monotone loss. Here every look also bounds what all nodes below must lose, because rows
that are left out stay out there. So one search serves losses that are not monotone, and any limit.
Rows left out are no part of the table that models compare with.
Where several rows are about one person, groups count persons, and one whose rows differ under a
node is left out there (`persons_at_levels`).

When to use it: where everybody must get the same bands: official tables, files that are joined or
compared over years. It loses much more than local recoding unless some rows may be left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from shoal.encode.costs import BOX_LOSSES
from shoal.encode.rows import Rows
from shoal.errors import PrivacyNotMet, RecipeError, did_you_mean
from shoal.groups import Groups, Guard, Note, Watch, within
from shoal.partition.blanking import RecodedTable
from shoal.partition.lattice import BestNode
from shoal.partition.lattice_gap import fewer_levels, least_of_all
from shoal.partition.levels_weighed import WeighedLevels, levels_weighed
from shoal.partition.method import Method, Solution, Suppressed
from shoal.partition.nodes import Aggregate, Charge, Nodes, Weighing
from shoal.wording import Remedy, Set

MOST_NODES = 10_000_000  # of which the best is certain
SEARCHED = 0.5  # the share of the work that is done when levels are chosen and cells are blanked
FEWER_NODES = 1_000_000  # that are searched where there are more


@dataclass(frozen=True)
class FullDomain(Method):
    """One level of its hierarchy for each column in all rows: the best of all choices, exactly."""

    name = "full-domain"
    losses = (*BOX_LOSSES, "loss-metric", "discernibility")
    serves = ("group", "release", "population")  # one scheme for all rows
    needs_ladders = True
    sets_levels = True
    nests = True
    takes_suppress = True
    takes_withhold = True
    aggregate: Aggregate = "sum"
    charge: Charge = "full"
    at_least: tuple[str, ...] = ()
    at_most: tuple[str, ...] = ()
    withhold: float = 0.0
    suppress: Suppressed = "rows"

    def __post_init__(self) -> None:
        for option, limits in (("at_least", self.at_least), ("at_most", self.at_most)):
            _ = [_limit(option, limit) for limit in limits]
        if self.suppress == "cells" and self.charge == "level":
            problem = (
                "levels that cost nothing to leave (charge=level) would leave every cell blank"
            )
            raise RecipeError(problem, remedy=Remedy(Set("suppress", "rows"), "charge=full"))

    def _divide(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        if self.suppress == "rows":
            return self.search(rows, k, guard, watch).groups
        begun = self._begun(rows, k, guard, within(watch, 0.0, SEARCHED))
        assert begun.levels is not None
        recoded = RecodedTable.of(rows, self._levels(rows), begun.levels)
        groups = recoded.blanked(k, guard, rng, within(watch, SEARCHED, 1.0))
        return replace(groups, notes=(*begun.notes, *groups.notes))

    def _begun(self, rows: Rows, k: int, guard: Guard, watch: Watch) -> Groups:
        """Choose the levels for blanking: the best where any number of rows may be left out.

        Where no choice is safe for anybody, the highest levels.
        """
        try:
            return replace(self, withhold=1.0).search(rows, k, guard, watch).groups
        except PrivacyNotMet:
            highest = tuple(each.number[-1] for each in self._levels(rows))
            return Groups.of(np.zeros(rows.count, np.int32), levels=highest)

    def search(self, rows: Rows, k: int, guard: Guard, watch: Watch) -> Optimum:
        """Find the best node, and say what is lost there; refuse where none is safe."""
        return next(self.solutions(rows, k, guard, watch, wanted=1))

    def solutions(
        self, rows: Rows, k: int, guard: Guard, watch: Watch, *, wanted: int
    ) -> Iterator[Optimum]:
        """Find the best nodes of the lattice, the best first, and say what is lost at each.

        They are the best of all, not only of those that the search for the best one looks at.
        Refuses where no node is safe.
        """
        if self.aggregate == "geometric" and rows.loss in ("discernibility", "non-uniform-entropy"):
            problem = f"'{rows.loss}' is a sum, and has no geometric mean over columns"
            raise RecipeError(problem, remedy=Remedy(Set("method", "full-domain")))
        every = self._levels(rows)
        lattice = math.prod(len(each.number) for each in every)
        levels = every if lattice <= MOST_NODES else fewer_levels(every, FEWER_NODES)
        may = math.floor(Fraction(str(self.withhold)) * _all_rows(rows))
        weighing = Weighing(rows.loss, self.aggregate, self.charge)
        nodes = Nodes(rows, levels, guard, max(k, guard.least), may, weighing)
        search = nodes.search(watch, wanted)
        solutions = search.run()
        if not solutions:
            raise _refusal(search.nearest, nodes, limited=bool(self.at_most))
        least = None if levels is every else least_of_all(nodes, every, solutions[0], watch)
        for each in solutions:
            optimum = Optimum.of(each, nodes, lattice, len(search.seen))
            yield optimum if least is None else optimum.bounded(least)

    def _levels(self, rows: Rows) -> list[WeighedLevels]:
        """List the levels of each column that may be chosen."""
        names = [axis.name for axis in rows.axes]
        least = dict(_limit("at_least", limit) for limit in self.at_least)
        most = dict(_limit("at_most", limit) for limit in self.at_most)
        for name in (*least, *most):
            if name not in names:
                problem = f"'{name}' has a least or a most level but is no quasi-identifier"
                raise RecipeError(problem, remedy=did_you_mean(name, names))
        levels = []
        for axis in rows.axes:
            low = least.get(axis.name, 0)
            high = most.get(axis.name)
            every = levels_weighed(axis, _all_rows(rows), rows.loss, low, high)
            if low > every.top or (high is not None and high < low):
                facts = {"least": low, "most": every.top if high is None else high}
                raise RecipeError(f"'{axis.name}' has no level between least and most", facts)
            levels.append(every)
        return levels


@dataclass(frozen=True)
class Optimum(Solution):
    """One of the best nodes: levels by column, groups, and what is lost there."""

    looked_at: int
    by_column: tuple[float, ...]
    """The mean loss of each column, in [0, 1], whatever its importance."""
    least: float | None = None
    """What no node of the whole lattice stays below, where not all of them were searched."""

    @classmethod
    def of(cls, best: BestNode, nodes: Nodes, lattice: int, looked_at: int) -> Optimum:
        """Measure one of the best nodes."""
        groups = nodes.groups(np.array(best.node, np.int64))
        by_column = nodes.shares(np.array(best.node, np.int64), groups)
        loss = nodes.total(by_column, best.look)
        optimum = cls(groups, loss, lattice, looked_at, tuple(by_column))
        return optimum._with_note(nodes.levels)

    def _with_note(self, levels: Sequence[WeighedLevels]) -> Optimum:
        assert self.groups.levels is not None
        taken = ", ".join(
            f"{each.axis.name} {level} of {each.top}"
            for each, level in zip(levels, self.groups.levels, strict=True)
        )
        said = Note("levels", f"one level for each column in all rows: {taken}")
        how = f"the best of {self.nodes:,} combinations of levels, {self.looked_at:,} looked at"
        notes = (said, Note("rounds", how))
        return replace(self, groups=replace(self.groups, notes=notes))

    def bounded(self, least: float) -> Optimum:
        """Say that not all nodes were searched, and how far from the best this one may be."""
        assert self.groups.notes
        how = f"{self.nodes:,} combinations of levels are too many: the best of some of them; "
        how += f"it loses {self.loss:.6g}, and none loses less than {least:.6g}"
        notes = (self.groups.notes[0], Note("untried", how))
        return replace(self, least=least, groups=replace(self.groups, notes=notes))


def _all_rows(rows: Rows) -> int:
    """Count the rows, all of a person where rows represent persons."""
    return rows.count if rows.members is None else len(rows.members.person)


def _limit(option: str, limit: str) -> tuple[str, int]:
    """Read a limit of a column's level: `age=2`."""
    name, _, level = limit.rpartition("=")
    if not name or not level.isdecimal():
        remedy = f"write {option}=[age=2]: 0 is the values as they are"
        raise RecipeError(f"'{limit}' is no level of a column", remedy=remedy)
    return name, int(level)


def _refusal(nearest: BestNode | None, nodes: Nodes, *, limited: bool) -> PrivacyNotMet:
    """Say that no choice of levels is safe, which comes nearest, and what it would take."""
    rows = nodes.total_rows
    facts: dict[str, object] = {"rows that may be left out": nodes.may, "published": "nothing"}
    ways: list[str | Set] = ["allow higher levels"] if limited else []
    ways.append("lower k")
    if not nodes.guard.only_size:
        ways.append("ask less of the models")
    if nearest is not None:
        out = nodes.unlimited(np.array(nearest.node, np.int64))
        numbers = [each.number[at] for each, at in zip(nodes.levels, nearest.node, strict=True)]
        taken = zip(nodes.levels, numbers, strict=True)
        facts["nearest levels"] = ", ".join(f"{each.axis.name} {at}" for each, at in taken)
        facts["rows that they leave out"] = out
        if out < rows:
            share = math.ceil(1000 * out / rows) / 1000
            ways.insert(0, Set("withhold", share, "leave these rows out"))
    problem = "no choice of one level for each column is safe for enough rows"
    return PrivacyNotMet(problem, facts, Remedy(*ways))
