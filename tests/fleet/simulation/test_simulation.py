"""A simulated fleet on a real server keeps all laws; each law sees what was planted."""

from __future__ import annotations

import pytest

from focused_crawler.frontier.base import Candidate, FrontierStats, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from tests.fleet.simulation.laws import Laws
from tests.fleet.simulation.on_postgresql import crawl_with_fleet, crawl_with_one
from tests.fleet.simulation.workers import Member, Scene, Simulation
from tests.fleet.simulation.world import World, host_name
from tests.postgresql import restartable_server

RULES = Rules(delay=1.0, per_host=2)
SCENE = Scene(World(300), workers=1, slots=32, pages=300, delay=1.0)


def simulated(frontier):
    """Crawl with a frontier and return which laws were broken."""
    laws = Laws(RULES.delay)
    member = Member(frontier, set, turn=getattr(frontier, "spoil", int), leave=frontier.close)
    simulation = Simulation(SCENE, lambda _: member, laws)
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

    def spoil(self):
        self.again([self.latest])

    def take(self, n, now):
        leases = super().take(n, now)
        for lease in leases:
            self.latest = Candidate(lease.url, 1.0)
        return leases


def test_a_true_frontier_breaks_no_law():
    """What the laws ask for can be had."""
    assert simulated(MemoryFrontier(RULES)) == set()


@pytest.mark.slow
def test_a_fleet_on_a_real_server_breaks_no_law():
    """Five workers, some of whom die with what they have out: the short form of the benchmark."""
    scene = Scene(World(2000), workers=5, slots=4, pages=150, delay=1.0, deaths=2.0)
    with restartable_server() as server:
        fleet = crawl_with_fleet(scene, RULES, server)
    assert {name: times for name, times in fleet.laws.broken.items() if times} == {}
    assert len(fleet.course.fetched) >= scene.pages
    assert fleet.course.deaths == len(fleet.course.takeovers) > 0
    assert fleet.course.quality > 0.8 * crawl_with_one(scene, RULES).quality


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
