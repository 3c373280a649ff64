"""Databases, each a real one: what goes in comes back, a target is as it was or whole, and no password is ever shown."""

from __future__ import annotations

import datetime
import json
import os
import re
import socket
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import adbc_driver_postgresql.dbapi as adbc
import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from benchmarks.postgres import Server, server
from hypothesis import example, given
from hypothesis import strategies as st

import shoal
from shoal.adapters import databases, files
from shoal.adapters.databases.address import Address, Name
from shoal.adapters.databases.postgresql import exact
from shoal.adapters.staged import Staged
from shoal.errors import DataError, RecipeError, ShoalError
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
KINDS = ("postgresql", "sqlite", "duckdb", "sqlite+pysqlite")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with server() as started:
        yield started


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Certificates of tables in databases go to the current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def base(postgres: Server) -> str:
    """A schema of its own for each test, found without being named."""
    postgres.run("DROP SCHEMA IF EXISTS ward CASCADE", "CREATE SCHEMA ward", "ALTER ROLE owner SET search_path = ward")
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
        postgres.run(f"CREATE ROLE {name} LOGIN PASSWORD 'hunter2'", f"ALTER ROLE {name} SET search_path = ward")
    postgres.run(*(f"GRANT {right} TO {name}" for right in rights), "SELECT 1")
    return postgres.url(name, "hunter2")


# What goes in comes back


def test_every_cell_comes_back_as_its_text(url: str) -> None:
    table = pa.table(
        {
            "whole": pa.array([1, -(2**63), None]),
            "small": pa.array([255, 0, None], pa.uint8()),
            "large": pa.array([2**64 - 1, 0, None], pa.uint64()),
            "float": pa.array([0.1, -1e300, None]),
            "short": pa.array([0.1, 1.5, None], pa.float32()),
            "strange": pa.array([float("nan"), float("inf"), 1.0]),
            "exact": pa.array([Decimal("1.50"), Decimal("-12345678901234567890.25"), None]),
            "text": ["", "a,b \"c\" 'd' ü 長い\n\t\\", None],
            "digits": ["007", "1e5", None],
            "truth": [True, False, None],
            "day": pa.array([datetime.date(1, 1, 1), datetime.date(2024, 2, 29), None]),
            "long day": pa.array([datetime.date(1970, 1, 1), datetime.date(2024, 2, 29), None], pa.date64()),
            "moment": pa.array([datetime.datetime(2020, 1, 1, 12, 30, 0, 123), datetime.datetime(1969, 1, 1), None]),
            "second": pa.array([datetime.datetime(2020, 1, 1), datetime.datetime(1969, 1, 1), None], pa.timestamp("s")),
            "zoned": pa.array([datetime.datetime(2020, 1, 1), datetime.datetime(1969, 1, 1), None], pa.timestamp("us", "UTC")),
            "clock": pa.array([datetime.time(1, 2, 3), datetime.time(23, 59, 59, 999999), None]),
            "nothing": pa.nulls(3),
        }
    )
    if url.startswith("sqlite+"):
        table = table.drop_columns(["strange"])  # its Python driver has no NaN
    put(url, table)
    assert texts(databases.read(url, "patients")) == texts(table)


@pytest.mark.parametrize("name", ["odd \"name\" 'x' ü.y", "SELECT", "a b;--", "Ünï{0}", "%s"])
def test_odd_names_are_names(url: str, name: str) -> None:
    table = pa.table({name: [1, 2], f"{name} and more, much more": ["a", None], "%(x)s": ["b", "c"]})
    typed = '"' + name.replace('"', '""') + '"'
    put(url, table, typed)
    assert texts(databases.read(url, typed)) == texts(table)


def test_a_schema_may_be_named(base: str, postgres: Server, tmp_path: Path) -> None:
    postgres.run('DROP SCHEMA IF EXISTS "o.p" CASCADE', 'CREATE SCHEMA "o.p"')
    put(base, PEOPLE, '"o.p".patients')
    assert postgres.run('SELECT count(*) FROM "o.p"."patients"') == [(40,)]
    assert databases.read(base, '"o.p".patients').num_rows == 40
    with pytest.raises(DataError, match="no table 'patients'"):
        databases.read(base, "patients")
    with pytest.raises(DataError, match=r"schema of 'nowhere\.patients' does not exist"):
        put(base, PEOPLE, "nowhere.patients")
    for kind in ("sqlite", "duckdb"):
        place = f"{kind}:///{tmp_path}/{kind}.db"
        put(place, PEOPLE, "main.patients")
        assert databases.read(place, "main.patients").num_rows == 40


