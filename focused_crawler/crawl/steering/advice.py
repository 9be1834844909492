"""An alarm in words: what was seen, and what to do about it. No more than three hints, the surest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import ceil, floor

from focused_crawler.crawl.steering.estimate import Estimate
from focused_crawler.crawl.steering.monitor import Alarm
from focused_crawler.safety.formats import plural

MOST_HINTS = 3
MANY_UNCERTAIN = 0.25
"""Share of pages near the threshold from which on the classifier is to blame."""
ONE_HOST = 0.6
"""Share of the last pages from which on a single host holds the crawl."""
NEARLY_COMPLETE = 0.1
"""A topic is nearly complete if at most so large a part of what was found is left, by the estimate."""
WORTH_SAYING = 0.1
"""That at least so many pages are left says something from so large a part of what was found on."""
_PAGE = "relevant page"
BLIND = frozenset({"breadth_first", "unfocused", "least_loaded", "random", "shuffled"})
"""Strategies that do not go by relevance."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What of a crawl bears on the advice."""

    topic: str  # as commands take it
    strategy: str
    is_trained: bool
    marks: Sequence[str] = ()  # categories that should be good, by the census; none: no advice
    host_pages: int = 0  # pages that a host may give; 0: any number


def message(alarm: Alarm, situation: Situation) -> str:
    """Return an alarm with its hints, in one line."""
    return " ".join([_seen(alarm), *hints(alarm, situation)])


def hints(alarm: Alarm, situation: Situation) -> list[str]:
    """Return what to do, a sentence each."""
    return list(islice(_hints(alarm, situation), MOST_HINTS))


def in_words(left: Estimate, found: float) -> str:
    """Say how many relevant pages are left, beside so many that were found; empty if that says little.

    >>> in_words(Estimate(56.2, 180.0, 1049.0), 300), in_words(Estimate(0.0, 24.0, 500.0), 218)
    ('at least 56 relevant pages in all', '')
    >>> in_words(Estimate(12.4, 40.2, 131.0), 200)
    'at most 131 relevant pages at the URLs that wait'
    >>> in_words(Estimate(22.4, 40.2, 131.0), 200)
    'at least 22 relevant pages in all, at most 131 at the URLs that wait'
    """
    said = []
    if left.low >= max(1.0, WORTH_SAYING * found):
        said.append(f"at least {plural(floor(left.low), _PAGE)} in all")
    if left.high <= found:
        most = f"{ceil(left.high):,}" if said else plural(ceil(left.high), _PAGE)
        said.append(f"at most {most} at the URLs that wait")
    return ", ".join(said)


def _seen(alarm: Alarm) -> str:
    facts, before = alarm.facts, alarm.pages - alarm.since_pages
    seen = f"after {plural(alarm.pages, 'page')}, {alarm.relevant:,} of them relevant"
    if alarm.since_pages and before:
        rate = (alarm.relevant - alarm.since_relevant) / before
        seen += f", {alarm.since_relevant:,} of the last {alarm.since_pages:,} ({rate:.1%} before)"
    if not facts.pending:
        return f"{seen}; nothing is left to fetch."
    left = f"{_are(facts.pending)} left on {plural(facts.hosts, 'host')}"
    return f"{seen}; {left}" + (f"; left to find: {facts.left}." if facts.left else ".")


def _are(urls: int) -> str:
    return f"{plural(urls, 'URL')} {'is' if urls == 1 else 'are'}"


def _hints(alarm: Alarm, situation: Situation) -> Iterator[str]:
    facts, train = alarm.facts, f"scrapy train {situation.topic}"
    left = facts.estimate
    is_complete = facts.pending > 0 and left is not None and left.middle <= NEARLY_COMPLETE * alarm.relevant
    if is_complete:
        yield "The topic is nearly complete here: stop, or add seeds on other sites."
    if situation.marks:
        yield f"Broaden it: mark {', '.join(situation.marks)} (scrapy taxonomy related)."
    if not facts.pending and facts.dropped:
        limit = "FOCUSED_HOST_PAGES" if situation.host_pages else "FOCUSED_MAX_PENDING"
        yield f"{plural(facts.dropped, 'URL')} dropped by limits: raise {limit}."
    if alarm.kind == "stagnation" and facts.not_followed > alarm.pages:
        links = f"{facts.not_followed:,} links were not followed"
        softer = "soft_focus" if situation.strategy == "hard_focus" else "adaptive"
        yield f"{links}: -a strategy={softer} goes through such pages."
    if situation.strategy.partition(":")[0] in BLIND:
        yield f"{situation.strategy} does not look for the topic: try -a strategy=adaptive."
    if not situation.is_trained:
        yield f"Relevance comes from keywords alone: {train}."
    elif alarm.uncertain >= MANY_UNCERTAIN:
        yield f"{alarm.uncertain:.0%} of these are near the threshold: name more examples, {train}."
    if alarm.top_share >= ONE_HOST and facts.hosts > 1 and not situation.host_pages:
        yield f"{alarm.top_share:.0%} of these are on {alarm.top_host}: set a FOCUSED_HOST_PAGES."
    if alarm.kind == "stagnation" and not is_complete:
        yield "Add seeds on other sites."
    elif alarm.kind == "diffusion":
        yield "Stop, or broaden the topic: more seeds, and examples of what else is wanted."
