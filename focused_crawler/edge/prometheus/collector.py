"""Metrics of a crawl, made when somebody asks for them: a page pays nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from math import inf
from typing import Any

from prometheus_client import ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from focused_crawler.crawl.steps import Histogram
from focused_crawler.edge.prometheus.catalogue import (
    COUNTERS,
    COUNTERS_BY_LABEL,
    COUNTERS_BY_PREFIX,
    GAUGES,
    GAUGES_BY_LABEL,
    Facts,
    Prefix,
    Resource,
)
from focused_crawler.safety.printable import printable

PREFIX = "focused_crawler_"

MOST_VALUES = 50
"""So many values a label has at most; all further ones are "other"."""

LONGEST_VALUE = 60


class CrawlCollector(Collector):
    """Reads a crawl, and the process it runs in, at every scrape."""

    def __init__(self, resource: Resource, read: Callable[[], Facts]) -> None:
        self._resource = resource
        self._labels = resource.labels()
        self._read = read
        self._process = ProcessCollector(registry=None)

    def collect(self) -> Iterator[Metric]:
        facts = self._read()
        yield InfoMetricFamily("target", "What is scraped.", self._resource.attributes() | self._labels)
        families = chain(
            _counters(facts.stats),
            _gauges(facts.stats),
            _frontier(facts),
            (_steps(facts.steps),),
            self._process.collect(),
        )
        for family in families:
            family.samples = [
                sample._replace(labels={**sample.labels, **self._labels}) for sample in family.samples
            ]
            yield family


def _counters(stats: Mapping[str, Any]) -> Iterator[Metric]:
    for name, text, stat, unit in COUNTERS:
        yield CounterMetricFamily(PREFIX + name, text, value=stats.get(stat, 0), unit=unit)
    for name, text, label, by_value, unit in COUNTERS_BY_LABEL:
        family = CounterMetricFamily(PREFIX + name, text, labels=(label,), unit=unit)
        for value, stat in by_value.items():
            family.add_metric((value,), stats.get(stat, 0))
        yield family
    for kind in COUNTERS_BY_PREFIX:
        family = CounterMetricFamily(PREFIX + kind.name, kind.text, labels=(kind.label,))
        for value, count in _bounded(_by_value(kind, stats)).items():
            family.add_metric((value,), count)
        yield family


def _gauges(stats: Mapping[str, Any]) -> Iterator[Metric]:
    for name, text, stat, unit in GAUGES:
        yield GaugeMetricFamily(PREFIX + name, text, value=stats.get(stat), unit=unit)
    for name, text, label, by_value, unit in GAUGES_BY_LABEL:
        family = GaugeMetricFamily(PREFIX + name, text, labels=(label,), unit=unit)
        for value, stat in by_value.items():
            if stat in stats:
                family.add_metric((value,), stats[stat])
        yield family


def _by_value(kind: Prefix, stats: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for stat, count in stats.items():
        value = stat.removeprefix(kind.prefix)
        if value != stat and value not in kind.without:
            yield printable(value)[:LONGEST_VALUE], count


def _bounded(counts: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Sum counts by value, the first ones by name: a value that has one keeps it, so no counter falls."""
    counts = iter(counts)
    first: dict[str, float] = {}
    for value, count in islice(counts, MOST_VALUES - 1):
        first[value] = first.get(value, 0) + count
    for value, count in counts:
        name = value if value in first else "other"
        first[name] = first.get(name, 0) + count
    return first


def _frontier(facts: Facts) -> Iterator[Metric]:
    frontier = facts.frontier
    urls = GaugeMetricFamily(PREFIX + "frontier_urls", "URLs of the frontier, by state.", labels=("state",))
    for state in ("pending", "leased", "done", "failed", "dropped"):
        urls.add_metric((state,), getattr(frontier, state))
    bands = GaugeMetricFamily(
        PREFIX + "frontier_pending_urls", "Pending URLs, by their score.", labels=("score",)
    )
    for number, count in enumerate(facts.bands):
        low, high = number / len(facts.bands), (number + 1) / len(facts.bands)
        bands.add_metric((f"{low:.1f}-{high:.1f}",), count)
    text = "Hosts with pending URLs that may not be asked yet."
    yield from (urls, bands)
    yield GaugeMetricFamily(PREFIX + "frontier_hosts", "Hosts known.", frontier.hosts)
    yield GaugeMetricFamily(PREFIX + "frontier_waiting_hosts", text, frontier.waiting_hosts)
    yield GaugeMetricFamily(PREFIX + "in_flight_urls", "URLs that this process has out.", facts.in_flight)
    text = "Workers of the fleet that are alive; without samples where there is no fleet."
    yield GaugeMetricFamily(PREFIX + "workers", text, facts.workers)


def _steps(steps: Iterable[tuple[str, Histogram]]) -> Metric:
    text = "Time that the steps of a page take."
    family = HistogramMetricFamily(PREFIX + "step_duration", text, labels=("step",), unit="seconds")
    for step, histogram in steps:
        buckets = [("+Inf" if bound == inf else str(bound), count) for bound, count in histogram.cumulative()]
        family.add_metric((step,), buckets, histogram.seconds)
    return family
