"""What steering does to a whole crawl: a calendar without end, a mirrored host."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project import Job, Scrapy, crawl

TRAPS = "SELECT count(*) FROM pages WHERE url LIKE '%/calendar/%' OR host LIKE 'mirror.%'"


@pytest.mark.slow
@pytest.mark.parametrize(("strategy", "pages"), [("link_classifier", 300), ("best_first_anchor", 1400)])
def test_traps_take_little_of_a_crawl(
    strategy: str, pages: int, demo_web: Path, scrapy: Scrapy, tmp_path: Path
) -> None:
    """The calendar and the mirror of the demo web have at most 2 % of the pages, and a copy is no gain."""
    topic = demo_web.parent / "demo.topics/astronomy"
    arguments = {"strategy": strategy, "pages": pages, "profile": "offline", "job": strategy}
    done = scrapy.run(*crawl(topic, tmp_path, f"FOCUSED_WEB={demo_web}", **arguments))
    assert done.code == 0, done.err
    job = Job(tmp_path / "astronomy" / strategy)
    ((trapped,),) = job.rows(TRAPS)
    assert trapped <= 0.02 * pages
    assert len(job.pages) == pages
    copies = "SELECT coalesce(sum(is_relevant), 0) FROM pages WHERE duplicate_of IS NOT NULL"
    assert job.rows(copies) == [(0,)]
