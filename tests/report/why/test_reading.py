"""What is known of a URL is what was done to it, on each kind of database."""

from __future__ import annotations

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.report.why.facts import Event
from focused_crawler.report.why.reading import MOST_EVENTS, MOST_LINKS
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.schema import State
from tests.report.why.conftest import START, SmallCrawl

A, B, C = "http://a.org/", "http://b.org/x", "http://c.org/y"


def test_links_in_order_of_time(crawl: SmallCrawl) -> None:
    """With page, place, anchor, block and score; those that raised the score are marked."""
    crawl.seed(A, B)
    crawl.fetch(A, [("http://a.org/other", "", 0, 0.1), (C, "the best", 2, 0.5)])
    crawl.fetch(B, [(C, "less", 0, 0.25), (C, "more", 1, 0.75), (C, "refused", 1, None)], relevance=0.5)
    facts = crawl.facts(C)
    told = [
        (link.source, link.number, link.anchor, link.block, link.score, link.raised) for link in facts.links
    ]
    assert told == [
        (A, 1, "the best", 2, 0.5, 1),
        (B, 0, "less", 0, 0.25, 0),
        (B, 1, "more", 1, 0.75, 1),
        (B, 2, "refused", 1, None, 0),
    ]
    assert facts.counted == (4, 2, 3)
    assert [(link.fetched_at, link.relevance, link.links) for link in facts.links[:2]] == [
        (START, 0.75, 2),
        (START + 1, 0.5, 3),
    ]
    assert facts.best == facts.links[2]
    assert facts.queue is not None
    assert (facts.queue.priority, facts.queue.parent, facts.queue.depth) == (0.75, B, 1)
    assert facts.state == State.PENDING


def test_of_equal_links_the_first_is_the_best(crawl: SmallCrawl) -> None:
    """A later one gave the URL no higher priority."""
    crawl.fetch(A, [(C, "first", 0, 0.5)])
    crawl.fetch(B, [(C, "second", 0, 0.5)])
    best = crawl.facts(C).best
    assert best is not None
    assert (best.source, best.anchor) == (A, "first")


def test_of_many_links_those_that_raised_it_are_kept(crawl: SmallCrawl) -> None:
    """The first ones fill the rest."""
    pages = [f"http://a.org/{number}" for number in range(MOST_LINKS + 5)]
    crawl.seed(*pages)
    for page in pages:
        crawl.fetch(page, [(C, "", 0, 0.9 if page == pages[-1] else 0.1)])
    facts = crawl.facts(C)
    assert facts.counted.links == MOST_LINKS + 5
    assert len(facts.links) == MOST_LINKS
    assert [link.source for link in facts.links if link.raised] == [pages[0], pages[-1]]


def test_what_comes_before_it(crawl: SmallCrawl) -> None:
    """By tries, priority, load of the host and tie: as many as the frontier gives out before it."""
    crawl.seed(A)
    links = [(f"http://{'abc'[n % 3]}.org/{n}", "", 0, n % 4 / 4) for n in range(20)]
    crawl.fetch(A, links)
    ahead = {url: crawl.facts(url).ahead for url, *_ in links}
    assert sorted(ahead.values()) == list(range(20))
    first = min(ahead, key=lambda url: ahead[url])
    assert crawl.frontier.take(1, START + 50)[0].url == first


def test_redirects_are_followed_both_ways(crawl: SmallCrawl) -> None:
    """What was asked for leads to the page, and the page to the links to what was asked for."""
    crawl.seed(A)
    crawl.fetch(A, [(B, "moved", 0, 0.5)])
    crawl.fetch(B, at=C)
    asked, ended = crawl.facts(B), crawl.facts(C)
    assert asked.page is not None
    assert asked.page == ended.page
    assert asked.page.url == C
    assert [link.anchor for link in ended.links] == ["moved"]
    assert [link.target for link in ended.links] == [B]
    assert [event.detail for event in asked.events] == [f"page 2, at {C}"]


