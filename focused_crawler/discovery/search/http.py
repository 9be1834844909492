"""Asks a search service: politely, within a deadline, for a bounded answer; TLS verified, no redirects.

A key is in the request's headers only: an error has no words of the server and no cause, and nothing of a
request is logged.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import ssl
import time
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import certifi

from focused_crawler.discovery.search.base import SearchSettings
from focused_crawler.page.url import host_of, normalise
from focused_crawler.safety.address import user_agent
from focused_crawler.safety.content import REDIRECTS, RETRIED_STATUSES, seconds_asked
from focused_crawler.safety.errors import SearchError
from focused_crawler.safety.printable import printable

MOST_BYTES = 5 * 1024 * 1024
"""Of an answer, unpacked: a page of results is a tenth of a megabyte."""
TRIES = 3
LONGEST_WAIT = 30.0
"""Seconds before a retry; a service that asks for more is not asked again."""
TOO_MANY = 429

_CHUNK = 16 * 1024

_FAILURES: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str, bool], ...] = (
    (
        ssl.SSLError,
        "no safe connection to {host}: its certificate is not one to trust, or it has no TLS;"
        " REQUESTS_CA_BUNDLE may name a file with authorities of your own",
        False,
    ),
    (TimeoutError, "no answer from {host} within {seconds} s", True),
    (
        (aiohttp.ClientProxyConnectionError, aiohttp.ClientHttpProxyError),
        "the proxy that HTTPS_PROXY or HTTP_PROXY names does not answer",
        False,
    ),
    (aiohttp.ClientConnectorError, "nobody answers at {host}; is it running, and the network up?", False),
    ((ValueError, aiohttp.NonHttpUrlClientError), "{host} cannot be asked: that is no address", False),
    (BaseException, "the answer of {host} broke off or cannot be read", True),
)
"""Errors, their messages, and whether a retry may help."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """A response."""

    status: int
    headers: Mapping[str, str] = field(repr=False)  # names in any case
    body: bytes = field(repr=False)

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the body; empty for any other body."""
        try:
            value = json.loads(self.body.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why there is no answer, and whether a retry may help."""

    reason: str
    may_pass: bool


class SearchHttp:
    """A blocking client for one search service; waits `pause` seconds between requests, longer to retry."""

    def __init__(
        self,
        name: str,
        address: str,
        settings: SearchSettings,
        pause: float,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._name = name
        self._address = address
        self._host = printable(urlsplit(address).netloc)
        self._timeout = settings.timeout
        self._pause = pause
        self._next = 0.0  # on the monotonic clock
        self._headers = {
            "User-Agent": user_agent(settings.contact),
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            **(headers or {}),
        }

    def get(self, parameters: Mapping[str, str]) -> Answer:
        """Return the answer, whatever its status, after retries of what may pass; raises SearchError."""
        for attempt in range(TRIES):
            answer = self._ask(parameters)
            wait = self._wait_for(answer, attempt)
            if wait is None:
                break
            logger.info("%s: %s; asked again in %.0f s", self._name, self._describe(answer), wait)
            time.sleep(wait)
        if isinstance(answer, NoAnswer):
            raise SearchError(f"{self._name}: {self._describe(answer)}", is_final=not answer.may_pass)
        return answer

    def refusal(self, answer: Answer, cures: Mapping[int, str]) -> SearchError:
        """Return the error of an answer without results, with the cure for its status.

        It is final if other words would be refused as well.
        """
        cure = cures.get(answer.status) or _cure(answer)
        is_final = answer.status not in {400, 422} and answer.status not in RETRIED_STATUSES - {TOO_MANY}
        return SearchError(f"{self._name}: {self._describe(answer)}; {cure}", is_final=is_final)

    def _ask(self, parameters: Mapping[str, str]) -> Answer | NoAnswer:
        time.sleep(max(0.0, self._next - time.monotonic()))
        try:
            return _run(self._exchange(parameters))
        except (OSError, ValueError, aiohttp.ClientError) as error:
            return self._failure(error)
        finally:
            self._next = time.monotonic() + self._pause

    def _failure(self, error: BaseException) -> NoAnswer:
        reason, may_pass = next(
            (reason, may_pass) for kinds, reason, may_pass in _FAILURES if isinstance(error, kinds)
        )
        return NoAnswer(reason.format(host=self._host, seconds=f"{self._timeout:g}"), may_pass)

    async def _exchange(self, parameters: Mapping[str, str]) -> Answer | NoAnswer:
        body = bytearray()
        async with (
            asyncio.timeout(self._timeout),
            aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(ssl=_trust(), resolver=aiohttp.ThreadedResolver()),
                headers=self._headers,
                trust_env=True,
            ) as session,
            session.get(self._address, params=parameters, allow_redirects=False) as response,
        ):
            async for chunk in response.content.iter_chunked(_CHUNK):
                body += chunk
                if len(body) > MOST_BYTES:
                    return NoAnswer(f"{self._host} answers more than a search could: over 5 MB", False)
            return Answer(response.status, response.headers, bytes(body))

    def _wait_for(self, answer: Answer | NoAnswer, attempt: int) -> float | None:
        """Return the seconds before the next attempt; None if there is none."""
        may_pass = answer.may_pass if isinstance(answer, NoAnswer) else answer.status in RETRIED_STATUSES
        if not may_pass or attempt == TRIES - 1:
            return None
        asked = None if isinstance(answer, NoAnswer) else _asked(answer)
        wait = self._pause * 2.0 ** (attempt + 1) if asked is None else asked
        return wait if wait <= LONGEST_WAIT else None

    def _describe(self, answer: Answer | NoAnswer) -> str:
        return answer.reason if isinstance(answer, NoAnswer) else f"{self._host} answers {answer.status}"


def _run(work: Coroutine[Any, Any, Answer | NoAnswer]) -> Answer | NoAnswer:
    """Return the result of a coroutine. Unlike asyncio.run, never wait for a name server that is late."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.run_until_complete(_cancel_others())
        loop.close()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def _trust() -> ssl.SSLContext:
    """Return the authorities to trust: those of REQUESTS_CA_BUNDLE, else Mozilla's; raises SearchError."""
    path = Path(os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or certifi.where())
    try:
        if path.is_dir():
            return ssl.create_default_context(capath=path)
        return ssl.create_default_context(cafile=path)
    except OSError as error:  # of SSL as well
        raise SearchError(
            f"REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE names {printable(str(path))}, which cannot be read"
            f" ({error.strerror}); name a file of authorities to trust",
            is_final=True,
        ) from None


def _asked(answer: Answer) -> float | None:
    return seconds_asked(answer.headers.get("Retry-After", ""))


def _cure(answer: Answer) -> str:
    if answer.status == TOO_MANY:
        asked = _asked(answer)
        when = "later" if asked is None else f"in {asked:.0f} s"
        return f"it has been asked too often; try again {when}"
    if answer.status in REDIRECTS:
        target = normalise(answer.headers.get("Location", ""))
        where = f"{target.partition('://')[0]}://{host_of(target)}" if target else "another place"
        return f"it sends us to {where}, and redirects are not followed"
    return "it fails; try again later" if answer.status >= 500 else "it refuses us"
