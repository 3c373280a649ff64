"""Formats: what the cells of each column are taken for, with examples, and what else they may be.

It is decided where every other door decides it (`declare/understanding`), for all columns alike.
Examples are cells of the table: for its maker alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.declare.columns import text_of, whole
from shoal.declare.understanding.column import understand
from shoal.declare.understanding.missing import words_for
from shoal.errors import ShoalError
from shoal.studio.words import in_words
from shoal.studio.work.inspecting import opened
from shoal.studio.work.telling import Tell

EXAMPLES = 3
LONGEST = 40  # characters of an example


def do(
    tell: Tell, table: str, read_as: Mapping[str, str], na: Sequence[str] = ()
) -> dict[str, Any]:
    """Tell a line, examples and open questions for each column."""
    tell("understanding columns")
    people = opened(table)
    return {
        "columns": {
            name: _column(people, name, read_as.get(name), words_for(name, na, people.column_names))
            for name in people.column_names
        }
    }


def _column(people: pa.Table, name: str, word: str | None, words: Sequence[str]) -> dict[str, Any]:
    cells = whole(people[name])
    try:
        encoded = pc.dictionary_encode(cells)
        numbers = np.asarray(encoded.indices.drop_null(), np.int64)
        counts = np.bincount(numbers, minlength=len(encoded.dictionary)).astype(np.int64)
        column = understand(encoded.dictionary, counts, name, word=word, words=words)
        if column.problem is not None:
            return _refused(column.problem, column.choices)
        some = encoded.dictionary.slice(0, EXAMPLES)
        pairs = zip(_texts(some), _texts(column.values(some)), strict=True)
        examples = [list(pair) for pair in pairs]
    except ShoalError as refusal:
        return _refused(refusal, ())
    except pa.ArrowNotImplementedError:  # a column of lists, say, which has no different values
        return {"said": "left as it is", "examples": [], "problem": None, "choices": []}
    return {"said": column.said, "examples": examples, "problem": None, "choices": []}


def _refused(refusal: ShoalError, choices: Sequence[str]) -> dict[str, Any]:
    return {"said": "", "examples": [], "problem": in_words(refusal), "choices": list(choices)}


def _texts(cells: pa.Array) -> list[str]:
    return [(text or "(missing)")[:LONGEST] for text in text_of(cells).to_pylist()]
