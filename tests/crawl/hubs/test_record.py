from __future__ import annotations

import time

import pytest

from focused_crawler.crawl.hubs.record import distill, measure


def table(crawl, sql: str = "SELECT page, hub, authority FROM ratings ORDER BY page") -> list[tuple]:
    return crawl.database.rows(sql)


def test_ratings_are_the_golden_values(golden):
    """Pages with neither score have no row; the scores add up to 1."""
    found = distill(golden.database, rho=0.5)
    rows = table(golden)
    assert rows == found.ratings()
    assert [row[0] for row in rows] == [1, 2, 3, 4]
    assert [row[1] for row in rows] == pytest.approx([0.6100, 0.3900, 0, 0], abs=5e-5)
    assert [row[2] for row in rows] == pytest.approx([0, 0, 0.5754, 0.4246], abs=5e-5)


def test_each_distillation_is_noted(golden):
    """When, of how many pages, by how many links, with which threshold, at what cost."""
    began = time.time()
    spent = [distill(golden.database, rho).seconds for rho in (0.5, 0.7)]
    rows = table(golden, "SELECT distilled_at, pages, links, rho, seconds FROM distillations ORDER BY id")
    assert [row[1:4] for row in rows] == [(5, 3, 0.5), (5, 2, 0.7)]
    assert all(began <= row[0] <= time.time() for row in rows)
    assert [row[4] for row in rows] == spent
    assert all(0 < seconds < 5 for seconds in spent)


def test_ratings_are_those_of_the_last_distillation(golden):
    """What was an authority, and is none any more, has no row."""
    distill(golden.database, rho=0.5)
    distill(golden.database, rho=0.7)
    assert table(golden, "SELECT page FROM ratings WHERE authority > 0") == [(3,)]


def test_nothing_is_kept_before_the_commit(golden, crawl_database):
    """Ratings belong to the transaction of the pages they were made of."""
    golden.store.commit()
    distill(golden.database, rho=0.5)
    golden.database.close()
    with crawl_database.open(read_only=True) as database:
        assert database.rows("SELECT page FROM ratings") == []


def test_measuring_writes_nothing(golden):
    """The same scores, and the table stays as it was."""
    found = measure(golden.database, rho=0.5)
    assert table(golden) == []
    assert found.ratings() == distill(golden.database, rho=0.5).ratings()


def test_best_are_in_the_order_of_their_score(golden):
    """Of a kind, and only those that have such a score; among equals the first recorded one is first."""
    found = measure(golden.database, rho=0.5)
    assert [rated[0] for rated in found.best("hub", 5)] == [1, 2]
    assert [rated[0] for rated in found.best("authority", 1)] == [3]


def test_a_crawl_of_one_site_has_no_ratings(crawl):
    """Links within a site are no votes: a row says that none were found."""
    crawl.page("http://a.org/", links=["http://a.org/x"])
    crawl.page("http://www.a.org/x", links=["http://a.org/"])
    found = distill(crawl.database)
    assert (found.pages, found.links, found.ratings()) == (2, 0, [])
    assert table(crawl, "SELECT pages, links FROM distillations") == [(2, 0)]


def test_an_empty_crawl_can_be_distilled(crawl):
    """There is nothing to rate, and no error."""
    assert distill(crawl.database).ratings() == []
