"""Pages, in a real browser: what a table shows is what the crawl's database has."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from threading import Timer

import pytest
from filelock import FileLock
from playwright.sync_api import Page, expect

from focused_crawler.topic.label import Label
from focused_crawler.topic.labels import FILE, append
from tests.project import Job, until
from tests.workbench.bench import Project, Workbench
from tests.workbench.conftest import key_down

PAGES = 130
PATH = "/crawls/astronomy/1/pages"


@pytest.fixture
def labels(project: Project, job: Job) -> Iterator[dict[str, str]]:
    """What people have said of its first pages."""
    said = dict(zip(job.pages, ("yes", "no", "unsure", "no"), strict=False))
    folder = project.topics / "astronomy"
    append(folder, [Label(url=url, label=one, by="Ana", queue="page") for url, one in said.items()])
    yield said
    (folder / FILE).unlink()


def shown(page: Page) -> list[str]:
    """Return the URLs of the table, once the whole page is there."""
    page.wait_for_load_state()
    return page.locator("tbody .url").all_inner_texts()


def urls(job: Job, condition: str = "1 = 1", order: str = "position DESC") -> list[str]:
    return [url for (url,) in job.rows(f"SELECT url FROM pages WHERE {condition} ORDER BY {order}")]


def test_screens_follow_each_other(page: Page, job: Job) -> None:
    """By keys, forwards and back; each has an address of its own, and a title."""
    page.goto(PATH)
    expect(page).to_have_title("Pages, crawl 1 of astronomy · Workbench")
    found = [shown(page)]
    for first in (51, 101):
        page.keyboard.press("ArrowRight")
        expect(page.get_by_text(f"{first} to {min(first + 49, PAGES)} of {PAGES} pages.")).to_be_visible()
        found.append(shown(page))
    assert [url for screen in found for url in screen] == urls(job)
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("51 to 100 of")).to_be_visible()
    assert shown(page) == found[1]
    page.goto(page.url)
    assert shown(page) == found[1]


@pytest.mark.parametrize(
    ("asked", "condition", "order"),
    [
        ({"Relevant": "yes", "Order": "most relevant first"}, "is_relevant = 1", "relevance DESC, position"),
        ({"Relevant": "no", "Order": "by host"}, "is_relevant = 0", "host, position"),
        ({"Depth": "1", "Order": "oldest first"}, "depth = 1", "position"),
        (
            {"Relevance from": "0.2", "to": "0.9", "Order": "least relevant first"},
            "relevance BETWEEN 0.2 AND 0.9",
            "relevance, position",
        ),
    ],
)
def test_what_is_asked_for_is_shown(
    page: Page, job: Job, asked: dict[str, str], condition: str, order: str
) -> None:
    """By the form alone, which then says what it was asked."""
    page.goto(PATH)
    form = page.get_by_role("search")
    for name, value in asked.items():
        field = form.get_by_label(name, exact=True)
        if field.evaluate("one => one.tagName") == "SELECT":
            field.select_option(label=value)
        else:
            field.fill(value)
    form.get_by_role("button", name="Show").press("Enter")
    expected = urls(job, condition, order)
    expect(page.get_by_text(f"of {len(expected)} pages")).to_be_visible()
    assert shown(page) == expected[:50]
    assert "relevan" in page.title() or "link from a start page" in page.title()
    for name, value in asked.items():
        field = form.get_by_label(name, exact=True)
        if field.evaluate("one => one.tagName") == "INPUT":
            expect(field).to_have_value(value)


def test_words_are_searched_for(page: Page, job: Job) -> None:
    """The best first; filters narrow what was found; a host may be clicked."""
    page.goto(PATH)
    key_down(page, "/")
    page.keyboard.type("telescope mirror")
    page.keyboard.press("Enter")
    expect(page.get_by_text("with the words telescope mirror")).to_be_visible()
    until(lambda: page.reload() and not page.get_by_text("not in the index of words yet").count())
    found = shown(page)
    assert 0 < len(found) <= 50
    assert "telescope" in page.locator("tbody tr").first.inner_text().lower()
    host = page.locator("tbody tr td:nth-child(5)").first.inner_text()
    page.goto(f"{page.url}&host={host}&relevant=yes")
    on_host = [url for url in found if f"//{host}/" in url and url in urls(job, "is_relevant = 1")]
    assert shown(page)[: len(on_host)] == on_host
    page.goto(PATH)
    page.locator("tbody tr td:nth-child(5) a").first.click()
    assert {url.split("/")[2] for url in shown(page)} == {page.get_by_label("Host").input_value()}


def test_labels_are_shown_and_asked_for(page: Page, job: Job, labels: dict[str, str]) -> None:
    """As soon as they are in the topic's file."""
    page.goto(f"{PATH}?label=any&order=oldest")
    assert page.locator("tbody tr td:nth-child(3)").all_inner_texts() == list(labels.values())
    page.goto(f"{PATH}?label=no")
    assert shown(page) == [url for url in reversed(labels) if labels[url] == "no"]
    page.goto(f"{PATH}?label=none")
    expect(page.get_by_text(f"of {PAGES - len(labels)} pages")).to_be_visible()


