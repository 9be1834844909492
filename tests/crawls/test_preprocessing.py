"""Words in URLs, and the hub measure, in a whole crawl."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crawls.bees import SETTINGS
from tests.crawls.site import Site, page, write_topic
from tests.project import Job, Scrapy, crawl


def test_links_with_a_word_are_left_alone(site: Site, scrapy: Scrapy, tmp_path: Path) -> None:
    """But not a seed with one; the links are recorded, and why tells the reason. Hubs are measured."""
    seed, blog, plain = "/forum/start", "/myblog/1", "/plain"
    elsewhere = site.url("/elsewhere", "127.0.0.2")
    site.answers[seed] = [page("start", [blog, plain, elsewhere])]
    site.answers |= {path: [page(path)] for path in (blog, plain, "/elsewhere")}
    topic = write_topic(tmp_path, "bees", site.url(seed))
    words = crawl(topic, tmp_path / "crawls", *SETTINGS, "FOCUSED_SKIP_URLS=Forum,blog")
    done = scrapy.run(*words)
    assert done.code == 0, done.err
    job = Job(tmp_path / "crawls/bees/1")
    assert set(job.pages) == {site.url(seed), site.url(plain), elsewhere}
    links = dict(job.rows(f"SELECT target, score IS NULL FROM named_links WHERE source = '{site.url(seed)}'"))
    assert links == {site.url(blog): 1, site.url(plain): 0, elsewhere: 0}
    told = scrapy.run("why", site.url(blog), "--crawl", job.folder)
    assert "its URL has a word of FOCUSED_SKIP_URLS (forum, blog)" in " ".join(told.out.split())
    measured = dict(job.rows("SELECT url, hubness FROM pages"))
    assert measured[site.url(seed)] == pytest.approx(1 / 5)  # bees, keep, honey, hive, start
    assert measured[site.url(plain)] == 0
