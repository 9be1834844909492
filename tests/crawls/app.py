"""A site whose pages show nothing without a browser, and what a crawl with one did."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import psutil
from playwright.async_api import Page
from playwright.sync_api import sync_playwright

from focused_crawler.edge.rendering.chromium import find_browser
from tests.crawls.site import Answer, Site, write_topic
from tests.project import PATIENCE, Done, Job, crawl

TEXT = "Bees keep honey in the hive. "
SCRIPT = """
fetch('/data' + location.pathname + '.json').then(answer => answer.json()).then(data => {
  const root = document.getElementById('root');
  root.innerHTML = '<h1></h1><p></p>';
  document.title = root.children[0].textContent = data.title;
  root.children[1].textContent = data.text;
  for (const url of data.links) {
    const link = root.appendChild(document.createElement('a'));
    link.href = url;
    link.textContent = 'honey of bees';
  }
});
"""
SETTINGS = (
    "FOCUSED_ALLOWED_NETWORKS=127.0.0.1/32",
    "FOCUSED_RENDER=needed",
    "FOCUSED_RETRY_DELAY=0.1",
    "DOWNLOAD_DELAY=0",
    "STATS_DUMP=True",
)


def shell(script: str = '<script src="/app.js"></script>') -> Answer:
    """Return the page of an app as it is sent."""
    head = "<html><head><title>An app</title></head>"
    return Answer(f'{head}<body><div id="root"></div>{script}</body></html>'.encode())


def script(text: str) -> Answer:
    return Answer(text.encode(), headers={"Content-Type": "text/javascript"})


def data(title: str, links: Sequence[str] = ()) -> Answer:
    """Return what the script of an app asks for."""
    body = json.dumps({"title": title, "text": 20 * TEXT, "links": links})
    return Answer(body.encode(), headers={"Content-Type": "application/json"})


@dataclass(frozen=True)
class App:
    """A site, a topic that starts at its page /0, and a place for crawls."""

    site: Site
    crawls: Path
    topic: Path

    @classmethod
    def on(cls, site: Site, folder: Path, pages: int = 3) -> App:
        """Make an app of so many pages, each of which leads to the next."""
        app = cls(site, folder / "crawls", write_topic(folder, "bees", site.url("/0")))
        site.answers["/app.js"] = [script(SCRIPT)]
        for number in range(pages):
            app.add(f"/{number}", [f"/{number + 1}"] if number + 1 < pages else [])
        return app

    def add(self, path: str, links: Sequence[str]) -> None:
        self.site.answers[path] = [shell()]
        self.site.answers[f"/data{path}.json"] = [data(f"Bees {path}", links)]

    def run_own(self, own: str) -> None:
        """Let the first page run a script of its own."""
        self.site.answers["/0"] = [shell(f"<script>{own}</script>")]

    def words(self, *settings: str, **arguments: object) -> list[str]:
        return crawl(self.topic, self.crawls, *SETTINGS, *settings, **arguments)

    def job(self, name: str = "1") -> Job:
        return Job(self.crawls / "bees" / name)

    def paths(self) -> list[str]:
        """Return what was asked for, in order."""
        return [hit.path for hit in self.site.hits]

    def titles(self, job: str = "1") -> list[str]:
        rows = self.job(job).rows("SELECT title FROM pages ORDER BY position")
        return [row[0] for row in rows]


@cache
def has_browser() -> bool:
    """Tell whether there is a Chromium to render with: the system's, or Playwright's own."""
    if find_browser(None) is not None:
        return True
    with sync_playwright() as driver:
        return Path(driver.chromium.executable_path).exists()


def stats(done: Done) -> dict[str, Any]:
    """Return the stats of a crawl that concern rendering, without their common beginning."""
    found = re.findall(r"'focused/(rendered[^']*)': (\d+)", done.err)
    return {name: ast.literal_eval(value) for name, value in found}


def descendants(process: int) -> list[int]:
    """Return the processes that a process started, and those that they started; none if it is gone."""
    try:
        return [child.pid for child in psutil.Process(process).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def name_of(process: int) -> str:
    """Return what a process runs; empty if it is gone."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def wear_out() -> None:
    """Let a browser render one page only."""
    from focused_crawler.edge.rendering import browser  # noqa: PLC0415 - in the crawl's own process

    browser.MOST_PAGES = 1


def patient() -> None:
    """Let pages take as long as a busy machine needs, but those at /loop, which never end."""
    from focused_crawler.edge.rendering import browser, handler, parts, renderer  # noqa: PLC0415 - as above

    stuck, settle = renderer.STUCK, renderer.settle

    async def patiently(page: Page, *args: Any, **options: Any) -> None:
        renderer.STUCK = stuck if page.url.endswith("/loop") else PATIENCE
        await settle(page, *args, **options)

    browser.RENDER_SECONDS = browser.CLOSE_SECONDS = handler.NAVIGATION_SECONDS = PATIENCE
    parts.PART_SECONDS = PATIENCE
    renderer.settle = patiently


def starve() -> None:
    """Let any browser take too much memory."""
    from focused_crawler.edge.rendering import browser  # noqa: PLC0415 - in the crawl's own process

    browser.MOST_BYTES, browser.WATCH_SECONDS = 1, 0.1
