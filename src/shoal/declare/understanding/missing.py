"""Missing: words and numbers that often mean a missing value; taken as such only when named.

A word is compared with a cell as it is published, without blanks around it. `smoker=99` names a
word of one column alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Counts
from shoal.declare.columns import is_text, text_of

WORDS = frozenset(
    """
    na|n/a|n.a.|n.a|#n/a|#na|<na>|nan|nil|none|null|missing|(missing)|unknown|(unknown)|unk|(blank)
    not known|not available|not applicable|not stated|not reported|no answer|no data|no response
    refused|refusal|undisclosed|prefer not to say|don't know|dont know|not asked|not given
    not recorded|keine angabe|keine angaben|k.a.|k. a.|ohne angabe|ohne angaben|o.a.|o. a.
    unbekannt|nicht bekannt|fehlt|fehlend|nicht erhoben|nicht erfasst|nicht bestimmt|entfällt
    nicht zutreffend|trifft nicht zu|verweigert|weiss nicht|weiß nicht|w.n.|n.b.|n. b.|n.n.
    (leer)|leer|#nv
    inconnu|inconnue|non renseigné|non renseigne|sans réponse|ne sait pas|nsp|refus|(vide)
    desconocido|desconocida|no consta|sin datos|sin respuesta|sin información|ns/nc|sconosciuto
    non disponibile|n.d.|nd|onbekend|niet bekend|geen antwoord
    -|--|---|.|..|?|??|???
    """.strip()
    .replace("\n    ", "|")
    .split("|")
)
SENTINELS = (
    *(-9, -99, -999, -8, -7, 77, 88, 97, 98, 99, 777, 888, 997, 998, 999),
    *(6666, 7777, 8888, 9997, 9998, 9999, 66666, 77777, 88888, 99997, 99998, 99999),
)


def words_for(column: str, words: Iterable[str], names: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the words that mean missing in a column; those of other columns are left out.

    >>> words_for("smoker", ["NA", "smoker=99", "age=999"], ["age", "smoker"])
    ('NA', '99')
    """
    chosen = []
    for word in words:
        named = next((name for name in names if word.startswith(f"{name}=")), None)
        if named is None:
            chosen.append(word.strip())
        elif named == column:
            chosen.append(word[len(named) + 1 :].strip())
    return tuple(chosen)


def strange_columns(words: Iterable[str], names: Sequence[str]) -> list[str]:
    """List what stands before the = of words that belong to none of these columns.

    A word that begins with = is one of all columns.

    >>> strange_columns(["NA", "smoker=99", "agee=999"], ["age", "smoker"])
    ['agee']
    """
    strange = [word for word in words if not any(word.startswith(f"{name}=") for name in names)]
    parted = [word.partition("=") for word in strange]
    return sorted({name for name, equals, _ in parted if name and equals})


def without(values: pa.Array, words: Sequence[str]) -> pa.Array:
    """Write values that one of the words names as missing."""
    if not words or not len(values):
        return values
    texts = pc.utf8_trim_whitespace(text_of(values))
    named = pc.fill_null(pc.is_in(texts, value_set=pa.array(list(words), pa.string())), False)
    return pc.if_else(named, pa.scalar(None, values.type), values)


def proposed(values: pa.Array, counts: Counts) -> tuple[str, ...]:
    """List the different values that often mean missing, the most frequent first.

    A number is proposed where it stands far above the others, or below zero beside none.
    """
    if is_text(values.type):
        known = [says_missing(text) for text in values.to_pylist()]
    elif pa.types.is_integer(values.type):
        known = _sentinels(np.asarray(values.cast(pa.int64(), safe=False), np.int64))
    else:
        return ()
    order = sorted((-int(counts[i]), i) for i, is_known in enumerate(known) if is_known)
    texts = text_of(values).to_pylist()
    return tuple(texts[i].strip() for _, i in order[:5])


def says_missing(text: str) -> bool:
    """Tell whether a text is a word that often means a missing value.

    >>> says_missing(" Keine Angabe"), says_missing("Don’t know"), says_missing("Köln")
    (True, True, False)
    """
    return text.strip().lower().replace("’", "'") in WORDS


def _sentinels(numbers: np.ndarray) -> list[bool]:
    """Mark numbers such as 99 and -9 that stand apart from all others."""
    listed = np.isin(numbers, SENTINELS)
    others = numbers[~listed]
    if not listed.any() or len(others) < 2:
        return [False] * len(numbers)
    apart = (numbers < 0) & (others.min() >= 0) | (numbers > 2 * max(int(others.max()), 1))
    return list(listed & apart)
