"""Sitemaps and feeds in real crawls: asked for politely, counted, known to `why`, and as in a simulation."""

from __future__ import annotations

import gzip
import json
import math
import signal
from pathlib import Path

import pytest

from focused_crawler.virtualweb.writer import WebWriter
from tests.crawls.site import Answer, Site, page, write_topic
from tests.crawls.test_simulated_order import Bench
from tests.project import Job, Scrapy, crawl, until
from tests.small_taxonomy import save_small_taxonomy

ALL = "FOCUSED_LISTINGS=all"
XML = {"Content-Type": "application/xml"}
LISTINGS = "SELECT rule, count(*) FROM decisions WHERE decision = 'listed' GROUP BY rule"


def urlset(*urls: str) -> bytes:
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>".encode()


def robots(*lines: str) -> Answer:
    return Answer("\n".join(["User-agent: *", *lines]).encode(), headers={"Content-Type": "text/plain"})


@pytest.mark.slow
def test_a_sitemap_is_asked_for_as_pages_are(site: Site, scrapy: Scrapy, tmp_path: Path) -> None:
    """Once, where robots.txt allows it; what it lists of the site is fetched, and `why` names the sitemap."""
    hidden, gone = site.url("/hidden-honey"), site.url("/gone.xml")
    named = [f"Sitemap: {site.url(path)}" for path in ("/all.xml", "/private/all.xml", "/gone.xml")]
    site.answers["/robots.txt"] = [robots("Disallow: /private/", *named)]
    site.answers["/0"] = [page("number 0", ["/1"])]
    site.answers["/1"] = [page("number 1")]
    site.answers["/hidden-honey"] = [page("hidden honey")]
    foreign = site.url("/foreign", "127.0.0.2")
    packed = gzip.compress(urlset(hidden, foreign))
    site.answers["/all.xml"] = [Answer(packed, headers={"Content-Type": "application/octet-stream"})]
    topic = write_topic(tmp_path, "bees", site.url("/0"))
    done = scrapy.run(*crawl(topic, tmp_path / "crawls", "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8", ALL))
    assert done.code == 0, done.err
    job = Job(tmp_path / "crawls/bees/1")
    assert sorted(job.pages) == sorted([site.url("/0"), site.url("/1"), hidden])
    assert [site.times(path) for path in ("/all.xml", "/gone.xml", "/private/all.xml", "/foreign")] == [
        1,
        1,
        0,
        0,
    ]
    assert dict(job.rows(LISTINGS)) == {"sitemap": 1}
    assert job.rows("SELECT count(*) FROM failures") == [(0,)]
    assert dict(job.rows("SELECT name, value FROM counters"))["listings"] == 1
    why = scrapy.run("why", hidden, "--crawl", str(job.folder))
    assert "in the sitemap of 127.0.0.1" in " ".join(why.out.split()), why.out
    assert "unknown" not in why.out  # when it was read
    told = scrapy.run("why", hidden, "--crawl", str(job.folder), "--json", str(tmp_path / "why.json"))
    assert told.code == 0, told.err
    way = [step["url"] for step in json.loads((tmp_path / "why.json").read_text())["way"]]
    assert way == [site.url("/0"), site.url("/all.xml"), hidden]
    assert gone not in job.pages


