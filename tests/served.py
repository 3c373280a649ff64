"""Real databases for tests: PostgreSQL that starts by itself, files of others, and who may do
what.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from benchmarks.postgres import Server

import once
from shoal.adapters import databases, files
from terminal import in_house_form, snapshot
from terminal import shoal as run

PEOPLE = pa.table(
    {
        "name": [f"person {i}" for i in range(40)],
        "age": [20 + (7 * i) % 50 for i in range(40)],
        "zip": [f"N{i % 4}" for i in range(40)],
        "ill": ["flu", "cold", "gout"][:1] * 10 + ["cold"] * 15 + ["gout"] * 15,
    }
)
ASKED = ("-q", "age,zip", "-s", "ill", "-i", "name", "-k", "4", "--seed", "1")
SERVER = """
import once
from benchmarks.postgres import server
with server() as running:
    once.serve("postgres", {"folder": str(running.folder), "password": running.password})
once.stopped("postgres")
"""
KINDS = ("postgresql", "sqlite", "duckdb", "sqlite+pysqlite")


@pytest.fixture(scope="session")
def postgres() -> Server:
    """The one server of the run; tests that use it take turns."""
    told = once.started("postgres", SERVER)
    return Server(Path(told["folder"]), told["password"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Certificates of tables in databases go to the current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def base(postgres: Server) -> str:
    """A schema of its own for each test, found without being named."""
    postgres.run(
        "DROP SCHEMA IF EXISTS ward CASCADE",
        "CREATE SCHEMA ward",
        "ALTER ROLE owner SET search_path = ward",
    )
    return postgres.url()


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("base"))
    return f"{request.param}:///{tmp_path}/base.db"


def put(url: str, table: pa.Table, name: str = "patients", *, force: bool = False) -> None:
    with databases.Written(url, name, force=force) as written:
        written.fill(table)
        written.place()


def texts(table: pa.Table) -> dict[str, list[str | None]]:
    return files.as_texts(table).to_pydict()


def role(postgres: Server, name: str, *rights: str) -> str:
    """The address of somebody with these rights alone."""
    if not postgres.run(f"SELECT 1 FROM pg_roles WHERE rolname = '{name}'"):
        postgres.run(
            f"CREATE ROLE {name} LOGIN PASSWORD 'hunter2'",
            f"ALTER ROLE {name} SET search_path = ward",
        )
    postgres.run(*(f"GRANT {right} TO {name}" for right in rights), "SELECT 1")
    return postgres.url(name, "hunter2")


@pytest.fixture
def refused(folder: Path, postgres: Server) -> Callable[..., str]:
    """Runs a command that must be refused in the house's form, show no secret and leave nothing
    behind.
    """

    def command(code: int, *args: object) -> str:
        before = snapshot(folder)
        said = run(*args)
        assert (said.code, said.out, in_house_form(said)) == (code, "", True), said
        assert snapshot(folder) == before
        assert not any(secret in said.err for secret in (postgres.password, "hunter2", "owner"))
        return said.err

    return command
