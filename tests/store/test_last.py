"""Which crawl of a topic was the last."""

import pytest

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.store.job_folder import last_crawl
from focused_crawler.topic.topic import Topic, load_topic

ASTHMA = load_topic("asthma")


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
    assert last_crawl(tmp_path, ASTHMA) == wanted


def test_none_at_all(tmp_path):
    """One line says what to type."""
    with pytest.raises(CrawlError, match=r"no crawl of asthma in .*; run scrapy crawl asthma"):
        last_crawl(tmp_path, ASTHMA)


def test_the_command_names_the_folder_of_a_topic_that_has_no_name_here(tmp_path):
    """Its name alone leads nowhere."""
    folder = tmp_path / "asthma's/tea"
    with pytest.raises(CrawlError, match=r"scrapy crawl topic -a topic='/.*/tea', or name one"):
        last_crawl(tmp_path, Topic("tea", folder))
