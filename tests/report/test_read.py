from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parsel import Selector

from focused_crawler.report.page import render
from focused_crawler.report.read import read_summary
from focused_crawler.report.summary import HostRow
from focused_crawler.report.terminal.crawl import remarks
from focused_crawler.report.words import ESTIMATE_NOTE
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RUNNING, read_run, write_run


@settings(
    max_examples=15,
    deadline=None,
)
@given(st.lists(st.booleans(), min_size=1, max_size=250))
def test_figures_are_those_of_the_recorded_pages(make_crawl, new_page, tmp_path_factory, outcomes):
    """Whatever was recorded, the report counts it in the order of fetching."""
    maker = make_crawl._replace(root=tmp_path_factory.mktemp("crawls"))
    crawl = read_summary(maker([new_page(n, relevant=relevant) for n, relevant in enumerate(outcomes)]))
    assert (crawl.pages, crawl.relevant) == (len(outcomes), sum(outcomes))
    assert crawl.harvest_rate == sum(outcomes) / len(outcomes)
    assert crawl.harvest_rate_100 == sum(outcomes[-100:]) / len(outcomes[-100:])
    assert [value > 0.5 for value in crawl.relevances] == outcomes
    assert crawl.harvest_curve.values[-1] == pytest.approx(crawl.harvest_rate)


def test_ground_truth_judges_where_it_is_known(make_crawl, new_page):
    """With targets known, rate, recall and hosts count targets and not what the classifier thought."""
    pages = [new_page(n, relevant=True, is_target=n < 3) for n in range(10)]
    crawl = read_summary(make_crawl(pages, judged_by="ground truth", targets=12))
    assert crawl.harvest_rate == 0.3
    assert crawl.target_recall == 0.25
    assert crawl.recall_curve.values[-1] == 0.25
    assert crawl.targets_left == 9
    assert sum(host.relevant for host in crawl.hosts) == 3


def test_what_ground_truth_does_not_say_has_its_own_judge(make_crawl, new_page):
    """Relevances, alarms, hubs and hosts by authority are the crawl's own: both judges are named."""
    pages = [new_page(n, relevant=True, is_target=n < 3) for n in range(10)]
    judges = {"judged_by": "ground truth", "judge": "keywords:12345678", "targets": 12}
    crawl = read_summary(make_crawl(pages, **judges))
    assert (crawl.relevance_by, crawl.watched_by) == ("keywords:12345678", "keywords:12345678")
    shown = " ".join(Selector(render(crawl)).css("main ::text").getall())
    assert "Relevance is by keywords:12345678, yes and no are by ground truth; copies are left out." in shown
    assert (
        "A dot is a page, the line the mean of the last 1 page. Relevance is by keywords:12345678." in shown
    )
    assert "Alarms, hubs and authorities are judged by keywords:12345678 (" in shown


@pytest.mark.parametrize("judge", ["vsm:12345678", "rules:12345678", "taxonomy:12345678", "model:12345678"])
def test_of_a_judge_that_nothing_is_known_of_nobody_can_say(make_crawl, new_page, judge):
    """The report says so, and which labels would tell; chance alone is no interval of it."""
    folder = make_crawl([new_page(n, relevant=n < 4) for n in range(8)], judge=judge, judged_by=judge)
    crawl = read_summary(folder)
    command = f"scrapy label asthma --crawl {folder} --queue random --number 8"
    said = f"Nobody can say how many of these 8 pages are relevant: nothing is known of how right {judge} is."
    assert f"{said} Label pages at random: {command}" in remarks(crawl)
    shown = " ".join(Selector(render(crawl)).css(".lead .note ::text").getall())
    assert command in shown
    assert "Chance moves" not in shown


@pytest.mark.parametrize("left", [[], [("http://a.example/1", 0.9), ("http://b.example/", 0.9)]])
def test_what_is_left_is_no_estimate_where_the_ground_truth_is_known(make_crawl, new_page, left):
    """Whatever waits: recall, pages found and pages left add up."""
    pages = [new_page(n, relevant=True, is_target=n < 3) for n in range(10)]
    crawl = read_summary(make_crawl(pages, left=left, judged_by="ground truth", targets=12))
    said = "Left to find: 9 of 12 relevant pages, by the ground truth."
    assert said in remarks(crawl)
    shown = render(crawl)
    assert said in shown
    assert ESTIMATE_NOTE not in shown


def test_without_ground_truth_the_classifier_judges(make_crawl, new_page):
    """No targets: no recall, and the report says who judged."""
    crawl = read_summary(make_crawl([new_page(n, relevant=n < 4) for n in range(8)]))
    assert (crawl.target_recall, crawl.recall_curve) == (None, None)
    assert (crawl.judged_by, crawl.relevance_by, crawl.watched_by) == ("model", "", "")
    assert crawl.hosts[0] == HostRow("site0.example", 3, 2)
    assert crawl.host_count == 3


