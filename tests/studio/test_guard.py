"""Who gets into the studio: every request is made for real, against a running studio."""

from __future__ import annotations

import http.client
import re
import secrets
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from shoal.studio.guard import AccessGuard
from studio.conftest import PATIENCE, Studio, in_a_loop, new_context, started

POLLING = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
HOSTS = [
    "evil.example",
    "127.0.0.1",
    "127.0.0.1:1",
    "localhost",
    "127.0.0.1.evil.example:{port}",
    "[::1]:{port}",
    "",
]
OUT = [
    "/download/..%2f..%2fetc%2fpasswd",
    "/download/../../etc/passwd",
    "/rows/..%2fx/0/9",
    "/_nicegui/../../etc/passwd",
]
SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"


def asked(
    studio: Studio,
    path: str,
    headers: Mapping[str, str] | None = None,
    method: str = "GET",
    body: bytes | None = None,
):
    """One plain request; headers are sent as they are given."""
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=PATIENCE)
    given = {"Host": f"127.0.0.1:{studio.port}", **(headers or {})}
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in given.items():
        connection.putheader(name, value)
    connection.endheaders(body)
    answer = connection.getresponse()
    return (
        answer.status,
        {name.lower(): value for name, value in answer.getheaders()},
        answer.read(),
    )


@pytest.fixture(scope="module")
def cookie(studio: Studio) -> str:
    status, headers, _ = asked(studio, f"/?token={studio.token}")
    assert status == 200
    return headers["set-cookie"].partition(";")[0]


def test_the_token_opens_the_door_and_leaves_the_address(studio: Studio) -> None:
    status, headers, body = asked(studio, f"/?token={studio.token}")
    assert status == 200 and b'location.replace("/")' in body and studio.token.encode() not in body
    for part in ("HttpOnly", "SameSite=Strict", "Path=/"):
        assert part in headers["set-cookie"]
    assert studio.token not in headers["set-cookie"]


def test_with_the_cookie_the_page_is_there(studio: Studio, cookie: str) -> None:
    status, headers, body = asked(studio, "/", {"Cookie": cookie})
    assert status == 200 and b"Shoal studio" in body
    assert headers["cache-control"] == "no-store"
    assert "connect-src 'self'" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY" and headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/", "/roles", "/rows/table/0/10", "/download/x", POLLING])
def test_nothing_answers_without_the_token(studio: Studio, path: str) -> None:
    assert asked(studio, path)[0] == 403


@pytest.mark.parametrize("given", ["", "x", "x.y", "a" * 5000, ".", "é.é", "; ;"])
def test_a_cookie_that_is_none_of_ours_is_refused(studio: Studio, given: str) -> None:
    assert (
        asked(studio, "/", {"Cookie": f"shoal_{studio.port}={given}".encode().decode("latin-1")})[0]
        == 403
    )


@pytest.mark.parametrize(
    "noise", ['prefs={"a":1}', "x=a b", "_ga[1]=2", 'open="', "shoal_{port}=x.y", "="]
)
def test_cookies_of_others_do_not_lock_anyone_out(studio: Studio, cookie: str, noise: str) -> None:
    noise = noise.format(port=studio.port) if "port" in noise else noise
    for both in (f"{noise}; {cookie}", f"{cookie}; {noise}"):
        assert asked(studio, "/", {"Cookie": both})[0] == 200


def test_a_page_of_another_desk_takes_nothing(studio: Studio, cookie: str) -> None:
    _, _, body = asked(studio, "/", {"Cookie": cookie})
    found = re.search(rb"[\"']client_id[\"']: [\"']([0-9a-f-]{36})", body)
    assert found
    client = found[1].decode()
    _, headers, _ = asked(studio, f"/?token={studio.token}&new=1")
    other = headers["set-cookie"].partition(";")[0]
    path = f"/_nicegui/client/{client}/upload/1"
    assert (
        asked(studio, path, {"Cookie": other, "Content-Length": "0"}, "POST")[2]
        == b"There is no such page."
    )
    assert (
        asked(studio, path, {"Cookie": cookie, "Content-Length": "0"}, "POST")[2]
        != b"There is no such page."
    )
    for own in (True, False):
        assert shaken(studio, cookie if own else other, client).startswith("40") is own


def test_a_page_that_was_silent_for_long_is_told_to_load_itself_anew(
    studio: Studio, cookie: str
) -> None:
    """The drawing library of the browser reloads at these very words, and waits at any other."""
    told = shaken(studio, cookie, "12345678-1234-1234-1234-123456789012")
    assert told.startswith("44") and "Implicit handshake failed" in told


