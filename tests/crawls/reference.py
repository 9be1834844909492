"""A focused crawler as plain as can be: one list, sorted again before every page. No Scrapy, no frontier."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

from protego import Protego

from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.frontier.order import TieBreaker
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Page
from focused_crawler.page.parser import UnparsablePage, parse_page
from focused_crawler.page.url import host_of, normalise, url_key
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.record import WebRecord

HTML = ("text/html", "application/xhtml+xml")
MAX_BYTES = 1024 * 1024
MAX_HOPS = 10


@dataclass
class Wanted:
    url: str
    priority: float
    depth: int


@dataclass
class Reference:
    """Visits pages of a virtual web in the order that docs/explanation/how_it_works.md promises."""

    plan: CrawlPlan
    web: VirtualWeb
    wanted: dict[int, Wanted] = field(default_factory=dict)
    ended: set[int] = field(default_factory=set)
    load: Counter[str] = field(default_factory=Counter)
    tie: TieBreaker = field(default_factory=lambda: TieBreaker(0))

    def visits(self, pages: int) -> list[str]:
        """Return the first URLs that give a page. The first seed leaves before the others have arrived."""
        first, *others = self.plan.topic.seeds
        self.want(first, 1.0, 0)
        visited = []
        while self.wanted and len(visited) < pages:
            key, best = min(self.wanted.items(), key=self.place)
            del self.wanted[key]
            self.ended.add(key)
            self.load[host_of(best.url)] += 1
            for seed in others:
                self.want(seed, 1.0, 0)
            others = []
            if self.visit(best):
                visited.append(best.url)
        return visited

    def place(self, item: tuple[int, Wanted]) -> tuple[float, int, int]:
        key, wanted = item
        return -wanted.priority, self.load[host_of(wanted.url)], self.tie(key)

    def want(self, url: str, priority: float, depth: int) -> None:
        key = url_key(url)
        if key in self.ended:
            return
        known = self.wanted.setdefault(key, Wanted(url, priority, depth))
        known.priority = max(known.priority, priority)
        known.depth = min(known.depth, depth)

    def visit(self, wanted: Wanted) -> bool:
        """Fetch a page and want its links; return whether there was one."""
        record = self.fetch(wanted.url)
        page = self.read(record) if record else None
        if record is None or page is None:
            return False
        page.depth = wanted.depth
        page.relevance = self.plan.analyst.model.classifier.relevance(page)
        page.is_relevant = page.relevance >= self.plan.analyst.model.threshold
        config = self.plan.config
        partition(page, config.block_alpha, config.block_min_words, config.context_words)
        scores = self.plan.analyst.order.scorer.score(page, page.links)
        for link, score in zip(page.links, scores, strict=True):
            if score is not None:
                self.want(link.url, score, wanted.depth + 1)
        final = url_key(normalise(record.url) or "")
        self.ended.add(final)
        self.wanted.pop(final, None)
        return True

    def fetch(self, url: str) -> WebRecord | None:
        """Follow redirects to the end, unless they lead to what was fetched before."""
        own = url_key(url)
        for _ in range(MAX_HOPS + 1):
            if not self.is_allowed(url) or not (record := self.web.get(url)):
                return None
            if record.status == 200:
                return record if self.is_new(record.url, own) else None
            location = record.header("Location")
            url = normalise(urljoin(record.url, location)) or "" if location else ""
            if not url or not self.is_new(url, own):
                return None
        return None

    def is_new(self, url: str, own: int) -> bool:
        key = url_key(normalise(url) or "")
        return key == own or key not in self.ended

    def is_allowed(self, url: str) -> bool:
        parts = urlsplit(url)
        rules = self.web.get(f"{parts.scheme}://{parts.netloc}/robots.txt")
        text = rules.body.decode() if rules and rules.status == 200 else ""
        return Protego.parse(text).can_fetch(url, "focused-crawler")

    def read(self, record: WebRecord) -> Page | None:
        kind = record.header("Content-Type").partition(";")[0]
        if kind not in HTML or len(record.body) > MAX_BYTES:
            return None
        try:
            return parse_page(record.body, record.url, self.plan.analyst.analyzer, "utf-8")
        except UnparsablePage:
            return None
