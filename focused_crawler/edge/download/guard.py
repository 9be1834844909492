"""Scrapy's HTTP handler with a guard on every connection: an address is checked where it is connected to.

All agents of the stock handler (plain, TLS, proxy, tunnel) take their connections from one pool, and nothing
else opens any. So the pool is where the guard stands: whatever endpoint an agent brings, the pool makes a
`VettedEndpoint` instead. Redirects, robots.txt and a second try on a stale connection pass there as well. A
request through a proxy is refused, since only the proxy would see the address.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.misc import load_object
from twisted.internet.defer import Deferred, fail
from twisted.internet.endpoints import wrapClientTLS
from twisted.web.client import HTTPConnectionPool

from focused_crawler.crawl.failure import Failure as FetchFailure
from focused_crawler.edge import meta
from focused_crawler.edge.download.certificates import NamingConnections
from focused_crawler.edge.download.endpoint import Judge, NameResolver, VettedEndpoint
from focused_crawler.edge.download.heads import (
    BoundedHeadFactory,
    NotedHeadFactory,
    Witness,
    WitnessedConnection,
)
from focused_crawler.edge.download.names import Names
from focused_crawler.edge.extensions.component import found_address, timing_download
from focused_crawler.edge.extensions.session import CrawlSession
from focused_crawler.edge.extensions.web_recorder import WebRecorder
from focused_crawler.edge.failures import AddressRefused, NoPage, Refused, count
from focused_crawler.safety.address import is_allowed, parse_networks
from focused_crawler.safety.name_servers import NameSettings
from focused_crawler.safety.process import idle_connections
from focused_crawler.safety.settings import read


class GuardedDownloadHandler(HTTP11DownloadHandler):
    """Handler for http and https that asks only addresses that are global or in FOCUSED_ALLOWED_NETWORKS.

    Scrapy only logs what a handler raises when it is made, and then fetches nothing: check the setting with
    `parse_networks` before, where an error can end the command.
    """

    def __init__(self, crawler: Crawler) -> None:
        """Raises ConfigError for a wrong FOCUSED_ALLOWED_NETWORKS."""
        super().__init__(crawler)
        self._names: Names | None = None
        networks = parse_networks(crawler.settings.get("FOCUSED_ALLOWED_NETWORKS") or ())
        recorder = crawler.get_extension(WebRecorder)
        self._pool: GuardedConnectionPool = GuardedConnectionPool(
            self._pool,
            judge=lambda address: is_allowed(address, networks),
            resolver=self._resolver(crawler),
            tls_policy=self._contextFactory,
            is_verifying=crawler.settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES"),
            connect_timeout=crawler.settings.getfloat("DOWNLOAD_TIMEOUT"),
            most_idle=idle_connections(crawler.settings.getint("CONCURRENT_REQUESTS")),
            witness=recorder.note_heads if recorder else None,
            found=partial(found_address, crawler),
        )

    def _resolver(self, crawler: Crawler) -> Any:
        """Return what looks names up: ours, or the resolver that the user has put into Scrapy's place."""
        settings = crawler.settings
        if load_object(settings["TWISTED_DNS_RESOLVER"]).__module__ != "scrapy.resolver":
            return None
        stats = crawler.stats
        self._names = Names(read(NameSettings, settings), lambda what: stats.inc_value(f"focused/dns/{what}"))
        return NameResolver(self._names)

    async def close(self) -> None:
        await super().close()
        if self._names is not None:
            await self._names.close()

    async def download_request(self, request: Request) -> Response:
        try:
            _check(request)
            check_lease(self.crawler, request)
            with timing_download(self.crawler, request):
                self._pool.asked_for = request  # until the connection is asked for, which is at once
                return await super().download_request(request)
        except Refused as refusal:
            raise count(refusal, request, self.crawler) from None


def _check(request: Request) -> None:
    """Refuse a request that names no host whose address could be checked."""
    if request.meta.get("proxy"):
        raise AddressRefused("it would go through a proxy; set HTTPPROXY_ENABLED to False")
    parts = urlsplit(request.url)
    if not parts.hostname or "@" in parts.netloc or parts.port == 0:
        raise AddressRefused(f"{parts.netloc!r} is no plain host and port")