def test_events_of_the_url_and_of_its_host(crawl: SmallCrawl) -> None:
    """In order of time, with the rule; those of others are left out."""
    crawl.seed(A, B)
    crawl.fail(A, "http_503", retry_at=START)
    crawl.store.record_decision("closed", "refusals", host="a.org", run=1)
    crawl.store.record_decision("closed", "refusals", host="b.org", run=1)
    crawl.store.record_decision("alarm", "stagnation")
    crawl.fail(A, "http_404")
    told = [(event.what, event.rule, event.host) for event in crawl.facts(A).events]
    assert told == [
        ("retry", "http_503", None),
        ("closed", "refusals", "a.org"),
        ("failed", "http_404", None),
    ]
    assert crawl.facts(A).failure is not None


def test_only_the_last_events_are_kept(crawl: SmallCrawl) -> None:
    """However often a host was refused."""
    crawl.seed(A)
    for number in range(MOST_EVENTS + 5):
        crawl.store.record_decision("retry", "http_503", url=A, detail=str(number))
    details = [event.detail for event in crawl.facts(A).events]
    assert details == [str(number) for number in range(5, MOST_EVENTS + 5)]


def test_revisits_are_events(crawl: SmallCrawl) -> None:
    """With their outcome, in order of time."""
    crawl.seed(A)
    crawl.fetch(A)
    crawl.look_again(1, "changed", START + 9)
    crawl.look_again(1, "gone", START + 20)
    told = [(event.what, event.rule, event.detail, event.run) for event in crawl.facts(A).events]
    assert told == [
        ("fetched", "http_200", "page 1", None),
        ("revisited", "changed", "relevance 0.250", 2),
        ("revisited", "gone", "", 2),
    ]


def test_a_page_and_what_was_asked_for_share_their_events(crawl: SmallCrawl) -> None:
    """One failed before it led there, the other was found gone later."""
    crawl.seed(B)
    crawl.store.record_links(C, [])
    crawl.store.record_decision("retry", "timeout", url=B)
    crawl.fetch(B, at=C)
    crawl.store.record_decision("gone", "http_404", url=C)
    for url in (B, C):
        rules = {event.rule for event in crawl.facts(url).events}
        assert rules == {"timeout", "http_200", "http_404"}


def test_a_page_that_is_queued_again(crawl: SmallCrawl) -> None:
    """Is in the frontier and recorded, whichever of its URLs is asked about."""
    crawl.seed(B)
    crawl.fetch(B, at=C)
    assert crawl.facts(C).again is None
    crawl.frontier.again([Candidate(C, 1.0)])
    assert [crawl.facts(url).again for url in (B, C)] == [State.PENDING, State.PENDING]
    assert crawl.facts(C).ahead == 0


def test_a_failure_without_a_decision_is_an_event(crawl: SmallCrawl) -> None:
    """As older versions left it: with time and run."""
    crawl.seed(A)
    crawl.store.record_failure(A, "http_404", 3)
    facts = crawl.facts(A)
    assert facts.failure is not None
    assert facts.events == (Event(facts.failure.failed_at, "failed", "http_404", run=3),)


def test_what_a_decision_adds_to_a_failure(crawl: SmallCrawl) -> None:
    """The last one of the same class; a decision alone is a failure, too."""
    crawl.seed(A, B)
    crawl.fail(A, "trap_site", "a.org")
    crawl.fail(A, "trap_pattern", "a.org/#")
    crawl.store.record_decision("failed", "robots", url=B, run=1)
    facts = crawl.facts(A)
    assert (facts.failure.reason, facts.failure.detail) == ("trap_pattern", "a.org/#")
    assert crawl.facts(B).failure.reason == "robots"


def test_a_look_that_failed_is_no_failure_of_its_page(crawl: SmallCrawl) -> None:
    """What was recorded stays."""
    crawl.seed(A)
    crawl.fetch(A)
    crawl.store.record_decision("failed", "timeout", url=A)
    crawl.look_again(1, "failed", START + 9)
    facts = crawl.facts(A)
    assert facts.failure is None
    assert {event.rule for event in facts.events} == {"http_200", "timeout", "failed"}


