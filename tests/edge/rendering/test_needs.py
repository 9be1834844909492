from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.edge.rendering.needs import Signs, has_scripts, read_signs, why_needed

SCRIPT = '<script src="/app.js"></script>'


def page(body: str) -> bytes:
    return f"<html><head><title>x</title></head><body>{body}</body></html>".encode()


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (f'<div id="root"></div>{SCRIPT}', "root"),
        (f'<div id="__next"><div>Loading, please wait</div></div>{SCRIPT}', "root"),
        (f"<app-root></app-root>{SCRIPT}", "root"),
        (f"<div ng-app='shop'></div>{SCRIPT}", "root"),
        (f'<div id="app"><div>{"words " * 40}</div></div>{SCRIPT}', None),
        (f'<div id="app"><a href="/1"></a><a href="/2"></a><a href="/3"></a></div>{SCRIPT}', None),
        (f"<noscript>Please enable JavaScript</noscript>{SCRIPT}", "noscript"),
        (f"<noscript>Activez JavaScript</noscript>{SCRIPT}", "noscript"),
        (f"<noscript>Enable JavaScript to view comments powered by Disqus</noscript>{SCRIPT}", None),
        ('<noscript><img src="https://t.test/pixel"></noscript>' + SCRIPT, None),
        ('<div id="root"></div>', None),
        ('<div id="root"></div><script type="application/ld+json">{}</script>', None),
        ('<div id="root"></div><script src="https://www.google-analytics.com/ga.js"></script>', None),
        ('<div id="root"></div><script>start()</script>', "root"),
        ('<template><div id="root"></div></template>' + SCRIPT, None),
        ("", None),
    ],
)
def test_signs_of_a_page_of_middling_size(body: str, why: str | None) -> None:
    """An app that is still empty, or that asks for scripts; not one that has its text already."""
    assert why_needed(read_signs(page(body)), words=100, links=10) == why


@pytest.mark.parametrize(
    ("words", "links", "why"),
    [(0, 0, "thin"), (39, 4, "thin"), (40, 4, None), (39, 5, None), (1000, 0, None)],
)
def test_a_page_with_scripts_and_hardly_a_word(words: int, links: int, why: str | None) -> None:
    """May have its text from them."""
    assert why_needed(Signs(scripts=1), words, links) == why


def test_a_page_with_many_words_is_read_as_it_is() -> None:
    """Whatever its markup says."""
    assert why_needed(Signs(scripts=3, has_empty_root=True, asks_for_scripts=True), 300, 0) is None


def test_a_page_without_scripts_needs_no_browser() -> None:
    """However little it says."""
    assert why_needed(Signs(has_empty_root=True, asks_for_scripts=True), 0, 0) is None


@pytest.mark.parametrize("body", [b"", b" \n", b"\0", b"<!-- <div id=root>", "é".encode("utf-16")])
def test_bodies_that_hold_no_page(body: bytes) -> None:
    """Have no signs."""
    assert read_signs(body) == Signs()


def test_encoding_of_the_server_is_used() -> None:
    """A page in another encoding shows the same signs."""
    body = page(f'<div id="root"></div>{SCRIPT}').decode().encode("utf-16-le")
    assert read_signs(body, "utf-16-le").has_empty_root


TAGS = st.sampled_from(
    ["<div id=root>", "</div>", "<noscript>", "</noscript>", "<script>", "</script>", "a", "<p>"]
)


@given(st.lists(TAGS, max_size=30))
def test_any_nesting_is_read(tags: list[str]) -> None:
    """Signs are found or not: nothing breaks, and a page without scripts never needs a browser."""
    body = "".join(tags).encode()
    signs = read_signs(body)
    assert has_scripts(body) or why_needed(signs, 0, 0) is None


def test_a_million_nested_elements_are_read() -> None:
    """Without recursion."""
    assert read_signs(b"<div id=root>" * 100_000 + b"<script>x</script>").scripts == 1
