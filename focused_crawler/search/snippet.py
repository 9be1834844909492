"""The place of a text that says most of what was searched for."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Collection

from focused_crawler.text.tokens import Analyzer

READ = 20_000
"""Characters at the start of a text that are looked at."""
LENGTH = 240

_WORD = re.compile(r"\S{1,40}")  # what is longer is written without spaces


def snippet(text: str, terms: Collection[str], analyzer: Analyzer) -> str:
    """Return some 240 characters of a text: the first place with most different terms, then most terms.

    >>> snippet("Of ships. " * 99 + "Rust eats ships.", {"rust"}, Analyzer("en"))[-40:]
    's. Of ships. Of ships. Rust eats ships.'
    """
    text = text[:READ]
    hits = []
    for word in _WORD.finditer(text):
        hits += [(word.start(), word.end(), term) for term in analyzer.terms(word[0]) if term in terms]
    first, last = _densest(hits)
    return _around(text, first, last)


def _densest(hits: list[tuple[int, int, str]]) -> tuple[int, int]:
    """Return where the best run of hits begins and ends that fits."""
    best, place = (0, 0), (0, 0)
    run: deque[tuple[int, int, str]] = deque()
    counts: Counter[str] = Counter()
    for hit in hits:
        run.append(hit)
        counts[hit[2]] += 1
        while hit[1] - run[0][0] > LENGTH and len(run) > 1:
            counts[run.popleft()[2]] -= 1
        worth = (sum(1 for count in counts.values() if count), len(run))
        if worth > best:
            best, place = worth, (run[0][0], hit[1])
    return place


def _around(text: str, first: int, last: int) -> str:
    """Return a place with what stands around it, in whole words."""
    room = max(0, LENGTH - (last - first))
    start = max(0, min(first - room // 3, len(text) - LENGTH))
    end = min(len(text), start + LENGTH)
    if start and (gap := text.find(" ", start, first)) >= 0:
        start = gap + 1
    if end < len(text) and (gap := text.rfind(" ", max(last, start), end)) >= 0:
        end = gap
    return f"{'… ' if start else ''}{text[start:end].strip()}{' …' if end < len(text) else ''}"
