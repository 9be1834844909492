from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.crawl.steering.revisits import (
    PRIOR_VISITS,
    USUAL_RATE,
    ChangeRates,
    Observation,
    Revisitable,
    change_rate,
    choose,
    gain,
    worth,
)

DAY = 86400.0
SECONDS = st.floats(1e-3, 1e8)
VISITS = st.lists(st.builds(Observation, SECONDS, st.booleans()), max_size=12)
RATES = st.floats(1e-9, 1e2)
UNIT = st.floats(0, 1)


def numbers(pages: list[Revisitable]) -> list[int]:
    return [page.page for page in pages]


def page(number: int = 1, **facts: object) -> Revisitable:
    values = {"host": "a.org", "relevance": 0.5, "popularity": 0.0, "hub": 0.0, "age": DAY, **facts}
    return Revisitable(page=number, **values)  # type: ignore[arg-type]


@given(visits=VISITS, usual=RATES)
def test_the_rate_solves_the_equation(visits, usual):
    """That of Cho and Garcia-Molina, with what is known beforehand as parts of two visits."""
    rate = change_rate(visits, usual)
    half_life = math.log(2) / usual
    terms = [(1.0, visit.seconds) for visit in visits if visit.is_changed]
    terms.append((PRIOR_VISITS, half_life))
    left = sum(weight * seconds / math.expm1(min(rate * seconds, 700)) for weight, seconds in terms)
    right = sum(visit.seconds for visit in visits if not visit.is_changed) + PRIOR_VISITS * half_life
    assert left == pytest.approx(right, rel=1e-6)


@given(visits=VISITS, usual=RATES, seconds=SECONDS)
def test_one_more_visit_moves_the_rate(visits, usual, seconds):
    """Up if it found a change, down if it found none."""
    rate = change_rate(visits, usual)
    assert change_rate([*visits, Observation(seconds, True)], usual) >= rate * (1 - 1e-9)
    assert change_rate([*visits, Observation(seconds, False)], usual) <= rate * (1 + 1e-9)


@given(visits=VISITS, usual=RATES, scale=st.floats(1e-3, 1e3))
def test_the_unit_of_time_does_not_matter(visits, usual, scale):
    """Seconds or days: the same rate in that unit."""
    scaled = [Observation(visit.seconds * scale, visit.is_changed) for visit in visits]
    assert change_rate(scaled, usual / scale) == pytest.approx(change_rate(visits, usual) / scale, rel=1e-6)


def test_the_rate_is_found_again():
    """Of a page that changes every ten days and is visited irregularly: within a fifth."""
    chance = random.Random(1)
    gaps = [chance.uniform(1, 40) * DAY for _ in range(400)]
    visits = [Observation(gap, chance.random() < -math.expm1(-gap / (10 * DAY))) for gap in gaps]
    assert change_rate(visits, USUAL_RATE) == pytest.approx(1 / (10 * DAY), rel=0.2)


def test_a_page_nobody_looked_at_again_has_its_hosts_rate():
    """And a host nobody looked at that of the crawl, and a crawl without visits that of the web."""
    rates = ChangeRates()
    assert rates.of_page("a.org", ()) == pytest.approx(USUAL_RATE)
    for _ in range(20):
        rates.record("news.org", Observation(DAY, True))
        rates.record("still.org", Observation(DAY, False))
    assert rates.of_page("news.org", ()) > rates.of_page("new.org", ()) > rates.of_page("still.org", ())
    assert rates.of_page("new.org", ()) > USUAL_RATE


@pytest.mark.parametrize("days", [3, 10, 50])
def test_the_rate_of_a_host_is_found_again(days):
    """From visits to many of its pages, a few each: within a quarter."""
    chance, rates = random.Random(days), ChangeRates()
    for _ in range(1000):
        gap = chance.uniform(0.5, 1.5) * days * DAY
        rates.record("a.org", Observation(gap, chance.random() < -math.expm1(-gap / (days * DAY))))
    assert rates.of_host("a.org") == pytest.approx(1 / (days * DAY), rel=0.25)


@given(relevance=UNIT, popularity=UNIT, hub=UNIT, age=st.floats(0, 1e10), visits=VISITS)
def test_a_gain_is_a_share_of_the_worth(relevance, popularity, hub, age, visits):
    """Nothing at once, all of it after a long time."""
    one = page(relevance=relevance, popularity=popularity, hub=hub, age=age, visits=visits)
    rates = ChangeRates()
    assert 0.0 <= gain(one, rates) <= worth(one) <= 1.0


@pytest.mark.parametrize(
    "better",
    [
        {"relevance": 0.9},
        {"popularity": 0.5},
        {"hub": 0.5},
        {"age": 2 * DAY},
        {"visits": [Observation(DAY, True)]},
    ],
    ids=lambda facts: next(iter(facts)),
)
def test_what_makes_a_page_come_sooner(better):
    """Each of the four things that count, and the hub."""
    assert numbers(choose([page(1), page(2, **better), page(3)], 1, ChangeRates()).best) == [2]


@pytest.mark.parametrize("worse", [{"is_gone": True}, {"visits": [Observation(DAY, False)]}, {"age": -5.0}])
def test_what_makes_a_page_come_later(worse):
    """One that was gone, one that did not change, one from a clock that was set back."""
    assert numbers(choose([page(1, **worse), page(2)], 2, ChangeRates()).best) == [2, 1]


@given(
    st.lists(st.tuples(UNIT, st.floats(0, 1e8), VISITS, st.sampled_from("abc")), max_size=30),
    st.integers(0, 10),
)
def test_the_best_are_chosen_of_any_order(facts, n):
    """Most to gain first; among equals the one recorded first. Then the best of each further host."""
    pages = [
        page(number, relevance=relevance, age=age, visits=visits, host=host)
        for number, (relevance, age, visits, host) in enumerate(facts)
    ]
    hosts = {host for *_, host in facts}
    chosen = choose(pages, n, ChangeRates())
    assert chosen == choose(reversed(pages), n, ChangeRates())
    order = sorted(range(len(pages)), key=lambda at: (-gain(pages[at], ChangeRates()), at))
    assert numbers(chosen.best) == order[:n]
    firsts = {host: next(at for at in order if pages[at].host == host) for host in "abc" if host in hosts}
    assert numbers(chosen.others) == [at for at in order[n:] if firsts[pages[at].host] == at]


def test_a_page_of_a_busy_host_is_passed_over():
    """Then the next best goes first, of the chosen ones, then of the other hosts."""
    found = [page(1, host="a", relevance=1.0), page(2, host="b"), page(3, host="c", relevance=0.0)]
    chosen = choose([*found, page(4, host="a")], 2, ChangeRates())
    assert (numbers(chosen.best), numbers(chosen.others)) == ([1, 2], [3])
    taken = [chosen.take(busy) for busy in ("a", "ab", "abc", "", "a")]
    assert [None if page is None else page.page for page in taken] == [2, 3, None, 1, None]
