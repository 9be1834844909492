"""Every place by screen reader, full and empty: axe-core finds nothing, at any size or colour."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from focused_crawler.store.opening import location_of
from focused_crawler.topic.label import Label
from focused_crawler.topic.labels import append
from tests.experiment.test_outcome import made as write_experiment
from tests.project import Scrapy
from tests.workbench.bench import Project, Workbench
from tests.workbench.conftest import NARROW, WIDE

pytestmark = pytest.mark.slow

CRAWL, TOPIC = "/crawls/astronomy/done", "/topics/astronomy"
FOUND = {"serious", "critical", "moderate"}
ALARM = "INSERT INTO decisions (decided_at, decision, rule, detail) VALUES (?, 'alarm', 'stagnation', 'few')"


def opens_a_page(tab: Page) -> None:
    tab.locator("tbody a").first.click()
    tab.wait_for_url("**/page?url=*")


def draws(tab: Page) -> None:
    """Dots are drawn, the parts have come, and all that can be opened is."""
    tab.locator("#chart a").first.wait_for(state="attached")
    expect(tab.locator("#live-failures")).not_to_contain_text("…")
    tab.locator("summary").evaluate_all("all => all.forEach(one => { one.parentElement.open = true; })")


def opens(tab: Page) -> None:
    tab.locator("summary").evaluate_all("all => all.forEach(one => { one.parentElement.open = true; })")


def labels(tab: Page) -> None:
    tab.locator("article").wait_for()
    expect(tab.locator("#precision svg, #precision p").first).to_be_attached()
    opens(tab)


def shows_focus(tab: Page) -> None:
    tab.get_by_role("button", name="By the marks").click()
    expect(tab.locator("#followed p").first).to_be_visible()


def proposes(tab: Page) -> None:
    tab.get_by_role("button", name="Search for start pages").click()
    tab.get_by_role("checkbox").first.wait_for()


def is_wrong(tab: Page) -> None:
    tab.get_by_label("Name").fill("../up")
    tab.get_by_role("button", name="Start the crawl").click()
    expect(tab.get_by_role("alert")).to_be_visible()


def nothing(tab: Page) -> None:
    pass


PLACES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "home": ("/", nothing),
    "topic": (TOPIC, opens),
    "start pages": (TOPIC, proposes),
    "a mistake": (TOPIC, is_wrong),
    "crawl": (CRAWL, draws),
    "pages": (f"{CRAWL}/pages?order=relevance", nothing),
    "found pages": (f"{CRAWL}/pages?words=telescope", nothing),
    "no pages": (f"{CRAWL}/pages?host=nowhere.example", nothing),
    "wrong pages": (f"{CRAWL}/pages?depth=x", nothing),
    "page": (f"{CRAWL}/pages?order=relevance", opens_a_page),
    "unknown page": (f"{CRAWL}/page?url=http://nowhere.example/", nothing),
    "label": (f"{CRAWL}/label", labels),
    "label blindly": (f"{CRAWL}/label?queue=random", labels),
    "train": (f"{TOPIC}/train", opens),
    "train nothing": ("/topics/cooking/train", nothing),
    "taxonomy": (f"{TOPIC}/taxonomy", nothing),
    "a category": (f"{TOPIC}/taxonomy?at=science/earth", shows_focus),
    "compare": (f"{TOPIC}/compare?crawl=done&crawl=other&experiment=try", nothing),
    "compare nothing": ("/topics/cooking/compare", nothing),
    "nothing": ("/nothing", nothing),
}


@pytest.fixture(scope="module", autouse=True)
def full(workbench: Workbench, scrapy: Scrapy) -> None:
    """Crawls that have ended, one with an alarm; labels; a model that waits; an experiment."""
    project: Project = workbench.project
    project.add_topic("cooking")
    folder = project.topics / "astronomy"
    train = ("train", folder, *project.settings)
    assert scrapy.run(*train, environ=project.environ).code == 0
    for job, strategy in (("done", "link_classifier"), ("other", "breadth_first")):
        crawl = project.crawl(scrapy, "astronomy", job, pages=60, profile="offline", strategy=strategy)
        assert crawl.wait().code == 0
    location_of(project.crawls / "astronomy/done").write_beside(ALARM, (time.time(),))
    urls = project.job("astronomy", "done").pages[:4]
    append(folder, [Label(url=url, label="yes", by="Ana", queue="page") for url in urls])
    assert scrapy.run(*train, environ=project.environ).code == 0
    experiment = project.folder / "experiments/try"
    experiment.mkdir(parents=True)
    write_experiment(experiment)


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


def test_nothing_is_found_and_nothing_is_too_wide(tab: Page) -> None:
    """At 1280 pixels in light colours, and at 390 in dark ones."""
    found = {}
    for place, (path, fill) in PLACES.items():
        tab.goto(path)
        fill(tab)
        violations = Axe().run(tab).response["violations"]
        faults = {
            (one["id"], node["html"][:120])
            for one in violations
            if one["impact"] in FOUND
            for node in one["nodes"]
        }
        if tab.evaluate("document.documentElement.scrollWidth > innerWidth"):
            faults.add(("wider than its window", path))
        if faults:
            found[place] = faults
    assert not found
