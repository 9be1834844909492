"""Why a page has its relevance, in a few words: for tables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.formats import folded
from focused_crawler.store.page_texts import PageText

MOST_FOR, MOST_AGAINST = 3, 2
_LONGEST_WORD = 30
_PART = re.compile(r"[^\W_](?:[\w'’-]*\w)?")


class ShortReason(NamedTuple):
    """The words that say most, the most telling first."""

    for_it: tuple[str, ...] = ()
    against_it: tuple[str, ...] = ()


def short_reason(analyst: Analyst, text: PageText) -> ShortReason:
    """Return the words of a page that say most for the topic and against it, as they are written there."""
    page = text.page(analyst.analyzer)
    values = analyst.model.classifier.evidence(page).terms
    ordered = sorted(values, key=lambda term: (-values[term], term))
    best = [term for term in ordered[:MOST_FOR] if values[term] > 0]
    worst = [term for term in ordered[: -MOST_AGAINST - 1 : -1] if values[term] < 0]
    words = _written({*best, *worst}, (text.title, text.text), analyst.analyzer)
    return ShortReason(*(tuple(words.get(term, term) for term in terms) for terms in (best, worst)))


def _written(wanted: set[str], texts: Iterable[str], analyzer: Analyzer) -> dict[str, str]:
    """Return term -> the first word of the texts that is read as it; without those that stand nowhere."""
    found: dict[str, str] = {}
    for text in texts:
        for word in text.split():
            if not wanted:
                return found
            if wanted.isdisjoint(analyzer.terms(word)):
                continue
            for part in _PART.findall(word):
                for term in wanted.intersection(analyzer.terms(part)):
                    found[term] = folded(part, _LONGEST_WORD)
            wanted -= found.keys()
    return found
