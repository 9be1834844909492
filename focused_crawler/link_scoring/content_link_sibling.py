"""Content, link and sibling learning (Subatra Devi 2017)."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

import numpy as np

from focused_crawler.classify.topic_vector import phrase_weights
from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.strategy import LearningStrategy, StrategyOptions, unpacked
from focused_crawler.page.model import STOP, Link, Page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.url import url_key
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.settings import flag, number, weights

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

REMEMBERED_PAGES = 200_000
"""Of so many of the last pages it is known whether they are relevant: about 25 MB at most."""

MOST_JOINED = 4
"""Words of a keyword that a URL may have joined."""

_LESSON = struct.Struct("<q?")  # a page's key, whether it is relevant
_SEPARATORS = str.maketrans("./", "  ")
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ContentLinkSiblingOptions(StrategyOptions):
    """Options of content, link and sibling learning."""

    weights: tuple[float, float, float] = weights(
        "FOCUSED_LEARNING_WEIGHTS", [0.2, 0.2, 0.3], "content", "link", "siblings"
    )
    limit: float = number("FOCUSED_LEARNING_THRESHOLD", 2.1)  # a link of a higher score is followed
    counts: bool = flag("FOCUSED_LEARNING_COUNTS", True)  # content, link and siblings are counts, else 0 or 1


class _Features(NamedTuple):
    """What is counted on a page."""

    key: int  # of its URL
    is_relevant: bool
    content: int
    in_urls: list[int]  # of its links
    linked: frozenset[int]  # keys of their URLs, its own apart: most menus link to the page they stand on


class ContentLinkSibling(LearningStrategy):
    """Rs = w1 Lc + w2 Ll + w3 Ls; a link is followed if Rs is above the threshold Tr.

    The priority is Rs / (Rs + Tr), which is 0.5 at the threshold: counts have no upper end.
    """

    options_class = ContentLinkSiblingOptions
    _options: ContentLinkSiblingOptions

    def __init__(self, model: TopicModel, options: ContentLinkSiblingOptions) -> None:
        super().__init__(model, options)
        analyzer = Analyzer(model.language)
        self._keywords = frozenset(phrase_weights(model.keywords, analyzer))
        self._urls = KeywordsInUrl(model.keywords, analyzer)
        self._fetched = FetchedPages(REMEMBERED_PAGES)
        highest = sum(options.weights)
        if not options.counts and highest <= options.limit:
            raise ConfigError(
                f"FOCUSED_LEARNING_THRESHOLD is {options.limit:g}, which no link can pass: with"
                f" FOCUSED_LEARNING_COUNTS=False the highest score is {highest:g}; use a lower one"
            )

    def features(self, page: Page, links: Sequence[Link]) -> _Features:
        key, in_urls = url_key(page.url), [self._urls.count(link.url) for link in links]
        linked = frozenset(url_key(link.url) for link in page.links) - {key}
        return _Features(key, page.is_relevant, self._in_page(page), in_urls, linked)

    def learn_from(self, features: _Features) -> None:
        """Remember whether the page is relevant: it is a sibling of pages that are linked beside it."""
        self._fetched.add(features.key, is_relevant=features.is_relevant)

    def lesson(self, features: _Features) -> bytes:
        """Return whether the page is relevant."""
        return _LESSON.pack(features.key, features.is_relevant)

    def learn_lesson(self, lesson: bytes) -> None:
        """Remember a page of another process; raises ValueError."""
        key, is_relevant = unpacked(_LESSON, lesson)
        self._fetched.add(key, is_relevant=is_relevant)

    def score_from(self, features: _Features) -> list[float | None]:
        content, link_weight, siblings = self._options.weights
        shared = content * self._amount(features.content)
        shared += siblings * self._amount(self._siblings(features.linked))
        scores = (shared + link_weight * self._amount(count) for count in features.in_urls)
        limit = self._options.limit
        return [score / (score + limit) if score > limit else None for score in scores]

    def parts(self, page: Page, link: Link) -> Parts:
        found = self.features(page, [link])
        amounts = (found.content, found.in_urls[0], self._siblings(found.linked))
        names = ("words in the page", "words in the URL", "relevant siblings")
        addends = {
            f"{weight:g} * {name}": weight * self._amount(amount)
            for weight, name, amount in zip(self._options.weights, names, amounts, strict=True)
        }
        values = {"total": sum(addends.values()), "threshold": self._options.limit}
        formula = "total / (total + threshold) if total > threshold else None"
        return Parts(formula, values, {"total": addends})

    def memory(self) -> bytes:
        """Return what is remembered of fetched pages."""
        return self._fetched.to_bytes()

    def remember(self, memory: bytes) -> None:
        """Take up what `memory` returned; raises ValueError."""
        self._fetched = FetchedPages.from_bytes(memory, REMEMBERED_PAGES)

    def _amount(self, count: int) -> int:
        return count if self._options.counts else min(count, 1)

    def _in_page(self, page: Page) -> int:
        """Lc: how often the page's text, its words in headlines and meta keywords too, has topic keywords."""
        sections = page.sections
        parts = (sections.headline, sections.keywords, sections.anchor, sections.body)
        return sum(sum(map(self._keywords.__contains__, part)) for part in parts)

    def _siblings(self, linked: Iterable[int]) -> int:
        """Ls: how many pages linked from this one are known as relevant, 0 unless most known ones are."""
        known = self._fetched.known(linked)
        relevant = sum(known)
        return relevant if 2 * relevant > len(known) else 0


