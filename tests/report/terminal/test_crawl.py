from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from focused_crawler.crawl.hubs.listing import HubRanking, Neglected
from focused_crawler.crawl.judged import Interval, JudgeEstimate
from focused_crawler.crawl.lists.lists import CountedCrawl, ListedHub, ListedSite, Lists
from focused_crawler.crawl.steering.estimate import Estimate
from focused_crawler.report.estimated import about_relevant
from focused_crawler.report.read import read_summary
from focused_crawler.report.terminal.crawl import ROWS, distilled, figures, listed, remarks
from tests.report.conftest import page


def printed(shown: Iterable[RenderableType]) -> str:
    out = StringIO()
    Console(file=out, width=120, color_system=None).print(*shown)
    return out.getvalue()


class SomeLists(Lists):
    """Lists of so many crawls and sites; `poor`: sites that are not good and have no mark."""

    def __init__(self, crawls: int = 0, sites: int = 0, poor: int = 0) -> None:
        self._crawls = [CountedCrawl(f"job{number}", 0.0, 9, 3) for number in range(1, crawls + 1)]
        good = [ListedSite(f"good{number}.org", 9, 9, 9, 2, None, "good") for number in range(sites)]
        self._sites = good + [ListedSite(f"poor{number}.org", 9, 0, 0, 2, None) for number in range(poor)]

    def crawls(self) -> list[CountedCrawl]:
        return self._crawls

    def sites(self) -> list[ListedSite]:
        return self._sites

    def hubs(self) -> list[ListedHub]:
        return []


@pytest.mark.parametrize(("leads", "rest"), [(3, ""), (4, "and 1 more"), (9, "and 6 more")])
def test_leads_that_are_not_shown_are_counted(leads: int, rest: str) -> None:
    """Three are asked for here."""
    neglected = [Neglected("http://hub.org/", f"http://{n}.org/", "a new one") for n in range(leads)]
    text = printed(distilled(HubRanking(9, 9, 0.5, (), (), (), tuple(neglected)), 3))
    assert text.count("a new one") == 3
    assert rest in text
    assert ("more" in text) == bool(rest)


@pytest.mark.parametrize(
    ("crawls", "told"),
    [
        (1, "1 crawl counted: job1 "),
        (5, "5 crawls counted: job1 "),
        (6, "6 crawls counted: 1 more, job2 "),
        (9, "9 crawls counted: 4 more, job5 "),
    ],
)
def test_the_last_five_crawls_are_named(crawls: int, told: str) -> None:
    """The others are counted."""
    assert printed(listed(SomeLists(crawls), has_all=False)).startswith(told)


@pytest.mark.parametrize(
    ("sites", "poor", "told"), [(2, 0, "Sites: 2\n"), (2, 3, "Sites: 2, 3 more with --all\n")]
)
def test_what_is_left_out_is_counted(sites: int, poor: int, told: str) -> None:
    """And only that: where all is shown there is nothing more to ask for."""
    assert told in printed(listed(SomeLists(1, sites, poor), has_all=False))
    assert f"Sites: {sites + poor}\n" in printed(listed(SomeLists(1, sites, poor), has_all=True))


@pytest.mark.parametrize(
    ("sites", "rest"), [(ROWS, ""), (ROWS + 2, "and 2 more: --export FILE has them all")]
)
def test_a_long_table_is_cut(sites: int, rest: str) -> None:
    """An export has all."""
    text = printed(listed(SomeLists(1, sites), has_all=False))
    assert text.count("good") == 2 * ROWS  # each with its mark
    assert rest in text
    assert ("--export" in text) == bool(rest)


def judged(low: float, value: float, high: float, to_halve: int = 50) -> JudgeEstimate:
    """Return what is known of a judge, of so many relevant pages."""
    half = Interval(0.5, 0.0, 1.0)
    return JudgeEstimate(Interval(value, low, high), half, half, half, "labels", 20, to_halve)


