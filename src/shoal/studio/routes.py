"""Routes: serve the studio's addresses: its page, rows of tables, uploads and downloads.

Each request sees its own desk alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse, JSONResponse
from nicegui import app as pages
from nicegui import run, ui

from shoal.studio.cabinet import Cabinet
from shoal.studio.desks import Desks
from shoal.studio.frame import framed
from shoal.studio.grid import rows_of
from shoal.studio.sockets import Owners
from shoal.studio.uploads import received


def application(desks: Desks, owners: Owners, opened: Callable[[], None]) -> FastAPI:
    """Build the application behind the guard; `opened` is called once it answers."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    cabinet = Cabinet(desks, owners)

    @app.get("/rows/{key}/{first}/{last}")
    async def rows(request: Request, key: str, first: int, last: int) -> Response:
        shown = desks.of(_desk(request)).shown.get(key)
        if shown is None:
            return Response(status_code=404)
        return JSONResponse(await run.io_bound(rows_of, shown, first, last))

    @app.put("/upload")
    async def upload(request: Request) -> Response:
        return await received(request, desks.of(_desk(request)))

    @app.put("/upload/everyone")
    async def upload_everyone(request: Request) -> Response:
        desk = desks.of(_desk(request))
        return await received(request, desk, desk.read_everyone)

    @app.put("/upload/graph/{part}")
    async def upload_graph(request: Request, part: Literal["people", "edges"]) -> Response:
        desk = desks.of(_desk(request))
        return await received(request, desk, partial(desk.graph.take, part))

    @app.get("/download/{key}")
    async def download(request: Request, key: str) -> Response:
        path, name = desks.of(_desk(request)).files.get(key, (None, ""))
        if path is None or not path.is_file():
            return Response(status_code=404)
        named = {"content-disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
        return FileResponse(path, media_type="application/octet-stream", headers=named)

    @ui.page("/")
    @ui.page("/{_:path}")
    def page(request: Request) -> None:
        desk = _desk(request)
        client = ui.context.client
        owners.desk[client.id] = desk
        client.on_delete(lambda: owners.desk.pop(client.id, None))
        shown = desks.of(desk)
        shown.cabinet = cabinet
        framed(shown)

    run.process_pool_start_method = "spawn"
    ui.run_with(
        app,
        title="Shoal studio",
        dark=None,
        language="en-US",
        show_welcome_message=False,
        reconnect_timeout=60.0,  # a busy machine is no reason to load a page anew
    )
    owners.keep_apart()
    pages.on_startup(desks.shop.prepare)
    pages.on_startup(opened)
    pages.on_shutdown(desks.shop.close)
    return app


def _desk(request: Request) -> str:
    """Return the desk that the guard read from the cookie."""
    name: str = request.scope["state"]["desk"]
    return name
