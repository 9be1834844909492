from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.crawl.steering.estimate import Estimate
from focused_crawler.crawl.steering.monitor import FEWEST_PAGES, FrontierFacts, Monitor, Seen

PLENTY = FrontierFacts(5000, Estimate(200.0, 400.0, 800.0), hosts=70)
LITTLE = FrontierFacts(5000, Estimate(0.0, 2.0, 8.0), hosts=70)
NOTHING = FrontierFacts(0, Estimate(0.0, 0.0, 0.0))


def pages(harvest: float, number: int, seed: int = 0) -> list[Seen]:
    """So many pages, that share of them relevant, in random order."""
    draw = random.Random(seed)
    gains = [draw.random() < harvest for _ in range(number)]
    return [Seen(0.9 if gain else 0.1, gain, f"h{n % 7}.example") for n, gain in enumerate(gains)]


def crawl(*parts: list[Seen], facts: FrontierFacts = PLENTY, monitor: Monitor | None = None) -> list[int]:
    """Feed pages to a monitor and look when it asks for it; return the pages at its alarms."""
    monitor = monitor or Monitor()
    alarms = []
    for part in parts:
        for seen in part:
            monitor.record(seen)
            if monitor.due():
                alarm = monitor.alarm(facts)
                assert alarm is not None
                alarms.append(alarm.pages)
    return alarms


def test_a_fall_that_stays_is_told_once():
    """Half of the pages relevant, then one in a hundred, for as long as before: one alarm, not at once."""
    (alarm,) = crawl(pages(0.5, 500), pages(0.01, 600, 1))
    assert 600 <= alarm <= 800


def test_a_steady_crawl_is_left_alone():
    """A rare topic is no alarm, nor a frequent one: it is the fall that counts."""
    for harvest in (0.02, 0.1, 0.5, 0.95):
        assert crawl(pages(harvest, 5000)) == []


def test_a_lull_is_no_alarm():
    """A burst of pages without gain, over before a quarter more than before was fetched."""
    assert crawl(pages(0.4, 500), pages(0.0, 100), pages(0.4, 500, 1)) == []


def test_a_harvest_that_only_halves_is_no_alarm():
    """There is still something to gain at the old price, times two."""
    assert crawl(pages(0.6, 1000), pages(0.3, 3000, 1)) == []


def test_after_a_recovery_it_may_be_told_again():
    """But not before the crawl has twice as many pages."""
    first, second = crawl(pages(0.5, 500), pages(0, 400), pages(0.5, 500, 1), pages(0, 2000, 2))
    assert second >= 2 * first


def test_a_crawl_that_found_nothing_has_no_harvest_to_lose():
    """Four relevant pages are no harvest; and nothing is said of the first hundred pages."""
    four = [Seen(0.9, True, "h.example")] * 4
    assert crawl(four, pages(0, 3000)) == []
    assert min(crawl(pages(1, 30), pages(0, 300))) >= FEWEST_PAGES


def test_what_is_left_tells_stagnation_from_diffusion():
    """The same fall: with plenty expected in the frontier, with little, and with nothing known of it."""
    kinds = []
    for facts in (PLENTY, LITTLE, FrontierFacts(5000)):
        monitor = Monitor()
        for seen in [*pages(0.5, 500), *pages(0, 300)]:
            monitor.record(seen)
        kinds.append(monitor.alarm(facts).kind)
    assert kinds == ["diffusion", "stagnation", "diffusion"]


def monitor_of(harvest: float, number: int) -> Monitor:
    monitor = Monitor()
    for seen in pages(harvest, number):
        monitor.record(seen)
    return monitor


@pytest.mark.parametrize(
    ("harvest", "facts"),
    [
        (0.1, NOTHING),
        (0.99, replace(NOTHING, dropped=500)),
        (0.99, replace(NOTHING, not_followed=500)),
    ],
)
def test_an_empty_frontier_is_stagnation(harvest, facts):
    """However good the harvest, if much was left out. Told once, also if it is looked at again."""
    monitor = monitor_of(harvest, 60)
    assert monitor.alarm(PLENTY) is None
    assert monitor.alarm(facts).kind == "stagnation"
    assert monitor.alarm(facts) is None


def test_a_crawl_that_has_fetched_all_there_is_and_found_much_is_no_alarm():
    """There is nothing to mend: it ends because its work is done."""
    assert monitor_of(0.99, 500).alarm(NOTHING) is None


def test_an_alarm_says_since_when_and_where():
    """It counts from the page at which the harvest fell."""
    monitor = Monitor(threshold=0.2)
    for seen in [*pages(1, 400), *([Seen(0.1, False, "big.example")] * 150)]:
        monitor.record(seen)
    alarm = monitor.alarm(PLENTY)
    assert (alarm.pages, alarm.relevant) == (550, 400)
    assert (alarm.since_pages, alarm.since_relevant) == (150, 0)
    assert (alarm.top_host, alarm.top_share, alarm.uncertain) == ("big.example", 1.0, 1.0)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 300)), max_size=6), st.integers(0, 2**16))
def test_a_resumed_monitor_goes_on_as_if_nothing_had_been(parts, cut):
    """Rebuilt from the recorded pages and the pages at alarms, it raises the same alarms from there on."""
    seen = [page for number, (harvest, size) in enumerate(parts) for page in pages(harvest, size, number)]
    cut %= len(seen) + 1
    whole = crawl(seen)
    resumed = Monitor()
    resumed.restore(seen[:cut], [alarm for alarm in whole if alarm <= cut])
    assert crawl(seen[cut:], monitor=resumed) == [alarm for alarm in whole if alarm > cut]


@given(st.lists(st.booleans(), max_size=3000))
def test_alarms_are_far_apart(gains):
    """Whatever comes: each has twice the pages of the one before."""
    alarms = crawl([Seen(0.5, gain, "h.example") for gain in gains])
    assert all(after >= 2 * before for before, after in pairwise(alarms))
