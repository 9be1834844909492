"""All wordings of a thesaurus found in one pass over a text, however many they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Self

from ahocorasick_rs import AhoCorasick

from focused_crawler.page.model import Terms
from focused_crawler.thesaurus.wording import Key

_BEGIN, _END = "\x01", "\x02"
"""Around each term, so that a wording begins and ends with whole words and neighbours share no sign."""
_SEAM = _END + _BEGIN

_start = itemgetter(1)


class Matcher:
    """Finds the wordings of facets by one automaton (Aho-Corasick), each facet as if it were alone.

    Of a facet: the longest wording from the leftmost word on, none in another. A text is read as terms.
    `STOP` within a wording is found where any stop word stands.
    """

    def __init__(self, *facets: Sequence[Key]) -> None:
        """Take the wordings of each facet, none of them empty and each once in it."""
        self._facets = facets
        places: dict[Key, list[tuple[int, int]]] = {}
        for facet, keys in enumerate(facets):
            for number, key in enumerate(keys):
                places.setdefault(key, []).append((facet, number))
        self._places = tuple(places.values())
        self._automaton = AhoCorasick(list(map(_written, places)))

    def __reduce__(self) -> tuple[type[Self], tuple[Sequence[Key], ...]]:
        return type(self), self._facets

    def count(self, *runs: Terms) -> Mapping[int, Mapping[int, int]]:
        """Return facet -> wording (both by index) -> how often it was found, without what is not there.

        None goes over two runs.
        """
        text = "\n".join(map(_written, runs))
        # they come by their ends: the longest of those that begin together last
        matches = reversed(self._automaton.find_matches_as_indexes(text, overlapping=True))
        counts: dict[int, dict[int, int]] = {}
        ends: dict[int, int] = {}
        for pattern, start, end in sorted(matches, key=_start):
            for facet, number in self._places[pattern]:
                if start >= ends.get(facet, 0):
                    ends[facet] = end
                    found = counts.setdefault(facet, {})
                    found[number] = found.get(number, 0) + 1
        return counts


def _written(terms: Sequence[str]) -> str:
    return _BEGIN + _SEAM.join(terms) + _END
