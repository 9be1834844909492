"""What came of the crawls, as tests ask for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.hostile.server import HostileSite


@dataclass
class Report:
    crawls: dict[str, Any]
    log: str
    sites: dict[str, HostileSite]

    def outcome(self, crawl: str, label: str) -> dict[str, Any]:
        return self.crawls[crawl]["outcomes"][label]

    def ended(self, crawl: str, label: str) -> str:
        """How a request ended: "200", or the name of its error with its reason."""
        outcome = self.outcome(crawl, label)
        if "status" in outcome:
            return str(outcome["status"])
        error = outcome["error"]
        return f"{error} {outcome['message'].partition(':')[0]}" if "Refused" in error else error

    def stat(self, crawl: str, name: str) -> int:
        return self.crawls[crawl]["stats"].get(name, 0)

    def sent(self, path: str) -> int:
        """Bytes of a resource that the crawlers took from the plain site."""
        return self.sites["plain"].sent[path]

    def hits(self, address: str, path: str) -> int:
        return self.sites["plain"].hits.count((address, path))
