"""Members: who of a table in memory is published in which group, for a ledger."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from shoal.declare.columns import text_of, whole
from shoal.declare.understanding.missing import without
from shoal.encode.profile import without_nan
from shoal.encode.rows import Rows, encode
from shoal.engines.local.counterfeits import Counterfeits
from shoal.engines.people import PersonCoding
from shoal.engines.promises import OldCells, published_cells
from shoal.errors import RecipeError
from shoal.flows.declared import profiled
from shoal.groups import Groups
from shoal.ledger.described import all_quasi
from shoal.ledger.past import Past
from shoal.ledger.published import (
    ComparedColumns,
    Invented,
    PeopleOfRows,
    PeoplePublished,
    looks_of,
    person_texts,
)
from shoal.recipe import Plan
from shoal.wording import COLUMN, Option, Remedy, Sentence, Set


def members_of(
    table: pa.Table,
    rows: Rows,
    groups: Groups,
    people: PeopleOfRows,
    plan: Plan,
    old: OldCells | None = None,
) -> PeoplePublished:
    """Tell whose row each is, the published group it stands in, and its sensitive values."""
    labels, cells = looks_of(published_cells(rows, groups, plan, old), groups)
    sensitive = {
        name: text_of(without_nan(whole(table[name]), name)) for name in plan.recipe.sensitive
    }
    return PeoplePublished(people, labels, cells, sensitive)


def with_counterfeits(
    members: PeoplePublished, groups: Groups, filled: Counterfeits
) -> PeoplePublished:
    """Count rows of nobody among the values that groups show."""
    look = np.zeros(groups.count, np.int32)
    there = groups.labels >= 0
    look[groups.labels[there]] = members.labels[there]
    return replace(members, invented=Invented(filled.column, look[filled.group], filled.values))


def columns_compared(table: pa.Table, rows: Rows, plan: Plan, past: Past) -> ComparedColumns:
    """Encode the quasi-identifiers, and those of earlier releases that the table has too."""
    recipe = plan.recipe
    names = [name for name in all_quasi(past, recipe.quasi) if name in table.column_names]
    others = profiled(table, [name for name in names if name not in recipe.quasi])
    beside = encode(others, plan.hierarchies) if others else None
    axes = rows.axes
    codes = rows.codes
    if beside is not None:
        axes = (*axes, *beside.axes)
        codes = np.concatenate([codes, beside.codes])
    return ComparedColumns(axes, codes, recipe.quasi, (*recipe.sensitive, *recipe.keep))


def people_of(table: pa.Table, plan: Plan) -> pa.Array:
    """Tell whose row each is, as text; refuse a table in which nobody can be recognized."""
    coding = PersonCoding.of(plan.recipe)
    if coding is None:
        raise unnamed_people()
    return person_texts(table, coding.name, lambda column: without(column, coding.words))


def unnamed_people() -> RecipeError:
    """Refuse a ledger where nobody knows who is who."""
    return RecipeError(
        Sentence(Option("ledger"), " has to know who is who in several releases"),
        remedy=Remedy(Set("person", COLUMN, "name the column that tells people apart")),
    )


def without_persons(rows: Rows) -> Rows:
    """Let rows be people where everybody has one: methods need no rows to stand for others."""
    if rows.person is None or len(np.unique(rows.person)) < rows.count:
        return rows
    return replace(rows, person=None)
