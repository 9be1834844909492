"""Which metric each stat becomes. Counters are of this process, as Prometheus wants them; gauges of all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from focused_crawler import __version__
from focused_crawler.crawl.steps import Histogram
from focused_crawler.frontier.base import FrontierStats


class Stat(NamedTuple):
    """A metric without labels, read from one stat."""

    name: str
    text: str
    stat: str
    unit: str = ""


class Stats(NamedTuple):
    """A metric with one label, whose values have a stat each."""

    name: str
    text: str
    label: str
    stats: Mapping[str, str]  # value of the label -> stat
    unit: str = ""


class Prefix(NamedTuple):
    """A metric with one label: a sample for every stat that begins so."""

    name: str
    text: str
    label: str
    prefix: str
    without: frozenset[str] = frozenset()  # values that are a part of another


COUNTERS: tuple[Stat, ...] = (
    Stat("pages", "Pages that this process recorded.", "focused/run/pages"),
    Stat("relevant_pages", "Relevant pages among them.", "focused/run/relevant"),
    Stat("requests", "Requests sent, for robots.txt as well.", "downloader/request_count"),
    Stat("received", "Bytes of the responses, as they were sent.", "downloader/response_bytes", "bytes"),
    Stat("retries", "Requests that failed and were queued again.", "focused/retries"),
    Stat("links_seen", "Links of the pages recorded.", "focused/links/seen"),
    Stat("links_new", "Links among them that were new to the frontier.", "focused/links/new"),
    Stat("traps", "URLs that were not fetched, as traps.", "focused/traps"),
    Stat("rendered_pages", "Pages shown in a browser.", "focused/rendered"),
    Stat("rendered_gains", "Pages among them that said more there.", "focused/rendered/gained"),
    Stat(
        "renderings_denied",
        "Pages that needed a browser when their share was used up.",
        "focused/rendered/denied",
    ),
    Stat("browsers", "Browsers started.", "focused/rendered/browsers"),
)
COUNTERS_BY_LABEL: tuple[Stats, ...] = (
    Stats(
        "links_left",
        "Links that were not followed: below the strategy's threshold, for a word in the URL, too deep.",
        "rule",
        {rule: f"focused/links/{rule}" for rule in ("below_threshold", "url_word", "too_deep")},
    ),
    Stats(
        "copies",
        "Pages that say what an earlier one says.",
        "kind",
        {"same": "focused/duplicates", "nearly": "focused/near_duplicates"},
    ),
    Stats(
        "rendering_requests",
        "What pages asked for in a browser and got: fetched, or still at hand.",
        "source",
        {"fetched": "focused/rendered/parts", "cached": "focused/rendered/parts/cached"},
    ),
)
COUNTERS_BY_PREFIX: tuple[Prefix, ...] = (
    Prefix("failures", "URLs that gave no page, by class.", "reason", "focused/failures/"),
    Prefix("responses", "Responses, by status.", "status", "downloader/response_status_count/"),
    Prefix("refused_responses", "Responses refused for what they are.", "rule", "focused/limits/"),
    Prefix(
        "revisits",
        "Pages asked for again, by what was found.",
        "outcome",
        "focused/revisits/",
        frozenset({"not_modified"}),
    ),
    Prefix("alarms", "Alarms of the monitor.", "kind", "focused/alarms/"),
    Prefix("rendering_failures", "Pages that a browser did not show.", "reason", "focused/rendered/failed/"),
    Prefix(
        "rendering_blocked_requests",
        "What pages asked for in a browser and did not get.",
        "reason",
        "focused/rendered/blocked/",
    ),
)
GAUGES: tuple[Stat, ...] = (
    Stat("crawl_pages", "Pages of the crawl: all runs, all workers.", "focused/pages"),
    Stat("crawl_relevant_pages", "Relevant pages of the crawl: all runs, all workers.", "focused/relevant"),
    Stat("crawl_failures", "URLs of the crawl that gave no page: all runs, all workers.", "focused/failures"),
    Stat("crawl_revisits", "Revisits of the crawl: all runs, all workers.", "focused/revisits"),
    Stat("crawl_known_pages", "Pages that an earlier crawl has as they are.", "focused/pages/known"),
    Stat(
        "target_recall",
        "Share of the known relevant pages that the crawl has; without samples where none are known.",
        "focused/target_recall",
        "ratio",
    ),
)
GAUGES_BY_LABEL: tuple[Stats, ...] = (
    Stats(
        "harvest",
        "Share of relevant pages: of all pages of the crawl, of the last 100, of the last 1,000.",
        "window",
        {
            "all": "focused/harvest_rate",
            "100": "focused/harvest_rate_100",
            "1000": "focused/harvest_rate_1000",
        },
        "ratio",
    ),
)


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
