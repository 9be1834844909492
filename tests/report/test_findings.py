from __future__ import annotations

import dataclasses

import pytest
from parsel import Selector

from focused_crawler.crawl.hubs.listing import RatedHost, RatedPage
from focused_crawler.crawl.hubs.record import distill
from focused_crawler.crawl.steering.estimate import Estimate
from focused_crawler.report.page import render
from focused_crawler.report.read import read_summary
from focused_crawler.report.summary import AlarmRow, Findings, TrapRow
from focused_crawler.report.terminal.crawl import figures, remarks
from focused_crawler.report.words import not_rated
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import read_run, write_run
from focused_crawler.store.pages import PageStore

HUB, GOOD = "http://hub.example/", "http://good.example/"


@pytest.fixture
def crawl(make_crawl, new_page):
    """A hub that links to a good page on another site; a copy, decisions of all sorts, URLs left."""
    pages = [new_page(number, relevant=number % 2 == 0) for number in range(20)]
    pages += [new_page(20, relevant=True, url=HUB), new_page(21, relevant=True, url=GOOD)]
    pages.append(new_page(22, relevant=True, duplicate_of=GOOD, likeness=0.9))
    left = [
        ("http://left.example/1", 0.9),
        ("http://trap.example/a/1", 0.1),
        ("http://trap.example/a/2", 0.1),
    ]
    folder = make_crawl(pages, left=left)
    with CrawlDatabase(folder / "crawl.db") as database:
        store = PageStore(database)
        store.record_links(HUB, [(GOOD, "good", 0, 0.9)])
        store.record_decision("alarm", "diffusion", detail="after 20 pages: hardly any")
        for number in (1, 2):
            store.record_decision("dropped", "trap_pattern", url=f"http://trap.example/a/{number}")
        store.record_decision("closed", "refusals", host="slow.example")
        store.record_decision("retry", "http_503", url="http://left.example/1")
        store.record_decision("odd", "rule", url="http://left.example/1")
        distill(database)
        store.commit()
    return folder


def test_findings_are_read_from_the_crawl(crawl):
    """Alarms, ratings, copies, traps, and an estimate of what is left."""
    found = read_summary(crawl).findings
    assert [(alarm.kind, alarm.text) for alarm in found.alarms] == [
        ("diffusion", "after 20 pages: hardly any")
    ]
    assert [page.url for page in found.hubs] == [HUB]
    assert [(page.url, page.authority) for page in found.authorities] == [(GOOD, 1.0)]
    assert [(site.host, site.authority) for site in found.sites] == [("good.example", 1.0)]
    assert found.rated_pages == 23
    assert found.steered == {
        "near-copies": 1,
        "trap: pattern of URLs without gain": 2,
        "host closed after refusals": 1,
        "odd: rule": 1,
    }
    (trap,) = found.traps
    assert (trap.host, trap.urls, trap.example) == ("trap.example", 2, "http://trap.example/a/1")


def test_without_a_frontier_nothing_is_estimated(crawl):
    """A frontier in memory has left nothing to count."""
    run = read_run(crawl)
    write_run(crawl, dataclasses.replace(run, frontier="memory"))
    assert read_summary(crawl).findings.estimate is None


def test_a_crawl_without_findings_has_no_empty_tables(make_crawl, new_page):
    """Nothing was rated, dropped or told: the report has no place for it."""
    report = render(read_summary(make_crawl([new_page(1, relevant=True)])))
    for heading in ("Alarms", "again", "with most authority", "Copies"):
        assert heading not in " ".join(Selector(report).css("h2::text").getall())


def test_pages_that_were_looked_at_again(crawl):
    """Counted by what was found, in the report and in the terminal."""
    assert "revisits" not in list(figures([read_summary(crawl)]).columns[0].cells)
    sql = "INSERT INTO revisits (page, visited_at, outcome) VALUES (1, 2, ?)"
    with CrawlDatabase(crawl / "crawl.db") as database:
        database.executemany(sql, [("unchanged",), ("gone",), ("unchanged",)])
        database.commit()
    summary = read_summary(crawl)
    assert summary.findings.revisits == {"unchanged": 2, "gone": 1}
    rows = Selector(render(summary)).xpath("//section[h2 = 'Revisits']//tbody/tr")
    assert [row.css("::text").getall() for row in rows] == [["Unchanged", "2"], ["Gone", "1"]]
    other = dataclasses.replace(summary, strategy="cbp", findings=Findings())
    table = figures([summary, other])
    told = [str(list(column.cells)[-1]) for column in table.columns]
    assert told == ["revisits", "2 unchanged\n1 gone", "0"]


