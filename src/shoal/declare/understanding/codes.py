"""Codes: texts that name things by their signs, and the levels that their prefixes give.

| texts | system | levels |
|---|---|---|
| `E11.9`, `J45` | ICD-10 | category, letter |
| `C10.1`, `47.11` | NACE | division, section |
| `2512` in a column called isco | ISCO | minor, sub-major, major group |
| `06037` in a column called fips | FIPS | state |
| `DE212` in a column called nuts or geo | NUTS | regions, country |
| `DE` | ISO countries | none: use a file of regions |
| `01067`, `SW1A 1AA`, `1012 AB`, `00-950` | postcodes | by prefix |
| `00417`, `A7-31` | zeros in front, or one length with a digit in each | by prefix |

A code is never a number. Whole numbers of few values (1 to 9, 99) may be codes: that is asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.declare.columns import is_text, text_of
from shoal.declare.understanding.bands import is_banded

LONGEST = 12  # signs of a code that is masked sign by sign
FEW = 12  # different whole numbers that may be codes
ISO = """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR
    BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ
    EC EE EG EH EL ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU
    GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW
    KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU
    MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW
    PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF
    TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UK UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE
    YT ZA ZM ZW
"""
COUNTRIES = frozenset(ISO.split())
POSTCODES = (
    "[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}|[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]|[0-9]{4} ?[A-Z]{2}"
    "|[0-9]{2}-[0-9]{3}|[0-9]{3} [0-9]{2}|[0-9]{4}-[0-9]{3}|[0-9]{3}-[0-9]{4}|[0-9]{5}-[0-9]{3,4}"
)
POSTAL = r"zip|plz|post(?:al|code|leitzahl)|code ?post|codigo ?post|cap\b|postnr|psc\b"
COUNTED = (
    r"size|count|number|num\b|persons|children|kids|rooms|members|years|age|n_|anzahl"
    r"|größe|groesse|kinder|zimmer|personen|jahre|nombre|taille|enfants"
)
CODED = r"concept id\b|\bcode\b|\bcd\b|schlüssel|schluessel|kennziffer"


@dataclass(frozen=True)
class CodeSystem:
    """A system of codes: its name, the spelling of all its codes, and its prefixes."""

    said: str
    pattern: str
    kept: tuple[int, ...] = ()
    """Signs that stay visible at each level, finest first; () for one sign less at each."""
    named: str = ""
    """A pattern that the name of the column must hold; "" for any name."""
    masked: bool = True


SYSTEMS = (
    CodeSystem("codes of NACE", r"[A-U](?:[0-9]{2}(?:\.[0-9]{1,2})?)?|[0-9]{2}\.[0-9]{1,2}",
               (3, 2, 1), "nace|naics|isic|branch|branche|wz"),
    CodeSystem("codes of ISCO", "[0-9]{3,4}", (3, 2, 1), "isco|soc|occupation|beruf|profession"),
    CodeSystem("codes of FIPS", "[0-9]{5}", (2,), "fips"),
    CodeSystem("codes of NUTS", "[A-Z]{2}[0-9A-Z]{0,3}", (4, 3, 2), "nuts|geo|region"),
    CodeSystem("postcodes of 4 or 5 digits", "[0-9]{4,5}", (), POSTAL),
    # the others are told by their spelling alone
    CodeSystem("postcodes", POSTCODES),
    CodeSystem("codes of ICD-10", r"[A-TV-Z][0-9][0-9AB](?:\.[0-9A-Z]{1,4})?", (3, 1)),
)  # fmt: skip


@dataclass(frozen=True)
class Codes:
    """The codes of a column: their system in a line, and the hierarchy that fits them."""

    said: str
    hierarchy: str | None


def codes_in(values: pa.Array, name: str) -> Codes | None:
    """Recognise codes by all different values of a column, and by its name; None for others."""
    values = values.drop_null()
    if not len(values):
        return None
    whole = pa.types.is_integer(values.type)
    if not is_text(values.type) and not (whole and may_be_named(name)):
        return None
    texts = pc.utf8_trim_whitespace(text_of(values))
    if is_banded(texts):
        return None
    if is_text(values.type) and _are_countries(texts):
        return Codes("codes of countries (ISO)", None)
    for system in SYSTEMS:
        if whole and not system.named:
            continue
        fits = not system.named or _names(system, name)
        if fits and _all_match(texts, system.pattern) and (whole or _has_digit(texts)):
            return Codes(system.said, _masks(texts, system.kept))
    return None if whole else _others(texts)


def may_be_named(name: str) -> bool:
    """Tell whether the name of a column speaks of a system of codes, so that numbers may be such.

    >>> may_be_named("zip_code"), may_be_named("income")
    (True, False)
    """
    return any(system.named and _names(system, name) for system in SYSTEMS)


def _names(system: CodeSystem, name: str) -> bool:
    return re.search(system.named, name.lower().replace("_", " ")) is not None


def may_be_codes(values: pa.Array, name: str) -> bool:
    """Tell whether whole numbers could be codes of categories: 1 to 9, perhaps with 99.

    Names that count something (household_size) speak against it, unless 99 stands apart. Names that
    speak of codes (gender_concept_id) speak for it, whatever the numbers are.
    """
    values = values.drop_null()
    if not pa.types.is_integer(values.type) or len(values) > FEW:
        return False
    if names_codes(name):
        return len(values) >= 2
    if len(values) < 3:
        return False
    numbers = np.asarray(values.cast(pa.int64(), safe=False), np.int64)
    apart = np.isin(numbers, (-9, -8, -7, -1, 77, 88, 97, 98, 99, 997, 998, 999))
    low = numbers[~apart]
    if not len(low) or low.min() < 0 or low.max() > 9:
        return False
    return bool(apart.any()) or not re.search(COUNTED, name.lower())


def names_codes(name: str) -> bool:
    """Tell whether the name of a column says that it holds codes.

    >>> names_codes("gender_concept_id"), names_codes("Tarifschlüssel"), names_codes("zip_code")
    (True, True, False)
    """
    spoken = re.sub(r"[_\W]+", " ", name.lower())
    return bool(re.search(CODED, spoken)) and not re.search(POSTAL, spoken)


def _others(texts: pa.Array) -> Codes | None:
    """Recognise codes of no known system: zeros in front, or one length and digits."""
    lengths = pc.min_max(pc.utf8_length(texts)).as_py()
    if _all_match(texts, "[0-9]+") and _any_match(texts, "^0[0-9]"):
        span = f"{lengths['min']} to {lengths['max']}"
        length = lengths["max"] if lengths["min"] == lengths["max"] else span
        return Codes(f"codes of {length} digits", _masks(texts, ()))
    alike = 3 <= lengths["min"] == lengths["max"] <= LONGEST and len(texts) > 4
    if alike and _has_digit(texts) and _all_match(texts, "[0-9A-Z./ -]+"):
        return Codes(f"codes of {lengths['max']} signs", _masks(texts, ()))
    return None


def _masks(texts: pa.Array, kept: tuple[int, ...]) -> str | None:
    """Write the hierarchy that hides codes from the right, level by level."""
    length = int(pc.max(pc.utf8_length(texts)).as_py())
    steps = [length - signs for signs in kept if 0 < signs < length]
    if length > LONGEST or (kept and not steps):
        return None
    if not kept:
        return f"masks:length={length}"
    return f"masks:length={length},steps=[{','.join(map(str, steps))}]"


def _are_countries(texts: pa.Array) -> bool:
    return len(texts) > 1 and all(text in COUNTRIES for text in texts.to_pylist()[:1000])


def _has_digit(texts: pa.Array) -> bool:
    return bool(pc.all(pc.match_substring_regex(texts, "[0-9]")).as_py())


def _all_match(texts: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(texts, f"^(?:{pattern})$")).as_py())


def _any_match(texts: pa.Array, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(texts, pattern)).as_py())
