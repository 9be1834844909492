"""A virtual web over HTTP, for any client: the Host header names the site."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Callable
from typing import TextIO

from aiohttp import web
from multidict import CIMultiDict

from focused_crawler.safety.errors import WebError
from focused_crawler.safety.http_server import BoundedServer
from focused_crawler.safety.printable import say
from focused_crawler.virtualweb.exchange import readable
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.record import WebRecord, answer

_OF_THE_CONNECTION = frozenset(
    ("connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade", "content-length")
)

_NAME = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f]")
"""Servers have sent them in headers; none may stand there."""


class WebServer:
    """Answers GET and HEAD; also as a proxy for http URLs (an absolute URL in the request line).

    `log` gets one line a request: status, then URL. Records with X-Demo-Latency come that many seconds late.
    """

    def __init__(self, source: VirtualWeb, log: TextIO | None = None) -> None:
        self._source = source
        self._log = log
        self._runner = web.ServerRunner(BoundedServer(self._handle))

    async def start(self, host: str, port: int) -> int:
        """Listen and return the port, any free one for port 0; WebError if that cannot be."""
        await self._runner.setup()
        site = web.TCPSite(self._runner, host, port)
        try:
            await site.start()
        except (OSError, OverflowError) as error:
            await self._runner.cleanup()
            raise WebError(
                f"cannot listen on {host}:{port} ({error}); give another --host or --port"
            ) from None
        return int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        await self._runner.cleanup()

    async def _handle(self, request: web.BaseRequest) -> web.Response:
        url = _requested(request)
        is_text = url.encode("utf-8", "replace").decode() == url  # bytes of no text are surrogates
        record = self._source.get(url) if is_text and request.method in ("GET", "HEAD") else None
        if record is None:
            response = _refusal(request.method) if is_text else web.Response(status=400)
        else:
            await asyncio.sleep(record.slowness)
            known, since = (request.headers.get(name, "") for name in ("If-None-Match", "If-Modified-Since"))
            response = _to_response(answer(record, known, since))
        if self._log:
            say(f"{response.status} {url}", to=self._log)
        return response


def serve(
    source: VirtualWeb, host: str, port: int, ready: Callable[[int], None], log: TextIO | None = None
) -> None:
    """Serve until SIGINT or SIGTERM; `ready` is called with the port once it listens."""

    async def run() -> None:
        server = WebServer(source, log)
        found_port = await server.start(host, port)
        stopped = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        ready(found_port)
        await stopped.wait()
        await server.stop()

    asyncio.run(run())


def _requested(request: web.BaseRequest) -> str:
    """Return the URL that is meant: the request line's own if it is absolute, else the Host header's."""
    target = request.raw_path
    return target if target.lower().startswith(("http://", "https://")) else f"http://{request.host}{target}"


def _refusal(method: str) -> web.Response:
    if method == "CONNECT":
        return web.Response(status=501, text="Only http URLs can be fetched through this proxy.\n")
    if method not in ("GET", "HEAD"):
        return web.Response(status=405, headers={"Allow": "GET, HEAD"})
    return web.Response(status=404, body=b"", content_type="text/html")


def _to_response(record: WebRecord) -> web.Response:
    headers = CIMultiDict(
        (name, _CONTROL.sub(" ", readable(value)))
        for key, value in record.headers
        if _NAME.fullmatch(name := readable(key)) and name.lower() not in _OF_THE_CONNECTION
    )
    has_final_status = 200 <= record.status <= 599
    return web.Response(status=record.status if has_final_status else 502, headers=headers, body=record.body)
