"""What run.json says of a crawl from its beginning."""

from __future__ import annotations

import platform
from importlib.metadata import version

from focused_crawler import __version__
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.store.address import shown
from focused_crawler.store.job import RUNNING, RunInfo
from focused_crawler.store.judges import GROUND_TRUTH


def describe(plan: CrawlPlan) -> RunInfo:
    """Return the content of run.json for a crawl that begins."""
    config, truth, judge = plan.config, plan.truth, plan.analyst.model.judge_name
    return RunInfo(
        topic=plan.topic.name,
        title=plan.topic.title,
        job=config.job,
        strategy=plan.analyst.order.strategy,
        acts_as=plan.analyst.order.acts_as,
        seed_set=config.seed_set,
        listed_seeds=len(plan.start.listed),
        web=str(config.web.resolve()) if config.web else None,
        trained=plan.analyst.model.trained,
        judge=judge,
        watched_by=plan.analyst.watched_by,
        frontier=config.named["FOCUSED_FRONTIER"] or config.frontier,
        database=shown(config.database),
        language=plan.topic.language,
        scope=plan.analyst.scope.record(),
        state=RUNNING,
        judged_by=judge if truth is None else GROUND_TRUTH,
        targets=None if plan.targets is None else len(plan.targets),
        settings=config.named,
        versions={
            "focused_crawler": __version__,
            "scrapy": version("scrapy"),
            "python": platform.python_version(),
        },
    )
