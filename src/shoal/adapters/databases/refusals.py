"""Refusals by databases, in our own words.

Their own messages may hold cells, and parts of a password.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from shoal.adapters.databases.address import Address, Name
from shoal.errors import DataError, RecipeError, ShoalError


class Known(NamedTuple):
    """A refusal that is recognised by its SQLSTATE, or else by words in what was said."""

    states: tuple[str, ...]
    words: tuple[str, ...]
    problem: str
    remedy: str


KNOWN = (
    Known(
        ("28P01", "28000"),
        (
            "password authentication failed",
            "no password supplied",
            "access denied for user",
            "pg_hba.conf",
        ),
        "the database did not accept the user or the password",
        "export PGPASSWORD=..., or a line in ~/.pgpass, or ${{NAME}} in the address",
    ),
    Known(
        ("3D000",),
        ("fatal:  database", "unknown database"),
        "there is no such database",
        "check the end of the address",
    ),
    Known(
        ("57P01", "57P02", "08006", "08003"),
        (
            "server closed",
            "terminating connection",
            "no connection to the server",
            "connection reset",
            "broken pipe",
            "ssl syscall",
            "could not receive data",
            "could not send data",
            "lost connection",
        ),
        "the connection to the database broke off",
        "try again; a table that was to be written is as it was",
    ),
    Known(
        (),
        (
            "connection refused",
            "could not translate host",
            "no such file or directory\n\tis the server",
            "timeout expired",
            "unreachable",
            "no route to host",
            "can't connect to",
        ),
        "the database can't be reached",
        "check host and port; is it running?",
    ),
    Known(
        ("3F000",),
        ("schema with name",),
        "the schema of '{name}' does not exist",
        "CREATE SCHEMA ...",
    ),
    Known(
        ("42P01",),
        ("no such table", "table with name"),
        "there is no table '{name}'",
        "check its name; schema.table finds one in another schema",
    ),
    Known(
        ("42501", "25006"),
        ("permission denied", "readonly database", "read-only", "command denied"),
        "no right to {doing} '{name}'",
        "{grant}",
    ),
    Known(
        ("55P03",),
        ("is locked", "lock on file", "conflicting lock"),
        "another program holds the database",
        "close that",
    ),
    Known(
        (),
        ("not a database", "not a valid duckdb"),
        "the file is no database of this kind",
        "check the file, and the beginning of the address",
    ),
    Known(
        (),
        ("different configuration",),
        "this program has the database open for writing already",
        "close that connection first",
    ),
    Known(
        ("53100",),
        ("no space left", "disk is full"),
        "the disk of the database is full",
        "free some space there",
    ),
    Known(
        ("2BP01",),
        ("depend on it", "depends on it"),
        "other things in the database depend on '{name}'",
        "DROP VIEW ..., or write to another table",
    ),
    Known(
        ("22021",),
        (),
        "a text holds a character that the database can't store",
        "replace it before",
    ),
)
# Packages that are not called as they are imported.
PACKAGES = {"MySQLdb": "mysqlclient", "psycopg2": "psycopg2-binary"}
GRANTS = {
    "read": "GRANT SELECT ON {name} TO ...",
    "write": "GRANT CREATE ON SCHEMA ... TO ..., or own '{name}'",
}


@contextmanager
def refusing(address: Address, name: Name, doing: str) -> Iterator[None]:
    """Turn whatever a driver raises into a refusal of ours; nothing it said is passed on."""
    try:
        yield
    except (ShoalError, MemoryError):
        raise
    except (AssertionError, NameError, AttributeError):
        raise  # faults of ours
    except ModuleNotFoundError as error:
        raise without_driver(address, error) from None
    except Exception as error:
        # So ADBC has it where a driver can't be interrupted.
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise refusal(error, address, name, doing) from None


def refusal(error: Exception, address: Address, name: Name, doing: str) -> ShoalError:
    """One refusal: what it was, where, and what to try."""
    said = str(error).lower()
    state = getattr(error, "sqlstate", None)
    facts = {"database": address} | ({"written": "nothing"} if doing == "write" else {})
    by_state = [known for known in KNOWN if state in known.states]
    for known in by_state or [
        known for known in KNOWN if any(word in said for word in known.words)
    ]:
        grant = GRANTS[doing].format(name=name)
        return DataError(
            known.problem.format(name=name, doing=doing),
            facts,
            known.remedy.format(name=name, grant=grant),
        )
    told = {"error": type(error).__name__} | ({"code": state} if state else {})
    return DataError(f"the database did not let us {doing} '{name}'", facts | told)


def without_driver(address: Address, error: ModuleNotFoundError) -> RecipeError:
    """A package that is not installed: one of ours, or the driver of another database."""
    missing = (error.name or "").partition(".")[0]
    ours = missing.startswith("adbc_driver") or missing in ("duckdb", "sqlalchemy")
    return RecipeError(
        f"{address.base} needs a package that is not installed",
        {"package": missing},
        "pip install 'shoal[db]'" if ours else f"pip install {PACKAGES.get(missing, missing)}",
    )
