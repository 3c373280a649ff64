"""Databases, each a real one: refusals are clear, leave nothing behind, and no password is ever
shown.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from benchmarks.postgres import Server
from hypothesis import example, given
from hypothesis import strategies as st

from served import ASKED, PEOPLE, put, role
from shoal.adapters import databases, files
from shoal.adapters.atomic_files import Staged
from shoal.adapters.databases.address import Address, Name
from shoal.errors import DataError, RecipeError, ShoalError
from terminal import in_house_form, snapshot
from terminal import shoal as run

pytestmark = pytest.mark.usefixtures("folder")


def test_whoever_may_not_enter(base: str, postgres: Server, refused: Callable[..., str]) -> None:
    wrong = postgres.url(password="hunter2")
    for url, told in {
        wrong: "did not accept the user or the password",
        postgres.url(user="hunter2", password=""): "did not accept the user or the password",
        postgres.url(base="hunter"): "there is no such database",
        "postgresql://owner:hunter2@127.0.0.1:1/x": "can't be reached",
        "postgresql://owner:hunter2@/x?host=/no/such/folder": "can't be reached",
        "postgresql://owner:hun@ter2@127.0.0.1:1/x": "can't be reached",
        "postgresql://owner:hunter2@/x?nonsense=1": "did not let us read 'patients'",
    }.items():
        assert told in refused(3, "inspect", url, "--table", "patients")
    files.write(PEOPLE, "people.csv")
    assert "did not accept" in refused(
        3, "anonymize", "people.csv", "-o", wrong, "--to", "released", *ASKED
    )


def test_rights_that_are_missing(base: str, postgres: Server, refused: Callable[..., str]) -> None:
    put(base, PEOPLE)
    put(base, PEOPLE, "theirs")
    files.write(PEOPLE, "people.csv")
    assert "GRANT SELECT" in refused(
        3, "inspect", role(postgres, "blind", "USAGE ON SCHEMA ward"), "--table", "patients"
    )
    reader = role(postgres, "reader", "USAGE ON SCHEMA ward", "SELECT ON ward.patients")
    assert run("inspect", reader, "--table", "patients").code == 0
    asked = ("anonymize", "people.csv", "-o", reader, "--to")
    assert "GRANT CREATE ON SCHEMA ward" in refused(3, *asked, "released", *ASKED)
    role(postgres, "reader", "CREATE ON SCHEMA ward")
    assert "no right to write 'theirs'" in refused(3, *asked, "theirs", *ASKED, "--force")
    assert run(*asked, "released", *ASKED).code == 0


def test_tables_that_are_missing_or_empty(
    url: str, refused: Callable[..., str], postgres: Server
) -> None:
    put(url, PEOPLE)
    assert "there is no table 'nobody'" in refused(3, "inspect", url, "--table", "nobody")
    put(url, PEOPLE.slice(0, 0), "empty")
    assert "table 'empty' has no rows" in refused(3, "inspect", url, "--table", "empty")
    if url.startswith("postgresql"):
        postgres.run("CREATE TABLE ward.bare ()")
        assert "table 'bare' has no columns" in refused(3, "inspect", url, "--table", "bare")
    if url.startswith("duckdb"):
        files.write(PEOPLE, "people.csv")
        assert "there is no table 'people.csv'" in refused(
            3, "inspect", url, "--table", '"people.csv"'
        )


def test_files_that_are_no_databases(refused: Callable[..., str], folder: Path) -> None:
    (folder / "text.db").write_text("age,zip\n" * 1000)
    files.write(PEOPLE, "people.csv")
    for kind in ("sqlite", "duckdb", "sqlite+pysqlite"):
        assert "there is no file 'none.db'" in refused(
            3, "inspect", f"{kind}:///none.db", "--table", "t"
        )
        assert "no database of this kind" in refused(
            3, "inspect", f"{kind}:///text.db", "--table", "t"
        )
        target = ("anonymize", "people.csv", "-o", f"{kind}:///no/folder/x.db", "--to", "t")
        assert "no folder to stand in" in refused(3, *target, *ASKED)
    with duckdb.connect("held.db") as connection:
        connection.execute("CREATE TABLE t (x int)")
        assert "open for writing already" in refused(
            3, "inspect", "duckdb:///held.db", "--table", "t"
        )


def test_calls_that_are_wrong(
    base: str, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write(PEOPLE, "people.csv")
    assert "--table" in refused(2, "inspect", base)
    assert "--to" in refused(2, "anonymize", "people.csv", "-o", base, *ASKED)
    assert "no address" in refused(2, "inspect", "people.csv", "--table", "t")
    assert "no address" in refused(2, "inspect", "host=x password=hunter2", "--table", "t")
    assert "no address" in refused(
        2, "anonymize", "people.csv", "-o", "password=hunter2", "--to", "t", *ASKED
    )
    assert "'postgresql://...' is no address" in refused(
        2, "inspect", "postgresql:/owner:hunter2@x", "--table", "t"
    )
    assert "'nosql' is no database" in refused(
        2, "inspect", "nosql://owner:hunter2@x/y", "--table", "t"
    )
    assert "pip install mysqlclient" in refused(
        2, "inspect", "mysql://owner:hunter2@x/y", "--table", "t"
    )
    assert "names no file" in refused(2, "inspect", "sqlite://", "--table", "t")
    assert "no name of a table" in refused(2, "inspect", base, "--table", "a.b.c")
    monkeypatch.delenv("NOWHERE", raising=False)
    assert "no variable NOWHERE" in refused(
        2, "inspect", "postgresql://owner:${NOWHERE}@x/y", "--table", "t"
    )


def test_methods_are_compared_on_a_table(base: str, folder: Path) -> None:
    put(base, PEOPLE)
    asked = ("-q", "age,zip", "--methods", "mondrian", "--k", "4", "--json")
    found = run("compare", base, "--table", "patients", *asked)
    assert (
        found.code == 0
        and json.loads(found.out)["rows"] == 40
        and Path("patients.compare.jsonl").exists()
    )


def test_tables_beside_the_first_are_named_too(base: str, refused: Callable[..., str]) -> None:
    put(base, PEOPLE)
    files.write(PEOPLE, "people.csv")
    assert run("anonymize", "people.csv", "-o", "out.csv", *ASKED).code == 0
    calls = [
        ("mine", "out.csv", "--original", base),
        ("mine", base, "--original", "people.csv"),
        ("verify", "out.csv", "out.csv.certificate.json", "--original", base),
        ("attack", "out.csv", "--original", base),
        ("audit", "out.csv", "-q", "age", "--population", base),
        ("anonymize", "people.csv", "-o", "again.csv", "--population", base, *ASKED),
        ("compare", base, "-q", "age"),
    ]
    for call in calls:
        assert "sqlite:///ward.db#patients" in refused(2, *call)


def test_addresses_in_odd_places_tell_no_secrets(refused: Callable[..., str]) -> None:
    """Also where an address stands in a place that nobody thought of."""
    files.write(PEOPLE, "people.csv")
    url = "postgresql://owner:hunter2 @hunter2@h/x"
    refused(2, "distort", url, "-o", "out.csv", "--columns", "age")
    refused(2, "distort", "people.csv", "-o", url, "--columns", "age")
    refused(3, "mine", f"{url}#t", "--original", "people.csv")
    refused(3, "audit", "people.csv", "-q", "age", "--population", f"{url}#t")
    refused(2, "compare", url, "-q", "age")
    refused(3, "verify", "people.csv", url)
    refused(2, "inspect", "people.csv", url)
    refused(2, "audit", "people.csv", "-q", "age", "--population", url)
    refused(2, "verify", url, "people.csv", "--nonsense", "password=hunter2")
    refused(3, "anonymize", "people.csv", "-o", "out.csv", "--hierarchy", f"age={url}", *ASKED)
    refused(2, "anonymize", "people.csv", "-o", "out.csv", "--method", url, *ASKED)


@pytest.mark.parametrize(
    "package", ["adbc_driver_postgresql", "adbc_driver_sqlite", "duckdb", "sqlalchemy"]
)
def test_without_the_extra(package: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "x.db").touch()
    places = ("postgresql://x/y", "sqlite:///x.db", "duckdb:///x.db", "sqlite+pysqlite:///x.db")
    place = dict(
        zip(
            ("adbc_driver_postgresql", "adbc_driver_sqlite", "duckdb", "sqlalchemy"),
            places,
            strict=True,
        )
    )[package]
    monkeypatch.setitem(
        sys.modules, package, None
    )  # as Python itself marks what is not to be found
    said = run("inspect", place, "--table", "t")
    assert (said.code, in_house_form(said)) == (2, True) and "pip install 'shoal[db]'" in said.err


# Secrets


def test_passwords_come_from_where_they_always_do(
    base: str, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(base, PEOPLE)
    bare = f"postgresql://owner@/postgres?host={postgres.folder}"
    with pytest.raises(DataError, match="did not accept"):
        databases.read(bare, "patients")
    with monkeypatch.context() as patch:
        patch.setenv("PGPASSWORD", postgres.password)
        assert databases.read(bare, "patients").num_rows == 40
    with monkeypatch.context() as patch:
        Path("passwords").write_text(f"*:*:*:owner:{postgres.password}\n")
        os.chmod("passwords", 0o600)
        patch.setenv("PGPASSFILE", "passwords")
        assert databases.read(bare, "patients").num_rows == 40
    odd = "p@ss/w:rd?#%41 ${x}"
    postgres.run("DROP ROLE IF EXISTS odd", f"CREATE ROLE odd SUPERUSER LOGIN PASSWORD '{odd}'")
    monkeypatch.setenv("WARD_PASSWORD", odd)
    typed = f"postgresql://odd:${{WARD_PASSWORD}}@/postgres?host={postgres.folder}"
    assert databases.read(typed, "ward.patients").num_rows == 40
    assert odd not in repr(Address.of(typed)) and "p%40ss" not in repr(Address.of(typed))


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0\n"), max_size=6),
    st.sampled_from(["h:1/b", "/b?host=x", "h"]),
)
@example("@", "h:1/b")
@example("/", "h:1/b")
@example(":1/x?", "h")
@example("1/2@3", "h:1/b")
def test_no_password_is_ever_shown(middle: str, behind: str) -> None:
    for password in (f"{middle}Zq", f"Zq{middle}", f"Zq{middle}Zq"):
        for url in (
            f"postgresql://me:{password}@{behind}",
            f"mysql+pymysql://me:{password}@{behind}",
            f"x://h/b?password={password}",
        ):
            if "${" not in url:
                address = Address.of(url)
                assert "Zq" not in str(address) + repr(address) + str(
                    databases.parted(url)[1]
                ) + databases.shown(url)


def test_addresses_are_told_from_files() -> None:
    assert all(
        databases.is_url(url)
        for url in ("postgresql://x", "sqlite:///x.db", "mysql+pymysql://x", "POSTGRES:/x")
    )
    assert not any(
        databases.is_url(name)
        for name in ("people.csv", "-", "C:/people.csv", "a:b", "folder/x:/y", Path("x"))
    )


def test_names_are_read_as_typed() -> None:
    assert (
        Name.of("a.b") == Name("b", "a")
        and Name.of('"a.b"') == Name("a.b")
        and Name.of("ü x") == Name("ü x")
    )
    assert Name.of('"s ""x""".t') == Name("t", 's "x"') and Name.of('"a""b"').quoted == '"a""b"'
    for wrong in ("", ".", "a.", ".b", "a.b.c", '"', '""', 'a"b', "a\0"):
        with pytest.raises(RecipeError, match="no name of a table"):
            Name.of(wrong)


def test_addresses_that_lead_to_one_place() -> None:
    def same(one: str, other: str) -> bool:
        return Address.of(one).is_same(Address.of(other))

    assert same("postgresql://a:b@h/x", "postgresql://c@h/x") and same(
        "sqlite:///x.db", "sqlite:///./x.db"
    )
    assert same("duckdb:///x.db?a=1", "duckdb:///x.db")
    assert not same("postgresql://h/x", "postgresql://h/y") and not same(
        "postgresql:///x?host=a", "postgresql:///x?host=b"
    )
    assert not same("postgresql://a:b@c@h/x", "postgresql://a:b@d@h/x")


def test_a_last_step_that_fails_takes_files_back(folder: Path) -> None:
    (folder / "old.txt").write_text("old")

    def fail() -> None:
        assert (folder / "old.txt").read_text() == "new" and (folder / "more.txt").exists()
        raise DataError("no")

    with pytest.raises(ShoalError, match="no"), Staged(force=True) as staged:
        staged.file("old.txt").write_text("new")
        staged.file("more.txt").write_text("new")
        staged.last(fail)
    assert snapshot(folder) == {"old.txt": b"old"}
