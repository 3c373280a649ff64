"""Uploads: a file comes whole or leaves nothing, and its name is only shown."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import ClientDisconnect

from shoal.studio.desk import Desk, shown_name
from shoal.studio.guard import TooLarge
from shoal.studio.uploads import received
from studio.conftest import in_a_loop


class Asked:
    """A request whose body comes in parts, and may end in a fault."""

    def __init__(self, parts: list[bytes], name: str, fault: BaseException | None = None) -> None:
        self.parts = parts
        self.fault = fault
        self.headers = {"x-name": name, "content-length": str(sum(map(len, parts)))}

    async def stream(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            yield part
        if self.fault is not None:
            raise self.fault


def upload(
    folder: Path, asked: Asked, unread: OSError | None = None
) -> tuple[int, list[tuple[str, Path]], list[float | None]]:
    """The answer, what was to be read, and what was said of its way."""
    read: list[tuple[str, Path]] = []
    shares: list[float | None] = []

    class Here(Desk):
        def __setattr__(self, name: str, value: Any) -> None:
            shares.append(value) if name == "arriving" else None
            super().__setattr__(name, value)

        def read(self, name: str, place: Any, *_: Any, **__: Any) -> Any:
            if unread is not None:
                raise unread
            read.append((shown_name(name), Path(place)))

    async def work() -> int:
        await asyncio.sleep(0)
        desk = Here(folder / "desk", None)  # type: ignore[arg-type]
        return (await received(asked, desk)).status_code  # type: ignore[arg-type]

    return in_a_loop(work), read, shares


def test_a_file_comes_under_a_name_of_ours(tmp_path: Path) -> None:
    status, read, shares = upload(
        tmp_path, Asked([b"a,b\n", b"1,2\n", b""], "..%2F..%2Fevil%00%0A.csv")
    )
    assert status == 204
    [(name, place)] = read
    assert name == "evil.csv" and place.parent == tmp_path / "desk" and place.stem.isalnum()
    assert place.read_bytes() == b"a,b\n1,2\n"
    assert shares == [None, 0.5, 1.0, 1.0, None]


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        (ClientDisconnect(), 400),
        (TooLarge(), 413),
        (OSError(errno.ENOSPC, "No space left on device"), 507),
    ],
)
def test_what_does_not_come_whole_leaves_nothing(
    tmp_path: Path, fault: BaseException, status: int
) -> None:
    answered, read, shares = upload(tmp_path, Asked([b"a,b\n"], "x.csv", fault))
    assert (answered, read, shares[-1]) == (status, [], None)
    assert list((tmp_path / "desk").iterdir()) == []


def test_what_came_whole_and_finds_no_place_leaves_nothing(tmp_path: Path) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    assert upload(tmp_path, Asked([b"a,b\n"], "x.csv"), unread=full)[0] == 507
    assert list((tmp_path / "desk").iterdir()) == []
