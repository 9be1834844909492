"""What groups have brought, as it is shown: the pages that are named are those that were counted."""

from __future__ import annotations

import random

import numpy as np
import pytest

from focused_crawler.link_scoring import adaptive
from focused_crawler.link_scoring.adaptive import BY_FOLDER, BY_HOST, BY_PLACE, BY_WORDING, Adaptive
from focused_crawler.page.url import url_key
from tests.link_scoring.test_adaptive import MENU, TOPIC, link, page, visit

HUB, OTHER = "http://hub.example/", "http://other.example/"
END = f"{HUB}patterns"


@pytest.fixture
def scorer() -> Adaptive:
    return Adaptive(TOPIC, adaptive.AdaptiveOptions())


def moved(asked: str, to: str, links=(), relevance=0.5):
    made = page(to, links, relevance)
    made.asked = asked
    return made


def brought(scorer: Adaptive, url: str, kind: str):
    return [(one.pages, one.keys) for one in scorer.outcomes(url) if one.group == kind]


def test_a_redirected_page_is_named_once_of_its_folder(scorer):
    """By where it is; of places and words, by the link that led to it."""
    visit(scorer, page(OTHER, [link(HUB, words=["home"])], 0.9))
    visit(scorer, moved(HUB, END, [link(END, MENU, ["home"]), link(f"{HUB}about", MENU, ["home"])]))
    about = f"{HUB}about"
    assert brought(scorer, about, BY_FOLDER) == [(1, [url_key(END)])]
    assert brought(scorer, about, BY_WORDING) == [(1, [url_key(HUB)])]
    assert brought(scorer, HUB, BY_PLACE) == [(1, [url_key(HUB)])]
    assert brought(scorer, HUB, BY_HOST) == [(1, [url_key(HUB)])]


def test_a_page_is_not_named_of_a_folder_that_another_way_to_write_it_has(scorer):
    """A slash at the end makes a folder and no other page: where links say it otherwise, it is not named."""
    visit(scorer, page(f"{HUB}a/", relevance=0.9))
    visit(scorer, page(OTHER, [link(f"{HUB}a"), link(f"{HUB}a/b")], 0.9))
    visit(scorer, page(f"{HUB}a/b", relevance=0.9))
    assert brought(scorer, f"{HUB}a", BY_FOLDER) == [(0, [])]
    assert brought(scorer, f"{HUB}a/b", BY_FOLDER) == [(2, [url_key(f"{HUB}a/b")])]


def test_what_links_found_too_late_lead_to_is_not_counted_for_their_words(scorer):
    """Nor is it part of the mean: a start page was not followed for words."""
    start, copy = f"{OTHER}a-guide", f"{HUB}a-guide"
    visit(scorer, page(start, [link(copy, words=["guide"])], 0.9))
    visit(scorer, page(copy, [link(start, words=["guide"])], 0.2))
    (words,) = [one for one in scorer.outcomes(start) if one.group == BY_WORDING]
    assert (words.pages, words.keys) == (1, [url_key(copy)])
    assert words.relevance == pytest.approx(0.2)
    assert brought(scorer, start, BY_PLACE) == [(1, [url_key(start)])]  # places count what is found late


@pytest.mark.parametrize("seed", range(12))
def test_as_many_pages_are_named_as_were_counted(seed, scorer, monkeypatch):
    """Whatever redirects, start pages, failures, late links and several places of a URL there are."""
    monkeypatch.setattr(adaptive, "MOST_SHOWN", 1_000)
    chance = random.Random(seed)
    urls = [f"http://h{n % 3}.example/{'ab'[n % 2]}{'/' * (n % 5 > 1)}{n}" for n in range(40)]
    left, named = [url_key(url) for url in urls], 0
    for _ in range(60):
        links = [
            link(chance.choice(urls), chance.randrange(1, 4), chance.choice([[], ["robot"], ["cake"]]))
            for _ in range(chance.randrange(8))
        ]
        asked, end = chance.choice(urls), chance.choice(urls)
        if url_key(asked) not in left or url_key(end) not in left:
            continue
        left = [key for key in left if key not in (url_key(asked), url_key(end))]
        end = end if chance.random() < 0.4 else asked
        if chance.random() < 0.1:
            scorer.give_up(url_key(asked))
            continue
        visit(scorer, moved(asked, end, links, chance.random()))
        for url in urls:
            for one in scorer.outcomes(url):
                assert (one.pages, len(set(one.keys))) == (len(one.keys), one.pages), (one, url)
                rows = scorer.seen.find(np.array(one.keys, np.int64))
                mean = scorer.seen["priority"][rows].mean() if one.keys else 0.0
                assert one.relevance == pytest.approx(mean, abs=1e-5)
                named += one.pages
    assert named


def test_words_do_not_count_where_a_way_through_a_directory_does(scorer):
    """Its priority has no such term: what they brought is shown, and not by how much they move it."""
    ways = [link(f"http://list.example/{number}", words=["cake"]) for number in range(20)]
    visit(scorer, page("http://list.example/", ways, relevance=0.0, depth=0))
    visit(scorer, page(ways[19].url, relevance=0.0))
    for way, name in ((ways[0], "way_through_a_directory"), (ways[18], "wording")):
        assert name in scorer.parts_of(url_key(way.url)).values
        (words,) = [one for one in scorer.outcomes(way.url) if one.group == BY_WORDING]
        assert (words.pages, words.relevance) == (1, 0.0)
        assert (words.more is None) == (name != "wording")


def test_the_memory_of_an_earlier_version_is_taken_up(scorer):
    """It does not say of which groups a page was counted: of all that it belongs to."""
    visit(scorer, page(HUB, [link(f"{HUB}a/b", words=["robot"])], 0.9))
    visit(scorer, page(f"{HUB}a/b", relevance=0.7))
    arrays = scorer._content()
    del arrays["seen_counted"]
    before = scorer.outcomes(f"{HUB}a/b")
    assert [one.pages for one in before] == [1] * 4
    other = Adaptive(TOPIC, adaptive.AdaptiveOptions())
    other._load(arrays)
    assert other.outcomes(f"{HUB}a/b") == before
