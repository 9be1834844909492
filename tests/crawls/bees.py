"""A crawl of sixty pages, to be stopped, killed and hindered."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from focused_crawler.crawl.journal import COMMIT_PAGES
from tests.crawls.site import Answer, Site, page, write_topic
from tests.project import Job, crawl

PAGES = 60
CONCURRENCY = 8
AGAIN = CONCURRENCY + COMMIT_PAGES  # pages fetched again after a crash: in flight, or not committed yet
SETTINGS = (
    "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8",
    "FOCUSED_RETRY_DELAY=0.1",
    "DOWNLOAD_DELAY=0",
    f"CONCURRENT_REQUESTS={CONCURRENCY}",
    f"CONCURRENT_REQUESTS_PER_DOMAIN={CONCURRENCY}",
)


class Bees:
    """Sixty pages and as many dead links; a topic and a place for its crawls."""

    def __init__(self, site: Site, folder: Path, hosts: int = 1) -> None:
        self.site, self.hosts = site, hosts
        self.crawls = folder / "crawls"
        self.topic = write_topic(folder, "bees", site.url("/0"))
        for number in range(PAGES):
            children = [child for child in (2 * number + 1, 2 * number + 2) if child < PAGES]
            links = [self.url(child) for child in (*children, (7 * number) % PAGES)]
            words = "Bees keep honey in the hive." if number % 2 else "Cars drive on the road."
            site.answers[f"/{number}"] = [page(f"number {number}", [f"/dead-{number}", *links], words)]

    def url(self, number: int) -> str:
        return self.site.url(f"/{number}", f"127.0.0.{1 + number % self.hosts}")

    def words(self, *settings: str, **arguments: object) -> list[str]:
        return crawl(self.topic, self.crawls, *SETTINGS, *settings, **arguments)

    def job(self, name: str = "1") -> Job:
        return Job(self.crawls / "bees" / name)

    def hits(self) -> Counter[str]:
        return Counter(hit.path for hit in self.site.hits if hit.path[1:].isdecimal())

    def redirect(self, path: str, to: str) -> None:
        """Let a page be found elsewhere."""
        self.site.answers[to] = self.site.answers[path]
        self.site.answers[path] = [Answer(status=302, headers={"Location": to})]

    def slow_down(self, seconds: float) -> None:
        for path, (answer, *_) in self.site.answers.items():
            self.site.answers[path] = [answer._replace(delay=seconds)]
