"""A connection to Redis or Valkey, one server or a cluster; what it cannot do comes as one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import redis
from redis import exceptions
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.retry import Retry

from focused_crawler.errors import ConfigError, CrawlError, FrontierUnreachable

Client = redis.Redis | redis.RedisCluster

SCHEMES = ("redis", "rediss")
_HELP = "write redis://HOST:PORT/0, or rediss:// for TLS, as in redis://localhost:6379/0"
_CONNECT_SECONDS = 5.0
_ANSWER_SECONDS = 10.0
_CURABLE = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.ReadOnlyError,
    exceptions.ClusterDownError,
    exceptions.ClusterError,
    exceptions.MasterDownError,
    exceptions.TryAgainError,
    exceptions.MovedError,
    exceptions.AskError,
    exceptions.SlotNotCoveredError,
    OSError,
)
_FOREIGN = (
    exceptions.AuthenticationError,
    exceptions.AuthorizationError,
    exceptions.NoPermissionError,
)
_CURABLE_ANSWERS = ("MISCONF", "NOREPLICAS", "LOADING", "BUSY", "CLUSTERDOWN", "READONLY", "UNBLOCKED")


def shown_address(address: str) -> str:
    """Return an address without its password and its options.

    >>> shown_address("redis://me:secret@localhost:6379/1?ssl_cert_reqs=none")
    'redis://me@localhost:6379/1'
    """
    try:
        parts = urlsplit(address)
        user, place = parts.username, parts.netloc.rpartition("@")[2]
    except ValueError:
        return "redis://?"
    return urlunsplit((parts.scheme, f"{user}@{place}" if user else place, parts.path, "", ""))


def check_address(address: str) -> None:
    """Raise `ConfigError` for what is no address of a Redis server."""
    try:
        parts = urlsplit(address)
        is_right = parts.scheme in SCHEMES and bool(parts.hostname) and (parts.port or 1) > 0
        is_right = is_right and (parts.path.strip("/").isdecimal() or not parts.path.strip("/"))
        parse_url(address)  # type: ignore[no-untyped-call]
    except ValueError:
        is_right = False
    if not is_right:
        raise ConfigError(f"{shown_address(address)} is no address of a Redis server; {_HELP}")


def open_client(address: str) -> Client:
    """Connect; whether it is a cluster is asked of the server. Raises `CrawlError`."""
    check_address(address)
    options: dict[str, Any] = {
        "socket_connect_timeout": _CONNECT_SECONDS,
        "socket_timeout": _ANSWER_SECONDS,
        "retry": Retry(NoBackoff(), 0),  # a step whose answer was lost must not be taken again unnoticed
        "protocol": 2,
    }
    with answered(address):
        client = redis.Redis.from_url(address, **options)
        if not client.info("cluster").get("cluster_enabled"):
            return client
        client.close()
        return redis.RedisCluster.from_url(address, **options)


@contextmanager
def answered(address: str) -> Iterator[None]:
    """Turn what Redis cannot do into `CrawlError`; into `FrontierUnreachable` where a retry may help."""
    try:
        yield
    except _FOREIGN as error:
        raise CrawlError(
            f"Redis at {shown_address(address)} does not let us in ({_line(error)}); "
            "write redis://USER:PASSWORD@HOST:PORT/0"
        ) from error
    except _CURABLE as error:
        raise FrontierUnreachable(
            f"Redis at {shown_address(address)} cannot be reached ({_line(error)}); is it running?"
        ) from error
    except exceptions.RedisError as error:
        raise _refusal(address, _line(error)) from error


def _refusal(address: str, line: str) -> CrawlError:
    """Return what a server means that answers, but does not do what it was asked; scripts wrap its words."""
    shown = shown_address(address)
    if "SELECT" in line:
        return CrawlError(f"{shown} is a cluster, which has no database but 0: end its address in /0")
    if "OOM" in line:
        return CrawlError(
            f"Redis at {shown} has no memory left; raise its maxmemory and start the crawl again"
        )
    if any(word in line for word in _CURABLE_ANSWERS):
        return FrontierUnreachable(f"Redis at {shown} is not ready ({line})")
    return CrawlError(
        f"Redis at {shown} cannot hold this frontier ({line}); it has to be version 6.2 or newer, or Valkey, "
        "and no other program may use the frontier's keys"
    )


def _line(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:200]
