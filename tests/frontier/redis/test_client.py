"""Addresses of Redis: what is none, what is shown of one, and what is said when it cannot be used."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import pytest
import redis
from hypothesis import example, given, settings
from hypothesis import strategies as st

from focused_crawler.frontier.redis.address import check_address, shown_address
from focused_crawler.frontier.redis.client import open_client
from focused_crawler.safety.errors import ConfigError, CrawlError, FrontierUnreachable
from tests.redis_server import redis_server as own_redis_server

SECRET = "GeHeim"
PIECES = [*"/#?@:%&=[]\\ ;,!$\t\n'\"\x00\u2100", "12", "0", "?x=", "://", "%2F", "\udc80", "\u00e9"]
PASSWORDS = st.tuples(
    st.lists(st.sampled_from(PIECES), max_size=4), st.lists(st.sampled_from(PIECES), max_size=4)
).map(lambda both: "".join(both[0]) + SECRET + "".join(both[1]))


def told(address: str) -> str:
    """Return all that is said of an address that cannot be used."""
    with pytest.raises((CrawlError, ConfigError)) as raised:
        open_client(address)
    return f"{raised.value} {shown_address(address)}"


@given(PASSWORDS)
@settings(deadline=None)
@example("pw/GeHeim")
@example("12#GeHeim")
@example("12/GeHeim")
@example("12/0?x=GeHeim")
@example("p@GeHeim")
def test_no_password_is_shown(password: str) -> None:
    """Whatever is in it, and wherever an address takes it to end."""
    for address in (
        f"redis://ann:{password}@127.0.0.1:1/0",
        f"redis://:{password}@127.0.0.1:1/0",
        f"redis://{password.replace(':', '')}@127.0.0.1:1/0",  # with one, what is before is a user
        f"redis://127.0.0.1:1/0?password={password}",
        f"rediss://127.0.0.1:1/0?ssl_password={password}",
    ):
        line = told(address)
        assert SECRET.lower() not in line.lower()
        assert len(line.splitlines()) == 1


@given(st.text(st.characters(codec="utf-8"), min_size=1))
@settings(deadline=None)
def test_any_password_can_be_written(password: str) -> None:
    """With its odd characters as %XX."""
    address = f"redis://ann:{quote(password, safe='')}@127.0.0.1:1/0"
    check_address(address)
    assert shown_address(address) == "redis://ann@127.0.0.1:1/0"


@pytest.mark.parametrize(
    "address",
    [
        "redis://",
        "redis://:0/0",
        "redis://h:0/0",
        "redis://h:99999/",
        "redis://h:-1/",
        "redis://h/1/2",
        "redis://h/-1",
        "redis://h/9999999999",
        "redis://h/0#1",
        "redis://h /0",
        "redis://a..b/0",
        f"redis://{'a' * 64}/0",
        "redis://[h/0",
        "redis://h/0?socket_timeout=long",
        "http://localhost/",
        "localhost:6379",
    ],
)
def test_what_is_no_address(address: str) -> None:
    """The line names the setting, not what it was set to, and says how to write a password."""
    with pytest.raises(ConfigError) as raised:
        check_address(address)
    assert str(raised.value) == (
        "FOCUSED_FRONTIER is no address of a Redis server; write redis://HOST:PORT/0 or"
        " redis://USER:PASSWORD@HOST:PORT/0 (rediss:// for TLS; in a password / # ? @ : are"
        " %2F %23 %3F %40 %3A), as in redis://localhost:6379/0"
    )


@pytest.mark.parametrize(
    "address",
    [
        "redis://127.0.0.1:1/0?bogus=1",
        "redis://127.0.0.1:1/0?protocol=3",
        "redis://127.0.0.1:1/0?host=other",
        "redis://127.0.0.1:1/0?decode_responses=1",
        "redis://127.0.0.1:1/0?ssl_cert_reqs=none",
    ],
)
def test_options_that_the_client_does_not_take(address: str) -> None:
    """One line, and no traceback of a constructor."""
    with pytest.raises(ConfigError, match=r"^FOCUSED_FRONTIER has an option after its \? that [^\n]*$"):
        open_client(address)


def test_a_host_that_nobody_knows() -> None:
    """It may be known again later."""
    with pytest.raises(
        FrontierUnreachable, match=r"^Redis at redis://h\.invalid/0 cannot be reached [^\n]*$"
    ):
        open_client("redis://h.invalid/0")


@contextmanager
def server_that_says(words: bytes) -> Iterator[int]:
    """Answer each command on a port with the same words."""

    def answer() -> None:
        connection, _ = listener.accept()
        with connection:
            while connection.recv(4096):
                connection.sendall(words)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(10)


@pytest.mark.parametrize(
    "words",
    [
        b"-ERR unknown command `AUTH`, with args beginning with: `ann` `p/GeHe",
        b"-ERR no command AUTH ann p/GeHeim",
        b"-ERR no command AUTH ann p%2FGeHeim",
        b"-NOAUTH p/GeHeim",
        b"-WRONGPASS p/GeHeim",
        b"-LOADING p/GeHeim",
        b"500 unrecognized command: AUTH ann p/GeHeim",
    ],
)
def test_a_server_that_repeats_what_it_was_sent(words: bytes) -> None:
    """What it says is told without the password."""
    with server_that_says(words + b"\r\n") as port:
        line = told(f"redis://ann:p%2FGeHeim@127.0.0.1:{port}/0")
    assert "GeHe" not in line
    assert len(line.splitlines()) == 1


def test_a_database_that_does_not_exist() -> None:
    """The line says which does."""
    with own_redis_server() as server:
        address = server.address.removesuffix("/0")
        for end in ("/99", "/0?db=99"):
            with pytest.raises(CrawlError, match=r"^redis://\S+ names a database that [^\n]* in /0$"):
                open_client(address + end)


def test_a_password_that_is_wrong_or_right() -> None:
    """One of odd characters lets in; none, another one, and one of no user do not."""
    password = "s3c#/?@:% r"
    with own_redis_server() as server:
        place = server.address.removeprefix("redis://")
        with redis.Redis.from_url(server.address) as client:
            client.config_set("requirepass", password)
        with open_client(f"redis://:{quote(password, safe='')}@{place}") as client:
            assert client.ping()
        for wrong in ("", ":GeHeim@", "ann:GeHeim@", "GeHeim@"):
            line = told(f"redis://{wrong}{place}")
            assert "does not let us in" in line
            assert "GeHeim" not in line
