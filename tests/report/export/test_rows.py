"""Pages of a crawl as rows, out of either database."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from focused_crawler.crawl.judging import TextJudge
from focused_crawler.page.parser import parse_page
from focused_crawler.page.stored_text import stored_text
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.report.export import rows as module
from focused_crawler.report.export.chunks import chunks
from focused_crawler.report.export.rows import COLUMNS, MEANINGS, Chosen
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PAGE_COLUMNS, PageItem
from focused_crawler.store.page_table import PageFilter
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.topic import Topic

ALL = PageFilter()
AT = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.fixture
def recorded(database: CrawlDatabase) -> CrawlDatabase:
    """Seven pages: every second one is about bees, and called relevant; the last is a copy."""
    store = PageStore(database)
    run = store.begin_run({}, {}, judge="keywords:1")
    for number in range(7):
        words = f"page {number} is about " + ("bees and honey" if number % 2 == 0 else "tea")
        url = f"http://a{number}.example/"
        store.record_page(
            PageItem(
                url=url,
                title=f"Page {number}",
                fetched_at=AT.timestamp() + number,
                relevance=0.9 if number % 2 == 0 else 0.1,
                is_relevant=number % 2 == 0 and number < 6,
                duplicate_of="http://a0.example/" if number == 6 else None,
                run=run,
                text=stored_text(parse_page(f"<p>{words}".encode(), url, Analyzer("en"))),
            )
        )
    store.commit()
    return database


@pytest.fixture(autouse=True)
def _some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks end in the middle of what is read."""
    monkeypatch.setattr(module, "CHUNK", 2)


def test_relevant_pages_come_in_order(recorded: CrawlDatabase) -> None:
    """With all that is stored of them, and who judged them."""
    chosen = Chosen()
    found = list(chosen.rows(recorded))
    assert [row["url"] for row in found] == [f"http://a{number}.example/" for number in (0, 2, 4)]
    assert [row["position"] for row in found] == [1, 3, 5]
    assert {tuple(row) for row in found} == {tuple(COLUMNS)}
    assert found[1]["fetched_at"] == datetime(2026, 1, 31, 12, 0, 2, tzinfo=UTC)
    assert found[0]["is_relevant"] is True
    assert {row["judge"] for row in found} == {"keywords:1"}
    assert chosen.count(recorded) == 3


def test_a_page_that_is_gone_says_so(recorded: CrawlDatabase) -> None:
    """Since when: nothing of it is deleted."""
    recorded.execute("UPDATE pages SET gone_at = ? WHERE position = 3", (AT.timestamp() + 60,))
    gone = [row["gone_at"] for row in Chosen().rows(recorded)]
    assert gone == [None, datetime(2026, 1, 31, 12, 1, tzinfo=UTC), None]
    passages = list(chunks(Chosen(with_text=True).rows(recorded), [], lambda _: []))
    assert [one["gone_at"] for one in passages] == [None, "2026-01-31T12:01:00.000Z", None]


def test_all_pages_with_their_texts(recorded: CrawlDatabase) -> None:
    """As a reader sees them."""
    found = list(Chosen(ALL, with_text=True).rows(recorded))
    assert len(found) == 7
    assert found[1]["text"] == "page 1 is about tea"
    assert tuple(found[0]) == (*COLUMNS, "text")


def test_another_judge_chooses_anew(recorded: CrawlDatabase, tmp_path: Path) -> None:
    """By the stored texts: what is no copy, and relevant to it; its name is said."""
    topic = Topic("tea", tmp_path, keywords=("tea",))
    judge = TextJudge.of(topic, "keywords", None, {})
    found = list(Chosen(judge=judge).rows(recorded))
    assert [row["url"] for row in found] == [f"http://a{number}.example/" for number in (1, 3, 5)]
    assert {row["judge"] for row in found} == {judge.name}
    assert "text" not in found[0]
    bees = TextJudge.of(Topic("bees", tmp_path, keywords=("bees", "honey")), "keywords", None, {})
    copy = list(Chosen(ALL, bees).rows(recorded))[-1]
    assert (copy["url"], copy["is_relevant"]) == ("http://a6.example/", False)
    assert copy["relevance"] > 0.5


def test_a_judge_needs_texts(database: CrawlDatabase, tmp_path: Path) -> None:
    """One line says which setting was off."""
    store = PageStore(database)
    store.record_page(PageItem(url="http://a.example/", fetched_at=1.0, relevance=1.0, is_relevant=True))
    store.commit()
    judge = TextJudge.of(Topic("tea", tmp_path, keywords=("tea",)), "keywords", None, {})
    with pytest.raises(CrawlError, match="FOCUSED_KEEP_TEXTS was off"):
        list(Chosen(judge=judge).rows(database))
    assert [row["judge"] for row in Chosen().rows(database)] == [None]


def test_every_column_has_its_meaning() -> None:
    """A field of a page that is new is exported, and explained."""
    assert {column.name for column in PAGE_COLUMNS} <= COLUMNS.keys()
    assert MEANINGS.keys() == {*COLUMNS, "text"}
