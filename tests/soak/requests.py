"""Random requests of a soak: a table, the roles of its columns, and everything that is promised."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

from shoal.recipe import Recipe, options_of
from soak import columns
from soak.outside.recount import Asked
from soak.outside.tables import Column, Original

METHODS = (
    "shoal", "mondrian", "mondrian:relaxed=true", "k-member", "one-pass-k-means",
    "k-means-adjusted", "k-means-filled", "k-means-adjusted-once", "weighted-c-means",
    "threshold", "threshold:small=withhold", "hybrid", "sequential", "top-down", "mdav", "v-mdav",
    "genetic:generations=5", "banded", "full-domain",
)  # fmt: skip
# Their values nest, or their models count people inside boxes.
WITHOUT_SETS = ("banded", "mondrian", "top-down")
LOSSES = ("height", "leaf-share", "loss-metric", "non-uniform-entropy", "squared-error")
DOORS = ("csv", "parquet", "sqlite", "duckdb", "disk")
NAMES = ("age", "zip code", "größe", "job", "d.o.b", "x_lo", "Q1")


@dataclass(frozen=True)
class Request:
    """A table, what is asked of it, and how it is typed at the Python door."""

    original: Original
    asked: Asked
    call: dict[str, Any]
    door: str


def drawn(rng: Random, door: str) -> Request:
    """Draw a table and a request that may be served; some are refused, and that is no fault."""
    overlap = door == "python" and rng.random() < 0.04
    rows = _rows(rng, overlap=overlap)
    plain = door in DOORS
    original: Original = {}
    quasi = rng.sample(NAMES, rng.randint(1, 5 if rows < 100 else 4))
    for name in quasi:
        original[name] = columns.quasi(rng, rows, plain=plain)
    sensitive = ["ill", "cost"][: rng.choice((0, 1, 1, 1, 2))]
    for name in sensitive:
        original[name] = columns.sensitive(rng, rows)
    keep = ["ward"] if rng.random() < 0.15 else []
    for name in keep:
        original[name] = columns.kept(rng, rows)
    original["name"] = Column("category", [f"person {number}" for number in range(rows)])
    alone = plain or overlap
    person = "patient" if not alone and rng.random() < 0.06 else None
    if person:
        original[person] = Column(
            "category", [f"p{rng.randint(0, rows // 2 + 1)}" for _ in range(rows)]
        )
    weight = "weight" if not alone and rng.random() < 0.06 else None
    if weight:
        original[weight] = Column("number", [rng.randint(1, 90) / 4 for _ in range(rows)])
    roles = _Roles(quasi, sensitive, keep, person, weight)
    return _asked(rng, door, original, roles, overlap=overlap)


@dataclass(frozen=True)
class _Roles:
    quasi: list[str]
    sensitive: list[str]
    keep: list[str]
    person: str | None
    weight: str | None


def _rows(rng: Random, *, overlap: bool) -> int:
    if overlap:
        return rng.randint(8, 45)
    return rng.randint(*rng.choice(((2, 12), (10, 60), (10, 60), (10, 60), (60, 150), (150, 300))))


def _asked(rng: Random, door: str, original: Original, roles: _Roles, *, overlap: bool) -> Request:
    rows = len(original["name"].values)
    most = max(rows // 4, 2)
    k = rng.randint(2, min(most, rng.choice((3, 6, 20))) if most > 2 else 2)
    method = "nsvdist" if overlap else rng.choice(METHODS)
    # Overlapping boxes and the engine on disk publish intervals alone.
    publish = _publish(rng, roles.quasi, plainly=overlap or door == "disk")
    if method.startswith(WITHOUT_SETS):
        publish = _without_sets(publish)
    models = [] if overlap else _models(rng, original, roles, k, method)
    alone = door in DOORS or overlap
    asked = Asked(
        roles.quasi,
        roles.sensitive,
        roles.keep,
        k,
        models,
        0.0 if overlap else rng.choice((0.0, 0.0, 0.0, 0.05, 0.3)),
        {
            name: publish if isinstance(publish, str) else publish.get(name, "snapped")
            for name in roles.quasi
        },
        "as-quasi"
        if len(roles.sensitive) > 1 and rng.random() < 0.2 and not overlap
        else "separate",
        roles.person,
        roles.weight,
        _population(rng, original, roles, models),
        overlap,
        not alone and rng.random() < 0.5,
    )
    call = _call(rng, original, asked, method, publish)
    return _coded(rng, Request(original, asked, call, door))


def _coded(rng: Random, request: Request) -> Request:
    """Ask for rounded numbers and open ends, where Shoal has an option for them."""
    numbers = [
        name
        for name in (*request.asked.quasi, *request.asked.sensitive)
        if request.original[name].kind == "number" and not request.original[name].hierarchy
    ]
    population = request.asked.population is not None
    if "top" not in options_of(Recipe) or not numbers or population or rng.random() > 0.15:
        return request
    name = rng.choice(numbers)
    whole = [round(value) for value in request.original[name].values if value is not None] or [0]
    end = rng.choice(whole)
    if name in request.asked.sensitive or rng.random() < 0.3:
        step = rng.choice((2, 5, 100))
        asked = replace(request.asked, steps={name: step})
        return replace(request, asked=asked, call={**request.call, "round": {name: step}})
    option = rng.choice(("top", "bottom"))
    return replace(request, call={**request.call, option: {name: end}})


def _call(
    rng: Random, original: Original, asked: Asked, method: str, publish: str | dict[str, str]
) -> dict[str, Any]:
    """Spell a request for the Python door; defaults are left out, as people do."""
    call: dict[str, Any] = {
        "quasi": asked.quasi,
        "sensitive": asked.sensitive,
        "identifiers": ["name"],
        "keep": asked.keep,
        "k": asked.k,
        "method": method,
        "models": [_typed(name, given) for name, given in asked.models],
        "seed": rng.randint(0, 10**6),
        "hierarchies": {
            name: _kind_typed(rng, column) for name, column in original.items() if column.hierarchy
        },
    }
    beside = {
        "withhold": (asked.withhold, 0.0),
        "publish": (publish, "snapped"),
        "others": (asked.others, "separate"),
        "person": (asked.person, None),
        "weight": (asked.weight, None),
        "keep_order": (asked.keep_order, False),
    }
    call |= {name: value for name, (value, usual) in beside.items() if value != usual}
    if not asked.overlap:
        if rng.random() < 0.2:
            call["loss"] = rng.choice(LOSSES)
        if rng.random() < 0.5:
            # High effort costs as much as ten other releases.
            call["effort"] = rng.choices(("low", "high"), (9, 1))[0]
        if rng.random() < 0.1:
            call["refine"] = True
        if rng.random() < 0.05:
            call["suppress"] = "cells"
    if rng.random() < 0.1:
        call["importance"] = {asked.quasi[0]: rng.choice((0.5, 2, 10))}
    return call


def _kind_typed(rng: Random, column: Column) -> str:
    if column.hierarchy == "intervals":
        return f"intervals:width={rng.choice((1, 5, 10))}"
    return column.hierarchy


def _typed(name: str, given: dict[str, Any]) -> str:
    parameters = {key: value for key, value in given.items() if not (name == "k-e" and key == "k")}
    typed = ",".join(f"{key}={value}" for key, value in parameters.items())
    return f"{name}:{typed}" if typed else name


def _publish(rng: Random, quasi: list[str], *, plainly: bool) -> str | dict[str, str]:
    if plainly:
        return rng.choice(("snapped", "tight"))
    how = rng.choice(
        ("snapped", "snapped", "snapped", "tight", "tight", "centre", "bounds", "sets", "dict")
    )
    if how != "dict":
        return how
    return {name: rng.choice(("snapped", "tight", "centre", "bounds", "sets")) for name in quasi}


def _without_sets(publish: str | dict[str, str]) -> str | dict[str, str]:
    if isinstance(publish, str):
        return "snapped" if publish == "sets" else publish
    return {name: "snapped" if how == "sets" else how for name, how in publish.items()}


def _models(
    rng: Random, original: Original, roles: _Roles, k: int, method: str
) -> list[tuple[str, dict[str, Any]]]:
    """Draw no model, one or two that the table may be able to keep."""
    if method == "top-down" and roles.sensitive and rng.random() < 0.3:
        return [("lkc", {"l": rng.randint(1, 2), "c": rng.choice((0.5, 0.8, 1)), "k": k})]
    drawn = list[tuple[str, dict[str, Any]]]()
    if roles.sensitive:
        drawn = [_model(rng, original, roles, k) for _ in range(rng.choice((0, 0, 1, 1, 1, 2)))]
    if method.startswith(("mondrian", "top-down")) and rng.random() < 0.2:
        ends = {"low": 0, "high": rng.choice((0.5, 0.9, 1))}
        drawn.append(rng.choice((("k-map", {"k": k + 1}), ("delta-presence", ends))))
    return list({name: (name, given) for name, given in drawn}.values())


def _model(rng: Random, original: Original, roles: _Roles, k: int) -> tuple[str, dict[str, Any]]:
    numbers = all(original[name].kind == "number" for name in roles.sensitive)
    trees = all(original[name].hierarchy == "file" for name in roles.sensitive)
    form = rng.choice(("basic", "enhanced"))
    absent = rng.choice(("violation", "skip"))
    choices: list[tuple[str, dict[str, Any]]] = [
        ("l-diversity", {"l": rng.randint(1, 4)}),
        ("p-sensitive", {"p": rng.randint(1, 3)}),
        ("frequency-l-diversity", {"l": rng.choice((1, 1.2, 1.5, 2))}),
        ("entropy-l-diversity", {"l": rng.choice((1, 1.2, 1.5, 2, 2.5))}),
        ("recursive-l-diversity", {"c": rng.choice((1, 2, 3, 5.5)), "l": rng.randint(1, 3)}),
        ("alpha-k", {"alpha": rng.choice((0.4, 0.6, 0.8, 1))}),
        ("t-closeness", {"t": rng.choice((0.15, 0.3, 0.5, 0.7))}),
        ("t-closeness", {"t": rng.choice((0.15, 0.3, 0.5)), "distance": "ordered"}),
        ("beta-likeness", {"beta": rng.choice((0.5, 1, 3)), "form": form}),
        ("delta-disclosure", {"delta": rng.choice((0.7, 1.5, 3)), "absent": absent}),
    ]
    choices += [("k-e", {"e": rng.choice((1, 5, 50)), "k": k})] if numbers else []
    hierarchical = {"t": rng.choice((0.2, 0.4)), "distance": "hierarchical"}
    choices += [("t-closeness", hierarchical)] if trees else []
    return rng.choice(choices)


def _population(
    rng: Random, original: Original, roles: _Roles, models: list[tuple[str, dict[str, Any]]]
) -> Original | None:
    """Invent everyone: the people of the table, and others like them."""
    if not any(name in ("k-map", "delta-presence") for name, _ in models):
        return None
    rows = len(original["name"].values)
    more = [rng.randrange(rows) for _ in range(rng.randint(0, 2 * rows))]
    return {
        name: Column(
            original[name].kind,
            [*original[name].values, *(original[name].values[row] for row in more)],
            original[name].hierarchy,
            original[name].paths,
        )
        for name in roles.quasi
    }