def connected(
    studio: Studio, path: str, headers: Mapping[str, str], origin: str | None
) -> ClientConnection:
    """A websocket, if the studio opens it."""
    address = f"ws://127.0.0.1:{studio.port}{path}"
    given = cast(Origin | None, origin)
    return connect(
        address, additional_headers=headers, origin=given, proxy=None, open_timeout=PATIENCE
    )


def shaken(studio: Studio, cookie: str, client: str) -> str:
    """What a browser is told that speaks for a page; 40 where it is taken for that page's own."""
    query = f"&implicit_handshake=true&client_id={client}&document_id=d&tab_id=t&next_message_id=0"
    with connected(
        studio, f"{SOCKET}{query}", {"Cookie": cookie}, f"http://127.0.0.1:{studio.port}"
    ) as line:
        line.recv(timeout=PATIENCE)
        line.send("40")
        return str(line.recv(timeout=PATIENCE))


@pytest.mark.parametrize("given", ["", "x", "%00", "é"])
def test_a_wrong_token_is_refused(studio: Studio, given: str) -> None:
    assert (
        asked(
            studio, "/?token=" + (given.encode().decode("latin-1") if given != "é" else "%C3%A9")
        )[0]
        == 403
    )


def test_the_token_of_an_earlier_studio_is_refused(studio: Studio, cookie: str, tmp_path) -> None:
    later = started(tmp_path / "later")
    try:
        assert asked(later, f"/?token={studio.token}")[0] == 403
        value = cookie.partition("=")[2]
        assert asked(later, "/", {"Cookie": f"shoal_{later.port}={value}"})[0] == 403
    finally:
        later.stop()


@pytest.mark.parametrize("host", HOSTS)
def test_another_host_is_refused_even_with_the_cookie(
    studio: Studio, cookie: str, host: str
) -> None:
    for path, headers in (("/", {"Cookie": cookie}), (f"/?token={studio.token}", {})):
        assert asked(studio, path, {"Host": host.format(port=studio.port), **headers})[0] in (
            400,
            403,
        )


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}", "file://"],
)
def test_another_origin_is_refused_even_with_the_cookie(
    studio: Studio, cookie: str, origin: str
) -> None:
    assert (
        asked(studio, "/", {"Cookie": cookie, "Origin": origin.format(port=studio.port)})[0] == 403
    )


def test_localhost_is_this_machine_too(studio: Studio, cookie: str) -> None:
    named = {
        "Host": f"localhost:{studio.port}",
        "Cookie": cookie,
        "Origin": f"http://localhost:{studio.port}",
    }
    assert asked(studio, "/", named)[0] == 200


def opens(studio: Studio, headers: Mapping[str, str], origin: str | None) -> bool:
    """Whether a websocket opens."""
    try:
        with connected(studio, SOCKET, headers, origin):
            return True
    except InvalidStatus as refused:
        assert refused.response.status_code == 403
        return False


def test_a_websocket_opens_for_our_own_page_alone(studio: Studio, cookie: str) -> None:
    ours = f"http://127.0.0.1:{studio.port}"
    assert opens(studio, {"Cookie": cookie}, ours)
    assert not opens(studio, {}, ours)
    assert not opens(studio, {"Cookie": f"shoal_{studio.port}=x.y"}, ours)
    assert not opens(studio, {"Cookie": cookie}, None)
    assert not opens(studio, {"Cookie": cookie}, "https://evil.example")
    assert not opens(studio, {"Cookie": cookie}, "null")


def test_a_websocket_to_another_name_is_refused(studio: Studio, cookie: str) -> None:
    import socket

    key = "dGhlIHNhbXBsZSBub25jZQ=="
    with socket.create_connection(("127.0.0.1", studio.port), timeout=PATIENCE) as line:
        lines = [
            f"GET {SOCKET} HTTP/1.1",
            "Host: evil.example",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
            f"Cookie: {cookie}",
            f"Origin: http://127.0.0.1:{studio.port}",
            "",
            "",
        ]
        line.sendall("\r\n".join(lines).encode())
        assert b" 403 " in line.recv(200)


@pytest.mark.parametrize("path", OUT)
def test_no_path_leads_out(studio: Studio, cookie: str, path: str) -> None:
    status, _, body = asked(studio, path, {"Cookie": cookie})
    assert b"root:x:" not in body
    assert status in (200, 404, 422) and (
        status != 200 or b"Shoal studio" in body
    )  # the page of an unknown step


def test_rows_and_files_of_another_desk_are_not_there(studio: Studio, cookie: str) -> None:
    key = secrets.token_urlsafe(8)
    assert asked(studio, f"/rows/{key}/0/10", {"Cookie": cookie})[0] == 404
    assert asked(studio, f"/download/{key}", {"Cookie": cookie})[0] == 404


