"""Addresses: where a database is, said without who may enter; and names of tables in it.

`${NAME}` in an address stands for an environment variable, so that no password need be typed. What
is shown of an address is scheme, host, port and database; of one that can't be taken apart for
certain (a password with `@` or `/` in it, say), the scheme alone. The name of a table may stand
behind it: `sqlite:///ward.db#patients`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote

from shoal.errors import DataError, RecipeError

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # one slash is a slip, but still no file name
VARIABLE = re.compile(r"\$\{(\w+)\}")
HOST = r"(?:\[[\da-fA-F:.]+\]|[\w.%-]*)(?::\d*)?"
SERVER = re.compile(rf"[\w+.-]+://(?:[^/?#@]*@)?(?P<host>{HOST})(?P<base>/[^?#@:]*)?(?:[?#][^@]*)?")
FILES = ("sqlite", "duckdb")  # databases that are a file
ELSEWHERE = (
    "http",
    "https",
    "ftp",
    "sftp",
    "s3",
    "s3a",
    "gs",
    "az",
    "abfs",
    "abfss",
    "hdfs",
    "dbfs",
    "file",
    "sc",
)
WITH_TABLE = re.compile(r"(?P<url>.+)#(?P<table>[^#@/?&=:]+)", re.DOTALL)
# A parameter that is named like a password: its value may hold a # of its own.
SECRET = re.compile(
    r"[?&;][^=&;]*(?:pass|pwd|secret|token|key|auth)[^=&;]*=|(?:passw\w*|pwd)=", re.IGNORECASE
)


def is_url(text: object) -> bool:
    """Whether this is the address of a database, and no file name."""
    return isinstance(text, str) and URL.match(text) is not None


def parted(url: str, table: str | None = None) -> tuple[str, str | None]:
    """An address and the table that is meant, which may stand behind it.

    >>> parted("sqlite:///ward.db#patients")
    ('sqlite:///ward.db', 'patients')
    """
    if table is not None or not is_url(url) or SECRET.search(url):
        return url, table
    match = WITH_TABLE.fullmatch(url)
    return (match["url"], match["table"]) if match else (url, table)


@dataclass(frozen=True)
class Address:
    """Where a database is; what it prints of itself may be printed."""

    url: str = field(repr=False)
    scheme: str

    @classmethod
    def of(cls, url: str) -> Address:
        """An address as typed, with what the environment says filled in."""
        scheme = url.partition(":")[0].lower()
        if scheme in ELSEWHERE:
            raise RecipeError(
                f"'{scheme}:' leads to no database",
                remedy="fetch the file, and name it where it is then",
            )
        address = cls(VARIABLE.sub(lambda match: _from_environment(match, url), url), scheme)
        if not url.partition(":")[2].startswith("//"):
            raise RecipeError(
                f"'{address}' is no address of a database",
                remedy="postgresql://host/database, sqlite:///file.db",
            )
        if address.base in FILES and not address._file:
            raise RecipeError(
                f"'{address}' names no file",
                remedy=f"{scheme}:///people.db, or {scheme}:////srv/people.db",
            )
        return address

    @property
    def base(self) -> str:
        """The kind of database, without a driver."""
        return self.scheme.partition("+")[0]

    @property
    def path(self) -> Path | None:
        """The file of a database that is one; four slashes begin at the root."""
        return Path(self._file) if self.base in FILES else None

    @property
    def _file(self) -> str:
        return unquote(self.url.partition("://")[2].partition("?")[0].removeprefix("/"))

    def __str__(self) -> str:
        if self.path is not None:
            return f"{self.scheme}:///{self.path}"
        match = SERVER.fullmatch(self.url)
        if match:
            return f"{self.scheme}://{match['host']}{match['base'] or ''}"
        return f"{self.scheme}://..."

    def existing(self) -> Path:
        """The file, which is there."""
        assert self.path is not None
        if not self.path.is_file():
            raise DataError(
                f"there is no file '{self.path}'", remedy="check the name and the folder"
            )
        return self.path

    def beside(self, name: str) -> Address:
        """Another file in the same folder."""
        file, mark, given = self.url.partition("?")
        return Address(f"{file.rpartition('/')[0]}/{name}{mark}{given}", self.scheme)

    def is_same(self, other: Address) -> bool:
        """Whether both are one database, as far as addresses tell."""
        if self.path is not None and other.path is not None:
            return os.path.realpath(self.path) == os.path.realpath(other.path)
        return self.url == other.url or (
            self._leads == other._leads and not str(self).endswith("...")
        )

    @property
    def _leads(self) -> tuple[str, list[tuple[str, str]]]:
        """Where it leads: what is shown, and what parameters say of it."""
        given = parse_qsl(self.url.partition("?")[2])
        return str(self), sorted(
            pair for pair in given if pair[0] in ("host", "hostaddr", "port", "dbname", "service")
        )


@dataclass(frozen=True)
class Name:
    """A table by its name, and by its schema where one was given."""

    table: str
    schema: str | None = None

    @classmethod
    def of(cls, text: str) -> Name:
        """`table`, `schema.table`, or parts in double quotes that may hold dots: `"odd.name"`."""
        part = r'(?:"((?:[^"]|"")+)"|([^".]+))'
        match = re.fullmatch(rf"(?:{part}\.)?{part}", text, re.DOTALL)
        if match is None or "\0" in text:
            raise RecipeError(
                f"'{text}' is no name of a table", remedy='patients, ward.patients or "odd.name"'
            )
        schema, table = (
            match[at].replace('""', '"') if match[at] else match[at + 1] for at in (1, 3)
        )
        return cls(table, schema)

    def __str__(self) -> str:
        return f"{self.schema}.{self.table}" if self.schema else self.table

    @property
    def quoted(self) -> str:
        """As SQL takes it."""
        return ".".join(quoted(part) for part in (self.schema, self.table) if part)

    def beside(self, table: str) -> Name:
        """Another table in the same schema."""
        return Name(table, self.schema)


def quoted(name: str) -> str:
    """An identifier in standard SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in standard SQL."""
    return "'" + text.replace("'", "''") + "'"


def _from_environment(match: re.Match[str], url: str) -> str:
    value = os.environ.get(match[1])
    if value is None:
        raise RecipeError(
            f"the environment has no variable {match[1]}", remedy=f"export {match[1]}=..."
        )
    # A password may hold what ends one.
    return quote(value, safe="") if "@" in url[match.end() :] else value
