"""URLs that are left alone for a word in them."""

from __future__ import annotations

import pytest

from focused_crawler.page.url import normalise
from focused_crawler.safety.errors import ConfigError
from focused_crawler.topic.scope import Scope, url_words


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("", ()),
        ("forum,blog", ("forum", "blog")),
        (" Forum , blog,, forum ", ("forum", "blog")),
        (["forum", "/tag/"], ("forum", "/tag/")),
        (("论坛",), ("%e8%ae%ba%e5%9d%9b",)),
        ("?page=", ("?page=",)),
    ],
)
def test_words_are_texts_between_commas_or_a_list(setting, words):
    """Each once, in lower case, and escaped as they are in URLs."""
    assert url_words(setting) == words


@pytest.mark.parametrize("setting", [5, [1, 2], ["forum", None], {"forum": 1}.values()])
def test_anything_else_is_refused_in_one_line(setting):
    """The line names the setting and what would be right."""
    with pytest.raises(ConfigError, match=r"^FOCUSED_SKIP_URLS is .*; use words between commas"):
        url_words(setting)


@pytest.mark.parametrize(
    ("url", "is_refused"),
    [
        ("https://example.org/forum/12", True),
        ("https://forums.example.org/", True),
        ("https://example.org/Blog", True),
        ("https://ann.blogspot.com/", True),
        ("https://example.org/go?to=blog", True),
        ("https://example.org/logbook", False),
        ("https://example.org/", False),
    ],
)
def test_a_word_stands_anywhere_in_the_url(url, is_refused):
    """Host, path or query; within another word, too, as in the paper; cases do not differ."""
    assert bool(Scope(words=url_words("forum,blog")).outside(url)) is is_refused


def test_words_of_other_scripts_are_found_in_escaped_urls():
    """A URL is compared as it is fetched."""
    url = normalise("https://example.org/论坛/1")
    assert Scope(words=url_words("论坛")).outside(url)
    assert not Scope(words=url_words("博客")).outside(url)


def test_without_words_nothing_is_refused():
    """The default."""
    assert not Scope(words=url_words([])).outside("https://example.org/forum/blog")
