"""Databases, each a real one: what goes in comes back, and a target is as it was or whole."""

from __future__ import annotations

import datetime
import errno
import json
import re
import socket
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from decimal import Decimal
from pathlib import Path

import adbc_driver_postgresql.dbapi as adbc
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from benchmarks.postgres import Server

import shoal
from served import ASKED, PEOPLE, put, role, texts
from shoal.adapters import databases, files
from shoal.adapters.databases.postgresql import exact
from shoal.errors import DataError, RecipeError
from terminal import PATIENCE, in_house_form, snapshot
from terminal import shoal as run

pytestmark = pytest.mark.usefixtures("folder")

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
            "long day": pa.array(
                [datetime.date(1970, 1, 1), datetime.date(2024, 2, 29), None], pa.date64()
            ),
            "moment": pa.array(
                [datetime.datetime(2020, 1, 1, 12, 30, 0, 123), datetime.datetime(1969, 1, 1), None]
            ),
            "second": pa.array(
                [datetime.datetime(2020, 1, 1), datetime.datetime(1969, 1, 1), None],
                pa.timestamp("s"),
            ),
            "zoned": pa.array(
                [datetime.datetime(2020, 1, 1), datetime.datetime(1969, 1, 1), None],
                pa.timestamp("us", "UTC"),
            ),
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
    table = pa.table(
        {name: [1, 2], f"{name} and more, much more": ["a", None], "%(x)s": ["b", "c"]}
    )
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
        """CREATE TABLE ward.odd (a ward.sex, b ward.years, c char(5), d uuid, e numeric(9,2),
           f money, g oid, h timestamptz, i varchar(9), r jsonb, s point, t interval, u int[],
           v bytea, w inet, x timetz, y bit(3))""",
        """INSERT INTO ward.odd VALUES ('f', 40, 'ab', '00000000-0000-0000-0000-000000000001',
           12.50, 1.50, 3000000000, '2020-01-01 10:00+02', 'z', '{"secret": 1}', '(1,2)', '1 day',
           '{1,2}', 'x', '10.0.0.1', '10:00+02', B'101')""",
    )
    found = databases.read(base, "odd")
    assert texts(found.select(list("abcdefghi"))) == {
        "a": ["f"],
        "b": ["40"],
        "c": ["ab"],
        "d": ["00000000-0000-0000-0000-000000000001"],
        "e": ["12.5"],
        "f": ["1.5"],
        "g": ["3000000000"],
        "h": ["2020-01-01T08:00:00Z"],
        "i": ["z"],
    }
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
        with pytest.raises(
            DataError, match=f"column '{column}' holds {re.escape(kind)}, which is no single value"
        ) as refused:
            shoal.anonymize(found, quasi=[column], k=1)
        assert postgres.password not in str(refused.value) and "secret" not in str(refused.value)
    said = run("anonymize", base, "--table", "odd", "-o", "out.csv", "-q", "r", "-k", "1")
    assert (
        said.code == 3
        and in_house_form(said)
        and "column 'r' holds jsonb" in said.err
        and not Path("out.csv").exists()
    )
    release = shoal.anonymize(base, table="odd", quasi=["a", "b"], k=1)  # the others do no harm
    assert release.table.to_pydict() == {"a": ["f"], "b": ["40"]}


def test_infinite_days_are_refused(base: str, postgres: Server) -> None:
    for value in (
        "'infinity'::date",
        "'-infinity'::date",
        "'infinity'::timestamp",
        "'-infinity'::timestamptz",
    ):
        postgres.run(
            "DROP VIEW IF EXISTS ward.days", f"CREATE VIEW ward.days AS SELECT {value} AS day"
        )
        with pytest.raises(DataError, match="column 'day' holds infinite dates"):
            databases.read(base, "days")
    postgres.run(
        "CREATE VIEW ward.old AS SELECT '4713-01-01 BC'::timestamp AS day, '5874897-12-31'::date "
        "AS late"
    )
    assert databases.read(base, "old").num_rows == 1


