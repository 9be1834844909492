"""A crawl, stopped or under way, gets the model that its topic has now."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from scrapy.settings import BaseSettings

from focused_crawler.classify.model import TopicModel
from focused_crawler.crawl import reopened
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.handover import Handover, Rejudged
from focused_crawler.crawl.judging import TextVerdict, write_up
from focused_crawler.edge.arguments import TOPIC_SPIDER, apply_arguments
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.report.page import write_report
from focused_crawler.safety.errors import CrawlError, CrawlInUse, FocusedCrawlerError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import place, printable, say
from focused_crawler.safety.progress import shown
from focused_crawler.store import orders
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo, last_crawl, run_of
from focused_crawler.store.opening import change_crawl, read_crawl
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.topic import Topic, load_topic

MOST_PREVIEWED = 10_000
"""Pages of a crawl whose change of sides is shown in advance: half a minute."""
MOST_SHOWN = 3
ANSWER_SECONDS = 15.0
"""So long a crawl under way is waited for: one of some thousand pages has done it by then."""


def analyst_of(settings: BaseSettings, run: RunInfo, model: TopicModel | None = None) -> Analyst:
    """Return what a crawl judges its pages by, as it is today; `model`: in the place of its topic's.

    Raises the errors of reading it.
    """
    settings = settings.copy()
    given = {"topic": run.topic_name, "strategy": run.strategy}
    apply_arguments(settings, TOPIC_SPIDER, given)
    return reopened.analyst_of(run, settings, model)


def crawl_to_change(topic: Topic, crawls: Path) -> Path | None:
    """Return the crawl of a topic that a new model is for: its last one; None: there is none."""
    try:
        return last_crawl(crawls, topic.name)
    except CrawlError:
        return None


def hand_over(folder: Path, settings: BaseSettings, topic: Topic, model: TopicModel) -> None:
    """Let the crawl in a folder judge its pages, and score its links, by its topic's model.

    It says what came of it. A crawl under way does so by itself, beside its work; CrawlError where none can.
    """
    run = run_of(folder)
    try:
        database = change_crawl(folder)
    except CrawlInUse:
        if run.is_shared:
            raise CrawlError(f"{folder} is a crawl of several workers; stop it, and try again") from None
        its = load_topic(run.topic_name).folder
        if its.resolve() != topic.folder.resolve():
            raise CrawlError(f"{folder} is a crawl of the topic in {its}, not of {topic.folder}") from None
        _order(folder)
        return
    with database:
        outcome = _change(folder, run, database, analyst_of(settings, run, model))
    say(f"{place(folder)}: {outcome}", f"Report in {place(write_report(folder))}")


def preview(folder: Path, settings: BaseSettings, model: TopicModel) -> None:
    """Say which pages of a crawl that has stopped would change sides by a model, and what would come next.

    It is done, and not committed. Nothing is said of a crawl under way, a large one, or one without texts.
    """
    run = run_of(folder)
    try:
        with change_crawl(folder) as database:
            if not 0 < PageStore(database).counters["pages"] <= MOST_PREVIEWED:
                return
            before = _next_urls(database)
            outcome, changed = _done(run, database, analyst_of(settings, run, model))
            database.flush()
            after = _next_urls(database)
            urls = {url: verdict for verdict in changed for url in _url_of(database, verdict)}
    except CrawlError:
        return
    except FocusedCrawlerError as error:  # its settings may name what is not there any more
        say(f"{place(folder)} cannot go on as it was: {printable(str(error))}")
        return
    say(
        f"{place(folder)}: of {outcome.pages:,} pages {outcome.gained:,} would be relevant that were not, and"
        f" {outcome.lost:,} no longer."
    )
    for title, side in (("Now relevant", True), ("No longer", False)):
        some = [url for url, verdict in urls.items() if verdict.is_relevant is side]
        say(*(f"  {title}: {printable(url)}" for url in some[:MOST_SHOWN]))
    if before:
        others = len(set(after) - set(before))
        say(f"Of the {plural(len(after), 'URL')} that come next, {others} would be others.")


_NEXT = "SELECT url FROM urls WHERE state IN (1, 2) ORDER BY tries, priority DESC, tie LIMIT 100"


def _next_urls(database: CrawlDatabase) -> list[str]:
    return [url for (url,) in database.rows(_NEXT)]


def _url_of(database: CrawlDatabase, verdict: TextVerdict) -> list[str]:
    return [url for (url,) in database.rows("SELECT url FROM pages WHERE position = ?", (verdict.position,))]


def _done(run: RunInfo, database: CrawlDatabase, analyst: Analyst) -> tuple[Rejudged, list[TextVerdict]]:
    """Judge all pages anew and return which changed sides; nothing is committed."""
    frontier = SqlFrontier(database, analyst.config.rules()) if run.has_frontier else None
    handover = Handover(analyst, database, PageStore(database), frontier)
    found: list[Rejudged] = []

    def verdicts() -> Iterator[TextVerdict | None]:
        found.append((yield from handover.parts()))

    changed = [
        verdict
        for verdict in shown(verdicts(), "pages judged", handover.pages, lambda one: one is not None)
        if verdict is not None and verdict.is_relevant != verdict.was_relevant
    ]
    if frontier is not None:
        frontier.close()
    return found[0], changed


def _change(folder: Path, run: RunInfo, database: CrawlDatabase, analyst: Analyst) -> Rejudged:
    outcome, _ = _done(run, database, analyst)
    PageStore(database).name_judge(outcome.judge)
    orders.all_carried_out(database, orders.MODEL, str(outcome))  # that a crawl was cut off from
    database.commit()
    write_up(folder, run, database, outcome.judge)
    return outcome


def _order(folder: Path) -> None:
    orders.give(folder, orders.MODEL)
    say(f"{place(folder)} is under way: it judges by the new model from now on, and goes over its pages.")
    end = time.monotonic() + ANSWER_SECONDS
    with read_crawl(folder) as database:
        while (answer := orders.last_answer(database)) is None and time.monotonic() < end:
            time.sleep(0.2)
    say(answer or "It has not finished yet; its log tells when it has.")
