"""Orders to a crawl under way, as people give them: checked here, carried out by the crawl itself."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from focused_crawler.classify.taxonomy.folder import load_tree
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.plan import LIMITS
from focused_crawler.page.url import normalise, url_key
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.printable import place, printable
from focused_crawler.store import orders
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo, run_of
from focused_crawler.store.opening import is_in_use, read_crawl
from focused_crawler.topic.topic import load_topic
from focused_crawler.topic.writer import mark_categories

ANSWER_SECONDS = 15.0
"""So long an answer is waited for: a crawl looks for orders once a second, and judges some thousand pages."""
MOST_URLS = 1000
_LOOK_SECONDS = 0.1
_ENDED = "the crawl ended before it had done that; what still applies is done when it goes on"


def stop(folder: Path) -> float:
    """Let a crawl end, so that the same command goes on; return when it was told; raises CrawlError."""
    _check(folder)
    return orders.give(folder, orders.STOP)


def change_budget(folder: Path, limits: Mapping[str, float | None]) -> float:
    """Let a crawl spend so many `pages`, `relevant` pages or `minutes` in all; 0: any number."""
    _check(folder, orders.BUDGET)
    given = {name: limit for name, limit in limits.items() if limit is not None}
    if not given:
        raise CrawlError(f"no limit is given; name one of {', '.join(LIMITS)}")
    return orders.give(folder, orders.BUDGET, json.dumps(limits_of(json.dumps(given))))


def add_pages(folder: Path, urls: Sequence[str]) -> float:
    """Let a crawl fetch pages before all others: hubs of an alarm, or what somebody knows."""
    _check(folder, orders.ADD)
    for url in urls:
        if normalise(url) is None:
            raise CrawlError(
                f"a crawl cannot fetch {printable(url)}; write a URL as https://www.example.org/"
            )
    if not 0 < len(urls) <= MOST_URLS:
        raise CrawlError(f"{len(urls)} URLs are given; give 1 to {MOST_URLS}")
    return orders.give(folder, orders.ADD, json.dumps(list(urls)))


def mark(folder: Path, good: Sequence[str], not_good: Sequence[str] = ()) -> float:
    """Mark categories as good for a crawl's topic, or no longer, and let the crawl judge by that."""
    _check(folder, orders.MARKS)
    run = run_of(folder)
    topic = load_topic(run.topic_name)
    new = [path for path in good if path not in topic.good_categories]
    if new:
        load_tree(CrawlConfig.from_settings(run.settings).taxonomy).good_nodes(new)  # TopicError for others
    mark_categories(topic, new, not_good)
    return orders.give(folder, orders.MARKS, json.dumps({"good": list(good), "not_good": list(not_good)}))


def fleet_command(run: RunInfo) -> str:
    """Return what goes on with the crawl of a fleet."""
    return shlex.join(["scrapy", "fleet", run.topic_name, "--workers", "2", "--job", run.job])


def wait_for_answer(folder: Path, given_at: float, seconds: float = ANSWER_SECONDS) -> str | None:
    """Return what a crawl says of an order; None: it has not carried it out by then."""
    end = time.monotonic() + seconds
    with read_crawl(folder) as database:
        while (answer := orders.answer_to(database, given_at)) is None and time.monotonic() < end:
            time.sleep(_LOOK_SECONDS)
        if answer is None and not is_in_use(folder):  # killed, and its log says no more
            answer = orders.answer_to(database, given_at) or _ENDED
    return answer


def limits_of(detail: str) -> dict[str, float]:
    """Return the limits that an order names; raises CrawlError."""
    found = _json(detail)
    fits = isinstance(found, dict) and found.keys() <= LIMITS.keys()
    if not fits or not all(_is_limit(name, limit) for name, limit in found.items()):
        raise CrawlError(f"{printable(detail)} is no budget; give whole numbers of {', '.join(LIMITS)}")
    return {str(name): limit for name, limit in found.items()}


def urls_of(detail: str) -> list[str]:
    """Return the URLs that an order names; raises CrawlError."""
    found = _json(detail)
    if not isinstance(found, list) or not all(isinstance(url, str) for url in found):
        raise CrawlError(f"{printable(detail)} is no list of URLs")
    return found[:MOST_URLS]


_RAISED = "SELECT key FROM decisions JOIN urls ON urls.id = decisions.url WHERE decision = 'raised'"


class FirstPages:
    """The pages that come before all others: start pages, and what somebody ordered or a hub has raised."""

    def __init__(self, database: CrawlDatabase, starts: Iterable[int]) -> None:
        """`starts`: keys of the start pages."""
        self._database = database
        self._last = 0  # order that is known
        self.keys = {*starts, *(key for (key,) in database.rows(_RAISED))}
        self.read()

    def add(self, urls: Iterable[str]) -> None:
        """Take note of normalised URLs."""
        self.keys.update(map(url_key, urls))

    def read(self) -> None:
        """Take note of what was ordered since the last time, whichever process carries it out."""
        while (order := orders.newer(self._database, orders.ADD, self._last)) is not None:
            self._last = order.id
            with suppress(CrawlError):  # whoever carries it out says what is wrong
                self.add(filter(None, map(normalise, urls_of(order.detail))))


def _is_limit(name: str, limit: object) -> bool:
    kinds = (int, float) if name == "minutes" else (int,)
    return isinstance(limit, kinds) and not isinstance(limit, bool) and 0 <= limit < 1e12


def _json(detail: str) -> Any:
    try:
        return json.loads(detail)
    except (ValueError, RecursionError):
        return None


def _check(folder: Path, what: str = "") -> None:
    """Raise CrawlError where nobody would obey."""
    run = run_of(folder)
    if not is_in_use(folder):
        raise CrawlError(f"{place(folder)} is not under way; the command that began it goes on with it")
    if run.is_shared and what:
        raise CrawlError(
            f"{place(folder)} is a fleet's, which obeys one order while it runs: stop; after that give its"
            " command again, changed"
        )
