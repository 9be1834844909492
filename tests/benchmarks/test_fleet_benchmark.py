"""The benchmark of the fleet finds what it looks for: each of its checks sees what was planted."""

from __future__ import annotations

import http.client
import math
import os
import random
import time
from collections import Counter

import pytest

from benchmarks.crawl_processes import CpuLog, Left, RecordedPage, double, family, lost
from benchmarks.fleet_chaos import Outcome, schedule
from benchmarks.fleet_hits import judge
from benchmarks.fleet_laws import Laws
from benchmarks.fleet_quality import FOUR, ONE, WAYS, recalls, rows_of
from benchmarks.fleet_simulated import Member, Scene, Simulation
from benchmarks.fleet_speed import Speed, speed_up, steady
from benchmarks.fleet_world import World, host_name
from benchmarks.loopback import Hit, WebPlan, serving
from benchmarks.tables import Rows
from focused_crawler.frontier.base import Candidate, FrontierStats, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from tests.project import until

PLAN = WebPlan("SMALL", 10, 2, 0.0, 0.3)
LONG = WebPlan("SMALL", 10, 2, 0.0, 60.0)  # no machine is so slow that its requests lie so far apart
HOST, SLOW = "127.0.0.1", "127.0.0.5"


def hit(began, path="/page/1.html", host=HOST, seconds=0.02):
    return Hit(began, began + seconds, host, path)


@pytest.mark.parametrize(
    ("hits", "early", "still_open"),
    [
        ([hit(0.0), hit(0.3), hit(0.6)], 0, 0),
        ([hit(0.0), hit(0.291)], 0, 0),
        ([hit(0.0), hit(0.289)], 1, 0),
        ([hit(0.0), hit(0.1, host=SLOW)], 0, 0),
        ([hit(0.0, "/robots.txt"), hit(0.1)], 1, 0),
        ([hit(0.0), hit(0.1, "/robots.txt")], 1, 0),
        ([hit(0.0, host=SLOW), hit(0.4, host=SLOW)], 1, 0),
        ([hit(0.0, "/robots.txt", SLOW), hit(0.4, host=SLOW), hit(1.0, host=SLOW)], 0, 0),
        ([hit(0.0, seconds=0.9), hit(0.4)], 0, 1),
        ([hit(0.4), hit(0.0, seconds=0.9), hit(1.3)], 0, 1),
    ],
)
def test_a_hit_that_came_too_soon_is_found(hits, early, still_open):
    """Too near to the one before, robots.txt too, by the rule of its host; or while that is answered."""
    verdict = judge(hits, PLAN.delay, PLAN.delay_of)
    assert (len(verdict.early), len(verdict.open)) == (early, still_open)
    assert verdict.is_polite == (not early and not still_open)


def test_the_web_writes_down_when_it_was_asked(tmp_path):
    """By host, pages and robots.txt, from the request to its answer: a real crawler in haste is found out."""
    hits = tmp_path / "hits.txt"
    with serving(LONG, hits) as web:
        answers = {}
        for host, path in ((HOST, "/robots.txt"), (HOST, "/page/0.html"), (SLOW, "/robots.txt")):
            connection = http.client.HTTPConnection(host, web.port)
            connection.request("GET", path)
            answers[host, path] = connection.getresponse().read().decode()
            connection.close()
        connection = http.client.HTTPConnection(HOST, web.port)
        connection.request("GET", "/page/9.html")
        connection.close()
        until(lambda: len(web.hits.pages()) == 1)
    assert "Crawl-delay: 120" in answers[SLOW, "/robots.txt"]
    assert "Crawl-delay" not in answers[HOST, "/robots.txt"]
    assert "/page/1.html" in answers[HOST, "/page/0.html"]
    found = web.hits.read()
    assert [(one.host, one.path) for one in found][:2] == [(HOST, "/robots.txt"), (HOST, "/page/0.html")]
    assert len(judge(found, LONG.delay, LONG.delay_of).early) >= 1


