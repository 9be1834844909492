"""What a crawl is made of, as its plan and its database have it. Plain Python."""

from __future__ import annotations

import platform
from importlib.metadata import version

from focused_crawler import __version__
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.measures import TargetRecall
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.crawl.steering.copies import SketchTables
from focused_crawler.crawl.steering.settings import SteeringSettings
from focused_crawler.crawl.steering.steering import Steering
from focused_crawler.crawl.steering.traps import Visit
from focused_crawler.frontier.base import Frontier
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.address import shown
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.job import RUNNING, RunInfo
from focused_crawler.store.pages import PageStore
from focused_crawler.store.rows import StrategyMemory
from focused_crawler.virtualweb.surt import surt


def open_frontier(config: CrawlConfig, database: CrawlDatabase) -> Frontier:
    """Return the frontier: in memory, or in the crawl's database, where it goes on."""
    rules = config.rules()
    return MemoryFrontier(rules) if config.frontier == "memory" else SqlFrontier(database, rules)


def known_targets(plan: CrawlPlan, store: PageStore) -> TargetRecall | None:
    """Return target recall as the runs before left it, None where no target is known."""
    if not plan.targets:
        return None
    recall = TargetRecall(plan.targets.urls, key=surt)
    for url in store.targets():
        recall.record(url)
    return recall


def recall_memory(analyst: Analyst, database: CrawlDatabase, pages: int) -> StrategyMemory:
    """Give the strategy back what it had learnt in the runs before; raises CrawlError."""
    memory = StrategyMemory(database, analyst.memory, pages)
    learnt = memory.recall()
    try:
        if learnt is not None:
            analyst.remember(learnt)
    except CrawlError:
        database.close()
        raise
    return memory


def steer(settings: SteeringSettings, database: CrawlDatabase, store: PageStore) -> Steering:
    """Return steering as the runs before left it."""
    steering = Steering(settings, store.seen_checksum, SketchTables(database), database)
    for visit in CrawlHistory(database).visits():
        steering.seen(Visit(*visit))  # a copy is not relevant there
    return steering


def describe(plan: CrawlPlan) -> RunInfo:
    """Return what run.json is to say of a crawl that begins."""
    config, truth = plan.config, plan.truth
    return RunInfo(
        topic=plan.topic.name,
        title=plan.topic.title,
        job=config.job,
        strategy=plan.analyst.strategy,
        seed_set=config.seed_set,
        listed_seeds=len(plan.start.listed),
        web=str(config.web.resolve()) if config.web else None,
        trained=plan.analyst.model.trained,
        judge=plan.analyst.model.judge,
        frontier=config.named["FOCUSED_FRONTIER"] or config.frontier,
        database=shown(config.database),
        language=plan.topic.language,
        state=RUNNING,
        judged_by="ground truth" if truth is not None else "the crawler's own classifier",
        targets=None if plan.targets is None else len(plan.targets),
        settings=config.named,
        versions={
            "focused_crawler": __version__,
            "scrapy": version("scrapy"),
            "python": platform.python_version(),
        },
    )
