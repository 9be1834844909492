"""What words cost: matching a thesaurus of 10,000 entries on a page, and a search over 100,000 pages.

    .venv/bin/python benchmarks/thesaurus.py [--web WARC] [--pages N] [--json FILE]

Matching: the wordings are runs of one to three terms of other pages of the same web: far more of them are
found on a page than of any real thesaurus, which is the dearer case. Milliseconds are of CPU, the median of
the rounds. The page is parsed already; each wording is an entry of one of five facets. The loop looks for
every wording in the text of the page by itself, as a thesaurus of some words may be matched. The search is
described in search_speed.py.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import search_speed
from benchmarks.harness import Report, cpu_times, main, web_at_hand
from benchmarks.tables import Rows
from focused_crawler.page.model import Page, Terms
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.thesaurus.model import Entry, Facet, Key, Thesaurus
from focused_crawler.topic.thesaurus.scoring import Matcher, ThesaurusScorer, page_runs
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

SIZES = (100, 1_000, 10_000)
PAGES = 200
LOOP_PAGES = 5
FACETS = 5
ROUNDS = 5


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
        searched, figures = search_speed.measured(path, pages, queries)
    return Report({"matching": rows, "search": searched}, {"match_ms_per_page": rows[-1]["match"], **figures})


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


if __name__ == "__main__":
    main(measure, __doc__)
