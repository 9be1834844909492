"""Which metric each stat becomes, by metrics.toml; and the other facts that metrics are made of."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, NamedTuple

from focused_crawler import __version__
from focused_crawler.crawl.steps import Histogram
from focused_crawler.frontier.base import FrontierStats


class Metric(NamedTuple):
    """A metric of one stat; or, with a label, of a stat for each of its values or of all with a prefix."""

    name: str
    text: str
    unit: str = ""
    stat: str = ""
    label: str = ""
    stats: Mapping[str, str] = MappingProxyType({})  # value of the label -> stat
    prefix: str = ""
    without: Sequence[str] = ()  # values that are a part of another


@cache
def metrics() -> tuple[tuple[str, Metric], ...]:
    """Return the metrics that are read from stats, each with its kind: "counter" or "gauge"."""
    text = files(__package__ or "").joinpath("metrics.toml").read_text(encoding="utf-8")
    kinds = tomllib.loads(text)
    return tuple((kind, Metric(**metric)) for kind in ("counter", "gauge") for metric in kinds[kind])


@dataclass(frozen=True, slots=True)
class Facts:
    """A crawl as it is now; nothing in it is a text of a page, or a URL."""

    stats: Mapping[str, Any]  # by the names of docs/reference/stats.md, and Scrapy's own
    frontier: FrontierStats
    bands: Sequence[int]  # pending URLs by equal bands of priority, lowest first
    in_flight: int  # leases of this process
    steps: Iterable[tuple[str, Histogram]]
    workers: int | None = None  # of a fleet, alive; None: there is no fleet


class Resource(NamedTuple):
    """Whose figures they are: the labels of every sample."""

    topic: str
    crawl: str  # its job; Prometheus has a label "job" of its own
    strategy: str
    worker: str = ""  # of a fleet

    def labels(self) -> dict[str, str]:
        """Return the labels that every sample has; an empty one is as good as none."""
        return {name: value for name, value in self._asdict().items() if value}


SERVICE = {"service_name": "focused_crawler", "service_version": __version__}
"""What OpenTelemetry knows a service by."""
