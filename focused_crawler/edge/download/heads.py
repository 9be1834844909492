"""Heads of responses: none is endless, and a recording gets them as they were received."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import (
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
)
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from focused_crawler.edge.failures import Refused

MAX_HEAD_BYTES = 256 * 1024
"""Status line and headers of one response; no browser takes more."""

Witness = Callable[[Request, bytes, bytes], None]
"""Is called with a request and the heads that were sent and received for it."""

_HEAD = re.compile(rb"HTTP/\d[.\d]* (?P<status>\d*).*?\n\r?\n", re.DOTALL)


class BoundedHeadProtocol(_LenientHTTP11ClientProtocol):
    """Refuses a response whose head does not end; Twisted bounds its lines, but not their number."""

    _head_bytes: int | None = None  # None while no head is awaited

    def request(self, request: Any) -> Deferred[Any]:
        self._head_bytes = 0
        return super().request(request).addBoth(self._end_head)

    def dataReceived(self, data: bytes) -> None:
        if self._head_bytes is not None:
            if self._head_bytes > MAX_HEAD_BYTES:
                self.transport.abortConnection()  # type: ignore[union-attr]
                return
            self._head_bytes += len(data)
        super().dataReceived(data)  # type: ignore[no-untyped-call]

    def _end_head(self, result: Any) -> Any:
        head_bytes, self._head_bytes = self._head_bytes or 0, None
        if head_bytes > MAX_HEAD_BYTES and isinstance(result, Failure):
            raise Refused("head_bytes", f"over {MAX_HEAD_BYTES} bytes")
        return result


class BoundedHeadFactory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: Any) -> BoundedHeadProtocol:
        return BoundedHeadProtocol(self._quiescentCallback)  # type: ignore[no-untyped-call]


class NotedHeadProtocol(BoundedHeadProtocol):
    """Leaves the bytes of both heads on the response, as `heads`; Twisted itself keeps neither as it was."""

    _received: bytearray | None = None  # None while no head is awaited

    def request(self, request: Any) -> Deferred[Any]:
        self._received = bytearray()
        return super().request(request).addCallback(self._note, _head_sent(request))

    def dataReceived(self, data: bytes) -> None:
        if self._received is not None and len(self._received) <= MAX_HEAD_BYTES:
            self._received += data
        super().dataReceived(data)

    def _note(self, response: Any, sent: bytes) -> Any:
        response.heads = sent, final_head(bytes(self._received or b""))
        self._received = None
        return response


class NotedHeadFactory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: Any) -> NotedHeadProtocol:
        return NotedHeadProtocol(self._quiescentCallback)  # type: ignore[no-untyped-call]


class WitnessedConnection:
    """A connection that reports the heads of the one request it is asked for."""

    def __init__(self, request: Request, witness: Witness, connection: Any) -> None:
        self._request, self._witness, self._connection = request, witness, connection

    def request(self, request: Any) -> Deferred[Any]:
        answered: Deferred[Any] = self._connection.request(request)
        return answered.addCallback(self._report)

    def _report(self, response: Any) -> Any:
        self._witness(self._request, *response.heads)
        return response


def final_head(received: bytes) -> bytes:
    r"""Return the head of an answer without the interim ones before it, nor the body behind; empty: no head.

    >>> final_head(b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nx: 1\r\n\r\n<p>")
    b'HTTP/1.1 200 OK\r\nx: 1\r\n\r\n'
    """
    found = _HEAD.match(received)
    while found is not None and found["status"].startswith(b"1") and found["status"] != b"101":
        found = _HEAD.match(received, found.end())
    return b"" if found is None else found[0]


class _Lines:
    """Takes what Twisted writes of a request."""

    def __init__(self) -> None:
        self.written = b""

    def writeSequence(self, lines: Iterable[bytes]) -> None:
        self.written += b"".join(lines)


def _head_sent(request: Any) -> bytes:
    """Return the head of a Twisted request without a body, as it is sent; empty for one with a body."""
    lines = _Lines()
    if request.bodyProducer is None:
        request.writeTo(lines)
    return lines.written
