"""`attribute-disclosure`: the gain of the best guess of a sensitive value that is due to groups.

    risk = `best-guess` with the groups - `best-guess` without them

What the quasi-identifiers add to knowing the whole table; 0 where every group has the same
favourite as the table. One figure for each sensitive column.

By hand: groups with flu, flu, cold and with cold, gout: 3/5 are guessed right, 2/5 without groups:
0.2.

When to use it: to see what the release adds to a guess about a person; 0 says that it adds nothing.
"""

from __future__ import annotations

from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Figure, Risk


class AttributeDisclosure(Risk):
    """The gain of the best guess of a sensitive value that is due to groups."""

    name = "attribute-disclosure"
    question = "inference"

    def measure(self, seen: Exposure) -> Figure:
        """Divide right guesses that are due to groups by rows, for each sensitive column."""
        blind = seen.blind.best_guesses
        return {
            name: (right - blind[name]) / seen.rows if seen.rows else 0.0
            for name, right in seen.best_guesses.items()
        }