@pytest.mark.slow
def test_what_sends_without_end_is_no_sitemap(site: Site, scrapy: Scrapy, tmp_path: Path) -> None:
    """Too long, a bomb, an address that may not be asked: the crawl goes on, and ends well."""
    named = ["/long.xml", "/bomb.xml", "/coded.xml", "/away.xml"]
    site.answers["/robots.txt"] = [robots(*(f"Sitemap: {site.url(path)}" for path in named))]
    site.answers["/0"] = [page("number 0", ["/1"])]
    site.answers["/1"] = [page("number 1")]
    site.answers["/long.xml"] = [Answer(b"<urlset>" + b" " * 11_000_000, headers=XML)]
    bomb = gzip.compress(b"<urlset><url><loc>" + b" " * 100_000_000)
    site.answers["/bomb.xml"] = [Answer(bomb, headers=XML)]
    site.answers["/coded.xml"] = [Answer(bomb, headers={**XML, "Content-Encoding": "gzip"})]
    site.answers["/away.xml"] = [Answer(status=302, headers={"Location": "http://10.0.0.1/sitemap.xml"})]
    topic = write_topic(tmp_path, "bees", site.url("/0"))
    done = scrapy.run(*crawl(topic, tmp_path / "crawls", "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8", ALL))
    assert done.code == 0, done.err
    assert "Traceback" not in done.err
    job = Job(tmp_path / "crawls/bees/1")
    assert sorted(job.pages) == [site.url("/0"), site.url("/1")]
    assert {site.times(path) for path in named[:3]} == {1}


@pytest.mark.slow
def test_what_an_earlier_run_asked_for_is_left_alone(site: Site, scrapy: Scrapy, tmp_path: Path) -> None:
    """A crawl that was killed with a sitemap under way goes on without sitemaps, if told so."""
    site.answers["/robots.txt"] = [robots(f"Sitemap: {site.url('/all.xml')}")]
    site.answers["/0"] = [page("number 0", ["/1"])]
    site.answers["/1"] = [page("number 1")]
    site.answers["/all.xml"] = [Answer(urlset(site.url("/hidden-honey")), headers=XML, delay=5.0)]
    topic = write_topic(tmp_path, "bees", site.url("/0"))
    words = crawl(topic, tmp_path / "crawls", "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8", job="one")
    running = scrapy.start(*words, "-s", ALL)
    until(lambda: site.times("/all.xml"))
    running.signal(signal.SIGKILL)
    running.wait()
    done = scrapy.run(*words)
    assert (done.code, "Traceback" in done.err) == (0, False), done.err
    job = Job(tmp_path / "crawls/bees/one")
    assert (job.run["state"], site.times("/all.xml")) == ("finished", 1)
    assert sorted(job.pages) == [site.url("/0"), site.url("/1")]
    assert job.rows("SELECT rule FROM decisions WHERE decision = 'failed'") == [("listings_off",)]


@pytest.mark.slow
def test_a_crawl_that_goes_on_reads_what_it_met_before(site: Site, scrapy: Scrapy, tmp_path: Path) -> None:
    """Each run ends before the next of them: a sitemap by robots.txt, one by an index, a feed by a page."""
    ways = {path: site.url(path) for path in ("/index.xml", "/part.xml", "/hidden-honey", "/fresh-honey")}
    site.answers["/robots.txt"] = [robots(f"Sitemap: {ways['/index.xml']}")]
    feed = '<link rel="alternate" type="application/rss+xml" href="/feed">'
    body = f"<html><head>{feed}</head><body><p>Bees keep honey in the hive.</p></body></html>".encode()
    site.answers["/0"] = [Answer(body, headers={"Content-Type": "text/html"})]
    index = f"<sitemapindex><sitemap><loc>{ways['/part.xml']}</loc></sitemap></sitemapindex>".encode()
    site.answers["/index.xml"] = [Answer(index, headers=XML)]
    site.answers["/part.xml"] = [Answer(urlset(ways["/hidden-honey"]), headers=XML)]
    items = f"<item><title>Fresh honey</title><link>{ways['/fresh-honey']}</link></item>"
    rss = f"<rss><channel>{items}</channel></rss>".encode()
    site.answers["/feed"] = [Answer(rss, headers={"Content-Type": "application/rss+xml"})]
    for path in ("/hidden-honey", "/fresh-honey"):
        site.answers[path] = [page(path)]
    topic = write_topic(tmp_path, "bees", site.url("/0"))
    settings = ("FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8", "DOWNLOAD_DELAY=0", ALL)
    for fetches in (1, 2, 3, 100):
        done = scrapy.run(*crawl(topic, tmp_path / "crawls", *settings, job="1", pages=fetches))
        assert (done.code, "Traceback" in done.err) == (0, False), done.err
    job = Job(tmp_path / "crawls/bees/1")
    assert sorted(job.pages) == sorted(site.url(path) for path in ("/0", "/hidden-honey", "/fresh-honey"))
    assert [site.times(path) for path in ("/index.xml", "/part.xml", "/feed", "/0")] == [1] * 4
    wanted = job.rows("SELECT rule, detail FROM decisions WHERE decision = 'wanted' ORDER BY id")
    expected = [("feed", site.url("/feed")), ("sitemap", ways["/index.xml"]), ("sitemap", ways["/part.xml"])]
    assert sorted(wanted) == expected


