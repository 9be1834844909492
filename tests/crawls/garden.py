"""A web about bees in two states, one written over the other: pages that change, go, come and stay."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from focused_crawler.virtualweb.writer import WebWriter
from tests.crawls.site import page, write_topic
from tests.project import Job, crawl

HUB = "http://hub.example/"
HOSTS = ("http://a.example", "http://b.example")
PAGES = 20  # articles a host
NEW = [f"{host}/new-{number}" for host in HOSTS for number in range(3)]
ARTICLES = [f"{host}/{number}" for host in HOSTS for number in range(PAGES)]
CHANGED = ["http://a.example/3", "http://a.example/4", "http://b.example/5"]
GONE = ["http://b.example/7", "http://b.example/8"]
MONDAY = "Mon, 06 Jan 2025 10:00:00 GMT"
TUESDAY = "Tue, 07 Jan 2025 10:00:00 GMT"


@dataclass(frozen=True)
class Text:
    """A page: its words, links and version; b.example tells versions by date, all others by tag.

    `extra`: more HTML, which the tag does not tell of unless it is given.
    """

    url: str
    links: list[str] = field(default_factory=list)
    version: int = 1
    subject: str = "Bees keep honey in the hive"
    extra: str = ""
    tag: str = ""

    @property
    def body(self) -> bytes:
        words = f"{self.subject}, version {self.version}."
        body = page(self.url.removeprefix("http://"), self.links, words).body
        return body.replace(b"</body>", self.extra.encode() + b"</body>")

    @property
    def headers(self) -> dict[str, str]:
        is_dated = self.url.startswith("http://b.example")
        dated = {"Last-Modified": MONDAY if self.version == 1 else TUESDAY}
        tagged = {"ETag": f'"{self.tag or self.version}"'}
        return {"Content-Type": "text/html"} | (dated if is_dated else tagged)


def first_state() -> dict[str, Text]:
    """Return a hub that leads to all articles."""
    return {HUB: Text(HUB, ARTICLES)} | {url: Text(url, [HUB]) for url in ARTICLES}


def second_state() -> dict[str, Text]:
    """Return what came of it: three articles changed, two gone, and six new ones on the hub."""
    state = {url: text for url, text in first_state().items() if url not in GONE}
    for url in CHANGED:
        state[url] = replace(state[url], version=2)
    state[HUB] = Text(HUB, [*ARTICLES, *NEW], version=2)
    return state | {url: Text(url, [HUB]) for url in NEW}


@dataclass(frozen=True)
class Garden:
    """The web's file, the topic, and its crawls."""

    path: Path
    topic: Path
    crawls: Path

    @classmethod
    def planted(cls, folder: Path) -> Garden:
        """Return the web in its first state."""
        garden = cls(folder / "garden.warc.gz", write_topic(folder, "bees", HUB), folder / "crawls")
        garden.become(first_state())
        return garden

    def become(self, state: dict[str, Text]) -> None:
        """Write a state in the place of the last one."""
        self.path.unlink(missing_ok=True)
        with WebWriter(self.path) as writer:
            for text in state.values():
                writer.write(text.url, 200, list(text.headers.items()), text.body)

    def words(self, *settings: str, **arguments: object) -> list[str]:
        web = (f"FOCUSED_WEB={self.path}", "CONCURRENT_REQUESTS=1", *settings)
        return crawl(self.topic, self.crawls, *web, **arguments)

    def job(self, name: str) -> Job:
        return Job(self.crawls / "bees" / name)
