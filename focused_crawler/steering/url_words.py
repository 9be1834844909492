"""URLs that are left alone for a word in them: forums and blogs, where authoritative pages are wanted.

Badia et al. 2006 drop what has "forum" or "blog" in its URL, "an extremely simple test" that "happens to
work surprisingly well".
"""

from __future__ import annotations

from collections.abc import Iterable
from string import punctuation
from urllib.parse import quote

from focused_crawler.errors import ConfigError

_ASCII = punctuation.replace("%", "")


def url_words(setting: object) -> tuple[str, ...]:
    """Return the words of FOCUSED_SKIP_URLS, a list or texts between commas, as they stand in URLs.

    Raises ConfigError.

    >>> url_words("forum, Blog")
    ('forum', 'blog')
    """
    words = setting.split(",") if isinstance(setting, str) else setting
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise ConfigError(f"FOCUSED_SKIP_URLS is {setting!r}; use words between commas, as in forum,blog")
    return tuple(dict.fromkeys(quote(word.strip().lower(), _ASCII).lower() for word in words if word.strip()))


def refused(url: str, words: Iterable[str]) -> bool:
    """Tell whether one of the words stands anywhere in a normalised URL, in another word, too.

    >>> refused("https://weblogs.example.org/2024", ("forum", "blog"))
    True
    """
    url = url.lower()
    return any(word in url for word in words)
