"""A short search for groups, for tests of doors, files and engines.

Nine tenths of the work of a release of a small table is the search for groups that lose less. A
test of what stands around it learns nothing from that: there each step of the search is taken once.
What the whole search finds is tested in `partition`, `contracts`, `guarantees` and `documentation`,
and by processes that a test starts.

A folder shortens it in its conftest, a file in itself: `from search import short_search`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from shoal.partition.refinement import EFFORTS

SHORT = replace(EFFORTS["default"], rounds=1, balanced=1, renewals=1)


@pytest.fixture(autouse=True, scope="module")
def short_search() -> Iterator[None]:
    """Take each step of the default search once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(EFFORTS, "default", SHORT)
        yield
