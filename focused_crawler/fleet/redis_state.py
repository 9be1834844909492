"""What the servers of a shared frontier say of a fleet."""

from __future__ import annotations

import time
from typing import Any

import redis

from focused_crawler.fleet.status import FrontierView, WorkerRow
from focused_crawler.frontier.base import Rules
from focused_crawler.frontier.redis import RedisFrontier
from focused_crawler.frontier.redis_client import answered, open_client, shown_address
from focused_crawler.frontier.shared import WORKER_SECONDS


class RedisState:
    """Reads a frontier and is no worker of it; CrawlError where its servers cannot be read."""

    def __init__(self, address: str, topic: str, job: str) -> None:
        self._address = address
        self._frontier = RedisFrontier(address, f"{topic}:{job}", Rules(), worker="status")
        self._client = open_client(address)

    def workers(self) -> tuple[WorkerRow, ...]:
        """Return all workers that have not left, by name."""
        found, now = self._frontier.workers(), time.time()
        rows = [
            WorkerRow.read(one.name, one.seconds, one.leases, one.info, now=now, dead_after=WORKER_SECONDS)
            for one in found
        ]
        return tuple(sorted(rows, key=lambda row: row.name))

    def frontier(self) -> FrontierView:
        """Return the frontier of now."""
        stats = self._frontier.stats()
        return FrontierView(
            pending=stats.pending,
            leased=stats.leased,
            done=stats.done,
            failed=stats.failed,
            dropped=stats.dropped,
            hosts=stats.hosts,
            waiting_hosts=stats.waiting_hosts,
            has_more=self._frontier.has_more(),
            quarantined=self._frontier.quarantined(),
            bands=tuple(self._frontier.bands()),
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

    def forget(self) -> bool:
        """Delete the frontier; False if it has never held a URL."""
        is_there = self._frontier.stats().known > 0
        self._frontier.forget()
        return is_there

    def close(self) -> None:
        """Let go of the servers."""
        self._client.close()

    def _info(self, section: str) -> list[dict[str, Any]]:
        """Return a section of INFO of each server that holds keys of its own."""
        with answered(self._address):
            if isinstance(self._client, redis.RedisCluster):
                found = self._client.info(section, target_nodes=redis.RedisCluster.PRIMARIES)
                return list(found.values())
            return [self._client.info(section)]
