"""A small HTTP server that outlives whatever is sent to it: for what serves a web, or metrics."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from aiohttp import ClientPayloadError, web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web_protocol import RequestHandler

from focused_crawler.safety.printable import printable

MOST_CONNECTIONS = 200
DEADLINE = 30.0
"""Seconds from one whole request of a connection to the next, in which the first is answered, too."""

_LONGEST_REASON = 200
_FOREIGN = (HttpProcessingError, ClientPayloadError, web.RequestPayloadError)

logger = logging.getLogger(__name__)

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class BoundedServer(web.Server):
    """Answers what is no request with 400 and one line in the log, and closes who does not send one in time.

    With `most` connections open a further one ends the one that has been silent for longest.
    """

    def __init__(self, handler: Handler, most: int = MOST_CONNECTIONS, deadline: float = DEADLINE) -> None:
        super().__init__(self._begin, access_log=None, logger=logger)
        self._handler, self._most, self._deadline = handler, most, deadline
        self._ends: dict[asyncio.BaseTransport, asyncio.TimerHandle] = {}  # the longest silent first

    def connection_made(self, handler: RequestHandler, transport: asyncio.Transport) -> None:
        super().connection_made(handler, transport)
        while len(self._ends) >= self._most:
            self._end(next(iter(self._ends)))
        self._begin_anew(transport)

    def connection_lost(self, handler: RequestHandler, exc: BaseException | None = None) -> None:
        transport = self._connections.get(handler)
        if transport in self._ends:
            self._ends.pop(transport).cancel()
        super().connection_lost(handler, exc)

    async def _begin(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.transport in self._ends:
            self._begin_anew(request.transport)
        return await self._handler(request)

    def _begin_anew(self, transport: asyncio.BaseTransport) -> None:
        if timer := self._ends.pop(transport, None):
            timer.cancel()
        self._ends[transport] = self._loop.call_later(self._deadline, self._end, transport)

    def _end(self, transport: asyncio.BaseTransport) -> None:
        self._ends.pop(transport).cancel()
        transport.abort()  # type: ignore[attr-defined]


def _on_one_line(record: logging.LogRecord) -> bool:
    """Leave the traceback out where the fault is the client's."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, _FOREIGN):
        reason = printable(" ".join(str(error).split()))[:_LONGEST_REASON]
        record.msg, record.args = f"{record.getMessage()}: %s", (reason,)
        record.exc_info, record.levelno, record.levelname = None, logging.WARNING, "WARNING"
    return True


logger.addFilter(_on_one_line)