class GuardedConnectionPool(HTTPConnectionPool):
    """Connects to vetted addresses, whatever endpoint it is asked to use, and keeps only so many idle.

    Twisted bounds what is idle for one host, and keeps it for minutes: on many hosts a process would run out
    of open files. Here the one that is idle for longest is closed.
    """

    def __init__(
        self,
        like: HTTPConnectionPool,
        *,
        judge: Judge,
        resolver: Any,
        tls_policy: Any,
        is_verifying: bool,
        connect_timeout: float,
        most_idle: int,
        witness: Witness | None = None,
        found: Callable[[Request, bool], None] = lambda request, is_first: None,
    ) -> None:
        """Take the settings of another pool.

        `connect_timeout`: seconds an address; `most_idle`: idle connections for later; `witness`: gets the
        heads of each exchange; `found`: is called when a request has a connection that is idle, or the
        address for another; False for one after a stale one, as the request was sent already.
        """
        super().__init__(like._reactor, persistent=like.persistent)  # type: ignore[no-untyped-call]
        self.maxPersistentPerHost = like.maxPersistentPerHost
        self._factory = NotedHeadFactory if witness else BoundedHeadFactory
        self._witness = witness
        self._found = found
        self.asked_for: Request | None = None
        self._judge = judge
        self._resolver = resolver  # None: the reactor's
        self._tls_policy = tls_policy
        self._is_verifying = is_verifying
        self._connect_timeout = connect_timeout
        self._most_idle = most_idle

    def getConnection(self, key: Any, endpoint: object) -> Deferred[Any]:
        """Return an idle connection to the same scheme, host and port, else a new and vetted one."""
        request = self.asked_for
        is_idle = any(idle.state == "QUIESCENT" for idle in self._connections.get(key, ()))
        found = partial(self._found, request, not is_idle) if request is not None else None
        try:
            vetted = self._vetted(*key, found=found)
        except (TypeError, ValueError):  # the key of a proxy has other parts; ValueError: no name for TLS
            return fail(AddressRefused("no host whose address can be checked"))
        if is_idle and request is not None:
            self._found(request, True)
        connection = super().getConnection(key, vetted)
        if self._witness is not None and request is not None:
            connection.addCallback(partial(WitnessedConnection, request, self._witness))
        return connection

    def _putConnection(self, key: Any, connection: Any) -> None:
        """Keep a connection that has become idle."""
        super()._putConnection(key, connection)  # type: ignore[no-untyped-call]
        while len(self._timeouts) > self._most_idle:
            timeout = next(iter(self._timeouts.values()))  # in the order in which they became idle
            stale = timeout.args  # cancelling forgets them
            timeout.cancel()
            self._removeConnection(*stale)

    def _removeConnection(self, key: Any, connection: Any) -> None:
        """Close an idle connection; with the last one of a host, forget the host."""
        super()._removeConnection(key, connection)  # type: ignore[no-untyped-call]
        if not self._connections[key]:
            del self._connections[key]

    def _vetted(
        self,
        scheme: bytes,
        host: bytes,
        port: int,
        bind_address: Any,
        *,
        found: Callable[[], None] | None,
    ) -> Any:
        endpoint: Any = VettedEndpoint(
            self._judge,
            self._reactor,
            self._resolver or self._reactor.nameResolver,
            host,
            port,
            found=found,
            timeout=self._connect_timeout,
            bindAddress=bind_address,
        )
        if scheme == b"http":
            return endpoint
        if scheme == b"https":
            creator = self._tls_policy.creatorForNetloc(host, port)
            if self._is_verifying:
                creator = NamingConnections(creator, host.decode("ascii"))
            return wrapClientTLS(creator, endpoint)
        raise ValueError(scheme)


def check_lease(crawler: Crawler, request: Request) -> None:
    """Raise NoPage, right before a request is sent, where others may have its lease by now (in a fleet only).

    A process that was stopped for a while finds requests that wait to be sent, and does not know that time
    has passed: sent now they would come too early after those of another worker.
    """
    lease = request.meta.get(meta.LEASE) or request.meta.get(meta.ASKED_FOR)
    if lease is None:
        return
    session = crawler.get_extension(CrawlSession)
    if session is None or not session.crawl.plan.config.is_shared:
        return
    if not session.crawl.frontier.holds(lease):
        raise NoPage(FetchFailure("lease_lost", retry=True, is_untried=True))
