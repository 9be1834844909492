"""One workbench and one browser for the tests of a file; each test has a browser context of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.project import Job, Scrapy
from tests.workbench.bench import Project, Workbench, running

PATIENCE = 30_000  # milliseconds until the browser gives up
expect.set_options(timeout=PATIENCE)
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, new_demo_web: Callable[[], Path]) -> Project:
    """A project with the demo web's topic astronomy."""
    made = Project.make(tmp_path_factory.mktemp("project"), new_demo_web())
    made.add_topic("astronomy")
    return made


@pytest.fixture(scope="module")
def job(scrapy: Scrapy, project: Project, request: pytest.FixtureRequest) -> Job:
    """A crawl that has ended, of as many pages as the file of tests says."""
    crawl = project.crawl(scrapy, "astronomy", "1", pages=request.module.PAGES, profile="offline")
    assert crawl.wait().code == 0
    return project.job("astronomy", "1")


@pytest.fixture(scope="module")
def workbench(scrapy: Scrapy, project: Project) -> Iterator[Workbench]:
    with running(scrapy, project) as workbench:
        yield workbench


@pytest.fixture
def page(browser: Browser, workbench: Workbench) -> Iterator[Page]:
    """A tab that has opened the workbench: nothing may leave it for elsewhere, or break in its scripts."""
    context = browser.new_context(viewport=WIDE, base_url=workbench.origin)
    context.set_default_timeout(PATIENCE)
    strangers: list[str] = []
    faults: list[str] = []
    context.on(
        "request",
        lambda request: (
            None if request.url.startswith((workbench.origin, "data:")) else strangers.append(request.url)
        ),
    )
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "console", lambda said: faults.append(said.text) if "Content Security Policy" in said.text else None
    )
    page.goto(workbench.first_url)
    yield page
    context.close()
    assert not strangers
    assert not faults


def key_down(page: Page, key: str) -> None:
    """Press a key as soon as a script listens."""
    page.wait_for_load_state("domcontentloaded")
    page.keyboard.press(key)
