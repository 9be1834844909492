"""The whole loop through the page alone: from words to an accepted model, in a crawl that runs."""

from __future__ import annotations

import csv
import io
import re

import pytest
from playwright.sync_api import Page, expect

from focused_crawler.store.opening import is_in_use
from focused_crawler.topic.labels import read_labels
from tests.project import Scrapy, until
from tests.workbench.bench import Project, Workbench, running
from tests.workbench.conftest import key_down

pytestmark = pytest.mark.slow

LABELS = 15
LONG = 120_000  # milliseconds that a training may take on a busy machine
WAITING = "SELECT url, priority FROM urls WHERE state = 1"


@pytest.fixture(scope="module")
def workbench(scrapy: Scrapy, project: Project):
    """One whose crawls go on for minutes while somebody labels; trainings ask no faster, but for less."""
    slow = {"FOCUSED_WEB_LATENCY": 0.15, "CONCURRENT_REQUESTS": 1, "FOCUSED_BACKGROUND": 30}
    words = [word for name, value in slow.items() for word in ("-s", f"{name}={value}")]
    with running(scrapy, project, *words) as workbench:
        yield workbench


def test_from_words_to_an_accepted_model(page: Page, workbench: Workbench) -> None:
    """Each step is where the one before leads, and its end is in files and database."""
    project, job = workbench.project, workbench.project.job("night-sky", "1")
    page.get_by_label("Title").fill("Night sky")
    page.get_by_label("Words and phrases").fill("telescope\ngalaxy\ncomet\nplanet\nconstellation")
    page.get_by_role("button", name="Make the topic").click()
    page.get_by_role("button", name="Search for start pages").click()
    page.get_by_role("button", name="Take the checked ones").click()
    page.get_by_label("Pages at most", exact=True).fill("5000")  # more than there are
    page.get_by_role("button", name="Start the crawl").click()
    expect(page.get_by_role("status")).to_have_text("The crawl has begun.")
    expect(page.locator("#chart a").nth(40)).to_be_attached(timeout=LONG)

    page.get_by_role("link", name="Label", exact=True).click()
    for number in range(1, LABELS + 2):
        expect(page.get_by_text(f"{number} of 20", exact=True)).to_be_visible()
        words = page.locator("article").inner_text().lower()
        is_about = re.search("telescope|galax|comet|planet|star", words) is not None
        key_down(page, "y" if is_about else "n")
    expect(page.get_by_text(f"{LABELS + 2} of 20", exact=True)).to_be_visible()
    key_down(page, "z")
    expect(page.get_by_text(f"{LABELS + 1} of 20", exact=True)).to_be_visible()
    given = read_labels(project.topics / "night-sky").by_key.values()
    assert len([one for one in given if one.answer is not None]) == LABELS

    page.get_by_role("link", name="Train", exact=True).click()
    key_down(page, "t")
    expect(page.get_by_role("heading", name="Training", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Let the crawl go by it")).to_be_visible(timeout=LONG)
    expect(page.get_by_role("row", name="F1")).to_contain_text("to")
    before = dict(job.rows(WAITING))
    page.on("dialog", lambda dialog: dialog.accept())  # on so few labels, words may judge as well as it
    key_down(page, "a")
    expect(page.get_by_role("heading", name="Accepting the new model")).to_be_visible()
    until(lambda: job.rows("SELECT count(*) FROM orders WHERE what = 'model' AND done_at > 0") == [(1,)])
    now = dict(job.rows(WAITING))
    assert sum(now[url] != before[url] for url in now.keys() & before.keys()) > 10
    until(lambda: job.run["judge"].startswith("model:"))  # run.json follows the database

    page.get_by_role("link", name="Crawl", exact=True).click()
    expect(page.locator("#live-figures")).to_contain_text(job.run["judge"])
    expect(page.locator("#live-orders")).to_contain_text("pages judged by model:")
    page.get_by_role("button", name="Stop the crawl").click()
    until(lambda: not is_in_use(job.folder))
    assert job.run["reason"] == "told_to_stop"
    page.get_by_role("link", name="Pages", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text("utf-8-sig"))))
    assert {row["url"] for row in rows} == {url for (url,) in job.rows("SELECT url FROM pages")}
