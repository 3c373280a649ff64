"""Sending: lets a file go from the browser straight to an address of the desk (see `uploads`)."""

from __future__ import annotations

from nicegui import ui

NAME = "files => [{name: 'x-name', value: encodeURIComponent(files[0].name)}]"
CUT_OFF = "The file did not come whole: it was stopped, or is too large."


def sent_to(upload: ui.upload, address: str) -> ui.upload:
    """Direct an element's files to an address, and say why one did not arrive."""

    def failed(said: object) -> None:
        upload.reset()
        ui.notify(str(said or CUT_OFF), type="negative", multi_line=True)

    upload.props('method="PUT" send-raw')
    upload.props["url"] = address
    upload.props[":headers"] = NAME
    upload.on("uploaded", upload.reset, args=[])
    upload.on(
        "failed", lambda said: failed(said.args), js_handler="info => emit(info.xhr.responseText)"
    )
    return upload
