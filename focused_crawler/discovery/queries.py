"""Many searches of two or three high-level words of a thesaurus (Badia et al. 2006), the best first."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import attrgetter, itemgetter
from typing import TypeAlias

from focused_crawler.page.model import STOP
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.thesaurus.model import Thesaurus

MOST_WORDINGS = 40
"""Wordings of all facets that are searched for, each facet's share from the top of its tree down."""
MOST_IN_ALL = 100
"""Wordings with keywords and one of each facet, the best: all pairs and triples of them are compared."""
MOST_WORDS = 4
"""Words of a search. The paper: 2 or 3 bring tens of thousands of pages, 5 or more hundreds."""
USED = 1.0
"""Delay of a wording for each search that used it, in places of its facet."""
THIRD = 0.5
"""Delay of three wordings beside two."""
LEVEL = 5.0
"""Delay of a wording for each level below the first."""
ALONE = 5.0
"""Delay of a search of one wording where several facets could be combined."""
SAME_FACET = 20.0
"""Delay of two wordings of the same facet there."""

_OPERATORS = frozenset({"AND", "OR", "NOT", "NEAR"})
_NEVER = float("inf")

_Terms: TypeAlias = tuple[str, ...]
"""Of a wording, without stop words."""


@dataclass(frozen=True, slots=True)
class _Wording:
    text: str
    terms: _Terms
    words: int  # between spaces, without stop words
    facet: int
    place: float  # 0: the best


def queries(thesaurus: Thesaurus, analyzer: Analyzer, most: int, keywords: Sequence[str] = ()) -> list[str]:
    """Return up to `most` searches, the most promising first; the same thesaurus gives the same ones.

    Words of different facets are combined, those of one facet last, or where there is but one. A wording of
    two or more words is a search by itself, too. `keywords`: the topic's own, the best first; those that the
    thesaurus lacks count as words of its first facet.
    """
    wordings = _wordings(thesaurus, analyzer, keywords)
    is_mixed = len({wording.facet for wording in wordings}) > 1
    found = (
        (parts, _delay(parts, is_mixed))
        for number in (1, 2, 3)
        for parts in combinations(wordings, number)
        if _is_sensible(parts)
    )
    return [_written(parts) for parts in _spread(found, most)]


def _wordings(thesaurus: Thesaurus, analyzer: Analyzer, keywords: Sequence[str]) -> list[_Wording]:
    """Return the wordings to search for, each once: facet by facet, broad ones and keywords first."""
    ranks: dict[_Terms, float] = {}  # of keywords that no entry was found to have yet
    for rank, keyword in enumerate(keywords):
        ranks.setdefault(_terms(keyword, analyzer), rank)
    found = list(_entries(thesaurus, analyzer, ranks))
    for keyword in keywords:
        key = _terms(keyword, analyzer)
        if key in ranks:
            found.append(_Wording(keyword, key, _count(keyword, analyzer), 0, ranks[key]))
    each = list({wording.terms: wording for wording in reversed(found) if wording.terms}.values())[::-1]
    return each if len(each) <= MOST_IN_ALL else sorted(each, key=attrgetter("place"))[:MOST_IN_ALL]


def _entries(thesaurus: Thesaurus, analyzer: Analyzer, ranks: dict[_Terms, float]) -> Iterator[_Wording]:
    """Yield the entries to search for; removes the keywords among them from `ranks` and uses their place."""
    share = -(-MOST_WORDINGS // max(1, len(thesaurus.facets)))
    for number, facet in enumerate(thesaurus.facets):
        levels = sorted(((level, entry) for level, entry, _ in facet.walk()), key=itemgetter(0))
        for place, (level, entry) in enumerate(levels):
            keys = [_terms(wording, analyzer) for wording in entry.wordings]
            rank = min(ranks.pop(key, _NEVER) for key in keys)
            if place < share or rank < _NEVER:
                whole = min(rank, place + LEVEL * (level - 1) + number)
                yield _Wording(entry.name, keys[0], _count(entry.name, analyzer), number, whole)


def _terms(text: str, analyzer: Analyzer) -> _Terms:
    return tuple(term for term in analyzer.terms(text) if term != STOP)


def _count(text: str, analyzer: Analyzer) -> int:
    """Return the number of words: what is written without spaces is one, of however many terms."""
    return sum(bool(_terms(word, analyzer)) for word in text.split())


def _is_sensible(parts: Sequence[_Wording]) -> bool:
    """Tell whether a search has two to `MOST_WORDS` words and no wording that contains another."""
    if not 2 <= sum(part.words for part in parts) <= MOST_WORDS:
        return False
    terms = [frozenset(part.terms) for part in parts]
    return not any(one <= other or other <= one for one, other in combinations(terms, 2))


def _delay(parts: Sequence[_Wording], is_mixed: bool) -> float:
    """Return the delay of a search that does not depend on its words."""
    delay = THIRD * (len(parts) == 3)
    if is_mixed and len(parts) == 1:
        delay += ALONE
    elif is_mixed and len({part.facet for part in parts}) < len(parts):
        delay += SAME_FACET
    return delay


def _spread(
    candidates: Iterable[tuple[tuple[_Wording, ...], float]], most: int
) -> list[tuple[_Wording, ...]]:
    """Return the best searches; each use of a wording delays its next one, so that all are used."""
    used: Counter[_Terms] = Counter()

    def cost(parts: Sequence[_Wording], delay: float) -> float:
        return delay + sum(part.place + USED * used[part.terms] for part in parts) / len(parts)

    waiting = [(cost(*one), number, *one) for number, one in enumerate(candidates)]
    heapq.heapify(waiting)
    chosen: list[tuple[_Wording, ...]] = []
    while waiting and len(chosen) < most:
        before, number, parts, delay = waiting[0]
        now = cost(parts, delay)
        if now > before:  # costs only grow, so the first that has not grown is the least
            heapq.heapreplace(waiting, (now, number, parts, delay))
        else:
            heapq.heappop(waiting)
            chosen.append(parts)
            used.update(part.terms for part in parts)
    return chosen


def _written(parts: Iterable[_Wording]) -> str:
    return " ".join(_quoted(part.text) for part in parts)


def _quoted(text: str) -> str:
    """Return a wording as search engines take it literally: in quotes unless it is one plain word.

    >>> _quoted("rust"), _quoted("sea  water"), _quoted("anti-fouling"), _quoted("OR")
    ('rust', '"sea water"', '"anti-fouling"', '"OR"')
    """
    text = " ".join(text.replace('"', " ").split())
    return text if text.isalnum() and text not in _OPERATORS else f'"{text}"'
