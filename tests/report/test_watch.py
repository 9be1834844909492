"""A crawl that is read again and again while it goes on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from focused_crawler.report import watch as watch_module
from focused_crawler.report.dots import WINDOW, dots
from focused_crawler.report.read import read_summary
from focused_crawler.report.standing import standing_of
from focused_crawler.report.summary import CrawlSummary
from focused_crawler.report.watch import CrawlWatch
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store import orders
from focused_crawler.store.address import shown
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import STOPPED, RunInfo, run_of, write_run
from focused_crawler.store.opening import crawl_at_once, location_of, open_crawl_database
from focused_crawler.store.pages import PageStore
from focused_crawler.store.rows import read_counters


def record(store: PageStore, number: int, relevance: float) -> None:
    url = f"http://host{number % 3}.example/{number}"
    store.record_page(
        PageItem(url=url, fetched_at=float(number), relevance=relevance, is_relevant=relevance >= 0.5)
    )


@pytest.fixture(params=["sqlite", "postgresql"])
def crawl(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, PageStore]]:
    """The folder of a crawl under way, and what it writes by."""
    address = "" if request.param == "sqlite" else request.getfixturevalue("postgresql").address
    folder = tmp_path / "asthma/1"
    folder.mkdir(parents=True)
    run = RunInfo("asthma", "Asthma", "1", "lpe", "", None, trained=True, database=shown(address))
    with open_crawl_database(folder, address, run) as database:
        write_run(folder, run)
        yield folder, PageStore(database)


def test_only_what_is_new_is_read_again(crawl: tuple[Path, PageStore]) -> None:
    """Pages, hosts, rates and alarms follow the crawl; all by the time they are committed."""
    folder, store = crawl
    for number in range(6):
        record(store, number, number / 5)
    store.record_decision("alarm", "stagnation", detail="Little is left.")
    with CrawlWatch(folder) as watch:
        assert watch.read().standing.pages == 0
        store.commit()
        seen = watch.read()
        assert (seen.standing.pages, seen.standing.relevant, seen.standing.is_running) == (6, 3, True)
        assert [dot.position for dot in watch.dots] == [1, 2, 3, 4, 5, 6]
        assert {(row.host, row.pages) for row in seen.hosts} == {(f"host{n}.example", 2) for n in range(3)}
        assert [alarm.text for alarm in seen.alarms] == ["Little is left."]
        assert seen.standing.alarms == 1
        record(store, 6, 1.0)
        store.commit()
        seen = watch.read()
        assert (seen.standing.pages, watch.dots[-1].url) == (7, "http://host0.example/6")
        assert seen.standing.rate == seen.standing.rate_now == pytest.approx(4 / 7)
        assert sum(row.pages for row in seen.hosts) == 7
        assert seen.failures == {}


def test_pages_that_are_judged_anew_count_anew(crawl: tuple[Path, PageStore]) -> None:
    """When run.json names another judge."""
    folder, store = crawl
    for number in range(3):
        record(store, number, 0.9)
    store.commit()
    with CrawlWatch(folder) as watch:
        assert {row.relevant for row in watch.read().hosts} == {1}
        store._database.execute("UPDATE pages SET is_relevant = 0")
        store.commit()
        run = watch.read().standing.run
        write_run(folder, replace(run, judge="model:2"))
        assert {row.relevant for row in watch.read().hosts} == {0}


def test_a_run_that_ends_while_the_watch_begins(
    crawl: tuple[Path, PageStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What run.json says after it was first read is seen: nobody writes it again."""
    folder, _ = crawl

    def read_and_end(folder: Path) -> RunInfo:
        run = run_of(folder)
        write_run(folder, replace(run, state=STOPPED, reason="told_to_stop"))
        return run

    monkeypatch.setattr(watch_module, "run_of", read_and_end)
    with CrawlWatch(folder) as watch:
        monkeypatch.undo()
        assert watch.read().standing.run.state == STOPPED


