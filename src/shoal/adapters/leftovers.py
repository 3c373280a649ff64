"""Leftovers: names for temporary files that tell whose they are, and removal of abandoned ones.

A process that is killed outright leaves its temporary files behind. The next run that writes to the
same place removes them. It must not take the files of a run that is still at work, nor anything of
somebody else, so each name holds a token: a mark of this machine since it was started, the number
of the process, and random digits. An entry is removed where

- its name is one that a run with this output would choose,
- it belongs to the user who runs this process, and is a plain file or folder (no link),
- it has the mark of this machine and no process has its number; or it is a week old.

Files on a shared disk that another machine writes carry another mark and stay.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
import shutil
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

OLD = 7 * 24 * 3600  # seconds after which nobody works on a file any more
TOKEN = r"(?P<machine>[0-9a-f]{6})(?P<process>[0-9a-f]{8})[0-9a-f]{8}"


def token() -> str:
    """Return digits for a temporary name: of this machine, of this process, and random ones."""
    return f"{_machine()}{os.getpid():08x}{secrets.token_hex(4)}"


def remove_leftovers(folder: Path, before: str, after: str) -> None:
    """Remove what killed runs left in a folder under names `before<token>after`."""
    name = re.compile(re.escape(before) + TOKEN + re.escape(after))
    with suppress(OSError):  # a folder that can't be listed holds nothing that could be removed
        for entry in os.scandir(folder):
            match = name.fullmatch(entry.name)
            if match and _is_abandoned(entry, match["machine"], int(match["process"], 16)):
                _remove(entry)


def _is_abandoned(entry: os.DirEntry[str], machine: str, process: int) -> bool:
    """Tell whether an entry is ours, and nobody works on it any more."""
    status = entry.stat(follow_symlinks=False)
    if entry.is_symlink() or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
        return False
    if machine == _machine() and not _is_alive(process):
        return True
    return time.time() - status.st_mtime > OLD


def _is_alive(process: int) -> bool:
    if os.name != "posix":  # elsewhere, asking could end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # it belongs to somebody else, or nobody can tell
        return True
    return process != 0


def _remove(entry: os.DirEntry[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path, ignore_errors=True)
    elif entry.is_file(follow_symlinks=False):
        with suppress(OSError):
            os.unlink(entry.path)


@cache
def _machine() -> str:
    """Return a mark of this machine since it was started, and of its space of process numbers."""
    parts = [platform.node()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii"))
    with suppress(OSError):
        parts.append(os.readlink("/proc/self/ns/pid"))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:6]
