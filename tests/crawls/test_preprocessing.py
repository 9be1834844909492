"""Words in URLs, and the hub measure, in a whole crawl."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crawls.bees import SETTINGS
from tests.crawls.site import Answer, Site, page, write_topic
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
    assert "it has a word of FOCUSED_SKIP_URLS: " in " ".join(told.out.split())
    measured = dict(job.rows("SELECT url, hubness FROM pages"))
    assert measured[site.url(seed)] == pytest.approx(1 / 5)  # bees, keep, honey, hive, start
    assert measured[site.url(plain)] == 0


@pytest.mark.parametrize(("wish", "processes"), [("page", 0), ("page", 1), ("off", 0)])
def test_links_are_left_alone_where_a_header_says_so(
    site: Site, scrapy: Scrapy, tmp_path: Path, wish: str, processes: int
) -> None:
    """X-Robots-Tag, whoever analyses the page; explain reads it as the crawl does."""
    tag = {"Content-Type": "text/html", "X-Robots-Tag": "otherbot: noindex, focused-crawler: nofollow"}
    site.answers = {"/": [page("start", ["/tagged"])], "/left": [page("left")]}
    site.answers["/tagged"] = [page("tagged", ["/left"])._replace(headers=tag)]
    topic = write_topic(tmp_path, "bees", site.url("/"))
    settings = (*SETTINGS, f"FOCUSED_NOFOLLOW={wish}")
    more = f"FOCUSED_ANALYSIS_PROCESSES={processes}"
    done = scrapy.run(*crawl(topic, tmp_path / "crawls", *settings, more))
    assert done.code == 0, done.err
    fetched = {site.url("/"), site.url("/tagged")}
    assert set(Job(tmp_path / "crawls/bees/1").pages) == fetched | (
        {site.url("/left")} if wish == "off" else set()
    )
    words = [word for setting in settings for word in ("-s", setting)]
    told = scrapy.run("explain", site.url("/tagged"), "--topic", topic, *words)
    assert told.code == 0, told.err
    assert ("1 link with nofollow is left alone" in told.out) == (wish == "page")


def crawled_by(rules: str, seed: str, scrapy: Scrapy, folder: Path) -> tuple[Job, dict[str, int]]:
    """Crawl with what more a topic.toml says; return the crawl, and which of its pages are relevant."""
    topic = write_topic(folder, "bees", seed)
    file = topic / "topic.toml"
    file.write_text(f"{file.read_text()}\n{rules}")
    done = scrapy.run(*crawl(topic, folder / "crawls", *SETTINGS))
    assert done.code == 0, done.err
    job = Job(folder / "crawls/bees/1")
    return job, dict(job.rows("SELECT url, is_relevant FROM pages"))


def test_a_crawl_keeps_to_its_scope_and_judges_by_its_rule(
    site: Site, scrapy: Scrapy, tmp_path: Path
) -> None:
    """Links outside are recorded and left alone, and why says for what; pages in German never count."""
    seed, print_, plain, wasps = "/start", "/print/1", "/plain", "/wasps"
    elsewhere = site.url("/elsewhere", "127.0.0.2")
    site.answers[seed] = [page("start", [print_, plain, wasps, elsewhere, "/german", "/away"])]
    site.answers["/away"] = [Answer(status=302, headers={"Location": elsewhere})]
    site.answers |= {path: [page(path, ["/deep"])] for path in (print_, plain, "/elsewhere")}
    site.answers[wasps] = [page("wasps", words="wasps honey hive")]
    site.answers["/german"] = [Answer(page("deutsch").body.replace(b"<html", b'<html lang="de"', 1))]
    scope = '[scope]\nhosts = ["127.0.0.1"]\ndeny = ["/print/"]\ndepth = 1\nlanguages = ["en"]\n'
    rule = "[rules]\nrelevant = 'honey AND NOT title:wasps'\n"
    job, pages = crawled_by(scope + rule, site.url(seed), scrapy, tmp_path)
    assert pages == {site.url(seed): 1, site.url(plain): 1, site.url(wasps): 0, site.url("/german"): 0}
    assert job.run["judge"].startswith("rules:")
    links = dict(job.rows(f"SELECT target, score IS NULL FROM named_links WHERE source = '{site.url(seed)}'"))
    assert {url for url, is_out in links.items() if is_out} == {site.url(print_), elsewhere}
    told = " ".join(scrapy.run("why", site.url(print_), "--crawl", job.folder).out.split())
    assert "outside the scope: deny /print/ matches it" in told
    assert job.rows("SELECT reason FROM failures") == [("out_of_scope",)]
    assert site.times("/elsewhere") == 0


def test_a_scope_of_prefixes_and_patterns(site: Site, scrapy: Scrapy, tmp_path: Path) -> None:
    """A URL, a SURT of all that a host has below, a pattern that has to match; a rule by URL and text."""
    seed, docs, draft, other = "/start", "/docs/article-1", "/docs/draft", "/more/article-2"
    beside = [site.url(path, "127.0.0.2") for path in ("/docs/article-3", "/article-4")]
    site.answers[seed] = [page("start", [docs, draft, other, *beside])]
    site.answers |= {path: [page(path)] for path in (docs, draft, other, "/docs/article-3", "/article-4")}
    surt = f"http://(127.0.0.2:{site.port})/docs"
    scope = f'[scope]\nprefixes = ["{site.url("/docs/")}", "{surt}"]\nallow = ["/article-[0-9]"]\n'
    rule = "[rules]\nrelevant = 'url:article AND (body:honey OR wax) AND NOT url:/article-1$/'\n"
    job, pages = crawled_by(scope + rule, site.url(seed), scrapy, tmp_path)
    assert pages == {site.url(seed): 0, site.url(docs): 0, beside[0]: 1}
    told = {url: " ".join(scrapy.run("why", url, "--crawl", job.folder).out.split()) for url in beside}
    assert "no prefix of [scope] fits it" in told[beside[1]]
