"""What metrics are read from, at one moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from focused_crawler import __version__
from focused_crawler.frontier.base import FrontierStats
from focused_crawler.telemetry.steps import Histogram


@dataclass(frozen=True, slots=True)
class Facts:
    """A crawl as it is now; nothing in it is a text of a page, or a URL."""

    stats: Mapping[str, Any]  # by the names of docs/stats.md, and Scrapy's own
    frontier: FrontierStats
    bands: Sequence[int]  # pending URLs by equal bands of priority, lowest first
    in_flight: int  # leases of this process
    steps: Iterable[tuple[str, Histogram]]
    workers: int | None = None  # of a fleet, alive; None: there is no fleet


@dataclass(frozen=True, slots=True)
class Resource:
    """Whose figures they are: the labels of every sample."""

    topic: str
    crawl: str  # its job; Prometheus has a label "job" of its own
    strategy: str
    worker: str = ""  # of a fleet

    def labels(self) -> dict[str, str]:
        """Return the labels that every sample has; an empty one is as good as none."""
        named = {
            "topic": self.topic,
            "crawl": self.crawl,
            "strategy": self.strategy,
            "worker": self.worker,
        }
        return {name: value for name, value in named.items() if value}

    def attributes(self) -> dict[str, str]:
        """Return what OpenTelemetry knows a service by."""
        return {"service_name": "focused_crawler", "service_version": __version__}
