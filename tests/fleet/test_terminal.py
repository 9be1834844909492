from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console, RenderableType

from focused_crawler.fleet.crawls import KnownCrawl
from focused_crawler.fleet.status import FleetStatus, FleetTotals, FrontierView, WorkerRow
from focused_crawler.fleet.terminal import MOST_WORKERS, closing_view, line, table_of, view

WORKER = WorkerRow("node-7-ab12", "node", 7, 120.0, 0.4, False, 9, 240, 3, 2.0)
TOTALS = FleetTotals(
    pages=400, relevant=100, failures=12, harvest_rate=0.25, harvest_rate_100=0.3, target_recall=0.5,
    page_budget=1000, database_bytes=5_300_000, last_title="Inhalers", errors={"http_404": 9, "robots": 3},
)  # fmt: skip
FRONTIER = FrontierView(5000, 16, 400, 12, 0, 300, 25, True, (10, 0, 0, 0, 0, 0, 0, 0, 40, 4950))
STATUS = FleetStatus(
    at=1.7e9, topic="asthma", job="1", strategy="lpe", database_address="postgresql://ann@db/crawls",
    workers=(WORKER,), totals=TOTALS, frontier=FRONTIER, speed=4.2,
)  # fmt: skip
HOSTILE = "[red]x[/red]\x1b[2J\r\nforged \u202e"


def shown(part: RenderableType, width: int = 150) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    console.print(part)
    return " ".join(console.file.getvalue().replace("\u00a0", " ").split())  # type: ignore[attr-defined]


def test_all_is_in_one_view() -> None:
    """Who works, what came of it, what is left, what failed, what it takes."""
    text = shown(view(STATUS))
    for words in (
        "asthma by lpe, job 1, 1 worker", "400 of 1,000 pages", "harvest rate 25.0 %", "target recall 50.0 %",
        "node-7-ab12 2 min 00 s 0.4 s 9 240 2.0 3",
        "5,000 pending", "16 out", "300 hosts, 25 waiting",
        "from 0.9: 4,950 from 0.8: 40 from 0.0: 10", "404 Not Found 9 forbidden by robots.txt 3",
        "PostgreSQL 5.3 MB at postgresql://ann@db/crawls", "4.2 pages/s", "Inhalers",
    ):  # fmt: skip
        assert words in text


def test_what_could_not_be_read_is_left_out() -> None:
    """The view says why, and shows what there is."""
    broken = replace(
        STATUS, workers=None, frontier=None, remarks=("the server does not answer",), is_whole=False
    )
    text = shown(view(broken))
    assert text.startswith("the server does not answer asthma by lpe, job 1, ? workers")
    assert "400 of 1,000 pages" in text
    assert "frontier ? URLs" in text
    assert line(broken).startswith("? workers; 400 of 1,000 pages, 100 relevant")
    text = shown(view(replace(STATUS, totals=None, remarks=("no answer",), is_whole=False)))
    assert "? pages frontier 5,000 URLs" in text
    assert " 0 " not in text.partition("worker ")[0]


def test_a_crawl_that_is_over() -> None:
    """It says so, and why; nobody works on it, and no time goes by."""
    text = shown(view(replace(STATUS, workers=(), ended="pages_budget")))
    assert "asthma by lpe, job 1, ended" in text
    assert "It reached its budget of pages." in text
    assert "400, 100 of them relevant" in text
    assert "this run" not in text
    assert "gone" not in text


def test_on_a_narrow_terminal() -> None:
    """Headings are whole; names of workers are cut."""
    old = replace(
        WORKER, name="ip-10-12-100-200-1234567-ab12", age=1e5, beat=30.0, is_dead=True, pages=123_456
    )
    text = shown(view(replace(STATUS, workers=(old,))), width=80)
    assert "worker age heartbeat out pages per s failed" in text
    assert "123,456" in text
    assert "ip-10-12" in text


def test_dead_workers_are_told() -> None:
    """They are not counted among those at work."""
    dead = replace(WORKER, is_dead=True, beat=30.0)
    text = shown(view(replace(STATUS, workers=(dead,))))
    assert "30 s, dead" in text
    assert "0 workers" in text


def test_a_large_fleet_is_cut() -> None:
    """The view has an end."""
    many = tuple(replace(WORKER, name=f"w-{number}") for number in range(MOST_WORKERS + 5))
    assert "and 5 more" in shown(view(replace(STATUS, workers=many)))


def test_one_line_for_logs() -> None:
    """The same figures."""
    assert line(STATUS).startswith("1 worker; 400 of 1,000 pages, 100 relevant, harvest rate 25.0 %")


def test_the_end() -> None:
    """Why, and where the report is."""
    text = shown(closing_view(STATUS, "pages_budget", Path("crawls/asthma/1/report.html")))
    assert "It reached its budget of pages." in text
    assert "crawls/asthma/1/report.html" in text


def test_what_is_left_at_the_end_is_what_the_report_says() -> None:
    """Some URLs may still be on their way from one worker to another."""
    frontier = replace(FRONTIER, pending=5003)
    text = shown(closing_view(replace(STATUS, frontier=frontier), "pages_budget", Path("report.html")))
    assert "5,000 URLs" in text


@settings(deadline=None)
@given(st.text(max_size=30))
def test_foreign_text_does_nothing_to_the_terminal(text: str) -> None:
    """Titles, names of workers and of errors come from elsewhere: no control character of theirs is shown."""
    foreign = HOSTILE + text
    worker = WorkerRow.read(foreign, 0.1, {"machine": foreign, "pid": foreign}, now=0.0, dead_after=6.0)
    totals = replace(TOTALS, last_title=foreign, errors={foreign: 1})
    status = replace(STATUS, workers=(worker,), totals=totals, remarks=(foreign,), strategy=foreign)
    console = Console(file=io.StringIO(), width=150, force_terminal=False)
    console.print(view(status))
    console.print(table_of([KnownCrawl(foreign, foreign, 0.0, 1, 1)]))
    seen = console.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b" not in seen
    assert "\r" not in seen
    assert "\u202e" not in seen
    assert "[red]x[/red]" in seen
    assert "\n" not in line(status)
    assert "\x1b" not in line(status)