def test_what_is_left_is_counted_by_score(make_crawl, new_page):
    """Each URL left lies in one band of a tenth; 1.0 lies in the last."""
    left = [("http://a.example/1", 0.05), ("http://a.example/2", 0.95), ("http://a.example/3", 1.0)]
    left += [("http://a.example/4", 0.49), ("http://a.example/5", 0.5)]
    crawl = read_summary(make_crawl([new_page(0, relevant=True)], left=left))
    assert [band.urls for band in crawl.bands] == [1, 0, 0, 0, 1, 1, 0, 0, 0, 2]
    assert (crawl.pending, crawl.promising) == (5, 3)
    assert crawl.stopped == "It reached its budget of pages."


def test_finished_is_not_said_of_a_full_frontier(make_crawl):
    """Scrapy's "finished" with URLs left is told as what it is."""
    crawl = read_summary(make_crawl(left=[("http://a.example/", 0.5)], reason="finished"))
    assert crawl.stopped == "It ended although 1 URL was left to fetch."
    assert crawl.pages == 0


def test_a_frontier_in_memory_leaves_unknown_rests(make_crawl):
    """Nothing in the database does not mean that nothing was left."""
    crawl = read_summary(make_crawl(frontier="memory"))
    assert crawl.bands is None


def test_a_frontier_elsewhere_was_counted_at_the_end(make_crawl):
    """By score, in as many bands as `run.json` has, the lowest first."""
    folder = make_crawl(frontier="memory")
    run = read_run(folder)
    run.left = [4, 0, 1, 2]
    write_run(folder, run)
    bands = read_summary(folder).bands
    assert [(band.low, band.high, band.urls) for band in bands] == [
        (0, 0.25, 4),
        (0.25, 0.5, 0),
        (0.5, 0.75, 1),
        (0.75, 1, 2),
    ]


def test_a_killed_crawl_can_be_read(make_crawl, new_page):
    """Its time runs to its last page, and the report says that it was killed."""
    pages = [new_page(n, relevant=True, fetched_at=time.time() + 6000) for n in range(2)]
    crawl = read_summary(make_crawl(pages, ended=False, state=RUNNING, reason=""))
    assert crawl.seconds == pytest.approx(6000, abs=600)  # less what lay between the two looks at the clock
    assert crawl.stopped == "It was killed; the same command goes on from here."


def test_a_crawl_under_way_is_not_a_killed_one(make_crawl, new_page):
    """Somebody has its database open for writing."""
    folder = make_crawl([new_page(0, relevant=True)], ended=False, state=RUNNING, reason="")
    with CrawlDatabase(folder / "crawl.db"):
        assert read_summary(folder).stopped == "It is still running."


def test_a_killed_run_that_revisited_lasted_until_its_last_revisit(make_crawl, new_page):
    """It may have recorded no page at all."""
    folder = make_crawl([new_page(0, relevant=True)], ended=False, state=RUNNING, reason="")
    with CrawlDatabase(folder / "crawl.db") as database:
        values = (time.time() + 6000, "unchanged")
        database.execute("INSERT INTO revisits (page, visited_at, outcome, run) VALUES (1, ?, ?, 1)", values)
        database.commit()
    assert read_summary(folder).seconds == pytest.approx(6000, abs=600)


def test_best_pages_leave_out_copies(make_crawl, new_page):
    """The same text is shown once; the most relevant page is first."""
    pages = [
        new_page(0, relevant=False),
        new_page(1, relevant=True, relevance=0.99),
        new_page(2, relevant=True, relevance=0.99, duplicate_of="http://site1.example/1"),
    ]
    crawl = read_summary(make_crawl(pages, failures=[("http://x.example/", "robots")]))
    assert [row.title for row in crawl.best_pages] == ["Page 1", "Page 0"]
    assert crawl.errors == {"robots": 1}


def test_settings_without_a_value_are_left_out(make_crawl):
    """Lists and numbers are shown as a user would type them."""
    crawl = read_summary(make_crawl(settings={"A": 5, "B": "", "C": None, "D": ["x"], "E": False}))
    assert crawl.settings == {"A": "5", "D": '["x"]', "E": "false"}


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "no run.json"), ("{", "run.json cannot be read"), ('{"topic": 1}', "run.json cannot be read")],
)
def test_a_folder_that_is_no_crawl_is_named(tmp_path, content, message):
    """One line says which folder or file, and what is wrong."""
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    with pytest.raises(CrawlError, match=message) as caught:
        read_summary(tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_database_is_named(make_crawl):
    """run.json alone is no crawl."""
    folder = make_crawl()
    (folder / "crawl.db").unlink()
    with pytest.raises(CrawlError, match=r"crawl\.db does not exist"):
        read_summary(folder)


def test_time_of_several_at_work(make_crawl):
    """Workers of a fleet are at it at a time, which counts once."""
    folder = make_crawl()
    with CrawlDatabase(folder / "crawl.db") as database:
        database.execute("DELETE FROM runs")
        for started, ended in ((100.0, 130.0), (110.0, 120.0), (125.0, 140.0), (200.0, 205.0)):
            database.execute(
                "INSERT INTO runs (started, ended, reason, settings, versions) VALUES (?, ?, '', '{}', '{}')",
                (started, ended),
            )
        database.commit()
    assert read_summary(folder).seconds == 45.0
