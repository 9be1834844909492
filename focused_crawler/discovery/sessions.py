"""Sessions that train the HMM strategies: recorded ones, or walks derived from a crawl or a web."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from focused_crawler.classify.hmm.sessions import FILE_NAME, Session, read_sessions, single_visits, visited
from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.settings import HmmSettings
from focused_crawler.page.model import Page
from focused_crawler.page.url import url_key
from focused_crawler.safety.errors import ConfigError, CrawlError, TopicError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import read_run
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic.topic import Topic
from focused_crawler.virtualweb.analysed.web import AnalysedWeb, Reading
from focused_crawler.virtualweb.graph import LinkGraph
from focused_crawler.virtualweb.index import VirtualWeb

if TYPE_CHECKING:
    from focused_crawler.classify.hmm.model import HmmModel

_PAGES = "SELECT url, requested_url, is_relevant FROM pages ORDER BY position"
_LINKS = """
SELECT s.key, t.key FROM links JOIN urls AS s ON s.id = links.source JOIN urls AS t ON t.id = links.target
WHERE s.key {among} ORDER BY links.source, links.number
"""
_AT_A_TIME = 200
"""Pages whose links are read: those of a large crawl are millions."""


def sessions_of_web(
    web: AnalysedWeb, topic: Topic, is_relevant: Callable[[int], bool], random_seed: int = 0
) -> list[Session]:
    """Return sessions that end in the topic's relevant examples in a web; TopicError if it has none of them.

    `is_relevant` judges a page by its number and must not use ground truth.
    """
    examples = _examples(topic, web.number, web.path)
    return derive_sessions(web.graph, examples, is_relevant, web.urls, random_seed)


def pages_visited(web: AnalysedWeb, sessions: Iterable[Session]) -> dict[str, Page]:
    """Return the pages of a web that sessions visit, by URL."""
    seen = visited(sessions)
    return {url: web.page(number) for number, url in enumerate(web.urls) if url in seen}


def sessions_of_crawl(folder: Path, topic: Topic, random_seed: int = 0) -> list[Session]:
    """Return sessions that lead to the topic's relevant examples along the links that a crawl found.

    That crawl's classifier has judged the other pages. Raises CrawlError for a folder that is no crawl
    of the topic, TopicError if it has fetched none of the examples.
    """
    run = read_run(folder)
    if run is None or run.topic != topic.name:
        what = "has no run.json" if run is None else f"is a crawl of {run.topic}"
        raise CrawlError(
            f"{folder} {what}; name a crawl of {topic.name}, such as crawls/{topic.name}/1, or a web"
        )
    with read_crawl(folder) as database:
        pages = database.rows(_PAGES)
        numbers = _numbers(pages)
        graph = _graph(len(pages), numbers, _links(database, list(numbers)))
    examples = _examples(topic, lambda url: numbers.get(url_key(url)), folder)
    relevant, urls = [bool(page[2]) for page in pages], [str(page[0]) for page in pages]
    return derive_sessions(graph, examples, relevant.__getitem__, urls, random_seed)


def _numbers(pages: Sequence[tuple[str, str, int]]) -> dict[int, int]:
    """Return the number of each page by the key of its URL, and of the URL that redirected to it."""
    numbers: dict[int, int] = {}
    for which in (1, 0):
        numbers |= {url_key(str(page[which])): number for number, page in enumerate(pages)}
    return numbers


def _links(database: CrawlDatabase, keys: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the links of pages, as keys of both ends, page by page."""
    query = _LINKS.format(among=database.among)
    for at in range(0, len(keys), _AT_A_TIME):
        yield from database.rows(query, (database.many(keys[at : at + _AT_A_TIME]),))


def _graph(pages: int, numbers: Mapping[int, int], links: Iterable[tuple[int, int]]) -> LinkGraph:
    rows: list[list[int]] = [[] for _ in range(pages)]
    for source, target in links:
        if source in numbers and target in numbers:
            rows[numbers[source]].append(numbers[target])
    return LinkGraph.of(rows)


