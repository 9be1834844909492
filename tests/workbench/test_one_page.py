"""Page, in a real browser: what a crawl knows of one, and what a person says of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from focused_crawler.topic.labels import FILE, read_labels
from tests.project import Job
from tests.workbench.bench import Project, Workbench
from tests.workbench.conftest import NARROW, key_down

PAGES = 80
PATH = "/crawls/astronomy/1"
DEEP = "SELECT url FROM pages WHERE depth >= 2 AND is_relevant = 1 ORDER BY relevance DESC LIMIT 1"


@pytest.fixture
def topic(project: Project, job: Job) -> Iterator[Path]:
    """The topic's folder, without labels."""
    folder = project.topics / "astronomy"
    yield folder
    (folder / FILE).unlink(missing_ok=True)


@pytest.fixture
def url(job: Job) -> str:
    """A relevant page some links from a start page."""
    return str(job.rows(DEEP)[0][0])


def test_what_spoke_for_it(page: Page, job: Job, url: str) -> None:
    """Its relevance, terms and blocks; words that speak for it are marked, with what they add."""
    page.goto(f"{PATH}/pages?relevant=yes")
    page.goto(f"{PATH}/page?url={url}")
    title, relevance = job.rows(f"SELECT title, relevance FROM pages WHERE url = '{url}'")[0]
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.get_by_text(f"its relevance of {relevance:.3f} reaches the threshold")).to_be_visible()
    words = page.get_by_role("table", name="Words for").get_by_role("rowheader")
    marked = page.locator("mark.for").all_inner_texts()
    first = words.first.inner_text().split()[0].lower()
    assert any(first in word.lower() for word in marked)
    assert page.locator(".block").count() > 3
    value = page.locator("mark.for[title]").first.get_attribute("title")
    assert value is not None
    assert value.startswith("+")


def test_the_way_to_it(page: Page, job: Job, url: str) -> None:
    """From a start page by links, each of which opens."""
    page.goto(f"{PATH}/page?url={url}")
    steps = page.locator("ol.way li")
    parents = dict(job.rows("SELECT url, parent FROM pages"))
    way = [url]
    while (parent := parents[way[-1]]) is not None:
        way.append(parent)
    assert steps.count() == len(way) > 2
    expect(steps.last).to_contain_text("this page")
    steps.first.get_by_role("link").click()
    expect(page.locator("main > .url")).to_have_text(way[-1])


def test_links_have_scores_and_ends(page: Page, job: Job, url: str) -> None:
    """The best first; a link that was not fetched opens what is known of it."""
    page.goto(f"{PATH}/page?url={url}")
    rows = job.rows(f"SELECT target, score FROM named_links WHERE source = '{url}' AND score IS NOT NULL")
    table = page.get_by_role("region", name="Links").locator("tbody tr")
    assert table.count() == job.rows(f"SELECT links FROM pages WHERE url = '{url}'")[0][0]
    best = max(score for _, score in rows)
    expect(table.first.locator("td").first).to_have_text(f"{best:.3f}")
    waiting = table.filter(has_text="pending").first
    waiting.get_by_role("link").click()
    expect(page.get_by_text("It is pending:")).to_be_visible()
    assert not page.get_by_role("button").count()


def test_it_is_labelled_and_taken_back(page: Page, topic: Path, url: str) -> None:
    """By keys; what another tab said in the meantime stays."""
    page.goto(f"{PATH}/page?url={url}")
    late = page.context.new_page()
    late.goto(page.url)
    key_down(page, "y")
    expect(page.get_by_role("status").first).to_have_text("Labelled: yes.")
    key_down(late, "n")
    expect(late.get_by_role("status").first).to_contain_text("You have labelled that page elsewhere by now")
    (label,) = read_labels(topic).labels
    assert (label.url, label.label, label.queue) == (url, "yes", "page")
    key_down(page, "u")
    expect(page.get_by_role("status").first).to_have_text("Labelled: unsure.")
    key_down(page, "z")
    expect(page.get_by_role("status").first).to_have_text("Taken back: unsure.")
    key_down(page, "z")
    expect(page.get_by_role("status").first).to_have_text("Taken back: yes.")
    expect(page.get_by_role("button", name="Take back")).to_be_disabled()
    assert read_labels(topic).labels == ()


def test_what_is_no_page_of_the_crawl(page: Page, workbench: Workbench, job: Job) -> None:
    """A URL that nobody saw, and what is none."""
    page.goto(f"{PATH}/page?url=http://nowhere.example/")
    expect(page.get_by_text("It was never seen")).to_be_visible()
    page.goto(f"{PATH}/page?url=javascript:alert(1)")
    expect(page.get_by_role("alert")).to_contain_text("is no URL that a crawl could fetch")


def test_it_fits_a_phone(page: Page, url: str) -> None:
    """Nothing is wider than the screen."""
    page.set_viewport_size(NARROW)
    for place in ("pages", f"page?url={url}", "label"):
        page.goto(f"{PATH}/{place}")
        assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
