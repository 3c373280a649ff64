"""Certificates as typed data: what is written fits the published schema and is read back as it was.

A release of each flow and each engine of this process; those of Spark in tests/adapters.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from certificates import PRIVATE, PUBLIC, REFERENCE, problems
from shoal.cli.schemas import schemas
from shoal.engines.local.engine import LocalEngine
from shoal.errors import DataError
from shoal.flows import groups
from shoal.recipe import Recipe
from shoal.review import certificate_format
from shoal.review.certificate import Certificate, as_json
from shoal.review.certificate_format import CertificatePart
from shoal.review.certificate_reading import read_public

ROWS = 120
RNG = np.random.default_rng(5)
PEOPLE = pa.table(
    {
        "age": RNG.integers(18, 90, ROWS),
        "city": RNG.choice(["Oslo", "Rome", "Bonn"], ROWS),
        "ill": RNG.choice(["flu", "cold", "gout"], ROWS),
        "pay": RNG.normal(3000, 500, ROWS).round(2),
        "who": np.arange(ROWS) // 2,
        "weight": RNG.integers(1, 4, ROWS).astype(float),
    }
)
GROUPS = {"quasi": ["age", "city"], "sensitive": ["ill"], "k": 5, "seed": 7}
RUNS: dict[str, dict[str, Any]] = {
    "plain": {},
    "models": {"models": ["l-diversity(l=2)", "t-closeness(t=0.6)", "alpha-k(alpha=0.9)"]},
    "a bound": {"bound": True},
    "persons": {"person": "who"},
    "weights": {"weight": "weight"},
    "people everywhere": {"population": 5000},
    "kept by force": {"keep": ["pay"], "force_keep": ["pay"]},
    "overlap": {"method": "nsvdist"},
    "overlap as published": {"method": "nsvdist", "as_published": True},
}


def made(run: str, folder: Path) -> Certificate[Any, Any]:
    """The certificates of a run, by its name."""
    if run in RUNS:
        return shoal.anonymize(PEOPLE, **GROUPS, **RUNS[run]).certificate
    if run == "shards":
        return groups.run(PEOPLE, Recipe.of(**GROUPS), LocalEngine(shards=2)).certificate
    if run == "in parts":
        pq.write_table(PEOPLE, folder / "in.parquet")
        source = str(folder / "in.parquet")
        return shoal.anonymize(source, memory="10GB", **GROUPS).certificate
    shown = PEOPLE.select(["age", "pay", "ill"])
    return shoal.distort(shown, as_published=run == "chaotic", seed=3, **DISTORTED[run]).certificate


DISTORTED: dict[str, dict[str, Any]] = {
    "noise": {"columns": ["pay"], "rounded": True},
    "chaotic": {"method": "chaotic", "shuffled": True},
}


@pytest.mark.parametrize("run", [*RUNS, "shards", "in parts", *DISTORTED])
def test_what_is_written_fits_the_schema_and_is_read_back(run: str, tmp_path: Path) -> None:
    certificate = made(run, tmp_path)
    public = json.loads(as_json(certificate.public))
    assert problems(public) == []
    assert problems(json.loads(as_json(certificate.private)), PRIVATE) == []
    assert as_json(read_public(public)) == as_json(certificate.public)
    assert problems({**public, "rows": "many"}) and problems({**public, "format": 1})
    assert problems({name: each for name, each in public.items() if name != "hash"})


@pytest.mark.parametrize(
    ("run", "public", "private"),
    [
        (
            "plain",
            "format shoal rows groups k withheld_at_most models losses risks columns recipe hash "
            "not_promised attacks",
            "seed rows_in withheld different_rows losses printed_losses risks_before notes "
            "group_sizes bound attacks",
        ),
        (
            "overlap",
            "format kind shoal rows k promise recipe hash attacks not_promised losses columns",
            "seed rows_in withheld losses notes bound losses_as_in_the_paper concealment link "
            "attacks",
        ),
        (
            "noise",
            "format shoal kind rows method columns rounded shuffled attacks hash not_promised",
            "seed clusters effects notes attacks read_off_by_rounding",
        ),
    ],
)
def test_keys_stand_in_their_order(run: str, public: str, private: str, tmp_path: Path) -> None:
    certificate = made(run, tmp_path)
    for part, names in ((certificate.public, public), (certificate.private, private)):
        assert list(json.loads(as_json(part))) == [name.replace("_", " ") for name in names.split()]


def test_the_published_schemas_are_those_of_the_source() -> None:
    assert set(schemas()) == {PUBLIC, PRIVATE}
    for name, text in schemas().items():
        assert (REFERENCE / name).read_text("utf-8") == text, "run: make schema"


def test_the_reference_page_names_every_field() -> None:
    page = (REFERENCE / "certificate.md").read_text("utf-8")
    structs = [each for each in vars(certificate_format).values() if isinstance(each, type)]
    names = {
        field.encode_name
        for struct in structs
        if issubclass(struct, CertificatePart)
        for field in msgspec.structs.fields(struct)
    }
    assert len(names) > 50
    assert [name for name in sorted(names) if f"`{name}`" not in page] == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 99}, "format of certificate is not known"),
        ({"format": [1]}, "format of certificate is not known"),
        ({"kind": "overlap"}, "not the public certificate of a release with overlapping boxes"),
        ({"kind": "distortion"}, "not the public certificate of a perturbed table"),
        ({"rows": "many"}, "not the public certificate of a release"),
        ({"rows": -1}, "not the public certificate of a release"),
        ({"differentially private": True}, "not the public certificate of a release"),
        ({"hash": "x"}, "not the public certificate of a release"),
        ({"risks": {"sample-uniqueness": 1.5}}, "not the public certificate of a release"),
        ({"models": [{"l": 2}]}, "not the public certificate of a release"),
        ({"models": ["l-diversity"]}, "not the public certificate of a release"),
        ({"columns": {"quasi": 1}}, "not the public certificate of a release"),
    ],
)
def test_what_is_no_certificate_is_refused(change: dict[str, Any], said: str) -> None:
    public = shoal.anonymize(PEOPLE, **GROUPS).certificate.public.as_dict()
    with pytest.raises(DataError, match=said):
        read_public({**public, **change})


def test_all_doors_take_a_certificate_in_every_form(tmp_path: Path) -> None:
    release = shoal.anonymize(PEOPLE, **GROUPS)
    release.write(tmp_path / "out.csv")
    public = release.certificate.public
    file = tmp_path / "out.csv.certificate.json"
    for given in (release.certificate, public, public.as_dict(), file, str(file)):
        assert shoal.verify(release.table, given).holds
        assert shoal.attack(release.table, original=PEOPLE, certificate=given).holds
        mined = shoal.mine(release.table, PEOPLE, certificate=given, tasks="distributions")
        assert mined.risk["k"] == public.k


def test_plain_data_are_for_the_caller_to_change() -> None:
    public = shoal.anonymize(PEOPLE, **GROUPS).certificate.public
    plain = public.as_dict()
    plain["columns"]["quasi"].append("other")
    plain["recipe"]["k"] = 99
    assert public.columns.quasi == ["age", "city"] and public.recipe["k"] == 5