def test_why_is_said_in_a_few_words(page: Page, job: Job) -> None:
    """Words for it that its title or text has; of a page without any, that."""
    page.goto(f"{PATH}?order=relevance")
    words = page.locator("tbody tr .why").first.locator(".for bdi").all_inner_texts()
    assert words
    page.locator("tbody tr a").first.click()
    text = page.locator("main").inner_text()
    assert all(word in text for word in words)


def test_what_nobody_can_ask_for(page: Page, job: Job) -> None:
    """A line says what can be asked; what lets nothing through says what to do."""
    page.goto(f"{PATH}?depth=x&low=7")
    expect(page.get_by_role("alert")).to_contain_text("use the number of links from a start page")
    page.goto(f"{PATH}?words=the+of")
    expect(page.get_by_role("alert")).to_contain_text("has no word that pages could be told apart by")
    page.goto(f"{PATH}?host=nowhere.example")
    expect(page.get_by_text("No page is at nowhere.example. Ask for less")).to_be_visible()
    page.get_by_role("link", name="see all pages").click()
    expect(page.get_by_text(f"of {PAGES} pages")).to_be_visible()


def test_what_is_shown_can_be_saved(page: Page, job: Job, labels: dict[str, str]) -> None:
    """All of the view and not its first screen, in order of recording, as `scrapy export` writes it."""
    page.goto(f"{PATH}?label=none&order=relevance")
    expected = [url for url in urls(job, order="position") if url not in labels]
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == "astronomy-1-pages.csv"
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
    assert [row["url"] for row in rows] == expected
    with page.expect_download() as download:
        page.get_by_role("link", name="URLs").click()
    assert download.value.path().read_text().split() == expected
    for kind, first in (("PARQUET", b"PAR1"), ("WARC", b"\x1f\x8b")):
        with page.expect_download() as download:
            page.get_by_role("link", name=kind).click()
        assert download.value.path().read_bytes().startswith(first)


def test_a_file_has_all_that_the_words_find(workbench: Workbench, job: Job) -> None:
    """Also where another process is still at work on the index of words."""
    index, path = job.folder / "search.db", f"{PATH}/save/urls?words=telescope"
    expected = workbench.ask(path, headers={"Cookie": workbench.cookie()}).text
    index.unlink()
    lock = FileLock(f"{index}.lock", thread_local=False)
    lock.acquire()
    Timer(3.0, lock.release).start()
    assert expected
    assert workbench.ask(path, headers={"Cookie": workbench.cookie()}).text == expected


def test_why_nothing_was_saved_is_shown(page: Page, job: Job) -> None:
    """A browser shows it in the place of the table, and not as a download that failed."""
    page.goto(PATH)
    away = job.folder.rename(job.folder.with_name("away"))
    try:
        page.get_by_role("link", name="CSV").click()
        expect(page.get_by_role("alert")).to_contain_text("no crawl")
    finally:
        away.rename(job.folder)
