"""A strategy that changes its mind about a link when another page holds it, through whole crawls."""

from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path

import pytest

from tests.crawls import faults
from tests.crawls.bees import PAGES, Bees
from tests.crawls.faults import DIES_AT
from tests.crawls.garden import ARTICLES, HUB, Garden, Text
from tests.project import Done, Job, Scrapy

STRATEGY = "mean_of_parents"
BUDGET = 30
FAULTS = faults.__name__

# What a link's priority has to be by the links of recorded pages alone: a page counts once, by its best link.
MEANS = """
SELECT urls.url, avg(best.score), count(*) FROM (
    SELECT links.source, links.target, max(links.score) AS score
    FROM links JOIN urls AS s ON s.id = links.source JOIN pages ON pages.key = s.key
    GROUP BY links.source, links.target
) AS best JOIN urls ON urls.id = best.target WHERE urls.state = 1 GROUP BY urls.url
"""
PENDING = "SELECT url, priority FROM urls WHERE state = 1"
COUNTED = "SELECT url, held_total / holders, holders FROM urls WHERE state = 1"
# What a page holds that was not recorded, and is still to be fetched again.
LOST = """
SELECT t.url FROM links JOIN urls AS s ON s.id = source JOIN urls AS t ON t.id = target
WHERE NOT EXISTS (SELECT 1 FROM pages WHERE pages.key = s.key)
"""
MANY = "SELECT count(*) FROM urls WHERE state = 1 AND holders > 1"


def words(bees: Bees, *settings: str, **arguments: object) -> list[str]:
    return bees.words("FOCUSED_LISTS=off", *settings, strategy=STRATEGY, job="1", **arguments)


def is_mean(done: Done, job: Job, least: int = 1) -> bool:
    """Tell whether all that is pending has the mean of the pages that hold it, so many links several."""
    assert (done.code, "Traceback" in done.err) == (0, False), done.err
    means = {url: mean for url, mean, _ in job.rows(MEANS)}
    ((many,),) = job.rows(MANY)
    assert many >= least
    return dict(job.rows(PENDING)) == pytest.approx(means)


@pytest.mark.parametrize("frontier", ["sqlite", "memory"])
def test_every_pending_link_has_its_mean(frontier: str, bees: Bees, scrapy: Scrapy) -> None:
    """By all pages that were recorded, some of which are about the topic and some not."""
    done = scrapy.run(*words(bees, f"FOCUSED_FRONTIER={frontier}", pages=BUDGET))
    assert done.code == 0, done.err
    assert len(bees.job().pages) == BUDGET
    if frontier == "sqlite":
        assert is_mean(done, bees.job())


@pytest.mark.slow
def test_a_crawl_that_goes_on_goes_on_the_same(bees: Bees, scrapy: Scrapy) -> None:
    """One page at a time: the pages of two runs are those of one, in their order."""
    one = ("CONCURRENT_REQUESTS=1", "FOCUSED_LISTS=off")
    whole = scrapy.run(*bees.words(*one, strategy=STRATEGY, job="whole", pages=BUDGET))
    for pages in (BUDGET // 2, BUDGET):
        done = scrapy.run(*words(bees, *one, pages=pages))
    assert whole.code == 0
    assert is_mean(done, bees.job(), least=0)  # those that several pages hold may all have been fetched
    ((several,),) = bees.job().rows("SELECT count(*) FROM urls WHERE holders > 1")
    assert several >= 3
    assert bees.job().pages == bees.job("whole").pages


@pytest.mark.slow
@pytest.mark.parametrize("number", [21, 37])
def test_a_killed_crawl_counts_no_page_twice(number: int, bees: Bees, scrapy: Scrapy) -> None:
    """A page whose links alone were safe is fetched again, and they count once, and on what was out as well.

    What was out, and has to be fetched again, keeps the priority that it was taken by.
    """
    command = words(bees, pages=BUDGET + 10)
    died = scrapy.run(*command, before=f"{FAULTS}.dies_with_links", environ={DIES_AT: str(number)})
    assert died.code == -signal.SIGKILL
    assert 0 < len(bees.job().pages) < BUDGET + 10 < PAGES
    out = {url for (url,) in bees.job().rows("SELECT url FROM urls WHERE state = 3")}
    done = scrapy.run(*command)
    assert (done.code, "Traceback" in done.err) == (0, False), done.err
    lost = {url for (url,) in bees.job().rows(LOST)}
    means = {url: (mean, pages) for url, mean, pages in bees.job().rows(MEANS) if url not in lost}
    counted = {url: (mean, pages) for url, mean, pages in bees.job().rows(COUNTED) if url not in lost}
    assert counted == {url: (pytest.approx(mean), pages) for url, (mean, pages) in means.items()}
    waiting = {url: priority for url, priority in bees.job().rows(PENDING) if url not in lost | out}
    assert waiting == pytest.approx({url: mean for url, (mean, _) in means.items() if url not in out})
    assert len(waiting) > 10


@pytest.mark.slow
def test_a_page_that_is_visited_again_counts_once(tmp_path: Path, scrapy: Scrapy) -> None:
    """Its links keep their means, though the queue hears of them, with the page's own scores, once more."""
    garden = Garden.planted(tmp_path)
    leaves = [f"http://leaves.example/{number}" for number in range(400)]
    subjects = ("Bees keep honey in the hive", "Bees and cars", "Cars drive on the road")
    articles = {
        url: Text(url, [leaves[(10 * n + k) % 400] for k in range(40)], subject=subjects[n % 3])
        for n, url in enumerate(ARTICLES)
    }
    state = {HUB: Text(HUB, ARTICLES), **articles, **{url: Text(url) for url in leaves}}
    garden.become(state)
    words = {"strategy": STRATEGY, "job": "1", "pages": 1 + len(ARTICLES)}
    steady = "FOCUSED_CLASSIFIER=thesaurus"  # what changes on a page does not touch its relevance
    assert is_mean(scrapy.run(*garden.words(steady, **words)), garden.job("1"), least=10)
    garden.become({url: replace(text, version=2) for url, text in state.items()})
    more = {**words, "pages": 1 + len(ARTICLES) + 20}
    done = scrapy.run(*garden.words(steady, "FOCUSED_REVISIT_SHARE=0.5", **more))
    outcomes = dict(garden.job("1").rows("SELECT outcome, count(*) FROM revisits GROUP BY outcome"))
    assert outcomes["changed"] >= 5
    assert is_mean(done, garden.job("1"), least=10)
