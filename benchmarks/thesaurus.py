"""What words cost: matching a thesaurus of 10,000 entries on a page, and a search over 100,000 pages.

    .venv/bin/python benchmarks/thesaurus.py [--web WARC] [--pages N] [--json FILE]

Matching: the wordings are runs of one to three terms of other pages of the same web: far more of them are
found on a page than of any real thesaurus, which is the dearer case. Milliseconds are of CPU, the median of
the rounds. The page is parsed already; each wording is an entry of one of five facets. The loop looks for
every wording in the text of the page by itself, as a thesaurus of some words may be matched.

Search: pages are those of the web, over and over: from the second time on each has a stretch of three tenths
of its words from another one, so that no two are alike. They are recorded as a crawl records them, in a
temporary folder, and searched as `scrapy search` does it: ranking, reading ten pages back, snippets. The
queries are two or three words each, of four kinds: from titles of pages, which is what people search for;
among the 1,000 most frequent terms; among the 100 most frequent; the hardest, among the ten most frequent.
Each is asked twice and the second time counts, as the first may find its part of the file not yet in memory.
"""

from __future__ import annotations

import random
import sqlite3
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Annotated

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import Figures, Report, main, temporary_folder, web_at_hand
from benchmarks.meter import cpu_times
from benchmarks.tables import Rows
from focused_crawler.discovery.search.local import FILE, LocalSearch, search_crawl
from focused_crawler.discovery.search.wording import read_wording
from focused_crawler.page.model import Outline, Page, Sections, Terms
from focused_crawler.page.stored_text import stored_text
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.thesaurus.model import Entry, Facet, Key, Thesaurus
from focused_crawler.topic.thesaurus.scoring import Matcher, ThesaurusScorer, page_runs
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

SIZES = (100, 1_000, 10_000)
PAGES = 200
LOOP_PAGES = 5
FACETS = 5
ROUNDS = 5
SHARE = 0.3
RESULTS = 10
FREQUENT = {"of the 1,000 most frequent": 1000, "of the 100": 100, "of the 10": 10}
_TOP = "SELECT term FROM top WHERE length(term) > 2 ORDER BY doc DESC, term LIMIT ?"


def measure(
    *,
    web: Annotated[Path | None, "a recorded web (default: the shared one, or the demo)"] = None,
    pages: Annotated[int, "pages to search"] = 100_000,
    queries: Annotated[int, "of each kind"] = 200,
) -> Report:
    """Measure both on pages of the web."""
    with web_at_hand(web) as path:
        chance = random.Random(7)
        with AnalysedWeb(path) as analysed:
            numbers = chance.sample(range(len(analysed)), min(2 * PAGES, len(analysed)))
            read = [analysed.page(number) for number in numbers]
        half = len(read) // 2
        keys = sampled_keys(read[half:], max(SIZES), chance)
        rows = Rows(cost(read[:half], keys[:size]) for size in SIZES)
        search, figures = searched(path, pages, queries)
    return Report({"matching": rows, "search": search}, {"match_ms_per_page": rows[-1]["match"], **figures})


def cost(pages: Sequence[Page], keys: Sequence[Key]) -> dict[str, float]:
    """Measure all three ways on the same pages; the loop on some of them, as it takes long."""
    runs = [page_runs(page) for page in pages]
    by_facet = [keys[number::FACETS] for number in range(FACETS)]
    matcher = Matcher(*by_facet)
    entries = [tuple(Entry(" ".join(key)) for key in keys) for keys in by_facet]
    facets = tuple(Facet(str(number), one) for number, one in enumerate(entries))
    scorer = ThesaurusScorer(Thesaurus(facets), Analyzer("en"))
    return {
        "entries": len(keys),
        "found": statistics.fmean(sum(map(len, matcher.count(*page).values())) for page in runs),
        "match": _ms(cpu_times(lambda: [matcher.count(*page) for page in runs], ROUNDS), len(runs)),
        "score": _ms(cpu_times(lambda: [scorer.page(page) for page in pages], ROUNDS), len(runs)),
        "loop": _ms(
            cpu_times(lambda: [count_by_loop(keys, page) for page in runs[:LOOP_PAGES]], 1), LOOP_PAGES
        ),
    }


def _ms(seconds: Sequence[float], pages: int) -> float:
    return 1000 * statistics.median(seconds) / pages


def count_by_loop(keys: Sequence[Key], runs: Sequence[Terms]) -> dict[Key, int]:
    """Look for each wording in the whole text, whole words only; those within others are found, too."""
    text = "\n".join(f" {'  '.join(terms)} " for terms in runs)
    counts = {key: text.count(f" {'  '.join(key)} ") for key in keys}
    return {key: count for key, count in counts.items() if count}


def sampled_keys(pages: Sequence[Page], size: int, chance: random.Random) -> list[Key]:
    """Return so many different runs of one to three terms, fewer where the pages have no more."""
    keys: dict[Key, None] = {}
    for _ in range(50 * size):
        terms = chance.choice(pages).sections.body
        start = chance.randrange(len(terms)) if terms else 0
        key = tuple(terms[start : start + chance.choice((1, 1, 2, 2, 3))])
        if all(key[:1]) and all(key[-1:]) and key:
            keys.setdefault(key)
        if len(keys) == size:
            break
    return list(keys)


# Search


def searched(web: Path, pages: int, queries: int) -> tuple[Rows, Figures]:
    """Make a crawl of so many pages, index it and search it; WebError without a web."""
    with temporary_folder() as folder:
        titles = record(web, folder, pages)
        before = time.process_time()
        with closing(search_crawl(folder)) as search:
            build_seconds = time.process_time() - before
            kinds = kinds_of(folder, titles, queries)
            rows = Rows({"words": kind, **timed(search, asked, folder)} for kind, asked in kinds)
        sizes = {file: (folder / file).stat().st_size / 1e6 for file in (FILE, "crawl.db")}
    return rows, {
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
    pages = [(page.url, page.title, page.text) for page in map(web.page, range(len(web)))]
    yield from pages
    for turn in count(2):
        for url, title, text in pages:
            words, others = text.split(), chance.choice(pages)[2].split()
            length = int(SHARE * len(words))
            at = chance.randint(0, len(words) - length)
            start = chance.randint(0, max(0, len(others) - length))
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


if __name__ == "__main__":
    main(measure, __doc__)
