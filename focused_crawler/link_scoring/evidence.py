"""What a link says by itself of the page it leads to, before anything was fetched through links like it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from urllib.parse import unquote
from zlib import crc32

from focused_crawler.classify.calibration import log_odds
from focused_crawler.link_scoring.weights import WHOLE, Weights
from focused_crawler.page.model import Link
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.url import host_of, url_key

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

NEAR = 0.3
"""From here on nearness in meaning adds to a cosine what it has more (docs/research/adaptive.md)."""

BIAS, PAGE, LIKENESS, HALF = -1.5, 0.6, 3.0, 0.15
"""Of the link classifier: bias, weights of the page's log odds and of the anchor's cosine, half at `HALF`."""

_MOST_REMEMBERED = 32_768
_LONGEST_WORDING = 20
_WORD = re.compile(r"[^\W\d_]{3,40}")


class OfUrl(NamedTuple):
    """What does not depend on where a link stands."""

    key: int
    folder: int  # number of its host with the first folder
    host: int  # number of its host
    words: float  # likeness of its words
    odds: float  # of the link model


OfLink: TypeAlias = tuple[OfUrl, float, float, int]
"""What a link says, see `LinkEvidence.of_links`."""


class LinkEvidence:
    """Knows a topic's words and its link model."""

    def __init__(self, model: TopicModel, weights: Weights = WHOLE) -> None:
        self._anchor, self._url = weights.anchor, weights.url
        self._vector, self._meaning = model.vector, model.meaning
        self._links = model.links
        self._analyzer = Analyzer(model.language)
        self._urls: dict[str, OfUrl] = {}
        self._wordings: dict[tuple[str, ...], tuple[float, float]] = {}

    def of_url(self, url: str) -> OfUrl:
        """Return what a URL says."""
        found = self._urls.get(url)
        if found is None:
            if len(self._urls) >= _MOST_REMEMBERED:
                self._urls.clear()
            found = self._urls[url] = self._read(url)
        return found

    def of_anchor(self, anchor: Sequence[str]) -> tuple[float, float]:
        """Return an anchor's part of a link's likeness, and of its log odds."""
        wording = tuple(anchor)
        found = self._wordings.get(wording)
        if found is None:
            cosine = self._cosine(wording)
            odds = LIKENESS * cosine / (cosine + HALF) + self._links.of_words(wording)
            found = self._anchor * cosine, odds
            if len(self._wordings) >= _MOST_REMEMBERED:
                self._wordings.clear()
            if len(wording) <= _LONGEST_WORDING:
                self._wordings[wording] = found
        return found

    def of_links(self, links: Iterable[Link]) -> list[OfLink]:
        """Return what each link's URL says, its likeness, [0, 2.5], and its log odds of a relevant page.

        And a number of its wording, all that a reader sees of it; 0: nothing.
        """
        urls, wordings, found = self._urls, self._wordings, []
        for link in links:
            of_url = urls.get(link.url) or self.of_url(link.url)
            likeness, odds = wordings.get(tuple(link.anchor)) or self.of_anchor(link.anchor)
            wording = crc32(link.text.lower().encode("utf-8", "replace"))
            found.append((of_url, likeness + of_url.words, of_url.odds + odds, wording))
        return found

    def _cosine(self, terms: Sequence[str]) -> float:
        """Return how like the topic's words a text's are, in [0, 1]."""
        cosine = self._vector.similarity(terms)
        if self._meaning is None:
            return cosine
        near = self._meaning.near(dict.fromkeys(terms, 1))
        return min(cosine + max(near - NEAR, 0.0), 1.0)

    def _read(self, url: str) -> OfUrl:
        host = host_of(url).removeprefix("www.")
        rest = url.partition("://")[2].partition("/")[2]
        path = rest.partition("?")[0]
        folder = path.partition("/")[0] if "/" in path else ""
        words = self._analyzer.terms_of(_WORD.findall(f"{host}/{unquote(rest)}".lower()))
        return OfUrl(
            url_key(url),
            crc32(f"{host}/{folder}".encode("utf-8", "replace")),
            crc32(host.encode("utf-8", "replace")),
            self._url * self._cosine(words),
            self._links.of_url(url),
        )


_CERTAIN = 6.0  # log odds beyond which a page's relevance says no more


def page_log_odds(relevance: float) -> float:
    """Return the log odds of a relevance in [0, 1], in [-6, 6]."""
    return min(max(log_odds(relevance), -_CERTAIN), _CERTAIN)
