"""The crawl's own feed, which Scrapy's feed export writes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from scrapy.exporters import BaseItemExporter
from scrapy.settings import BaseSettings

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.feed import SCHEME, FeedStorage, page_line
from focused_crawler.store.item import PageItem


class PageLineExporter(BaseItemExporter):
    """Writes a page as `correct_feed` does; Scrapy's own looks at all fields anew for each of them."""

    def __init__(self, file: BinaryIO, **given: Any) -> None:
        super().__init__(dont_fail=True, **given)
        self._file = file

    def export_item(self, item: Any) -> None:
        self._file.write(page_line(item))


def add_feed(settings: BaseSettings, feed: Path, fail: Callable[[CrawlError], None]) -> None:
    """Let Scrapy append the crawl's pages to a file, beside the user's feeds (-o).

    `fail` is called where they cannot be written.
    """
    storages, exporters = settings.getdict("FEED_STORAGES"), settings.getdict("FEED_EXPORTERS")
    options = {"format": SCHEME, "overwrite": False, "item_classes": [PageItem]}
    options["batch_item_count"] = 0  # the user's feeds may come in batches
    path = str(feed.resolve())  # no part of the template: in its name, %(time)s is no time
    options["uri_params"] = lambda _params, _spider: {"path": path}
    own = {f"{SCHEME}:%(path)s": options}
    feeds = own | settings.getdict("FEEDS")  # those behind one that fails get nothing
    storages[SCHEME] = partial(FeedStorage, fail)
    exporters[SCHEME] = PageLineExporter
    settings.set("FEEDS", feeds, priority="cmdline")
    settings.set("FEED_STORAGES", storages, priority="cmdline")
    settings.set("FEED_EXPORTERS", exporters, priority="cmdline")
