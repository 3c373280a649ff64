"""Golden releases: what Shoal publishes from fixed tables, frozen as hashes in `golden.json`.

A change to the code that is meant to change no release leaves all hashes as they are. Each case has
several parts, hashed one by one, so that a difference says where it lies:

- `table`: columns, types, and rows in order
- `labels`: the group of each input row
- `public`, `private`: the certificates without version, seed and prose
- `notes`: all prose beside them, which may be reworded
- what a case gives beyond these: `json`, `verify`, `audit`, files

From the folder `tests`:

    python -m guarantees.golden                  compare; says which parts of which cases differ
    python -m guarantees.golden --write [CASE]   freeze anew, all cases or those named
    python -m guarantees.golden --show CASE      print the parts of a case, to be compared by eye
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import polars

import shoal
from guarantees.golden_parts import canonical, digest
from guarantees.golden_runs import (
    Run,
    audited,
    carried_out,
    checked,
    distorted,
    everyone,
    on_spark,
    people,
    released,
    sample,
    sharded,
    typed,
    visits,
    with_gaps,
)

FROZEN = Path(__file__).with_name("golden.json")
Hashes = dict[str, str]

WITHHOLDING = "threshold:small=withhold,delta=0.3"

METHODS: dict[str, Run] = {
    "shoal": released("shoal"),
    "shoal, low effort, no balance": released("shoal:balance=0", effort="low"),
    "banded": released("banded"),
    "banded, every kind of column": released(
        "banded",
        of=with_gaps,
        quasi=["age", "born", "height", "job"],
        hierarchies={"job": "job.csv"},
        top={"age": 70},
        models=["l-diversity:l=2"],
    ),
    "full-domain": released("full-domain"),
    "full-domain, rows left out": released(
        "full-domain:aggregate=geometric", loss="leaf-share", withhold=1, top={"age": 80}
    ),
    "full-domain, squared sizes": released(
        "full-domain:charge=level,at_least=[age=1]", loss="discernibility", withhold=0.1
    ),
    "genetic": released("genetic:generations=30"),
    "genetic, other parameters": released(
        "genetic:crossover=best,replacement=annealing,generations=20"
    ),
    "hybrid": released("hybrid"),
    "k-means-adjusted": released("k-means-adjusted"),
    "k-means-adjusted, all columns": released("k-means-adjusted:centre=frequencies,columns=all"),
    "k-means-adjusted-once": released("k-means-adjusted-once:centre=ancestor"),
    "k-means-filled": released("k-means-filled:iterations=5"),
    "k-member": released("k-member"),
    "k-member, with classes": released(
        "k-member:seed_rule=last-added,class_column=illness,class_weight=0.5"
    ),
    "mdav": released("mdav"),
    "mondrian": released("mondrian"),
    "mondrian, relaxed": released("mondrian:relaxed=true"),
    "one-pass-k-means": released("one-pass-k-means"),
    "one-pass-k-means, file order": released("one-pass-k-means:order=file"),
    "sequential": released("sequential:restarts=2,cycles=4"),
    "threshold": released("threshold"),
    "threshold, withholding": released(WITHHOLDING, withhold=0.5),
    "top-down": released("top-down"),
    "v-mdav": released("v-mdav:gamma=1.1"),
    "weighted-c-means": released("weighted-c-means"),
    "weighted-c-means, by loss": released("weighted-c-means:weights=loss"),
}

WITH_JOB: dict[str, Any] = {
    "quasi": ["age", "sex", "postcode", "job"],
    "hierarchies": {"postcode": "masks:length=5", "job": "job.csv"},
}
WARDS = {"coast": ["north", "west"], "land": ["east"]}
NUMBERS = {"quasi": ["age", "height"], "hierarchies": {}}
TWO_SENSITIVE = {"sensitive": ["illness", "cost"]}

MODELS: dict[str, Run] = {
    "alpha-k": released("k-member", models=["alpha-k:alpha=0.5"]),
    "alpha-k of named values": released(models=["alpha-k(alpha=0.4, values=[gout, hip])"]),
    "beta-likeness": released("shoal", models=["beta-likeness:beta=1.5"]),
    "beta-likeness, enhanced": released(models=["beta-likeness:beta=2,form=enhanced"], k=8),
    "delta-disclosure": released(models=["delta-disclosure:delta=1.2,absent=skip"], k=12),
    "delta-presence": released(
        "top-down",
        of=sample,
        everyone=everyone,
        publish="tight",
        models=["delta-presence:low=0,high=0.8"],
    ),
    "entropy-l-diversity": released("one-pass-k-means", models=["entropy-l-diversity:l=2.2"]),
    "frequency-l-diversity": released("hybrid", models=["frequency-l-diversity:l=2"]),
    "k-anonymity beside k": released("shoal", models=["k-anonymity:k=9"]),
    "k-e": released(sensitive=["cost"], models=["k-e:e=500,k=3"]),
    "k-map": released(of=sample, everyone=everyone, models=["k-map:k=20"], k=2),
    "l-diversity": released("shoal", models=["l-diversity:l=3"]),
    "l-diversity, as an object": released("sequential", models=[shoal.LDiversity(l=2)]),
    "l-diversity, full-domain": released("full-domain", models=["l-diversity:l=3"], withhold=0.2),
    "lkc, full-domain": released("full-domain", models=["lkc:l=2,c=0.6"], withhold=0.3),
    "lkc": released("top-down", models=["lkc:l=2,c=0.45"]),
    "p-sensitive": released("threshold", models=["p-sensitive:p=4"]),
    "recursive-l-diversity": released("mdav", models=["recursive-l-diversity:c=3,l=2"]),
    "t-closeness": released("shoal", models=["t-closeness:t=0.35"]),
    "t-closeness, ordered": released(
        sensitive=["cost"], models=["t-closeness:t=0.25,distance=ordered"]
    ),
    "t-closeness, hierarchical": released(
        models=["t-closeness:t=0.3,distance=hierarchical"],
        hierarchies={"illness": "illness.csv", "postcode": "masks:length=5"},
    ),
    "several models, two columns": released(
        "shoal", **TWO_SENSITIVE, models=["l-diversity:l=2", "t-closeness:t=0.6"]
    ),
    "others as quasi": released(
        sensitive=["illness", "ward"], others="as-quasi", models=["l-diversity:l=2"], k=20
    ),
}

PUBLISHED: dict[str, Run] = {
    "tight": released("shoal", publish="tight"),
    "centre": released("k-member", publish="centre", **WITH_JOB),
    "bounds": released(publish="bounds", **NUMBERS),
    "sets": released("shoal", publish="sets", **WITH_JOB),
    "each column in its own way": released(
        "shoal",
        publish={"age": "bounds", "born": "tight", "height": "centre", "job": "snapped"},
        quasi=["age", "born", "height", "job"],
        hierarchies={"job": "job.csv"},
    ),
    "snapped numbers and dates": released(
        "shoal",
        quasi=["age", "born", "height", "cost"],
        hierarchies={},
        publish={"born": "snapped(last=end-of-2026)"},  # else it would follow the clock
    ),
    "keep order": released("shoal", keep_order=True),
    "kept columns": released("shoal", keep=["ward"]),
    "kept by force": released(keep=["height"], force_keep=["height"]),
    "weight": released("shoal", weight="weight"),
}

HIERARCHIES: dict[str, Run] = {
    "file and masks": released("shoal", **WITH_JOB),
    "masks in steps": released(
        "shoal", hierarchies={"postcode": shoal.Hierarchy.masks(5, character="#", steps=(2, 3))}
    ),
    "intervals of a width": released(
        "shoal",
        hierarchies={"age": shoal.Hierarchy.intervals(5, start=3, fanout=3), "postcode": None},
    ),
    "intervals between edges": released(
        "k-means-filled", hierarchies={"age": "intervals:edges=[0;18;30;45;65;120]"}
    ),
    "intervals of quantiles": released(
        "shoal", hierarchies={"height": "intervals:quantiles=8"}, quasi=["height", "sex"]
    ),
    "dates": released("shoal", quasi=["born", "sex"], hierarchies={"born": "dates"}),
    "dates, some levels": released(
        "top-down",
        quasi=["born", "sex"],
        hierarchies={"born": shoal.Hierarchy.dates("month", "year", "decade")},
    ),
    "ladders of numbers and dates": released(
        "mondrian",
        quasi=["age", "born", "height"],
        hierarchies={
            "age": "ladder",
            "born": shoal.Hierarchy.ladder("month-quarter-year-5years", start=1901),
            "height": "ladder:widths=0.05-0.1",
        },
        top={"age": 80},
    ),
    "nested": released(
        "shoal", quasi=["age", "ward"], hierarchies={"ward": shoal.Hierarchy.nested(WARDS)}
    ),
    "flat": released("mondrian", hierarchies={"postcode": shoal.Hierarchy.flat()}),
    "no hierarchy": released("shoal", hierarchies={}),
}

LOSSES: dict[str, Run] = {
    "height": released("shoal", loss="height", **WITH_JOB),
    "leaf-share": released("shoal", loss="leaf-share", **WITH_JOB),
    "loss-metric": released("nsvdist", loss="loss-metric", **WITH_JOB),
    "non-uniform-entropy": released("shoal", loss="non-uniform-entropy", **WITH_JOB),
    "squared-error": released("shoal", loss="squared-error", **NUMBERS),
    "importance": released("shoal", importance={"age": 3, "sex": 0.5}),
    "refined": released("mondrian", refine=True),
    "refined under a model": released("k-member", refine=True, models=["l-diversity:l=2"]),
    "bound": released("shoal", bound=True),
}

PEOPLE: dict[str, Run] = {
    "withheld": released("k-member", withhold=0.8, models=["alpha-k:alpha=0.35"], k=15),
    "withholding not needed": released("shoal", withhold=0.05, models=["t-closeness:t=0.3"]),
    "person": released("shoal", of=visits, person="patient", models=["l-diversity:l=2"]),
    "person, top-down": released("top-down", of=visits, person="patient"),
    "population of a number": released("shoal", population=4000),
    "population of a fraction": released(population=0.1, weight="weight"),
    "population of a table": released("shoal", of=sample, everyone=everyone),
    "population of a file": released("shoal", of=sample, population="everyone.csv"),
    "missing": released("shoal", of=with_gaps, models=["l-diversity:l=2"], **WITH_JOB),
    "missing, bounds": released("mondrian", of=with_gaps, publish="bounds", **NUMBERS),
    "preset": released("shoal", preset="ema", k=None),
    "no seed": released("shoal", seed=None),
    "from pandas": released("shoal", of=lambda: with_gaps().to_pandas()),
    "from polars": released("shoal", of=lambda: polars.from_arrow(people())),
    "from a file": released("shoal", of=lambda: "people.csv"),
}

TYPED = ("-q", "age,sex,postcode,job", "-s", "illness", "-i", "name", "-k", 5, "--seed", 3)
TREES = ("--hierarchies", ".", "--hierarchy", "postcode=masks:length=5")
ON_DISK = ("anonymize", "people.parquet", *TYPED, *TREES, "--memory", "2GB", "--effort", "low")

ENGINES: dict[str, Run] = {
    "shards": sharded("shoal", 4, of=lambda: people(600), effort="low"),
    "shards of nested bands": sharded("banded", 3, of=lambda: people(600), effort="low"),
    "shards under models": sharded(
        "shoal", 3, of=with_gaps, models=["l-diversity:l=2", "t-closeness:t=0.5"], effort="low"
    ),
    "shards, withholding": sharded(WITHHOLDING, 3, withhold=0.5),
    "shards of persons": sharded("k-member", 2, of=visits, person="patient", k=3),
    "disk": typed(*ON_DISK, out="out.parquet", pieces=250),
    "disk, under models": typed(
        *(*ON_DISK, "--model", "l-diversity:l=2", "--keep", "ward"),
        *("--method", "mondrian", "--publish", "tight", "--publish", "age=snapped"),
        out="out.csv",
        pieces=200,
    ),
    "disk, missing": typed(
        *("anonymize", "gaps.parquet", *TYPED, *TREES),
        *("--memory", "2GB", "--model", "t-closeness:t=0.5"),
        out="out.parquet",
        pieces=150,
    ),
    "disk, withholding": typed(
        *ON_DISK[:-2], *("--method", WITHHOLDING, "--withhold", 0.8), out="out.csv", pieces=250
    ),
    "disk, in one piece": typed(*ON_DISK, out="out.parquet", pieces=10**6),
    "terminal": typed(
        *("anonymize", "people.csv", *TYPED, *TREES, "--model", "l-diversity:l=2"),
        *("--importance", "age=2", "--save-recipe", "asked.toml"),
        out="out.csv",
        also=("asked.toml",),
    ),
}

SPARK: dict[str, Run] = {
    "shards": on_spark("shoal", 150, of=lambda: people(600), effort="low"),
    "under models": on_spark(
        "shoal",
        100,
        of=with_gaps,
        effort="low",
        models=["l-diversity:l=2", "t-closeness:t=0.5"],
        keep=["ward"],
    ),
    "withholding, tight": on_spark(WITHHOLDING, 100, withhold=0.5, publish="tight"),
}

OVERLAPS: dict[str, Run] = {
    "nsvdist": released("nsvdist"),
    "nsvdist as published": released("nsvdist", as_published=True),
    "nsvdist as published, l = 2": released("nsvdist:l=2", as_published=True, publish="tight"),
    "nsvdist, l = 2": released("nsvdist:l=2", **WITH_JOB),
    "nsvdist, k-concealment": released("nsvdist:match=k-concealment"),
    "nsvdist, mutual": released("nsvdist:match=mutual"),
    "nsvdist, k-k": released("nsvdist:match=k-k", **NUMBERS),
    "nsvdist, 1-k": released("nsvdist:match=1-k", **NUMBERS),
    "nsvdist, values of groups": released("nsvdist:values=groups"),
    "nsvdist, noisy values": released("nsvdist:values=noisy,epsilon=2,cap=10"),
    "nsvdist, written as text": released("nsvdist:write=text", as_published=True),
    "nsvdist, missing and kept": released(
        "nsvdist", of=with_gaps, keep=["ward"], loss="leaf-share", **WITH_JOB
    ),
}

DISTORTIONS: dict[str, Run] = {
    "chaotic": distorted("chaotic:scale=0.1,r=4", as_published=True, seed=5),
    "chaotic, by cell": distorted("chaotic:r=3.9,orbit=cell", as_published=True),
    "correlated-noise": distorted("correlated-noise", as_published=True, seed=5),
    "correlated-noise, unseeded": distorted(
        "correlated-noise:scale=0.2", as_published=True, rounded=True
    ),
    "microaggregated-noise": distorted("microaggregated-noise:k=4", as_published=True, seed=5),
    "noise": distorted("noise:law=uniform", as_published=True, shuffled=True),
    "noise, seeded": distorted("noise", as_published=True, seed=5, clusters=3),
    "robust-noise": distorted("robust-noise:scale=0.3", as_published=True),
    "distorted in the terminal": typed(
        *("distort", "people.parquet", "--columns", "cost,height", "--round", "--seed", 2),
        "--as-published",
        out="out.parquet",
    ),
}

CHECKS: dict[str, Run] = {
    "checked": checked("shoal", models=["l-diversity:l=2", "t-closeness:t=0.5"]),
    "checked, bounds and a population": checked(publish="bounds", population=3000, **NUMBERS),
    "checked, overlapping": checked("nsvdist"),
    "audited": audited(),
    "audited, missing is a wildcard": audited(with_gaps, missing="wildcard"),
    "audited among everyone": audited(population=0.2, sensitive=["illness", "cost"]),
}

CASES: dict[str, Run] = {
    f"{group}: {name}": run
    for group, cases in {
        "method": METHODS,
        "model": MODELS,
        "publish": PUBLISHED,
        "hierarchy": HIERARCHIES,
        "loss": LOSSES,
        "people": PEOPLE,
        "engine": ENGINES,
        "spark": SPARK,
        "overlap": OVERLAPS,
        "distort": DISTORTIONS,
        "check": CHECKS,
    }.items()
    for name, run in cases.items()
}


def hashes(run: Run) -> Hashes:
    """Run a case and hash its parts."""
    with tempfile.TemporaryDirectory() as folder:
        return {name: digest(part) for name, part in sorted(carried_out(run, Path(folder)).items())}


def frozen() -> dict[str, Hashes]:
    """Read the hashes as they were frozen, by case."""
    return json.loads(FROZEN.read_text(encoding="utf-8")) if FROZEN.exists() else {}


def differing(found: Hashes, expected: Hashes) -> list[str]:
    """Name the parts that are not as they were."""
    names = sorted({*found, *expected})
    return [name for name in names if found.get(name) != expected.get(name)]


def write(names: list[str]) -> None:
    """Freeze cases anew, all of them if none is named; cases that are gone are forgotten."""
    kept = frozen()
    fresh = {name: hashes(CASES[name]) for name in names or CASES}
    known = {name: (kept | fresh)[name] for name in CASES if name in kept | fresh}
    FROZEN.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def compare(names: list[str]) -> int:
    """Print each case with its seconds and the parts that differ; count the cases that do."""
    expected, wrong = frozen(), 0
    for name in names or CASES:
        start = time.perf_counter()
        parts = differing(hashes(CASES[name]), expected.get(name, {}))
        wrong += bool(parts)
        seconds = time.perf_counter() - start
        print(f"{seconds:6.2f} s  {name}{': ' if parts else ''}{', '.join(parts)}", flush=True)
    return wrong


def show(name: str) -> None:
    """Print all parts of a case."""
    with tempfile.TemporaryDirectory() as folder:
        print(canonical(carried_out(CASES[name], Path(folder)), indent=1))


def main(words: list[str]) -> Any:
    """Carry out what was typed."""
    if words[:1] == ["--write"]:
        return write(words[1:])
    if words[:1] == ["--show"]:
        return show(words[1])
    return compare(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
