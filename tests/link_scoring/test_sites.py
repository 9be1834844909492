"""An order that wants sites: each relevant page of a site makes its further ones worth less."""

from __future__ import annotations

import pytest

from focused_crawler.link_scoring.adaptive import Adaptive, AdaptiveOptions
from focused_crawler.link_scoring.registry import create
from focused_crawler.page.url import url_key
from tests.link_scoring.test_adaptive import HUB, TOPIC, link, page, visit

DISCOUNT = 0.5
FOUND, NEW = "http://www.found.example", "http://new.example"


@pytest.fixture
def scorer() -> Adaptive:
    return order(DISCOUNT)


def order(discount: float) -> Adaptive:
    made = create("adaptive", TOPIC, AdaptiveOptions(site_discount=discount))
    assert isinstance(made, Adaptive)
    return made


def urls(site: str) -> list[str]:
    """Return pages in several folders of a site."""
    return [f"{site}/{folder}/{number}" for folder in "abcd" for number in range(10)]


def crawl(scorer: Adaptive, relevance: float, pages: int) -> None:
    """Fetch a hub that says of both sites the same, and pages of the one."""
    visit(scorer, page(HUB, [link(url) for site in (FOUND, NEW) for url in urls(site)], 0.9))
    for url in urls(FOUND)[:pages]:
        visit(scorer, page(url, relevance=relevance))


def deserved(scorer: Adaptive, url: str) -> float:
    found = scorer.standing(url_key(url))
    assert found is not None
    return found.deserved


def test_a_site_with_relevant_pages_comes_after_a_new_one(scorer: Adaptive) -> None:
    """All that waits of it, in folders of which nothing was fetched, too; without a discount it does not."""
    crawl(scorer, 1.0, 8)
    assert all(deserved(scorer, url) < deserved(scorer, urls(NEW)[0]) for url in urls(FOUND)[8:])
    plain = order(0.0)
    crawl(plain, 1.0, 8)
    assert deserved(plain, urls(FOUND)[8]) > deserved(plain, urls(NEW)[8])


def test_each_further_page_is_worth_less(scorer: Adaptive) -> None:
    """As 1 / (1 + c n), from the first page on and without end."""
    crawl(scorer, 1.0, 0)
    fresh = []
    for url in urls(FOUND)[:38]:
        visit(scorer, page(url, relevance=1.0))
        fresh.append(scorer.parts_of(url_key(urls(FOUND)[39])).values["fresh"])
    assert fresh == pytest.approx([1 / (1 + DISCOUNT * n) for n in range(1, 39)])
    assert deserved(scorer, urls(FOUND)[39]) < 0.5 * deserved(scorer, urls(NEW)[39])


def test_pages_that_are_not_relevant_count_for_nothing(scorer: Adaptive) -> None:
    crawl(scorer, 0.0, 8)
    assert scorer.parts_of(url_key(urls(FOUND)[39])).values["fresh"] == 1.0


def test_a_link_from_a_site_itself_is_of_that_site(scorer: Adaptive) -> None:
    """With www. and without, one site."""
    visit(scorer, page(f"{FOUND}/", [link("http://found.example/e/1")], relevance=1.0))
    values = scorer.parts_of(url_key("http://found.example/e/1")).values
    assert values["fresh"] == pytest.approx(1 / (1 + DISCOUNT))


def test_the_way_through_a_directory_is_worth_what_it_was(scorer: Adaptive) -> None:
    """A directory has no relevant pages, and what it lists is why it is read."""
    plain, start = order(0.0), "http://list.example/"
    listed = [link(f"{start}{number}/") for number in range(4)]
    made = page(start, listed, relevance=0.0, depth=0)
    assert visit(scorer, made) == visit(plain, made)
