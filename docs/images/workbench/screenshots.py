"""Screenshots of all places of the workbench, at two widths, light and dark, into the folder of this file.

    .venv/bin/python -m docs.images.workbench.screenshots

Over a crawl of the demo web that runs, in a temporary folder; a real Chromium takes them.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import Browser

from docs.images.pictures import HEIGHT, SCHEMES, WIDTHS, open_browser, shrink
from focused_crawler.crawl.process import CrawlProcess, start_crawl
from focused_crawler.store.opening import read_crawl
from focused_crawler.virtualweb.demo import write_demo_web

HERE = Path(__file__).parent
TOPIC = "astronomy"
PAGES = 150
"""The crawl has so many when the first picture is taken."""


def places(crawl: CrawlProcess, baseline: CrawlProcess) -> dict[str, str]:
    """Return the name of each place -> its path."""
    with read_crawl(crawl.folder) as database:
        url = database.rows("SELECT url FROM pages WHERE is_relevant = 1 AND links > 8 ORDER BY position")[3][
            0
        ]
    job, topic = f"/crawls/{TOPIC}/{crawl.folder.name}", f"/topics/{TOPIC}"
    jobs = urlencode([("crawl", crawl.folder.name), ("crawl", baseline.folder.name)])
    return {
        "home": "/",
        "crawl": job,
        "pages": f"{job}/pages",
        "page": f"{job}/page?{urlencode({'url': url})}",
        "label": f"{job}/label",
        "train": f"{topic}/train",
        "taxonomy": f"{topic}/taxonomy",
        "compare": f"{topic}/compare?{jobs}",
    }


def crawls(folder: Path, web: Path) -> tuple[CrawlProcess, CrawlProcess]:
    """Start a focused crawl that goes on for minutes; one breadth-first that has ended."""
    topic = str(folder / f"demo.topics/{TOPIC}")
    settings = {"FOCUSED_WEB": web, "FOCUSED_MODELS": folder / "models"}
    common = {"profile": "offline"}
    baseline = start_crawl(
        topic,
        folder / "crawls",
        {**common, "strategy": "breadth_first", "pages": 300, "job": "breadth-first"},
        settings,
    )
    baseline.wait()
    slow = {**settings, "FOCUSED_WEB_LATENCY": 0.3}
    crawl = start_crawl(topic, folder / "crawls", {**common, "job": "focused", "pages": 2000}, slow)
    crawl.wait_until_begun()
    while not _has_pages(crawl):
        time.sleep(1.0)
    return crawl, baseline


def _has_pages(crawl: CrawlProcess) -> bool:
    with read_crawl(crawl.folder) as database:
        return bool(database.rows("SELECT 1 FROM pages WHERE position = ?", (PAGES,)))


def take(browser: Browser, first_url: str, paths: dict[str, str]) -> None:
    """Take all pictures."""
    parts = urlsplit(first_url)
    for width in WIDTHS:
        for scheme in SCHEMES:
            size = {"width": width, "height": HEIGHT}
            context = browser.new_context(
                viewport=size, color_scheme=scheme, base_url=f"{parts.scheme}://{parts.netloc}"
            )
            page = context.new_page()
            page.goto(first_url)
            page.goto(paths["label"])
            page.locator("article").wait_for(timeout=60_000)  # its pages are chosen while one waits
            for place, path in paths.items():
                answer = page.goto(path)
                if answer is None or not answer.ok:
                    print(f"no {place}: {path}", file=sys.stderr)
                    continue
                page.wait_for_timeout(2500)
                picture = HERE / f"{place}-{width}-{scheme}.png"
                page.screenshot(path=picture, full_page=width > 1000, animations="disabled")
                shrink(picture)
            context.close()


def main() -> None:
    """Make crawls, open the workbench, take the pictures, and leave nothing behind."""
    folder = Path(tempfile.mkdtemp(prefix="workbench-"))
    web = folder / "web.warc.gz"  # by another name than the demo's: no ground truth lies beside it
    write_demo_web(folder).rename(web)
    crawl, baseline = crawls(folder, web)
    given = {"CRAWLS": folder / "crawls", "WEB": web, "MODELS": folder / "models", "SEARCH": "local"}
    words = [word for name, value in given.items() for word in ("-s", f"FOCUSED_{name}={value}")]
    command = [sys.executable, "-m", "focused_crawler", "ui", "--no-browser", "--port", "0", *words]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own words
    try:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None, "the workbench did not start"
        with open_browser() as browser:
            take(browser, found[0], places(crawl, baseline))
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()
        crawl.process.kill()
        crawl.wait()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
