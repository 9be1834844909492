from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from focused_crawler.report.ledger import read_ledger
from focused_crawler.store.job import run_of
from focused_crawler.store.opening import read_crawl
from tests.crawls.site import Answer, Site, page, write_topic
from tests.project import Job, Scrapy, crawl, until

DELAY = 0.6
CRAWL_DELAY = 1.5
LATE = 0.3  # seconds that a site may be late to see a request on a busy machine: the next one seems early
HOSTS = ("127.0.0.1", "127.0.0.2")
SLOW, QUICK = HOSTS
ALLOWED = "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8"
MIRRORED = "FOCUSED_TRAP_BUDGETS=False"  # all hosts have the same pages
SETTINGS = (ALLOWED, MIRRORED, f"DOWNLOAD_DELAY={DELAY}", "FOCUSED_RETRY_DELAY=0.5")


def times(site: Site, host: str) -> list[float]:
    """Return when a host was asked for pages."""
    return [hit.time for hit in site.hits if hit.host == host and hit.path != "/robots.txt"]


def gaps(site: Site, host: str) -> list[float]:
    return [later - earlier for earlier, later in pairwise(times(site, host))]


def check_delay(site: Site, host: str, delay: float) -> None:
    """A host was not asked too often; what is late once makes no more than one gap short."""
    waits = gaps(site, host)
    assert min(waits) > delay - LATE, host
    assert sum(waits) > len(waits) * delay - LATE, host


def pages(site: Site, number: int, *hosts: str) -> list[str]:
    """Give each host so many pages without links; return their URLs."""
    for n in range(number):
        site.answers[f"/{n}"] = [page(f"number {n}")]
    return [site.url(f"/{n}", host) for host in hosts for n in range(number)]


@pytest.mark.slow
def test_a_wait_costs_no_heartbeat(site: Site, scrapy: Scrapy, tmp_path: Path) -> None:
    """Hosts are asked no sooner than their delay allows, and hardly later: not when Scrapy next looks.

    Without the scheduler's own alarm every wait would last Scrapy's five seconds.
    """
    for number in range(10):
        site.answers[f"/{number}"] = [page(f"number {number}", [f"/{number + 1}"] if number < 9 else [])]
    site.answers["/5"] = [Answer(status=500), *site.answers["/5"]]
    topic = write_topic(tmp_path, "bees", *(site.url("/0", host) for host in HOSTS))
    scrapy.run(*crawl(topic, tmp_path / "crawls", *SETTINGS))
    assert len(Job(tmp_path / "crawls/bees/1").pages) == 20
    for host in HOSTS:
        check_delay(site, host, DELAY)
        assert times(site, host)[-1] - times(site, host)[0] < 30  # with Scrapy's waits: 45 and more


@contextmanager
def late_names(seconds: float) -> Iterator[int]:
    """Answer 127.0.0.1 for every name, late; yield the port."""

    def serve() -> None:
        while data := server.recvfrom(4096):
            query, peer = data
            question = query[12 : query.index(b"\0", 12) + 5]
            address = b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4\x7f\0\0\1" if question[-4:-2] == b"\0\1" else b""
            head = query[:2] + b"\x81\x80\0\1" + (b"\0\1" if address else b"\0\0") + bytes(4)
            threading.Timer(seconds, server.sendto, (head + question + address, peer)).start()

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


def test_a_delay_counts_from_when_the_name_was_found(site: Site, scrapy: Scrapy, tmp_path: Path) -> None:
    """A name that takes longer than the delay lets robots.txt and the first page not go out together."""
    site.answers["/"] = [page("first", ["/1"])]
    site.answers["/1"] = [page("second")]
    topic = write_topic(tmp_path, "bees", site.url("/", "late.test"))
    with late_names(2 * DELAY) as port:
        scrapy.run(*crawl(topic, tmp_path / "crawls", *SETTINGS, f"FOCUSED_NAME_SERVERS=127.0.0.1:{port}"))
    assert [hit.path for hit in site.hits] == ["/robots.txt", "/", "/1"]
    assert min(later.time - hit.time for hit, later in pairwise(site.hits)) > DELAY - LATE


