"""On how many pages each phrase stands, no site counting for more than its share."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from focused_crawler.topic.thesaurus.model import Key
from focused_crawler.topic.thesaurus.phrases import PhraseReader

TEMPLATE_SHARE = 0.7
TEMPLATE_PAGES = 4
"""What stands on this share of at least so many pages of a site is its menu or footer: one page's worth."""

_MAX_KEYS = 400_000  # what stands on one page alone is forgotten when there are more


class SourceText(NamedTuple):
    """A page's words, and where they are from."""

    url: str
    text: str


class Occurrences:
    """Where one phrase stands."""

    __slots__ = ("names", "pages", "sites", "times", "wordings")

    def __init__(self) -> None:
        self.pages: list[int] = []  # by number
        self.sites: Counter[str] = Counter()  # pages of each
        self.wordings: Counter[str] = Counter()
        self.times = self.names = 0  # as a name


class DocumentCounts:
    """The phrases of some pages. A site of n pages weighs as much as sqrt(n) sites of one."""

    def __init__(
        self, texts: Sequence[SourceText], reader: PhraseReader, among: Collection[Key] | None = None
    ) -> None:
        """Count the phrases of texts, only those `among` if it is given."""
        self.pages = len(texts)
        self._pages = Counter(site(text.url) for text in texts)
        self.found: Mapping[Key, Occurrences] = self._count(texts, reader, among)
        self.weight = sum(map(math.sqrt, self._pages.values()))

    @property
    def sites(self) -> int:
        """Number of sites."""
        return len(self._pages)

    def pages_of(self, key: Key) -> int:
        """Return how many of the `pages` have a phrase."""
        occurrences = self.found.get(key)
        return len(occurrences.pages) if occurrences else 0

    def weight_of(self, key: Key) -> float:
        """Return the weight of the pages that have a phrase, of `weight` in all."""
        occurrences = self.found.get(key)
        return (
            sum(map(self._site_weight, *zip(*occurrences.sites.items(), strict=True))) if occurrences else 0.0
        )

    def _site_weight(self, name: str, pages: int) -> float:
        of_site = self._pages[name]
        is_template = of_site >= TEMPLATE_PAGES and pages >= TEMPLATE_SHARE * of_site
        return (1 if is_template else pages) / math.sqrt(of_site)

    def _count(
        self, texts: Iterable[SourceText], reader: PhraseReader, among: Collection[Key] | None
    ) -> dict[Key, Occurrences]:
        found: defaultdict[Key, Occurrences] = defaultdict(Occurrences)
        for number, text in enumerate(texts):
            for phrase in reader.phrases(text.text):
                if among is None or phrase.key in among:
                    one = found[phrase.key]
                    one.times += 1
                    one.names += phrase.is_name
                    if not one.pages or one.pages[-1] != number:
                        one.pages.append(number)
                        one.sites[site(text.url)] += 1
                        one.wordings[phrase.wording] += 1
            if len(found) > _MAX_KEYS:
                for key in [key for key, one in found.items() if len(one.pages) == 1]:
                    del found[key]
        return dict(found)


def site(url: str) -> str:
    """Return the host of a URL, the URL itself where it has none, as a saved file's."""
    return urlsplit(url).hostname or url


def log_likelihood(here: float, of_here: float, there: float, of_there: float) -> float:
    """Return how unlikely it is that a phrase is as frequent in both kinds of pages (Dunning 1993), >= 0.

    >>> round(log_likelihood(10, 100, 10, 1000), 2), log_likelihood(10, 100, 100, 1000)
    (22.91, 0.0)
    """
    both, of_both = here + there, of_here + of_there
    parts = (here, of_here - here, there, of_there - there, of_both)
    sums = (both, of_both - both, of_here, of_there)
    return max(0.0, round(2.0 * (sum(map(_entropy, parts)) - sum(map(_entropy, sums))), 9))


def _entropy(count: float) -> float:
    return count * math.log(count) if count > 0 else 0.0
