"""Asking a search service: in time, politely, for a bounded answer, TLS verified, no redirect followed.

No key is told to anybody else: it is in the session's headers only, what a server says goes into no error,
an error has no other behind it, and nothing of a request is logged.
"""

from __future__ import annotations

import json
import logging
import socket
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Lock, Thread
from typing import Any, TypeVar
from urllib.parse import urlsplit
from weakref import WeakSet

import requests
from requests.adapters import HTTPAdapter
from requests.structures import CaseInsensitiveDict
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, ProxyManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, NewConnectionError, ReadTimeoutError

from focused_crawler import __version__
from focused_crawler.page.url import host_of, normalise
from focused_crawler.safety.content import REDIRECTS, RETRIED_STATUSES
from focused_crawler.safety.errors import SearchError
from focused_crawler.safety.printable import printable

Result = TypeVar("Result")


def within(seconds: float, work: Callable[[], Result]) -> Result:
    """Return what `work` returns, or raise what it raises; TimeoutError where that takes longer.

    Work that is late goes on in its thread, which nobody waits for, not even the end of the process: whoever
    gives it up has to end what it waits for.
    """
    outcome: Future[Result] = Future()
    Thread(target=_run, args=(work, outcome), daemon=True, name="search").start()
    return outcome.result(seconds)


def _run(work: Callable[[], Result], outcome: Future[Result]) -> None:
    try:
        result = work()
    except BaseException as error:  # not ours to judge: it is raised where it is waited for
        outcome.set_exception(error)
    else:
        outcome.set_result(result)


# Connections of requests that can be cut from another thread.
#
# Its own time limit is one of each read: who sends "100 Continue" without end is read without end.


