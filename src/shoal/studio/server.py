"""Server: opens the studio on 127.0.0.1 for one process's life, and leaves nothing behind.

The socket is bound before anything is said, so the address that is printed is one that answers.
Logs name places in our code, never what was said there: a message may quote a cell.
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from shoal.adapters import databases
from shoal.errors import DataError
from shoal.studio.folders import private_folder
from shoal.studio.guard import AccessGuard
from shoal.studio.projects import Projects, state_folder
from shoal.wording import Sentence, Set

HOST = "127.0.0.1"
MOST = 4 * 2**30  # bytes of an upload; SHOAL_STUDIO_MOST sets another limit


def serve(
    announce: Callable[[str], None],
    file: str | None = None,
    *,
    table: str | None = None,
    port: int = 0,
    browser: bool = True,
    most: int | None = None,
) -> None:
    """Run the studio until it is interrupted.

    `announce` is told the address with its token as soon as the socket is open.
    """
    # end by way of everything that tidies up
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    # a terminal that is closed, say
    for end in ("SIGHUP", "SIGQUIT"):
        if hasattr(signal, end):
            signal.signal(getattr(signal, end), lambda *_: signal.raise_signal(signal.SIGTERM))
    os.umask(0o077)  # whatever the studio and its workers write is for its owner alone
    with ExitStack() as closing:
        listening = closing.enter_context(_bound(port))
        folder = closing.enter_context(private_folder())
        # the library would write into the user's working directory otherwise
        os.environ["NICEGUI_STORAGE_PATH"] = str(folder / "nicegui")
        token = secrets.token_urlsafe(32)
        port = listening.getsockname()[1]
        address = f"http://{HOST}:{port}/?token={token}"

        def opened() -> None:
            announce(address)
            if browser:
                page = _leading_to(address, folder)
                threading.Thread(target=webbrowser.open, args=(page,), daemon=True).start()

        _run(
            listening,
            folder,
            token,
            opened,
            (file, table),
            most or int(os.environ.get("SHOAL_STUDIO_MOST", MOST)),
        )


def _run(
    listening: socket.socket,
    folder: Path,
    token: str,
    opened: Callable[[], None],
    first: tuple[str | None, str | None],
    most: int,
) -> None:
    """Build the application and serve it.

    The user interface library is imported here and not before: importing it takes seconds.
    """
    import uvicorn

    from shoal.studio.desk import Desk
    from shoal.studio.desks import Desks
    from shoal.studio.jobs import Shop
    from shoal.studio.routes import application
    from shoal.studio.sockets import Owners

    def laid(desk: Desk) -> None:
        file, table = first
        if file is not None:  # what was named on the command line lies on every desk at first
            desk.read(databases.shown(file) if databases.is_url(file) else file, file, table)

    _quiet()
    shop = Shop()
    owners = Owners()
    desks = Desks(_projects(folder), shop, laid, owners.looked_at)
    inside = application(desks, owners, opened)
    app = AccessGuard(
        inside,
        port=listening.getsockname()[1],
        token=token,
        most=most,
        owners=owners.desk,
        last_left=desks.last_left,
    )
    settings: dict[str, Any] = {
        "log_config": None,
        "access_log": False,
        "timeout_graceful_shutdown": 1,
    }
    try:
        uvicorn.Server(uvicorn.Config(app, **settings)).run(sockets=[listening])
    finally:
        # its loop may be over already
        with suppress(RuntimeError):
            shop.close()
        desks.close()


def _projects(folder: Path) -> Projects:
    """Keep projects in the state folder of the user; without one, until the studio ends."""
    try:
        return Projects(state_folder())
    except OSError:
        return Projects(folder / "projects")


def _leading_to(address: str, folder: Path) -> str:
    """Write a private page that leads to the address, and return its own address.

    Other users of the machine see the arguments of a browser, and so must not see the token.
    """
    page = folder / "open.html"
    page.touch(mode=0o600)
    page.write_text(
        f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">', "utf-8"
    )
    return page.as_uri()


def _bound(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()  # whoever comes at once waits a moment, instead of being turned away
    except OSError as error:
        listening.close()
        reason = {"reason": error.strerror or "the port is taken"}
        raise DataError(
            f"port {port:,} can't be opened",
            reason,
            Sentence(Set("port", None), ": a free one is taken then"),
        ) from None
    return listening


class Places(logging.Formatter):
    """Format a logged fault by its kind and place, without its message."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record as one line."""
        fault = record.exc_info[1] if record.exc_info else None
        trace = fault.__traceback__ if fault is not None else None
        while trace and trace.tb_next:
            trace = trace.tb_next
        if trace:
            where = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
        else:
            where = record.name
        return f"studio: {type(fault).__name__ if fault else record.levelname.lower()} at {where}"


def _quiet() -> None:
    """Log warnings and faults of every library by their place alone."""
    handler = logging.StreamHandler()
    handler.setFormatter(Places())
    others = ("socketio", "socketio.server", "engineio", "engineio.server")
    for name in ("", "nicegui", "uvicorn", "uvicorn.error", "fastapi", "asyncio", *others):
        logger = logging.getLogger(name)
        logger.handlers = [handler] if not name else []
        logger.propagate = True
        logger.setLevel(logging.ERROR)