@pytest.mark.slow
def test_an_order_that_learns_goes_on_with_what_was_listed(scrapy: Scrapy, tmp_path: Path) -> None:
    """Of the two folders in a sitemap it has learnt which is good, and two runs fetch what one does."""
    root, path = "http://a.example", tmp_path / "web.warc.gz"
    html, listed = [("Content-Type", "text/html")], [f"{root}/{'mn'[n % 2]}/{n}" for n in range(60)]
    with WebWriter(path) as web:
        web.write(f"{root}/0", 200, html, b"<p>Bees keep honey in the hive.</p>")
        web.write(f"{root}/robots.txt", 200, html, f"User-agent: *\nSitemap: {root}/all.xml".encode())
        web.write(f"{root}/all.xml", 200, [*XML.items()], urlset(*listed))
        for number, url in enumerate(listed):
            text = "Bees keep honey in hive" if number % 2 else "Paid in full on day"
            web.write(url, 200, html, f"<p>{text} {number}.</p>".encode())
    topic = write_topic(tmp_path, "bees", f"{root}/0")
    for job, fetches in (("whole", 40), ("parts", 2), ("parts", 40)):
        words = {"strategy": "adaptive", "profile": "offline", "job": job, "pages": fetches}
        done = scrapy.run(*crawl(topic, tmp_path, f"FOCUSED_WEB={path}", ALL, "ROBOTSTXT_OBEY=True", **words))
        assert (done.code, "Traceback" in done.err) == (0, False), done.err
    whole, parts = (Job(tmp_path / "bees" / job).pages for job in ("whole", "parts"))
    assert parts == whole
    assert sum("/n/" in url for url in whole) > 25, whole


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["soft_focus", "hard_focus"])
def test_what_is_listed_is_as_good_as_its_host_by_the_taxonomy(
    strategy: str, scrapy: Scrapy, tmp_path: Path
) -> None:
    """A sitemap has no words to stand in a category by."""
    root, path = "http://a.example", tmp_path / "web.warc.gz"
    html, listed = [("Content-Type", "text/html")], [f"{root}/{number}" for number in range(1, 6)]
    with WebWriter(path) as web:
        web.write(f"{root}/robots.txt", 200, html, f"User-agent: *\nSitemap: {root}/all.xml".encode())
        web.write(f"{root}/all.xml", 200, [*XML.items()], urlset(*listed))
        for number, url in enumerate([f"{root}/0", *listed]):
            web.write(url, 200, html, f"<p>Bees: star galaxy telescope honey hive {number}.</p>".encode())
    models = save_small_taxonomy(tmp_path / "models", "bees")
    topic = write_topic(tmp_path, "bees", f"{root}/0")
    settings = [f"FOCUSED_WEB={path}", f"FOCUSED_MODELS={models}", f"FOCUSED_TAXONOMY={models / 'taxonomy'}"]
    settings += [ALL, "ROBOTSTXT_OBEY=True", "FOCUSED_NEAR_DUPLICATES=False"]
    for fetches in (1, 100):  # the sitemap is read in a further run
        words = {"strategy": strategy, "profile": "offline", "job": "1", "pages": fetches}
        done = scrapy.run(*crawl(topic, tmp_path, *settings, **words))
        assert (done.code, "Traceback" in done.err) == (0, False), done.err
    job = Job(tmp_path / "bees/1")
    assert sorted(job.pages) == [f"{root}/0", *listed]
    ((log_rd,),) = job.rows("SELECT log_rd FROM pages WHERE position = 1")
    scores = [score for (score,) in job.rows("SELECT score FROM links")]
    assert scores == [pytest.approx(math.exp(log_rd))] * len(listed)