def test_a_body_beyond_the_limit_is_cut_off(tmp_path, cookie: str) -> None:
    small = started(tmp_path / "small", SHOAL_STUDIO_MOST="1000")
    try:
        _, headers, _ = asked(small, f"/?token={small.token}")
        mine = {"Cookie": headers["set-cookie"].partition(";")[0]}
        announced = {**mine, "Content-Length": "5000", "Content-Type": "text/plain"}
        assert asked(small, "/", announced, "POST", b"x" * 5000)[0] == 413
    finally:
        small.stop()


def test_hierarchies_are_small(studio: Studio, cookie: str) -> None:
    announced = {"Cookie": cookie, "Content-Length": str(10**8), "Content-Type": "text/plain"}
    assert asked(studio, "/_nicegui/x", announced, "POST", b"x")[0] == 413


def test_a_body_that_does_not_say_how_long_it_is_is_cut_off_too() -> None:
    async def swallow(scope, receive, send) -> None:
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def answered(parts: int) -> int:
        left = [b"y" * 500] * parts
        said = []

        async def receive():
            return {"type": "http.request", "body": left.pop(), "more_body": bool(left)}

        async def send(message) -> None:
            said.append(message)

        guard = AccessGuard(swallow, port=1, token="t", most=1000)
        cookie = f"shoal_1=d.{guard._proof('d')}".encode()
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/",
            "headers": [(b"host", b"localhost:1"), (b"cookie", cookie)],
        }
        await guard(scope, receive, send)
        return said[0]["status"]

    assert in_a_loop(lambda: answered(2)) == 200
    assert in_a_loop(lambda: answered(3)) == 413


def test_it_listens_on_this_machine_alone(studio: Studio) -> None:
    wanted = f"{studio.port:04X}"
    with open("/proc/net/tcp") as table:
        local = [line.split()[1] for line in table.readlines()[1:] if line.split()[3] == "0A"]
    assert [place for place in local if place.endswith(f":{wanted}")] == [f"0100007F:{wanted}"]


def test_nothing_is_left_when_it_ends(tmp_path) -> None:
    ended = started(tmp_path / "ended")
    inside = [path for path in ended.folder.iterdir() if path.name.startswith("shoal-studio-")]
    assert len(inside) == 1 and inside[0].stat().st_mode & 0o777 == 0o700
    ended.stop()
    assert sorted(path.name for path in ended.folder.iterdir()) == ["errors.txt", "state"]
    assert not list((ended.folder / "state").iterdir())  # no table was chosen
    assert not re.search(r"[0-9A-Za-z_-]{40}", ended.said())


@pytest.mark.parametrize("name", ["SIGHUP", "SIGQUIT", "SIGINT"])
def test_nothing_is_left_however_it_ends(tmp_path, name: str) -> None:
    ended = started(tmp_path / "ended")
    ended.process.send_signal(getattr(signal, name))
    ended.process.wait(PATIENCE)
    assert sorted(path.name for path in ended.folder.iterdir()) == ["errors.txt", "state"]
    assert not list((ended.folder / "state").iterdir())  # no table was chosen


def test_the_browser_is_not_told_the_token(tmp_path, browser) -> None:
    """Others see what programs are called with; so it gets a page that only its owner can read, and
    that leads in.
    """
    seen = tmp_path / "seen"
    program = tmp_path / "browser.sh"
    program.write_text(f'#!/bin/sh\nprintf %s "$1" > {seen}.part; mv {seen}.part {seen}\n')
    program.chmod(0o700)
    opened = started(tmp_path / "opened", browse=True, BROWSER=str(program))
    try:
        patience = time.monotonic() + PATIENCE
        while not seen.exists() and time.monotonic() < patience:
            time.sleep(0.05)
        address = seen.read_text()
        assert address.startswith("file://") and opened.token not in address
        assert Path(address.removeprefix("file://")).stat().st_mode & 0o077 == 0
        page = new_context(browser).new_page()
        page.goto(address)
        page.get_by_text("Shoal studio").wait_for()
        page.wait_for_url(f"http://127.0.0.1:{opened.port}/")
        page.context.close()
    finally:
        opened.stop()


def test_a_folder_that_a_killed_studio_left_is_removed_by_the_next(tmp_path) -> None:
    killed = started(tmp_path / "both")
    killed.process.kill()
    killed.process.wait(PATIENCE)
    left = list(killed.folder.glob("shoal-studio-*"))
    assert len(left) == 1
    later = started(tmp_path / "both")
    try:
        assert not left[0].exists()
    finally:
        later.stop()
