from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parsel import Selector

from focused_crawler.report.html import hash_of, tables_script
from focused_crawler.report.page import render
from focused_crawler.report.summary import (
    MOST_LISTED,
    BestPage,
    CrawlSummary,
    HostRow,
    harvest_curve,
    recall_curve,
)
from focused_crawler.store.history import ScoreBand

OUTCOMES = [n % 3 != 0 for n in range(300)]

CRAWL = CrawlSummary(
    folder="crawls/astronomy/1",
    topic="asthma",
    title="Asthma",
    strategy="lpe",
    job="1",
    started=1_760_000_000,
    ended=1_760_000_754,
    seconds=100.0,
    pages=300,
    relevant=200,
    harvest_rate=0.66667,
    harvest_rate_100=0.66,
    harvest_rate_1000=0.66667,
    target_recall=0.5,
    judged_by="ground truth",
    stopped="Its time was up.",
    host_count=2,
    bands=(ScoreBand(0.0, 0.5, 40), ScoreBand(0.5, 1.0, 2)),
    errors={"http_404": 7},
    hosts=(HostRow("a.example", 200, 150), HostRow("b.example", 100, 50)),
    best_pages=(BestPage("http://a.example/x", "A title", 0.99),),
    relevances=tuple(0.9 if relevant else 0.1 for relevant in OUTCOMES),
    harvest_curve=harvest_curve(OUTCOMES),
    recall_curve=recall_curve(OUTCOMES, 400),
    settings={"FOCUSED_PAGES": "300"},
    versions={"scrapy": "2.19.0"},
)
NOTHING = {"pages": 0, "relevant": 0, "relevances": (), "hosts": (), "best_pages": (), "bands": ()}
EMPTY = dataclasses.replace(CRAWL, **NOTHING, errors={}, settings={}, versions={})


OUTWARD = "//a[not(starts-with(@href, '#'))]"


def changed(**fields) -> CrawlSummary:
    return dataclasses.replace(CRAWL, **fields)


def text(report: str) -> str:
    return " ".join(Selector(report).xpath("//main//text()[not(ancestor::svg)]").getall())


def test_figures_stand_in_the_report():
    """What a user wants to know first is there in words."""
    report = Selector(render(CRAWL))
    assert report.css(".lead strong::text").get() == "66.7 %"
    stats = dict(zip(report.css("dt::text").getall(), report.css("dd::text").getall(), strict=True))
    assert stats == {
        "Last 100 pages": "66.0 %",
        "Target recall": "50.0 %",
        "Relevant pages": "200",
        "Pages": "300",
        "Hosts": "2",
        "Time": "1 min 40 s",
        "Pages a second": "3.0",
    }
    stopped = " ".join(report.css(".stopped ::text").getall())
    assert "Its time was up." in stopped
    assert "42 URLs are left in the frontier, 2 of them with a score of 0.5 or more" in stopped


def test_all_plots_and_tables_are_there():
    """Five plots, each with a name for screen readers; hosts, best pages, errors, settings and versions."""
    report = Selector(render(CRAWL))
    assert report.css("svg[role=img]::attr(aria-label)").getall() == [
        "Harvest rate",
        "Target recall",
        "Relevance over time",
        "Relevance of pages",
        "Left in the frontier",
    ]
    shown = text(report.get())
    for words in (
        "a.example",
        "A title",
        "404 Not Found",
        "FOCUSED_PAGES",
        "2.19.0",
        "judged by ground truth",
    ):
        assert words in shown


def test_hosts_that_have_no_room():
    """They are in the database, whichever that is."""
    assert "33 more are in the crawl's database." in text(render(changed(host_count=35)))


def test_a_report_needs_nothing_else():
    """One script, ours and by its hash, no address of anything to load, and a policy that forbids both."""
    report = Selector(render(CRAWL, [changed(strategy="cbp")]))
    assert report.css("script::text").getall() == [tables_script()]
    assert not report.xpath("//link | //img | //iframe | //@src | //@onclick | //form")
    policy = report.css("meta[http-equiv=Content-Security-Policy]::attr(content)").get()
    assert "default-src 'none'" in policy
    assert f"script-src '{hash_of(tables_script())}'; base-uri 'none'" in policy
    assert "url(http" not in report.get()
    assert "@import" not in report.get()
    assert all(href.startswith("#") for href in report.xpath("//use/@*[name()='xlink:href']").getall())


def test_equal_crawls_give_equal_bytes():
    """A report can be compared with the last one by diff."""
    others = [changed(strategy="cbp"), changed(strategy="breadth_first")]
    assert render(CRAWL, others) == render(CRAWL, others)