@pytest.mark.parametrize(
    ("pages", "known", "said"),
    [
        (0, judged(0, 0, 0, 0), ""),
        (1, judged(0, 1, 1, 1), "Of 1 page about 1 (0 to 1) is relevant"),
        (8, judged(0, 1, 3, 2), "Of these 8 pages about 1 (0 to 3) is relevant"),
        (8, judged(0, 0, 3, 2), "Of these 8 pages about 0 (0 to 3) are relevant"),
    ],
)
def test_few_pages_are_spoken_of_as_few(pages: int, known: JudgeEstimate, said: str) -> None:
    """And of none nothing is said."""
    assert about_relevant(pages, known).partition(",")[0] == said


def test_labels_are_not_asked_for_where_all_pages_have_one(make_crawl: Callable[..., Path]) -> None:
    """More pages would tell then, however little is known."""
    crawl = read_summary(make_crawl([page(1, relevant=True)], left=[("http://a.example/", 0.5)]))
    told = remarks(replace(crawl, estimate=judged(0, 1, 1, 0)))
    assert PAGES in told
    assert LABELS not in told


SAID = "Left to find, by estimate: {}."
LABELS = "Left to find: nobody can say yet; labels of random pages would tell."
PAGES = "Left to find: nobody can say yet; more pages would tell."


@pytest.mark.parametrize(
    ("left", "known", "said"),
    [
        (
            Estimate(0.4, 3, 20.1),
            judged(30, 40, 50),
            SAID.format("at most 21 relevant pages at the URLs that wait"),
        ),
        (
            Estimate(12.6, 20, 40),
            judged(30, 40, 50),
            SAID.format("at least 12 relevant pages in all, at most 40 at the URLs that wait"),
        ),
        (Estimate(12.6, 90, 530), judged(30, 40, 50), SAID.format("at least 12 relevant pages in all")),
        (Estimate(3, 90, 530), judged(30, 40, 59), PAGES),
        (Estimate(3, 90, 530), judged(5, 40, 59), LABELS),
        (Estimate(0, 24, 500), None, PAGES),  # by the ground truth
        (None, None, LABELS),
    ],
)
def test_what_is_left_to_find(
    make_crawl: Callable[..., Path], left: Estimate | None, known: JudgeEstimate | None, said: str
) -> None:
    """Is said if it says something beside what was found, else what would tell."""
    crawl = read_summary(make_crawl([page(1, relevant=True)], left=[("http://a.example/", 0.5)]))
    crawl = replace(crawl, relevant=40, estimate=known)
    for knows_frontier in (True, False):
        findings = replace(crawl.findings, estimate=left, knows_frontier=knows_frontier)
        told = [line for line in remarks(replace(crawl, findings=findings)) if line.startswith("Left")]
        assert told == [said] * knows_frontier


def test_nothing_is_said_of_an_empty_frontier(make_crawl: Callable[..., Path]) -> None:
    """Nor of a crawl without a page."""
    for pages, left in (([page(1, relevant=True)], []), ([], [("http://a.example/", 0.5)])):
        told = remarks(read_summary(make_crawl(pages, left=left, job=str(len(left)))))
        assert not [line for line in told if line.startswith("Left")]


def test_a_crawl_without_a_page_has_figures(make_crawl: Callable[..., Path]) -> None:
    """All of them: that there are no pages is what a reader wants to know."""
    table = figures([read_summary(make_crawl([], left=[("http://a.example/", 0.5)]))])
    found = dict(zip(*(map(str, column.cells) for column in table.columns), strict=True))
    assert (found["pages"], found["left in frontier"]) == ("0", "1")


def test_last_pages_are_those_of_crawls_that_have_more(make_crawl: Callable[..., Path]) -> None:
    """The last 100 of a crawl of 7 pages are the whole crawl, which would not compare with others."""
    sizes = {"long": 101, "short": 7}
    crawls = [
        read_summary(make_crawl([page(n, relevant=n > 0) for n in range(pages)], job=job))
        for job, pages in sizes.items()
    ]
    rows = [
        [str(cell) for cell in row] for row in zip(*(c.cells for c in figures(crawls).columns), strict=True)
    ]
    assert [row for row in rows if row[0].startswith("last")] == [["last 100 pages", "100 %", ""]]
