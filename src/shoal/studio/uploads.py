"""Uploads: write the body of a request straight into a file of the desk's folder.

No form is taken apart and nothing is copied, so a file of any size takes no memory. The user's name
for it is for showing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from fastapi import Request, Response
from starlette.requests import ClientDisconnect

from shoal.studio.desk import Desk
from shoal.studio.guard import TooLarge

BUFFER = 1 << 20


async def received(
    request: Request, desk: Desk, read: Callable[[str, Path], object] | None = None
) -> Response:
    """Take a file in whole and have it read, as the table unless `read` says otherwise.

    Of one that does not come whole, nothing is left.
    """
    place = desk.new_place()
    whole = False
    try:
        await _written(request, desk, place)
        (read or desk.read)(unquote(request.headers.get("x-name", "")), place)
        whole = True
    except ClientDisconnect:
        return Response(status_code=400)
    except TooLarge:
        return Response("The file is too large.", status_code=413, media_type="text/plain")
    except OSError as error:
        words = f"The file can't be kept: {error.strerror}."
        return Response(words, status_code=507, media_type="text/plain")
    finally:
        desk.arriving = None
        if not whole:
            place.unlink(missing_ok=True)
    return Response(status_code=204)


async def _written(request: Request, desk: Desk, place: Path) -> None:
    announced = request.headers.get("content-length", "")
    expected = int(announced) if announced.isdigit() else 0
    taken = 0
    private = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(private, "wb", buffering=BUFFER) as file:
        async for part in request.stream():
            file.write(part)
            taken += len(part)
            desk.arriving = min(taken / expected, 1.0) if expected else 0.0
