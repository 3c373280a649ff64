"""The gate for what was written part by part: it is read again as texts, and judged by nothing but
these.

Rows are scattered by a hash of their cells, so that all rows that look alike are in one part, and
each part is recounted by the code that recounts a table, told how often each sensitive value occurs
in the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.arrays import AnyArray, Codes, Counts, Ints
from shoal.declare.columns import whole
from shoal.distortions.parts import Parts
from shoal.errors import ShoalError
from shoal.groups import Groups, Watch
from shoal.privacy.column import Sensitive
from shoal.privacy.promises import Promises
from shoal.recipe import Plan
from shoal.review.fingerprint import fingerprint_in_parts, in_order
from shoal.review.gate import refuse_strangers, refuse_unjudged
from shoal.review.measured_model import MeasuredModel
from shoal.review.partial_counts import Judged, Sized, Summed
from shoal.review.promised import Hierarchies, quasi_columns
from shoal.review.recount import keys, numbered
from shoal.review.risks.exposure import first_rows
from shoal.streaming.ordering import ordered
from shoal.streaming.spill import Folder, RowFile
from shoal.streaming.values import Streamed, profiles, totals

MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, its bits well spread


@dataclass(frozen=True)
class Recounted:
    """What the release shows, all of its groups safe."""

    rows: int
    groups: Sized
    models: list[MeasuredModel]
    seen: Summed
    cells: Mapping[
        str, tuple[pa.Array, Counts]
    ]  # the different cells of each column, and how often each is printed
    mark: str


def recounted(
    written: Parts, plan: Plan, memory: int, at_once: int, folder: Folder, watch: Watch
) -> Recounted:
    """Groups and promises of a release as it was written; or a refusal. Reads it twice, as
    texts.
    """
    recipe = plan.recipe
    empty = written.schema.empty_table()
    refuse_strangers(empty, recipe.quasi, recipe.roles.beside)
    quasi = quasi_columns(empty, recipe.quasi)
    names = [*quasi, *(name for name in written.schema.names if name not in quasi)]
    if names != written.schema.names:
        raise ShoalError(
            "the columns of the release are not in their order", {"published": "nothing"}
        )
    columns = profiles(written.read(names), names, memory)
    watch(0.3)
    places = [in_order(column.values, last=column is columns[-1]) for column in columns]
    parts = _scattered(written, columns, len(quasi), -(-written.rows // at_once), folder)
    watch(0.6)
    judged = list[Judged]()
    looks = list[Codes]()
    files = list[RowFile]()
    for part in parts:
        codes = part.columns()
        part.remove()
        groups, verdicts = judge(columns, codes, len(quasi), plan)
        judged.append(verdicts)
        ranks = np.array(
            [place[of] for (_, place), of in zip(places, codes, strict=True)], np.int32
        )
        files.append(folder.file(1 + len(names) - len(quasi)))
        files[-1].append(
            np.concatenate(
                ([groups.labels + sum(look.shape[1] for look in looks)], ranks[len(quasi) :])
            ).T
        )
        looks.append(ranks[: len(quasi), first_rows(groups)])
    watch(0.8)
    whole = Judged.together(judged)
    groups = whole.groups()
    look = np.concatenate(looks, axis=1)
    order = ordered(look, groups.sizes, files, at_once, folder)
    texts = [spelled for spelled, _ in places]
    mark = fingerprint_in_parts(
        names,
        texts,
        lambda: (np.concatenate((look[:, b[0]], b[1:])) for b in order.sorted_buckets()),
    )
    common = {
        column.name: int(column.counts.max(initial=0))
        for column in columns
        if column.name in recipe.sensitive
    }
    cells = {column.name: _printed(column) for column in columns[: len(quasi)]}
    return Recounted(
        written.rows,
        groups,
        whole.models(),
        Summed(groups, right=whole.right, common=common),
        cells,
        mark,
    )


def judge(
    columns: Sequence[Streamed], codes: Codes, quasi: int, plan: Plan
) -> tuple[Groups, Judged]:
    """The groups of one part, which holds all rows that look alike: the first columns are the
    quasi-identifiers as printed.
    """
    groups = Groups(
        *numbered(keys(list(codes[:quasi]), [column.size + 1 for column in columns[:quasi]]))
    )
    found = {column.name: (of, column.size) for column, of in zip(columns, codes, strict=True)}
    sensitive = {name: found[name] for name in plan.recipe.sensitive}
    return groups, Judged.of(groups, _promises(columns, codes, plan), sensitive)


def _scattered(
    written: Parts, columns: list[Streamed], quasi: int, parts: int, folder: Folder
) -> list[RowFile]:
    """The rows as codes in several files, those that look alike in one."""
    scattered = folder.scattered(len(columns), parts)
    for table in written.read([column.name for column in columns]):
        codes = np.array([column.code(whole(table[column.name])) for column in columns], np.int32)
        scattered.append(codes.T, (_hashed(codes[:quasi]) % np.uint64(parts)).astype(np.int64))
    return scattered.files


def _hashed(codes: Codes) -> AnyArray:
    found = np.zeros(codes.shape[1], np.uint64)
    for column in codes:
        found = (found ^ column.astype(np.uint64)) * MIX
        found ^= found >> np.uint64(29)
    return found


def _promises(columns: Sequence[Streamed], codes: Codes, plan: Plan) -> Promises:
    """The models over one part, all of which can be judged."""
    asked = plan.hierarchies if any(model.needs_hierarchy for model in plan.models) else {}
    found = [
        (column, of)
        for column, of in zip(columns, codes, strict=True)
        if column.name in plan.recipe.sensitive
    ]
    promises = Promises(plan.models, in_part(found, asked), plan.recipe.others)
    refuse_unjudged(promises)
    return promises


def in_part(
    columns: Iterable[tuple[Streamed, Ints]], hierarchies: Hierarchies
) -> tuple[Sensitive, ...]:
    """Sensitive columns of one part of a table, which know what stands in the others."""
    found = []
    for column, of in columns:
        elsewhere = totals(column) - np.bincount(of, minlength=column.size + 1)
        found.append(
            Sensitive.of(column.name, of, column.values, hierarchies.get(column.name), elsewhere)
        )
    return tuple(found)


def _printed(column: Streamed) -> tuple[pa.Array, Counts]:
    """The cells of a column, null among them where it is printed."""
    if not column.missing:
        return column.values, column.counts
    return pa.concat_arrays([column.values, pa.nulls(1, column.values.type)]), totals(column)
