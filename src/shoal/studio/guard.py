"""Guard: decides who may talk to the studio.

Nothing else stands between a table of patients and every page a browser has open.

A pure ASGI layer around everything, for http and websocket alike. A request comes in only if

- its `Host` is this machine by name or number and the port the studio listens on: another name that
  points here (DNS rebinding) is refused;
- its `Origin`, where there is one, is the studio itself; a websocket must have one;
- it carries the cookie that was given for the token, which is printed once and lives as long as the
  process.

The cookie names a desk and proves with the token that the studio gave it out, so two browsers that
are there at once never share a desk, and a cookie of yesterday's studio opens nothing. Bodies are
counted as they arrive and cut off beyond the limit.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = "; ".join(
    (
        "default-src 'self'",
        # the page is put together by scripts of its own
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "object-src 'none'",
    )
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
STATIC = "/_nicegui/"  # may be kept by the browser; everything else holds data
PAGES = f"{STATIC}client/"
# bytes that may be sent to the library's own addresses: hierarchies, never tables
SMALL = 8 * 2**20
ENTERED = (
    b'<!doctype html><meta charset="utf-8"><title>Shoal studio</title>'
    b'<script>location.replace("/")</script>\n'
    b'<noscript><meta http-equiv="refresh" content="0;url=/"></noscript>'
)
CLOSED = 4403
REMEMBERED = 30 * 86_400  # seconds for which a browser keeps its cookie; it opens this studio alone


class TooLarge(Exception):
    """A body went beyond the limit."""


class AccessGuard:
    """Let in whoever has the token, from this machine, to a page of this studio."""

    def __init__(
        self,
        app: App,
        *,
        port: int,
        token: str,
        most: int,
        owners: Mapping[str, str] | None = None,
        last_left: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.app = app
        self.token = token
        self.most = most
        # pages by their number, and the desk each was made for
        self.owners = {} if owners is None else owners
        self.last_left = last_left
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.origins = {f"http://{host}" for host in self.hosts}
        # cookies don't know ports: without it two studios would take each other's cookie
        self.cookie = f"shoal_{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check every request and every connection, and pass on what may come in."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        refusal = self._refusal(scope)
        if scope["type"] == "websocket" and (refusal or self._desk(scope) is None):
            return await _closed(receive, send)
        if scope["type"] == "websocket":
            return await self._entered(scope, receive, send)
        if refusal:
            return await _answered(send, 403, refusal)
        if self._has_token(scope):
            return await self._admitted(scope, send)
        if self._desk(scope) is None:
            where = "Open the address that `shoal studio` printed: it holds the token."
            return await _answered(send, 403, where)
        if not self._own_page(scope):
            return await _answered(send, 404, "There is no such page.")
        most = self._most(scope)
        if self._announced(scope) > most:
            return await _answered(send, 413, f"The file is too large: at most {most:,} bytes.")
        return await self._entered(scope, receive, send)

    def _refusal(self, scope: Scope) -> str | None:
        """Return why a request is refused; None where it may come in."""
        hosts = _headers(scope, b"host")
        origins = _headers(scope, b"origin")
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            return "This studio answers to 127.0.0.1 and localhost only."
        if len(origins) > 1 or any(origin not in self.origins for origin in origins):
            return "This studio answers to its own pages only."
        if scope["type"] == "websocket" and not origins:
            return "A websocket must say where it comes from."
        return None

    def _has_token(self, scope: Scope) -> bool:
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [])
        is_door = scope["method"] == "GET" and scope["path"] == "/"
        return (
            is_door
            and len(given) == 1
            and hmac.compare_digest(given[0].encode(), self.token.encode())
        )

    async def _admitted(self, scope: Scope, send: Send) -> None:
        """Give a cookie for a desk, and lead to the first page, without the token.

        A browser that was here before comes back to its desk. One without a cookie comes to the
        desk that was left last, unless someone looks at that or `new` asks for an empty one.

        By a page of our own, not by a redirect: one that began elsewhere would go on without the
        cookie.
        """
        wants_new = "new" in parse_qs(scope.get("query_string", b"").decode("latin-1"))
        back = None if wants_new else self._desk(scope) or self.last_left()
        desk = back or secrets.token_urlsafe(16)
        how = f"Max-Age={REMEMBERED}; HttpOnly; SameSite=Strict; Path=/"
        value = f"{self.cookie}={desk}.{self._proof(desk)}; {how}"
        kind = (b"content-type", b"text/html; charset=utf-8")
        headers = [(b"set-cookie", value.encode()), kind, (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200, "headers": [*headers, *HEADERS]})
        await send({"type": "http.response.body", "body": ENTERED})

    def _desk(self, scope: Scope) -> str | None:
        """Read the desk's name from our cookie, whatever other cookies stand beside it.

        Other programs of this machine set cookies for the same host.
        """
        for pair in "; ".join(_headers(scope, b"cookie")).split(";"):
            name, _, value = pair.strip().partition("=")
            desk, _, proof = value.partition(".")
            if (
                name == self.cookie
                and desk
                and hmac.compare_digest(proof.encode(), self._proof(desk).encode())
            ):
                return desk
        return None

    def _proof(self, desk: str) -> str:
        return hmac.new(self.token.encode(), desk.encode(), hashlib.sha256).hexdigest()

    def _own_page(self, scope: Scope) -> bool:
        """Tell whether an address of one page on the screen belongs to a page of this desk."""
        if not scope["path"].startswith(PAGES):
            return True
        page, _, _ = scope["path"].removeprefix(PAGES).partition("/")
        return self.owners.get(page) == self._desk(scope)

    def _most(self, scope: Scope) -> int:
        return min(self.most, SMALL) if scope["path"].startswith(STATIC) else self.most

    def _announced(self, scope: Scope) -> int:
        lengths = _headers(scope, b"content-length")
        return int(lengths[0]) if lengths and lengths[0].isdigit() else 0

    async def _entered(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with the name of its desk.

        Its body is counted, and headers keep its answer from being embedded elsewhere.
        """
        scope.setdefault("state", {})["desk"] = self._desk(scope)
        taken = 0
        begun = False
        most = self._most(scope)

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body") or b"") if message["type"] == "http.request" else 0
            if taken > most:
                raise TooLarge
            return message

        async def sealed(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message["headers"] = [*_kept(message.get("headers", ()), scope["path"]), *HEADERS]
            await send(message)

        try:
            await self.app(scope, counted, sealed)
        except TooLarge:
            if not begun:
                await _answered(send, 413, f"The file is too large: at most {most:,} bytes.")


def _kept(headers: Any, path: str) -> list[tuple[bytes, bytes]]:
    """Return the headers of an answer; the browser may not keep what could hold data."""
    if path.startswith(STATIC):
        return list(headers)
    return [
        *((name, value) for name, value in headers if name.lower() != b"cache-control"),
        (b"cache-control", b"no-store"),
    ]


def _headers(scope: Scope, wanted: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in scope["headers"] if name.lower() == wanted]


async def _answered(send: Send, status: int, text: str) -> None:
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *HEADERS]})
    await send({"type": "http.response.body", "body": text.encode()})


async def _closed(receive: Receive, send: Send) -> None:
    """Refuse a websocket before it opens: the browser sees a 403."""
    await receive()
    await send({"type": "websocket.close", "code": CLOSED})
