"""Public tables: each is what its entry says, may be passed on, and is found without installing."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as parquet
import pytest

import shoal
from conftest import ROOT, SHIPPED
from shoal.api import datasets
from shoal.errors import DataError, RecipeError

MAY_BE_PASSED_ON = {
    "Apache-2.0",
    "BSD-3-Clause",
    "CC-BY-4.0",
    "GPL-2.0-only",
    "GPL-3.0-only",
    "MIT",
}
FOLDERS = sorted(folder.name for folder in (SHIPPED / "hierarchies").iterdir())
INDEX = tomllib.loads((SHIPPED / "index.toml").read_text("utf-8"))
PROJECT = tomllib.loads((ROOT / "datasets" / "pyproject.toml").read_text("utf-8"))["project"]


def test_a_name_is_a_function_that_reads_a_table() -> None:
    adult = shoal.datasets.adult()
    assert adult.num_rows == 30_162 and adult.equals(shoal.datasets.table("adult"))
    assert {"adult", "census", "about", "hierarchies"} <= {*dir(shoal.datasets)}


@pytest.mark.parametrize("name", datasets.names())
def test_a_table_is_what_its_entry_says(name: str) -> None:
    entry = shoal.datasets.about(name)
    file = parquet.ParquetFile(shoal.datasets.path(name))
    assert (entry.rows, entry.columns) == (file.metadata.num_rows, file.metadata.num_columns)
    roles = [*entry.identifiers, *entry.quasi, *entry.sensitive]
    assert len(roles) == len({*roles}) and {*roles} <= {*file.schema_arrow.names}
    assert entry.by and entry.source and entry.changes and entry.title
    assert entry.licence in MAY_BE_PASSED_ON


def test_every_file_has_an_entry() -> None:
    assert sorted(file.stem for file in (SHIPPED / "tables").iterdir()) == sorted(INDEX["tables"])
    assert sorted(INDEX["hierarchies"]) == FOLDERS


@pytest.mark.parametrize("folder", FOLDERS)
def test_hierarchies_have_a_source_and_a_licence(folder: str) -> None:
    entry = INDEX["hierarchies"][folder]
    assert entry["source"] and entry["licence"] in MAY_BE_PASSED_ON
    assert shoal.datasets.hierarchies(folder)


def test_the_texts_of_all_licences_lie_beside_the_tables() -> None:
    used = {entry["licence"] for part in INDEX.values() for entry in part.values()}
    assert used == {file.stem for file in (SHIPPED / "licences").iterdir()}
    assert used == {*PROJECT["license"].split(" AND ")}


def test_the_page_names_each_table_beside_its_licence() -> None:
    page = (ROOT / "docs" / "reference" / "datasets.md").read_text("utf-8")
    for name, entry in INDEX["tables"].items():
        row = re.search(rf"^\| `{name}` \|.*$", page, re.MULTILINE)
        assert row and f"| {entry['rows']:,} |" in row[0] and entry["licence"] in row[0], name
    for name, entry in INDEX["hierarchies"].items():
        row = re.search(rf"^\| {name} \|.*$", page, re.MULTILINE)
        assert row and entry["licence"] in row[0], name


def test_hierarchies_of_a_table_are_those_of_its_columns() -> None:
    about = shoal.datasets.about("adult")
    trees = shoal.datasets.hierarchies("adult", about.quasi)
    assert {*trees} == {*about.quasi}
    assert (
        {*trees} < {*shoal.datasets.hierarchies("adult")} <= {*shoal.datasets.adult().schema.names}
    )


def test_a_table_with_its_roles_and_hierarchies_is_released_as_it_is() -> None:
    about = shoal.datasets.about("credit_default")
    release = shoal.anonymize(
        shoal.datasets.credit_default().slice(0, 200),
        quasi=about.quasi,
        identifiers=about.identifiers,
        hierarchies=shoal.datasets.hierarchies("credit_default", about.quasi),
        method="mondrian",
        k=5,
    )
    assert release.certificate.public.k >= 5


def test_an_entry_reads_as_a_few_lines() -> None:
    lines = str(shoal.datasets.about("credit_default")).splitlines()
    assert lines[:3] == [
        "credit_default: Credit card clients in Taiwan, 2005: who failed to pay?",
        "  30,000 rows, 25 columns",
        "  identifiers: ID",
    ]
    assert "  licence: CC-BY-4.0" in lines


def test_unknown_names_are_answered_by_the_closest() -> None:
    with pytest.raises(AttributeError, match="did you mean 'adult'"):
        shoal.datasets.adlut()
    with pytest.raises(RecipeError, match="did you mean 'census'"):
        shoal.datasets.about("censsu")
    with pytest.raises(RecipeError, match="no hierarchies for 'iris'"):
        shoal.datasets.hierarchies("iris")


def test_outside_a_checkout_the_installed_package_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(datasets, "CHECKOUT", tmp_path)
    monkeypatch.setitem(sys.modules, "shoal_datasets", SimpleNamespace(FOLDER=SHIPPED))
    assert datasets.folder() == SHIPPED


def test_where_there_are_no_tables_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(datasets, "CHECKOUT", tmp_path)
    monkeypatch.setitem(sys.modules, "shoal_datasets", None)
    with pytest.raises(DataError, match="pip install shoal-datasets"):
        datasets.folder()