def left(urls, *, counted=None, fed=None, last=None, total=None):
    """Say what a crawl left that recorded these pages; all agrees where nothing else is said."""
    pages = [RecordedPage(url, 0.0, False, 1) for url in urls]
    number = len(pages)
    return Left(
        pages,
        number if counted is None else counted,
        list(urls) if fed is None else fed,
        number if last is None else last,
        number if total is None else total,
    )


@pytest.mark.parametrize(
    ("crawl", "is_lost", "is_double"),
    [
        (left("abc"), 0, 0),
        (left("ab"), 1, 0),
        (left("abc", fed=["a", "b"]), 1, 0),
        (left("abc", fed=["a", "b", "c", "c"]), 0, 1),
        (left("abca", fed=["a", "b", "c"]), 0, 1),
        (left("abc", counted=4), 0, 1),
        (left("abc", total=2), 0, 1),
        (left("abc", last=5), 0, 2),
    ],
)
def test_a_page_that_is_lost_or_there_twice_is_counted(crawl, is_lost, is_double):
    """In the rows, the counter, run.json, the positions, and the feed."""
    assert lost(crawl, {"a", "b", "c"}) == is_lost
    assert double(crawl) == is_double


def test_a_round_is_good_only_if_all_is():
    """No figure hides a host that was asked too early, or a supervisor that gave up."""
    polite = judge([hit(0.0), hit(1.0)], 0.3, PLAN.delay_of)
    hasty = judge([hit(0.0), hit(0.1)], 0.3, PLAN.delay_of)
    good = Outcome(Counter(worker=1), 1.0, 0, 3, 0, 0, 0, polite)
    assert good.is_good
    for bad in ({"lost": 1}, {"double": 1}, {"code": 1}, {"code": None}, {"polite": hasty}):
        assert not good._replace(**bad).is_good


def test_kills_come_by_chance_and_again_the_same():
    """All kinds of victims, the first not before pages were fetched, some at once after another."""
    kills = schedule(200, random.Random(0))
    assert kills == schedule(200, random.Random(0))
    assert {kill.victim for kill in kills} == {"worker", "redis", "postgresql"}
    assert kills[0].share > 0
    assert 40 < sum(kill.share == 0 for kill in kills) < 120


def test_only_what_all_workers_did_counts_for_speed():
    """From the last worker's first page to the first worker's last one."""
    first = [RecordedPage("", float(second), False, 1) for second in range(11)]
    second = [RecordedPage("", 2.0 + second / 2, False, 2) for second in range(13)]
    crawl = Left([*first, *second], 0, [], 0, 0)
    speed = steady("load", 2, crawl, CpuLog({}))
    assert (speed.seconds, speed.pages) == (6.0, 6 + 12)
    speeds = Rows([speed._replace(workers=1, pages=9).row(), speed.row()])
    assert speed_up(speeds, "load", 2) == 2.0
    with pytest.raises(SystemExit, match="only 1 of 2 workers"):
        steady("load", 2, Left(first, 0, [], 0, 0), CpuLog({}))


def test_cpu_is_that_of_the_span_asked_for():
    """A process that works has some; one whose name nobody knows has none."""
    log = CpuLog({"this": lambda: family(os.getpid()), "none": lambda: []})
    end = time.monotonic() + 20
    with log.running():
        while not (spent := log.between(0.0, math.inf))["this"] and time.monotonic() < end:
            sum(range(1000))
    assert 0 < spent["this"] < 20
    assert log.between(math.inf, math.inf)["this"] == 0
    assert spent["none"] == 0
    assert Speed("", 1, 10, 2.0, {"workers": 1.0}).row()["workers_ms"] == 100


def test_recall_is_that_of_so_many_pages_as_there_are_targets():
    """Of four targets: after four pages, and after eight."""
    pages = [RecordedPage("", 0.0, number % 2 == 0, 1) for number in range(6)]
    assert recalls(pages, 4) == (0.5, 0.75)


def test_a_crawl_in_which_nothing_is_found_has_no_ratio():
    """The mean is one of the others."""
    rows = Rows()
    for four, one in ((0.4, 0.5), (0.6, 0.5), (0.1, 0.0)):
        recall = dict.fromkeys(WAYS, (0.5, 0.5)) | {FOUR: (four, 0.5), ONE: (one, 0.5)}
        rows += rows_of(recall, 9)
    pair = rows.where(at="1 |T|", pair="4 to 1, 16 in flight")
    assert pair.measure("ratio").count == 2
    assert pair.value("ratio") == pytest.approx(1.0)


