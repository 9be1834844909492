"""The demo web month by month: on lively hosts pages change, a few pages go, lists get new articles."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random

from benchmarks.harness import places, scrapy
from focused_crawler.page.url import host_of
from focused_crawler.virtualweb.demo import write_demo_web
from focused_crawler.virtualweb.demo.compose import Composer
from focused_crawler.virtualweb.demo.grammar import Grammar
from focused_crawler.virtualweb.demo.model import DemoPage
from focused_crawler.virtualweb.demo.plan import plan_world
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.record import WebRecord
from focused_crawler.virtualweb.truth import topics_folder
from focused_crawler.virtualweb.writer import WebWriter

LIVELY_HOSTS = 0.25
CHANGES, STILL_CHANGES = 0.4, 0.02  # share of a host's pages a month, lively or not
GOES = 0.01
GROWS = 0.4  # share of the lists on a topic, which get one new article each
TAGGED, DATED = 0.4, 0.3  # shares of hosts whose pages have an ETag, or a Last-Modified; the rest say nothing


class ChangingWeb:
    """A web in a file, which `pass_month` replaces by what came of it. One seed gives one history."""

    def __init__(self, folder: Path, seed: int = 1) -> None:
        self._world = plan_world(seed)
        self._composer = Composer(self._world)
        self._lists = [page for page in self._world.pages if page.kind == "hub" and page.topic]
        base = write_demo_web(folder, seed)
        with VirtualWeb(base) as web:
            self._records = {entry.url: web.read(entry) for entry in web.entries()}
        self._versions = dict.fromkeys(self._records, 0)
        self.path = folder / "changing.warc.gz"
        topics_folder(base).replace(topics_folder(self.path))
        self.month = 0
        self.changed: set[str] = set()
        self.grown: set[str] = set()
        self.new: set[str] = set()
        self._write()

    @property
    def topics(self) -> Path:
        return topics_folder(self.path)

    def pass_month(self) -> None:
        """Let the web change; `changed`, `grown` (lists among these) and `new` are the URLs of that month."""
        self.month += 1
        self.changed, self.grown, self.new = set(), set(), set()
        for url, record in list(self._records.items()):
            if record.status == 200 and record.header("Content-Type").startswith("text/html"):
                self._age(url, record)
        for page in self._lists:
            if self._chance("grows", page.url).random() < GROWS:
                self._grow(page)
        self._write()

    def _age(self, url: str, record: WebRecord) -> None:
        chance = self._chance("ages", url)
        is_lively = self._world.random(f"host {host_of(url)}").random() < LIVELY_HOSTS
        if chance.random() < GOES:
            del self._records[url]
        elif chance.random() < (CHANGES if is_lively else STILL_CHANGES):
            sentences = Grammar("general", chance)
            self._put(url, record, f"<p>{' '.join(sentences.sentence() for _ in range(3))}</p>")

    def _grow(self, page: DemoPage) -> None:
        """Put a new article on a list, if that is still there."""
        record = self._records.get(page.url)
        if record is None:
            return
        title = Grammar(page.subject, self._chance("title", page.url)).title()
        path = f"/news/{page.subject}-{self.month}-{len(self.new)}.html"
        article = DemoPage(page.site, path, title, "article", page.subject)
        html = self._composer.html(article).encode()
        self._records[article.url] = WebRecord(article.url, 200, list(record.headers), html)
        self._versions[article.url] = self.month
        self.new.add(article.url)
        self.grown.add(page.url)
        self._put(page.url, record, f'<ul><li><a href="{article.url}">{title}</a></li></ul>')

    def _put(self, url: str, record: WebRecord, html: str) -> None:
        at = record.body.rfind(b"</body>")
        body = record.body[:at] + html.encode() + record.body[at:] if at >= 0 else record.body + html.encode()
        self._records[url] = WebRecord(url, 200, record.headers, body)
        self._versions[url] = self.month
        self.changed.add(url)

    def _write(self) -> None:
        unfinished = self.path.with_suffix(".part")
        unfinished.unlink(missing_ok=True)
        with WebWriter(unfinished) as writer:
            for url, record in self._records.items():
                writer.write(
                    record.url, record.status, [*record.headers, *self._validators(url)], record.body
                )
        unfinished.replace(self.path)

    def _validators(self, url: str) -> list[tuple[str, str]]:
        luck, version = self._world.random(f"validators {host_of(url)}").random(), self._versions[url]
        if luck < TAGGED:
            return [("ETag", f'"{version}"')]
        return (
            [("Last-Modified", f"Wed, {version + 1:02} Jan 2025 10:00:00 GMT")]
            if luck < TAGGED + DATED
            else []
        )

    def _chance(self, what: str, url: str) -> Random:
        return self._world.random(f"{what} {url} in month {self.month}")


def crawl(
    folder: Path, web: ChangingWeb, topic: str, job: str, pages: int, settings: Mapping[str, object] = {}
) -> None:
    """Crawl the web as it is now, or go on with a crawl of it."""
    arguments = {"topic": web.topics / topic, "job": job, "pages": pages, "profile": "offline"}
    scrapy("crawl", "topic", arguments=arguments, settings={**places(web.path, folder), **settings})