def test_numbers_of_any_length_are_exact() -> None:
    def of(*values: str | None) -> pa.ChunkedArray:
        return exact(pa.chunked_array([pa.array(values, pa.string())]))

    assert of("1", "-20", None).to_pylist() == [1, -20, None]
    assert of("12.30", "-0.001").to_pylist() == [Decimal("12.300"), Decimal("-0.001")]
    assert of("9" * 19).to_pylist() == [Decimal("9" * 19)]
    assert of("9" * 40 + ".5").to_pylist() == [Decimal("9" * 40 + ".5")]
    assert of("1", "nan").type == of("inf").type == of("9" * 80).type == pa.float64()
    assert of(None).to_pylist() == [None] and of().type == pa.int64()


def test_types_of_postgresql_arrive_or_are_named(base: str, postgres: Server) -> None:
    postgres.run(
        "CREATE TYPE ward.sex AS ENUM ('f', 'm')",
        "CREATE DOMAIN ward.years AS int CHECK (value > 0)",
        """CREATE TABLE ward.odd (a ward.sex, b ward.years, c char(5), d uuid, e numeric(9,2), f money, g oid,
           h timestamptz, i varchar(9), r jsonb, s point, t interval, u int[], v bytea, w inet, x timetz, y bit(3))""",
        """INSERT INTO ward.odd VALUES ('f', 40, 'ab', '00000000-0000-0000-0000-000000000001', 12.50, 1.50, 3000000000,
           '2020-01-01 10:00+02', 'z', '{"secret": 1}', '(1,2)', '1 day', '{1,2}', 'x', '10.0.0.1', '10:00+02', B'101')""",
    )
    found = databases.read(base, "odd")
    assert texts(found.select(list("abcdefghi"))) == {
        "a": ["f"], "b": ["40"], "c": ["ab"], "d": ["00000000-0000-0000-0000-000000000001"], "e": ["12.5"], "f": ["1.5"],
        "g": ["3000000000"], "h": ["2020-01-01T08:00:00Z"], "i": ["z"],
    }  # fmt: skip
    told = {
        "r": "jsonb",
        "s": "point",
        "t": "interval",
        "u": "integer[]",
        "v": "bytea",
        "w": "inet",
        "x": "time with time zone",
    }
    for column, kind in {**told, "y": "bit(3)"}.items():
        with pytest.raises(DataError, match=f"column '{column}' holds {re.escape(kind)}, which is no single value") as refused:
            shoal.anonymize(found, quasi=[column], k=1)
        assert postgres.password not in str(refused.value) and "secret" not in str(refused.value)
    said = run("anonymize", base, "--table", "odd", "-o", "out.csv", "-q", "r", "-k", "1")
    assert said.code == 3 and in_house_form(said) and "column 'r' holds jsonb" in said.err and not Path("out.csv").exists()
    release = shoal.anonymize(base, table="odd", quasi=["a", "b"], k=1)  # the others do no harm
    assert release.table.to_pydict() == {"a": ["f"], "b": ["40"]}


def test_infinite_days_are_refused(base: str, postgres: Server) -> None:
    for value in ("'infinity'::date", "'-infinity'::date", "'infinity'::timestamp", "'-infinity'::timestamptz"):
        postgres.run("DROP VIEW IF EXISTS ward.days", f"CREATE VIEW ward.days AS SELECT {value} AS day")
        with pytest.raises(DataError, match="column 'day' holds infinite dates"):
            databases.read(base, "days")
    postgres.run("CREATE VIEW ward.old AS SELECT '4713-01-01 BC'::timestamp AS day, '5874897-12-31'::date AS late")
    assert databases.read(base, "old").num_rows == 1


def test_cells_of_sqlite_tell_the_type_of_a_column(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "base.db") as connection:
        connection.execute("CREATE TABLE t (late, mixed, number, bytes BLOB)")
        rows = [(None, i, i, b"x") for i in range(3000)] + [("text", "text", 0.5, b"y")]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    found = databases.read(f"sqlite:///{tmp_path}/base.db", "t")
    assert [str(kind) for kind in found.schema.types] == ["string", "string", "double", "binary"]
    assert (found["mixed"][2999].as_py(), found["late"][3000].as_py(), found["number"][7].as_py()) == ("2999", "text", 7.0)


