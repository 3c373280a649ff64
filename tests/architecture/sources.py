"""Sources: parses each file of the source once for all guards of a run."""

from __future__ import annotations

import ast
from functools import cache


@cache
def parsed(text: str) -> ast.Module:
    """Parse the text of a module; nobody may change the tree, for others look at it too."""
    return ast.parse(text)
