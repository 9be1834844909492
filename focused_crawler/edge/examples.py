"""Collects example pages: reads saved ones, and fetches others as politely and safely as any page."""

from __future__ import annotations

import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcessBase
from scrapy.http import Response, TextResponse
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from twisted.python.failure import Failure

from focused_crawler.classify.base import PageClassifier
from focused_crawler.classify.examples import (
    ExampleNames,
    Examples,
    needs_pseudo_examples,
    other_examples,
    read_example,
    unlike,
)
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.words import ColdClassifier
from focused_crawler.crawl.failure import label
from focused_crawler.discovery.thesaurus_sources import Texts
from focused_crawler.edge.command import crawl_to_end
from focused_crawler.edge.download.virtual_web import web_from_settings
from focused_crawler.edge.failures import classify
from focused_crawler.edge.http import nofollow_for
from focused_crawler.edge.middlewares.hints import HintsMiddleware
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Page
from focused_crawler.page.nofollow import NOFOLLOW
from focused_crawler.page.parser import UnparsablePage, parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.content import PAGE_STATUSES
from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import say
from focused_crawler.safety.progress import note
from focused_crawler.topic.thesaurus.document_counts import SourceText
from focused_crawler.topic.thesaurus.phrases import bordered_text
from focused_crawler.topic.topic import Topic

NEIGHBOURHOOD = 100
"""Pages fetched near the seeds, those first that the most relevant pages link to."""

_AT_ONCE = 4  # pages near the seeds
NO_CRAWL = SETTINGS_PRIORITIES["cmdline"] + 1
"""Priority of having no topic: Scrapy takes over the settings of its process once more, as it begins."""


