"""Global options: what can be asked of one scheme for all rows; fields of `RecipeOptions`."""

from __future__ import annotations

from typing import Annotated

from shoal.partition.method import Suppressed
from shoal.recipe.options import option

Suppress = Annotated[
    Suppressed,
    option(
        "After global recoding, leave out rows that are not safe, or blank single cells of them.",
        "protection",
        takes="rows, or with full-domain cells",
        example="cells",
        reported="Whether whole rows were left out, or single cells blanked, where one level for"
        " each column is not enough.",
        panel=True,
        not_with=("overlap",),
    ),
]
SchemeFile = Annotated[
    str | None,
    option(
        "Bands, codes and levels of an earlier release, from its scheme file.",
        "coding",
        metavar="FILE",
        takes="a file that was saved as a scheme",
        example="bands.toml",
        reported="Bands, codes and levels are those of an earlier release.",
        not_with=("overlap",),
        python="str | Path",
    ),
]
