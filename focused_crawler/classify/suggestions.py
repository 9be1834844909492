"""Active learning: pages of a crawl whose label would improve the topic's classifier most.

Near the threshold a label is least certain; but the nearest pages are much alike, and improve it less than
random pages (docs/training.md). So they are sampled by Neyman's allocation: each host in proportion to the
sum of its pages' standard deviations, and within it each page by its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

from focused_crawler.classify.calibration import log_odds, sigmoid
from focused_crawler.classify.held_out import HeldOut, HeldOutPage

MOST = 5
LEAST_DOUBT = 0.8
"""Held-out probability of the other label, where both are as likely as not, that makes a suspect."""

_TERMS = 5


class Suspect(NamedTuple):
    """An example that looks mislabelled."""

    url: str
    is_relevant: bool  # by its label
    doubt: float  # held-out probability of the other label, at even odds
    terms: tuple[str, ...]  # that speak most against the label, strongest first


def suspects(pages: Sequence[HeldOutPage], held_out: HeldOut, relevant_share: float) -> tuple[Suspect, ...]:
    """Return the own examples that contradict their label most, the strongest first.

    `pages` in the order of `held_out`. Their relevances are for pages of which `relevant_share` is relevant,
    where hardly anything would contradict the label "other": labels are judged at even odds.
    """
    found = [
        (_doubt(page, relevant_share), row, page)
        for row, page in enumerate(pages)
        if not page.is_background and _doubt(page, relevant_share) >= LEAST_DOUBT
    ]
    found.sort(key=lambda one: (-one[0], one[1]))
    return tuple(
        Suspect(page.url, page.is_relevant, doubt, _against(held_out, row, page.is_relevant))
        for doubt, row, page in found[:MOST]
    )


def _doubt(page: HeldOutPage, relevant_share: float) -> float:
    odds = log_odds(page.relevance) - log_odds(relevant_share)
    return sigmoid(-odds if page.is_relevant else odds)


def _against(held_out: HeldOut, row: int, is_relevant: bool) -> tuple[str, ...]:
    sign = -1.0 if is_relevant else 1.0
    terms = held_out.terms(row)
    strongest = sorted(terms, key=lambda term: (-sign * terms[term], term))[:_TERMS]
    return tuple(term for term in strongest if sign * terms[term] > 0)


SAME_TITLE = 0.6
"""Share of common words from which on two titles count as near-duplicates."""

_WORD = re.compile(r"\w+")


class Candidate(NamedTuple):
    """A page of a crawl."""

    url: str
    title: str
    host: str
    relevance: float  # [0, 1], as the crawl judged it


def suggest(candidates: Iterable[Candidate], threshold: float, count: int) -> list[Candidate]:
    """Return up to `count` pages to label, the most uncertain first, whatever the candidates' order."""
    hosts: dict[str, list[Candidate]] = {}
    deviation = _deviation(threshold)
    for page in candidates:
        hosts.setdefault(page.host, []).append(page)
    wanted = {host: sum(map(deviation, pages)) for host, pages in hosts.items()}
    for pages in hosts.values():
        pages.sort(key=lambda page: (_sampling_order(page, deviation(page)), page.url))
    chosen: list[Candidate] = []
    taken = dict.fromkeys(hosts, 0)
    while len(chosen) < count and any(hosts.values()):
        host = max(
            (name for name in hosts if hosts[name]),
            key=lambda name: (wanted[name] / (2 * taken[name] + 1), name),
        )
        page = hosts[host].pop(0)
        if not any(_is_alike(page.title, other.title) for other in chosen):
            chosen.append(page)
            taken[host] += 1
    return sorted(chosen, key=lambda page: (-deviation(page), page.url))


def _deviation(threshold: float) -> Callable[[Candidate], float]:
    """Return the standard deviation of a page's label, half at the threshold, where either is as likely."""
    centre = log_odds(threshold)

    def of(page: Candidate) -> float:
        probability = sigmoid(log_odds(page.relevance) - centre)
        return math.sqrt(probability * (1 - probability))

    return of


def _sampling_order(page: Candidate, weight: float) -> float:
    """Return a sort key for sampling by weight; the random number depends on the URL alone."""
    chance = (int.from_bytes(sha256(page.url.encode()).digest()[:8]) + 1) / 2**64
    return -math.log(min(chance, 1 - 2**-53)) / max(weight, 1e-9)


def _is_alike(title: str, other: str) -> bool:
    words, others = (set(_WORD.findall(text.lower())) for text in (title, other))
    return bool(words) and len(words & others) >= SAME_TITLE * len(words | others)
