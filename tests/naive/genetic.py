"""Groups that exchange rows (after Lin & Wei 2009), starting from the hybrid ones; row by row.

Ties go to the lowest row and the lowest group; groups are numbered by their first row at the start.
Random: what the hybrid draws, then for each generation four uniform numbers and an exponential one
for every group.
"""

from __future__ import annotations

from naive.costs import Costs
from naive.hybrid import hybrid, medoid


def genetic(columns, k, rng, crossover, replacement, q, generations, neighbours):
    groups = sorted(sorted(group) for group in hybrid(columns, k, rng))
    search = Search(Costs(columns).of, groups, crossover, replacement, q, neighbours)
    best = [list(group) for group in groups]
    idle = 0
    heat = 0.05 * search.total(best) / len(groups)
    for done in range(generations):
        if search.total(best) == 0 or len(groups) == 1 or idle == 2:
            break
        if done % 10 == 0:
            near = [search.nearest(group) for group in range(len(groups))]
        draws = rng.random((len(groups), 4)).tolist()
        waits = rng.standard_exponential(len(groups)).tolist()
        exchanges = search.generation(near, heat * (1 - done / generations), draws, waits)
        idle = 0 if exchanges else idle + 1
        if search.total(groups) < search.total(best):
            best = [list(group) for group in groups]
    return best


class Search:
    def __init__(self, cost, groups, crossover, replacement, q, neighbours):
        self.cost = cost
        self.groups = groups
        self.crossover = crossover
        self.replacement = replacement
        self.q = q
        self.neighbours = neighbours

    def loss(self, group):
        return len(group) * self.cost(group)

    def total(self, groups):
        return sum(map(self.loss, groups))

    def centre(self, group):
        return medoid(self.cost, self.groups[group])

    def nearest(self, group):
        """The 100 nearest other groups."""
        others = [other for other in range(len(self.groups)) if other != group]
        return sorted(
            others, key=lambda other: (self.cost([self.centre(group), self.centre(other)]), other)
        )[:100]

    def generation(self, near, temperature, draws, waits):
        free = sorted(
            range(len(self.groups)), key=lambda group: (-self.loss(self.groups[group]), group)
        )
        exchanges = 0
        for (first, second, any_a, any_b), wait in zip(draws, waits, strict=True):
            one = free.pop(self.rank(first, len(free)))
            two = near[one][self.rank(second, len(near[one]))]
            pairs = self.pairs(one, two, any_a, any_b)
            then, a, b = min((self.total(self.exchanged(one, two, a, b)), a, b) for a, b in pairs)
            worse = then - self.loss(self.groups[one]) - self.loss(self.groups[two])
            heated = self.replacement == "annealing" and worse <= temperature * wait
            if worse < 0 or heated or self.replacement == "always":
                self.groups[one], self.groups[two] = self.exchanged(one, two, a, b)
                exchanges += 1
        return exchanges

    def rank(self, draw, count):
        """A rank with probability proportional to (1 - q)^rank."""
        tails = [1.0]
        for _ in range(count):
            tails.append(tails[-1] * (1.0 - self.q))
        reach = draw * (1.0 - tails[count])
        return next((rank for rank in range(count - 1) if 1.0 - tails[rank + 1] > reach), count - 1)

    def pairs(self, one, two, any_a, any_b):
        """The pairs of rows among which the best exchange is looked for."""
        a = self.groups[one]
        b = self.groups[two]
        here = self.centre(one)
        there = self.centre(two)
        if self.crossover == "random":
            return [(a[int(any_a * len(a))], b[int(any_b * len(b))])]
        if self.crossover == "farthest":
            return [(self.far_from(here, a), self.far_from(there, b))]
        if self.crossover == "cross":
            return [(self.near_to(there, a)[0], self.near_to(here, b)[0])]
        most = {"nearest": 1, "multiple-nearest": self.neighbours, "best": len(b)}[self.crossover]
        return [(x, y) for x in a for y in self.near_to(here, b)[:most]]

    def near_to(self, row, rows):
        return sorted(rows, key=lambda other: (self.cost([row, other]), other))

    def far_from(self, row, rows):
        return max(rows, key=lambda other: (self.cost([row, other]), -other))

    def exchanged(self, one, two, a, b):
        first = [row for row in self.groups[one] if row != a] + [b]
        second = [row for row in self.groups[two] if row != b] + [a]
        return sorted(first), sorted(second)
