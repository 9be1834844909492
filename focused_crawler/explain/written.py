"""Terms that remember the words they were made of."""

from __future__ import annotations

from collections.abc import Iterable

from focused_crawler.page.model import Terms
from focused_crawler.text.tokens import Analyzer

_EDGES = "\"'()[]{}<>.,:;!?…«»‹›“”„‘’‚/\\|*#&=+-–—"


class Written(str):
    """A term as any other to all that judges a page; each stands at one place of it.

    The `text` of a part of the page that makes several terms is that of the first; the others have none.
    """

    __slots__ = ("section", "text", "value", "word")
    word: str  # as it is written there, without the signs around it
    text: str  # as it is written there, with them
    section: int  # 0 to 3, in the order of `Sections`; this and the next are set once the page is judged
    value: float  # what it adds to the evidence of its page, at this place


class WritingAnalyzer(Analyzer):
    """Makes the same terms as an `Analyzer`, each one a `Written` of its own."""

    def terms_of(self, parts: Iterable[str]) -> Terms:
        return [term for part in parts for term in self._written(part)]

    def _written(self, part: str) -> Terms:
        words = self._words(part)
        terms: Terms = []
        for number, word in enumerate(words):
            term = Written(self._term[word])
            term.word = part.strip(_EDGES) or part if len(words) == 1 else word
            term.text = "" if number else part
            terms.append(term)
        return terms


def written(terms: Iterable[str]) -> list[Written]:
    """Return the terms of a page that a `WritingAnalyzer` has read, stop words too."""
    return [term for term in terms if isinstance(term, Written)]


def text_of(terms: Iterable[Written]) -> str:
    """Return a text as it is written on its page; signs that stand alone are left out.

    >>> text_of(written(WritingAnalyzer("en").terms("The state-of-the-art: robots!")))
    'The state-of-the-art: robots!'
    """
    return " ".join(term.text for term in terms if term.text)
