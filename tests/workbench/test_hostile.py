"""What a hostile web wrote into a crawl is text on every place, and nothing else."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.page.stored_text import stored_text
from focused_crawler.safety.printable import UNSAFE
from focused_crawler.store import orders
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.store.pages import PageStore
from focused_crawler.workbench.app import ROUTES
from tests.workbench.bench import Workbench
from tests.workbench.conftest import PATIENCE

EVIL = (
    "<script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\">"
    " ' \" {{ 7*7 }} \u202egnp.exe\x1b[2J\x00"
)
UNSEEN = "\u200b \ufeff\u00ad"
URLS = [
    "http://a.example/plain",
    "http://a.example/?q=<script>document.title='hacked'</script>",
    "http://a.example/'\"><svg/onload=document.title='hacked'>",
    "http://a.example/\u202egnp.html",
    "http://a.example/" + "x" * 3000,
    "javascript:document.title='hacked'",
]
TAGS = re.compile("<script>document|<img src=x|<svg/onload")
NAMES = {"topic": "astronomy", "job": "hostile", "kind": "csv"}


@pytest.fixture(scope="module")
def hostile(workbench: Workbench) -> None:
    """A crawl whose every text is hostile."""
    folder = workbench.project.crawls / "astronomy/hostile"
    folder.mkdir(parents=True)
    topic = str(workbench.project.topics / "astronomy")
    run = RunInfo("astronomy", EVIL, "hostile", EVIL, "", None, trained=False, judge="keywords:0")
    run = replace(run, judged_by=EVIL, state="finished", reason=EVIL, settings={"FOCUSED_TOPIC": topic})
    with CrawlDatabase(folder / "crawl.db") as database:
        store = PageStore(database)
        store.begin_run({}, {}, None, "", "keywords:0")
        for number, url in enumerate(URLS):
            title = UNSEEN if url == URLS[-1] else EVIL
            about = {"relevance": number / 5, "is_relevant": number > 2, "title": title, "status": 200}
            text = stored_text(Page(url, EVIL, f"{EVIL} stars", Sections(), Outline(is_heading=False)))
            page = PageItem(url=url, fetched_at=1.0, text=text, **about)
            store.record_page(page)
            store.record_links(url, [(other, EVIL, 0, 0.5) for other in URLS])
            store.record_failure(f"{url}#{number}", EVIL)
            store.record_decision("alarm", EVIL, detail=EVIL)
        store.commit()
    write_run(folder, run)
    orders.give(folder, EVIL, EVIL)


def paths() -> list[str]:
    """Return all places that a GET shows, with the names of the hostile crawl; streams never end."""
    shown = {route.path for route in ROUTES if route.methods is not None and "GET" in route.methods}
    return sorted(path for path in shown if not path.endswith("/live"))


@pytest.mark.parametrize("path", paths())
@pytest.mark.usefixtures("hostile")
def test_no_answer_has_a_tag_or_a_mark_of_it(workbench: Workbench, path: str) -> None:
    """Markup is escaped, direction and control characters are shown; `{{` is not evaluated."""
    cookie = {"Cookie": workbench.cookie()}
    for url in URLS if path.endswith("/page") else [""]:
        answer = workbench.ask(f"{path.format(**NAMES)}?{urlencode({'url': url})}", headers=cookie)
        assert answer.status < 500, answer.text
        if "Content-Disposition" not in answer.headers:  # which no browser shows
            assert not set(UNSAFE.findall(answer.text)) - {"\n", "\r", "\t"}
        if "html" in answer.headers.get("Content-Type", ""):
            assert not TAGS.findall(answer.text)


@pytest.mark.usefixtures("hostile")
def test_a_browser_runs_nothing_of_it(page: Tab) -> None:
    """Neither at once nor when parts and dots arrive; the texts can be read."""
    page.goto("/crawls/astronomy/hostile")
    expect(page.locator("#live-alarms")).to_contain_text("<script>document.title='hacked'</script>")
    expect(page.locator("#live-alarms")).to_contain_text("\\u202egnp.exe\\x1b[2J")
    expect(page.locator("#live-failures")).to_contain_text("<script>")
    expect(page.locator("#chart a")).to_have_count(len(URLS))
    links = page.locator("#chart a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert all(link.startswith("/crawls/astronomy/hostile/page?url=") for link in links)
    page.locator("#chart a").last.focus()
    expect(page.locator("#chart-said")).to_contain_text("javascript:document")
    page.wait_for_timeout(500)
    assert page.title().startswith("Crawl hostile of <script>")


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize("place", ["pages?words=stars", "page?url=http://a.example/plain", "label"])
def test_its_pages_are_read_as_text(page: Tab, place: str) -> None:
    """In the table, on the place of a page with its words and links, and on the card that is labelled."""
    page.goto(f"/crawls/astronomy/hostile/{place}")
    main = page.locator("main")
    written = "<script>document.title='hacked'</script><img src=x onerror="
    expect(main).to_contain_text(written, timeout=PATIENCE)
    expect(main).to_contain_text("{{ 7*7 }} \\u202egnp.exe\\x1b[2J")
    assert not page.locator("main script, main img, main svg [onload], main [onerror]").count()
    assert page.evaluate("[...document.querySelectorAll('main a')].every(one => one.href.startsWith(origin))")
    assert page.title() != "hacked"


@pytest.mark.usefixtures("hostile")
def test_a_title_that_nobody_sees_is_none(page: Tab) -> None:
    """What leads to its page can be seen, clicked and read aloud."""
    page.goto("/crawls/astronomy/hostile/pages")
    expect(page.get_by_role("link", name="(no title)")).to_have_count(1)