# Releases


def test_from_database_to_database_and_back_to_the_certificate(url: str, folder: Path) -> None:
    put(url, PEOPLE)
    said = run("anonymize", url, "--table", "patients", "-o", url, "--to", "released", *ASKED, "--save-recipe", "recipe.toml")
    assert said.code == 0 and "table released" in said.err
    assert texts(databases.read(url, "patients")) == texts(PEOPLE)
    released = databases.read(url, "released")
    assert released.column_names == ["age", "zip", "ill"] and released.num_rows == 40
    papers = ["released.certificate.json", "released.private.json", "recipe.toml"]
    assert all((folder / paper).is_file() for paper in papers)
    verified = run("verify", url, "--table", "released", "released.certificate.json", "--json")
    assert verified.code == 0 and verified.json["holds"]
    audited = run("audit", url, "--table", "released", "-q", "age,zip", "-s", "ill", "--require", "k=4", "--json")
    assert audited.code == 0 and audited.json["k"] >= 4
    assert run("attack", url, "--table", "released", "--json").json["holds"]
    inspected = run("inspect", url, "--table", "patients", "--json")
    assert "--table patients" in inspected.json["command"]
    spoken = [each for one in (said, verified, audited, inspected) for each in (one.out, one.err)]
    written = [(folder / paper).read_text() for paper in papers]
    secret = url.partition("owner:")[2].partition("@")[0] or "no password"
    assert not any(secret in text for text in [*spoken, *written])
    changed = released.set_column(2, "ill", pa.array(["flu"] * 40))
    put(url, changed, "released", force=True)
    assert run("verify", url, "--table", "released", "released.certificate.json").code == 4


def test_between_files_and_databases(url: str, folder: Path) -> None:
    files.write(PEOPLE, "people.csv")
    assert run("anonymize", "people.csv", "-o", url, "--to", "released", *ASKED, "--certificate", "c.json").code == 0
    put(url, PEOPLE)
    assert run("anonymize", url, "--table", "patients", "-o", "released.csv", *ASKED).code == 0
    assert texts(files.read("released.csv")) == texts(databases.read(url, "released"))
    hashes = [json.loads(Path(place).read_text())["hash"] for place in ("c.json", "released.csv.certificate.json")]
    assert hashes[0] == hashes[1]


def test_the_python_door(url: str, folder: Path) -> None:
    put(url, PEOPLE)
    release = shoal.anonymize(url, table="patients", quasi=["age", "zip"], sensitive=["ill"], k=4, seed=1)
    assert isinstance(release.table, pa.Table)
    release.write(url, table="released")
    assert shoal.verify(url, release.certificate, table="released").holds
    assert shoal.audit(url, quasi=["age", "zip"], table="released").k >= 4
    assert shoal.inspect(url, table="patients").rows == 40
    with pytest.raises(RecipeError, match="table 'released' exists"):
        release.write(url, table="released", certificate="other.json")
    assert sorted(snapshot(folder).keys() - {"base.db"}) == ["released.certificate.json", "released.private.json"]
    for wrong in (lambda: release.write("out.csv", table="released"), lambda: shoal.inspect(PEOPLE, table="patients")):
        with pytest.raises(RecipeError, match="no address"):
            wrong()
    with pytest.raises(RecipeError, match="needs the name of a table"):
        shoal.anonymize(PEOPLE, quasi=["age"], population=url)


# A target is as it was, or whole


def test_what_exists_is_replaced_only_when_told(url: str, folder: Path) -> None:
    old = pa.table({"old": ["as it was"]})
    put(url, PEOPLE)
    put(url, old, "released")
    before = snapshot(folder)
    asked = ("anonymize", url, "--table", "patients", "-o", url, "--to", "released", *ASKED)
    said = run(*asked)
    assert (said.code, in_house_form(said)) == (2, True) and "--force" in said.err
    assert snapshot(folder) == before and texts(databases.read(url, "released")) == texts(old)
    assert run(*asked, "--force").code == 0
    assert databases.read(url, "released").num_rows == 40
    itself = run("anonymize", url, "--table", "patients", "-o", url, "--to", "patients", *ASKED, "--force")
    assert itself.code == 2 and "is the input" in itself.err
    assert texts(databases.read(url, "patients")) == texts(PEOPLE)


