"""The address that metrics are scraped at, in the crawl's own event loop: no thread sees half a change."""

from __future__ import annotations

import socket

from aiohttp import web
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from focused_crawler.edge.prometheus.listener import is_own_name
from focused_crawler.safety.http_server import BoundedServer

PATH = "/metrics"
_CLOSING_SECONDS = 0.5
_FOREIGN = "Ask for this address by its number, as localhost, or as FOCUSED_METRICS_ADDRESS has it.\n"


class Endpoint:
    """Serves a registry over HTTP on a socket that listens already."""

    def __init__(self, registry: CollectorRegistry, listener: socket.socket, address: str) -> None:
        """`address`: how the listener's host was given."""
        self._registry = registry
        self._listener = listener
        self._address = address
        self._runner = web.ServerRunner(BoundedServer(self._answer), shutdown_timeout=_CLOSING_SECONDS)

    async def start(self) -> None:
        await self._runner.setup()
        await web.SockSite(self._runner, self._listener).start()

    async def stop(self) -> None:
        await self._runner.cleanup()
        self._listener.close()

    async def _answer(self, request: web.BaseRequest) -> web.Response:
        if not is_own_name(request.headers.get("Host"), self._address):
            return web.Response(status=403, text=_FOREIGN)
        if request.method not in ("GET", "HEAD"):
            return web.Response(status=405, headers={"Allow": "GET, HEAD"})
        if request.path != PATH:
            return web.Response(status=404, text=f"The metrics are at {PATH}\n")
        body, content_type = self._exposed(request.headers.get("Accept", ""))
        response = web.Response(body=body, headers={"Content-Type": content_type})
        response.enable_compression()
        return response

    def _exposed(self, accepted: str) -> tuple[bytes, str]:
        """Return all metrics in the format that is asked for: OpenMetrics, or Prometheus's text."""
        try:
            encode, content_type = choose_encoder(accepted)
        except (TypeError, ValueError):  # a version that is none
            encode, content_type = choose_encoder("")
        return encode(self._registry), content_type