class KeywordsInUrl:
    """Finds the words of a topic's keywords among a URL's tokens, alone or in sequence joined: javabeans."""

    def __init__(self, keywords: Sequence[str], analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._words = frozenset(phrase_weights(keywords, analyzer))
        self._phrases = [_known(analyzer.terms(keyword)) for keyword in keywords]
        self._joined: dict[str, list[str]] = {}  # term of the words joined -> their terms
        for words in (_WORDS.findall(keyword.lower()) for keyword in keywords):
            for count in range(2, MOST_JOINED + 1):
                for first in range(len(words) - count + 1):
                    parts = words[first : first + count]
                    joined = _known(analyzer.terms("".join(parts)))
                    if len(joined) == 1:
                        self._joined[joined[0]] = _known(analyzer.terms(" ".join(parts)))

    def count(self, url: str) -> int:
        """Return how many words of the keywords the URL has (Ll); one that comes again counts once."""
        return len(self._words.intersection(self._terms(url)))

    def holds(self, url: str) -> bool:
        """Tell whether the URL contains a whole keyword, its words in sequence: relevant in her table."""
        terms = self._terms(url)
        return any(
            terms[at : at + len(phrase)] == phrase
            for phrase in self._phrases
            if phrase
            for at in range(len(terms))
        )

    def _terms(self, url: str) -> list[str]:
        """Return the terms of a URL's tokens, in order, those of joined words apart; a scheme is no token."""
        tokens = unquote(url.partition("://")[2]).translate(_SEPARATORS).split()
        return [part for term in self._analyzer.terms_of(tokens) for part in self._joined.get(term, [term])]


def _known(terms: Sequence[str]) -> list[str]:
    return [term for term in terms if term != STOP]


class FetchedPages:
    """Which of the last fetched pages were relevant, by `url_key`, the lowest bit of which is given up."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._new: dict[int, bool] = {}
        self._old: dict[int, bool] = {}

    def add(self, key: int, *, is_relevant: bool) -> None:
        """Remember a page, and forget the older half of them once they are too many."""
        self._new[key >> 1] = is_relevant
        if len(self._new) >= self._half:
            self._old, self._new = self._new, {}

    def known(self, keys: Iterable[int]) -> list[bool]:
        """Return of those pages that are remembered whether they were relevant, in no fixed order."""
        found = (self._new.get(key >> 1, self._old.get(key >> 1)) for key in keys)
        return [is_relevant for is_relevant in found if is_relevant is not None]

    def to_bytes(self) -> bytes:
        """Return eight bytes a page, oldest first; its lowest bit tells whether the page is relevant."""
        pages = {**self._old, **self._new}
        return np.array([key << 1 | is_relevant for key, is_relevant in pages.items()], dtype="<i8").tobytes()

    @classmethod
    def from_bytes(cls, content: bytes, limit: int) -> FetchedPages:
        """Return what `to_bytes` wrote; raises ValueError."""
        pages = cls(limit)
        for key in np.frombuffer(content, dtype="<i8").tolist():
            pages.add(key, is_relevant=bool(key & 1))
        return pages