def test_cells_of_sqlite_tell_the_type_of_a_column(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "base.db") as connection:
        connection.execute("CREATE TABLE t (late, mixed, number, bytes BLOB)")
        rows = [(None, i, i, b"x") for i in range(3000)] + [("text", "text", 0.5, b"y")]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    found = databases.read(f"sqlite:///{tmp_path}/base.db", "t")
    assert [str(kind) for kind in found.schema.types] == ["string", "string", "double", "binary"]
    assert (
        found["mixed"][2999].as_py(),
        found["late"][3000].as_py(),
        found["number"][7].as_py(),
    ) == ("2999", "text", 7.0)


# Releases


def test_from_database_to_database_and_back_to_the_certificate(url: str, folder: Path) -> None:
    put(url, PEOPLE)
    said = run(
        "anonymize",
        url,
        "--table",
        "patients",
        "-o",
        url,
        "--to",
        "released",
        *ASKED,
        "--save-recipe",
        "recipe.toml",
    )
    assert said.code == 0 and "table released" in said.err
    assert texts(databases.read(url, "patients")) == texts(PEOPLE)
    released = databases.read(url, "released")
    assert released.column_names == ["age", "zip", "ill"] and released.num_rows == 40
    papers = ["released.certificate.json", "released.private.json", "recipe.toml"]
    assert all((folder / paper).is_file() for paper in papers)
    verified = run("verify", url, "--table", "released", "released.certificate.json", "--json")
    assert verified.code == 0 and verified.json["holds"]
    audited = run(
        "audit",
        url,
        "--table",
        "released",
        "-q",
        "age,zip",
        "-s",
        "ill",
        "--require",
        "k=4",
        "--json",
    )
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
    assert (
        run(
            "anonymize",
            "people.csv",
            "-o",
            url,
            "--to",
            "released",
            *ASKED,
            "--certificate",
            "c.json",
        ).code
        == 0
    )
    put(url, PEOPLE)
    assert run("anonymize", url, "--table", "patients", "-o", "released.csv", *ASKED).code == 0
    assert texts(files.read("released.csv")) == texts(databases.read(url, "released"))
    hashes = [
        json.loads(Path(place).read_text())["hash"]
        for place in ("c.json", "released.csv.certificate.json")
    ]
    assert hashes[0] == hashes[1]


def test_the_python_door(url: str, folder: Path) -> None:
    put(url, PEOPLE)
    release = shoal.anonymize(
        url, table="patients", quasi=["age", "zip"], sensitive=["ill"], k=4, seed=1
    )
    assert isinstance(release.table, pa.Table)
    release.write(url, table="released")
    assert shoal.verify(url, release.certificate, table="released").holds
    assert shoal.audit(url, quasi=["age", "zip"], table="released").k >= 4
    assert shoal.inspect(url, table="patients").rows == 40
    with pytest.raises(RecipeError, match="table 'released' exists"):
        release.write(url, table="released", certificate="other.json")
    assert sorted(snapshot(folder).keys() - {"base.db"}) == [
        "released.certificate.json",
        "released.private.json",
    ]
    for wrong in (
        lambda: release.write("out.csv", table="released"),
        lambda: shoal.inspect(PEOPLE, table="patients"),
    ):
        with pytest.raises(RecipeError, match="no address"):
            wrong()
    with pytest.raises(RecipeError, match="needs the name of a table"):
        shoal.anonymize(PEOPLE, quasi=["age"], population=url)


# A target is as it was, or whole


def test_replaced_rows_leave_the_files_of_a_database(url: str, folder: Path) -> None:
    if url.startswith("postgresql"):
        pytest.skip("a server's files are its own")
    people = pa.table({"name": [f"Zweig-Secret {i}" for i in range(400)], "age": range(400)})
    put(url, people, "released")
    put(url, PEOPLE, "beside")
    kept = b"".join(path.read_bytes() for path in folder.glob("*") if path.is_file())
    assert b"Zweig-Secret 77" in kept
    before = (folder / "base.db").stat()
    put(url, people.drop_columns(["name"]), "released", force=True)
    files_left = [path for path in folder.rglob("*") if path.is_file()]
    assert not any(b"Zweig-Secret" in path.read_bytes() for path in files_left)
    assert texts(databases.read(url, "beside")) == texts(PEOPLE)
    assert databases.read(url, "released").num_rows == 400
    assert [path.name for path in files_left] == ["base.db"]
    assert (folder / "base.db").stat().st_mode == before.st_mode


