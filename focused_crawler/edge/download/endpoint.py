"""A Twisted endpoint that resolves a host once, and connects if every address of the answer may be asked.

Names are looked up by `Names`, through the interface that Twisted has for it.

Zope's interfaces are nothing that mypy can read, so what Twisted hands in and takes back is `Any` here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import Any

from scrapy.resolver import HostResolution
from twisted.internet import address as tx_address
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint
from twisted.internet.error import DNSLookupError
from twisted.internet.interfaces import (
    IHostnameResolver,
    IReactorPluggableNameResolver,
    IResolutionReceiver,
    IStreamClientEndpoint,
)
from zope.interface import implementer  # type: ignore[import-untyped]

from focused_crawler.edge.download.names import Names, NoAddress
from focused_crawler.edge.failures import AddressRefused

Judge = Callable[[str], bool]


@implementer(IStreamClientEndpoint)
class VettedEndpoint:
    """Connects to a host by the addresses of one answer of the reactor's resolver, if all pass the judge."""

    def __init__(
        self,
        judge: Judge,
        reactor: Any,
        resolver: Any,
        host: bytes,
        port: int,
        *,
        found: Callable[[], None] | None = None,
        **options: Any,
    ) -> None:
        """`resolver`: an IHostnameResolver; `options` are those of HostnameEndpoint.

        `found` is called when there are addresses, right before a connection is made.
        """
        self._judge = judge
        self._reactor = reactor
        self._resolver = resolver
        self._host = host
        self._port = port
        self._found = found
        self._options = options

    def connect(self, protocolFactory: Any) -> Deferred[Any]:
        """Return the connected protocol; fails with AddressRefused, or as HostnameEndpoint does."""
        return Deferred.fromCoroutine(self._connect(protocolFactory))

    async def _connect(self, factory: Any) -> Any:
        resolver = VettingResolver(self._resolver, self._judge, self._name, self._found)
        reactor = _ReactorWithResolver(self._reactor, resolver)
        endpoint = HostnameEndpoint(reactor, self._host, self._port, **self._options)
        try:
            return await endpoint.connect(factory)
        except DNSLookupError:
            if resolver.refused:
                raise AddressRefused(f"{self._name} is {', '.join(resolver.refused)}") from None
            raise
        except ValueError:
            if "xn--" in self._name:  # and behind it what makes no sign: nobody has that name
                raise DNSLookupError(f"{self._name} is no host name") from None
            raise AddressRefused(f"{self._name} is no host name") from None

    @property
    def _name(self) -> str:
        return self._host.decode("ascii", "backslashreplace")


@implementer(IHostnameResolver, IResolutionReceiver)
class VettingResolver:
    """Passes an answer of another resolver on whole, or not at all if one address in it may not be asked.

    Made for one look-up, that of `host`: Twisted asks for the Unicode of it, which cannot always be written
    as a name again (an emoji). Afterwards `refused` holds the addresses that stopped it.
    """

    def __init__(
        self, resolver: Any, judge: Judge, host: str, found: Callable[[], None] | None = None
    ) -> None:
        self.refused: list[str] = []
        self._resolver = resolver
        self._judge = judge
        self._host = host
        self._found = found
        self._answer: list[Any] = []

    def resolveHostName(
        self,
        resolutionReceiver: Any,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[Any] | None = None,
        transportSemantics: str = "TCP",
    ) -> Any:
        self._receiver = resolutionReceiver
        literal = _literal(self._host, portNumber)
        if literal is None:
            return self._resolver.resolveHostName(
                self, self._host, portNumber, addressTypes, transportSemantics
            )
        resolution = HostResolution(self._host)  # over at once: nothing is left to cancel
        self.resolutionBegan(resolution)
        self.addressResolved(literal)
        self.resolutionComplete()
        return resolution

    def resolutionBegan(self, resolutionInProgress: Any) -> None:
        self._receiver.resolutionBegan(resolutionInProgress)

    def addressResolved(self, address: Any) -> None:
        self._answer.append(address)

    def resolutionComplete(self) -> None:
        self.refused = sorted({address.host for address in self._answer if not self._judge(address.host)})
        if not self.refused:
            for address in self._answer:
                self._receiver.addressResolved(address)
            if self._answer and self._found is not None:
                self._found()
        self._receiver.resolutionComplete()


@implementer(IHostnameResolver)
class NameResolver:
    """`Names` as Twisted asks for addresses."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def resolveHostName(
        self,
        resolutionReceiver: Any,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[Any] | None = None,
        transportSemantics: str = "TCP",
    ) -> Any:
        resolution = HostResolution(hostName)  # a look-up has a deadline of its own
        resolutionReceiver.resolutionBegan(resolution)
        Deferred.fromCoroutine(self._resolve(resolutionReceiver, hostName, portNumber))
        return resolution

    async def _resolve(self, receiver: Any, name: str, port: int) -> None:
        try:
            for address in await Deferred.fromFuture(asyncio.ensure_future(self._names.addresses(name))):
                kind = tx_address.IPv6Address if address.is_six else tx_address.IPv4Address
                receiver.addressResolved(kind("TCP", address.host, port))
        except NoAddress:
            pass  # an answer of none is how Twisted is told
        finally:
            receiver.resolutionComplete()


@implementer(IReactorPluggableNameResolver)
class _ReactorWithResolver:
    """A reactor with another name resolver: how HostnameEndpoint is directed."""

    def __init__(self, reactor: Any, resolver: VettingResolver) -> None:
        self._reactor = reactor
        self.nameResolver = resolver

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)


def _literal(host: str, port: int) -> Any:
    """Return a host that is an IP address in its strict form; the resolver reads all others (127.1)."""
    try:
        version = ip_address(host).version
    except ValueError:
        return None
    kind = tx_address.IPv4Address if version == 4 else tx_address.IPv6Address
    return kind("TCP", host, port)
