"""Which crawl of a topic was the last."""

import pytest

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.job import RunInfo, last_crawl, write_run


def crawl(crawls, job, started):
    folder = crawls / "asthma" / job
    folder.mkdir(parents=True)
    run = RunInfo(
        topic="asthma",
        title="",
        job=job,
        strategy="lpe",
        seed_set="",
        web=None,
        trained=True,
        started=started,
    )
    write_run(folder, run)
    return folder


def test_the_one_that_began_last(tmp_path):
    """Whatever it is called; a folder without a crawl is none."""
    crawl(tmp_path, "10", 5.0)
    wanted = crawl(tmp_path, "first-try", 9.0)
    crawl(tmp_path, "2", 7.0)
    (tmp_path / "asthma" / "notes").mkdir()
    assert last_crawl(tmp_path, "asthma") == wanted


def test_none_at_all(tmp_path):
    """One line says what to type."""
    with pytest.raises(CrawlError, match=r"no crawl of asthma in .*; run scrapy crawl asthma"):
        last_crawl(tmp_path, "asthma")
