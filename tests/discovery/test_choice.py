"""Results of many searches become few start pages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.discovery.choice import SMOOTHING, ChoiceRules, choose
from focused_crawler.discovery.harvest import SearchAnswer
from focused_crawler.discovery.search.base import SearchResult
from focused_crawler.page.url import normalise, url_key
from focused_crawler.topic.scope import Scope
from tests.discovery.shelf import answer

A, B, C, D = (f"https://{name}.example/" for name in "abcd")


def always(result):
    return 1.0


def urls(choice):
    return [seed.url for seed in choice.seeds]


def test_what_many_searches_find_comes_first():
    """Reciprocal ranks by hand: B is third and first, A first, C second."""
    answers = [answer("one", A, C, B), answer("two", B)]
    found = choose(answers, always, ChoiceRules(9), 9)
    assert urls(found) == [B, A, C]
    best = 1 / (SMOOTHING + 3) + 1 / (SMOOTHING + 1)
    second, third = 1 / (SMOOTHING + 1) / best, 1 / (SMOOTHING + 2) / best
    assert [seed.score for seed in found.seeds] == pytest.approx([1.0, second**1.5, third**1.5])
    assert found.seeds[0].queries == ("one", "two")


def test_spellings_of_one_page_are_one():
    """The one that ranked highest gives title and snippet."""
    answers = [answer("one", C, "http://www.a.example"), answer("two", "https://a.example/#top")]
    found = choose(answers, always, ChoiceRules(9), 9)
    assert urls(found) == [A, C]
    assert found.seeds[0].title == "title of https://a.example/#top"
    assert found.found == 2


def test_a_search_that_names_a_page_twice_counts_once():
    """An engine cannot vote twice."""
    found = choose([answer("one", A, A, A), answer("two", B)], always, ChoiceRules(9), 9)
    assert [seed.score for seed in found.seeds] == [1.0, 1.0]


def test_what_looks_better_comes_first():
    """Of pages of the same rank."""
    looks = {A: 0.5, B: 0.9, C: 0.09, D: 0.1}
    answers = [answer(url, url) for url in (A, B, C, D)]
    found = choose(answers, lambda result: looks[result.url], ChoiceRules(9), 9)
    assert urls(found) == [B, A]
    assert found.left_out == {"with hardly a word of the topic": 1, "far behind the best": 1}


def test_a_site_with_many_pages_is_about_the_topic():
    """Of pages that are found alike, those come first whose site has more of them."""
    answers = [answer("one", A, f"{B}1"), answer("two", C, f"{B}2"), answer("three", D, f"{B}3")]
    found = choose(answers, always, ChoiceRules(9), 9)
    assert urls(found) == [f"{B}1", f"{B}2", f"{B}3", A, C, D]
    ratio = (SMOOTHING + 2) / (SMOOTHING + 1)
    assert [seed.score for seed in found.seeds[2:4]] == pytest.approx([1 / ratio, (ratio / 3) ** 0.5])


def test_a_site_has_so_many_start_pages():
    """A large site would take all; how many more it has is told."""
    answers = [answer("one", A, f"{A}2", f"{A}3", "https://www.a.example/4", B)]
    found = choose(answers, always, ChoiceRules(2), 9)
    assert urls(found) == [A, f"{A}2", B]
    assert found.left_out == {"more of a site that has enough": 2}


def test_what_need_not_be_found_is_left_out():
    """Each for a reason, and for one only."""
    rules = ChoiceRules(9, {url_key(A)}, {"b.example"}, {url_key(C)}, Scope(words=("forum",)).outside)
    below = "https://shop.b.example/"
    answers = [answer("one", A, B, below, C, "https://d.example/forum", "https://d.example/")]
    found = choose(answers, always, rules, 9)
    assert urls(found) == ["https://d.example/"]
    assert found.left_out == {
        "known already": 1,
        "banned by the topic's lists": 3,
        "outside the topic's scope": 1,
    }


def test_no_more_than_wanted():
    """What is beyond is no reason to tell."""
    found = choose([answer("one", A, B, C)], always, ChoiceRules(9), 2)
    assert (urls(found), found.found, found.left_out) == ([A, B], 3, {})


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "ftp://a.example/", "https://user:key@a.example/", "", "\x00", "\ud800"]
)
def test_what_no_crawl_can_fetch_is_no_result(url):
    """A provider may answer anything."""
    assert choose([answer("one", url)], always, ChoiceRules(9), 9).found == 0


ANSWERS = st.lists(
    st.builds(
        SearchAnswer,
        st.text("abc", min_size=1, max_size=2),
        st.lists(
            st.builds(SearchResult, st.sampled_from([A, B, C, f"{A}2", f"{B}2", "x:y", "http://a.example"])),
            max_size=6,
        ).map(tuple),
    ),
    max_size=8,
)


@settings(deadline=None, max_examples=80)
@given(ANSWERS, st.integers(1, 3), st.integers(1, 5), st.randoms())
def test_order_of_searches_makes_no_difference(answers, per_site, n, random):
    """The same answers give the same start pages, each once, no site more than it may have."""
    found = choose(answers, always, ChoiceRules(per_site), n)
    shuffled = list(answers)
    random.shuffle(shuffled)
    assert urls(choose(shuffled, always, ChoiceRules(per_site), n)) == urls(found)
    assert len({url_key(url) for url in urls(found)}) == len(found.seeds) <= n
    sites = [seed.site for seed in found.seeds]
    assert all(sites.count(site) <= per_site for site in sites)
    assert all(0 < seed.score <= 1 and normalise(seed.url) == seed.url for seed in found.seeds)
