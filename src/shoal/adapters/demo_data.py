"""Demo data: invented hospital patients, the same on every machine.

Nobody in this table exists. Ages, places, nationalities, diagnoses and costs hang together as they
do in a real hospital: old people are ill with other things than young ones, cities are more mixed
than villages, a few postcodes hold most people, and winter brings pneumonia. Nearly everyone is
alone with a birth date, sex and postcode.

Every draw is a whole number below a sum of whole weights, so no rounding differs between machines.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from shoal.arrays import Flags, Longs

SEED = 20_240_229
FIRST_DAY = np.datetime64("2023-01-01")
DAYS = 731  # two years, one of them a leap year

NATIONALITIES = {
    "Europe": {
        "Western Europe": ["Austrian", "Belgian", "Dutch", "French", "German", "Swiss"],
        "Northern Europe": ["British", "Danish", "Finnish", "Irish", "Norwegian", "Swedish"],
        "Southern Europe": ["Croatian", "Greek", "Italian", "Portuguese", "Spanish"],
        "Eastern Europe": ["Bulgarian", "Hungarian", "Polish", "Romanian", "Ukrainian"],
    },
    "Asia": {
        "Western Asia": ["Iraqi", "Syrian", "Turkish"],
        "Southern Asia": ["Afghan", "Indian", "Iranian", "Pakistani"],
        "Eastern Asia": ["Chinese", "Filipino", "Korean", "Vietnamese"],
    },
    "Africa": {
        "Northern Africa": ["Egyptian", "Moroccan", "Tunisian"],
        "Sub-Saharan Africa": ["Eritrean", "Ghanaian", "Nigerian", "Somali"],
    },
    "America": {
        "Northern America": ["American", "Canadian"],
        "Latin America": ["Argentine", "Brazilian", "Mexican"],
    },
}
"""Continents, their parts, and the nationalities in each."""

HOME = "German"
FREQUENT = {
    "Turkish": 30,
    "Polish": 22,
    "Syrian": 18,
    "Ukrainian": 17,
    "Romanian": 16,
    "Italian": 13,
    "Croatian": 9,
}

# Three leading digits, how many people live there, and how many in a hundred are foreigners.
DISTRICTS = (
    ("010", 90, 12),
    ("011", 60, 8),
    ("017", 20, 4),
    ("041", 110, 14),
    ("042", 70, 11),
    ("046", 25, 4),
    ("101", 170, 31),
    ("103", 150, 27),
    ("107", 120, 35),
    ("125", 80, 15),
    ("144", 45, 9),
    ("153", 18, 5),
)
# five postcodes a district, from large to small
ENDINGS = (("09", 12), ("17", 7), ("27", 5), ("55", 3), ("69", 1))

AGES = (
    (0, 5),
    (1, 3),
    (5, 4),
    (15, 7),
    (25, 11),
    (35, 10),
    (45, 12),
    (55, 16),
    (65, 18),
    (75, 17),
    (85, 7),
    (95, 1),
)
OLDEST = 102

# For each diagnosis: how frequent it is below 18, below 45, below 65 and above; women in ten;
# typical cost; winter's share.
DIAGNOSES = (
    ("pneumonia", (14, 6, 10, 24), 5, 5_200, 2),
    ("heart failure", (0, 1, 12, 44), 5, 6_800, 1),
    ("heart attack", (0, 2, 16, 20), 4, 9_400, 1),
    ("stroke", (0, 2, 12, 26), 5, 11_200, 1),
    ("hip fracture", (1, 1, 4, 22), 7, 10_300, 1),
    ("arm fracture", (20, 10, 7, 8), 5, 3_100, 1),
    ("concussion", (18, 8, 4, 6), 4, 1_200, 1),
    ("appendicitis", (16, 12, 5, 2), 5, 4_100, 1),
    ("gallstones", (0, 9, 14, 11), 6, 4_600, 1),
    ("hernia", (3, 6, 11, 9), 2, 3_700, 1),
    ("diabetes", (5, 5, 11, 13), 5, 4_300, 1),
    ("asthma", (13, 7, 5, 4), 5, 2_600, 1),
    ("gastroenteritis", (20, 8, 5, 7), 5, 1_900, 1),
    ("kidney stones", (1, 9, 10, 5), 4, 2_900, 1),
    ("lung cancer", (0, 1, 9, 11), 4, 14_800, 1),
    ("colon cancer", (0, 1, 8, 12), 5, 13_600, 1),
    ("leukaemia", (2, 1, 2, 4), 4, 27_500, 1),
    ("depression", (5, 17, 11, 4), 6, 7_300, 1),
    ("alcohol dependence", (1, 12, 13, 3), 3, 3_900, 1),
    ("HIV infection", (0, 3, 2, 1), 3, 8_700, 1),
    ("schizophrenia", (1, 7, 4, 1), 4, 9_900, 1),
)

GIVEN = {
    "female": (
        "Aicha",
        "Anna",
        "Beatriz",
        "Chloé",
        "Dilara",
        "Elif",
        "Emilia",
        "Fatima",
        "Frieda",
        "Greta",
        "Ida",
        "İpek",
        "Jana",
        "Johanna",
        "Katarzyna",
        "Léa",
        "Lotte",
        "Maja",
        "María",
        "Mina",
        "Nour",
        "Olha",
        "Petra",
        "Renate",
        "Saša",
        "Sigrún",
        "Thảo",
        "Ursula",
        "Yuki",
        "Zoë",
    ),
    "male": (
        "Ahmed",
        "Anton",
        "Bjørn",
        "Can",
        "Dieter",
        "Emil",
        "François",
        "Georg",
        "Hüseyin",
        "Ivan",
        "Jakob",
        "João",
        "Karl",
        "Kwame",
        "Łukasz",
        "Luis",
        "Mehmet",
        "Milan",
        "Minh",
        "Nikos",
        "Omar",
        "Otto",
        "Paul",
        "Ravi",
        "Søren",
        "Stefan",
        "Tomáš",
        "Uwe",
        "Viktor",
        "Yusuf",
    ),
}
STEMS = (
    "Ahl",
    "Berg",
    "Brück",
    "Dorn",
    "Eich",
    "Feld",
    "Grün",
    "Hags",
    "Kalt",
    "Linden",
    "Mühl",
    "Nord",
    "Öst",
    "Rosen",
    "Stein",
    "Wald",
)
TAILS = (
    "acker",
    "bach",
    "brecht",
    "ek",
    "er",
    "hoff",
    "ić",
    "kamp",
    "mann",
    "oğlu",
    "ova",
    "sen",
    "ski",
    "son",
    "strøm",
    "thal",
)


def patients(rows: int = 5_000, seed: int = SEED) -> pa.Table:
    """Make a table of invented patients, one admission each.

    The table is the same for the same seed on every machine.
    """
    draw = Draw(rows, seed)
    district = draw.by_weight([people for _, people, _ in DISTRICTS])
    ending = draw.by_weight([n for _, n in ENDINGS])
    age = _ages(draw)
    admitted = _admissions(draw)
    woman = draw.below(100) < np.where(age >= 75, 58, 51)
    diagnosis = _diagnoses(draw, age, woman, _is_winter(admitted))
    born = admitted - age * 365 - age // 4 - draw.below(365)
    columns = {
        "name": pa.array(_names(draw, woman), pa.string()),
        "birth_date": _dates(born),
        "sex": _text(["male", "female"], woman.astype(np.int64)),
        "postcode": _text(_postcodes(), district * len(ENDINGS) + ending, draw.below(100) == 0),
        "nationality": _nationalities(draw, district),
        "admission_date": _dates(admitted),
        "diagnosis": _text([name for name, *_ in DIAGNOSES], diagnosis),
        "cost": pa.array(_costs(draw, diagnosis, age), pa.int64()),
    }
    return pa.table(columns)


class Draw:
    """Draw whole random numbers, one for each row."""

    def __init__(self, rows: int, seed: int) -> None:
        self.rows = rows
        self._rng = np.random.Generator(np.random.PCG64(seed))

    def below(self, limit: int) -> Longs:
        """Draw numbers from 0 to limit - 1, all equally likely."""
        return (self._rng.random(self.rows) * limit).astype(np.int64)

    def by_weight(self, weights: Sequence[int]) -> Longs:
        """Draw places in a list of whole weights, each as often as its weight says."""
        edges = np.cumsum(np.asarray(weights, np.int64))
        return np.searchsorted(edges, self.below(int(edges[-1])), side="right").astype(np.int64)

    def by_weights(self, weights: Longs) -> Longs:
        """Draw places by a list of weights for each row: `weights[row, place]`."""
        edges = np.cumsum(weights, axis=1)
        drawn = (self._rng.random(self.rows) * edges[:, -1]).astype(np.int64)
        places: Longs = np.count_nonzero(edges <= drawn[:, None], axis=1)
        return places


def _ages(draw: Draw) -> Longs:
    """Draw ages in years: newborn babies, few children, many old people."""
    starts = np.array([start for start, _ in AGES] + [OLDEST], np.int64)
    band = draw.by_weight([weight for _, weight in AGES])
    width = starts[band + 1] - starts[band]
    age: Longs = starts[band] + draw.below(1 << 20) * width // (1 << 20)
    return age


def _admissions(draw: Draw) -> Longs:
    """Draw days since 1970 in two years; weekends are quieter."""
    days: Longs = FIRST_DAY.astype(np.int64) + np.arange(DAYS, dtype=np.int64)
    weekend = (days + 3) % 7 >= 5  # the first day of 1970 was a Thursday
    return days[draw.by_weight(np.where(weekend, 5, 8).tolist())]


def _is_winter(days: Longs) -> Flags:
    """Tell whether a day lies in November to February."""
    month = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12
    return np.isin(month, (10, 11, 0, 1))


def _diagnoses(draw: Draw, age: Longs, woman: Flags, winter: Flags) -> Longs:
    """Draw a diagnosis for each row, by age, a little by sex, and for some by season."""
    by_age = np.array([weights for _, weights, *_ in DIAGNOSES], np.int64).T * 10 + 1
    women = np.array([women for _, _, women, *_ in DIAGNOSES], np.int64)
    extra = np.array([winter for *_, winter in DIAGNOSES], np.int64)
    band = np.searchsorted((18, 45, 65), age, side="right")
    by_sex = np.where(woman[:, None], women, 10 - women)
    return draw.by_weights(by_age[band] * by_sex * np.where(winter[:, None], extra, 1))


def _costs(draw: Draw, diagnosis: Longs, age: Longs) -> Longs:
    """Draw whole amounts in steps of 50: by diagnosis, more for the old, now and then far more."""
    typical = np.array([cost for *_, cost, _ in DIAGNOSES], np.int64)[diagnosis]
    share = 60 + draw.below(50) + draw.below(50) + np.where(age >= 65, 15, 0)
    share = np.where(draw.below(40) == 0, share * 3, share)
    return (typical * share // 100 + 25) // 50 * 50


def _nationalities(draw: Draw, district: Longs) -> pa.Array:
    """Draw nationalities: mostly the country's own, more mixed in the city.

    One in a hundred is not written down.
    """
    leaves = [leaf for parts in NATIONALITIES.values() for part in parts.values() for leaf in part]
    foreign = draw.by_weight([0 if leaf == HOME else FREQUENT.get(leaf, 3) for leaf in leaves])
    is_foreign = draw.below(100) < np.array([share for *_, share in DISTRICTS])[district]
    return _text(leaves, np.where(is_foreign, foreign, leaves.index(HOME)), draw.below(100) == 0)


def _postcodes() -> list[str]:
    return [prefix + ending for prefix, *_ in DISTRICTS for ending, _ in ENDINGS]


def _names(draw: Draw, woman: Flags) -> list[str]:
    given = draw.below(len(GIVEN["male"]))
    stem = draw.below(len(STEMS))
    tail = draw.below(len(TAILS))
    return [
        f"{GIVEN['female' if w else 'male'][g]} {STEMS[s]}{TAILS[t]}"
        for w, g, s, t in zip(
            woman.tolist(), given.tolist(), stem.tolist(), tail.tolist(), strict=True
        )
    ]


def _text(values: Sequence[str], places: Longs, missing: Flags | None = None) -> pa.Array:
    return pa.array(np.array(values, object)[places], pa.string(), mask=missing)


def _dates(days: Longs) -> pa.Array:
    return pa.array(days.astype(np.int32), pa.int32()).cast(pa.date32())
