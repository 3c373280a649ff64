"""Sockets: let a browser hear and speak for the pages of its own desk alone.

The library that draws pages takes any connected browser at its word about which page it speaks for.
The numbers of pages can't be guessed; all the same, a page belongs to the desk that it was made
for.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

import socketio
from nicegui import Client, core

FORGOTTEN = "Implicit handshake failed"
SPOKEN = ("event", "javascript_response", "ack", "log")


class Owners:
    """Remember the desk for which each page was made."""

    def __init__(self) -> None:
        self.desk: dict[str, str] = {}

    def looked_at(self, desk: str) -> bool:
        """Tell whether a page of this desk is open in a browser now."""
        pages = [client for client, owner in self.desk.items() if owner == desk]
        there = [Client.instances[client] for client in pages if client in Client.instances]
        return any(client.has_socket_connection for client in there)

    def reload(self, desk: str) -> None:
        """Have every page of a desk load itself anew, from the first step."""
        for client in [client for client, owner in self.desk.items() if owner == desk]:
            if client in Client.instances:
                Client.instances[client].run_javascript('location.replace("/")')

    def keep_apart(self) -> None:
        """Ignore from now on what a browser says for the page of another desk."""
        said = core.sio.handlers["/"]
        connect = said["connect"]
        handshake = said["handshake"]

        async def connected(sid: str, data: dict[str, Any], *more: Any) -> Any:
            asked = parse_qs(data.get("QUERY_STRING", "")).get("client_id", [])
            if all(self._owns(sid, client) for client in asked):
                return await connect(sid, data, *more)
            # The page was silent for long and is forgotten: at this very word it loads itself anew.
            raise socketio.exceptions.ConnectionRefusedError(FORGOTTEN)

        async def shaken(sid: str, data: dict[str, Any]) -> Any:
            return await handshake(sid, data) if self._owns(sid, data["client_id"]) else False

        said["connect"] = connected
        said["handshake"] = shaken
        for name in SPOKEN:
            said[name] = self._of_own(said[name])

    def _of_own(self, heard: Any) -> Any:
        def asked(sid: str, message: dict[str, Any]) -> Any:
            return heard(sid, message) if self._owns(sid, message["client_id"]) else None

        return asked

    def _owns(self, sid: str, client: str) -> bool:
        scope = core.sio.get_environ(sid)["asgi.scope"]
        return self.desk.get(client) == scope["state"]["desk"]
