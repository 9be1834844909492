"""The servers that a fleet needs: named, reachable, usable; what Redis says of it; forgetting one."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any

from focused_crawler.fleet.crawls import FleetCrawl, check_database, drop_crawl
from focused_crawler.fleet.owners import OwnersState
from focused_crawler.fleet.status import FrontierView, WorkerRow, frontier_name
from focused_crawler.frontier.base import Rules
from focused_crawler.frontier.redis.address import check_address, shown_address
from focused_crawler.frontier.redis.client import answered, open_client, server_infos
from focused_crawler.frontier.redis.partitions import RedisPartitions
from focused_crawler.frontier.redis.steps import forget as forget_frontier
from focused_crawler.frontier.redis.steps import registry_keys
from focused_crawler.frontier.redis.workers import WORKER_SECONDS
from focused_crawler.safety.errors import ConfigError, CrawlError, FrontierUnreachable
from focused_crawler.store.address import parsed
from focused_crawler.store.job import SHARED


class RedisState:
    """Reads a frontier and is no worker of it; CrawlError where its servers cannot be read."""

    def __init__(self, address: str, topic: str, job: str) -> None:
        self._address, self._name = address, frontier_name(topic, job)
        self._client = open_client(address)
        self._found: RedisPartitions | None = None

    def workers(self) -> tuple[WorkerRow, ...]:
        """Return all workers that have not left, by name."""
        frontier, now = self._frontier(), time.time()
        found = frontier.workers() if frontier is not None else []
        return tuple(
            WorkerRow.read(one.name, one.age, one.leases, one.info, now=now, dead_after=WORKER_SECONDS)
            for one in found
        )

    def frontier(self) -> FrontierView | None:
        """Return the frontier of now; None: nobody has begun it."""
        frontier = self._frontier()
        if frontier is None:
            return None
        stats = frontier.stats()._asdict()
        del stats["known"]
        return FrontierView(
            quarantined=stats.pop("malformed"),
            **stats,
            has_more=frontier.has_more(),
            bands=tuple(frontier.bands()),
            redis_bytes=sum(int(server["used_memory"]) for server in self._info("memory")),
        )

    def remarks(self) -> list[str]:
        """Return what is wrong with the way the servers are set up: a line each."""
        shown, remarks = shown_address(self._address), []
        if any(server.get("maxmemory_policy") != "noeviction" for server in self._info("memory")):
            remarks.append(f"{shown} may drop URLs when it is full; set maxmemory-policy noeviction")
        if any(not server.get("aof_enabled") for server in self._info("persistence")):
            remarks.append(f"{shown} loses the frontier when it dies; set appendonly yes")
        return remarks

    def check(self) -> None:
        """Raise CrawlError where a key of the frontier holds what is none."""
        frontier = self._frontier()
        if frontier is not None and (foreign := frontier.foreign_keys()):
            raise CrawlError(f"{', '.join(foreign)} in Redis: another program wrote something else there")

    def forget(self) -> bool:
        """Delete the frontier, whatever its keys hold; False if there is none."""
        self._found = None
        with answered(self._address):
            return forget_frontier(self._client, self._name)

    def close(self) -> None:
        """Let go of the servers."""
        if self._found is not None:
            self._found.close()
        self._client.close()

    def _frontier(self) -> RedisPartitions | None:
        if not self._has_begun():  # or it was forgotten meanwhile
            self._found = None
        elif self._found is None:
            self._found = RedisPartitions(self._address, self._name, Rules(), worker="")
        return self._found

    def _has_begun(self) -> bool:
        with answered(self._address):
            return any(self._client.exists(key) for key in registry_keys(self._name))

    def _info(self, section: str) -> list[dict[str, Any]]:
        with answered(self._address):
            return server_infos(self._client, section)


def check_addresses(frontier: str, database: str) -> None:
    """Raise ConfigError where one is missing, or is no address of such a server; neither is asked."""
    if not database:
        raise ConfigError(
            "a fleet needs a database on a server; add"
            " -s FOCUSED_DATABASE=postgresql://USER@localhost/DATABASE, or set it in the environment"
        )
    if frontier != SHARED:
        check_address(frontier)
    parsed(database)


def check_servers(frontier: str, database: str, topic: str, job: str) -> None:
    """Raise CrawlError for what every worker would die of."""
    if frontier != SHARED:
        open_client(frontier).close()
    check_database(database, topic, job)


def check_frontier(crawl: FleetCrawl) -> None:
    """Raise CrawlError, with the way out, where the frontier cannot be used by any worker."""
    if crawl.frontier == SHARED:
        return
    try:
        with closing(RedisState(crawl.frontier, crawl.topic, crawl.job)) as state:
            state.check()
    except FrontierUnreachable:
        raise
    except CrawlError as error:
        raise CrawlError(
            f"{error}; scrapy fleet forget {crawl.topic} --job {crawl.job} deletes all of it, to begin anew"
        ) from None


def state_of(crawl: FleetCrawl) -> RedisState | OwnersState:
    """Return what tells of a crawl's frontier and workers; raises CrawlError."""
    if crawl.frontier == SHARED:
        return OwnersState(crawl)
    return RedisState(crawl.frontier, crawl.topic, crawl.job)


def _living(state: RedisState | OwnersState) -> list[str]:
    try:
        return [worker.name for worker in state.workers() if not worker.is_dead]
    except FrontierUnreachable:
        raise
    except CrawlError:  # what cannot be read is deleted
        return []


def forget(crawl: FleetCrawl) -> bool:
    """Delete frontier and crawl database; False if there is neither. CrawlError while workers live."""
    with closing(state_of(crawl)) as state:
        living = _living(state)
        if living:
            raise CrawlError(
                f"job {crawl.job} of {crawl.topic} goes on, by {', '.join(living[:3])}"
                f"{' and others' if len(living) > 3 else ''}; stop its workers first"
            )
        had_pages = drop_crawl(crawl.database, crawl.topic, crawl.job)
        return (isinstance(state, RedisState) and state.forget()) or had_pages
