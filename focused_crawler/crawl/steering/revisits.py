"""Which page to ask for again: by relevance, popularity, and how often it was seen to change.

What there is to gain: what the page is worth (`worth`) times the probability that it has changed since it
was last visited. Pages change as a Poisson process does (Cho and Garcia-Molina, "Estimating frequency of
change", 2003), so that it is 1 - exp(-rate * age). The rate that was most likely behind visits at irregular
times solves their equation

    sum of t / (exp(rate * t) - 1) over the times t after which a change was found
        = sum of the times after which there was none,

to which we add half a visit of either kind at the half-life of the page's host, so that a page that was
never revisited has its host's rate; the host has that of the crawl, and a crawl that has seen nothing
yet takes what they found on the web ("The evolution of the web", 2000): half of it changes in fifty days.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from heapq import heappush, heappushpop
from typing import NamedTuple

USUAL_RATE = math.log(2) / (50 * 86400)
"""Changes a second of a page nothing is known of."""

PRIOR_VISITS = 0.5
"""So many visits that found a change, and as many that found none, does what is known beforehand weigh."""

_EXACT, _STEPS = 1e-7, 50  # relative; a rate takes 4 to 10 steps

GONE_WORTH = 0.1
"""Of a page that was gone when it was last asked for: it may come back, but few do."""


class Observation(NamedTuple):
    """One more visit of a page."""

    seconds: float  # since the visit before
    is_changed: bool


@dataclass(frozen=True, slots=True)
class Revisitable:
    """A recorded page that may be asked for again."""

    page: int
    host: str
    relevance: float  # [0, 1]
    popularity: float  # [0, 1]: share of the most popular page's
    hub: float  # [0, 1]: share of the best hub's
    age: float  # seconds since it was last visited
    is_gone: bool = False
    visits: Sequence[Observation] = ()


class _Seen:
    """Times between visits, summed over many pages."""

    __slots__ = ("changed", "changes", "unchanged")

    def __init__(self) -> None:
        self.changes = 0
        self.changed = self.unchanged = 0.0  # seconds

    def add(self, visit: Observation) -> None:
        if visit.is_changed:
            self.changes += 1
            self.changed += visit.seconds
        else:
            self.unchanged += visit.seconds

    def rate(self, usual: float) -> float:
        """Solve the equation with all changes found after the mean of their times: a closed form."""
        prior = PRIOR_VISITS * math.log(2) / usual
        changed, unchanged = self.changed + prior, self.unchanged + prior
        return math.log1p(changed / unchanged) * (self.changes + PRIOR_VISITS) / changed


class ChangeRates:
    """How often pages change, by host: learnt from every visit, forgotten with the process."""

    def __init__(self) -> None:
        self._all = _Seen()
        self._hosts: defaultdict[str, _Seen] = defaultdict(_Seen)

    def record(self, host: str, visit: Observation) -> None:
        """Take note of a visit to a page of a host."""
        self._all.add(visit)
        self._hosts[host].add(visit)

    def of_host(self, host: str) -> float:
        """Return the changes a second of a page of that host, of which nothing more is known."""
        usual = self._all.rate(USUAL_RATE)
        seen = self._hosts.get(host)
        return usual if seen is None else seen.rate(usual)

    def of_page(self, host: str, visits: Sequence[Observation]) -> float:
        """Return the changes a second of a page with these visits."""
        return change_rate(visits, self.of_host(host))


def change_rate(visits: Sequence[Observation], usual: float) -> float:
    """Return the changes a second most likely behind these visits, where `usual` is to be expected.

    >>> round(change_rate([], 0.25), 6)
    0.25
    >>> change_rate([Observation(1.0, True)] * 3, 0.25) > 0.25
    True
    >>> change_rate([Observation(9.0, False)] * 3, 0.25) < 0.25
    True
    """
    if not visits:
        return usual
    half_life = math.log(2) / usual
    changed = [(1.0, visit.seconds) for visit in visits if visit.is_changed and visit.seconds > 0]
    changed.append((PRIOR_VISITS, half_life))
    unchanged = sum(visit.seconds for visit in visits if not visit.is_changed) + PRIOR_VISITS * half_life
    rate = math.log1p(PRIOR_VISITS * half_life / unchanged) / half_life
    return rate if len(changed) == 1 else _solve(changed, unchanged, rate)


def _solve(changed: Sequence[tuple[float, float]], unchanged: float, rate: float) -> float:
    """Solve the equation for weighted times, by Newton's method from a rate that is too low.

    The left side falls and is convex, so that no step leads too far. f = t / (exp(rate t) - 1) has the slope
    -f (f + t).
    """
    for _ in range(_STEPS):
        left = slope = 0.0
        for weight, seconds in changed:
            exponent = rate * seconds
            if exponent < 700:  # beyond, there is nothing left of it
                expected = seconds / math.expm1(exponent)
                left += weight * expected
                slope += weight * expected * (expected + seconds)
        step = (left - unchanged) / slope
        rate += step
        if step <= _EXACT * rate:
            break
    return rate


def worth(page: Revisitable) -> float:
    """Return what a change of the page would be worth, in [0, 1].

    Relevance and popularity are the paper's; the hub is there for the new links that it brings.
    """
    value = (page.relevance + page.popularity + page.hub) / 3
    return GONE_WORTH * value if page.is_gone else value


def gain(page: Revisitable, rates: ChangeRates) -> float:
    """Return what is to be gained by asking for a page now, in [0, 1]."""
    rate = rates.of_page(page.host, page.visits)
    return worth(page) * -math.expm1(-rate * max(0.0, page.age))


_Rated = tuple[float, int, Revisitable]
"""(gain, -position, page): the highest comes first."""


class RevisitChoice(NamedTuple):
    """Pages to ask for again, most to gain first."""

    best: list[Revisitable]
    others: list[Revisitable]  # of hosts that have none among the best: the best of each

    def take(self, busy: Collection[str]) -> Revisitable | None:
        """Take out and return the first page whose host is not busy."""
        for pages in self if self.best else ():
            for at, page in enumerate(pages):
                if page.host not in busy:
                    return pages.pop(at)
        return None


def choose(pages: Iterable[Revisitable], n: int, rates: ChangeRates) -> RevisitChoice:
    """Choose the `n` pages with most to gain, and one of each further host; only as many are in memory."""
    best: list[_Rated] = []  # a heap, the least on top
    of_host: dict[str, _Rated] = {}
    for page in pages:
        first = of_host.get(page.host)
        least = best[0][:2] if best and len(best) == n else (-1.0, 0)
        # no page has more to gain than its worth
        if first is not None and (worth(page), -page.page) <= min(least, first[:2]):
            continue
        rated = (gain(page, rates), -page.page, page)
        if first is None or rated[:2] > first[:2]:
            of_host[page.host] = rated
        if len(best) < n:
            heappush(best, rated)
        elif best:
            heappushpop(best, rated)
    chosen = {page.host for _, _, page in best}
    others = [rated for host, rated in of_host.items() if host not in chosen]
    return RevisitChoice(*([rated[-1] for rated in sorted(found, reverse=True)] for found in (best, others)))
