"""Crawls to count, written down as crawls do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import FINISHED, RunInfo, write_run
from focused_crawler.store.pages import PageStore


@dataclass(frozen=True)
class Found:
    """A page as a crawl found it."""

    links: tuple[str, ...] = ()
    relevant: bool = True
    depth: int = 1
    asked: str | None = None  # what led here
    copy_of: str | None = None
    target: bool | None = None
    hubness: float | None = None


Web = Mapping[str, Found]


def record(database: CrawlDatabase, web: Web) -> None:
    """Write pages with their links into a crawl's database."""
    store = PageStore(database)
    for url, page in web.items():
        store.record_links(url, [(target, "", 0, 0.5) for target in page.links])
        store.record_page(
            PageItem(
                url=url, fetched_at=1.0, relevance=0.9 if page.relevant else 0.1, depth=page.depth,
                is_relevant=page.relevant, requested_url=page.asked, duplicate_of=page.copy_of,
                is_target=page.target, links=len(page.links), hubness=page.hubness,
            )
        )  # fmt: skip
    store.commit()


def run_info(job: str = "1", topic: str = "bees", started: float = 1e9) -> RunInfo:
    return RunInfo(topic, "Bees", job, "lpe", "", None, trained=True, state=FINISHED, started=started)


def crawl(folder: Path, web: Web, topic: str = "bees", started: float = 1e9) -> Path:
    """Make the folder of a crawl; its name is the job's."""
    with CrawlDatabase(folder / "crawl.db") as database:
        record(database, web)
    write_run(folder, run_info(folder.name, topic, started))
    return folder


def articles(host: str, number: int, *, relevant: bool = True) -> dict[str, Found]:
    """Pages of a host that link to nothing."""
    return {f"http://{host}/{n}": Found(relevant=relevant) for n in range(number)}


def site(host: str, relevant: int, other: int = 0) -> dict[str, Found]:
    """A relevant start page that links to so many relevant pages, and pages that are not."""
    good = articles(host, relevant)
    bad = {f"http://{host}/no-{n}": Found(relevant=False) for n in range(other)}
    return {f"http://{host}/": Found((*good, *bad), depth=0), **good, **bad}
