"""Spiders that others wrote give the same items with the add-on as without, and with a topic beside."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conformance.shop import Asked, open_shop
from tests.crawls.site import write_topic
from tests.project import Done, Scrapy

KINDS = {
    "quotes": 16,
    "goods": 12,
    "map": 4,
    "login": 2,
    "api": 10,
    "scroll": 8,
    "keywords": 4,
    "errback": 8,
    "priority": 9,
    "feed": 2,
}
"""Spider -> so many items it gives."""

STOCK = ("ADDONS={}", "TELNETCONSOLE_ENABLED=False", "REMOTE_CONTROL_ENABLED=False")
SAFE = ("FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8", "DOWNLOAD_DELAY=0")
IN_ONE_ORDER = "CONCURRENT_REQUESTS=1"  # so that a page with several links to it has one referer


class Ran(NamedTuple):
    """What a spider gave, asked for and wrote."""

    done: Done
    items: list[Mapping[str, object]]
    asked: list[Asked]
    feeds: Mapping[str, str]

    @property
    def sorted_items(self) -> list[str]:
        return sorted(json.dumps(item, sort_keys=True) for item in self.items)


def run(scrapy: Scrapy, folder: Path, name: str, *settings: str) -> Ran:
    """Run one of the ten spiders against a shop of its own."""
    folder.mkdir()
    words = ["-a", f"folder={folder}", "-O", f"{folder}/items.jsonl"]
    for setting in ("SPIDER_MODULES=tests.conformance.spiders", *settings):
        words += ["-s", setting]
    with open_shop() as shop:
        done = scrapy.run("crawl", name, "-a", f"base={shop.url}", *words)
    assert done.code == 0, done.err
    items = [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]
    return Ran(done, items, shop.asked, {path.name: path.read_text() for path in folder.glob("own.*")})


def beside(folder: Path) -> tuple[str, ...]:
    """Return the settings of a project with a topic."""
    topic = write_topic(folder, "bees", "http://bees.example/")
    return (*SAFE, f"FOCUSED_TOPIC={topic}", f"FOCUSED_CRAWLS={folder / 'crawls'}")


@pytest.mark.parametrize("name", KINDS)
def test_a_public_spider_gives_what_it_gives_without_us(name: str, scrapy: Scrapy, tmp_path: Path) -> None:
    """Items, feeds and requests, with referers and headers: with the add-on, and with a topic beside."""
    stock = run(scrapy, tmp_path / "stock", name, IN_ONE_ORDER, *STOCK)
    assert len(stock.items) == KINDS[name]
    for kind, settings in {"addon": SAFE, "topic": beside(tmp_path)}.items():
        ours = run(scrapy, tmp_path / kind, name, IN_ONE_ORDER, *settings)
        assert ours.sorted_items == stock.sorted_items
        assert sorted(ours.asked) == sorted(stock.asked)
        assert ours.feeds == stock.feeds
        assert "Traceback" not in ours.done.err
        if name == "priority":
            assert ours.items == stock.items