def test_a_crawl_that_is_gone_is_an_error_of_ours(tmp_path: Path) -> None:
    """One line, and for a list of crawls a row that says so."""
    folder = tmp_path / "asthma/1"
    folder.mkdir(parents=True)
    run = RunInfo("asthma", "Asthma", "1", "lpe", "", None, trained=True, totals={"pages": 4, "relevant": 1})
    write_run(folder, run)
    with pytest.raises(CrawlError, match="does not exist"):
        CrawlWatch(folder)
    standing = standing_of(folder, run)
    assert (standing.pages, standing.rate) == (4, 0.25)
    assert "does not exist" in standing.fault


def test_a_dot_has_the_mean_of_the_window_before_it(tmp_path: Path) -> None:
    """Their means are over the last hundred, or over all if fewer, wherever one begins to look."""
    relevances = [(number * 37 % 101) / 100 for number in range(350)]
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        store = PageStore(database)
        for number, relevance in enumerate(relevances):
            record(store, number, relevance)
        store.commit()
        for after, upto in ((0, 350), (0, 50), (120, 300), (340, 1000), (400, 500)):
            found = dots(database, "", after, upto)
            assert [dot.position for dot in found] == list(range(after + 1, min(upto, 350) + 1))
            for dot in found:
                window = relevances[max(0, dot.position - WINDOW) : dot.position]
                assert dot.average == pytest.approx(sum(window) / len(window), abs=1e-4)
                assert dot.relevance == relevances[dot.position - 1]


def test_alarms_are_of_this_run_and_unanswered(crawl: tuple[Path, PageStore]) -> None:
    """In the crawl's place, in the list of crawls and in its report."""
    folder, store = crawl

    def shown() -> list[str]:
        store.commit()
        with CrawlWatch(folder) as watch:
            seen = [watch.read(), watch.read()][-1]
        found = [alarm.text for alarm in seen.alarms]
        assert seen.standing.alarms == standing_of(folder, seen.standing.run).alarms == len(found)
        assert [alarm.text for alarm in read_summary(folder).findings.alarms] == found
        return found

    for number in (1, 2):
        record(store, number, 1.0)
        run = store.begin_run({}, {})
        assert shown() == []
        store.record_decision("alarm", "stagnation", detail=f"run {number}", run=run)
        assert shown() == [f"run {number}"]
    for what, left in ((orders.BUDGET, ["run 2"]), (orders.ADD, [])):
        orders.give(folder, what)
        obeyed = "UPDATE orders SET done_at = ?, answer = 'done' WHERE done_at IS NULL"
        location_of(folder).write_beside(obeyed, (time.time(),))
        assert shown() == left


def test_what_is_read_at_once_fits_together(crawl: tuple[Path, PageStore]) -> None:
    """Rows of one moment, of a file and of a server; the next look sees what came meanwhile."""
    folder, store = crawl
    pages = "SELECT count(*) FROM pages"
    record(store, 0, 1.0)
    store.commit()
    for number in (1, 2):
        with crawl_at_once(folder) as database:
            assert database.rows(pages) == [(number,)]
            record(store, number, 1.0)
            store.commit()
            assert database.rows(pages) == [(number,)]
            assert read_counters(database)["pages"] == number


def test_a_report_of_a_crawl_under_way_adds_up(crawl: tuple[Path, PageStore]) -> None:
    """Pages, hosts and the list of pages are counted one after the other, while pages come."""
    folder, store = crawl
    store.begin_run({}, {}, judge="keywords:3fa9c2d1")
    reports: list[CrawlSummary] = []
    for number in range(300):
        record(store, number, number % 2)
    store.commit()
    reader = Thread(target=lambda: reports.extend(read_summary(folder) for _ in range(15)))
    reader.start()
    while reader.is_alive():
        record(store, number := number + 1, number % 2)
        store.commit()
    assert len(reports) == 15
    for found in reports:
        assert found.pages == sum(host.pages for host in found.hosts) == len(found.best_pages)
