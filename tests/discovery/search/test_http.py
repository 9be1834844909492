from __future__ import annotations

import gzip
import socket
import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.discovery.search.base import SearchSettings
from focused_crawler.discovery.search.http import LONGEST_WAIT, Answer, SearchHttp
from focused_crawler.safety.errors import SearchError
from tests.discovery.search.conftest import Serve
from tests.discovery.search.services import PATIENCE, Asked, Reply, as_json, running
from tests.hostile.server import RESOURCES, HostileSite
from tests.project import until


def client(address: str, *, timeout: float = PATIENCE, pause: float = 0.0) -> SearchHttp:
    return SearchHttp("test", address, SearchSettings(timeout=timeout), pause)


def failing(times: int, reply: Reply) -> Callable[[Asked], Reply]:
    """Fails so many times, then is well again."""
    left = iter([reply] * times)
    return lambda asked: next(left, as_json({"well": True}))


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(serve: Serve, status: int) -> None:
    """Twice."""
    service = serve(failing(2, Reply(status)))
    assert client(service.url).get({}).document() == {"well": True}
    assert len(service.asked) == 3


@pytest.mark.parametrize("status", [500, 429])
def test_but_not_for_ever(serve: Serve, status: int) -> None:
    """The third answer counts, whatever it is."""
    service = serve(failing(99, Reply(status)))
    assert client(service.url).get({}).status == status
    assert len(service.asked) == 3


@pytest.mark.parametrize(
    "reply", [Reply(200, b"{", cut=True), Reply(200, b"{}", {"Content-Encoding": "gzip"})]
)
def test_a_broken_answer_is_asked_for_again(serve: Serve, reply: Reply) -> None:
    """It may come whole."""
    assert client(serve(failing(2, reply)).url).get({}).document() == {"well": True}


def test_a_late_answer_is_asked_for_again(serve: Serve) -> None:
    """It may come sooner; the third has as long as the first two had."""
    late = failing(2, Reply(delay=PATIENCE))
    assert client(serve(late).url, timeout=3).get({}).document() == {"well": True}


def test_retry_after_is_kept(serve: Serve) -> None:
    """However short the pause is otherwise."""
    service = serve(failing(1, Reply(429, headers={"Retry-After": "1"})))
    client(service.url).get({})
    assert service.times[1] - service.times[0] >= 0.9


@pytest.mark.parametrize("status", [429, 503])
def test_who_wants_to_be_left_alone_for_long_is(serve: Serve, status: int) -> None:
    """Nobody waits for an hour, and nobody is asked again sooner than that."""
    service = serve(failing(1, Reply(status, headers={"Retry-After": str(LONGEST_WAIT + 1).split(".")[0]})))
    assert client(service.url).get({}).status == status
    assert len(service.asked) == 1


def test_tries_are_further_and_further_apart(serve: Serve) -> None:
    """By two pauses, and by four."""
    service = serve(failing(2, Reply(500)))
    client(service.url, pause=0.1).get({})
    first, second, third = service.times
    assert second - first >= 0.2
    assert third - second >= 0.4


@given(st.binary(max_size=60))
def test_any_body_is_a_document(body: bytes) -> None:
    """An empty one, if it is no JSON object."""
    assert isinstance(Answer(200, {}, body).document(), dict)


@pytest.mark.parametrize(
    ("coding", "body"),
    [("gzip", gzip.compress(bytes(30_000_000))), ("br", brotli.compress(bytes(30_000_000), quality=4))],
)
def test_a_bomb(serve: Serve, coding: str, body: bytes) -> None:
    """Is not unpacked to its end."""
    service = serve(lambda asked: Reply(200, body, {"Content-Encoding": coding}))
    with pytest.raises(SearchError, match="more than a search could"):
        client(service.url).get({})


