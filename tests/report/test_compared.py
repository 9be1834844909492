"""Crawls side by side: by one judge, with intervals that hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from focused_crawler.crawl.judging import TextJudge
from focused_crawler.page.parser import parse_page
from focused_crawler.page.stored_text import stored_text
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.report.compared import compare_crawls
from focused_crawler.report.line_chart import HEIGHT, LineChart
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.topic import Topic

JUDGE = "keywords:0badcafe"


def write_crawl(
    folder: Path, strategy: str, hits: Sequence[bool], judge: str = JUDGE, text: str = ""
) -> Path:
    """A crawl whose pages are relevant or not, all but the first by hosts of their own."""
    folder.mkdir(parents=True)
    with CrawlDatabase(folder / "crawl.db") as database:
        store = PageStore(database)
        database.execute(
            "INSERT INTO runs (id, started, settings, versions, worker, judge)"
            " VALUES (1, 1, '{}', '{}', '', ?)",
            (judge,),
        )
        for number, hit in enumerate(hits):
            url = f"http://{number}.example/"
            page = parse_page(f"<p>{text if hit else 'other'}".encode(), url, Analyzer("en"), "utf-8")
            store.record_page(
                PageItem(url=url, fetched_at=1.0, relevance=float(hit), is_relevant=hit, run=1,
                         text=stored_text(page) if text else b"")
            )  # fmt: skip
        store.commit()
    write_run(
        folder,
        RunInfo("tea", "Tea", folder.name, strategy, "", None, trained=False, judge=judge, judged_by=judge),
    )
    return folder


def nobody(run: RunInfo) -> TextJudge:
    raise AssertionError("nobody has to judge anew")


@pytest.fixture
def crawls(tmp_path: Path) -> Callable[..., list[Path]]:
    def made(*hits: Sequence[bool], **given: str) -> list[Path]:
        return [write_crawl(tmp_path / f"{n}", f"strategy{n}", one, **given) for n, one in enumerate(hits)]

    return made


def test_rates_are_those_after_as_many_pages_as_all_have(crawls) -> None:
    """The curve ends with the crawl; hosts and relevant pages are of all of it."""
    found = compare_crawls(crawls([True] * 50 + [False] * 50, [True, False] * 25), nobody)
    assert (found.judge, found.sampled, found.pages) == (JUDGE, False, 50)
    first, other = found.crawls
    assert (first.rate.value, other.rate.value) == (1.0, 0.5)
    assert (first.pages, first.relevant, first.hosts, first.recall) == (100, 50, 50, None)
    assert (first.curve.pages[-1], first.curve.values[-1]) == (100, 0.5)
    assert len(first.curve.pages) == 10
    (difference,) = found.differences
    assert difference.difference.value == 0.5
    assert difference.is_certain


def test_equal_crawls_differ_by_chance(crawls) -> None:
    """And the interval says so; the same crawls have the same one."""
    numbers = np.random.default_rng(5)
    folders = crawls(*(numbers.random(300) < 0.4 for _ in range(2)))
    found = compare_crawls(folders, nobody)
    assert not found.differences[0].is_certain
    assert found == compare_crawls(folders, nobody)


def test_intervals_hold(tmp_path: Path) -> None:
    """In nine of ten pairs of crawls at least, the true difference lies within; half of them were certain."""
    numbers = np.random.default_rng(7)
    within = certain = 0
    for pair in range(20):
        folders = [
            write_crawl(tmp_path / f"{pair}.{n}", "s", (numbers.random(200) < share).tolist())
            for n, share in enumerate((0.5, 0.35))
        ]
        (one,) = compare_crawls(folders, nobody).differences
        within += one.difference.low <= 0.15 <= one.difference.high
        certain += one.is_certain
    assert within >= 17
    assert certain >= 10


def test_several_judges_are_replaced_by_one(tmp_path: Path) -> None:
    """Which judges some pages of each crawl, evenly spread; it is asked once a crawl."""
    folders = [
        write_crawl(tmp_path / "1", "s", [True, False] * 200, judge="keywords:1", text="tea leaf green tea"),
        write_crawl(tmp_path / "2", "s", [False] * 400, judge="keywords:2", text="tea leaf green tea"),
    ]
    topic = Topic("tea", tmp_path, keywords=("tea", "leaf"), relevance_threshold=0.1)
    judge = TextJudge.of(topic, "keywords", None, {})
    found = compare_crawls(folders, lambda run: judge)
    assert (found.judge, found.sampled, found.pages) == (judge.name, True, 400)
    assert found.crawls[0].relevant is None
    assert found.crawls[0].rate.value == pytest.approx(0.5, abs=0.05)
    assert found.crawls[1].rate.value == 0.0


def test_what_cannot_be_compared(crawls, tmp_path: Path) -> None:
    """A crawl without pages; one without texts, where another judge would have to read them."""
    with pytest.raises(CrawlError, match="has no page yet; compare it when it has some"):
        compare_crawls(crawls([True], []), nobody)
    folders = [write_crawl(tmp_path / f"j{n}", "s", [True], judge=f"keywords:{n}") for n in range(2)]
    judge = TextJudge.of(Topic("tea", tmp_path, keywords=("tea",)), "keywords", None, {})
    with pytest.raises(CrawlError, match="has no texts of its pages"):
        compare_crawls(folders, lambda run: judge)


def test_a_chart_keeps_names_apart_and_inside() -> None:
    """Whatever ends together; empty curves are at the bottom."""
    curves = [(f"line {n}", [1, 10], [0.5, 0.001 * n]) for n in range(8)] + [("empty", [], [])]
    chart = LineChart.of(curves, [name for name, _, _ in curves], "pages fetched")
    places = sorted(line.label_y for line in chart.lines)
    assert all(after - before >= 14.9 for before, after in pairwise(places))
    assert places[-1] <= HEIGHT
    assert [tick.label for tick in chart.x_ticks] == ["0", "2", "5", "8", "10"] or chart.x_ticks[
        -1
    ].label == "10"
