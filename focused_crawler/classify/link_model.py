"""What a URL and the words of a link say of the page they lead to, learnt from the examples' URLs and titles.

A page's title stands for the anchors that will lead to it, which nobody knows before the crawl; that the
text of links and URLs alone tells much of a page is known since Pant and Srinivasan 2006 (link contexts) and
Baykan et al. 2009 (URLs).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

import numpy as np

from focused_crawler.page.model import STOP
from focused_crawler.page.text.weighting import count_matrix, vocabulary
from focused_crawler.page.url import host_of

URL_IMPORTANCE = 2.0
"""Of all features of a URL together; the words of a link have 1."""

_FOLDERS = 3
_REGULARISATION = 100.0  # scikit-learn's C: weak, as most features stand in one or two examples
_MAX_REMEMBERED = 50_000
_WORD = re.compile(r"[^\W\d_]{3,40}")


@dataclass(frozen=True)
class LinkModel:
    """Log odds of leading to a relevant page, as a sum over features; without examples they are all 0."""

    weights: Mapping[str, float] = field(default_factory=dict)
    intercept: float = 0.0
    _known: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def fit(
        cls, urls: Sequence[str], titles: Sequence[Sequence[str]], is_relevant: Sequence[bool]
    ) -> LinkModel:
        """Learn from pages of both kinds: their URLs, and the terms of their titles."""
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (only training needs it)

        rows = [_of_url(url) | _of_words(title) for url, title in zip(urls, titles, strict=True)]
        features = vocabulary(rows)
        if not features:
            return cls()
        fitted = LogisticRegression(C=_REGULARISATION, class_weight="balanced", max_iter=5000).fit(
            count_matrix(rows, features), np.asarray(is_relevant)
        )
        weights = dict(zip(features, fitted.coef_[0].tolist(), strict=True))
        return cls(weights, float(fitted.intercept_[0]))

    def addends(self, url: str, words: Iterable[str]) -> dict[str, float]:
        """Return what makes log P(relevant) / P(other) of the page behind a link, by feature.

        The intercept comes first. `url` is normalised, `words` are the terms of the link.
        """
        features, weights = _of_url(url) | _of_words(words), self.weights
        known = {name: value * weights[name] for name, value in features.items() if name in weights}
        return {"intercept": self.intercept, **known}

    def of_url(self, url: str) -> float:
        """Return the log odds of a link without words, any real number."""
        value = self._known.get(url)
        if value is None:
            if len(self._known) >= _MAX_REMEMBERED:
                self._known.clear()
            value = self._known[url] = self.intercept + self._sum(_url_names(url), URL_IMPORTANCE)
        return value

    def of_words(self, words: Iterable[str]) -> float:
        """Return what the words of a link add to that."""
        return self._sum(_word_names(words), 1.0)

    def _sum(self, names: Iterable[str], importance: float) -> float:
        """Return the sum over features, as `addends` has it, without making what is multiplied by nothing."""
        distinct, weights = dict.fromkeys(names), self.weights
        known = [weights[name] for name in distinct if name in weights]
        value = _value(distinct, importance)
        return sum([value * weight for weight in known])


def _of_url(url: str) -> dict[str, float]:
    return _scaled(_url_names(url), URL_IMPORTANCE)


def _of_words(words: Iterable[str]) -> dict[str, float]:
    return _scaled(_word_names(words), 1.0)


def _url_names(url: str) -> list[str]:
    """Return the features of a URL: its host, the folders it lies in, the words in it."""
    if not url.startswith(("http://", "https://")):
        return []  # an example kept as a file
    host = host_of(url).removeprefix("www.")
    path = url.partition("://")[2].partition("?")[0].partition("/")[2]
    folders = path.split("/")[:-1][:_FOLDERS]
    names = [f"host {host}"]
    names += [f"folder {host}/{'/'.join(folders[: depth + 1])}" for depth in range(len(folders))]
    names += [f"in url {word}" for word in _WORD.findall(f"{host}/{unquote(path)}".lower())]
    return names


def _word_names(words: Iterable[str]) -> list[str]:
    return [f"in link {word}" for word in words if word != STOP]


def _scaled(names: Iterable[str], importance: float) -> dict[str, float]:
    distinct = dict.fromkeys(names)
    return dict.fromkeys(distinct, _value(distinct, importance))


def _value(distinct: Collection[str], importance: float) -> float:
    """Return the one value of distinct features: many of them say no more than few."""
    return importance / math.sqrt(len(distinct)) if distinct else 0.0
