"""What is in a web: counts of pages, hosts, statuses and links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from urllib.parse import urldefrag, urljoin, urlsplit

from lxml import etree, html

from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.index_file import OK, SELF_REDIRECT, Entry
from focused_crawler.virtualweb.surt import surt
from focused_crawler.virtualweb.truth import RELEVANT, GroundTruth, topics_folder

_HREFS = etree.XPath("//a/@href")
_HTML = frozenset(("text/html", "application/xhtml+xml"))


@dataclass
class WebStats:
    """Counts of a web. A page is a lookup key with an HTML record of status 200; its links are distinct."""

    records: int = 0
    pages: int = 0
    hosts: int = 0
    redirects: int = 0  # lookup keys that answer with a redirect to another
    statuses: Counter[int] = field(default_factory=Counter)  # of records
    content_types: Counter[str] = field(default_factory=Counter)  # of records with status 200
    links: int = 0
    resolved_links: int = 0  # to something the web has
    cross_host_links: int = 0  # of the resolved ones
    page_bytes: list[int] = field(default_factory=list)  # of each page, unpacked

    def count(self, entry: Entry) -> None:
        """Count a record."""
        self.records += 1
        self.statuses[entry.status] += 1
        if entry.status == 200:
            self.content_types[entry.content_type or "none"] += 1

    @property
    def median_bytes(self) -> int:
        return int(median(self.page_bytes)) if self.page_bytes else 0


@dataclass(frozen=True)
class TopicStats:
    """A topic's ground truth in a web."""

    name: str
    relevant: int  # pages
    hosts: int
    missing: int  # relevant pages that the web does not answer with 200


def gather(web: VirtualWeb, tick: Callable[[], None] = lambda: None) -> WebStats:
    """Read the whole web; `tick` is called once a lookup key."""
    stats = WebStats()
    hosts: set[str] = set()
    answers: dict[str, Entry] = {}
    for entry in web.entries():
        stats.count(entry)
        best = answers.get(entry.key)
        if entry.rank < (best.rank if best else SELF_REDIRECT):
            answers[entry.key] = entry
    for entry in answers.values():
        tick()
        hosts.add(host_of(entry.url))
        stats.redirects += bool(entry.location)
        if entry.rank == OK and entry.content_type in _HTML:
            _add_page(stats, web, entry, answers)
    stats.hosts = len(hosts)
    return stats


def _add_page(stats: WebStats, web: VirtualWeb, entry: Entry, answers: dict[str, Entry]) -> None:
    body = web.read(entry).body
    links = page_links(entry.url, body)
    host = host_of(entry.url)
    stats.pages += 1
    stats.page_bytes.append(len(body))
    stats.links += len(links)
    targets = [answers[key].url for key in links if key in answers]
    stats.resolved_links += len(targets)
    stats.cross_host_links += sum(host_of(target) != host for target in targets)


def page_links(url: str, body: bytes) -> dict[str, str]:
    """Return the http and https links of a page, by lookup key, in page order."""
    try:
        hrefs = _HREFS(html.document_fromstring(body))
    except (etree.ParserError, ValueError):
        return {}
    links: dict[str, str] = {}
    for href in hrefs:
        try:
            link = urldefrag(urljoin(url, href.strip())).url
        except ValueError:
            continue
        if link.startswith(("http://", "https://")):
            links.setdefault(surt(link), link)
    return links


def host_of(url: str) -> str:
    """Return a URL's host as far as it tells sites apart: without www.

    >>> host_of("http://www.example.org/a")
    'example.org'
    """
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def topic_stats(web: VirtualWeb) -> list[TopicStats]:
    """Count the ground truth of every topic that lies beside a web."""
    return [_topic(web, path.parent) for path in sorted(topics_folder(web.path).glob(f"*/{RELEVANT}"))]


def _topic(web: VirtualWeb, folder: Path) -> TopicStats:
    truth = GroundTruth.of_topic(folder)
    urls = truth.urls if truth else ()
    missing = sum((entry := web.find(url)) is None or entry.rank != OK for url in urls)
    return TopicStats(folder.name, len(urls), len({host_of(url) for url in urls}), missing)