class ExamplesSpider(Spider):
    """Fills `fetched` (URL -> Page) and `missing` (URL -> why) with the outcome of each URL it was given."""

    name = "examples"
    custom_settings = {  # noqa: RUF012 - as Scrapy types it
        "DOWNLOADER_MIDDLEWARES": {HintsMiddleware: None},
        "RETRY_GIVE_UP_LOG_LEVEL": "DEBUG",
    }
    """What cannot be had is said by who asked for it."""

    def __init__(
        self, urls: Iterable[str], analyzer: Analyzer, nofollow: str = NOFOLLOW[0], **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._urls = list(urls)
        self._analyzer = analyzer
        self._nofollow = nofollow
        self.ending = ""  # by a second signal
        self.fetched: dict[str, Page] = {}
        self.missing: dict[str, str] = {}

    async def start(self) -> AsyncIterator[Any]:
        for url in self._urls:
            yield Request(url, errback=self.failed, cb_kwargs={"example": url}, dont_filter=True)

    def parse(self, response: Response, **kwargs: Any) -> None:
        page = self._read(response)
        if isinstance(page, Page):
            self.fetched[str(kwargs["example"])] = page
        else:
            self.missing[str(kwargs["example"])] = page
        self._note()

    def failed(self, failure: Failure) -> None:
        """Note why an example could not be fetched."""
        request: Request = failure.request  # type: ignore[attr-defined]
        self.missing[str(request.cb_kwargs["example"])] = _reason(failure)
        self._note()

    def closed(self, reason: str) -> None:
        """Note how it ended."""
        self.ending = reason

    def _note(self) -> None:
        note("examples fetched", len(self.fetched) + len(self.missing), len(self._urls))

    def _read(self, response: Response) -> Page | str:
        """Return a page, or why there is none."""
        if response.status not in PAGE_STATUSES:
            return f"HTTP {response.status}"
        if not isinstance(response, TextResponse):
            return "not HTML"
        try:
            nofollow = nofollow_for(response, self._nofollow, self.crawler)
            return parse_page(response.body, response.url, self._analyzer, response.encoding, nofollow)
        except UnparsablePage:
            return "unparsable"


def _reason(failure: Failure) -> str:
    response = getattr(failure.value, "response", None)
    return f"HTTP {response.status}" if response is not None else classify(failure.value).reason


class NeighboursSpider(ExamplesSpider):
    """Fills `near`, too: pages from the seeds on, those first that the most relevant pages link to.

    And `lost`: why seeds could not be fetched.
    """

    name = "neighbours"

    def __init__(
        self, *args: Any, seeds: Iterable[str], classifier: PageClassifier, most: int, **kwargs: Any
    ) -> None:
        """Take the examples, and how many pages near the seeds are enough; twice as many are requested."""
        super().__init__(*args, **kwargs)
        self._classifier = classifier
        self._most, self._left = most, 2 * most
        self._known: set[str] = set()
        self._waiting: list[tuple[float, int, str]] = []
        self._seeds = dict.fromkeys(seeds)
        self._offer(self._seeds, 1.0)
        self._under_way = 0
        self.near: dict[str, Page] = {}
        self.lost: dict[str, str] = {}

    async def start(self) -> AsyncIterator[Any]:
        async for request in super().start():
            yield request
        for request in self._next():
            yield request

    def explore(self, response: Response, near: str) -> Iterator[Request]:
        """Take in a page near the seeds, and ask for the next."""
        page = self._read(response)
        if isinstance(page, Page):
            partition(page)
            self.near[response.url] = page
            self._offer((link.url for link in page.links), self._classifier.relevance(page))
        else:
            self._lose(near, page)
        yield from self._done()

    def skipped(self, failure: Failure) -> Iterator[Request]:
        """Ask for the next: training needs none of these pages."""
        self._lose(failure.request.cb_kwargs["near"], _reason(failure))  # type: ignore[attr-defined]
        yield from self._done()

    def _lose(self, url: str, reason: str) -> None:
        if url in self._seeds:
            self.lost[url] = reason

    def _done(self) -> Iterator[Request]:
        self._under_way -= 1
        yield from self._next()

    def _next(self) -> Iterator[Request]:
        """Request a few pages at a time: each answer changes which are best."""
        while self._waiting and self._left and self._under_way < min(_AT_ONCE, self._most - len(self.near)):
            url = heappop(self._waiting)[2]
            self._left -= 1
            self._under_way += 1
            about = {"near": url}
            yield Request(url, callback=self.explore, errback=self.skipped, cb_kwargs=about, dont_filter=True)

    def _offer(self, urls: Iterable[str], relevance: float) -> None:
        for url in urls:
            if url not in self._known:
                self._known.add(url)
                heappush(self._waiting, (-relevance, len(self._known), url))


SomeSpider = TypeVar("SomeSpider", bound=ExamplesSpider)


def run_spider(process: CrawlerProcessBase, kind: type[SomeSpider], **arguments: Any) -> SomeSpider:
    """Let a spider fetch what it is given, and return it; a process can do that once.

    Raises KeyboardInterrupt if a user stops it: it has not fetched all then. Scrapy would go on, and leave
    its handler of signals behind, which does nothing without its loop.
    """
    crawler = process.create_crawler(kind)
    crawler.settings.set("FOCUSED_TOPIC", "", priority=NO_CRAWL)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    crawl_to_end(process, crawler, **arguments)
    for number, handler in before.items():
        signal.signal(number, handler)
    spider = crawler.spider
    if not isinstance(spider, kind) or spider.ending in {"", "shutdown"}:
        raise KeyboardInterrupt
    return spider


def example_names(topic: Topic, classifier: ClassifierSettings, settings: BaseSettings) -> ExampleNames:
    """Name all examples that training uses; raises ConfigError, and WebError for a recorded web."""
    names, web = ExampleNames.of(topic, classifier), web_from_settings(settings)
    if web is None:
        return names
    with web:
        return names.in_web(web.__contains__, web.page_urls(), classifier)


class Collected(NamedTuple):
    """Example pages, and those of browsing records."""

    examples: Examples
    pages: Mapping[str, Page]  # by name


def collect_examples(
    process: CrawlerProcessBase,
    topic: Topic,
    names: ExampleNames,
    recorded: Iterable[str],
    analyzer: Analyzer,
) -> Collected:
    """Read and fetch the named pages, and report on stderr which are missing.

    `recorded`: pages of browsing records. Pages near the seeds come with them if the topic needs
    pseudo-examples.
    """
    chosen = dict.fromkeys([*names.relevant, *names.other, *recorded])
    pages = {name: read_example(topic.folder / name, analyzer) for name in chosen if "://" not in name}
    urls = [name for name in dict.fromkeys([*chosen, *names.background, *names.by_chance]) if "://" in name]
    spider: ExamplesSpider
    near: dict[str, Page] = {}
    if needs_pseudo_examples(topic):
        exploring = run_spider(
            process,
            NeighboursSpider,
            urls=urls,
            analyzer=analyzer,
            seeds=topic.seeds,
            classifier=ColdClassifier.of(topic, analyzer),
            most=NEIGHBOURHOOD,
        )
        spider, near = exploring, exploring.near
        if exploring.lost:
            say(missing_text(exploring.lost, len(set(topic.seeds)), "start page"), to=sys.stderr)
    elif urls:
        spider = run_spider(process, ExamplesSpider, urls=urls, analyzer=analyzer)
    else:
        spider = ExamplesSpider(urls, analyzer)
    own = {url: why for url, why in spider.missing.items() if url in chosen}
    if own:
        say(missing_text(own, sum("://" in name for name in chosen)), to=sys.stderr)
    if lost := sum(url in spider.missing for url in names.background if url not in own):
        total = plural(len(names.background), "page")
        say(f"{lost} of {total} of other topics could not be fetched; training continues without them.")
    pages |= spider.fetched
    for page in pages.values():
        partition(page)
    known = {page.url for page in pages.values()}
    relevant, other, background, by_chance = (
        [pages[name] for name in kind if name in pages]
        for kind in (names.relevant, names.other, names.background, names.by_chance)
    )
    if by_chance:
        taken = unlike(topic, by_chance, analyzer)
        say(f"The web lacks pages of other topics: {len(taken)} of its own, taken by chance, stand for them.")
        background += taken
    examples = Examples(
        relevant, other, background, [page for page in near.values() if page.url not in known]
    )
    return Collected(examples, pages)


def fetch_pages(process: CrawlerProcessBase, urls: list[str], analyzer: Analyzer) -> dict[str, Page]:
    """Return the pages that could be fetched, by URL; reports on stderr how many could not, and why."""
    if not urls:
        return {}
    spider = run_spider(process, ExamplesSpider, urls=urls, analyzer=analyzer)
    if spider.missing:
        say(missing_text(spider.missing, len(urls)), to=sys.stderr)
    return spider.fetched


def named_pages(
    process: CrawlerProcessBase, names: Sequence[str], analyzer: Analyzer, folder: Path
) -> dict[str, Page]:
    """Return the pages saved in a folder, and those that could be fetched, in the order of their names."""
    pages = {name: read_example(folder / name, analyzer) for name in names if "://" not in name}
    pages |= fetch_pages(process, [name for name in names if "://" in name], analyzer)
    return {name: pages[name] for name in names if name in pages}


def missing_text(missing: Mapping[str, str], wanted: int, what: str = "page") -> str:
    """Return how many pages are missing, and why."""
    reasons = Counter(missing.values()).most_common()
    text = ", ".join(f"{label(reason)} {number}x" for reason, number in reasons)
    return f"{len(missing)} of {plural(wanted, what)} could not be fetched: {text}"


def texts_of_examples(process: CrawlerProcessBase, topic: Topic) -> Texts:
    """Return a topic's examples, with those of other topics where it has no others of its own.

    Raises TopicError where no page of a kind can be fetched.
    """
    relevant, other = topic.relevant_examples, other_examples(topic)
    if not relevant or not other:
        raise TopicError(
            f"{topic.name} has no {'other' if relevant else 'relevant'} examples; name pages under [examples]"
            " in its topic.toml, or grow from --crawl FOLDER or --search"
        )
    names, analyzer = [*relevant, *other], Analyzer(topic.language)
    texts = _texts(named_pages(process, names, analyzer, topic.folder), analyzer)
    found = Texts(*([texts[name] for name in kind if name in texts] for kind in (relevant, other)))
    if not found.relevant or not found.other:
        raise TopicError(f"too few examples of {topic.name} could be fetched; name pages that can be fetched")
    return found


def fetched_texts(process: CrawlerProcessBase, urls: Sequence[str], topic: Topic) -> list[SourceText]:
    """Return the words of pages; reports on stderr which are missing. A process can do that once."""
    analyzer = Analyzer(topic.language)
    return list(_texts(fetch_pages(process, list(urls), analyzer), analyzer).values())


def _texts(pages: Mapping[str, Page], analyzer: Analyzer) -> dict[str, SourceText]:
    for page in pages.values():
        partition(page)
    return {name: SourceText(name, bordered_text(page, analyzer)) for name, page in pages.items()}
