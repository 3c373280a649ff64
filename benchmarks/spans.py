"""Shares of birth dates published as `*` under the losses `height` and `span`, on the demo's table.

    python -m benchmarks.spans

The hierarchy of dates has days, months, years and decades. Prints one line for each k and loss.
"""

from __future__ import annotations

import pyarrow.compute as pc

import shoal
from shoal.adapters.demo_data import NATIONALITIES, patients

QUASI = ("birth_date", "sex", "postcode", "nationality")
TREES = {"birth_date": "dates", "postcode": shoal.Hierarchy.masks(5), "nationality": NATIONALITIES}


def main() -> None:
    """Print the table of the decision page."""
    people = patients()
    print("| k | loss | birth dates `*` | postcodes `*` | nationalities `*` | span-share |")
    print("|--:|---|--:|--:|--:|--:|")
    for k in (5, 10, 25):
        for loss in ("height", "span"):
            release = shoal.anonymize(
                people,
                quasi=QUASI,
                sensitive="diagnosis",
                k=k,
                loss=loss,
                hierarchies=TREES,
                seed=1,
            )
            shares = [
                pc.mean(pc.equal(release.table[name], "*")).as_py()
                for name in ("birth_date", "postcode", "nationality")
            ]
            cells = " | ".join(f"{share:.1%}" for share in shares)
            print(f"| {k} | {loss} | {cells} | {release.loss('span-share'):.4f} |")


if __name__ == "__main__":
    main()
