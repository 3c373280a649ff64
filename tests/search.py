"""A short search for groups and for bounds, for tests of doors, files and engines.

Nine tenths of the work of a release of a small table is the search for groups that lose less; with
many columns, it is the walk over boxes that proves how little any groups lose. A test of what
stands around them learns nothing from either: there each step of the search is taken once, and the
walk is broken off early. What they find at length is tested in `partition`, `contracts`,
`guarantees`, `documentation` and `review/losses`, and by processes that a test starts.

A folder shortens them in its conftest, a file in itself: `from search import short_search`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from shoal.partition.refinement import EFFORTS
from shoal.review.losses import lower_bound

SHORT = replace(EFFORTS["default"], rounds=1, balanced=1, renewals=1)
LOOKED_AT = 1_000_000  # tuples, by one walk over boxes: a hundredth of a second


@pytest.fixture(autouse=True, scope="module")
def short_search() -> Iterator[None]:
    """Take each step of the default search once, and break the walk over boxes off early."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(EFFORTS, "default", SHORT)
        patch.setattr(lower_bound, "PATIENCE", LOOKED_AT)
        yield
