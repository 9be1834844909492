"""A worker that records all of a number of pages, in an order of its own, and says so after each transaction.

python tests/store/page_writer.py ADDRESS SCHEMA SEED PAGES
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore
from focused_crawler.store.postgresql.database import PostgresqlSchema

BATCH = 16
LINKS = 10


def url_of(number: int) -> str:
    return f"http://host{number % 50}.org/{number}"


def record(store: PageStore, number: int) -> None:
    """Record a page as any worker finds it; some failed at first."""
    if number % 7 == 0:
        store.record_failure(url_of(number), "timeout")
    page = PageItem(
        url=url_of(number),
        fetched_at=1.0,
        relevance=number % 10 / 10,
        is_relevant=number % 10 >= 5,
        size=number,
        text=b"words" if number % 2 else b"",
    )
    if store.record_page(page):
        links = [(url_of(number * 3 + link), "anchor", 0, 0.5) for link in range(LINKS)]
        store.record_links(page.url, links)
    if number % 11 == 0:
        store.record_failure(f"{url_of(number)}/missing", "http_404")


def main() -> None:
    address, schema, seed, pages = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    numbers = random.Random(seed).sample(range(pages), pages)
    with CrawlDatabase(PostgresqlSchema(address, schema, shared=True)) as database:
        store = PageStore(database)
        for first in range(0, pages, BATCH):
            with database.locked_transaction():
                if seed % 2:
                    store.prefetch(map(url_of, numbers[first : first + BATCH]), [])
                for number in numbers[first : first + BATCH]:
                    record(store, number)
            print(*numbers[first : first + BATCH], flush=True)  # these are stored


if __name__ == "__main__":
    try:
        main()
    except CrawlError as error:
        sys.exit(str(error))
