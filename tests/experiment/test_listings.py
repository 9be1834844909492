from __future__ import annotations

import gzip
from collections.abc import Callable

import pytest

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.experiment.simulator import simulate
from focused_crawler.frontier.base import Rules
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

Answer = tuple[str, int, dict[str, str], bytes]
MakeAnalyst = Callable[..., Analyst]
MakeWeb = Callable[..., AnalysedWeb]
ROOT = "http://a.example"
ALL = {"FOCUSED_LISTINGS": "all"}


def page(path: str, *links: str, head: str = "", text: str = "", host: str = "a.example") -> Answer:
    anchors = " ".join(f'<a href="{link}">honey {link}</a>' for link in links)
    words = text or f"Bees keep honey in hive {path}."
    body = f"<html><head>{head}</head><body><p>{words}</p><p>{anchors}</p></body></html>"
    return f"http://{host}{path}", 200, {"Content-Type": "text/html"}, body.encode()


def other(path: str, body: str | bytes, kind: str = "application/xml") -> Answer:
    return ROOT + path, 200, {"Content-Type": kind}, body.encode() if isinstance(body, str) else body


def urlset(*urls: str) -> str:
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>"


ROBOTS = other("/robots.txt", f"User-agent: *\nSitemap: {ROOT}/all.xml", "text/plain")


def paths(analyst: Analyst, web: AnalysedWeb, pages: int = 99) -> tuple[list[str], list[int]]:
    """Return what is fetched from the home page of a.example, and before which pages listings are."""
    run = simulate(analyst, web, [f"{ROOT}/"], pages, Rules())
    return [url.removeprefix(ROOT) for url in run.urls], run.listings


@pytest.mark.parametrize(
    "strategy", ["breadth_first", "lpe_soft", "adaptive", "shark_search", "shuffled:lpe"]
)
def test_pages_that_nothing_links_to_are_found_in_a_sitemap(
    strategy: str, make_analyst: MakeAnalyst, make_web: MakeWeb
) -> None:
    """By any strategy: by a line in robots.txt, an index and a packed file; other hosts are left alone."""
    index = f"<sitemapindex><sitemap><loc>{ROOT}/1.xml.gz</loc></sitemap></sitemapindex>"
    packed = gzip.compress(urlset(f"{ROOT}/hidden-honey", "http://victim.example/x").encode())
    web = make_web(
        page("/", "/1"),
        page("/1"),
        page("/hidden-honey"),
        page("/x", host="victim.example"),
        ROBOTS,
        other("/all.xml", index),
        other("/1.xml.gz", packed, "application/x-gzip"),
    )
    found, listings = paths(make_analyst(strategy, **ALL), web)
    assert (sorted(found), len(listings)) == (["/", "/1", "/hidden-honey"], 2)
    assert paths(make_analyst(strategy, FOCUSED_LISTINGS="off"), web) == (["/", "/1"], [])


def test_a_feed_of_a_relevant_page_leads_to_what_it_names(
    make_analyst: MakeAnalyst, make_web: MakeWeb
) -> None:
    """Also on other hosts, as links do; by their titles and summaries the best comes first."""
    head = '<link rel="alternate" type="application/rss+xml" href="/feed">'
    item = "<item><title>{}</title><link>{}</link><description>{}</description></item>"
    feed = item.format("Tax", f"{ROOT}/tax", "law") + item.format(
        "Honey", "http://b.example/h", "bees in a hive"
    )
    web = make_web(
        page("/", head=head),
        page("/tax"),
        page("/h", host="b.example"),
        other("/feed", f"<rss><channel>{feed}</channel></rss>", "application/rss+xml"),
    )
    found, listings = paths(make_analyst("lpe_soft", **ALL), web)
    assert (found, listings) == (["/", "http://b.example/h", "/tax"], [1])
    assert paths(make_analyst("lpe_soft", FOCUSED_LISTINGS="sitemaps"), web)[0] == ["/"]


def test_listings_count_as_pages_of_the_budget(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """A crawl that reads them fetches no more than one that does not."""
    web = make_web(page("/"), page("/1"), page("/2"), ROBOTS, other("/all.xml", urlset("/1", "/2")))
    assert [len(part) for part in paths(make_analyst(**ALL), web, pages=3)] == [2, 1]


@pytest.mark.parametrize(
    "answer", ["", "<html><body>Not found</body></html>", "<urlset>", urlset("mailto:a@b")]
)
def test_a_sitemap_that_is_none_changes_nothing(
    answer: str, make_analyst: MakeAnalyst, make_web: MakeWeb
) -> None:
    """Whatever a server says where one was named."""
    web = make_web(page("/", "/1"), page("/1"), ROBOTS, other("/all.xml", answer))
    assert paths(make_analyst(**ALL), web)[0] == ["/", "/1"]
    assert paths(make_analyst(**ALL), make_web(page("/", "/1"), page("/1"), ROBOTS))[0] == ["/", "/1"]


def canonical(path: str) -> str:
    return f'<link rel="canonical" href="{ROOT}{path}">'


def test_what_a_fetched_page_names_as_its_url_comes_last(
    make_analyst: MakeAnalyst, make_web: MakeWeb
) -> None:
    """It is lowered, and not forbidden: a page that lies costs nothing but its place in the order."""
    web = make_web(
        page("/", "/print?tea=1", "/tea", "/other"),
        page("/print?tea=1", head=canonical("/tea"), text="Bees keep honey."),
        page("/tea", text="Bees keep honey."),
        page("/other"),
    )
    order = paths(make_analyst("breadth_first"), web)[0]
    assert order == ["/", "/print?tea=1", "/other", "/tea"]


def test_a_site_that_names_its_home_page_everywhere_is_crawled_as_before(
    make_analyst: MakeAnalyst, make_web: MakeWeb
) -> None:
    """A frequent mistake: all its pages are pages, and no copies of its home page."""
    names = [f"/{number}" for number in range(8)]

    def site(head: str) -> AnalysedWeb:
        return make_web(page("/", *names, head=head), *(page(name, "/", "/all", head=head) for name in names))

    wrong, honest = (paths(make_analyst("lpe_soft"), site(head))[0] for head in (canonical("/"), ""))
    assert wrong == honest
    assert len(wrong) == 9


def test_no_site_can_hold_back_another_one(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """A canonical URL of a victim's page changes nothing."""
    victim = "http://b.example/h"

    def crawl(head: str) -> list[str]:
        pages = page("/", "/1", victim, "/2", head=head), page("/1", head=head), page("/2", head=head)
        return paths(make_analyst("lpe_soft"), make_web(*pages, page("/h", host="b.example")))[0]

    assert crawl(f'<link rel="canonical" href="{victim}">') == crawl("")
