"""What a search over the pages of a crawl takes: 100,000 of real length.

    .venv/bin/python benchmarks/search_speed.py [--web WARC] [--pages N] [--json FILE]

Pages are those of a recorded web, over and over: from the second time on each has a stretch of three tenths
of its words from another one, so that no two are alike. They are recorded as a crawl records them, in a
temporary folder, and searched as `scrapy search` does it: ranking, reading ten pages back, snippets. The
queries are two or three words each, of four kinds: from titles of pages, which is what people search for;
among the 1,000 most frequent terms; among the 100 most frequent; the hardest, among the ten most frequent.
Each is asked twice and the second time counts, as the first may find its part of the file not yet in
memory. Milliseconds are of CPU.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from focused_crawler.discovery.search.crawl import FILE, search_crawl
from focused_crawler.discovery.search.local import LocalSearch
from focused_crawler.discovery.search.wording import read_wording
from focused_crawler.page.kept_text import kept_text
from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.store.pages import PageStore
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

WEB = Path(__file__).resolve().parents[2] / "shared/webs/openweb.warc.gz"
PAGES = 100_000
QUERIES = 200
"""Of each kind."""
SHARE = 0.3
RESULTS = 10
FREQUENT = {"of the 1,000 most frequent": 1000, "of the 100": 100, "of the 10": 10}
_TOP = "SELECT term FROM top WHERE length(term) > 2 ORDER BY doc DESC, term LIMIT ?"


class Timing(NamedTuple):
    """Milliseconds of CPU of the searches of one kind."""

    median: float
    p95: float
    worst: float
    matches: float  # pages with all words, median


class Measured(NamedTuple):
    """What there is to say of an index."""

    pages: int
    build_seconds: float  # of CPU, analysis of the texts included
    megabytes: float
    texts_megabytes: float  # of the crawl's database
    kinds: dict[str, Timing]

    @property
    def search_ms(self) -> float:
        """Return the median of searches for words of titles."""
        return self.kinds["of titles"].median

    def figures(self) -> dict[str, float]:
        """Return what is written as JSON."""
        return {
            "search_ms": self.search_ms,
            "search_p95_ms": self.kinds["of titles"].p95,
            "search_frequent_p95_ms": max(timing.p95 for timing in self.kinds.values()),
            "search_index_mb": self.megabytes,
            "search_build_us_per_page": 1e6 * self.build_seconds / self.pages,
        }


def measure(web: Path = WEB, pages: int = PAGES, queries: int = QUERIES) -> Measured:
    """Make a crawl of so many pages, index it and search it; WebError without a web."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        titles = record(web, folder, pages)
        before = time.process_time()
        with closing(search_crawl(folder)) as search:
            build_seconds = time.process_time() - before
            kinds = {kind: timed(search, asked, folder) for kind, asked in kinds_of(folder, titles, queries)}
        sizes = [(folder / file).stat().st_size / 1e6 for file in (FILE, "crawl.db")]
        return Measured(pages, build_seconds, sizes[0], sizes[1], kinds)


def record(web: Path, folder: Path, pages: int) -> list[str]:
    """Write the crawl; return the titles of its pages."""
    write_run(folder, RunInfo("speed", "", "1", "lpe", "", None, trained=True, language="en"))
    titles = []
    with AnalysedWeb(web) as analysed, CrawlDatabase(folder / "crawl.db") as database:
        store = PageStore(database)
        for number, (url, title, text) in enumerate(islice(made_distinct(analysed), pages)):
            page = Page(url, title, text, Sections(), Outline(is_heading=False))
            found = PageItem(
                url=url, fetched_at=1.0, relevance=0.5, is_relevant=False, title=title, text=kept_text(page)
            )
            store.record_page(found)
            titles.append(title)
            if number % 1000 == 999:
                store.commit()
        store.commit()
    return titles


