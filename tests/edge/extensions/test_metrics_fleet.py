"""Metrics of a worker, whose frontier lies on a server that may not answer."""

from __future__ import annotations

import asyncio
import signal
import socket
import time

import pytest

from focused_crawler.edge.extensions.metrics import ANSWER_SECONDS, MetricsEndpoint
from focused_crawler.edge.extensions.session import crawl_of
from focused_crawler.edge.prometheus.catalogue import Facts
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.prefetch.frontier import PrefetchFrontier
from focused_crawler.frontier.redis.frontier import RedisFrontier
from tests.project import PATIENCE, until
from tests.redis_server import redis_server
from tests.wired import wired


async def facts_of_the_fleet(endpoint: MetricsEndpoint) -> Facts:
    """Look until the server has answered all: with much else to do it may be late, as may a beat."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        await endpoint.refresh()
        facts = endpoint.facts()
        if facts.workers and facts.bands:
            return facts
        await asyncio.sleep(0.05)
    raise AssertionError("waited in vain")


@pytest.mark.asyncio
async def test_a_scrape_waits_for_the_frontier_no_longer_than_it_may(tmp_path):
    """What the server would have said is left out; the rest is there, and all of it when it answers again."""
    with redis_server() as server, wired(tmp_path) as crawler, socket.socket() as listener:
        shared = RedisFrontier(server.address, server.new_name(), Rules(), worker="w1")
        frontier = PrefetchFrontier(shared, prefetch=1, lease_seconds=60, info=dict)
        crawl = crawl_of(crawler)
        crawl.frontier.close()
        crawl.frontier = frontier
        endpoint = MetricsEndpoint(crawler, listener, "127.0.0.1")
        try:
            frontier.add([Candidate(f"http://{n}.example/", n / 10) for n in range(10)])
            until(lambda: frontier.stats().known == 10)
            facts = await facts_of_the_fleet(endpoint)
            assert facts.workers == 1
            assert sum(facts.bands) in {9, 10}  # one may be leased ahead by now
            server.signal(signal.SIGSTOP)
            began = time.monotonic()
            await endpoint.refresh()
            took = time.monotonic() - began
            assert took < 9 * ANSWER_SECONDS  # two questions; the client of Redis waits for ten
            assert (endpoint.facts().workers, endpoint.facts().bands) == (None, [])
            assert endpoint.facts().frontier.known == 10
            server.signal(signal.SIGCONT)
            assert (await facts_of_the_fleet(endpoint)).workers == 1
        finally:
            server.signal(signal.SIGCONT)
            frontier.close()
