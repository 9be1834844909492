"""Crawl, in a real browser, beside crawls that run."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Page, expect

from focused_crawler.crawl.judged import Interval, JudgeEstimate
from focused_crawler.report.standing import Standing
from focused_crawler.report.watch import Watched
from focused_crawler.store.job import RUNNING, RunInfo
from focused_crawler.store.opening import is_in_use, location_of
from focused_crawler.workbench.estimates import Known
from focused_crawler.workbench.live import parts_of
from focused_crawler.workbench.rendering import render
from tests.project import Job, Running, Scrapy, until
from tests.workbench.bench import Workbench
from tests.workbench.conftest import NARROW

pytestmark = pytest.mark.slow

SLOW = ("-s", "FOCUSED_WEB_LATENCY=0.1", "-s", "CONCURRENT_REQUESTS=1")


@pytest.fixture
def long(workbench: Workbench, scrapy: Scrapy) -> Iterator[Running]:
    """A crawl that would go on for minutes."""
    job = workbench.project.job("astronomy", "long")
    running = workbench.project.crawl(scrapy, "astronomy", "long", *SLOW, pages=2000)
    until(
        lambda: (
            (job.folder / "run.json").exists() and is_in_use(job.folder) and job.rows("SELECT 1 FROM pages")
        )
    )
    yield running
    if is_in_use(job.folder):
        running.signal(signal.SIGKILL)
        running.wait()


def await_dots(page: Page, dots: int) -> None:
    expect(page.locator("#chart a").nth(dots)).to_be_attached(timeout=30_000)


def test_dots_arrive_and_the_crawl_obeys(page: Page, workbench: Workbench, long: Running) -> None:
    """They are links that keys reach; a budget, pages to fetch and a stop are answered; it goes on again."""
    job = workbench.project.job("astronomy", "long")
    page.goto("/crawls/astronomy/long")
    expect(page.locator("#live-state")).to_contain_text("runs")
    await_dots(page, 5)
    frame = page.locator("#chart")  # its dots are not cut at its edges, nor does it leave its frame
    assert frame.locator("svg").evaluate("chart => getComputedStyle(chart).overflow") == "visible"
    assert frame.evaluate("frame => frame.scrollHeight - frame.clientHeight") == 0
    await_dots(page, page.locator("#chart a").count() + 5)
    page.locator("#chart a[tabindex='0']").focus()
    page.keyboard.press("ArrowLeft")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label.startswith("Page ")
    url = label.rpartition(": ")[2]
    assert page.evaluate("document.activeElement.getAttribute('href')").startswith(
        "/crawls/astronomy/long/page?url=http"
    )
    expect(page.locator("#chart-said")).to_contain_text(url)

    pending = job.rows("SELECT url FROM urls WHERE state = 1 ORDER BY priority LIMIT 1")[0][0]
    page.get_by_text("Fetch other pages first").click()
    page.get_by_label("URLs, one a line").fill(pending)
    page.get_by_role("button", name="Add them").click()
    expect(page.get_by_role("status")).to_contain_text("0 of 1 URL new to the crawl")
    page.get_by_role("textbox", name="Pages").fill("1500")
    page.get_by_role("button", name="Change the budget").click()
    expect(page.get_by_role("status")).to_contain_text("Its budget is 1,500 pages")
    expect(page.locator("#live-orders")).to_contain_text("Its budget is 1,500 pages".lower()[4:])

    page.get_by_role("button", name="Stop the crawl").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("It stops")
    long.wait()
    expect(page.locator("#live-state")).to_contain_text("It was ordered to stop")
    expect(page.get_by_role("button", name="Stop the crawl")).to_be_hidden()
    pages = Job(job.folder).run["totals"]["pages"]
    page.get_by_role("textbox", name="Pages").fill(str(pages + 5))
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("status")).to_have_text("The crawl goes on.")
    until(lambda: not is_in_use(job.folder))
    assert (job.run["totals"]["pages"], job.run["reason"]) == (pages + 5, "pages_budget")
    expect(page.locator("#live-state")).to_contain_text("It reached its budget of pages.")


def test_two_tabs_watch_a_crawl_that_is_killed(page: Page, workbench: Workbench, long: Running) -> None:
    """Both see it; neither breaks, and the workbench says what happened."""
    page.goto("/crawls/astronomy/long")
    other = page.context.new_page()
    other.goto("/crawls/astronomy/long")
    for tab in (page, other):
        await_dots(tab, 3)
    long.signal(signal.SIGKILL)
    long.wait()
    for tab in (page, other):
        expect(tab.locator("#live-state")).to_contain_text("It was killed")
        expect(tab.get_by_role("button", name="Go on")).to_be_visible()
    rows = workbench.project.job("astronomy", "long").rows("SELECT max(position) FROM pages")[0][0]
    expect(page.locator("#live-figures")).to_contain_text(f"{rows:,}")
    server = psutil.Process(workbench.process.pid)
    files = server.num_fds()
    other.close()
    page.goto("/")
    until(lambda: server.num_fds() < files)  # nobody looks: its reader has let go of the database


SEEN = """seen => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => !seen });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_tabs_that_nobody_sees_hold_no_connection(page: Page, long: Running) -> None:
    """A browser has six to a server: with as many tabs of crawls no page could be opened any more."""
    tabs = [page, *(page.context.new_page() for _ in range(7))]
    for tab in tabs:
        tab.goto("/crawls/astronomy/long")
        await_dots(tab, 1)
        tab.evaluate(SEEN, False)
    page.evaluate(SEEN, True)
    await_dots(page, page.locator("#chart a").count() + 3)


