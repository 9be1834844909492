"""Why a page of a crawl has its relevance: by the page itself where it is at hand, else by its words."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.report.explain.page import PageReasons, explain_page, judge
from focused_crawler.report.explain.stored import text_reasons
from focused_crawler.report.why.facts import PageFact
from focused_crawler.report.why.parts import page_as_recorded, way_of
from focused_crawler.safety.errors import WebError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RUNNING, RunInfo
from focused_crawler.store.page_texts import PageTexts


class RecordedReasons(NamedTuple):
    """Why a recorded page is relevant or not, by the judge as it is today."""

    reasons: PageReasons
    has_blocks: bool  # False: all its words are one block, as only they are stored


def recorded_reasons(
    folder: Path, run: RunInfo, database: CrawlDatabase, analyst: Analyst, page: PageFact
) -> RecordedReasons | None:
    """Return the reasons of a page; None: the crawl has no words of it. `analyst` is a `writing` one."""
    if run.web or run.state != RUNNING:  # a record that grows would be indexed each time
        try:
            found = page_as_recorded(folder, run, page.url, analyst)
        except WebError:
            found = None
        if found is not None:
            depth, found.path, found.asked = way_of(database, page.key, page.depth)
            judge(analyst, found, depth)
            return RecordedReasons(explain_page(analyst, found), has_blocks=True)
    for text in PageTexts(database).of([page.position]):
        return RecordedReasons(text_reasons(analyst, text), has_blocks=False)
    return None
