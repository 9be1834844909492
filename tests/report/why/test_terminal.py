"""What `scrapy why` shows in a terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.report.why.learnt import Learnt
from focused_crawler.report.why.parts import LinkParts
from focused_crawler.report.why.terminal import story
from focused_crawler.store.database import CrawlDatabase
from tests.report.why.conftest import START, SmallCrawl

HUB, A = "http://a.org/", "http://b.org/1"


def shown(crawl: SmallCrawl) -> list[str]:
    facts = crawl.facts(A)
    parts = LinkParts(facts.links[0], 0.5, pages=3)
    console = Console(file=io.StringIO(), width=200)
    console.print(story(facts, crawl.run, parts, Learnt(), START))
    return console.file.getvalue().splitlines()


def heading(crawl: SmallCrawl) -> str:
    """Return how the priority of a URL is headed, of a strategy that changes its mind."""
    (found,) = [line.strip() for line in shown(crawl) if line.startswith("Its priority ")]
    return found.removesuffix(", as known after 3 pages")


@pytest.fixture
def linked(crawl: SmallCrawl) -> SmallCrawl:
    crawl.seed(HUB)
    crawl.fetch(HUB, [(A, "honey", 0, 0.5)])
    assert heading(crawl) == "Its priority in the frontier"
    crawl.frontier.take(1, START + 50)
    return crawl


@pytest.mark.parametrize(
    ("reason", "when"),
    [
        ("http_404", "it was asked for"),
        ("timeout", "it was asked for"),
        ("robots", "its turn came"),
        ("trap_mirror", "its turn came"),
    ],
)
def test_a_url_that_gave_no_page(reason: str, when: str, linked: SmallCrawl) -> None:
    """What robots.txt forbids and traps were not asked for."""
    linked.fail(A, reason)
    assert heading(linked) == f"Its priority when {when}"


def test_a_url_that_was_lowered(linked: SmallCrawl) -> None:
    """It was never asked for; once it has come back it is in the frontier, and fetched in the end."""
    linked.frontier.failed(A, None)
    linked.store.record_decision("lowered", "trap_pattern", url=A, detail="b.org/#")
    assert linked.answer(A).verdict == "lowered"
    assert heading(linked) == "Its priority when it was lowered"
    linked.frontier.again([Candidate(A, 0.0005)])
    assert heading(linked) == "Its priority in the frontier"
    linked.fetch(A)
    assert heading(linked) == "Its priority when it was fetched"


def test_a_domain_that_was_held(linked: SmallCrawl) -> None:
    """It is no host's decision; and what was fetched is in the frontier no more."""
    linked.store.record_decision("held", "domain_share", host="b.org")
    linked.fetch(A)
    lines = shown(linked)
    assert "When it was in the frontier" in lines
    (held,) = [line.split() for line in lines if " held " in line]
    assert (held[2:4], held[-1]) == (["domain", "held"], "b.org")


def test_a_url_that_was_dropped(database: CrawlDatabase) -> None:
    """Its host had given all that it may."""
    crawl = SmallCrawl(database, Rules(host_pages=1))
    crawl.seed(HUB)
    crawl.fetch(HUB, [("http://b.org/2", "comb", 0, 0.75), (A, "honey", 1, 0.5)])
    crawl.fetch("http://b.org/2")
    assert heading(crawl) == "Its priority when it was dropped"
