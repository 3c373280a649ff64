"""`row-order`: does the place of a row tell whose it is?

*The attacker knows* all quasi-identifiers of a person, and the person's place in the original
table: an alphabetical list, the order of admission.

    place   = the person's place in the original, scaled to the length of the release
    guess   = of the rows that fit, the one nearest to that place; right if it holds all that is
            published of the person
    control = any of the rows that fit

Rows that are sorted by their published values tell nothing: anyone could have sorted them so, and
the attack stops there. It gates unless the recipe keeps the order on purpose (`keep_order`). Cost:
one search for each person and fitting group.

By hand: original and release have 100 rows, and Ada was the tenth. Rows 9, 40 and 80 fit what is
known of her. If the order was kept, row 9 is the guess, right far more often than the control's one
in three.

When to use it: on every release: whether the order of rows tells anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import AnyArray, Floats, Longs
from shoal.attacks.attack import Attack, Material, Tries
from shoal.attacks.reading import coded_together
from shoal.attacks.sight import Sight
from shoal.declare.columns import is_text, whole
from shoal.declare.open_ends import bare_texts
from shoal.encode.profile import profile
from shoal.encode.rows import combined
from shoal.wording import Sentence, Set


@dataclass(frozen=True)
class RowOrder(Attack):
    """Find people by the place of their row in the file."""

    name = "row-order"
    gates = "where promised"
    at_release = True
    stops_it = Sentence(
        Set("keep_order", False), ": rows are then sorted by their published values"
    )

    def _tries(self, material: Material) -> Iterator[Tries]:
        beside = (*material.release.sensitive, *material.release.kept)
        if not beside:
            yield _nothing(
                "not possible: without a sensitive or kept column, rows of a group are all alike"
            )
        elif in_order(material.release.table):
            yield _nothing(
                "not possible: rows are sorted by their published values, so their order "
                "tells nothing"
            )
        else:
            yield _guesses(material)


def _guesses(material: Material) -> Tries:
    """Guess for each person the fitting row that is nearest to the person's place."""
    sight = material.exactly
    published, truth = payload(material)
    there = sight.candidates > 0
    attack = published[_nearest(sight, material.scored.num_rows)] == truth[sight.picked]
    control = fitting(sight, published, truth)
    words = "Guesses the row that stands where the person stood."
    promised = not material.keeps_order
    return Tries(attack[there].astype(np.float64), control[there], None, words, promised=promised)


def payload(material: Material) -> tuple[Longs, Longs]:
    """Number what is published beside the boxes, for rows of the release and of the original."""
    seen = material.release
    original = material.scored
    pairs = [
        coded_together([seen.table[name], original[name]]) for name in (*seen.sensitive, *seen.kept)
    ]
    codes = np.array([np.concatenate(both) for both, _ in pairs], np.int64).reshape(len(pairs), -1)
    if not len(pairs):
        return np.zeros(seen.table.num_rows, np.int64), np.zeros(original.num_rows, np.int64)
    keys = np.unique(
        combined(codes, [len(values) + 1 for _, values in pairs]), return_inverse=True
    )[1].reshape(-1)
    return keys[: seen.table.num_rows], keys[seen.table.num_rows :]


def fitting(sight: Sight, published: Longs, truth: Longs) -> Floats:
    """Compute, of the rows that fit each person, the share with the person's other values."""
    base = np.int64(max(int(published.max(initial=0)), int(truth.max(initial=0))) + 1)
    pairs, count = np.unique(sight.boxes.groups.labels * base + published, return_counts=True)
    wanted = sight.matched * base + np.repeat(truth[sight.picked], np.diff(sight.starts))
    at = np.minimum(np.searchsorted(pairs, wanted), len(pairs) - 1)
    person = np.repeat(np.arange(sight.count), np.diff(sight.starts))
    alike = np.bincount(person, np.where(pairs[at] == wanted, count[at], 0), minlength=sight.count)
    return np.asarray(alike / np.maximum(sight.candidates, 1), np.float64)


def _nearest(sight: Sight, rows: int) -> Longs:
    """Find, of the rows that fit each person, the one nearest in place; of two, the earlier."""
    order, _ = sight.boxes.groups.by_group
    length = np.int64(max(len(order), 1))
    keys = sight.boxes.groups.labels[order] * length + order
    person = np.repeat(np.arange(sight.count), np.diff(sight.starts))
    place = sight.picked[person] * length // max(rows, 1)
    after = np.searchsorted(keys, sight.matched * length + place)
    either = np.clip(np.stack([after - 1, after]), 0, len(keys) - 1)
    gap = np.where(keys[either] // length == sight.matched, abs(order[either] - place), length)
    best = np.lexsort((order[either].ravel(), gap.ravel(), np.tile(person, 2)))
    nearest = np.zeros(sight.count, np.int64)
    whose, first = np.unique(np.tile(person, 2)[best], return_index=True)
    nearest[whose] = order[either].ravel()[best[first]]
    return nearest


def in_order(table: pa.Table) -> bool:
    """Tell whether rows are sorted by all columns, first to last, as numbers, dates or text."""
    alike = np.ones(max(table.num_rows - 1, 0), np.bool_)
    for column in table.columns:
        # Texts are compared as numbers only where they do not rise as texts.
        steps = (np.diff(codes) for codes in _ranks(whole(column)))
        rising = next((step for step in steps if (step[alike] >= 0).all()), None)
        if rising is None:
            return False
        alike &= rising == 0
    return True


def _ranks(column: pa.Array) -> Iterator[AnyArray]:
    yield profile(column, "column").codes
    if is_text(column.type):
        bare = bare_texts(column)
        try:
            yield profile(pc.cast(bare, pa.float64()), "column").codes
        except pa.ArrowInvalid:
            # ISO dates rise as texts, once the marks of open ends are off
            yield profile(bare, "column").codes


def _nothing(why: str) -> Tries:
    return Tries(np.zeros(0), np.zeros(0), None, why)