def test_compared_crawls_differ_without_colour():
    """Eight crawls: eight names, and no two with the same dashes and marker."""
    others = [changed(strategy=f"s{number}") for number in range(7)]
    report = Selector(render(CRAWL, others))
    rows = report.css("section table tbody tr .name")
    assert [row.xpath("normalize-space()").get() for row in rows] == ["lpe", *(f"s{n}" for n in range(7))]
    looks = [tuple(row.css("path::attr(stroke-dasharray), path::attr(d)").getall()) for row in rows]
    assert len(set(looks)) == 8
    colours = [row.css("g::attr(stroke)").get() for row in rows]
    assert len(set(colours)) == 8
    assert all(report.get().count(colour[4:-1]) > 2 for colour in colours)  # defined for light and for dark


def test_two_jobs_of_one_strategy_are_told_apart():
    """Where strategies are equal, the job is named too."""
    shown = text(render(CRAWL, [changed(job="2")]))
    assert "lpe · 1" in shown
    assert "lpe · 2" in shown


HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "</title></style></svg><svg onload=alert(1)>",
    "{{ 7*7 }}{% include '/etc/passwd' %}",
    "&lt;b&gt;",
    "\x1b[31m\x00\udc80\u202egnp.exe",
]


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_stay_words(words):
    """Wherever text of the web or of a user goes in, no element, attribute or rule comes out."""
    harmless = render(CRAWL, [changed(strategy="cbp")])
    evil = changed(
        title=words,
        topic=words,
        strategy=words,
        job=words,
        stopped=words,
        errors={words: 7},
        hosts=(HostRow(words, 200, 150), HostRow("b.example", 100, 50)),
        best_pages=(BestPage("http://a.example/" + words, words, 0.99),),
        settings={words: words},
        versions={words: words},
    )
    report = render(evil, [changed(strategy=words + "2")])
    assert elements(report) == elements(harmless) or "\x1b" in words  # that URL is no link
    report.encode("utf-8")
    assert not set("\x1b\x00\u202e") & set(report)


def elements(report: str) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (node.root.tag, tuple(node.root.attrib)) for node in Selector(report).xpath("//*[not(ancestor::svg)]")
    ]


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//a/",
        "http://",
        "",
    ],
)
def test_only_web_addresses_become_links(url):
    """Any other scheme is shown and cannot be clicked."""
    report = Selector(render(changed(best_pages=(BestPage(url, "A title", 0.99),))))
    assert not report.xpath(OUTWARD)
    assert "A title" in report.css(".title ::text").getall()


@settings(max_examples=25, deadline=None)
@given(st.text(), st.text())
def test_links_are_web_links_that_give_nothing_away(url, title):
    """Whatever URL and title: a link goes to the web, without opener or referrer."""
    links = Selector(
        render(dataclasses.replace(EMPTY, best_pages=(BestPage(f"https://a.example/{url}", title, 0.5),)))
    )
    for link in links.xpath(OUTWARD):
        assert link.attrib["href"].startswith("https://a.example/")
        assert set(link.attrib["rel"].split()) == {"noopener", "nofollow", "noreferrer"}


def test_a_crawl_without_pages_has_a_report():
    """Nothing fetched: no empty plots, no tables, no division by zero."""
    report = Selector(render(EMPTY))
    assert not report.css("svg[role=img]")
    assert "every URL asked for gave a page" in text(report.get())


def test_a_large_crawl_stays_a_small_file():
    """Curves of 100,000 pages are thinned, the best 5,000 are listed: below three megabytes."""
    outcomes = OUTCOMES * 334
    crawl = changed(
        pages=len(outcomes),
        relevances=tuple(0.5 for _ in outcomes),
        harvest_curve=harvest_curve(outcomes),
        recall_curve=recall_curve(outcomes, 10**6),
    )
    assert len(render(crawl)) < 200_000
    urls = (
        f"http://www.site{n % 500}.example/articles/a-page-of-the-usual-length-{n}"
        for n in range(MOST_LISTED)
    )
    pages = tuple(BestPage(url, "A title of the usual length", 0.9, n, 3) for n, url in enumerate(urls))
    hosts = tuple(HostRow(f"www.site{n}.example", 200, n % 200) for n in range(1000))
    listed = render(dataclasses.replace(crawl, best_pages=pages, hosts=hosts, host_count=5000))
    assert len(listed) < 3_000_000
    assert "The 5,000 best of 100,200 pages" in listed
    assert "scrapy export crawls/astronomy/1 --all --csv" in listed


def test_unknown_recall_is_said():
    """Without targets there is neither a figure nor a curve of recall."""
    report = Selector(render(changed(target_recall=None, recall_curve=None)))
    assert "unknown" in report.css("dd::text").getall()
    assert "Target recall" not in report.css("svg::attr(aria-label)").getall()


def test_a_frontier_in_memory_is_not_called_empty():
    """Unknown is not none."""
    shown = text(render(changed(bands=None)))
    assert "kept in memory only" in shown
    assert "The frontier is empty" not in shown
