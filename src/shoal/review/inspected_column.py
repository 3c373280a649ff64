"""Inspected column: what one column is, how far it singles people out, and the role it should have.

A column is understood as `anonymize` understands it. Where words that often mean missing hide what
it is (`unknown` among postcodes), it is seen as it is once these words are named.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Counts
from shoal.declare.columns import Kind, is_text, kind_of
from shoal.declare.understanding.codes import codes_in, may_be_codes, names_codes
from shoal.declare.understanding.column import Understood, understand
from shoal.declare.understanding.missing import proposed
from shoal.encode.profile import is_mixed
from shoal.errors import DataError
from shoal.review.identifiers import NEARLY_UNIQUE
from shoal.review.recount import coded
from shoal.review.vocabulary import Role, rule_for
from shoal.wording import Option, Sentence, Set

ENOUGH_ROWS = 20  # fewer say nothing about a column
# different values over rows, from which an `id` points at people rather than at kinds
POINTS_AT = 0.05
FEW_VALUES = 4  # different codes that need no levels
OWN_VALUE = "nearly every row has a value of its own"
OWN_NUMBER = "nearly every row has a number of its own, which works like an identifier"
UNKNOWN = Sentence(
    "nothing tells what it is: ",
    Option("quasi"),
    " if someone could know it of a person, ",
    Option("sensitive"),
    " if it must stay secret, ",
    Option("keep"),
    " if neither",
)


@dataclass(frozen=True)
class ColumnView:
    """One column: its contents, how far it singles people out, and the role it should have."""

    name: str
    kind: Kind
    different: int
    missing: int
    alone: float
    """Share of rows that nobody shares the value with."""
    entropy: float
    """Bits; missing counts as one more value."""
    role: Role
    reason: str
    understood: str = ""
    """What its cells were taken for, in a line."""
    read_as: str | None = None
    """What has to be said about it, so that it can be used."""
    hierarchy: str | None = None
    """The hierarchy that is suggested."""
    may_be_code: bool = False
    """Whether its numbers could be codes of categories: only its owner knows."""
    missing_words: tuple[str, ...] = ()
    """Words in it that often mean missing: taken as such only when named."""
    leans_on_words: bool = False
    """Whether it is understood as it is once these words are named."""


def looked_at(name: str, column: pa.Array, label: str = "") -> tuple[ColumnView, pa.Array]:
    """Look at one column; return it with its cells as they are understood.

    `label` is what a statistics program shows in place of its name.
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    try:
        kind_of(column.type, name)
    except DataError as error:
        return _no_single_value(name, column, error), pa.nulls(len(column))
    cells, counts = _different(column)
    by_itself = understand(cells, counts, name)
    view, read = _taken(column, by_itself, label)
    words = proposed(*_different(read))
    view = replace(view, missing_words=words)
    is_text_alone = _is_plain_text(by_itself, read)
    if not words or not (is_text_alone or pa.types.is_integer(read.type)):
        return view, read
    without = understand(cells, counts, name, words=words)
    other, other_read = _taken(column, without, label)
    hidden = not _is_plain_text(without, other_read)
    if not is_text_alone:  # numbers are hidden codes alone
        hidden = view.hierarchy is None and other.hierarchy is not None
    if not hidden or other.role == "sensitive":
        return view, read
    said = f"{other.understood}; missing: {', '.join(words)}"
    return replace(other, missing_words=words, leans_on_words=True, understood=said), other_read


def _no_single_value(name: str, column: pa.Array, error: DataError) -> ColumnView:
    """Leave a column of lists or spans of time to its owner: the others can be looked at."""
    reason = Sentence("it holds no single value: ", error.remedy or "")
    said = str(column.type)
    if pa.types.is_duration(column.type):
        said = "spans of time"
    return ColumnView(
        name, "category", 0, column.null_count, 0.0, 0.0, "drop", reason, understood=said
    )


