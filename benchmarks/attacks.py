"""What each attack gains from releases of Adult: k = 5, two methods, tight and snapped boxes, with
l-diversity and without.

    python -m benchmarks.attacks [--rows 30162] [--k 5]

Each figure is the advantage over guessing, 0 being none. The sensitive column is occupation, so
seven quasi-identifiers are left; `earlier` is the release of the row above it, of the same people.
A minus stands for an attack that is not possible.
"""

from __future__ import annotations

import argparse
import time

import pyarrow as pa

import shoal
from benchmarks import adult, measure

SENSITIVE = "occupation"
QUASI = [name for name in adult.QUASI if name != SENSITIVE]
SHOWN = (
    "record-linkage",
    "distance-linkage",
    "homogeneity",
    "background-knowledge",
    "skewness",
    "minimality",
    "downcoding",
)
RELEASES = [
    (method, publish, models)
    for method in ("k-member", "shoal")
    for publish, models in (("tight", ()), ("snapped", ()), ("snapped", ("l-diversity(l=3)",)))
]


def main() -> None:
    """One table: a row for each release, a column for each attack."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=30_162)
    parser.add_argument("--k", type=int, default=5)
    options = parser.parse_args()
    people = adult.table().slice(0, options.rows)
    start = time.process_time()
    lines = []
    earlier = None
    for method, publish, models in RELEASES:
        release = released(people, options.k, method, publish, models)
        lines.append([", ".join((method, publish, *models)), *advantages(release, people, earlier)])
        earlier = release.table
    lines.append(["the original itself", *advantages(None, people, None)])
    title = (
        f"Adult, {people.num_rows:,} rows, k = {options.k}, sensitive {SENSITIVE}: advantage "
        "over guessing"
    )
    note = f"{time.process_time() - start:.0f} CPU seconds, {len(RELEASES)} releases included."
    print(measure.markdown(title, ["release", *SHOWN, "intersection"], lines, note))


def released(
    people: pa.Table, k: int, method: str, publish: str, models: tuple[str, ...]
) -> shoal.Release:
    return shoal.anonymize(
        people,
        quasi=QUASI,
        sensitive=[SENSITIVE],
        k=k,
        method=method,
        publish=publish,
        models=models,
        seed=1,
        hierarchies=trees(),
    )


def advantages(
    release: shoal.Release | None, people: pa.Table, earlier: pa.Table | None
) -> list[str]:
    """The figures of one release, or of the table as it is."""
    asked = (
        {"certificate": release.certificate}
        if release
        else {"quasi": QUASI, "sensitive": [SENSITIVE]}
    )
    attacks = [
        f"{name}(seed=1)" if name == "minimality" else name for name in (*SHOWN, "intersection")
    ]
    found = shoal.attack(
        release.table if release else people,
        original=people,
        hierarchies=trees(),
        attacks=attacks,
        earlier=[] if earlier is None else [earlier],
        **asked,
    )
    return [
        "-" if finding.advantage is None else f"{finding.advantage:.3f}" for finding in found.all
    ]


def trees() -> dict[str, str | None]:
    return {name: tree for name, tree in adult.hierarchies().items() if name in QUASI}


if __name__ == "__main__":
    main()
