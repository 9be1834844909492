"""Who may use the workbench, asked in plain HTTP: what a hostile page, or another program, might send."""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from urllib.parse import urlencode

import pytest

from tests.workbench.bench import Workbench

FORM = "application/x-www-form-urlencoded"
PLACES = ("/", "/crawls/astronomy/1", "/topics/astronomy/train", "/nowhere")


def test_a_token_opens_it_once_and_is_not_kept_in_the_address(workbench: Workbench) -> None:
    """The browser is sent on without it, with a cookie that no script and no other site can use."""
    path = workbench.first_url.removeprefix(workbench.origin)
    answer = workbench.ask(path)
    assert (answer.status, answer.headers["Location"]) == (303, "/")
    assert {"HttpOnly", "SameSite=strict"} <= set(answer.headers["Set-Cookie"].split("; "))
    assert workbench.ask("/", headers={"Cookie": workbench.cookie()}).status == 200


@pytest.mark.parametrize("path", [*PLACES, "/?token=wrong", "//evil.example/?token=wrong"])
def test_without_it_nothing_is_shown(workbench: Workbench, path: str) -> None:
    """A stolen address, or a tab of somebody else, opens nothing."""
    answer = workbench.ask(path)
    assert answer.status == 403
    assert "astronomy" not in answer.text
    assert workbench.ask(path, headers={"Cookie": workbench.cookie().split("=")[0] + "=stolen"}).status == 403


def test_a_token_leads_nowhere_else(workbench: Workbench) -> None:
    """A path that browsers take for a host is made one of ours."""
    query = workbench.first_url.partition("?")[2]
    assert workbench.ask(f"//evil.example/?{query}").headers["Location"] == "/evil.example/"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "localhost:1", ""])
def test_a_name_that_was_pointed_here_is_refused(workbench: Workbench, host: str) -> None:
    """DNS rebinding: the page of another site would have its own name in Host."""
    port = workbench.address.rpartition(":")[2]
    headers = {"Host": host.format(port=port), "Cookie": workbench.cookie()}
    assert workbench.ask("/", headers=headers).status in {400, 421}


@pytest.mark.parametrize(
    "headers",
    [
        {},  # no token of its form
        {"X-CSRF-Token": "wrong"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_form_of_another_site_is_refused(workbench: Workbench, headers: dict[str, str]) -> None:
    """CSRF: even with the session's cookie."""
    given = {"Origin": workbench.origin, **headers, "Cookie": workbench.cookie(), "Content-Type": FORM}
    assert workbench.ask("/topics", "POST", b"name=evil", given).status == 403


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", [*PLACES, "/static/workbench.css", "/topics"])
@pytest.mark.parametrize("is_announced", [True, False])
def test_ten_megabytes_are_refused_as_they_come(
    workbench: Workbench, path: str, method: str, is_announced: bool
) -> None:
    """At every place, whether their length is said before or not; it answers before it has read them."""
    host, _, port = workbench.address.partition(":")
    length = f"Content-Length: {10**7}" if is_announced else "Transfer-Encoding: chunked"
    chunk = b"a" * 2**16
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        head = [f"{method} {path} HTTP/1.1", f"Host: {workbench.address}", f"Content-Type: {FORM}", length]
        connection.sendall("\r\n".join([*head, "", ""]).encode())
        with suppress(ConnectionError):  # it has answered, and hears no more
            for _ in range(1 if is_announced else 6):
                connection.sendall(chunk if is_announced else b"10000\r\n" + chunk + b"\r\n")
        assert connection.recv(12) == b"HTTP/1.1 413"


@pytest.mark.parametrize("path", [*PLACES, "/static/workbench.css", "/static/nothing"])
def test_each_answer_forbids_what_a_page_does_not_need(workbench: Workbench, path: str) -> None:
    """No script or style but ours, no frame around it, no address of ours to others."""
    headers = workbench.ask(path, headers={"Cookie": workbench.cookie()}).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/crawls/../..",
        "/crawls/..%2f..%2fetc/1",
        "/crawls/astronomy/..",
        "/crawls/.../1",
        "/crawls/astronomy/%00",
        "/topics/..%2fastronomy/train",
        "/static/../home.py",
        "/static/..%2fhome.py",
    ],
)
def test_names_lead_to_no_other_folder(workbench: Workbench, path: str) -> None:
    """A crawl and a topic are found by plain names alone."""
    assert workbench.ask(path, headers={"Cookie": workbench.cookie()}).status == 404


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("strategy", "a\0b"),
        ("job", "\0"),
        ("back", "//[::1"),
        ("back", "//evil.example"),
        ("back", "/\t/evil"),
    ],
)
def test_what_no_field_holds_is_refused(workbench: Workbench, field: str, value: str) -> None:
    """In a line, and with no way elsewhere."""
    fields = {"pages": "some", field: value}
    answer = workbench.form("/topics/astronomy/crawls", workbench.cookie(), **fields)
    assert answer.status == 400
    assert "evil" not in answer.text


def test_what_is_no_request_ends_with_one_line(workbench: Workbench) -> None:
    """A method, a type of body, a form that nobody sends."""
    cookie = {"Cookie": workbench.cookie()}
    assert workbench.ask("/", "DELETE", headers=cookie).status == 405
    assert (
        workbench.ask("/topics", "POST", b"{}", {**cookie, "Content-Type": "application/json"}).status == 415
    )
    assert workbench.ask("/topics", "POST", b"\xff" * 9, {**cookie, "Content-Type": FORM}).status == 400


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/topics", "/"),
        ("/topics/astronomy/search", "/topics/astronomy"),
        ("/topics/astronomy/seeds", "/topics/astronomy"),
    ],
)
def test_the_address_of_a_form_leads_to_its_page(workbench: Workbench, path: str, shown: str) -> None:
    """Whoever opens it again, as from the browser's history, has no form to send."""
    answer = workbench.ask(path, headers={"Cookie": workbench.cookie()})
    assert (answer.status, answer.headers["Location"]) == (303, shown)


def test_a_form_that_breaks_off_does_nothing(workbench: Workbench) -> None:
    """A tab that is closed, or a network that fails, while it is sent: half a list of words is no list."""
    cookie = workbench.cookie()
    token = re.search(r'"X-CSRF-Token": "([^"]+)"', workbench.ask("/", headers={"Cookie": cookie}).text)
    assert token is not None
    body = urlencode({"csrf": token[1], "title": "Torn", "keywords": "apples\npears"}).encode()
    head = [
        "POST /topics HTTP/1.1",
        f"Host: {workbench.address}",
        f"Cookie: {cookie}",
        f"Content-Type: {FORM}",
        f"Content-Length: {len(body)}",
    ]
    host, _, port = workbench.address.partition(":")
    for missing in (5, 0):
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            connection.sendall("\r\n".join([*head, "", ""]).encode() + body[: len(body) - missing])
            connection.shutdown(socket.SHUT_WR) if missing else connection.recv(1)
            connection.recv(1)
        workbench.ask("/", headers={"Cookie": cookie})
        assert (workbench.project.topics / "torn").exists() is not bool(missing)
