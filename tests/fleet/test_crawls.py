from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url

from focused_crawler.fleet.crawls import (
    FleetCrawl,
    check_database,
    drop_crawl,
    first_settings,
    has_begun,
    known_crawls,
)
from focused_crawler.fleet.reader import FleetReader
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.pages import PageStore
from tests.fleet.recorded import drop, new_job, recording
from tests.postgresql import Server

NOWHERE = "postgresql://ann:secret@localhost:1/crawls"


@pytest.fixture
def crawl(postgresql: Server) -> Iterator[FleetCrawl]:
    """One that has not begun."""
    crawl = FleetCrawl("heart-disease", new_job(), postgresql.address)
    yield crawl
    drop(postgresql, crawl)


def ours(crawl: FleetCrawl) -> list[tuple[str, int, int]]:
    return [
        (one.topic, one.pages, one.relevant) for one in known_crawls(crawl.database) if one.job == crawl.job
    ]


def test_a_crawl_is_known_when_it_has_begun(crawl: FleetCrawl) -> None:
    """By the names of its topic and job, with what it has."""
    assert ours(crawl) == []
    assert not has_begun(crawl.database, crawl.topic, crawl.job)
    with recording(crawl) as worker:
        worker.record("rr-")
    assert ours(crawl) == [("heart-disease", 3, 2)]
    assert has_begun(crawl.database, crawl.topic, crawl.job)


def test_what_the_first_worker_was_told(crawl: FleetCrawl) -> None:
    """Not the last one."""
    assert first_settings(crawl.database, crawl.topic, crawl.job) == {}
    with recording(crawl, FOCUSED_PAGES=5), recording(crawl, worker="w2", FOCUSED_PAGES=6):
        told = first_settings(crawl.database, crawl.topic, crawl.job)
    assert told["FOCUSED_PAGES"] == 5


@pytest.mark.parametrize(("web", "relevant"), [("web.warc.gz", 1), (None, 3)])
def test_relevant_is_what_ground_truth_says(
    crawl: FleetCrawl, tmp_path: Path, web: str | None, relevant: int
) -> None:
    """Where there is one, as in the view of the crawl; a topic's own targets are none."""
    with recording(crawl, FOCUSED_WEB=web) as worker:
        worker.record("Trr-")
    assert ours(crawl) == [("heart-disease", 4, relevant)]
    with FleetReader(crawl, tmp_path) as reader:
        totals = reader.read().totals
    assert totals is not None
    assert (totals.relevant, totals.targets) == (relevant, 1)


def test_a_user_who_may_make_no_schema(crawl: FleetCrawl, postgresql: Server) -> None:
    """Is told so, where the tables are still to be made."""
    with postgresql.connected() as connection:
        connection.execute("CREATE ROLE focused_test_reader LOGIN")
    url = make_url(postgresql.address).set(username="focused_test_reader", password=None)
    reader = url.render_as_string(hide_password=False)
    try:
        check_database(crawl.database, crawl.topic, crawl.job)
        with pytest.raises(CrawlError, match="grant the user CREATE on the database"):
            check_database(reader, crawl.topic, crawl.job)
        with recording(crawl):
            pass
        check_database(reader, crawl.topic, crawl.job)
    finally:
        postgresql.drop_role("focused_test_reader")


def test_crawls_of_other_users_are_left_out(crawl: FleetCrawl, postgresql: Server) -> None:
    """They are theirs."""
    with postgresql.connected() as connection:
        connection.execute("CREATE ROLE focused_test_other LOGIN")
    url = make_url(postgresql.address).set(username="focused_test_other", password=None)
    try:
        with recording(crawl):
            assert ("heart-disease", 0, 0) in ours(crawl)
            assert known_crawls(url.render_as_string(hide_password=False)) == []
    finally:
        postgresql.drop_role("focused_test_other")


@pytest.mark.parametrize("path", ["topics/heart-disease", "/x/heart-disease/topic.toml"])
def test_a_topic_by_its_path(crawl: FleetCrawl, path: str) -> None:
    """Its folder has its name."""
    with recording(crawl, FOCUSED_TOPIC=path):
        assert ours(crawl) == [("heart-disease", 0, 0)]


def test_crawls_of_one_process_are_none(postgresql: Server) -> None:
    """They have a frontier of their own."""
    place = postgresql.new_schema()
    place.schema = f"crawl_{place.schema}"
    with CrawlDatabase(place) as database:
        PageStore(database).begin_run({"FOCUSED_TOPIC": "asthma", "FOCUSED_JOB": "alone"}, {})
        database.commit()
        assert "alone" not in {one.job for one in known_crawls(postgresql.address)}
    postgresql.drop(place.schema)


def test_nothing_is_dropped_while_a_worker_is_on_it(crawl: FleetCrawl) -> None:
    """A worker that is still connected is not surprised."""
    with recording(crawl) as worker:
        worker.record("r")
        with pytest.raises(CrawlError, match="is being crawled; stop its workers first"):
            drop_crawl(crawl.database, crawl.topic, crawl.job)
    assert drop_crawl(crawl.database, crawl.topic, crawl.job)
    assert ours(crawl) == []
    assert not drop_crawl(crawl.database, crawl.topic, crawl.job)


def test_a_server_that_is_not_there(crawl: FleetCrawl) -> None:
    """One line, without the password."""
    with pytest.raises(CrawlError, match="ann@localhost:1/crawls cannot be opened") as caught:
        known_crawls(NOWHERE)
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(FleetCrawl("asthma", "1", NOWHERE))
