"""A crawl, stopped or under way, gets the model that its topic has now."""

from __future__ import annotations

from pathlib import Path

from scrapy.settings import BaseSettings

from focused_crawler.classify.model import TopicModel
from focused_crawler.crawl import reopened
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.handover import Rejudged
from focused_crawler.crawl.judgement_files import write_up
from focused_crawler.crawl.judging import check_texts
from focused_crawler.crawl.model_preview import rejudged
from focused_crawler.crawl.ordering import wait_for_answer
from focused_crawler.edge.arguments import TOPIC_SPIDER, apply_arguments
from focused_crawler.report.page import write_report
from focused_crawler.safety.errors import CrawlError, CrawlInUse
from focused_crawler.safety.printable import place, say
from focused_crawler.store import orders
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo, run_of
from focused_crawler.store.job_folder import last_crawl
from focused_crawler.store.opening import change_crawl, read_crawl
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.topic import Topic, load_topic


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
        return last_crawl(crawls, topic)
    except CrawlError:
        return None


def check_can_change(folder: Path, topic: Topic) -> None:
    """Raise CrawlError where a folder holds no crawl of the topic, or one without texts to judge anew."""
    if run_of(folder).topic != topic.name:
        raise CrawlError(f"{folder} is no crawl of {topic.name}; name one such as crawls/{topic.name}/1")
    with read_crawl(folder) as database:
        check_texts(database)


def hand_over(folder: Path, settings: BaseSettings, topic: Topic, model: TopicModel) -> None:
    """Let the crawl in a folder judge its pages, and score its links, by its topic's model.

    It says what came of it. A crawl under way does so by itself, beside its work; CrawlError where none can.
    """
    run = run_of(folder)
    check_can_change(folder, topic)
    try:
        database = change_crawl(folder)
    except CrawlInUse:
        if run.is_shared:
            raise CrawlError(f"{folder} is a crawl of several workers; stop it, and try again") from None
        its = load_topic(run.topic_name).folder
        if its.resolve() != topic.folder.resolve():
            raise CrawlError(f"{folder} is a crawl of the topic in {its}, not of {topic.folder}") from None
        _order(folder, analyst_of(settings, run, model).model.judge_name)
        return
    with database:
        outcome = _change(folder, run, database, analyst_of(settings, run, model))
    say(f"{place(folder)}: {outcome}", f"Report in {place(write_report(folder))}")


def _change(folder: Path, run: RunInfo, database: CrawlDatabase, analyst: Analyst) -> Rejudged:
    outcome, _ = rejudged(run, database, analyst)
    PageStore(database).name_judge(outcome.judge)
    orders.all_carried_out(database, orders.MODEL, str(outcome))  # that a crawl was cut off from
    database.commit()
    write_up(folder, run, database, outcome.judge)
    return outcome


def _order(folder: Path, judge: str) -> None:
    given_at = orders.give(folder, orders.MODEL)
    say(f"{place(folder)} is under way: it judges by {judge} from now on, and goes over its pages.")
    say(wait_for_answer(folder, given_at) or "It has not finished yet; its log tells when it has.")
