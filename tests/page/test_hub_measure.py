"""The hub measure: links to other sites for each word outside links."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.page.blocks import hub_measure, partition
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer

URL = "http://www.example.org/links"
ANALYZER = Analyzer("en")


def measured(body: str) -> float | None:
    page = parse_page(f"<html><body>{body}".encode(), URL, ANALYZER)
    partition(page)
    return hub_measure(page)


@pytest.mark.parametrize(
    ("body", "measure"),
    [
        ("<p>hulls rust", 0),
        ("<p>hulls rust <a href='http://a.org/'>paint makers</a>", 1 / 2),
        (
            "<p>the hulls that rust <a href='http://a.org/'>of them</a> <a href='http://a.org/'>again</a>",
            2 / 2,
        ),
        ("<p>hulls rust <a href='/more'>more</a> <a href='http://example.org/all'>all</a>", 0),
        ("<h2><a href='http://a.org/'>yards</a></h2><p>docks", 1 / 1),
        ("<p>write <a href='mailto:a@a.org'>postmaster</a> <a href='http://a.org/'>yards</a>", 1 / 2),
        ("<p>of the <a href='http://a.org/'>yards</a>", None),
        ("", None),
    ],
    ids=["no links", "one", "stop words and two", "same site", "heading", "no link", "only links", "empty"],
)
def test_it_is_links_to_other_sites_for_each_word_outside_links(body, measure):
    """Stop words are no words; www. makes no other site; a page without words has none."""
    assert measured(body) == measure


@given(st.integers(0, 20), st.integers(1, 20))
def test_more_links_make_it_higher_and_more_words_lower(links, words):
    """It is a ratio of the two, and never negative."""
    body = "<p>" + "rust " * words + "<a href='http://a.org/'>yards</a>" * links
    assert measured(body) == pytest.approx(links / words)
