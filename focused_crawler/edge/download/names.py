"""Looking names up: no name server that is silent can keep the crawl waiting, nor those of other domains.

Threads that wait in the system's resolver are few, and one dead name server with three hundred names holds
them all. Here lookups wait on one socket (c-ares), each has a deadline, a registered domain has few at a
time, and one whose names time out is asked less and less often.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from focused_crawler.crawl.steering.url_kinds import domain_of
from focused_crawler.safety.name_servers import NameSettings
from focused_crawler.safety.printable import printable

if TYPE_CHECKING:
    from aiodns import DNSResolver

logger = logging.getLogger(__name__)

AT_A_TIME = 4
"""Lookups of one registered domain under way at a time; of one whose names time out, one."""
FIRST_REST = 30.0
LONGEST_REST = 900.0
"""Seconds in which no name of a domain is looked up after one that timed out, doubled by each in a row."""
MOST_NAMES = 2_000
"""Answers that are remembered, those asked for last: any other name is one question more."""
MOST_ADDRESSES = 200
"""Of a name: each is vetted and kept; no site has more, and an answer has room for four thousand."""
MOST_DOMAINS = 10_000
"""Domains that are remembered: those under way, and those whose name servers are silent."""
LEAST_KEPT, LONGEST_KEPT = 60.0, 3600.0
"""Seconds for which an answer is kept, whatever its own time to live: every connection is vetted anew."""
TRIES = 2
SILENCE = (3, 11, 12)
"""ARES_ESERVFAIL, _ECONNREFUSED, _ETIMEOUT: we, or who asks for us, got no answer of a name server."""


class Address(NamedTuple):
    """One address of a name."""

    host: str
    is_six: bool


class NoAddress(Exception):
    """A name has no address, or none that could be found in time."""


@dataclass(slots=True)
class _Domain:
    """A registered domain whose names are looked up."""

    under_way: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_A_TIME))
    lookups: int = 0  # of its names, under way or waiting for that
    rests_until: float = 0.0
    silent: int = 0  # times in a row that it was found to be


class Names:
    """Finds the addresses of names, in the running loop."""

    def __init__(
        self,
        settings: NameSettings,
        count: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`count` is told of each lookup: `lookups`, `timeouts`, `held_back`."""
        self._settings, self._count, self._clock = settings, count, clock
        self._resolver: DNSResolver | None = None
        self._known: OrderedDict[str, tuple[float, Sequence[Address]]] = OrderedDict()  # name -> until when
        self._domains: OrderedDict[str, _Domain] = OrderedDict()
        self._asked: dict[str, asyncio.Task[Sequence[Address]]] = {}

    async def addresses(self, name: str) -> Sequence[Address]:
        """Return all addresses of a name; raises NoAddress."""
        until, known = self._known.get(name, (0.0, ()))
        if until > self._clock():
            self._known.move_to_end(name)
            return known
        task = self._asked.get(name)
        if task is None:
            task = self._asked[name] = asyncio.ensure_future(self._look_up(name))
            task.add_done_callback(lambda _: self._asked.pop(name, None))
        return await asyncio.shield(task)

    async def close(self) -> None:
        """End what is under way."""
        for task in list(self._asked.values()):
            task.cancel()
            with suppress(asyncio.CancelledError, NoAddress):
                await task
        if self._resolver is not None:
            await self._resolver.close()

    async def _look_up(self, name: str) -> Sequence[Address]:
        domain = self._domain(domain_of(name))
        domain.lookups += 1
        try:
            seconds, found = await self._answer(domain, name)
        finally:
            domain.lookups -= 1
            if not (domain.lookups or domain.silent):  # nothing is to be remembered of it
                self._domains.pop(domain_of(name), None)
        self._known[name] = (self._clock() + min(max(seconds, LEAST_KEPT), LONGEST_KEPT), found)
        while len(self._known) > MOST_NAMES:
            self._known.popitem(last=False)
        return found

    async def _answer(self, domain: _Domain, name: str) -> tuple[float, Sequence[Address]]:
        """Return what `_ask` does when it is the name's turn, unless its domain rests; raises NoAddress."""
        self._check(domain, name)
        async with domain.under_way:
            self._check(domain, name)
            if domain.silent:
                domain.rests_until = self._clock() + self._settings.timeout  # this one alone is tried
            self._count("lookups")
            before = domain.silent
            try:
                answer = await self._ask(name)
            except TimeoutError:
                self._rest(domain, domain_of(name), before)
                raise NoAddress(f"no name server answers for {name}") from None
            except NoAddress:
                domain.silent, domain.rests_until = 0, 0.0  # that there is none is an answer, too
                raise
            domain.silent, domain.rests_until = 0, 0.0
            return answer

    async def _ask(self, name: str) -> tuple[float, Sequence[Address]]:
        """Return how long an answer holds, in seconds, and its addresses; TimeoutError if nobody answers."""
        import aiodns  # noqa: PLC0415 - of crawls of the live web alone

        if self._resolver is None:
            wait = self._settings.timeout / TRIES
            servers = self._settings.servers or None
            self._resolver = aiodns.DNSResolver(servers, timeout=wait, tries=TRIES)
        try:
            async with asyncio.timeout(self._settings.timeout):
                answer = await self._resolver.getaddrinfo(name, type=socket.SOCK_STREAM)
        except aiodns.error.DNSError as error:
            if error.args[0] in SILENCE:
                raise TimeoutError from None
            raise NoAddress(f"{name}: {error.args[-1]}") from None
        if len(answer.nodes) > MOST_ADDRESSES:
            raise NoAddress(f"{name} has {len(answer.nodes)} addresses")
        found = (Address(node.addr[0].decode(), node.family == socket.AF_INET6) for node in answer.nodes)
        return min((node.ttl for node in answer.nodes), default=0), tuple(found)

    def _check(self, domain: _Domain, name: str) -> None:
        if domain.rests_until > self._clock():
            self._count("held_back")
            raise NoAddress(f"no name server answered for its domain a moment ago: {name}")

    def _rest(self, domain: _Domain, name: str, before: int) -> None:
        self._count("timeouts")
        if domain.silent != before:
            return  # it was under way together with the one that found this out
        rest = min(FIRST_REST * 2**domain.silent, LONGEST_REST)
        domain.silent += 1
        domain.rests_until = self._clock() + rest
        logger.info("No name server answers for %s; it is left alone for %d s", printable(name), rest)

    def _domain(self, name: str) -> _Domain:
        domain = self._domains.get(name)
        if domain is None:
            domain = self._domains[name] = _Domain()
            while len(self._domains) > MOST_DOMAINS:
                self._domains.popitem(last=False)
        self._domains.move_to_end(name)
        return domain
