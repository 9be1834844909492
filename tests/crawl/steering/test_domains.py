"""Hosts of one registered domain: what it brings lets more of them in."""

from __future__ import annotations

import tracemalloc

from focused_crawler.crawl.steering.domains import (
    FOR_A_DOMAIN,
    FOR_A_GAIN,
    FREE,
    MOST_WAITING,
    SHARE,
    DomainShares,
)
from focused_crawler.crawl.steering.traps import Refusal
from focused_crawler.crawl.steering.url_kinds import domain_of
from focused_crawler.frontier.base import Candidate


def links(domain: str, first: int, number: int) -> list[Candidate]:
    return [Candidate(f"http://h{host}.{domain}/", 0.5) for host in range(first, first + number)]


def admitted(shares: DomainShares, found: list[Candidate], source: str) -> tuple[int, int]:
    """Return how many links are let in, and how many wait: each is the one or the other, as it was."""
    queued, lowered = shares.admit(found, source)
    assert {*queued, *(link for link, _ in lowered)} == {*found}
    return len(queued), len(lowered)


def test_some_hosts_are_free_and_the_rest_waits():
    shares = DomainShares()
    source = "http://h0.farm.org/"
    assert admitted(shares, links("farm.org", 0, 1000), source) == (FREE, 1000 - FREE)
    assert admitted(shares, links("farm.org", 0, 1000), source) == (FREE, 1000 - FREE)  # the same ones
    _, lowered = shares.admit(links("farm.org", 0, 1000), source)
    assert {refusal for _, refusal in lowered} == {Refusal(SHARE, "farm.org")}


def test_pages_by_content_let_hosts_in():
    shares = DomainShares()
    admitted(shares, links("large.org", 0, FREE), "http://h0.large.org/")
    shares.record("http://h0.large.org/", is_gain=False)
    assert admitted(shares, links("large.org", 100, 9), "http://h0.large.org/") == (0, 9)
    shares.record("http://h1.large.org/", is_gain=True)
    assert admitted(shares, links("large.org", 100, 9), "http://h0.large.org/") == (
        FOR_A_GAIN,
        9 - FOR_A_GAIN,
    )


def test_other_domains_vouch_once_each_unless_they_flood():
    shares = DomainShares()
    admitted(shares, links("big.org", 0, FREE), "http://h0.big.org/")
    more = links("big.org", 100, 99)
    assert admitted(shares, more, "http://a.net/1")[0] == FOR_A_DOMAIN
    assert admitted(shares, more, "http://b.a.net/2")[0] == FOR_A_DOMAIN  # the same domain
    assert admitted(shares, more, "http://c.net/")[0] == 2 * FOR_A_DOMAIN
    admitted(shares, links("farm.org", 0, 1000), "http://h0.farm.org/")
    assert admitted(shares, more, "http://h0.farm.org/")[0] == 2 * FOR_A_DOMAIN


def test_those_that_waited_make_room_for_others_and_are_forgotten():
    shares = DomainShares()
    source = "http://h0.farm.org/"
    admitted(shares, links("farm.org", 0, 1000), source)
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
