"""What comes before a worker of a fleet is at work: what an older version had learnt is learnt anew, once."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace

from focused_crawler.crawl.crawl import Crawl
from focused_crawler.crawl.description import describe
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.crawl.strategy_record import learn_for_many
from focused_crawler.fleet.coordinator import FleetCoordinator
from focused_crawler.fleet.crawls import FleetCrawl
from focused_crawler.safety.errors import CrawlInUse, UnusableMemory
from focused_crawler.store.job_folder import choose_folder

_TRIES, _PAUSE = 3, 1.0
"""Who learns may find that another worker just looks into the crawl; the pause is in seconds."""


def learn_anew(crawl: FleetCrawl, plan: CrawlPlan) -> bool:
    """Learn anew what an older version had learnt, if that is of no use; tell whether it was so.

    Raises CrawlInUse while somebody crawls.
    """
    crawl.open_database().close()  # one that is not there is not made
    with crawl.change_database() as database:
        return learn_for_many(database, plan.analyst, plan.analyst_anew)


def join(plan: CrawlPlan) -> Crawl:
    """Open the crawl for one worker more; raises CrawlError.

    Of workers that begin together and cannot use what was learnt one learns it anew; the others wait for it.
    """
    wanted = describe(plan)
    choose_folder(plan.config.crawls, wanted)
    config = replace(plan.config, job=wanted.job)  # the same each time
    plan, has_learnt, tries = replace(plan, config=config), False, 0
    while True:
        try:
            crawl = Crawl(plan, FleetCoordinator(plan))
        except UnusableMemory:
            tries += 1
            if tries > _TRIES:
                raise
            with suppress(CrawlInUse):
                has_learnt |= learn_anew(FleetCrawl(wanted.topic, wanted.job, config.database), plan)
        except CrawlInUse:
            if not tries:
                raise
            time.sleep(_PAUSE)
        else:
            crawl.has_learnt_anew = has_learnt
            return crawl
        plan = CrawlPlan.make(config)
