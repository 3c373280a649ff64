"""Rerun pages of docs/results: all of them, some by name, or one claim of one.

python -m experiments [PAGE ...] [--claim NAME] [--quick] [--afresh] [--jobs N]
"""

from __future__ import annotations

import importlib
import os
import sys

PAGES = (
    "el_rashidy_2011",
    "lin_wei_2009",
    "li_2007",
    "li_2007_maps",
    "byun_vanitha_2018",
    "last_2014",
    "last_2014_rules",
    "slijepcevic_2021",
)


def main(words: list[str]) -> None:
    """Run the pages that are named, or all, with the options that follow."""
    named = [word for word in words if word in PAGES]
    rest = [word for word in words if word not in PAGES]
    if rest and not rest[0].startswith("-"):
        raise SystemExit(f"no page '{rest[0]}'; there are {', '.join(PAGES)}")
    if "--claim" in rest and len(named) != 1:
        raise SystemExit("--claim goes with the name of one page")
    for page in named or PAGES:
        sys.argv = [f"experiments.{page}", *rest]
        importlib.import_module(f"experiments.{page}").main()
    times = os.times()
    cpu = times.user + times.system + times.children_user + times.children_system
    print(f"this run took {cpu / 60:.1f} CPU minutes; parts that were kept are not in them")


if __name__ == "__main__":
    main(sys.argv[1:])