def test_replaced_rows_leave_the_log_of_a_sqlite_database(folder: Path) -> None:
    url = f"sqlite:///{folder}/base.db"
    put(url, pa.table({"name": [f"Zweig-Secret {i}" for i in range(400)]}), "released")
    with closing(sqlite3.connect(folder / "base.db")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    put(url, PEOPLE, "released", force=True)
    files_left = [path for path in folder.rglob("*") if path.is_file()]
    assert not any(b"Zweig-Secret" in path.read_bytes() for path in files_left)


def test_a_duckdb_file_that_can_not_be_written_anew_stays_as_it_was(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"duckdb:///{folder}/base.db"
    put(url, PEOPLE, "released")
    before = snapshot(folder)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(DataError):
        put(url, PEOPLE.slice(0, 20), "released", force=True)
    monkeypatch.undo()
    assert snapshot(folder) == before and databases.read(url, "released").num_rows == 40


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
    itself = run(
        "anonymize", url, "--table", "patients", "-o", url, "--to", "patients", *ASKED, "--force"
    )
    assert itself.code == 2 and "is the input" in itself.err
    assert texts(databases.read(url, "patients")) == texts(PEOPLE)


def test_the_input_is_known_by_any_address(
    base: str, postgres: Server, refused: Callable[..., str]
) -> None:
    put(base, PEOPLE)
    put(base, PEOPLE, "others")
    other = role(
        postgres, "twin", "ALL ON SCHEMA ward", "SELECT ON ward.patients", "SELECT ON ward.others"
    )
    also = f"{other}&connect_timeout=9&host={postgres.folder}/."
    asked = ("anonymize", also, "--table", "ward.patients", "-o", base, "--to")
    assert "output 'patients' is the input" in refused(2, *asked, "patients", *ASKED, "--force")
    assert run(*asked, "others", *ASKED, "--force").code == 0
    assert texts(databases.read(base, "patients")) == texts(PEOPLE)


def test_what_fails_on_the_way_leaves_no_trace(url: str, folder: Path) -> None:
    files.write(PEOPLE, "people.csv")
    before = snapshot(folder)
    refused = run(
        "anonymize",
        "people.csv",
        "-o",
        url,
        "--to",
        "released",
        *ASKED,
        "--model",
        "l-diversity:l=9",
    )
    assert refused.code == 4 and snapshot(folder) == before
    with pytest.raises(KeyboardInterrupt), databases.Written(url, "released") as written:
        written.fill(PEOPLE)
        raise KeyboardInterrupt
    assert snapshot(folder) == before
    put(url, PEOPLE)
    before = snapshot(folder)
    with (
        pytest.raises(KeyboardInterrupt),
        databases.Written(url, "patients", force=True) as written,
    ):
        written.fill(PEOPLE.slice(0, 5))
        raise KeyboardInterrupt
    assert texts(databases.read(url, "patients")) == texts(PEOPLE)
    assert "postgresql" in url or snapshot(folder) == before


def test_certificates_are_taken_back_when_the_table_fails_to_appear(
    base: str, postgres: Server, folder: Path
) -> None:
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


def test_the_release_is_recounted_in_the_database(
    base: str, postgres: Server, folder: Path
) -> None:
    """A server that changes what it is given: every new table gets a trigger which makes one row
    stand out.
    """
    files.write(PEOPLE, "people.csv")
    before = snapshot(folder)
    postgres.run(
        """CREATE FUNCTION ward.spoil() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN IF NOT EXISTS (SELECT FROM pg_sequences
                WHERE sequencename = 'once' AND last_value IS NOT NULL) THEN
                PERFORM nextval('ward.once'); NEW.zip := 'N9'; END IF; RETURN NEW; END $$""",
        """CREATE FUNCTION ward.meddle() RETURNS event_trigger LANGUAGE plpgsql AS
           $$ DECLARE made record; BEGIN
           FOR made IN SELECT * FROM pg_event_trigger_ddl_commands() LOOP EXECUTE
           format('CREATE TRIGGER spoil BEFORE INSERT ON %s FOR EACH ROW
             EXECUTE FUNCTION ward.spoil()', made.object_identity);
           END LOOP; END $$""",
        "CREATE SEQUENCE ward.once",
        "CREATE EVENT TRIGGER meddle ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE "
        "FUNCTION ward.meddle()",
    )
    try:
        said = run("anonymize", "people.csv", "-o", base, "--to", "released", *ASKED)
    finally:
        postgres.run("DROP EVENT TRIGGER meddle")
    assert said.code == 4 and snapshot(folder) == before
    assert postgres.run(
        "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'ward'::regnamespace"
    ) == [(0,)]


def test_a_connection_that_is_killed_leaves_the_target_as_it_was(
    base: str, postgres: Server, folder: Path
) -> None:
    release = shoal.anonymize(PEOPLE, quasi=["age", "zip"], sensitive=["ill"], k=4, seed=1)
    put(base, pa.table({"old": ["as it was"]}), "released")
    told: list[Exception] = []

    def write() -> None:
        with pytest.raises(DataError) as refused:
            release.write(base, table="released", force=True)
        told.append(refused.value)

    with adbc.connect(base) as holder, holder.cursor() as cursor:
        cursor.execute(
            "SELECT * FROM released"
        )  # a reader, for whom the writer waits when everything else is done
        writer = threading.Thread(target=write)
        writer.start()
        killing = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        )
        while writer.is_alive() and not postgres.run(killing):
            time.sleep(0.02)
        writer.join(PATIENCE)
    assert "broke off" in str(told[0]) and postgres.password not in str(told[0])
    assert snapshot(folder) == {}
    assert texts(databases.read(base, "released")) == {"old": ["as it was"]}
    assert postgres.run("SELECT count(*) FROM pg_class WHERE relname LIKE 'shoal%'") == [(0,)]


def test_a_connection_that_is_cut_leaves_the_target_as_it_was(
    base: str, postgres: Server, tmp_path: Path
) -> None:
    put(base, pa.table({"old": ["as it was"]}), "released")
    large = pa.table({"x": pc.cast(pa.array(range(200_000)), pa.string())})
    for most in (500, 1_000_000, 1 << 40):  # at the beginning, in the middle of the rows, never
        with CutAfter(most, postgres.folder) as host:
            through = postgres.url(host=host)
            if most < 1 << 40:
                with pytest.raises(DataError) as refused:
                    put(through, large, "released", force=True)
                assert postgres.password not in str(refused.value) and "broke off" in str(
                    refused.value
                )
                assert texts(databases.read(base, "released")) == {"old": ["as it was"]}
            else:
                put(through, large, "released", force=True)
    assert databases.read(base, "released").num_rows == 200_000


class CutAfter:
    """A road to the server that ends after a number of bytes."""

    def __init__(self, most: int, server: Path) -> None:
        self.most = most
        self.server = server
        self.folder = server / f"cut{most}"

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
            threading.Thread(
                target=self._carry, args=(client, behind, self.most), daemon=True
            ).start()
            threading.Thread(
                target=self._carry, args=(behind, client, 1 << 40), daemon=True
            ).start()

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
        "CREATE FUNCTION ward.noted() RETURNS int LANGUAGE sql AS 'INSERT INTO ward.log VALUES "
        "(1) RETURNING x'",
        "CREATE VIEW ward.nosy AS SELECT ward.noted() AS x",
    )
    with pytest.raises(DataError, match="no right to read 'nosy'"):
        databases.read(base, "nosy")
    assert postgres.run("SELECT count(*) FROM ward.log") == [(0,)]
