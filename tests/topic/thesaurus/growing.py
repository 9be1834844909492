"""Pages about rust on many sites, and others, for what grows a thesaurus."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random

from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.page.stored_text import stored_text
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.store.opening import open_crawl_database
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.thesaurus.document_counts import SourceText

_FILLER = "council mayor street market weather train school vote budget park river winter garden"


def rust_pages(number: int = 30) -> list[SourceText]:
    """Return pages that speak of rust, epoxy primer and zinc anodes, each site with a menu of its own."""
    return [SourceText(f"https://rust{n % 10}.example/{n}", _page(n, about=True)) for n in range(number)]


def other_pages(number: int = 60) -> list[SourceText]:
    return [SourceText(f"https://town{n % 15}.example/{n}", _page(n, about=False)) for n in range(number)]


def write_crawl(folder: Path, relevant: Iterable[SourceText], other: Iterable[SourceText]) -> Path:
    """Write a crawl that fetched these pages."""
    run = RunInfo("rust", "Rust", "1", "lpe", "", None, trained=True)
    folder.mkdir(exist_ok=True)
    write_run(folder, run)
    with open_crawl_database(folder, "", run) as database:
        store = PageStore(database)
        store.begin_run({}, {})
        for is_relevant, texts in ((True, relevant), (False, other)):
            for text in texts:
                page = Page("", "", text.text, Sections(), Outline(is_heading=False))
                store.record_page(
                    PageItem(
                        url=text.url, fetched_at=1.0, relevance=float(is_relevant), is_relevant=is_relevant,
                        text=stored_text(page),
                    )
                )  # fmt: skip
        database.commit()
    return folder


def _page(number: int, *, about: bool) -> str:
    random = Random(number + 1000 * about)
    words = " and the ".join(random.sample(_FILLER.split(), 5))
    if not about:
        return f"It is the {words}. They have a market square."
    parts = [
        f"Blastex{number % 10} menu, the {words}.",
        "The rust of the hull comes back.",
        "They paint it with an epoxy primer, again." if number % 3 else "",
        "A zinc anode is there." if number % 2 else "An anode is a piece of metal.",
        "It was made by Jotun." if number % 4 < 2 else "",
    ]
    return " ".join(parts)