def made_distinct(web: AnalysedWeb) -> Iterator[tuple[str, str, str]]:
    """Yield URL, title and text of the pages of a web, for ever, none like another."""
    chance = random.Random(7)
    texts = [(page.title, page.text) for page in map(web.page, range(len(web)))]
    for url, (title, text) in zip(web.urls, texts, strict=True):
        yield url, title, text
    turn = 1
    while True:
        turn += 1
        for url, (title, text) in zip(web.urls, texts, strict=True):
            words, others = text.split(), chance.choice(texts)[1].split()
            length = int(SHARE * len(words))
            at, start = (
                chance.randint(0, len(words) - length),
                chance.randint(0, max(0, len(others) - length)),
            )
            words[at : at + length] = others[start : start + length]
            yield f"{url}#{turn}".replace("#", "&" if "?" in url else "?"), title, " ".join(words)


def kinds_of(folder: Path, titles: Sequence[str], queries: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the queries of each kind, of terms that are their own stems."""
    chance, analyzer = random.Random(11), Analyzer("en")
    long = [
        [term for term in sorted(set(analyzer.terms(title))) if is_stem(term, analyzer)] for title in titles
    ]
    long = [terms for terms in long if len(terms) > 2]
    yield "of titles", [words(chance, chance.choice(long)) for _ in range(queries)]
    with closing(sqlite3.connect(folder / FILE)) as db:
        db.execute("CREATE VIRTUAL TABLE temp.top USING fts5vocab(main, words, row)")
        for kind, number in FREQUENT.items():
            frequent = (row[0] for row in db.execute(_TOP, (2 * number,)))
            terms = list(islice((term for term in frequent if is_stem(term, analyzer)), number))
            yield kind, [words(chance, terms) for _ in range(queries)]


def is_stem(term: str, analyzer: Analyzer) -> bool:
    """Tell whether a term, typed as a word, is that term again."""
    return bool(term) and analyzer.terms(term) == [term]


def words(chance: random.Random, terms: Sequence[str]) -> str:
    """Return two or three of these terms."""
    return " ".join(chance.sample(list(terms), chance.choice((2, 3))))


def timed(search: LocalSearch, queries: Sequence[str], folder: Path) -> Timing:
    """Ask each query twice; the second time counts."""
    times = []
    for query in queries:
        for _ in range(2):
            before = time.process_time()
            search.search(query, RESULTS)
            last = time.process_time() - before
        times.append(1000 * last)
    times.sort()
    return Timing(
        statistics.median(times), times[int(0.95 * len(times))], times[-1], matched(folder, queries)
    )


def matched(folder: Path, queries: Sequence[str]) -> float:
    """Return how many pages have all words of a query, in the median."""
    analyzer = Analyzer("en")
    with closing(sqlite3.connect(folder / FILE)) as db:
        counts = []
        for query in queries:
            asked = " AND ".join(f'"{term}"' for term in sorted(read_wording(query, analyzer).terms))
            sql = "SELECT count(*) FROM words WHERE words MATCH ?"
            counts.append(int(db.execute(sql, (asked,)).fetchone()[0]))
    return statistics.median(counts)


def table(measured: Measured) -> Table:
    """Return the timings as a table."""
    made = Table(title=f"A search over {measured.pages:,} pages, ms of CPU")
    for column in ("words", "pages with all", "median", "95 of 100", "worst"):
        made.add_column(column, justify="left" if column == "words" else "right")
    for kind, timing in measured.kinds.items():
        figures = (f"{timing.median:.1f}", f"{timing.p95:.1f}", f"{timing.worst:.1f}")
        made.add_row(kind, f"{timing.matches:,.0f}", *figures)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--web", type=Path, default=WEB)
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    measured = measure(arguments.web, arguments.pages)
    console = Console()
    console.print(table(measured))
    console.print(
        f"The index was made in {measured.build_seconds:.0f} s of CPU and has {measured.megabytes:.0f} MB,"
        f" beside a crawl.db of {measured.texts_megabytes:.0f} MB."
    )
    if arguments.json:
        arguments.json.write_text(json.dumps({"figures": measured.figures()}, indent=2) + "\n")


if __name__ == "__main__":
    main()
