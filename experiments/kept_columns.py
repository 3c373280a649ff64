"""Kept columns: how much of each quasi-identifier every other column of public tables takes.

    python -m experiments.kept_columns

prints for each table the columns that take most, beyond chance. The limit of
`review/prechecks/entropy` was chosen by these figures.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import shoal
from shoal.declare.columns import whole
from shoal.encode.profile import profile
from shoal.review.prechecks.entropy import sampled, taken

TABLES = {
    "adult": "age workclass education marital-status occupation race sex native-country",
    "census_income_kdd": "age sex race hispanic-origin marital-stat education "
    "class-of-worker major-industry-code major-occupation-code country-of-birth-self citizenship",
    "bank_marketing": "age job marital education balance housing loan",
    "credit_default": "LIMIT_BAL SEX EDUCATION MARRIAGE AGE",
    "sdcmicro_testdata": "urbrur roof walls water electcon relat sex age hhcivil",
    "cps85": "education experience age ethnicity region gender occupation sector union married",
    "german_credit": "age personal_status job housing",
    "cmc": "wife_age wife_education children",
    "heart_cleveland": "age sex",
    "dermatology": "Age",
    "hepatitis": "AGE SEX",
    "breast_ljubljana": "age menopause",
}
SHOWN = 10  # columns of each table


def main() -> None:
    """Print the columns of all tables that take most of a quasi-identifier."""
    for name, quasi in TABLES.items():
        table = shoal.datasets.table(name).combine_chunks()
        print(f"{name}: {table.num_rows:,} rows")
        for share, column, of in measured(table, quasi.split())[:SHOWN]:
            print(f"  {share:.2f}  {column} of {of}")


def measured(table: pa.Table, quasi: list[str]) -> list[tuple[float, str, str]]:
    """Measure what each column that is no quasi-identifier takes of each that is one."""
    rows = sampled(table.num_rows)
    codes = {name: profile(whole(table[name]), name).codes[rows] for name in table.column_names}
    if "age" in quasi and pa.types.is_integer(table.schema.field("age").type):
        ages = np.asarray(table["age"], np.int64)[rows]
        codes |= {
            "age in steps of 2": (ages // 2).astype(np.int32),
            "age in steps of 5": (ages // 5).astype(np.int32),
            "age in steps of 10": (ages // 10).astype(np.int32),
        }
        codes = {name: of - of.min() for name, of in codes.items()}
    others = [name for name in codes if name not in quasi]
    return sorted(
        ((taken(codes[name], codes[of], least=0.0), name, of) for name in others for of in quasi),
        reverse=True,
    )


if __name__ == "__main__":
    main()
