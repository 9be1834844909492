from __future__ import annotations

import time

import pytest

from focused_crawler.crawl.judged import Interval, JudgeEstimate
from focused_crawler.crawl.steering.advice import in_words
from focused_crawler.crawl.steering.estimate import EDGES, band_of, estimate
from focused_crawler.crawl.steering.inputs import advised_marks, read_facts, read_tallies, watch
from focused_crawler.crawl.steering.monitor import FrontierFacts, Monitor, Seen
from focused_crawler.frontier.base import Candidate
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore

FELL = [True] * 200 + [False] * 400


def record(store: PageStore, gains: list[bool]) -> None:
    """Record pages, and an alarm where a monitor beside them raises it."""
    monitor = Monitor()
    for number, gain in enumerate(gains):
        relevance = 0.9 if gain else 0.1
        page = PageItem(
            url=f"http://a.example/{number}", fetched_at=float(number), relevance=relevance, is_relevant=gain
        )
        store.record_page(page)
        monitor.record(Seen(relevance, gain, "a.example"))
        if monitor.due():
            monitor.alarm(FrontierFacts(100))
            store.record_decision("alarm", "diffusion")
    store.commit()


def test_a_new_crawl_has_a_new_monitor(database):
    """Nothing recorded: nothing known."""
    assert watch(database, 0.5).pages == 0


def test_a_resumed_crawl_does_not_tell_again(database):
    """Pages and alarms of the runs before are read back: the same fall is told once."""
    record(PageStore(database), FELL)
    monitor = watch(database, 0.5)
    assert (monitor.pages, monitor.relevant) == (600, 200)
    assert not monitor.due()


def test_an_alarm_that_was_lost_is_told(database):
    """Killed between page and alarm: it is due as soon as the crawl goes on."""
    record(PageStore(database), FELL)
    database.execute("DELETE FROM decisions")
    assert watch(database, 0.5).due()


def test_copies_are_no_gain(database):
    """A crawl that finds the same relevant page again and again stagnates."""
    store = PageStore(database)
    for number in range(20):
        copy = {"duplicate_of": "http://a.example/0"} if number else {}
        page = PageItem(
            url=f"http://a.example/{number}", fetched_at=0.0, relevance=0.9, is_relevant=True, **copy
        )
        store.record_page(page)
    assert watch(database, 0.5).relevant == 1


def test_without_a_taxonomy_there_is_no_mark_to_advise(tmp_path):
    """Nor an error: most crawls have none."""
    assert advised_marks(tmp_path, None) == ()


FETCHED = [
    ("http://a.example/1", 0.9, True),
    ("http://a.example/2", 0.8, False),
    ("http://b.example/1", 0.6, True),
]
LEFT = [("http://a.example/3", 0.9), ("http://a.example/4", 0.9), ("http://c.example/1", 0.1)]


@pytest.fixture
def crawled(database):
    """Three pages, one behind a redirect and one a copy; a failure; three URLs left, one unfollowed."""
    frontier, store = SqlFrontier(database), PageStore(database)
    frontier.add([Candidate(url, score) for url, score, _ in FETCHED])
    frontier.add([Candidate("http://b.example/gone", 0.7)])
    for number, (url, _, is_relevant) in enumerate(FETCHED):
        final = "http://a.example/found" if number == 0 else url
        copy = {"duplicate_of": "http://a.example/found"} if number == 2 else {}
        store.record_page(
            PageItem(
                url=final,
                requested_url=url,
                fetched_at=time.time(),
                relevance=0.5,
                is_relevant=is_relevant,
                **copy,
            )
        )
        frontier.take(1, time.time())
    for url, _, _ in FETCHED:
        frontier.done(url, "http://a.example/found" if url == FETCHED[0][0] else None)
    frontier.take(1, time.time())
    frontier.failed("http://b.example/gone", None)
    store.record_failure("http://b.example/gone", "http_404")
    frontier.add([Candidate(url, score) for url, score in LEFT])
    store.record_links("http://a.example/found", [("http://d.example/", "no", 0, None)])
    store.commit()
    return database


def test_urls_are_counted_by_host_and_score(crawled):
    """Asked for, gave a relevant page that is no copy, waits; a redirect counts where it began."""
    tallies = read_tallies(crawled)
    assert sum(tally.tried for tally in tallies) == 4
    assert sum(tally.relevant for tally in tallies) == 1
    assert sum(tally.pending for tally in tallies) == 3
    (found,) = [tally for tally in tallies if tally.relevant]
    assert (found.band, found.pending) == (band_of(0.9), 2)


def test_what_is_to_be_revisited_is_not_left_to_find(crawled):
    """It waits as other URLs do, and its page is known."""
    before = sum(tally.pending for tally in read_tallies(crawled))
    SqlFrontier(crawled).again([Candidate("http://a.example/found", 1.0)])
    crawled.execute("INSERT INTO revisits (page, visited_at, outcome) VALUES (2, 1.0, 'unchanged')")
    assert crawled.rows("SELECT count(*) FROM urls WHERE state = 1") == [(before + 1,)]
    assert sum(tally.pending for tally in read_tallies(crawled)) == before


def test_the_later_half_is_a_part(crawled):
    """Pages and failures since the middle page; never more of them than of all."""
    tallies = read_tallies(crawled)
    assert sum(tally.late_tried for tally in tallies) == 3
    assert all(tally.late_tried <= tally.tried and tally.late_relevant <= tally.relevant for tally in tallies)


def test_facts_of_the_frontier(crawled):
    """How much is left and where, what the strategy left out, and what may be expected."""
    facts = read_facts(crawled, None)
    assert (facts.pending, facts.hosts, facts.dropped) == (3, 2, 0)
    assert facts.not_followed == 1
    assert facts.estimate is not None
    assert 0 < facts.estimate.middle < 3
    assert facts.left == ""


def test_what_is_known_of_the_judge_counts(crawled):
    """The crawl calls one page relevant; a hundred are, say: then a hundred times as many are left."""
    half, relevant = Interval(0.5, 0.0, 1.0), Interval(100.0, 100.0, 100.0)
    known = JudgeEstimate(relevant, half, half, half, "labels", 4, 0)
    expected, facts = estimate(read_tallies(crawled), relevant), read_facts(crawled, known)
    assert (facts.estimate, facts.left) == (estimate(read_tallies(crawled)), in_words(expected, 100.0))
    assert expected.middle == pytest.approx(100 * facts.estimate.middle)


def test_a_crawl_without_pages(database):
    """Nothing is known, and nothing breaks."""
    facts = read_facts(database, None)
    assert (facts.pending, facts.estimate) == (0, None)


def test_the_database_bands_as_python_does(database):
    """Scores at the edges of all bands fall into the same one."""
    scores = sorted({0.0, 1.0, *EDGES, *(edge - 1e-9 for edge in EDGES)})
    frontier = SqlFrontier(database)
    frontier.add([Candidate(f"http://h{number}.example/", score) for number, score in enumerate(scores)])
    frontier.close()
    database.commit()
    counted: dict[int, int] = {}
    for tally in read_tallies(database):
        counted[tally.band] = counted.get(tally.band, 0) + tally.pending
    expected: dict[int, int] = {}
    for score in scores:
        expected[band_of(score)] = expected.get(band_of(score), 0) + 1
    assert counted == expected