def test_the_input_is_known_by_any_address(base: str, postgres: Server, refused: Callable[..., str]) -> None:
    put(base, PEOPLE)
    put(base, PEOPLE, "others")
    other = role(postgres, "twin", "ALL ON SCHEMA ward", "SELECT ON ward.patients", "SELECT ON ward.others")
    also = f"{other}&connect_timeout=9&host={postgres.folder}/."
    asked = ("anonymize", also, "--table", "ward.patients", "-o", base, "--to")
    assert "output 'patients' is the input" in refused(2, *asked, "patients", *ASKED, "--force")
    assert run(*asked, "others", *ASKED, "--force").code == 0
    assert texts(databases.read(base, "patients")) == texts(PEOPLE)


def test_what_fails_on_the_way_leaves_no_trace(url: str, folder: Path) -> None:
    files.write(PEOPLE, "people.csv")
    before = snapshot(folder)
    refused = run("anonymize", "people.csv", "-o", url, "--to", "released", *ASKED, "--model", "l-diversity:l=9")
    assert refused.code == 4 and snapshot(folder) == before
    with pytest.raises(KeyboardInterrupt), databases.Written(url, "released") as written:
        written.fill(PEOPLE)
        raise KeyboardInterrupt
    assert snapshot(folder) == before
    put(url, PEOPLE)
    before = snapshot(folder)
    with pytest.raises(KeyboardInterrupt), databases.Written(url, "patients", force=True) as written:
        written.fill(PEOPLE.slice(0, 5))
        raise KeyboardInterrupt
    assert texts(databases.read(url, "patients")) == texts(PEOPLE)
    assert "postgresql" in url or snapshot(folder) == before


def test_certificates_are_taken_back_when_the_table_fails_to_appear(base: str, postgres: Server, folder: Path) -> None:
    files.write(PEOPLE, "people.csv")
    put(base, pa.table({"old": [1]}), "released")
    postgres.run("CREATE VIEW ward.reader AS SELECT * FROM ward.released")
    (folder / "released.certificate.json").write_text("old")
    before = snapshot(folder)
    said = run("anonymize", "people.csv", "-o", base, "--to", "released", *ASKED, "--force")
    assert (said.code, in_house_form(said)) == (3, True) and "depend on 'released'" in said.err
    assert snapshot(folder) == before
    assert postgres.run("SELECT * FROM ward.reader") == [(1,)]
    view = run("anonymize", "people.csv", "-o", base, "--to", "reader", *ASKED, "--force")
    assert view.code == 2 and "is a view" in view.err


def test_the_release_is_recounted_in_the_database(base: str, postgres: Server, folder: Path) -> None:
    """A server that changes what it is given: every new table gets a trigger which makes one row stand out."""
    files.write(PEOPLE, "people.csv")
    before = snapshot(folder)
    postgres.run(
        """CREATE FUNCTION ward.spoil() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN IF NOT EXISTS (SELECT FROM pg_sequences WHERE sequencename = 'once' AND last_value IS NOT NULL) THEN
                PERFORM nextval('ward.once'); NEW.zip := 'N9'; END IF; RETURN NEW; END $$""",
        """CREATE FUNCTION ward.meddle() RETURNS event_trigger LANGUAGE plpgsql AS
           $$ DECLARE made record; BEGIN FOR made IN SELECT * FROM pg_event_trigger_ddl_commands() LOOP EXECUTE
           format('CREATE TRIGGER spoil BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION ward.spoil()', made.object_identity);
           END LOOP; END $$""",
        "CREATE SEQUENCE ward.once",
        "CREATE EVENT TRIGGER meddle ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION ward.meddle()",
    )
    try:
        said = run("anonymize", "people.csv", "-o", base, "--to", "released", *ASKED)
    finally:
        postgres.run("DROP EVENT TRIGGER meddle")
    assert said.code == 4 and snapshot(folder) == before
    assert postgres.run("SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'ward'::regnamespace") == [(0,)]


