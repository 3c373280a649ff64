"""A short search for groups: it is not what tests of this folder are about."""

from search import short_search

__all__ = ["short_search"]
