"""What is in a web: counts of its records, and of the links between its pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from focused_crawler.virtualweb.analysed import AnalysedWeb
from focused_crawler.virtualweb.graph import LinkGraph
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.index_file import SELF_REDIRECT, Entry
from focused_crawler.virtualweb.surt import surt


@dataclass(frozen=True, slots=True)
class RecordStats:
    """What a web answers with."""

    records: int
    hosts: int  # that answer anything
    redirects: int  # lookup keys that answer with a redirect to another
    statuses: dict[int, int]  # of records
    content_types: dict[str, int]  # of records with status 200


@dataclass(frozen=True, slots=True)
class LinkStats:
    """What a crawl finds in a web. Links of a page are distinct lookup keys."""

    pages: int
    links: int
    resolved: int  # of the links: lead to a page of the web, redirects followed
    mean_degree: float  # other pages of the web that a page leads to
    median_degree: float
    cross_host: float  # share of the links between pages that lead to another host


def record_stats(web: VirtualWeb) -> RecordStats:
    """Count the records of a web."""
    statuses: Counter[int] = Counter()
    content_types: Counter[str] = Counter()
    answers: dict[str, Entry] = {}
    for entry in web.entries():
        statuses[entry.status] += 1
        if entry.status == 200:
            content_types[entry.content_type or "none"] += 1
        best = answers.get(entry.key)
        if entry.rank < (best.rank if best else SELF_REDIRECT):
            answers[entry.key] = entry
    return RecordStats(
        records=statuses.total(),
        hosts=len({host_of(entry.url) for entry in answers.values()}),
        redirects=sum(bool(entry.location) for entry in answers.values()),
        statuses=dict(statuses),
        content_types=dict(content_types),
    )


def link_stats(web: AnalysedWeb, tick: Callable[[], None] = lambda: None) -> LinkStats:
    """Count the links of a web, about 2,000 pages a second; `tick` is called once a page."""
    known: dict[str, tuple[str, bool]] = {}  # URL -> lookup key, whether it leads to a page
    links = resolved = 0
    for number in range(len(web)):
        found: dict[str, bool] = {}
        for link in web.page(number).links:
            if (key := known.get(link.url)) is None:
                key = known[link.url] = surt(link.url), web.number(link.url) is not None
            found[key[0]] = key[1]
        links += len(found)
        resolved += sum(found.values())
        tick()
    degrees = np.diff(web.graph.indptr)
    return LinkStats(
        pages=len(web),
        links=links,
        resolved=resolved,
        mean_degree=float(degrees.mean()) if len(web) else 0.0,
        median_degree=float(np.median(degrees)) if len(web) else 0.0,
        cross_host=_cross_host(web),
    )


def _cross_host(web: AnalysedWeb) -> float:
    numbers: dict[str, int] = {}
    hosts = np.array([numbers.setdefault(host_of(url), len(numbers)) for url in web.urls], dtype=np.int64)
    crossing = hosts[sources(web.graph)] != hosts[web.graph.indices]
    return float(crossing.mean()) if len(crossing) else 0.0


def sources(graph: LinkGraph) -> NDArray[np.int64]:
    """Return the page that each link of a graph stands on."""
    return np.repeat(np.arange(len(graph)), np.diff(graph.indptr))


def host_of(url: str) -> str:
    """Return a URL's host as far as it tells sites apart: without www.

    >>> host_of("http://www.example.org/a")
    'example.org'
    """
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
