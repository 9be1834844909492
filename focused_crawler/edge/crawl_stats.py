"""What a crawl has come to, in Scrapy's stats."""

from __future__ import annotations

from scrapy.statscollectors import StatsCollector

from focused_crawler.crawl.crawl import Crawl
from focused_crawler.crawl.failure import KNOWN, LISTED, UNCHANGED
from focused_crawler.crawl.visit_context import Ending

OFFERED = ("enqueued", "refused")
"""Stats of the scheduler: what became of URLs that were handed over, and of redirects."""


def publish(crawl: Crawl, stats: StatsCollector) -> None:
    """Write the crawl's totals into them."""
    frontier = crawl.frontier.stats()
    _publish_totals(crawl, stats)
    for outcome, revisits in crawl.maintenance.outcomes.items():
        stats.set_value(f"focused/revisits/{outcome}", revisits)
    stats.set_value("focused/frontier/pending", frontier.pending)
    stats.set_value("focused/frontier/hosts", frontier.hosts)
    stats.set_value("focused/frontier/dropped", frontier.dropped)
    stats.set_value("focused/traps", crawl.visits.context.traps.total())
    for rule, urls in crawl.visits.context.traps.items():
        stats.set_value(f"focused/traps/{rule}", urls)
    for step, took in crawl.steps:
        stats.set_value(f"focused/step_seconds/{step}", took.seconds)
        stats.set_value(f"focused/step_count/{step}", took.count)


def publish_stored(crawl: Crawl, stats: StatsCollector) -> None:
    """Write the totals of a crawl that was not all stored, as its run.json has them."""
    _publish_totals(crawl, stats)
    stats.set_value("focused/frontier/pending", crawl.run.totals["pending"])


def _publish_totals(crawl: Crawl, stats: StatsCollector) -> None:
    rate = crawl.rate
    stats.set_value("focused/pages", rate.pages)
    stats.set_value("focused/relevant", rate.relevant)
    stats.set_value("focused/harvest_rate", rate.value)
    stats.set_value("focused/harvest_rate_100", rate.over_last(100))
    stats.set_value("focused/harvest_rate_1000", rate.over_last(1000))
    if crawl.recall is not None:
        stats.set_value("focused/target_recall", crawl.recall.value)
    stats.set_value("focused/pages/known", crawl.store.counters["known"])
    stats.set_value("focused/pages/own", crawl.store.counters["own_pages"])
    stats.set_value("focused/failures", crawl.store.counters["failures"])
    stats.set_value("focused/revisits", crawl.store.counters["revisits"])


def count_ending(ending: Ending, stats: StatsCollector) -> None:
    """Count a visit that gave no page, if it was to give a new one or is tried again."""
    reason = ending.failure.reason
    if ending.failure in {UNCHANGED, KNOWN, LISTED} or (ending.is_revisit and not ending.is_retried):
        return
    if ending.is_retried:
        stats.inc_value("focused/retries")
        stats.inc_value(f"focused/retries/{reason}")
    elif ending.is_listing:
        stats.inc_value("focused/listings/failed")
    else:
        stats.inc_value(f"focused/failures/{reason}")


def tried_again(stats: StatsCollector) -> dict[str, int]:
    """Return what the requests have met that wait to be tried again, by class."""
    prefix, values = "focused/retries/", stats.get_stats()
    return {name.removeprefix(prefix): values[name] for name in values if name.startswith(prefix)}


def is_in_vain(crawl: Crawl, stats: StatsCollector) -> bool:
    """Tell whether URLs were to be visited, and neither a page nor any of the spider's own came."""
    offered = sum(stats.get_value(f"focused/scheduler/{how}", 0) for how in OFFERED)
    return offered > 0 and not crawl.fetches
