"""Browsing sessions out of what was crawled or recorded before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from focused_crawler.browsing.session import Session, visited
from focused_crawler.browsing.walks import derive_sessions
from focused_crawler.errors import CrawlError, TopicError
from focused_crawler.page.model import Page
from focused_crawler.page.url import url_key
from focused_crawler.store.job import read_run
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic import Topic
from focused_crawler.virtualweb.analysed import AnalysedWeb
from focused_crawler.virtualweb.graph import LinkGraph

_PAGES = "SELECT url, requested_url, is_relevant FROM pages ORDER BY position"
_LINKS = """
SELECT s.key, t.key FROM links JOIN urls AS s ON s.id = links.source JOIN urls AS t ON t.id = links.target
ORDER BY links.source, links.number
"""


def sessions_of_web(
    web: AnalysedWeb, topic: Topic, is_relevant: Callable[[Page], bool], random_seed: int = 0
) -> tuple[list[Session], dict[str, Page]]:
    """Return sessions that lead to the topic's relevant examples in a web, and the pages they visit.

    `is_relevant` judges pages and must know no ground truth. TopicError if the web has none of the examples.
    """
    found = [web.number(url) for url in topic.relevant_examples if "://" in url]
    examples = [number for number in found if number is not None]
    _check(topic, examples, str(web.path))
    sessions = derive_sessions(
        web.graph, examples, lambda number: is_relevant(web.page(number)), web.urls, random_seed
    )
    seen = visited(sessions)
    return sessions, {url: web.page(number) for number, url in enumerate(web.urls) if url in seen}


def sessions_of_crawl(folder: Path, topic: Topic, random_seed: int = 0) -> list[Session]:
    """Return sessions that lead to the topic's relevant examples along the links that a crawl found.

    The other pages are judged as that crawl's classifier did. Raises CrawlError for a folder that is no crawl
    of the topic, TopicError if it has fetched none of the examples.
    """
    run = read_run(folder)
    if run is None or run.topic != topic.name:
        what = "has no run.json" if run is None else f"is a crawl of {run.topic}"
        raise CrawlError(
            f"{folder} {what}; name a crawl of {topic.name}, such as crawls/{topic.name}/1, or a web"
        )
    with read_crawl(folder) as database:
        pages, links = database.rows(_PAGES), database.rows(_LINKS)
    numbers = _numbers(pages)
    known = (numbers.get(url_key(url)) for url in topic.relevant_examples if "://" in url)
    examples = [number for number in known if number is not None]
    _check(topic, examples, str(folder))
    relevant, urls = [bool(page[2]) for page in pages], [str(page[0]) for page in pages]
    return derive_sessions(
        _graph(len(pages), numbers, links), examples, relevant.__getitem__, urls, random_seed
    )


def _numbers(pages: Sequence[tuple[str, str, int]]) -> dict[int, int]:
    """Return the number of each page by the key of its URL, and of the one that redirects led from."""
    numbers: dict[int, int] = {}
    for which in (1, 0):
        numbers |= {url_key(str(page[which])): number for number, page in enumerate(pages)}
    return numbers


def _graph(pages: int, numbers: Mapping[int, int], links: Sequence[tuple[int, int]]) -> LinkGraph:
    rows: list[list[int]] = [[] for _ in range(pages)]
    for source, target in links:
        if source in numbers and target in numbers:
            rows[numbers[source]].append(numbers[target])
    return LinkGraph.of(rows)


def _check(topic: Topic, examples: Sequence[int], place: str) -> None:
    if not examples:
        raise TopicError(
            f"{place} has none of the relevant examples of {topic.name}, where sessions have to end;"
            " name another one, or add some of its pages to relevant under [examples]"
        )