@pytest.mark.slow
def test_a_crawl_that_goes_on_knows_which_canonical_url_is_wrong(
    site: Site, scrapy: Scrapy, tmp_path: Path
) -> None:
    """Two pages with different texts named it: it does not wait, whatever a third one names after that."""
    head = '<link rel="canonical" href="/list">'
    parts = [f"/list?part={number}" for number in range(3)]
    site.answers["/0"] = [page("number 0", parts[:2])]
    site.answers["/list"] = [page("the list")]
    later = f'<a href="/list">all</a> <a href="{parts[2]}">more</a>'
    for path in parts:
        body = f"<html><head>{head}</head><body><p>honey of {path} {later}</p></body></html>".encode()
        site.answers[path] = [Answer(body, headers={"Content-Type": "text/html"})]
    topic = write_topic(tmp_path, "bees", site.url("/0"))
    settings = ("FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8", "CONCURRENT_REQUESTS=1", "DOWNLOAD_DELAY=0")
    for pages in (3, 5):
        words = crawl(topic, tmp_path / "crawls", *settings, job="1", pages=pages, strategy="breadth_first")
        done = scrapy.run(*words)
        assert done.code == 0, done.err
        job = Job(tmp_path / "crawls/bees/1")
        assert len(job.pages) == pages
    told = job.rows("SELECT decision, rule, detail FROM decisions WHERE rule = 'canonical' ORDER BY id")
    assert told == [(decision, "canonical", site.url("/list")) for decision in ("alias", "disputed")]


@pytest.mark.slow
def test_a_simulation_reads_the_same_listings(scrapy: Scrapy, tmp_path: Path) -> None:
    """In the same order between the same pages, whatever is named, listed and wrong."""
    root, html = "http://a.example", {"Content-Type": "text/html"}
    head = '<link rel="alternate" type="application/rss+xml" href="/feed">'
    path = tmp_path / "web.warc.gz"
    with WebWriter(path) as web:

        def write(name: str, body: str, kind: str = "text/html") -> None:
            web.write(root + name, 200, [*(html | {"Content-Type": kind}).items()], body.encode())

        for number in range(60):
            links = "".join(
                f'<a href="/{n}">honey {n}</a> ' for n in (2 * number + 1, 2 * number + 2) if n < 40
            )
            same = f'<link rel="canonical" href="/{number + 1}">' if number % 7 == 0 else ""
            write(f"/{number}", f"<head>{head}{same}</head><p>Bees keep honey in hive {number}.</p>{links}")
        write("/robots.txt", f"User-agent: *\nSitemap: {root}/all.xml", "text/plain")
        write("/all.xml", urlset(*(f"{root}/{number}" for number in range(30, 50))).decode(), "text/xml")
        items = "".join(f"<item><title>Hive {n}</title><link>/{n}</link></item>" for n in range(50, 60))
        write("/feed", f"<rss><channel>{items}</channel></rss>", "application/rss+xml")
    topic = write_topic(tmp_path, "bees", f"{root}/0")
    bench = Bench(scrapy, path, topic, tmp_path)
    simulated, real = bench.both("lpe_soft", 50, ROBOTSTXT_OBEY=True, FOCUSED_LISTINGS="all")
    assert simulated.urls == real
    assert len(simulated.listings) == 2
    assert len(real) == 48
    assert dict(Job(tmp_path / "bees/lpe_soft").rows(LISTINGS)) == {"sitemap": 1, "feed": 1}
