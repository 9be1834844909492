"""What the log says as a crawl begins: where it goes on, and what its user may want to change."""

from __future__ import annotations

import logging
import shlex

from focused_crawler.crawl.crawl import Crawl
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import one_line
from focused_crawler.safety.program import as_typed
from focused_crawler.store.judges import KEYWORDS, RULES, THESAURUS, UNLEARNT, kind_of

logger = logging.getLogger(__name__)

_WORDS = {KEYWORDS: "keywords and description", THESAURUS: "thesaurus", RULES: "rule"}
"""The judge of pages where nothing was trained, in words."""


def learnt_anew(strategy: str) -> str:
    """Say that what an older version of a strategy had written down was of no use."""
    return (
        f"Another version of {strategy} wrote what it had learnt in this crawl:"
        " it has learnt anew from the pages"
    )


def log_beginning(crawl: Crawl, contact: str | None) -> None:
    """Log it; `contact`: how sites can reach whoever crawls."""
    going = f"goes on after {plural(crawl.rate.pages, 'page')}" if crawl.is_resumed else "starts"
    folder = one_line(str(crawl.folder))
    run = crawl.run
    judged_by = run.judged_by
    logger.info(
        "Crawl of %s by %s %s in %s; judged by %s", run.topic, run.ordered_by, going, folder, judged_by
    )
    if listed := len(crawl.plan.start.listed):
        logger.info("Start pages from the lists of %s: %d", crawl.run.topic, listed)
    if before := crawl.run_file.judged_before:
        logger.warning(
            as_typed(
                "Pages were judged by %s before, and are by %s from here on: relevances do not compare;"
                " scrapy judge %s makes them, once the crawl has stopped"
            ),
            before,
            crawl.run.judge,
            one_line(shlex.quote(str(crawl.folder))),
        )
    if crawl.has_learnt_anew:
        logger.warning(learnt_anew(crawl.run.strategy))
    if not crawl.plan.analyst.model.trained and crawl.plan.config.classifier not in UNLEARNT:
        logger.warning(
            as_typed(
                "No model yet for %(topic)s: relevance comes from its %(words)s; "
                "scrapy train %(typed)s makes it better"
            ),
            {
                "topic": crawl.plan.config.topic,
                "typed": shlex.quote(crawl.plan.config.topic),
                "words": _WORDS[kind_of(crawl.run.judge)],
            },
        )
    if not crawl.run.web and not contact:
        logger.warning("Sites cannot reach you: give -s FOCUSED_CONTACT=<your address or home page>")
