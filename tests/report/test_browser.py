"""The report in a real Chromium: tables that are sorted and searched, without a request to anybody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from focused_crawler.report.ledger import HostLedger, Ledger
from focused_crawler.report.page import save_report
from focused_crawler.report.summary import BestPage, Findings, HostRow
from focused_crawler.report.tunnels import Tunnel
from tests.report.test_page import changed

PAGES = tuple(
    BestPage(f"http://a.example/{n}", f"Title {n} <b>", n / 40, position=40 - n, depth=n % 3)
    for n in range(40)
)
LEDGER = Ledger((HostLedger("a.example", 41, 2, 0.5, 60.0, 2.0, 2.0, 3, False),), 1, 41, 2, 3)
NARROW = {"width": 390, "height": 800}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    crawl = changed(
        best_pages=tuple(reversed(PAGES)),
        hosts=tuple(HostRow(f"host{n}.example", 40, n) for n in range(30)),
        findings=Findings(tunnels=(Tunnel(0, 90, "http://a.example/1"),), ledger=LEDGER),
    )
    path = tmp_path_factory.mktemp("report") / "report.html"
    return save_report(crawl, [changed(strategy="cbp")], path)


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    """A tab with the report, that asks for nothing else and breaks in no script."""
    asked: list[str] = []
    faults: list[str] = []
    page = browser.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text))
    page.goto(report.as_uri())
    yield page
    page.close()
    assert (asked, faults) == ([report.as_uri()], [])


def test_all_pages_are_searched_and_sorted(page: Page) -> None:
    """Behind a line that opens them: by words of titles and addresses, by each column, both ways."""
    page.get_by_text("All 40 pages").click()
    table = page.get_by_role("region", name="All pages")
    rows = table.locator("tbody tr")
    expect(rows).to_have_count(40)
    page.locator("#pages ~ details").get_by_role("searchbox").fill("TITLE a.example/1")
    expect(rows.filter(visible=True)).to_have_count(11)  # 1, and 10 to 19
    expect(page.locator("#pages ~ details").get_by_role("status")).to_have_text("11 of 40")
    page.locator("#pages ~ details").get_by_role("searchbox").fill("")
    table.get_by_role("button", name="No.").click()
    expect(rows.first).to_contain_text("Title 0 <b>")
    table.get_by_role("button", name="No.").click()
    expect(rows.first).to_contain_text("Title 39 <b>")
    expect(table.locator("[aria-sort=ascending]")).to_have_text("No.")


def test_the_contents_lead_to_each_part(page: Page) -> None:
    """By its heading."""
    links = page.get_by_role("navigation", name="Contents").get_by_role("link")
    assert {"Compared", "The best pages", "Politeness", "Relevant pages behind irrelevant ones"} < set(
        links.all_text_contents()
    )
    for link in links.all():
        name = (link.get_attribute("href") or "")[1:]
        expect(page.locator(f"#{name}")).to_have_text(link.text_content() or "")


def test_a_narrow_screen_scrolls_tables_and_shows_it(page: Page) -> None:
    """The page itself does not scroll to the side; a wide table has a shadow where more of it is."""
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    politeness = page.get_by_role("region", name="Politeness")
    assert politeness.evaluate("one => one.scrollWidth > one.clientWidth")
    assert "scroll" in politeness.evaluate("one => getComputedStyle(one).backgroundAttachment")
    expect(politeness.locator(".short")).to_have_text("0.50 s")  # where 2 s were asked for