def test_what_was_not_rated_is_said(crawl, make_crawl, new_page):
    """What to type; why there is nothing to rate; and nothing where there are ratings, or no pages."""
    summary = dataclasses.replace(read_summary(crawl), folder="my crawls/a/1")
    for found, line in [
        (Findings(), "Not rated yet: scrapy distill 'my crawls/a/1'"),
        (
            Findings(rated_pages=7),
            "No hubs and no authorities: no page of another site leads to a relevant one.",
        ),
    ]:
        unrated = dataclasses.replace(summary, findings=found)
        notes = Selector(render(unrated)).xpath("//section[h2 = 'Hubs and authorities']/p/text()").getall()
        assert notes == [line]
        assert line in remarks(unrated)
    assert not_rated(summary) == ""
    assert not_rated(read_summary(make_crawl(job="2"))) == ""


def findings(words: str) -> Findings:
    """All that can be found, each text being the same."""
    url = f"http://a.example/{words}"
    return Findings(
        estimate=Estimate(3.0, 10.0, 40.0),
        knows_frontier=True,
        alarms=(AlarmRow(words, 1_760_000_000.0, words),),
        hubs=(RatedPage(1, url, words, 0.9, 0.5, 0.5),),
        authorities=(RatedPage(1, url, words, 0.9, 0.5, 0.5),),
        sites=(RatedHost(words, 7, 3, 0.25),),
        rated_pages=500,
        revisits={words: 5},
        traps=(TrapRow(words, words, 12, url),),
        steered={words: 12},
    )


def test_the_report_shows_what_was_found(crawl):
    """The estimate with its interval, alarms with their time, best pages and hosts, traps."""
    summary = dataclasses.replace(read_summary(crawl), findings=findings("words"))
    shown = " ".join(
        " ".join(Selector(render(summary)).xpath("//main//text()[not(ancestor::svg)]").getall()).split()
    )
    assert "Left to find, by estimate: at least 3 relevant pages in all. By what URLs" in shown
    assert "Words 2025-10-09 08:53 UTC words" in shown
    for heading in ("Alarms", "Hubs and authorities", "Hosts with most authority", "Copies, traps"):
        assert heading in shown
    assert "25.0 %" in shown


def test_an_estimate_that_there_is_not_is_not_praised(crawl):
    """How often estimates are right is said of one that is made."""
    found = dataclasses.replace(findings("words"), estimate=None)
    shown = render(dataclasses.replace(read_summary(crawl), findings=found))
    assert "Left to find: nobody can say yet" in shown
    assert "By what URLs" not in shown


@pytest.mark.parametrize("words", ["<script>alert(1)</script>", "\x1b[31m\u202e", "{{ 7*7 }}\"'><img src=x>"])
def test_hostile_words_stay_words(crawl, words):
    """Hosts, titles and URLs come from the web."""
    summary = read_summary(crawl)
    evil = render(dataclasses.replace(summary, findings=findings(words)))
    kind = render(dataclasses.replace(summary, findings=findings("words")))
    assert tags(evil) == tags(kind) or "\x1b" in words  # that URL is no link
    assert not set("\x1b\u202e") & set(evil)


def tags(report: str) -> list[str]:
    return [node.root.tag for node in Selector(report).xpath("//*[not(ancestor::svg)]")]


def test_the_terminal_is_told_the_same(crawl):
    """Why it stopped, what is left, alarms, the best pages, what steered it; no control character."""
    lines = remarks(dataclasses.replace(read_summary(crawl), findings=findings("w\x1b[2J")))
    assert lines[0] == "It reached its budget of pages."
    assert lines[1].startswith("Nobody can say how many of these 23 pages are relevant: ")
    assert lines[2] == "Left to find, by estimate: at least 3 relevant pages in all."
    assert any(line.startswith("Best hub: http://a.example/w") for line in lines)
    assert lines[-1].startswith("Steered by: w")
    assert not any("\x1b" in line for line in lines)
