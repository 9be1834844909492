from __future__ import annotations

import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.virtualweb.surt import surt


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("http://example.org/a", "https://example.org/a"),
        ("http://www.example.org/a", "http://example.org/a"),
        ("http://www12.example.org/a", "http://example.org/a"),
        ("http://example.org/a/", "http://example.org/a"),
        ("http://example.org", "http://example.org/"),
        ("http://example.org:80/", "http://example.org/"),
        ("https://example.org:443/", "http://example.org/"),
        ("http://example.org./", "http://example.org/"),
        ("HTTP://EXAMPLE.org/A?B=C", "http://example.org/a?b=c"),
        ("http://example.org/a?", "http://example.org/a"),
        ("http://example.org?a=1", "http://example.org/?a=1"),
        ("http://example.org/?b=2&a=1", "http://example.org/?a=1&b=2"),
        ("http://example.org/a#top", "http://example.org/a"),
        ("http://example.org/%7Ejo", "http://example.org/~jo"),
        ("http://example.org/caf\u00e9", "http://example.org/caf%C3%A9"),
        ("http://b\u00fccher.example/", "http://xn--bcher-kva.example/"),
        ("http://me:secret@example.org/", "http://example.org/"),
        ("http://example.org/a;jsessionid=" + "0" * 32, "http://example.org/a"),
        ("http://example.org/?sid=" + "0" * 32 + "&a=1", "http://example.org/?a=1"),
    ],
)
def test_spellings_of_one_page_share_a_key(url: str, other: str) -> None:
    """What web archives take for one page is one page."""
    assert surt(url) == surt(other)


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("http://example.org/a", "http://example.org/b"),
        ("http://example.org/", "http://example.net/"),
        ("http://example.org/", "http://wwwexample.org/"),
        ("http://example.org:8080/", "http://example.org/"),
        ("http://example.org:443/", "http://example.org/"),
        ("http://example.org/?a=1", "http://example.org/?a=2"),
        ("http://example.org/index.html", "http://example.org/"),
        ("http://example.org/?sid=7", "http://example.org/"),
    ],
)
def test_other_pages_have_other_keys(url: str, other: str) -> None:
    """A key never joins what a site may tell apart."""
    assert surt(url) != surt(other)


@given(st.text())
def test_any_text_has_a_key(text: str) -> None:
    """A key never fails, and can be stored as UTF-8."""
    assert surt(text).encode()


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=30))
def test_scheme_and_www_never_matter(path: str) -> None:
    """Whatever the path, these two make no difference."""
    assert surt(f"http://www.example.org/{path}") == surt(f"https://example.org/{path}")


def test_a_key_is_cheap() -> None:
    """A crawl makes one for each link: far less than 30 us."""
    url = "https://www.example.org/Some/Path/page.html?b=2&a=%7E1"
    assert min(timeit.repeat(lambda: surt(url), number=500, repeat=5)) / 500 < 30e-6
