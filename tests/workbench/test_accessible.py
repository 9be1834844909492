"""Every place by keyboard and screen reader: axe-core finds nothing serious, at any size or colour."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.project import Scrapy
from tests.workbench.bench import Workbench
from tests.workbench.conftest import NARROW, WIDE

pytestmark = pytest.mark.slow

SERIOUS = {"serious", "critical"}
CRAWL, TOPIC = "/crawls/astronomy/done", "/topics/astronomy"
PLACES = {
    "home": "/",
    "topic": TOPIC,
    "crawl": CRAWL,
    "pages": f"{CRAWL}/pages",
    "page": f"{CRAWL}/pages?order=relevance",
    "label": f"{CRAWL}/label",
    "train": f"{TOPIC}/train",
    "taxonomy": f"{TOPIC}/taxonomy",
    "compare": f"{TOPIC}/compare",
    "nothing": "/nothing",
}


@pytest.fixture(scope="module", autouse=True)
def done(workbench: Workbench, scrapy: Scrapy) -> None:
    """A crawl that has ended."""
    assert workbench.project.crawl(scrapy, "astronomy", "done", pages=40, profile="offline").wait().code == 0


@pytest.fixture(params=[("light", WIDE), ("dark", NARROW)], ids=["light, wide", "dark, narrow"])
def tab(request: pytest.FixtureRequest, browser: Browser, workbench: Workbench) -> Iterator[Page]:
    scheme, size = request.param
    context = browser.new_context(
        viewport=size, color_scheme=scheme, base_url=workbench.origin, bypass_csp=True
    )
    page = context.new_page()
    page.goto(workbench.first_url)
    yield page
    context.close()


def test_nothing_serious_is_found_and_nothing_is_too_wide(tab: Page) -> None:
    """At 1280 pixels in light colours, and at 390 in dark ones."""
    found = {}
    for place, path in PLACES.items():
        tab.goto(path)
        if place == "page":
            tab.locator("tbody a").first.click()
            tab.wait_for_url("**/page?url=*")
        if place == "crawl":
            tab.locator("#chart a").first.wait_for(state="attached")
        violations = Axe().run(tab).response["violations"]
        faults = {
            (one["id"], node["html"][:120])
            for one in violations
            if one["impact"] in SERIOUS
            for node in one["nodes"]
        }
        if tab.evaluate("document.documentElement.scrollWidth > innerWidth"):
            faults.add(("wider than its window", path))
        if faults:
            found[place] = faults
    assert not found
