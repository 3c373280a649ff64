"""Union: company over all columns that are a quasi-identifier in some release.

One release may show as it is what another one generalizes: wages beside a diagnosis in the first,
wages in bands in the second. Whoever knows the columns of both finds people in the first by their
wage. So in each release the group of a person is what is alike on all columns that some release
calls a quasi-identifier:

    group of p in release t = people of the published group of p who also have the value of p in
                              every column that t shows as it is and some release generalizes

Values are those of the new table: an earlier release showed others where they have changed. People
who are not in the new release are nobody's company there, and need no value.

Wang & Fung 2006, doi:10.1145/1150402.1150449, judge joins of releases with different columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import Ints
from shoal.encode.rows import combined
from shoal.ledger.company import ABSENT
from shoal.ledger.described import Described, all_quasi
from shoal.ledger.past import Joined


def refined(joined: Joined, described: Described) -> Ints | None:
    """Divide groups by columns shown as they are; None where no release shows such a column."""
    generalized = set(all_quasi(joined.past, described.columns.quasi))
    plain = [*(release.plain for release in joined.past.releases), described.columns.plain]
    shown = [sorted(generalized.intersection(names)) for names in plain]
    known = described.columns.names
    shown = [[name for name in names if name in known] for names in shown]
    if not any(shown):
        return None
    labels = joined.labels.copy()
    for row, names in zip(labels, shown, strict=True):
        if names:
            row[:] = _divided(row, _values(joined, described, names))
    return labels


def _values(joined: Joined, described: Described, names: Sequence[str]) -> Ints:
    """Number combinations of values of everybody: people without a row have -1."""
    places = [described.columns.names.index(name) for name in names]
    codes = described.columns.codes[places]
    sizes = [described.columns.axes[place].size + 1 for place in places]
    of_rows = np.unique(combined(codes, sizes), return_inverse=True)[1].reshape(-1)
    values = np.full(joined.labels.shape[1], -1, np.int64)
    # Of several rows of a person the last one counts: any of them may be recognised.
    values[joined.who[described.of]] = of_rows
    return values.astype(np.int32)


def _divided(groups: Ints, values: Ints) -> Ints:
    """Number the parts of groups that share a value."""
    there = groups != ABSENT
    width = int(values.max(initial=0)) + 2
    keys = groups[there].astype(np.int64) * width + values[there] + 1
    divided = np.full(len(groups), ABSENT, np.int32)
    divided[there] = np.unique(keys, return_inverse=True)[1].reshape(-1)
    return divided
