"""What a search over the pages of a crawl takes: 100,000 of real length. `benchmarks/thesaurus.py` runs it.

Pages are those of a recorded web, over and over: from the second time on each has a stretch of three tenths
of its words from another one, so that no two are alike. They are recorded as a crawl records them, in a
temporary folder, and searched as `scrapy search` does it: ranking, reading ten pages back, snippets. The
queries are two or three words each, of four kinds: from titles of pages, which is what people search for;
among the 1,000 most frequent terms; among the 100 most frequent; the hardest, among the ten most frequent.
Each is asked twice and the second time counts, as the first may find its part of the file not yet in
memory. Milliseconds are of CPU.
"""

from __future__ import annotations

import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path

from benchmarks.harness import Figures, cpu_times
from benchmarks.tables import Rows
from focused_crawler.discovery.search.local import FILE, LocalSearch, search_crawl
from focused_crawler.discovery.search.wording import read_wording
from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.page.stored_text import stored_text
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.store.pages import PageStore
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

SHARE = 0.3
RESULTS = 10
FREQUENT = {"of the 1,000 most frequent": 1000, "of the 100": 100, "of the 10": 10}
_TOP = "SELECT term FROM top WHERE length(term) > 2 ORDER BY doc DESC, term LIMIT ?"


def measured(web: Path, pages: int, queries: int) -> tuple[Rows, Figures]:
    """Make a crawl of so many pages, index it and search it; WebError without a web."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        titles = record(web, folder, pages)
        before = time.process_time()
        with closing(search_crawl(folder)) as search:
            build_seconds = time.process_time() - before
            kinds = kinds_of(folder, titles, queries)
            rows = Rows({"words": kind, **timed(search, asked, folder)} for kind, asked in kinds)
        sizes = {file: (folder / file).stat().st_size / 1e6 for file in (FILE, "crawl.db")}
    titles_row = rows[0]
    return rows, {
        "search_ms": titles_row["median_ms"],
        "search_p95_ms": titles_row["p95"],
        "search_frequent_p95_ms": rows.measure("p95").max,
        "search_index_mb": sizes[FILE],
        "search_texts_mb": sizes["crawl.db"],
        "search_build_us_per_page": 1e6 * build_seconds / pages,
    }


def record(web: Path, folder: Path, pages: int) -> list[str]:
    """Write the crawl; return the titles of its pages."""
    write_run(folder, RunInfo("speed", "", "1", "lpe", "", None, trained=True, language="en"))
    titles = []
    with AnalysedWeb(web) as analysed, CrawlDatabase(folder / "crawl.db") as database:
        store = PageStore(database)
        for number, (url, title, text) in enumerate(islice(made_distinct(analysed), pages)):
            page = Page(url, title, text, Sections(), Outline(is_heading=False))
            found = PageItem(
                url=url, fetched_at=1.0, relevance=0.5, is_relevant=False, title=title, text=stored_text(page)
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


def timed(search: LocalSearch, queries: Sequence[str], folder: Path) -> dict[str, float]:
    """Ask each query twice; the second time counts."""
    times = sorted(1000 * cpu_times(partial(search.search, query, RESULTS), 2)[-1] for query in queries)
    return {
        "median_ms": statistics.median(times),
        "p95": times[int(0.95 * len(times))],
        "worst": times[-1],
        "matches": matched(folder, queries),
    }


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
