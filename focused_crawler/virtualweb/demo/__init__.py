"""The demo web: about 3,000 pages over 60 hosts, made up from a seed, for newcomers and tests.

It is no yardstick of quality: its topics differ more, and its pages are more alike, than those of real webs.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from focused_crawler.page.url import host_of
from focused_crawler.safety.errors import WebError
from focused_crawler.safety.whole_file import unfinished
from focused_crawler.virtualweb.demo.compose import Composer
from focused_crawler.virtualweb.demo.model import DemoPage
from focused_crawler.virtualweb.demo.oddities import answer, oddities
from focused_crawler.virtualweb.demo.plan import plan_world
from focused_crawler.virtualweb.demo.published import Published
from focused_crawler.virtualweb.demo.topics import write_topics
from focused_crawler.virtualweb.demo.wide import WideComposer, plan_wide_world
from focused_crawler.virtualweb.record import SLOW_HEADER, WebRecord
from focused_crawler.virtualweb.truth import topics_folder
from focused_crawler.virtualweb.writer import WebWriter

NAME = "demo.warc.gz"
_RECORDED = datetime(2025, 1, 1, tzinfo=UTC)


def write_demo_web(
    folder: str | Path, seed: int = 1, *, is_wide: bool = False, has_listings: bool = False
) -> Path:
    """Write the demo web and its topics into a folder, over what is there; return the WARC's path.

    The same seed gives the same bytes. The WARC appears when it is whole. `is_wide`: a web of the other kind,
    called by its seed (`wide`). `has_listings`: some sites have sitemaps, feeds and canonical URLs
    (`published`).
    """
    path = Path(folder) / (f"demo_{seed}.warc.gz" if is_wide else NAME)
    composer = WideComposer(plan_wide_world(seed)) if is_wide else Composer(plan_world(seed))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished(path) as warc:
            with WebWriter(warc) as writer:
                for record in _published(composer) if has_listings else _records(composer):
                    writer.write(record.url, record.status, record.headers, record.body, _RECORDED)
            write_topics(composer.world, topics_folder(path))
    except OSError as error:
        why = f"the demo web cannot be written to {folder} ({error.strerror})"
        raise WebError(f"{why}; free its disk, or name another folder") from error
    return path


def _records(composer: Composer) -> Iterator[WebRecord]:
    world = composer.world
    for page in world.pages:
        record = _record(page, composer.html(page))
        yield record
        if copy := world.mirrored(page):
            yield WebRecord(copy, record.status, record.headers, record.body)
    yield from oddities(world)


def _published(composer: Composer) -> Iterator[WebRecord]:
    published, world = Published(composer), composer.world
    for page in world.pages:
        record = _record(page, published.html(page, composer.html(page)))
        yield record
        yield from published.more(page, record)
        if copy := world.mirrored(page):
            yield WebRecord(copy, record.status, record.headers, record.body)
    robots = {}
    for record in oddities(world):
        if published.names_sitemaps(record.url):
            robots[host_of(record.url)] = record.body
        else:
            yield record
    yield from published.listings(robots)


def _record(page: DemoPage, html: str) -> WebRecord:
    record = answer(page.url, html)
    if page.site.latency:
        record.headers.append((SLOW_HEADER, str(page.site.latency)))
    return record