def test_a_connection_that_is_killed_leaves_the_target_as_it_was(base: str, postgres: Server, folder: Path) -> None:
    release = shoal.anonymize(PEOPLE, quasi=["age", "zip"], sensitive=["ill"], k=4, seed=1)
    put(base, pa.table({"old": ["as it was"]}), "released")
    told: list[Exception] = []

    def write() -> None:
        with pytest.raises(DataError) as refused:
            release.write(base, table="released", force=True)
        told.append(refused.value)

    with adbc.connect(base) as holder, holder.cursor() as cursor:
        cursor.execute("SELECT * FROM released")  # a reader, for whom the writer waits when everything else is done
        writer = threading.Thread(target=write)
        writer.start()
        killing = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        while writer.is_alive() and not postgres.run(killing):
            time.sleep(0.02)
        writer.join(60)
    assert "broke off" in str(told[0]) and postgres.password not in str(told[0])
    assert snapshot(folder) == {}
    assert texts(databases.read(base, "released")) == {"old": ["as it was"]}
    assert postgres.run("SELECT count(*) FROM pg_class WHERE relname LIKE 'shoal%'") == [(0,)]


def test_a_connection_that_is_cut_leaves_the_target_as_it_was(base: str, postgres: Server, tmp_path: Path) -> None:
    put(base, pa.table({"old": ["as it was"]}), "released")
    large = pa.table({"x": pc.cast(pa.array(range(200_000)), pa.string())})
    for most in (500, 1_000_000, 1 << 40):  # at the beginning, in the middle of the rows, never
        with cut_after(most, postgres.folder) as host:
            through = postgres.url(host=host)
            if most < 1 << 40:
                with pytest.raises(DataError) as refused:
                    put(through, large, "released", force=True)
                assert postgres.password not in str(refused.value) and "broke off" in str(refused.value)
                assert texts(databases.read(base, "released")) == {"old": ["as it was"]}
            else:
                put(through, large, "released", force=True)
    assert databases.read(base, "released").num_rows == 200_000


