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
from focused_crawler.edge.prometheus.catalogue import SERVICE, Facts, Resource, metrics
from focused_crawler.edge.prometheus.catalogue import Metric as StatMetric
from focused_crawler.safety.printable import printable

PREFIX = "focused_crawler_"

MOST_VALUES = 50
"""So many values a label has at most; all further ones are "other"."""

LONGEST_VALUE = 60

_FAMILIES = {"counter": CounterMetricFamily, "gauge": GaugeMetricFamily}


class CrawlCollector(Collector):
    """Reads a crawl, and the process it runs in, at every scrape."""

    def __init__(self, resource: Resource, read: Callable[[], Facts]) -> None:
        self._labels = resource.labels()
        self._read = read
        self._process = ProcessCollector(registry=None)

    def collect(self) -> Iterator[Metric]:
        facts = self._read()
        yield InfoMetricFamily("target", "What is scraped.", SERVICE | self._labels)
        families = chain(
            _of_stats(facts.stats),
            _frontier(facts),
            (_steps(facts.steps),),
            self._process.collect(),
        )
        for family in families:
            family.samples = [
                sample._replace(labels={**sample.labels, **self._labels}) for sample in family.samples
            ]
            yield family


def _of_stats(stats: Mapping[str, Any]) -> Iterator[Metric]:
    for kind, metric in metrics():
        labels = (metric.label,) if metric.label else ()
        family = _FAMILIES[kind](PREFIX + metric.name, metric.text, labels=labels, unit=metric.unit)
        for values, value in _samples(metric, stats):
            if kind == "counter" or value is not None:  # nothing was counted so far
                family.add_metric(values, value or 0)
        yield family


def _samples(metric: StatMetric, stats: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the values of a metric's label with what their stats hold, None for a stat that is not there."""
    if not metric.label:
        yield (), stats.get(metric.stat)
    for value, stat in metric.stats.items():
        yield (value,), stats.get(stat)
    if metric.prefix:
        for value, count in _bounded(_by_value(metric, stats)).items():
            yield (value,), count


def _by_value(metric: StatMetric, stats: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for stat, count in stats.items():
        value = stat.removeprefix(metric.prefix)
        if value != stat and value not in metric.without:
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