def test_redirects_of_a_frontier_in_memory(crawl: SmallCrawl) -> None:
    """No state tells that it is done: its page does."""
    crawl.store.record_links(A, [(B, "moved", 0, 0.5)])
    crawl.store.record_page(PageItem(url=C, requested_url=B, fetched_at=START, relevance=1, is_relevant=True))
    page = crawl.facts(B).page
    assert page is not None
    assert page.url == C


def test_its_host(crawl: SmallCrawl) -> None:
    """What it gave, what of it is pending and waits, and when it may be asked."""
    crawl.seed(A, "http://a.org/1", "http://a.org/2", "http://a.org/3", "http://a.org/4")
    crawl.fetch(A)
    crawl.frontier.pace("a.org", 7)
    crawl.frontier.take(1, START + 20)
    crawl.fail("http://a.org/4", "timeout", retry_at=START + 99)
    host = crawl.facts(A).host
    assert host is not None
    assert (host.name, host.fetches, host.pages, host.delay) == ("a.org", 1, 1, 7)
    assert (host.pending, host.waiting) == (3, 1)
    assert not host.is_closed


def test_a_host_that_was_asked_again(crawl: SmallCrawl) -> None:
    """A page counts once, each fetch of it as one."""
    crawl.seed(A)
    crawl.fetch(A)
    crawl.frontier.again([Candidate(A, 1.0)])
    crawl.frontier.take(1, START + 20)
    crawl.frontier.done(A)
    crawl.frontier.take(1, START + 30)  # what has changed of hosts is written now and then
    host = crawl.facts(A).host
    assert host is not None
    assert (host.fetches, host.pages) == (2, 1)


def test_a_host_at_its_cap_is_closed(database: CrawlDatabase) -> None:
    """It is never asked again in that run."""
    crawl = SmallCrawl(database, Rules(host_pages=1))
    crawl.seed(A, "http://a.org/1")
    crawl.fetch(A)
    facts = crawl.facts("http://a.org/1")
    assert facts.host is not None
    assert facts.host.is_closed
    assert facts.state == State.DROPPED


def test_one_that_was_never_seen(crawl: SmallCrawl) -> None:
    """Nothing is known but its host, and what is near it."""
    crawl.seed("http://a.org/news/1", "http://a.org/about", "http://a.org/news/2")
    crawl.fetch("http://a.org/news/1")
    facts = crawl.facts("http://a.org/news/3")
    assert (facts.state, facts.queue, facts.page, facts.links) == (None, None, None, ())
    near = {near.url: near.state for near in facts.near}
    assert list(near)[:2] in (
        ["http://a.org/news/1", "http://a.org/news/2"],
        ["http://a.org/news/2", "http://a.org/news/1"],
    )
    assert set(near.values()) <= {"fetched", "pending"}
    assert crawl.facts("http://elsewhere.org/").near == ()


def test_the_nearest_begin_most_like_it(crawl: SmallCrawl) -> None:
    """Then the shorter ones, then by name; five at most."""
    near = ["news/2024/bees", "news/2024/old/bees", "news/a", "news/b", "news/bb", "about"]
    for path in near[::-1]:
        crawl.fetch(f"http://a.org/{path}")
    crawl.seed("http://a.org/news/2024/b")
    assert [(one.url, one.state) for one in crawl.facts("http://a.org/news/2024/bee").near] == [
        ("http://a.org/news/2024/bees", "fetched"),
        ("http://a.org/news/2024/b", "pending"),
        ("http://a.org/news/2024/old/bees", "fetched"),
        ("http://a.org/news/a", "fetched"),
        ("http://a.org/news/b", "fetched"),
    ]


def test_other_ways_to_write_it(crawl: SmallCrawl) -> None:
    """Scheme, www. and a trailing slash make no other URL, and its host is that of the one asked for."""
    crawl.seed("http://www.a.org/x")
    crawl.fetch("http://www.a.org/x")
    facts = crawl.facts("https://a.org/x/")
    assert facts.page is not None
    assert facts.host is not None
    assert facts.host.name == "www.a.org"


def test_text_no_database_takes(crawl: SmallCrawl) -> None:
    """A lone surrogate or a NUL in what a user typed is none to worry about."""
    assert crawl.facts("http://a.org/\ud800\0").state is None