class cut_after:  # noqa: N801
    """A road to the server that ends after so many bytes."""

    def __init__(self, most: int, server: Path) -> None:
        self.most, self.server, self.folder = most, server, server / f"cut{most}"

    def __enter__(self) -> Path:
        self.folder.mkdir()
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(str(self.folder / ".s.PGSQL.5432"))
        self.listening.listen()
        self.ends: list[socket.socket] = [self.listening]
        threading.Thread(target=self._accept, daemon=True).start()
        return self.folder

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            behind = socket.socket(socket.AF_UNIX)
            behind.connect(str(self.server / ".s.PGSQL.5432"))
            self.ends += [client, behind]
            threading.Thread(target=self._carry, args=(client, behind, self.most), daemon=True).start()
            threading.Thread(target=self._carry, args=(behind, client, 1 << 40), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket, most: int) -> None:
        with suppress(OSError):
            while most > 0 and (data := one.recv(min(most, 1 << 16))):
                other.sendall(data)
                most -= len(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def __exit__(self, *_: object) -> None:
        for end in self.ends:
            end.close()


def test_the_source_is_only_read(base: str, postgres: Server) -> None:
    postgres.run(
        "CREATE TABLE ward.log (x int)",
        "CREATE FUNCTION ward.noted() RETURNS int LANGUAGE sql AS 'INSERT INTO ward.log VALUES (1) RETURNING x'",
        "CREATE VIEW ward.nosy AS SELECT ward.noted() AS x",
    )
    with pytest.raises(DataError, match="no right to read 'nosy'"):
        databases.read(base, "nosy")
    assert postgres.run("SELECT count(*) FROM ward.log") == [(0,)]


# Refusals


@pytest.fixture
def refused(folder: Path, postgres: Server) -> Callable[..., str]:
    """Runs a command that must be refused in the house's form, show no secret and leave nothing behind."""

    def command(code: int, *args: object) -> str:
        before = snapshot(folder)
        said = run(*args)
        assert (said.code, said.out, in_house_form(said)) == (code, "", True), said
        assert snapshot(folder) == before
        assert not any(secret in said.err for secret in (postgres.password, "hunter2", "owner"))
        return said.err

    return command


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
    assert "did not accept" in refused(3, "anonymize", "people.csv", "-o", wrong, "--to", "released", *ASKED)


def test_rights_that_are_missing(base: str, postgres: Server, refused: Callable[..., str]) -> None:
    put(base, PEOPLE)
    put(base, PEOPLE, "theirs")
    files.write(PEOPLE, "people.csv")
    assert "GRANT SELECT" in refused(3, "inspect", role(postgres, "blind", "USAGE ON SCHEMA ward"), "--table", "patients")
    reader = role(postgres, "reader", "USAGE ON SCHEMA ward", "SELECT ON ward.patients")
    assert run("inspect", reader, "--table", "patients").code == 0
    asked = ("anonymize", "people.csv", "-o", reader, "--to")
    assert "GRANT CREATE ON SCHEMA ward" in refused(3, *asked, "released", *ASKED)
    role(postgres, "reader", "CREATE ON SCHEMA ward")
    assert "no right to write 'theirs'" in refused(3, *asked, "theirs", *ASKED, "--force")
    assert run(*asked, "released", *ASKED).code == 0


def test_tables_that_are_missing_or_empty(url: str, refused: Callable[..., str], postgres: Server) -> None:
    put(url, PEOPLE)
    assert "there is no table 'nobody'" in refused(3, "inspect", url, "--table", "nobody")
    put(url, PEOPLE.slice(0, 0), "empty")
    assert "table 'empty' has no rows" in refused(3, "inspect", url, "--table", "empty")
    if url.startswith("postgresql"):
        postgres.run("CREATE TABLE ward.bare ()")
        assert "table 'bare' has no columns" in refused(3, "inspect", url, "--table", "bare")
    if url.startswith("duckdb"):
        files.write(PEOPLE, "people.csv")
        assert "there is no table 'people.csv'" in refused(3, "inspect", url, "--table", '"people.csv"')


def test_files_that_are_no_databases(refused: Callable[..., str], folder: Path) -> None:
    (folder / "text.db").write_text("age,zip\n" * 1000)
    files.write(PEOPLE, "people.csv")
    for kind in ("sqlite", "duckdb", "sqlite+pysqlite"):
        assert "there is no file 'none.db'" in refused(3, "inspect", f"{kind}:///none.db", "--table", "t")
        assert "no database of this kind" in refused(3, "inspect", f"{kind}:///text.db", "--table", "t")
        target = ("anonymize", "people.csv", "-o", f"{kind}:///no/folder/x.db", "--to", "t")
        assert "no folder to stand in" in refused(3, *target, *ASKED)
    with duckdb.connect("held.db") as connection:
        connection.execute("CREATE TABLE t (x int)")
        assert "open for writing already" in refused(3, "inspect", "duckdb:///held.db", "--table", "t")


def test_calls_that_are_wrong(base: str, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    files.write(PEOPLE, "people.csv")
    assert "--table" in refused(2, "inspect", base)
    assert "--to" in refused(2, "anonymize", "people.csv", "-o", base, *ASKED)
    assert "no address" in refused(2, "inspect", "people.csv", "--table", "t")
    assert "no address" in refused(2, "inspect", "host=x password=hunter2", "--table", "t")
    assert "no address" in refused(2, "anonymize", "people.csv", "-o", "password=hunter2", "--to", "t", *ASKED)
    assert "'postgresql://...' is no address" in refused(2, "inspect", "postgresql:/owner:hunter2@x", "--table", "t")
    assert "'nosql' is no database" in refused(2, "inspect", "nosql://owner:hunter2@x/y", "--table", "t")
    assert "pip install MySQLdb" in refused(2, "inspect", "mysql://owner:hunter2@x/y", "--table", "t")
    assert "names no file" in refused(2, "inspect", "sqlite://", "--table", "t")
    assert "no name of a table" in refused(2, "inspect", base, "--table", "a.b.c")
    monkeypatch.delenv("NOWHERE", raising=False)
    assert "no variable NOWHERE" in refused(2, "inspect", "postgresql://owner:${NOWHERE}@x/y", "--table", "t")


def test_methods_are_compared_on_a_table(base: str, folder: Path) -> None:
    put(base, PEOPLE)
    asked = ("-q", "age,zip", "--methods", "mondrian", "--k", "4", "--json")
    found = run("compare", base, "--table", "patients", *asked)
    assert found.code == 0 and json.loads(found.out)["rows"] == 40 and Path("patients.compare.jsonl").exists()


def test_tables_beside_the_first_are_files(base: str, refused: Callable[..., str]) -> None:
    put(base, PEOPLE)
    files.write(PEOPLE, "people.csv")
    assert run("anonymize", "people.csv", "-o", "out.csv", *ASKED).code == 0
    calls = [
        ("mine", "out.csv", "--original", base), ("mine", base, "--original", "people.csv"),
        ("verify", "out.csv", "out.csv.certificate.json", "--original", base),
        ("attack", "out.csv", "--original", base), ("audit", "out.csv", "-q", "age", "--population", base),
        ("anonymize", "people.csv", "-o", "again.csv", "--population", base, *ASKED), ("compare", base, "-q", "age"),
    ]  # fmt: skip
    for call in calls:
        assert "save others as files" in refused(2, *call)


def test_commands_for_files_alone_tell_no_secrets(refused: Callable[..., str]) -> None:
    """Also where an address stands in a place that nobody thought of."""
    files.write(PEOPLE, "people.csv")
    url = "postgresql://owner:hunter2 @hunter2@h/x"
    assert "files, not databases" in refused(2, "distort", url, "-o", "out.csv", "--columns", "age")
    assert "files, not databases" in refused(2, "distort", "people.csv", "-o", url, "--columns", "age")
    refused(2, "compare", url, "-q", "age")
    refused(3, "verify", "people.csv", url)
    refused(2, "inspect", "people.csv", url)
    refused(2, "audit", "people.csv", "-q", "age", "--population", url)
    refused(2, "verify", url, "people.csv", "--nonsense", "password=hunter2")
    refused(3, "anonymize", "people.csv", "-o", "out.csv", "--hierarchy", f"age={url}", *ASKED)
    refused(2, "anonymize", "people.csv", "-o", "out.csv", "--method", url, *ASKED)


@pytest.mark.parametrize("package", ["adbc_driver_postgresql", "adbc_driver_sqlite", "duckdb", "sqlalchemy"])
def test_without_the_extra(package: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "x.db").touch()
    places = ("postgresql://x/y", "sqlite:///x.db", "duckdb:///x.db", "sqlite+pysqlite:///x.db")
    place = dict(zip(("adbc_driver_postgresql", "adbc_driver_sqlite", "duckdb", "sqlalchemy"), places, strict=True))[package]
    monkeypatch.setitem(sys.modules, package, None)  # as Python itself marks what is not to be found
    said = run("inspect", place, "--table", "t")
    assert (said.code, in_house_form(said)) == (2, True) and "pip install 'shoal[db]'" in said.err


# Secrets


def test_passwords_come_from_where_they_always_do(base: str, postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
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
    st.text(st.characters(codec="utf-8", exclude_characters="\0\n"), max_size=6), st.sampled_from(["h:1/b", "/b?host=x", "h"])
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
                assert "Zq" not in str(address) + repr(address)


def test_addresses_are_told_from_files() -> None:
    assert all(databases.is_url(url) for url in ("postgresql://x", "sqlite:///x.db", "mysql+pymysql://x", "POSTGRES:/x"))
    assert not any(databases.is_url(name) for name in ("people.csv", "-", "C:/people.csv", "a:b", "folder/x:/y", Path("x")))


def test_names_are_read_as_typed() -> None:
    assert Name.of("a.b") == Name("b", "a") and Name.of('"a.b"') == Name("a.b") and Name.of("ü x") == Name("ü x")
    assert Name.of('"s ""x""".t') == Name("t", 's "x"') and Name.of('"a""b"').quoted == '"a""b"'
    for wrong in ("", ".", "a.", ".b", "a.b.c", '"', '""', 'a"b', "a\0"):
        with pytest.raises(RecipeError, match="no name of a table"):
            Name.of(wrong)


def test_addresses_that_lead_to_one_place() -> None:
    def same(one: str, other: str) -> bool:
        return Address.of(one).is_same(Address.of(other))

    assert same("postgresql://a:b@h/x", "postgresql://c@h/x") and same("sqlite:///x.db", "sqlite:///./x.db")
    assert same("duckdb:///x.db?a=1", "duckdb:///x.db")
    assert not same("postgresql://h/x", "postgresql://h/y") and not same("postgresql:///x?host=a", "postgresql:///x?host=b")
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