@pytest.mark.slow
def test_a_crawl_delay_is_kept(site: Site, scrapy: Scrapy, tmp_path: Path) -> None:
    """Between any two requests for pages, redirects too, and not twice; others are not slowed down."""
    robots = f"User-agent: *\nCrawl-delay: {CRAWL_DELAY}".encode()
    site.answers[f"{SLOW}/robots.txt"] = [Answer(robots, headers={"Content-Type": "text/plain"})]
    seeds = pages(site, 3, SLOW, QUICK)
    site.answers["/moved"] = [Answer(status=301, headers={"Location": "/new"})]
    site.answers["/new"] = [page("new")]
    topic = write_topic(tmp_path, "bees", *seeds, site.url("/moved", SLOW))
    settings = (ALLOWED, f"DOWNLOAD_DELAY={DELAY}", "STATS_DUMP=True")
    done = scrapy.run(*crawl(topic, tmp_path / "crawls", *settings))
    assert len(Job(tmp_path / "crawls/bees/1").pages) == 7, done.err
    for host, delay, too_long in ((SLOW, CRAWL_DELAY, 2 * CRAWL_DELAY), (QUICK, DELAY, CRAWL_DELAY)):
        check_delay(site, host, delay)
        assert max(gaps(site, host)) < too_long, host
    assert "'focused/robots/crawl_delay': 1" in done.err
    with read_crawl(tmp_path / "crawls/bees/1") as database:
        ledger = {row.host: row for row in read_ledger(database, run_of(tmp_path / "crawls/bees/1")).hosts}
    for host, asks, delay in ((SLOW, CRAWL_DELAY, CRAWL_DELAY), (QUICK, 0, DELAY)):
        row = ledger[f"{host}:{site.port}"]
        assert row.requests == sum(hit.host == host for hit in site.hits)
        assert (row.asks, row.delay, row.refusals, row.longest_pause) == (asks, delay, 0, None)
        assert row.shortest_gap is not None
        assert delay / 2 < row.shortest_gap <= max(gaps(site, host)) + 1


def test_what_was_never_sent_is_not_in_the_ledger(site: Site, scrapy: Scrapy, tmp_path: Path) -> None:
    """A private address that links or redirects lead to is refused, not asked, and so not counted."""
    inside = "http://10.0.0.1/a"
    site.answers["/"] = [page("first", [inside, "/moved", "/1"])]
    site.answers["/moved"] = [Answer(status=302, headers={"Location": "http://10.0.0.2/"})]
    site.answers["/1"] = [page("second")]
    topic = write_topic(tmp_path, "bees", site.url("/"))
    settings = (f"FOCUSED_ALLOWED_NETWORKS={SLOW}/32", "DOWNLOAD_DELAY=0")
    scrapy.run(*crawl(topic, tmp_path / "crawls", *settings))
    assert Job(tmp_path / "crawls/bees/1").failures[inside] == "refused_address"
    with read_crawl(tmp_path / "crawls/bees/1") as database:
        ledger = read_ledger(database, run_of(tmp_path / "crawls/bees/1"))
    assert [(row.host, row.requests) for row in ledger.hosts] == [(f"{SLOW}:{site.port}", len(site.hits))]


def test_a_host_that_refuses_is_left_alone(site: Site, scrapy: Scrapy, tmp_path: Path) -> None:
    """After 429 without Retry-After, longer each time and no longer; others go on, and nothing is lost."""
    seeds = [*pages(site, 6, SLOW), *pages(site, 40, QUICK)]
    for n in range(6):
        site.answers[f"{SLOW}/{n}"] = site.answers[f"/{n}"]
    site.answers[f"{SLOW}/0"] = [Answer(status=429), Answer(status=503), page("at last")]
    topic = write_topic(tmp_path, "bees", *seeds)
    settings = (ALLOWED, MIRRORED, "DOWNLOAD_DELAY=0", "FOCUSED_RETRY_DELAY=1.2", "CONCURRENT_REQUESTS=2")
    scrapy.run(*crawl(topic, tmp_path / "crawls", *settings))
    job = Job(tmp_path / "crawls/bees/1")
    assert sorted(job.pages) == sorted(seeds)
    refused = [hit.time for hit in site.hits if hit[1:3] == (SLOW, "/0")][:2]
    again = [min(later for later in times(site, SLOW) if later > time) for time in refused]
    assert all(1.1 < after - time < 2 * 1.2 for time, after in zip(refused, again, strict=True))
    assert sum(refused[0] < time < again[0] for time in times(site, QUICK)) > 3
    told = {host: about for host, *about in job.rows("SELECT host, refusals, longest_pause FROM politeness")}
    refusals, pause = told[f"{SLOW}:{site.port}"]
    assert refusals == 2
    assert pause > 1.1
    assert dict(job.rows("SELECT name, refusals FROM hosts")) == {f"{host}:{site.port}": 0 for host in HOSTS}


