"""Hosts of one registered domain: what it brings lets more of them be asked."""

from __future__ import annotations

import tracemalloc

from focused_crawler.crawl.steering.domains import (
    FOR_A_DOMAIN,
    FOR_A_GAIN,
    FREE,
    MANY,
    MOST_WAITING,
    SHARE,
    DomainShares,
)
from focused_crawler.crawl.steering.terms import Refusal
from focused_crawler.crawl.steering.url_kinds import domain_of
from focused_crawler.frontier.base import Candidate
from focused_crawler.page.url import host_of


def links(domain: str, first: int, number: int) -> list[Candidate]:
    return [Candidate(f"http://h{host}.{domain}/", 0.5) for host in range(first, first + number)]


def admitted(shares: DomainShares, found: list[Candidate], source: str) -> tuple[int, int]:
    """Return how many links are let in, and how many wait: each is the one or the other, as it was."""
    queued, lowered = shares.admit(found, source)
    assert {*queued, *(link for link, _ in lowered)} == {*found}
    return len(queued), len(lowered)


def asked(shares: DomainShares, found: list[Candidate]) -> int:
    """Return how many of some URLs may be fetched, when each is about to be."""
    refusals = [shares.ask(link.url) for link in found]
    assert {*refusals} <= {None, *(Refusal(SHARE, domain_of(host_of(link.url))) for link in found)}
    return refusals.count(None)


def test_some_hosts_are_free_and_the_rest_waits():
    """Which ones the order of the crawl says: all that were linked before the share was spent may be."""
    shares = DomainShares()
    source = "http://h0.farm.org/"
    assert admitted(shares, links("farm.org", 0, 1000), source) == (1000, 0)
    assert asked(shares, links("farm.org", 500, 300)) == FREE
    assert asked(shares, links("farm.org", 500, FREE)) == FREE  # the same ones
    assert asked(shares, links("farm.org", 0, 500)) == 0
    assert admitted(shares, links("farm.org", 500, 100), source) == (FREE, 100 - FREE)
    _, lowered = shares.admit(links("farm.org", 0, 1000), source)
    assert {refusal for _, refusal in lowered} == {Refusal(SHARE, "farm.org")}


def test_both_names_of_a_host_count_once():
    """Many redirect from the one to the other."""
    shares = DomainShares()
    for link in links("wiki.org", 0, FREE):
        assert shares.ask(link.url) is None
        assert shares.ask(link.url.replace("//", "//www.")) is None
    assert asked(shares, links("wiki.org", FREE, 1)) == 0


def test_hosts_that_are_only_linked_take_no_share():
    """However many pages link to how many: a large domain is linked whole before the first host is asked."""
    shares = DomainShares()
    for page in range(100):
        assert admitted(shares, links("wiki.org", 40 * page, 40), "http://h0.wiki.org/") == (40, 0)
    assert asked(shares, links("wiki.org", 3_990, 1)) == 1


def test_pages_by_content_let_hosts_in():
    shares = DomainShares()
    asked(shares, links("large.org", 0, FREE))
    shares.record("http://h0.large.org/", is_gain=False)
    assert admitted(shares, links("large.org", 100, 9), "http://h0.large.org/") == (0, 9)
    shares.record("http://h1.large.org/", is_gain=True)
    assert admitted(shares, links("large.org", 100, 9), "http://h0.large.org/") == (9, 0)
    assert asked(shares, links("large.org", 100, 9)) == FOR_A_GAIN


def test_other_domains_vouch_once_each_unless_they_flood():
    shares = DomainShares()
    asked(shares, links("big.org", 0, FREE))
    more = links("big.org", 100, 99)
    admitted(shares, more, "http://a.net/1")
    assert asked(shares, more) == FOR_A_DOMAIN
    admitted(shares, more, "http://b.a.net/2")
    assert asked(shares, more) == FOR_A_DOMAIN  # the same domain
    admitted(shares, more, "http://c.net/")
    assert asked(shares, more) == 2 * FOR_A_DOMAIN
    asked(shares, links("farm.org", 0, 1000))
    admitted(shares, more, "http://h0.farm.org/")
    assert asked(shares, more) == 2 * FOR_A_DOMAIN


def test_a_crawl_that_goes_on_has_asked_what_it_had():
    whole, again = DomainShares(), DomainShares()
    asked(whole, links("farm.org", 0, FREE + 9))
    again.restore((host_of(link.url) for link in links("farm.org", 0, FREE)), ())
    for shares in (whole, again):
        assert asked(shares, links("farm.org", 0, 200)) == FREE


def test_what_was_noted_is_all_that_counts():
    """Of a domain with many hosts: pages do not tell which were asked beyond its share, or gave nothing."""
    whole, again, notes = DomainShares(), DomainShares(), []
    whole.note = notes.extend
    admitted(whole, links("large.org", 0, 200), "http://a.net/")
    asked(whole, links("large.org", 0, MANY - 1))
    assert notes == []
    asked(whole, links("large.org", MANY - 1, 100))
    admitted(whole, links("large.org", 0, 1), "http://b.net/")
    assert len(notes) == len({*notes}) == FREE + FOR_A_DOMAIN + 2
    beyond = [host_of(link.url) for link in links("large.org", 150, 9)]
    again.record("http://h160.large.org/", is_gain=False)
    again.restore(beyond, beyond, notes)
    for shares in (whole, again):
        assert asked(shares, links("large.org", 0, 200)) == FREE + 2 * FOR_A_DOMAIN


def test_those_that_waited_make_room_for_others_and_are_forgotten():
    shares = DomainShares()
    source = "http://h0.farm.org/"
    asked(shares, links("farm.org", 0, 1000))
    for host in range(100_000):
        waits = 10_000 + host
        shares.record(
            f"http://h{FREE + host if host < MOST_WAITING else waits - MOST_WAITING}.farm.org/", is_gain=False
        )
        assert admitted(shares, links("farm.org", waits, 1), source) == (0, 1)
    (domain,) = shares._domains.values()
    assert (len(domain.hosts), len(domain.waiting)) == (FREE, MOST_WAITING)


def test_hosts_of_many_domains_are_no_flood():
    shares = DomainShares()
    many = [Candidate(f"http://d{number}.org/", 0.5) for number in range(500)]
    assert admitted(shares, many, "http://a.net/") == (500, 0)


def test_a_domain_of_one_host_takes_little():
    """Most have no more."""
    shares, many = DomainShares(), 10_000
    domain_of("one.org")  # loads the list of suffixes
    domain_of.cache_clear()
    tracemalloc.start()
    try:
        for start in range(0, many, 500):
            found = [Candidate(f"http://d{number}.org/", 0.5) for number in range(start, start + 500)]
            assert admitted(shares, found, "http://a.net/") == (500, 0)
        domain_of.cache_clear()
        assert tracemalloc.get_traced_memory()[0] / many <= 400
    finally:
        tracemalloc.stop()
