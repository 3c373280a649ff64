"""Ages in text: `34 years`, `6 mo`, `3 weeks`, `10 d`; read as years.

Where all are in years they stay whole numbers. Others are rounded to two decimals: 6 months are
0.5. The units are those of English, German, French and Spanish.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.declare.understanding.reading import Reading, parts_of

UNITS = (
    ("years?|yrs?|yr|y|y/o|yo|jahre?|ans?|a[nñ]os?", 1.0),
    ("months?|mos?|mths?|mth|m|monate?|mois|mes(?:es)?", 1 / 12),
    ("weeks?|wks?|w|wochen?|semaines?|semanas?", 7 / 365.25),
    ("days?|d|tage?|jours?|d[ií]as?", 1 / 365.25),
)
UNIT = "|".join(names for names, _ in UNITS)
PATTERN = rf"(?P<number>[0-9]{{1,3}}(?:[.,][0-9])?) ?(?P<unit>(?i:{UNIT}))\.?(?: old)?"


def _years(texts: pa.Array) -> pa.Array:
    """Read ages in years."""
    parts = parts_of(texts, f"^{PATTERN}$")
    numbers = np.asarray(pc.replace_substring(parts["number"], ",", ".").cast(pa.float64()))
    years = np.zeros(len(numbers))
    for names, share in UNITS:
        of_unit = np.asarray(pc.match_substring_regex(parts["unit"], f"^(?i:{names})$"), np.bool_)
        years = np.where(of_unit, numbers * share, years)
    years = np.round(years, 2)
    if (years == np.floor(years)).all():
        return pa.array(years.astype(np.int64))
    return pa.array(years)


SIGNS = "AaDdJjMmWwYy"  # each unit holds one of these letters
AGES = Reading("age", "ages, in years", PATTERN, _years, signs=SIGNS)
