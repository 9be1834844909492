"""URL rules."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from focused_crawler.page import url as url_module
from focused_crawler.page.url import MAX_URL_LENGTH, host_of, normalise, url_key

BASE = "http://example.org/x/y?q=1"

NORMAL = [
    ("HTTP://EXAMPLE.org", "http://example.org/"),
    ("https://example.org:443/a", "https://example.org/a"),
    ("http://example.org:443/a", "http://example.org:443/a"),
    ("http://example.org:/a", "http://example.org/a"),
    ("http://example.org./a", "http://example.org/a"),
    ("  http://example.org/a b\n", "http://example.org/a%20b"),
    ("http://exa\nmple.org/a\tb", "http://example.org/ab"),
    ("http://example.org/a?b=2&a=1", "http://example.org/a?a=1&b=2"),
    ("http://example.org/a?b=2&b=1&a", "http://example.org/a?a&b=2&b=1"),
    ("http://example.org/?solr", "http://example.org/?solr"),
    ("http://example.org/?a%5B%5D=2&a%5B%5D=1&&c=", "http://example.org/?a%5B%5D=2&a%5B%5D=1&c="),
    ("http://example.org/article.pl?sid=04/11/03/1234", "http://example.org/article.pl?sid=04/11/03/1234"),
    ("http://example.org/a?sid=1234", "http://example.org/a?sid=1234"),
    ("http://example.org/a?sid=news-of-2026-11", "http://example.org/a?sid=news-of-2026-11"),
    ("http://example.org/a?sid=20261103123456&b=1", "http://example.org/a?b=1&sid=20261103123456"),
    ("http://example.org/a?b=1&sid=0af3e1d2c4b5&c=2", "http://example.org/a?b=1&c=2"),
    ("http://example.org/a?session_id=7Kq0ZyXw1v2U3t4S", "http://example.org/a"),
    ("http://example.org/a;sid=7Kq0ZyXw1v2U3t4S?b=1", "http://example.org/a?b=1"),
    ("http://example.org/a?sessionid=123e4567-e89b-12d3-a456-426614174000", "http://example.org/a"),
    ("http://example.org/a?x=1#top", "http://example.org/a?x=1"),
    ("http://example.org/a/../b/./c", "http://example.org/b/c"),
    ("http://example.org/%7Euser/%e9", "http://example.org/~user/%E9"),
    ("http://example.org/é", "http://example.org/%C3%A9"),
    ("http://bücher.example/", "http://xn--bcher-kva.example/"),
    ("http://straße.example/", "http://xn--strae-oqa.example/"),
    ("http://☃.example/", "http://xn--n3h.example/"),
    ("http://ＥＸＡＭＰＬＥ.org/", "http://example.org/"),
    ("http:///example.org/a", "http://example.org/a"),
    ("https:example.org/a", "https://example.org/a"),
    ("http://example.org/a;jsessionid=1F?x=1", "http://example.org/a?x=1"),
    ("http://example.org/a?utm_source=x&id=3&PHPSESSID=9", "http://example.org/a?id=3"),
    ("http://example.org/a?%73id=0af3e1d2c4b5", "http://example.org/a"),
    ("http://example.org/?side=left", "http://example.org/?side=left"),
    ("http://example.org/a?b=c=d&a=%3d=", "http://example.org/a?a=%3D=&b=c=d"),
    ("http://example.org/?u=http://b.example/", "http://example.org/?u=http://b.example/"),
    ("http://example.org/?u=http%3a%2F%2fb.example/", "http://example.org/?u=http%3A%2F%2Fb.example/"),
    ("http://example.org/?b=1;a=(2,%203)&c=@$!*?:/ é", "http://example.org/?b=1;a=(2,+3)&c=@$!*?:/+%C3%A9"),
    ("http://example.org/?b=%3B%41%20+%2B&a='|%", "http://example.org/?a=%27%7C%25&b=%3BA++%2B"),
]

RELATIVE = [
    ("b", "http://example.org/x/b"),
    ("../b", "http://example.org/b"),
    ("/b", "http://example.org/b"),
    ("?z=2", "http://example.org/x/y?z=2"),
    ("", "http://example.org/x/y?q=1"),
    ("#top", "http://example.org/x/y?q=1"),
    ("//other.example/b", "http://other.example/b"),
    ("///other.example/b", "http://other.example/b"),
    ("/\\/other.example/b", "http://other.example/b"),
    ("http:b", "http://example.org/x/b"),
    ("http:/b", "http://example.org/b"),
    ("http:b:c", "http://example.org/x/b:c"),
    ("https:b", "https://b/"),
    ("\xa0b", "http://example.org/x/%C2%A0b"),
    ("\\\\other.example\\b", "http://other.example/b"),
    ("images\\b.html?c=\\", "http://example.org/x/images/b.html?c=%5C"),
    ("https://other.example", "https://other.example/"),
]

ADDRESSES = [
    ("http://127.1/", "http://127.0.0.1/"),
    ("http://2130706433/", "http://127.0.0.1/"),
    ("http://0x7f.0.0.1/", "http://127.0.0.1/"),
    ("http://0177.0.0.01/", "http://127.0.0.1/"),
    ("http://0/", "http://0.0.0.0/"),
    ("http://127.0.0.1./", "http://127.0.0.1/"),
    ("http://１２７.０.０.１/", "http://127.0.0.1/"),
    ("http://127。0。0。1/", "http://127.0.0.1/"),
    ("http:\\\\127.0.0.1\\a", "http://127.0.0.1/a"),
    ("http://[::1]:8080/", "http://[::1]:8080/"),
    ("http://[0:0::1]/", "http://[::1]/"),
    ("http://[::FFFF:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
    ("http://other.example\\@example.org/", "http://other.example/@example.org/"),
]

REFUSED = [
    "mailto:a@example.org",
    "javascript:void(0)",
    "data:text/html,<a>",
    "file:///etc/hostname",
    "ftp://example.org/",
    "gopher://example.org/",
    "http://",
    "http:///",
    "http://?a",
    "http://user@example.org/",
    "http://example.org@127.0.0.1/",
    "http://example.org:0/",
    "http://example.org:65536/",
    "http://example.org:８０/",
    "http://example.org:a/",
    "http://%31%32%37.0.0.1/",
    "http://exa mple.org/",
    "http://example..org/",
    "http://.example.org/",
    "http://\u00ad/",
    "http://1.2.3.4.5/",
    "http://127.0.0.256/",
    "http://08.1.1.1/",
    "http://[::1/",
    "http://[fe80::1%25eth0]/",
    "http://[v1.a]/",
    "http://℀.example/",
    "http://" + "a" * 64 + ".example/",
    "http://" + "a." * 127 + "example/",
    "http://" + "ü" * 2000 + "/",
    "http://example.org/\ud800",
    "http://example.org/" + "a" * MAX_URL_LENGTH,
    "http://example.org/" + "é" * 1000,
    "http://example.org/" + "a/" * 40,
    "http://example.org/a" + "/www.example.org/b" * 4 + "/c",
    "http://example.org/" + "/".join(map(str, range(33))),
]


@pytest.mark.parametrize(("url", "expected"), NORMAL + ADDRESSES)
def test_normal_form(url, expected):
    """However it is written, a page has one URL."""
    assert normalise(url) == expected


@pytest.mark.parametrize(("url", "expected"), RELATIVE)
def test_relative_links(url, expected):
    """Links are read relative to their base, backslashes as browsers read them."""
    assert normalise(url, BASE) == expected


@pytest.mark.parametrize("url", REFUSED, ids=lambda url: ascii(url[:40]))
def test_refused(url):
    """What cannot or must not be crawled is no link, with or without a base."""
    assert normalise(url) is None
    assert url.startswith(("http:///", "http://?")) or normalise(url, "https://example.org/") is None


def test_a_link_that_becomes_too_long():
    """It is the whole URL that counts, also of a link that is short enough itself."""
    assert normalise("a" * (MAX_URL_LENGTH - len("http://example.org/x/")), BASE) is not None
    assert normalise("a" * (MAX_URL_LENGTH - len("http://example.org/x/") + 1), BASE) is None


def test_long_but_honest_paths_are_kept():
    """Depth and dates make no trap."""
    deep = "http://example.org/" + "/".join(map(str, range(20)))
    assert normalise(deep) == deep
    assert normalise("http://example.org/2010/10/10/10/") is not None


PARTS = st.sampled_from(
    [
        *(
            "http:",
            "https:",
            "HTTP:",
            "//",
            "/",
            "\\",
            "?",
            "#",
            "&",
            "=",
            "@",
            ":",
            ";",
            ".",
            "..",
            "%",
            "[",
            "]",
        ),
        *(
            "example.org",
            "EXAMPLE.org",
            "a",
            "b c",
            "é",
            "\ud800",
            "\x00",
            "\n",
            "sid=1",
            ";jsessionid=2",
            "utm_a=",
        ),
        *(
            "%2e",
            "%73id=3",
            "%25",
            "%3B",
            "%3f",
            "%",
            "+",
            "80",
            "0x7f",
            "１",
            "ü",
            "\u00ad",
            "::1",
            "|",
            "%00",
        ),
    ]
)
MESSY = st.lists(PARTS, max_size=12).map("".join)
URLS = MESSY | MESSY.map("http://example.org/".__add__) | MESSY.map("http://".__add__) | st.text()


@given(URLS, st.none() | st.just(BASE) | URLS)
@example("http://example.org/.;sid=1", None)
@example("http://example.org/%2525%2541", None)
@example("http://example.org/?%2573id=1&%26sid=2", None)
def test_idempotent_and_never_raises(url, base):
    """The normal form of a normal form is itself, and it has a key and a host."""
    normal = normalise(url, base)
    if normal is not None:
        assert normalise(normal) == normal
        assert normal.isascii()
        assert normal.isprintable()
        assert " " not in normal
        assert "#" not in normal
        assert -(2**63) <= url_key(normal) < 2**63
        assert host_of(normal)


BASES = [
    None,
    BASE,
    "https://example.org:8080/a/b",
    "http://example.org",
    "http://example.org/a/",
    "HTTP://Example.org/a/b/../c/d",
    "http://example.org/a//b/c",
    "http://example.org/.a/b",
    "http://example.org/%20/%c3/b",
    "http://example.org/a/b%3Fc?d/e",
    "http://example.org/a/b#c/d?e",
    "http://example.org/a;sid=1/b",
]
STEPS = st.lists(
    st.sampled_from(["..", ".", "", "a", "b.html", ".b", "c:d", "%C3%A9", "%41", "?x=1", "?b=+&a=1", "#f"])
)
PLAIN = st.from_regex(url_module._PLAIN, fullmatch=True) | STEPS.map("/".join)


@given(PLAIN, st.sampled_from(BASES))
@example("../../../a", BASE)
@example("./../b/", "http://example.org/a/b/c")
@example("https://Example.org?b=1&a=2", None)
def test_short_way_agrees_with_the_long_way(url, base):
    """URLs that need no rewriting come out as if they had gone all the way."""
    plain = url_module._plain(url, base)
    if plain is not None:
        absolute = url_module.urljoin(base, url) if base else url
        assert plain == url_module._canonical(absolute)


@given(st.text())
def test_every_text_has_a_key(text):
    """Even what is no URL can be looked up."""
    assert isinstance(url_key(text), int)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("http://example.org/a", "https://www.example.org/a/", True),
        ("http://www2.example.org/", "http://example.org", True),
        ("http://example.org/a", "http://example.org/A", False),
        ("http://example.org/a?x=1", "http://example.org/a?x=2", False),
        ("http://example.org/", "http://example.org:8080/", False),
        ("http://example.org/?u=a/b:c;d/", "http://example.org/?u=a%2Fb%3Ac%3Bd%2F", True),
        ("http://example.org/?a=b==&c", "http://example.org/?a=b%3D%3D&c", True),
        ("http://example.org/?a=b&c=d", "http://example.org/?a=b%26c=d", False),
        ("http://example.org/a:b", "http://example.org/a%3Ab", False),
    ],
)
def test_identity(one, other, is_same):
    """Scheme, www, the last slash and escapes in a query make no other page."""
    assert (url_key(one) == url_key(other)) is is_same


def test_host_of():
    """Politeness is counted by host and port."""
    assert host_of("http://example.org:8080/a?b=//c/") == "example.org:8080"
    assert host_of("http://[::1]:80/") == "[::1]:80"
