"""Crawls side by side: by one judge, with intervals that hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from focused_crawler.crawl.judging import TextJudge
from focused_crawler.page.parser import parse_page
from focused_crawler.page.stored_text import stored_text
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.report.compared import compare_crawls, rate_interval
from focused_crawler.report.page import render
from focused_crawler.report.read import read_summaries
from focused_crawler.report.terminal.crawl import differences, figures
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, run_of, write_run
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.label import Label, random_order
from focused_crawler.topic.labels import append
from focused_crawler.topic.topic import Topic

JUDGE = "keywords:0badcafe"


def write_crawl(
    folder: Path,
    strategy: str,
    hits: Sequence[bool],
    judge: str = JUDGE,
    text: str = "",
    site: str = "example",
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
            url = f"http://{number}.{site}/"
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


def untrained(run: RunInfo) -> TextJudge:
    """What the newest judge is where no model is there."""
    return TextJudge.of(Topic("tea", Path(), keywords=("tea",)), "keywords", None, {})


@pytest.fixture
def crawls(tmp_path: Path) -> Callable[..., list[Path]]:
    def made(*hits: Sequence[bool], **given: str) -> list[Path]:
        return [write_crawl(tmp_path / f"{n}", f"strategy{n}", one, **given) for n, one in enumerate(hits)]

    return made


def test_rates_are_those_after_as_many_pages_as_all_have(crawls) -> None:
    """The curve ends with the crawl; hosts and relevant pages are of all of it."""
    found = compare_crawls(crawls([True] * 50 + [False] * 50, [True, False] * 25), untrained)
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
    found = compare_crawls(folders, untrained)
    assert not found.differences[0].is_certain
    assert found == compare_crawls(folders, untrained)


def test_intervals_hold(tmp_path: Path) -> None:
    """In nine of ten pairs of crawls at least, the true difference lies within; half of them were certain."""
    numbers = np.random.default_rng(7)
    within = certain = 0
    for pair in range(20):
        folders = [
            write_crawl(tmp_path / f"{pair}.{n}", "s", (numbers.random(200) < share).tolist())
            for n, share in enumerate((0.5, 0.35))
        ]
        (one,) = compare_crawls(folders, untrained).differences
        within += one.difference.low <= 0.15 <= one.difference.high
        certain += one.is_certain
    assert within >= 17
    assert certain >= 10


@pytest.mark.parametrize("pages", [10, 20])
def test_short_crawls_that_are_equally_good(pages: int, tmp_path: Path) -> None:
    """One pair of ten at most is called certainly different (5 % in truth); no interval is a point."""
    numbers = np.random.default_rng(3)
    certain = 0
    for pair in range(40):
        folders = [
            write_crawl(tmp_path / f"{pair}.{n}", "s", (numbers.random(pages) < 0.5).tolist())
            for n in range(2)
        ]
        found = compare_crawls(folders, untrained)
        certain += found.differences[0].is_certain
        assert all(one.rate.low < one.rate.high for one in found.crawls)
    assert certain <= 4


def test_a_short_crawl_beside_a_long_one(crawls) -> None:
    """Compared is all of the short one with as much of the long one, whose curve ends where it does."""
    found = compare_crawls(crawls([True] * 10 + [False] * 6005, [True] * 10 + [False] * 5), untrained)
    assert [one.rate.value for one in found.crawls] == [10 / 15, 10 / 15]
    assert not found.differences[0].is_certain
    curve = found.crawls[0].curve
    assert (curve.pages[-1], curve.values[-1]) == (6015, pytest.approx(10 / 6015))
    assert found.crawls[0].relevant == 10


@pytest.mark.parametrize("hits", [[True], [False] * 10, [True] * 300])
def test_a_rate_is_never_certain(hits: list[bool]) -> None:
    """Also where all pages are alike; it lies in its interval."""
    found = rate_interval(hits)
    assert found is not None
    assert found.low <= found.value <= found.high
    assert found.high - found.low > 0.5 / len(hits)
    assert rate_interval([]) is None


def test_a_short_crawl_beside_a_long_one_judged_anew(tmp_path: Path) -> None:
    """Pages that all have are judged for the rates, pages of all of it for the curve."""
    numbers = np.random.default_rng(8)
    text, certain = "tea leaf green tea", 0
    topic = Topic("tea", tmp_path, keywords=("tea", "leaf"), relevance_threshold=0.1)
    judge = TextJudge.of(topic, "keywords", None, {})
    for pair in range(20):
        folders = [
            write_crawl(tmp_path / f"{pair}.{n}", "s", hits, judge=f"keywords:{n}", text=text)
            for n, hits in enumerate(
                ((numbers.random(100) < 0.5).tolist(), [*(numbers.random(100) < 0.5).tolist(), *[True] * 500])
            )
        ]
        found = compare_crawls(folders, lambda run: judge)
        certain += found.differences[0].is_certain
        assert (found.sampled, found.pages) == (True, 100)
        rate, curve = found.crawls[1].rate, found.crawls[1].curve
        assert 0.3 < rate.value < 0.7
        assert 0.1 < rate.high - rate.low < 0.4
        assert (curve.pages[-1], curve.values[-1]) == (600, pytest.approx(0.92, abs=0.05))
    assert certain <= 3


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


LABELLED = 60


def label_crawl(
    folder: Path,
    truth: Sequence[bool],
    drawn: int,
    *,
    queue: str = "random",
    unsure: int = 0,
    crawl: str = "",
) -> Path:
    """A crawl that calls all pages relevant, and a person who labels those first in the random order."""
    topic = folder.parent / "tea"
    topic.mkdir(exist_ok=True)
    (topic / "topic.toml").write_text('name = "tea"\ntitle = "Tea"\nkeywords = ["tea"]\n')
    site = f"{folder.name}.example"
    write_crawl(folder, "s", [True] * len(truth), judge=f"keywords:{folder.name}", text="tea", site=site)
    run = run_of(folder)
    run.settings = {"FOCUSED_TOPIC": str(topic)}
    write_run(folder, run)
    answers = {f"http://{number}.{site}/": "yes" if yes else "no" for number, yes in enumerate(truth)}
    urls = sorted(answers, key=lambda url: random_order(url, "tea"))[:drawn]
    append(topic, [
        Label(url=url, label="unsure" if place < unsure else answers[url], by="ann", queue=queue,
              crawl=crawl or folder.name)
        for place, url in enumerate(urls)
    ])  # fmt: skip
    return folder


def test_enough_labels_judge(tmp_path: Path) -> None:
    """Rates are those of the pages that people looked at, in the report and in its figures alike."""
    folders = [label_crawl(tmp_path / f"{n}", [True, False] * 150, drawn) for n, drawn in enumerate((60, 52))]
    found = compare_crawls(folders, untrained)
    assert (found.judge, found.sampled, found.pages) == ("labels", False, 300)
    assert found.judged_by == "labels (60 and 52 pages that people looked at)"
    assert [one.relevant for one in found.crawls] == [None, None]
    assert all(0.2 < one.rate.high - one.rate.low < 0.3 for one in found.crawls)
    assert not found.differences[0].is_certain
    summaries = read_summaries(folders, untrained)
    assert [one.compared and one.compared.rate for one in summaries] == [one.rate for one in found.crawls]
    shown = "\n".join(str(cell) for column in figures(summaries).columns for cell in column.cells)
    assert shown.count(found.judged_by) == 2
    assert "keywords:" not in shown
    assert found.judged_by in render(summaries[0], summaries[1:])
    assert found.judged_by in differences(found)[0]


def test_rates_by_labels_hold(tmp_path: Path) -> None:
    """In nine of ten pairs at least the true difference lies within; where all are labelled it is known."""
    numbers = np.random.default_rng(11)
    within = 0
    for pair in range(20):
        (tmp_path / f"{pair}").mkdir()
        truths = [(numbers.random(200) < share).tolist() for share in (0.6, 0.1)]
        folders = [label_crawl(tmp_path / f"{pair}/{n}", truth, 50) for n, truth in enumerate(truths)]
        (one,) = compare_crawls(folders, untrained).differences
        within += one.difference.low <= (sum(truths[0]) - sum(truths[1])) / 200 <= one.difference.high
    assert within >= 17
    folders = [label_crawl(tmp_path / f"all{n}", [n > 0] * 60, 60) for n in range(2)]
    (one,) = compare_crawls(folders, untrained).differences
    assert one.difference == (-1.0, -1.0, -1.0)


@pytest.mark.parametrize(
    ("drawn", "given"),
    [
        (49, {}),
        (60, {"unsure": 10}),  # of what was drawn, too much is not known
        (60, {"queue": "uncertain"}),  # pages that were chosen for what they are
        (60, {"crawl": "another"}),
    ],
)
def test_labels_that_do_not_judge(drawn: int, given: dict[str, Any], tmp_path: Path) -> None:
    """Too few, or no sample of this crawl: texts are judged."""
    folders = [
        label_crawl(tmp_path / "1", [True, False] * 150, 60),
        label_crawl(tmp_path / "2", [True, False] * 150, drawn, **given),
    ]
    found = compare_crawls(folders, untrained)
    assert (found.judge, found.sampled) == (untrained(run_of(folders[0])).name, True)


def test_a_crawl_that_went_on_is_no_longer_sampled(tmp_path: Path) -> None:
    """Labels of its first pages say nothing of all; they do of as many pages as a short crawl has."""
    long = label_crawl(tmp_path / "long", [True] * 100, 100)
    with CrawlDatabase(long / "crawl.db") as database:
        store = PageStore(database)
        for number in range(400):
            url = f"http://new{number}.example/"
            store.record_page(PageItem(url=url, fetched_at=2.0, relevance=1.0, is_relevant=True, run=1))
        store.commit()
    for pages, is_by_people in ((100, True), (300, False)):
        short = label_crawl(tmp_path / f"{pages}", [False] * pages, 60)
        assert (compare_crawls([long, short], untrained).judge == "labels") == is_by_people


def test_what_cannot_be_compared(crawls, tmp_path: Path) -> None:
    """A crawl without pages; one without texts, where another judge would have to read them."""
    with pytest.raises(CrawlError, match="has no page yet; compare it when it has some"):
        compare_crawls(crawls([True], []), untrained)
    folders = [write_crawl(tmp_path / f"j{n}", "s", [True], judge=f"keywords:{n}") for n in range(2)]
    judge = TextJudge.of(Topic("tea", tmp_path, keywords=("tea",)), "keywords", None, {})
    with pytest.raises(CrawlError, match="has no texts of its pages"):
        compare_crawls(folders, lambda run: judge)


def test_a_crawl_alone_goes_by_its_own_judge(crawls) -> None:
    """Not by a newer one, as there is nothing to compare; nor by texts, which it may not have."""
    found = compare_crawls(crawls([True] * 5 + [False] * 5, judge="keywords"), untrained)
    assert (found.judged_by, found.sampled, found.crawls[0].relevant) == ("keywords", False, 5)
