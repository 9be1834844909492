"""Active learning: pages of a crawl whose label would improve the topic's classifier most.

Near the threshold a label is least certain; but the nearest pages are much alike, and improve it less than
random pages (docs/research/training.md). So they are sampled by Neyman's allocation: each host by the sum of
its pages' standard deviations, and within it each page by its own. Not in proportion to that sum: one host
says something of others, and a model fails most on hosts that it knows nothing of. A page that is
labelled already counts as asked for, so that the next ones are of other hosts (docs/research/labels_loop.md).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from hashlib import sha256
from heapq import heapify, heappop, heapreplace
from typing import NamedTuple

from focused_crawler.classify.calibration import log_odds, sigmoid

POWER = 0.7
"""Of a host's sum of standard deviations (power allocation: Bankier 1988)."""

SAME_TITLE = 0.6
"""Share of common words from which on two titles count as near-duplicates."""

_WORD = re.compile(r"\w+")


class CandidatePage(NamedTuple):
    """A page of a crawl."""

    url: str
    title: str
    host: str
    relevance: float  # [0, 1], as the crawl judged it


def suggest(
    candidates: Iterable[CandidatePage], threshold: float, count: int, labelled: Iterable[str] = ()
) -> list[CandidatePage]:
    """Return up to `count` pages to label, the most uncertain first, whatever the candidates' order.

    `labelled`: the host of each page that is labelled already.
    """
    hosts: dict[str, list[CandidatePage]] = {}
    deviation = _deviation(threshold)
    for page in candidates:
        hosts.setdefault(page.host, []).append(page)
    wanted = {host: math.fsum(map(deviation, pages)) ** POWER for host, pages in hosts.items()}
    taken = Counter(labelled)
    for pages in hosts.values():
        pages.sort(key=lambda page: (_sampling_order(page, deviation(page)), page.url), reverse=True)
    names = sorted(hosts, reverse=True)
    next_hosts = [(-wanted[name] / (2 * taken[name] + 1), number) for number, name in enumerate(names)]
    heapify(next_hosts)
    chosen: list[tuple[CandidatePage, set[str]]] = []
    while len(chosen) < count and next_hosts:
        _, number = next_hosts[0]
        host = names[number]
        page = hosts[host].pop()
        words = _words(page.title)
        if not any(_are_alike(words, others) for _, others in chosen):
            chosen.append((page, words))
            taken[host] += 1
        if hosts[host]:
            heapreplace(next_hosts, (-wanted[host] / (2 * taken[host] + 1), number))
        else:
            heappop(next_hosts)
    return sorted((page for page, _ in chosen), key=lambda page: (-deviation(page), page.url))


def _deviation(threshold: float) -> Callable[[CandidatePage], float]:
    """Return the standard deviation of a page's label, half at the threshold, where either is as likely."""
    centre = log_odds(threshold)

    def of(page: CandidatePage) -> float:
        probability = sigmoid(log_odds(page.relevance) - centre)
        return math.sqrt(probability * (1 - probability))

    return of


def _sampling_order(page: CandidatePage, weight: float) -> float:
    """Return a sort key for sampling by weight; the random number depends on the URL alone."""
    chance = (int.from_bytes(sha256(page.url.encode()).digest()[:8]) + 1) / 2**64
    return -math.log(min(chance, 1 - 2**-53)) / max(weight, 1e-9)


def is_alike(title: str, other: str) -> bool:
    """Tell whether two titles have most of their words in common."""
    return _are_alike(_words(title), _words(other))


def _words(title: str) -> set[str]:
    return set(_WORD.findall(title.lower()))


def _are_alike(words: set[str], others: set[str]) -> bool:
    return bool(words) and len(words & others) >= SAME_TITLE * len(words | others)