RULES = Rules(delay=1.0, per_host=2)
SCENE = Scene(World(300), workers=1, slots=32, pages=300, delay=1.0)


def simulated(frontier):
    """Crawl with a frontier and return which laws were broken."""
    laws = Laws(RULES.delay)
    simulation = Simulation(SCENE, lambda _: Member(frontier, lambda: None, set), laws)
    course = simulation.run()
    simulation.finish()
    laws.count(frontier.stats())
    assert len(course.fetched) >= SCENE.pages
    return {name for name, times in laws.broken.items() if times}


class Hasty(MemoryFrontier):
    """Lets nobody rest."""

    def refused(self, url, host, now, seconds=None):
        return super().refused(url, host, now, 0.0)


class Forgetful(MemoryFrontier):
    """Loses what it is offered now and then."""

    def add(self, links):
        return super().add(list(links)[1:])


class Doubling(MemoryFrontier):
    """Gives out again what was done."""

    def ack(self):
        self.again([self.latest])

    def take(self, n, now):
        leases = super().take(n, now)
        for lease in leases:
            self.latest = Candidate(lease.url, 1.0)
        return leases


def test_a_true_frontier_breaks_no_law():
    """What the laws ask for can be had."""
    assert simulated(MemoryFrontier(RULES)) == set()


@pytest.mark.parametrize(
    ("frontier", "law"), [(Hasty, "refusal ignored"), (Forgetful, "lost"), (Doubling, "given again")]
)
def test_a_frontier_that_breaks_a_law_is_found_out(frontier, law):
    """Each law sees what breaks it, in a whole crawl."""
    assert law in simulated(frontier(RULES))


def test_a_host_has_one_owner_until_it_is_known_to_be_dead():
    """While the first has a URL of it out, also right after it died; not when it has ended that."""
    laws, world = Laws(1.0), World(10)
    first, second = world.page(3, 1), world.page(3, 2)
    laws.taken("a", first, 0.0)
    laws.taken("a", second, 1.0)
    assert not laws.broken["two owners"]
    laws.taken("b", world.page(3, 3), 2.0)
    assert laws.broken["two owners"] == 1
    laws.ended("a", first)
    laws.ended("a", second)
    laws.taken("b", first, 3.0)
    assert laws.broken["two owners"] == 1
    laws.died("b")
    laws.taken("a", second, 4.0)
    assert laws.broken["two owners"] == 2


def test_a_delay_counts_whoever_asks():
    """The host's own, once it has said so."""
    laws = Laws(1.0)
    laws.asked(3, 10.0, laws.wanted(3))
    laws.asked(3, 11.0, laws.wanted(3))
    assert not laws.broken["delay broken"]
    laws.paced(3, 5.0)
    laws.asked(3, 13.0, laws.wanted(3))
    assert laws.broken["delay broken"] == 1


def test_all_urls_are_accounted_for():
    """Those that a frontier does not know, and those that are out when nobody has any."""
    laws = Laws(1.0)
    laws.offered(World(10).links(World(10).page(1, 1)))
    known = len(laws._offered)
    stats = FrontierStats(known, 0, 0, 0, 1, 0, known)
    laws.count(stats)
    assert not any(laws.broken.values())
    laws.count(stats._replace(pending=known - 1, leased=1))
    assert laws.broken["not pending"] == 2
    laws.count(stats._replace(known=known - 1))
    assert laws.broken["lost"] == 1


def test_the_made_up_web_is_the_same_for_all():
    """Links, priorities and answers follow from the URL alone."""
    url = World(1000).page(7, 3)
    assert World(1000).links(url) == World(1000).links(url)
    assert all(0 <= link.priority <= 1 for link in World(1000).links(url))
    assert {host_name(7)} == {link.url.split("/")[2] for link in World(1000).links(url)[:13]}
    assert World(1000).answer(url, 0, 1) == World(1000).answer(url, 0, 1)
