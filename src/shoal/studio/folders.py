"""Private folders: keep uploads and results where only their owner may enter, until the end.

The name of the folder holds the number of its process, so a studio that was killed leaves a folder
that the next one removes.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = "shoal-studio-"
NAMED = re.compile(rf"{PREFIX}(\d+)-")


@contextmanager
def private_folder() -> Iterator[Path]:
    """Make a folder for as long as the studio runs, and remove it afterwards.

    Temporary files of libraries go there too.
    """
    above = Path(tempfile.gettempdir())
    remove_forgotten(above)
    # mkdtemp makes it readable for its owner alone
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=above))
    before = tempfile.tempdir
    tempfile.tempdir = str(folder)
    try:
        yield folder
    finally:
        tempfile.tempdir = before
        shutil.rmtree(folder, ignore_errors=True)


def remove_forgotten(above: Path) -> None:
    """Remove folders of studios whose process is gone."""
    for folder in above.glob(f"{PREFIX}*-*"):
        named = NAMED.match(folder.name)
        if named and not folder.is_symlink() and not is_alive(int(named[1])) and _ours(folder):
            shutil.rmtree(folder, ignore_errors=True)


def is_alive(process: int) -> bool:
    """Tell whether a process of this number runs."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _ours(folder: Path) -> bool:
    try:
        return folder.stat().st_uid == os.getuid()
    except OSError:
        return False
