"""Content, link and sibling learning."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.midpoints import Midpoints
from focused_crawler.link_scoring.content_link_sibling import (
    ContentLinkSiblingOptions,
    FetchedPages,
    KeywordsInUrl,
)
from focused_crawler.link_scoring.registry import create
from focused_crawler.page.model import Link, Outline, Page, Sections
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import ConfigError

MODEL = SimpleNamespace(
    vector=TopicVector({}, {}, 1.0),
    midpoints=Midpoints(*[0.25] * 3),
    language="en",
    keywords=("java beans", "java"),
)
KEYS = st.integers(-(2**63), 2**63 - 1)


def learner(**options):
    return create("content_link_sibling", MODEL, ContentLinkSiblingOptions(**options))


def page(url="http://x.example/", words=(), links=(), is_relevant=False):
    found = [Link(target, "", [], [], 0) for target in links]
    sections = Sections(headline=list(words[:1]), body=list(words[1:]))
    return Page(url, "", "", sections, Outline(False), links=found, is_relevant=is_relevant)


def scores(scorer, words, *links):
    shown = page(words=words, links=links)
    return scorer.score(shown, shown.links)


def priority(score, limit=2.1):
    return pytest.approx(score / (score + limit))


PLAIN = "http://a.example/"


def test_content_counts_how_often_the_keywords_stand_in_the_page():
    """Ten times .2 is not above 2.1, eleven times is; other words do not count."""
    assert scores(learner(), ["java"] * 10, PLAIN) == [None]
    assert scores(learner(), ["java", "bean", "cake"] + ["bean"] * 9, PLAIN) == [priority(0.2 * 11)]


@pytest.mark.parametrize(
    ("url", "keywords"),
    [
        ("http://a.example/", 0),
        ("http://java.example/", 1),
        ("https://docs.example/javase/tutorial/index.html", 0),  # tokens are whole words
        ("https://docs.example/javase/tutorial/javabeans/index.html", 2),  # but for words in sequence, joined
        ("https://docs.example/JavaBean_quick.html", 2),
        ("https://docs.example/beansjava/index.html", 0),
        ("https://docs.example/java/BEANS.html", 2),
        ("https://docs.example/java/java-beans/java", 2),  # a keyword counts once
        ("java://a.example/", 0),  # a scheme is no token
        ("https://docs.example/java%20beans/j%61va", 2),
    ],
)
def test_link_counts_the_keywords_among_a_urls_tokens(url, keywords):
    """Most if all are there."""
    assert scores(learner(), ["java"] * 11, url) == [priority(0.2 * (11 + keywords))]


def test_siblings_count_if_most_known_ones_are_relevant():
    """Siblings are the pages that the same page links to; those not fetched yet are not known."""
    links = [f"http://a.example/{number}" for number in range(9)]
    scorer = learner()
    for number, is_relevant in enumerate([True, False]):
        scorer.learn(page(links[number], is_relevant=is_relevant))
    assert scores(scorer, ["java"] * 11, *links)[8] == priority(2.2)  # one of two is not most
    scorer.learn(page(links[2], is_relevant=True))
    assert scores(scorer, ["java"] * 11, *links)[8] == priority(2.2 + 0.3 * 2)
    assert scores(scorer, ["java"] * 11, PLAIN) == [priority(2.2)]  # another family


def test_a_page_is_no_sibling_of_those_that_it_links_to():
    """Though its menu may link to it; it is learnt before its links are scored."""
    scorer, shown = learner(), page(words=["java"] * 11, links=["http://x.example/", PLAIN], is_relevant=True)
    scorer.learn(shown)
    assert scorer.score(shown, shown.links) == [priority(2.2)] * 2


def test_weights_are_settings():
    """The paper has two sets."""
    paper = learner(weights=(0.1, 0.2, 0.3), limit=1.0)
    assert scores(paper, ["java"] * 9, PLAIN) == [None]
    assert scores(paper, ["java"] * 9, "http://java.example/") == [priority(0.9 + 0.2, 1.0)]


def test_indicators_are_0_or_1():
    """However often a keyword is there."""
    scorer = learner(counts=False, limit=0.3)
    assert scores(scorer, ["java"] * 11, PLAIN, "http://java.example/beans") == [None, priority(0.4, 0.3)]


def test_a_threshold_out_of_reach_is_refused():
    """The paper's 2.1 with its weights, had it meant indicators."""
    with pytest.raises(ConfigError, match=r"^FOCUSED_LEARNING_THRESHOLD is 2\.1, .* highest score is 0\.7;"):
        learner(counts=False)


@given(st.floats(0.01, 10), st.integers(0, 500), st.integers(0, 500))
def test_more_keywords_never_mean_a_lower_priority(limit, one, other):
    """The order is that of Rs; a priority is above a half, or there is none."""
    scorer = learner(limit=limit)
    low, high = (scores(scorer, ["java"] * count, PLAIN)[0] for count in sorted((one, other)))
    assert low is None or (high is not None and 0.5 < low <= high <= 1.0)


@given(st.lists(st.tuples(KEYS, st.booleans()), max_size=40))
def test_memory_of_fetched_pages(fetched):
    """The last ones are known, at least half as many as there is room for; never more than there is."""
    pages = FetchedPages(20)
    for key, is_relevant in fetched:
        pages.add(key, is_relevant=is_relevant)
    last = {key >> 1: is_relevant for key, is_relevant in fetched[-10:]}
    for key, is_relevant in last.items():
        assert pages.known([key << 1]) == [is_relevant]
    assert len(pages.to_bytes()) <= 20 * 8
    again = FetchedPages.from_bytes(pages.to_bytes(), 20)
    keys = [key for key, _ in fetched]
    assert again.known(keys) == pages.known(keys)


@pytest.mark.parametrize(
    ("url", "is_relevant"),
    [
        ("https://docs.example/javase/tutorial/javabeans/quick.html", True),
        ("https://docs.example/java-bean/", True),
        ("https://docs.example/java/beans/", True),
        ("https://docs.example/beans/java/", False),
        ("https://docs.example/java/", False),
        ("https://docs.example/computerscience/books.html", True),
        ("https://docs.example/computer-science/", False),
    ],
)
def test_a_url_that_contains_the_anchor_text(url, is_relevant):
    """Her table's relevance: a whole keyword, its words in sequence, joined or apart."""
    assert KeywordsInUrl(["java bean", "computer science books"], Analyzer("en")).holds(url) == is_relevant
