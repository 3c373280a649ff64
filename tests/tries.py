"""How many random tables a test tries: a third in every run, all when one searches.

    make test ARGS='--hypothesis-profile=search'    every table, and new examples of Hypothesis

The tables are numbered, so a run tries the first of those that a search tries.
"""

from __future__ import annotations

from hypothesis import settings

SHARE = 3
LEAST = 40  # fewer are not divided


def tries(searched: int) -> int:
    """Return the number of tables to try in this run, of those that a search tries."""
    if settings.get_current_profile_name() == "search":
        return searched
    return min(searched, max(LEAST, searched // SHARE))


def telling(searched: int) -> int:
    """Return how many of the tables must be such that a fault would show, of those in a search."""
    if settings.get_current_profile_name() == "search":
        return searched
    return searched // (SHARE + 1)
