"""Pages of a crawl that a person should label."""

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.suggestions import CandidatePage, suggest

CRAWL = st.lists(
    st.builds(
        CandidatePage,
        url=st.integers(0, 999).map("https://a.example/{}".format),
        title=st.sampled_from(["", "One page", "Another story", "Bread and butter"]),
        host=st.sampled_from(["a.example", "b.example", "c.example"]),
        relevance=st.floats(0, 1),
    ),
    unique_by=lambda page: page.url,
)


def page(number, relevance, host="a.example", title=""):
    return CandidatePage(f"https://{host}/{number}", title or f"title{number}", host, relevance)


@given(CRAWL, st.floats(0.05, 0.95), st.integers(1, 10), st.randoms())
def test_the_order_of_pages_does_not_matter(pages, threshold, count, rng):
    """Distinct pages of the crawl, no more than wanted, always the same for the same crawl."""
    chosen = suggest(pages, threshold, count)
    assert len(set(chosen)) == len(chosen) <= count
    assert set(chosen) <= set(pages)
    assert suggest(rng.sample(pages, len(pages)), threshold, count) == chosen


def test_uncertain_pages_are_asked_for_rather_than_sure_ones():
    """Of as many at the threshold as far from it, most are those at it."""
    pages = [page(number, 0.5 if number % 2 else 0.001) for number in range(400)]
    chosen = suggest(pages, 0.5, 40)
    assert sum(one.relevance == 0.5 for one in chosen) > 34


def test_the_threshold_says_what_is_uncertain():
    """Where pages are relevant from 0.9 on, one of 0.9 is less certain than one of 0.5."""
    pages = [page(number, 0.9 if number % 2 else 0.02) for number in range(400)]
    assert sum(one.relevance == 0.9 for one in suggest(pages, 0.9, 40)) > 30


def test_hosts_have_their_share():
    """A host with twice the uncertain pages is asked for more, not for twice as many; a sure one for none."""
    pages = [page(number, 0.5, "large.example") for number in range(200)]
    pages += [page(number, 0.5, "small.example") for number in range(100)]
    pages += [page(number, 0.0, "sure.example") for number in range(500)]
    assert Counter(one.host for one in suggest(pages, 0.5, 30)) == {"large.example": 19, "small.example": 11}


def test_a_host_of_which_pages_are_labelled_waits_for_the_others():
    """What was asked for before counts as if it were asked for now, whatever the hosts' order."""
    pages = [page(number, 0.5, host) for host in ("a.example", "b.example") for number in range(50)]
    assert Counter(one.host for one in suggest(pages, 0.5, 10)) == {"a.example": 5, "b.example": 5}
    for known, other in (("a.example", "b.example"), ("b.example", "a.example")):
        chosen = suggest(pages, 0.5, 10, labelled=[known] * 6)
        assert Counter(one.host for one in chosen) == {other: 8, known: 2}
        assert {one.host for one in suggest(pages, 0.5, 6, labelled=[known] * 6)} == {other}


def test_near_copies_are_asked_for_once():
    """Titles that share most words are those of pages of one mould."""
    pages = [page(number, 0.5, title=f"Weather in Oslo, day {number}") for number in range(50)]
    pages += [page(1, 0.5, "b.example", title="A storm is coming")]
    assert len(suggest(pages, 0.5, 10)) == 2


def test_the_most_uncertain_come_first():
    """Who labels only the first few labels the best."""
    rng = random.Random(1)
    chosen = suggest([page(number, rng.random()) for number in range(200)], 0.5, 20)
    distances = [abs(one.relevance - 0.5) for one in chosen]
    assert distances == sorted(distances)
