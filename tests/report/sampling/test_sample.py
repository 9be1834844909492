from __future__ import annotations

from collections import Counter

import pytest

from focused_crawler.report.sampling.sample import draw, read_population


@pytest.mark.parametrize("by", [None, "relevance", "host"])
def test_the_same_seed_draws_the_same(crawl, by):
    """And another one another sample."""
    population = read_population(crawl)
    first = draw(crawl, population, 30, by=by, seed=1)
    assert draw(crawl, population, 30, by=by, seed=1) == first
    assert draw(crawl, population, 30, by=by, seed=2) != first


@pytest.mark.parametrize("by", [None, "relevance", "host"])
def test_pages_are_drawn_once_and_are_what_they_were(crawl, by):
    """With what the crawl thought of them; none that it calls irrelevant."""
    sample = draw(crawl, read_population(crawl), 30, by=by)
    assert [page.number for page in sample.pages] == list(range(1, 31))
    assert len({page.position for page in sample.pages}) == 30
    assert all(page.is_relevant and page.title == f"Page {page.position - 1}" for page in sample.pages)


def test_a_stratum_gets_its_share(crawl):
    """And says so on each of its pages; together they stand for all."""
    sample = draw(crawl, read_population(crawl), 30, by="host")
    assert Counter(page.part for page in sample.pages) == {part: part.drawn for part in sample.parts}
    assert sorted((part.meaning, part.drawn, part.pages) for part in sample.parts) == [
        ("a.org", 20, 66),
        ("other hosts", 10, 34),
    ]
    assert sample.population == 100


def test_names_and_places_of_strata_tell_nothing(crawl):
    """A judge who sees stratum 1 first cannot know that it has the best scores."""
    population = read_population(crawl)
    samples = [draw(crawl, population, 25, by="relevance", seed=seed) for seed in range(20)]
    best = [max(sample.parts, key=lambda part: part.meaning).name for sample in samples]
    assert len(set(best)) > 2
    assert len({sample.pages[0].part.meaning for sample in samples}) > 2


def test_each_page_is_as_likely_as_any_other(crawl):
    """Over many seeds: no page is left out, none is drawn twice as often as it should be."""
    population = read_population(crawl)
    drawn: Counter[int] = Counter()
    for seed in range(200):
        drawn.update(page.position for page in draw(crawl, population, 25, by="relevance", seed=seed).pages)
    assert set(drawn) == set(population.positions)
    assert max(drawn.values()) < 100  # 50 is expected, 6 its standard deviation


def test_more_than_there_is_are_all(crawl):
    """Every page, once."""
    sample = draw(crawl, read_population(crawl, has_all=True), 1000)
    assert sorted(page.position for page in sample.pages) == list(range(1, 151))
    assert [(part.drawn, part.pages) for part in sample.parts] == [(150, 150)]
