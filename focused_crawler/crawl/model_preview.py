"""What another model would change in a crawl: which pages are relevant, which URLs come next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import nlargest, nsmallest
from pathlib import Path
from typing import NamedTuple

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.handover import Handover, Rejudged
from focused_crawler.crawl.judging import TextVerdict
from focused_crawler.frontier.partitioned.partition import host_number
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.safety.progress import shown
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.draft import draft_of
from focused_crawler.store.job import RunInfo
from focused_crawler.store.pages import PageStore

MOST_PREVIEWED = 10_000
"""Pages of a crawl whose change of sides is shown in advance: half a minute."""
MOST_PAGES = 20
"""Pages that are named, of those that change to a side."""
NEXT = 100
"""URLs that come next."""

_NEXT = "SELECT url FROM urls WHERE state IN (1, 2) ORDER BY tries, priority DESC, tie LIMIT ?"
_NAMED = "SELECT position, url, title FROM pages WHERE position {among}"


class ChangedPage(NamedTuple):
    """A page that changes sides."""

    url: str
    title: str
    relevance: float  # by the new model


class ComingUrl(NamedTuple):
    """A URL that would come next."""

    url: str
    place: int | None  # where it stands now among those that come next, from 1; None: not there


class ModelPreview(NamedTuple):
    """What would become of a crawl."""

    folder: str
    pages: int
    gained: int  # would be relevant, and are not
    lost: int
    now_relevant: list[ChangedPage]  # the most relevant first
    no_longer: list[ChangedPage]  # the least relevant first
    coming: list[ComingUrl]  # in their order by the new model
    others: int  # of these, not among those that come next now


def preview(folder: Path, run: RunInfo, analyst: Analyst) -> ModelPreview | None:
    """Do it all in a draft of the crawl in a folder; `analyst`: with the new model, and for nothing else.

    None where nobody waits for so many pages. CrawlError where there are no texts, or PostgreSQL has it open.
    """
    with draft_of(folder) as database:
        if not 0 < PageStore(database).counters["pages"] <= MOST_PREVIEWED:
            return None
        before = _next(database)
        outcome, changed = rejudged(run, database, analyst)
        database.flush()
        places = {url: number for number, url in enumerate(before, start=1)}
        coming = [ComingUrl(url, places.get(url)) for url in _next(database)]
        gained = [verdict for verdict in changed if verdict.is_relevant]
        lost = [verdict for verdict in changed if not verdict.is_relevant]
        return ModelPreview(
            folder=str(folder),
            pages=outcome.pages,
            gained=outcome.gained,
            lost=outcome.lost,
            now_relevant=_named(database, nlargest(MOST_PAGES, gained, key=_relevance)),
            no_longer=_named(database, nsmallest(MOST_PAGES, lost, key=_relevance)),
            coming=coming,
            others=sum(one.place is None for one in coming),
        )


def rejudged(run: RunInfo, database: CrawlDatabase, analyst: Analyst) -> tuple[Rejudged, list[TextVerdict]]:
    """Judge all pages anew and return which changed sides; nothing is committed."""
    number = host_number if run.is_shared else None
    frontier = SqlFrontier(database, analyst.config.rules(), number) if run.has_frontier else None
    handover = Handover(analyst, database, PageStore(database), frontier)
    found: list[Rejudged] = []

    def verdicts() -> Iterator[TextVerdict | None]:
        found.append((yield from handover.parts()))

    pages = handover.pages
    changed = [
        verdict
        for verdict in shown(verdicts(), "pages judged", pages, lambda one: one.position if one else pages)
        if verdict is not None and verdict.is_relevant != verdict.was_relevant
    ]
    if frontier is not None:
        frontier.close()
    return found[0], changed


def _next(database: CrawlDatabase) -> list[str]:
    return [url for (url,) in database.rows(_NEXT, (NEXT,))]


def _named(database: CrawlDatabase, verdicts: Sequence[TextVerdict]) -> list[ChangedPage]:
    positions = database.many([verdict.position for verdict in verdicts])
    rows = database.rows(_NAMED.format(among=database.among), (positions,))
    names = {position: (url, title) for position, url, title in rows}
    return [ChangedPage(*names[one.position], one.relevance) for one in verdicts]


def _relevance(verdict: TextVerdict) -> float:
    return verdict.relevance
