from __future__ import annotations

import re
from pathlib import Path

from focused_crawler.crawl.hubs.listing import neglected
from focused_crawler.crawl.hubs.record import distill

PAGE = Path(__file__).parents[3] / "docs/how-to/distill.md"


def test_the_documented_query_finds_what_the_best_hub_leads_to(crawl):
    """As a reader pastes it: the unvisited neighbours of the best hub."""
    crawl.page("http://hub.org/", 0.9, ["http://good.org/", ("http://new.org/", "new"), "http://hub.org/own"])
    crawl.page("http://good.org/", 0.9, ["http://other.org/"])
    distill(crawl.database)
    (query,) = re.findall(r"```sql\n(.*?);?\n```", PAGE.read_text("utf-8"), re.DOTALL)
    assert crawl.database.rows(query) == [("http://new.org/", "new")]
    assert [found[1:] for found in neglected(crawl.database, 1)] == [("http://new.org/", "new")]