def test_a_cap_is_kept_over_a_kill(site: Site, scrapy: Scrapy, tmp_path: Path) -> None:
    """No host gives more pages than it may, over all runs; a run with a higher cap goes on with the rest."""
    seeds = pages(site, 12, *HOSTS)
    for n in range(12):
        site.answers[f"/{n}"] = [page(f"number {n}")._replace(delay=0.02)]
    topic = write_topic(tmp_path, "bees", *seeds)
    settings = (ALLOWED, MIRRORED, "DOWNLOAD_DELAY=0", "CONCURRENT_REQUESTS_PER_DOMAIN=4")

    def words(cap: int) -> list[str]:
        return crawl(topic, tmp_path / "crawls", *settings, f"FOCUSED_HOST_PAGES={cap}", job="capped")

    def fetched() -> dict[str, int]:
        rows = job.rows(
            "SELECT host, count(*), (SELECT pages FROM hosts WHERE name = host) FROM pages GROUP BY 1"
        )
        assert all(found == counted for _, found, counted in rows)
        return {host.partition(":")[0]: found for host, found, _ in rows}

    job = Job(tmp_path / "crawls/bees/capped")
    running = scrapy.start(*words(5))
    until(lambda: len(times(site, SLOW)) >= 4)
    running.signal(signal.SIGKILL)
    running.wait()
    scrapy.run(*words(5))
    assert fetched() == dict.fromkeys(HOSTS, 5)
    assert (job.run["state"], job.run["reason"]) == ("finished", "finished")
    assert job.rows("SELECT urls FROM states WHERE name = 'dropped'") == [(14,)]
    scrapy.run(*words(9))
    assert fetched() == dict.fromkeys(HOSTS, 9)


@pytest.mark.slow
@pytest.mark.parametrize("asks_by", ["Crawl-delay", "Retry-After"])
def test_a_wait_is_kept_over_a_kill(asks_by: str, site: Site, scrapy: Scrapy, tmp_path: Path) -> None:
    """The next run knows how long a host is to be left alone, though its page was never recorded."""
    seeds = pages(site, 2, SLOW)
    job = Job(tmp_path / "crawls/bees/killed")
    kept = f"SELECT 1 FROM hosts WHERE name = '{SLOW}:{site.port}' AND (delay > 0 OR refusals > 0)"
    if asks_by == "Crawl-delay":
        robots = Answer(b"User-agent: *\nCrawl-delay: 3", headers={"Content-Type": "text/plain"})
        site.answers["/robots.txt"] = [robots]
    else:
        for n in range(2):
            site.answers[f"/{n}"] = [Answer(status=429, headers={"Retry-After": "3"}), page(f"number {n}")]
    seeds.append(site.url("/late", QUICK))
    site.answers["/late"] = [page("late")._replace(delay=20), page("late")]
    topic = write_topic(tmp_path, "bees", *seeds)
    words = crawl(topic, tmp_path / "crawls", ALLOWED, "DOWNLOAD_DELAY=0", job="killed")
    running = scrapy.start(*words)
    until(lambda: times(site, SLOW) and times(site, QUICK))
    until(lambda: job.rows(kept))  # QUICK's page is still under way: nothing else ends
    running.signal(signal.SIGKILL)
    running.wait()
    scrapy.run(*words)
    assert gaps(site, SLOW)[0] > 3 - 1  # a delay counts from when a page was due: before its robots.txt came
    assert len(job.pages) == 3