class SeverableAdapter(HTTPAdapter):
    """Makes all connections of a session, and knows which there are."""

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        self._made = WeakSet[socket.socket]()
        self._is_severed = False
        self._lock = Lock()
        keep = self._keep

        class Plain(HTTPConnection):
            def connect(self) -> None:
                super().connect()
                keep(self.sock)

        class Secure(HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                keep(self.sock)

        self._pools: dict[str, type[HTTPConnectionPool]] = {
            "http": type("PlainPool", (HTTPConnectionPool,), {"ConnectionCls": Plain}),
            "https": type("SecurePool", (HTTPSConnectionPool,), {"ConnectionCls": Secure}),
        }
        self.poolmanager.pool_classes_by_scheme = self._pools

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        manager = super().proxy_manager_for(proxy, **options)
        if isinstance(manager, ProxyManager):  # SOCKS has connections of its own
            manager.pool_classes_by_scheme = self._pools
        return manager

    def sever(self) -> None:
        """End all connections, also those still to be made: whoever reads from one gets an error."""
        with self._lock:
            self._is_severed = True
            for sock in self._made:
                _end(sock)

    def _keep(self, sock: socket.socket) -> None:
        with self._lock:
            self._made.add(sock)
            if self._is_severed:  # given up while it was connecting
                _end(sock)


def _end(sock: socket.socket) -> None:
    with suppress(OSError):  # it has ended
        sock.shutdown(socket.SHUT_RDWR)


MOST_BYTES = 5 * 1024 * 1024
"""Of an answer, unpacked: a page of results is a tenth of a megabyte."""
TRIES = 3
LONGEST_WAIT = 30.0
"""Seconds that are waited before asking again; a service that wants more is not asked again."""
TOO_MANY = 429

_CHUNK = 16 * 1024

_SILENCES: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str, bool], ...] = (
    (
        requests.exceptions.SSLError,
        "no safe connection to {host}: its certificate is not one to trust, or it has no TLS;"
        " REQUESTS_CA_BUNDLE may name a file with authorities of your own",
        False,
    ),
    ((TimeoutError, requests.Timeout, ReadTimeoutError), "no answer from {host} within {seconds} s", True),
    (requests.exceptions.ProxyError, "the proxy that HTTPS_PROXY or HTTP_PROXY names does not answer", False),
    (NewConnectionError, "nobody answers at {host}; is it running, and the network up?", False),
    (ValueError, "{host} cannot be asked: that is no address", False),
    (BaseException, "the answer of {host} broke off or cannot be read", True),
)
"""What may go wrong, what is said of it, and whether it may pass."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, with what came along."""

    status: int
    headers: Mapping[str, str] = field(repr=False)  # names in any case
    body: bytes = field(repr=False)

    def document(self) -> dict[str, Any]:
        """Return the JSON object that the body is; empty for a body that is none."""
        try:
            value = json.loads(self.body.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Silence:
    """Why there is no answer, and whether asking again may bring one."""

    reason: str
    may_pass: bool


class SearchHttp:
    """A client for one search service; `pause` seconds between two requests, twice that to try again."""

    def __init__(
        self,
        name: str,
        address: str,
        *,
        timeout: float,
        pause: float,
        contact: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._name = name
        self._address = address
        self._host = printable(urlsplit(address).netloc)
        self._timeout = timeout
        self._pause = pause
        self._next = 0.0  # on the monotonic clock
        self._headers = {
            "User-Agent": user_agent(contact),
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            **(headers or {}),
        }
        self._begin()

    def get(self, parameters: Mapping[str, str]) -> Answer:
        """Return the answer, whatever its status, after what may pass was tried again; raises SearchError."""
        for turn in range(TRIES):
            answer = self._ask(parameters)
            wait = self._wait_for(answer, turn)
            if wait is None:
                break
            logger.info("%s: %s; asked again in %.0f s", self._name, self._what(answer), wait)
            time.sleep(wait)
        if isinstance(answer, Silence):
            raise SearchError(f"{self._name}: {self._what(answer)}", is_final=not answer.may_pass)
        return answer

    def refusal(self, answer: Answer, cures: Mapping[int, str]) -> SearchError:
        """Return the error of an answer that is none to the search, with the cure for its status.

        Final where other words would be refused as well: all but words it does not take and what may pass.
        """
        cure = cures.get(answer.status) or _cure(answer)
        is_final = answer.status not in {400, 422} and answer.status not in RETRIED_STATUSES - {TOO_MANY}
        return SearchError(f"{self._name}: {self._what(answer)}; {cure}", is_final=is_final)

    def close(self) -> None:
        """Close what connections are kept."""
        self._session.close()

    def _begin(self) -> None:
        """Open a session of its own connections."""
        self._session = requests.Session()
        self._connections = SeverableAdapter()
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, self._connections)
        self._session.headers.update(self._headers)

    def _ask(self, parameters: Mapping[str, str]) -> Answer | Silence:
        time.sleep(max(0.0, self._next - time.monotonic()))
        session = self._session
        try:
            return within(self._timeout, lambda: self._exchange(session, parameters))
        except (OSError, ValueError, HTTPError) as error:  # what requests raises is an OSError
            self._connections.sever()
            session.close()
            self._begin()  # what is late, in whatever it is, stays with the session that was cut
            return self._silence(_cause(error))
        finally:
            self._next = time.monotonic() + self._pause

    def _silence(self, error: BaseException) -> Silence:
        reason, may_pass = next(
            (reason, may_pass) for kinds, reason, may_pass in _SILENCES if isinstance(error, kinds)
        )
        return Silence(reason.format(host=self._host, seconds=f"{self._timeout:g}"), may_pass)

    def _exchange(self, session: requests.Session, parameters: Mapping[str, str]) -> Answer | Silence:
        latest = time.monotonic() + self._timeout
        body = bytearray()
        with session.get(
            self._address, params=parameters, timeout=self._timeout, stream=True, allow_redirects=False
        ) as response:
            for chunk in response.iter_content(_CHUNK):
                body += chunk
                if len(body) > MOST_BYTES:
                    return Silence(
                        f"{self._host} answers more than a search could: over 5 MB", may_pass=False
                    )
                if time.monotonic() > latest:
                    return self._silence(TimeoutError())
            return Answer(response.status_code, CaseInsensitiveDict(response.headers), bytes(body))

    def _wait_for(self, answer: Answer | Silence, turn: int) -> float | None:
        """Return the seconds before the next try; None where there is none."""
        may_pass = answer.may_pass if isinstance(answer, Silence) else answer.status in RETRIED_STATUSES
        if not may_pass or turn == TRIES - 1:
            return None
        asked = None if isinstance(answer, Silence) else seconds_asked(answer)
        wait = self._pause * 2.0 ** (turn + 1) if asked is None else asked
        return wait if wait <= LONGEST_WAIT else None

    def _what(self, answer: Answer | Silence) -> str:
        return answer.reason if isinstance(answer, Silence) else f"{self._host} answers {answer.status}"


def _cause(error: BaseException) -> BaseException:
    """Return what is behind a connection that failed; other errors as they are."""
    if type(error) is not requests.ConnectionError or not error.args:
        return error
    inner = getattr(error.args[0], "reason", None) or error.args[0]
    return inner if isinstance(inner, BaseException) else error


def user_agent(contact: str) -> str:
    """Return who we say we are; a contact is told as far as a header can hold it.

    >>> user_agent("ann@example.org").partition(" ")[2]
    '(+ann@example.org)'
    """
    told = "".join(char for char in contact if char.isascii() and char.isprintable()).strip()
    return f"focused-crawler/{__version__}" + (f" (+{told})" if told else "")


def seconds_asked(answer: Answer) -> float | None:
    """Return how long a service asks to be left alone, by Retry-After in either of its forms."""
    after = answer.headers.get("Retry-After", "").strip()
    with suppress(ValueError, OverflowError):
        return max(0.0, float(int(after)))
    with suppress(ValueError, OverflowError):
        moment = parsedate_to_datetime(after)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    return None


def _cure(answer: Answer) -> str:
    if answer.status == TOO_MANY:
        asked = seconds_asked(answer)
        when = "later" if asked is None else f"in {asked:.0f} s"
        return f"it has been asked too often; try again {when}"
    if answer.status in REDIRECTS:
        target = normalise(answer.headers.get("Location", ""))
        where = f"{target.partition('://')[0]}://{host_of(target)}" if target else "another place"
        return f"it sends us to {where}, and redirects are not followed"
    return "it fails; try again later" if answer.status >= 500 else "it refuses us"