def test_hubs_of_an_alarm_are_added_by_its_button(page: Page, workbench: Workbench, scrapy: Scrapy) -> None:
    """The pages that the best hubs lead to are queued before all others."""
    project = workbench.project
    job = project.job("astronomy", "alarmed")
    words = (*SLOW, "-s", "FOCUSED_DISTILL_PAGES=20", "-s", "FOCUSED_HUB_TRIGGER=0")
    running = project.crawl(scrapy, "astronomy", "alarmed", *words, pages=2000, strategy="breadth_first")
    until(lambda: (job.folder / "run.json").exists() and job.rows("SELECT 1 FROM ratings WHERE hub > 0"))
    location_of(job.folder).write_beside(
        "INSERT INTO decisions (decided_at, decision, rule, detail) VALUES (?, 'alarm', 'stagnation', ?)",
        (time.time(), "after 40 pages, 3 of them relevant; 5 URLs are left."),
    )
    page.goto("/crawls/astronomy/alarmed")
    button = page.get_by_role("button", name=re.compile("Fetch [0-9] pages? that hubs lead to"))
    button.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("new to the crawl; those that waited come first now")
    assert job.rows("SELECT 1 FROM decisions WHERE decision = 'ordered' AND rule = 'add'")
    waits = "SELECT 1 FROM urls JOIN decisions ON decisions.url = urls.id WHERE rule = 'add' AND state < 3"
    until(lambda: not job.rows(waits))
    page.get_by_role("button", name="Stop the crawl").click()
    running.wait()


LINES_OF_BANDS = """
() => {
  document.querySelectorAll("#live-frontier td.number").forEach((cell) => { cell.textContent = "111,610"; });
  return [...document.querySelectorAll("#live-frontier th[scope=row]")].map((band) => {
    const range = document.createRange();
    range.selectNodeContents(band);
    return range.getClientRects().length;
  });
}
"""


def test_a_long_frontier_fits_a_narrow_window(page: Page, long: Running) -> None:
    """Whatever its numbers are: no band is broken into two lines, which pushed half of them out of sight."""
    page.set_viewport_size(NARROW)
    page.goto("/crawls/astronomy/long")
    page.locator("#live-frontier .bands").wait_for()
    assert page.evaluate(LINES_OF_BANDS) == [1] * 10


@pytest.mark.parametrize(("relevant", "is_said"), [(0, False), (3, True)])
def test_precision_is_that_of_pages(tmp_path: Path, relevant: int, is_said: bool) -> None:
    """A judge that has called none relevant has none: half of nothing was shown."""
    run = RunInfo("astronomy", "Astronomy", "1", "adaptive", "", None, trained=False, judge="keywords:0")
    standing = Standing(tmp_path, run, is_running=False, pages=8, relevant=relevant)
    half = Interval(0.5, 0.0, 1.0)
    known = Known(8, JudgeEstimate(Interval(0.0, 0.0, 3.0), half, half, half, "words", 0, 4), None, None)
    names = {"known": known, "topic": "astronomy", "job": "1"}
    assert ("precision" in parts_of(Watched(standing), names)["figures"]) == is_said


def test_an_interval_says_that_it_is_of_the_true_rate(tmp_path: Path) -> None:
    """Beside what a judge that errs calls relevant: an interval of 50 to 86 % stood below 44 %."""
    run = RunInfo("astronomy", "Astronomy", "1", "adaptive", "", None, trained=False, judge="keywords:0")
    standing = Standing(tmp_path, run, is_running=False, pages=100, relevant=44)
    share = Interval(0.68, 0.5, 0.86)
    known = Known(100, JudgeEstimate(Interval(68, 50, 86), share, share, share, "labels", 19, 60), None, None)
    watched = parts_of(Watched(standing), {"known": known, "topic": "astronomy", "job": "1"})
    between = "50.0\N{NO-BREAK SPACE}% to 86.0\N{NO-BREAK SPACE}%"
    assert f">truly {between}<" in watched["figures"]
    assert f"true rate, 95 %: {between}" in render("crawls.html", rows=[(standing, known)])
    assert ">ended<" in watched["state"]


def test_of_a_crawl_that_cannot_be_read_nothing_is_made_up(tmp_path: Path) -> None:
    """Its server may be down: it was said to be killed, with 0 % relevant of late and no alarm."""
    run = RunInfo("astronomy", "Astronomy", "1", "adaptive", "", None, trained=False, state=RUNNING)
    standing = Standing(tmp_path, run, is_running=False, pages=8, relevant=6, fault="No answer.")
    shown = render("crawls.html", rows=[(standing, None)])
    cells = [cell.strip() for cell in re.findall(r"<td[^>]*>(.*?)</td>", shown, re.DOTALL)]
    assert cells[:5] == ['<span class="where">No answer.</span>', "8", "75.0\N{NO-BREAK SPACE}%", "", ""]
