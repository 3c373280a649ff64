"""`best-guess`: the share of rows whose sensitive value is guessed right from their group.

    risk = sum over groups of the rows that share the group's most frequent value, over rows

Whoever knows in which group a person stands, guesses the value that is most frequent there. Its
baseline is the same guess without the release's quasi-identifiers: the most frequent value of the
whole table. A missing value is no guess and never right. One figure for each sensitive column; it
says nothing about anyone in particular, which the models do.

By hand: groups with flu, flu, cold and with cold, gout: (2 + 1) / 5 = 0.6; without groups, 2/5 =
0.4.

When to use it: to see how often an attacker is right about a sensitive value; compare it with its
baseline.
"""

from __future__ import annotations

from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Figure, Risk


class BestGuess(Risk):
    """The share of rows whose sensitive value is guessed right from their group."""

    name = "best-guess"
    question = "inference"

    def measure(self, seen: Exposure) -> Figure:
        """Divide right guesses by rows, for each sensitive column."""
        return {
            name: right / seen.rows if seen.rows else 0.0
            for name, right in seen.best_guesses.items()
        }
