from __future__ import annotations

import pytest

from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Named, Page
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer

URL = "http://a.example/tea/page/2"


def page(head: str, body: str = "<p>Tea</p>", nofollow: str = "page") -> Page:
    html = f"<html><head>{head}</head><body>{body}</body></html>"
    found = parse_page(html.encode(), URL, Analyzer("en"), nofollow=nofollow)
    partition(found)
    return found


CANONICAL = '<link rel="canonical" href="/tea#top">'


def test_a_page_names_its_own_url_and_its_feeds() -> None:
    """In normal form, by its base; a stylesheet is neither."""
    head = (
        '<base href="http://a.example/x/"><link rel=stylesheet href="/s.css">'
        '<LINK REL="Canonical" HREF="../tea?b=1&amp;a=2#c">'
        '<link rel="alternate" type="application/rss+xml" href="feed">'
        "<link rel=alternate hreflang=de href=/de>"
        '<link rel="alternate" type="application/atom+xml; charset=utf-8" href="//b.example/atom">'
    )
    feeds = ("http://a.example/x/feed", "http://b.example/atom")
    assert page(head).named == Named("http://a.example/tea?a=2&b=1", feeds)


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("", CANONICAL),
        ("", f"<p>A reader wrote: {CANONICAL}</p>"),
        (f"<!-- {CANONICAL} --><script>'{CANONICAL}'</script><noscript>{CANONICAL}</noscript>", ""),
        (f'{CANONICAL}<link rel="canonical" href="/other">', ""),
        ('<link rel="canonical" href="javascript:alert(1)">', ""),
        ('<link rel="canonical" href="http://user:secret@a.example/">', ""),
        ('<link rel="canonical" href="">', ""),
        (f'<link rel="canonical" href="/{"a" * 9000}">', ""),
    ],
)
def test_what_anybody_may_have_written_names_nothing(head: str, body: str) -> None:
    """Nor do two that differ, and what is no URL that can be fetched."""
    assert page(head, body).named == Named()


def test_the_next_page_of_a_series_is_a_link() -> None:
    """Unless the page wants its links left alone, and then its feeds are, too."""
    feed = "<link rel=alternate type=application/rss+xml href=f>"
    head = f'<link rel="next" href="3"><link rel="prev" href="1">{feed}'
    found = page(head)
    assert [link.url.rpartition("/")[2] for link in found.links] == ["3", "1"]
    closed = page('<meta name="robots" content="nofollow">' + head)
    assert (closed.links, closed.named, closed.closed) == ([], Named(), 2)


def test_of_a_thousand_links_in_a_head_few_are_read() -> None:
    """A page costs no more for them than others do."""
    feeds = "".join(f'<link rel=alternate type=application/rss+xml href="/{n}">' for n in range(1000))
    assert len(page(feeds).named.feeds) == 4