@pytest.mark.parametrize(
    "path",
    [
        "/slow", "/slow-head", "/endless-headers", "/endless-continue", "/no-http", "/wrong-status",
        "/wrong-length", "/header-of-a-megabyte", "/ten-thousand-headers", "/cut-short", "/endless",
        "/ten-gigabytes", "/chunked?zz\r\n", "/chunk-endless-extension", "/nul-in-header", "/to-huge",
        "/header-without-colon", "/encoded?gzip-bomb", "/encoded?not-gzip", "/encoded?br-bomb", "/loop",
    ],
)  # fmt: skip
def test_a_hostile_server(hostile: HostileSite, path: str) -> None:
    """Ends in a refusal or in one line, soon, and nobody goes on reading."""
    started = time.monotonic()
    said = outcome(f"http://127.0.0.1:{hostile.port}{path}")
    assert said.isascii()
    assert "\n" not in said
    assert time.monotonic() - started < PATIENCE  # three times 0.2 s, and some servers never end


@pytest.mark.parametrize(
    ("address", "asked", "path"),
    [
        ("http://search.example/", "http://search.example/", "/endless-continue"),
        ("http://search.example/", "http://search.example/", "/slow"),
    ],
)
def test_a_hostile_proxy(
    hostile: HostileSite, monkeypatch: pytest.MonkeyPatch, address: str, asked: str, path: str
) -> None:
    """Is given up as a server is."""
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{hostile.port}")
    monkeypatch.setitem(RESOURCES, asked, RESOURCES[path])
    hits = len(hostile.hits)
    assert outcome(address) == "test: no answer from search.example within 0.2 s"
    until(lambda: len(hostile.hits) > hits)  # it may get to what it was sent when nobody waits any more
    assert {hit[1] for hit in hostile.hits[hits:]} == {asked}


def outcome(address: str) -> str:
    """Return the error of a request; of an answer, what it is as a document."""
    try:
        return str(client(address, timeout=0.2).get({}).document())
    except SearchError as error:
        return str(error)


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:99999/",
        "http://..../",
        "http:///x",
        "ftp://a.example/",
        "http://xn--\ud800.example/",
    ],
)
def test_an_address_that_is_none(address: str) -> None:
    """Whoever gave it."""
    assert outcome(address).startswith("test: ")


def test_a_name_that_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Is no reason to ask again."""

    def unknown(*words: object, **more: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)  # a name server may take its time to say so
    with pytest.raises(SearchError, match="nobody answers at nowhere") as raised:
        client("http://nowhere.invalid/").get({})
    assert raised.value.is_final


def test_a_proxy_that_is_not_there(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its address may hold a password, and is not told."""
    monkeypatch.setenv("http_proxy", "http://ann:secret@127.0.0.1:9")
    with pytest.raises(
        SearchError, match="the proxy that HTTPS_PROXY or HTTP_PROXY names does not"
    ) as raised:
        client("http://search.example/").get({})
    assert "secret" not in str(raised.value)


def test_authorities_of_ones_own(
    trusted: ssl.SSLContext, authorities: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Are named by REQUESTS_CA_BUNDLE; without it their certificates are nobody's."""
    with running(lambda asked: as_json({"well": True}), trusted) as service:
        with pytest.raises(SearchError, match="its certificate is not one to trust"):
            client(service.url).get({})
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authorities))
        assert client(service.url).get({}).document() == {"well": True}


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_authorities_that_cannot_be_read(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    """Are no fault of the service, which is not asked again and again."""
    if content is not None:
        (tmp_path / "own.pem").write_text(content)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "own.pem"))
    service = serve(lambda asked: as_json({}))
    with pytest.raises(SearchError, match=r"REQUESTS_CA_BUNDLE .*own\.pem, which cannot be read") as raised:
        client(service.url).get({})
    assert (raised.value.is_final, service.asked) == (True, [])


def test_no_tls_where_it_is_wanted(serve: Serve) -> None:
    """Is no safe connection."""
    service = serve(lambda asked: as_json({}))
    with pytest.raises(SearchError, match="or it has no TLS") as raised:
        client(service.url.replace("http:", "https:")).get({})
    assert raised.value.is_final


def test_a_name_server_that_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Is waited for as long as a server is."""
    given_up = threading.Event()

    def late(*words: object, **more: object) -> None:
        given_up.wait(PATIENCE)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", late)
    started = time.monotonic()
    assert outcome("http://nowhere.invalid/") == "test: no answer from nowhere.invalid within 0.2 s"
    given_up.set()
    assert time.monotonic() - started < PATIENCE
