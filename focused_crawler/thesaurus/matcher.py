"""All wordings of a thesaurus found in one pass over a text, however many they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Self

from ahocorasick_rs import AhoCorasick, MatchKind

from focused_crawler.page.model import Terms
from focused_crawler.thesaurus.wording import Key

_BEGIN, _END = "\x01", "\x02"
"""Around each term, so that a wording begins and ends with whole words and neighbours share no sign."""
_SEAM = _END + _BEGIN


class Matcher:
    """Finds wordings by an automaton (Aho-Corasick): the longest from the leftmost word on, none in another.

    A text is read as terms. `STOP` within a wording is found where any stop word stands.
    """

    def __init__(self, keys: Sequence[Key]) -> None:
        """Take the wordings, none of them empty and each once."""
        self._keys = tuple(keys)
        self._automaton = AhoCorasick(list(map(_written, keys)), matchkind=MatchKind.LeftmostLongest)

    def __reduce__(self) -> tuple[type[Self], tuple[tuple[Key, ...]]]:
        return type(self), (self._keys,)

    def count(self, *runs: Terms) -> Mapping[int, int]:
        """Return how often each wording that is there was found, by its index; none goes over two runs."""
        text = "\n".join(map(_written, runs))
        return Counter([found[0] for found in self._automaton.find_matches_as_indexes(text)])


def _written(terms: Sequence[str]) -> str:
    return _BEGIN + _SEAM.join(terms) + _END