def _examples(topic: Topic, number: Callable[[str], int | None], place: Path) -> list[int]:
    """Return the numbers of the topic's relevant examples by their URLs; TopicError where none has one."""
    found = [number(url) for url in topic.relevant_examples if "://" in url]
    examples = [known for known in found if known is not None]
    if not examples:
        raise TopicError(
            f"{place} has none of the relevant examples of {topic.name}, where sessions have to end;"
            " name another one, or add some of its pages to relevant under [examples]"
        )
    return examples


class SessionSource:
    """Sessions of a topic: those in its folder, or those derived from a crawl or a web that a user names."""

    def __init__(self, topic: Topic, settings: HmmSettings, source: Path | None) -> None:
        """Read what needs no page; raises TopicError, CrawlError, WebError or ConfigError."""
        self._topic, self._settings = topic, settings
        self._web = source if source is not None and source.is_file() else None
        if self._web is not None:
            VirtualWeb(self._web).close()  # it is one, which is known before any page is fetched
        self._sessions = [] if self._web else _recorded(topic, settings, source)

    @property
    def wanted(self) -> Iterable[str]:
        """Return the URLs of pages that have to be fetched; those of a web come from there."""
        return visited(self._sessions)

    def train(self, judge: TopicModel, pages: Mapping[str, Page], other: Iterable[str]) -> HmmModel | None:
        """Return the model of the HMM strategies, None without sessions to train from.

        `judge` judges the pages of a web. `pages`: the wanted ones and the topic's examples, which are
        training examples as well; `other` names those that are not relevant.
        """
        # It loads slowly, and Scrapy loads this module for each of its commands.
        from focused_crawler.classify.hmm.training import train_hmm  # noqa: PLC0415

        sessions = self._sessions
        if self._web:
            sessions, found = self._in_web(self._web, judge)
            pages = {**pages, **found}
        if not sessions:
            return None
        examples = single_visits(self._topic.relevant_examples, other)
        return train_hmm(self._topic, [*sessions, *examples], pages, self._settings)

    def _in_web(self, path: Path, judge: TopicModel) -> tuple[list[Session], dict[str, Page]]:
        with AnalysedWeb(path, Reading(language=self._topic.language)) as web:

            def is_relevant(number: int) -> bool:
                return judge.classifier.relevance(web.page(number)) >= judge.threshold

            sessions = sessions_of_web(web, self._topic, is_relevant, self._settings.random_seed)
            return sessions, pages_visited(web, sessions)


def _recorded(topic: Topic, settings: HmmSettings, source: Path | None) -> list[Session]:
    if source is None:
        path = topic.folder / FILE_NAME
        return read_sessions(path) if path.exists() else []
    if not source.is_dir():
        raise ConfigError(
            f"--sessions-from names {source}, where there is nothing; use the folder of a crawl, such as"
            f" crawls/{topic.name}/1, or a virtual web (.warc.gz)"
        )
    return sessions_of_crawl(source, topic, settings.random_seed)


LINKS = 3
"""Links of a walk, at most."""
WALKS = 3
"""Walks that end in one example. Most pages that link to a relevant one are relevant. More and longer walks
would make them outnumber all other pages, and any page of a crawl would look like one of them.
"""


def derive_sessions(
    graph: LinkGraph,
    examples: Sequence[int],
    is_relevant: Callable[[int], bool],
    urls: Sequence[str],
    random_seed: int = 0,
) -> list[Session]:
    """Return sessions that end in the relevant examples (pages of the graph, each once).

    A walk goes backwards from an example: from page to a page that links to it, each as likely, none twice.
    `is_relevant` judges the pages on the way, each once, and must know no ground truth; the examples are
    relevant. `urls` names the pages. The same seed gives the same walks.
    """
    known = frozenset(examples)
    judge = cache(lambda page: page in known or bool(is_relevant(page)))
    sources = graph.reverse()
    chance = random.Random(random_seed)
    walks = [_walk(sources, example, chance) for example in sorted(known) for _ in range(WALKS)]
    return [
        Session(tuple(urls[page] for page in walk), tuple(judge(page) for page in walk))
        for walk in dict.fromkeys(walks)
    ]


def _walk(sources: LinkGraph, end: int, chance: random.Random) -> tuple[int, ...]:
    walk = [end]
    while len(walk) <= LINKS:
        choices = [page for page in sources.out(walk[-1]).tolist() if page not in walk]
        if not choices:
            break
        walk.append(chance.choice(choices))
    return tuple(reversed(walk))
