"""A connection to Redis or Valkey, one server or a cluster; what it cannot do comes as one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import redis
from redis import exceptions
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.retry import Retry

from focused_crawler.frontier.redis.address import check_address, shown_address, unusable
from focused_crawler.safety.errors import CrawlError, FrontierUnreachable

Client = redis.Redis | redis.RedisCluster

_CONNECT_SECONDS = 5.0
_ANSWER_SECONDS = 10.0
_CURABLE = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.ReadOnlyError,
    exceptions.ClusterError,  # and that it, or a master, is down
    exceptions.TryAgainError,
    exceptions.AskError,  # and that a slot has moved
    exceptions.SlotNotCoveredError,
    OSError,
)
_FOREIGN = (
    exceptions.AuthenticationError,
    exceptions.AuthorizationError,
    exceptions.NoPermissionError,
)
_SHORTEST_SECRET = 4
"""Characters; a shorter one cannot be distinguished from the words that it happens to be part of."""
_CURABLE_ANSWERS = ("MISCONF", "NOREPLICAS", "LOADING", "BUSY", "CLUSTERDOWN", "READONLY", "UNBLOCKED")


def open_client(address: str) -> Client:
    """Connect; whether it is a cluster is asked of the server. Raises `ConfigError` and `CrawlError`."""
    check_address(address)
    options: dict[str, Any] = {
        "socket_connect_timeout": _CONNECT_SECONDS,
        "socket_timeout": _ANSWER_SECONDS,
        "retry": Retry(NoBackoff(), 0),  # a step whose answer was lost must not be taken again unnoticed
        "protocol": 2,
    }
    try:
        with answered(address):
            return _connected(address, options)
    except (
        TypeError,
        ValueError,
        AttributeError,
        LookupError,
        OverflowError,
    ):  # by what the client made of an option
        raise unusable() from None


def _connected(address: str, options: dict[str, Any]) -> Client:
    client = redis.Redis.from_url(address, **options)
    if not client.info("cluster").get("cluster_enabled"):
        return client
    client.close()
    return redis.RedisCluster.from_url(address, **options)


def server_runs(client: Client) -> frozenset[str]:
    """Return the `run_id` of the server, or of each server of the cluster that holds keys."""
    return frozenset(server["run_id"] for server in server_infos(client, "server"))


def server_infos(client: Client, section: str) -> list[dict[str, Any]]:
    """Return a section of INFO of the server, or of each server of the cluster that holds keys."""
    if not isinstance(client, redis.RedisCluster):
        return [client.info(section)]
    # Asked for all at once, the client gives another shape where there is but one.
    return [client.info(section, target_nodes=node) for node in client.get_primaries()]  # type: ignore[no-untyped-call]


@contextmanager
def answered(address: str) -> Iterator[None]:
    """Turn what Redis cannot do into `CrawlError`; into `FrontierUnreachable` where a retry may help."""
    try:
        yield
    except _FOREIGN as error:
        raise CrawlError(
            f"Redis at {shown_address(address)} does not let us in ({_line(error, address)}); "
            "write redis://USER:PASSWORD@HOST:PORT/0"
        ) from error
    except _CURABLE as error:
        raise FrontierUnreachable(
            f"Redis at {shown_address(address)} cannot be reached ({_line(error, address)}); is it running?"
        ) from error
    except exceptions.RedisError as error:
        raise _refusal(address, _line(error, address)) from error


def _refusal(address: str, line: str) -> CrawlError:
    """Return what a server means that answers, but does not do what it was asked; scripts wrap its words."""
    shown = shown_address(address)
    if "SELECT" in line:
        return CrawlError(f"{shown} is a cluster, which has no database but 0: end its address in /0")
    if "DB index" in line:
        return CrawlError(f"{shown} names a database that this server does not have: end its address in /0")
    if "OOM" in line:
        return CrawlError(
            f"Redis at {shown} has no memory left; raise its maxmemory and start the crawl again"
        )
    if any(word in line for word in _CURABLE_ANSWERS):
        return FrontierUnreachable(f"Redis at {shown} is not ready ({line})")
    if "WRONGTYPE" in line:
        return CrawlError(
            f"Redis at {shown} holds something else under a key of this crawl (WRONGTYPE): another program"
            " wrote it; delete the crawl with scrapy fleet forget TOPIC --job NAME and begin it anew"
        )
    return CrawlError(
        f"Redis at {shown} cannot hold this frontier ({line}); it has to be version 6.2 or newer, or Valkey, "
        "and no other program may use the frontier's keys"
    )


def _line(error: Exception, address: str) -> str:
    """Return the message of a server or the client, without passwords: it may repeat what it was sent."""
    if isinstance(error, exceptions.InvalidResponse):
        return "it does not answer as Redis does"
    text = str(error).partition(", with args beginning with")[0]
    for secret in _secrets(address):
        text = text.replace(secret, "***")
    return (" ".join(text.split()) or type(error).__name__)[:200]


def _secrets(address: str) -> list[str]:
    """Return passwords, each as it is and as it may be written; the longest first."""
    given: dict[str, Any] = parse_url(address)  # type: ignore[no-untyped-call]
    names = [name for name in given if "password" in name]
    written = {form(given[name]) for name in names for form in (str, quote, _quoted, _escaped)}
    return sorted((one for one in written if len(one) >= _SHORTEST_SECRET), key=len, reverse=True)


def _quoted(text: str) -> str:
    return quote(text, safe="")


def _escaped(text: str) -> str:
    return repr(text)[1:-1]