def _taken(column: pa.Array, understood: Understood, label: str) -> tuple[ColumnView, pa.Array]:
    """Look at a column as it is understood."""
    read = understood.values(column)
    view = _view(understood.name, read, understood, label)
    values, counts = _different(read)
    unread = understood.problem is not None and view.reason == OWN_VALUE
    if view.role == "quasi" or unread or view.reason in (UNKNOWN, OWN_NUMBER):
        view = _readable(view, values, counts, understood, label)
    elif view.role == "sensitive" and view.kind == "number" and understood.reading is not None:
        view = replace(view, read_as=understood.reading.word)
    asked = understood.came is None and view.read_as != "code"  # `5+` is counted, no code
    return replace(view, may_be_code=asked and may_be_codes(values, view.name)), read


def _is_plain_text(understood: Understood, read: pa.Array) -> bool:
    """Tell whether a column is text and nothing else: no dates, numbers, bands or codes."""
    if understood.reading is not None or understood.problem is not None or not is_text(read.type):
        return False
    return codes_in(_different(read)[0], understood.name) is None


def _different(column: pa.Array) -> tuple[pa.Array, Counts]:
    """Return the different values of a column, and the rows of each."""
    counted = pc.value_counts(column.drop_null())
    return counted.field(0), np.asarray(counted.field(1), np.int64)


def _view(name: str, column: pa.Array, understood: Understood, label: str) -> ColumnView:
    kind = kind_of(column.type, name)
    codes, different = coded(column)
    counts = np.bincount(codes, minlength=different + 1).astype(np.int64)
    role, reason = _role(name, kind, counts, label)
    alone = int(np.count_nonzero(counts == 1)) / len(codes)
    missing = int(counts[-1])
    return ColumnView(
        name, kind, different, missing, alone, _entropy(counts), role, reason, understood.said
    )


def _readable(
    view: ColumnView, values: pa.Array, counts: Counts, understood: Understood, label: str
) -> ColumnView:
    """Say about a quasi-identifier what has to be said, so that nothing of it is refused.

    One whose reading is unclear is left to its owner: nothing is guessed here either.
    """
    if understood.problem is not None:
        first, *others = [Set("read_as", {view.name: word}) for word in understood.choices]
        either = [part for other in others for part in (" or ", other)]
        words = [f"{view.name}={word}" for word in understood.words]
        either += [" and ", Set("na", words)] if words else []
        reason = Sentence("how to read it has to be said first: ", first, *either)
        return replace(view, role="drop", reason=reason)
    plain = understood.reading is None or understood.reading.plain
    may_have_levels = view.different > FEW_VALUES and plain
    codes = None
    if may_have_levels:
        codes = codes_in(values, view.name) or codes_in(values, label or view.name)
    if codes is not None:
        said = view.understood if is_text(values.type) else f"numbers: {codes.said}"
        return replace(view, hierarchy=codes.hierarchy, understood=said)
    if may_be_codes(values, view.name) and names_codes(view.name):
        return replace(view, read_as="code", understood="whole numbers; codes by their name")
    mixed = view.kind == "category" and is_mixed(values, counts)
    return replace(view, read_as="text") if mixed else view


def _role(name: str, kind: Kind, counts: Counts, label: str) -> tuple[Role, str]:
    """Suggest a role and give the reason.

    `counts` are the rows of each value, the last those without one.
    """
    different = len(counts) - 1
    held = int(counts[:-1].sum())
    if different == 0:
        return "drop", "it holds no value at all"
    if different == 1 and not counts[-1]:
        return "drop", "all rows hold the same value"
    enough = held >= ENOUGH_ROWS
    unique = enough and different / held > NEARLY_UNIQUE
    either_or = enough and different <= 2
    points = different >= POINTS_AT * held and not names_codes(name)
    rule = rule_for(name, points=points, either_or=either_or)
    if rule is None and label:
        rule = rule_for(label, points=points, either_or=either_or)
        rule = rule and replace(rule, reason=rule.reason.replace("its name", "its label"))
    if kind in ("date", "time") and (rule is None or rule.role != "quasi"):
        return "quasi", "a date: others may know when it happened"
    if rule is not None and not (unique and kind == "category" and rule.role == "sensitive"):
        return rule.role, rule.reason
    if unique and kind == "category":
        return "identifier", OWN_VALUE
    if unique:
        return "drop", OWN_NUMBER
    return "drop", UNKNOWN


def _entropy(counts: Counts) -> float:
    shares = counts[counts > 0] / counts.sum()
    return abs(float(-(shares * np.log2(shares)).sum()))
