"""What it takes to find all wordings of a thesaurus on a page, by its size, beside a loop over the wordings.

    .venv/bin/python benchmarks/thesaurus_matching.py [--web WARC] [--json FILE]

The wordings are runs of one to three terms of other pages of the same web: far more of them are found on a
page than of any real thesaurus, which is the dearer case. Milliseconds are of CPU, the median of the rounds.
The page is parsed already; each wording is an entry of one of five facets. The loop looks for every wording
in the text of the page by itself, as a thesaurus of some words may be matched.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from focused_crawler.page.model import Page, Terms
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.thesaurus.model import Entry, Facet, Key, Thesaurus
from focused_crawler.topic.thesaurus.scoring import Matcher, ThesaurusScorer, page_runs
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.demo import write_demo_web

SHARED = Path(__file__).resolve().parents[2] / "shared/webs/openweb.warc.gz"
SIZES = (100, 1_000, 10_000)
PAGES = 200
LOOP_PAGES = 5
FACETS = 5
ROUNDS = 5


class Cost(NamedTuple):
    """What a page costs with a thesaurus of one size, in milliseconds of CPU."""

    entries: int
    found: float  # of them, on a page in the mean
    match: float
    score: float
    loop: float


@contextmanager
def web_at_hand() -> Iterator[Path]:
    """Give the shared web where it is, else the demo web, written for the time being."""
    if SHARED.is_file():
        yield SHARED
        return
    with TemporaryDirectory() as folder:
        yield write_demo_web(folder)


def costs(web: Path, sizes: Sequence[int] = SIZES, pages: int = PAGES) -> list[Cost]:
    """Return the cost for each size of thesaurus on pages of a web."""
    chance = random.Random(7)
    with AnalysedWeb(web) as analysed:
        numbers = chance.sample(range(len(analysed)), min(2 * pages, len(analysed)))
        read = [analysed.page(number) for number in numbers]
    half = len(read) // 2
    keys = sampled_keys(read[half:], max(sizes), chance)
    return [cost(read[:half], keys[:size]) for size in sizes]


def match_figures(found: Sequence[Cost]) -> dict[str, float]:
    """Return the figures by their names."""
    return {"match_ms_per_page": max(found, key=lambda cost: cost.entries).match}


def match_table(found: Sequence[Cost]) -> Table:
    """Return the costs as a table."""
    table = Table("entries", "found on a page", "match, ms", "match and score, ms", "loop, ms")
    for entries, there, match, score, loop in found:
        table.add_row(f"{entries:,}", f"{there:.1f}", f"{match:.3f}", f"{score:.3f}", f"{loop:.2f}")
    for column in table.columns:
        column.justify = "right"
    return table


def cost(pages: Sequence[Page], keys: Sequence[Key]) -> Cost:
    """Measure all three ways on the same pages; the loop on some of them, as it takes long."""
    runs = [page_runs(page) for page in pages]
    by_facet = [keys[number::FACETS] for number in range(FACETS)]
    matcher = Matcher(*by_facet)
    facets = [Facet(str(number), tuple(map(_entry, keys))) for number, keys in enumerate(by_facet)]
    scorer = ThesaurusScorer(Thesaurus(tuple(facets)), Analyzer("en"))
    found = statistics.fmean(sum(map(len, matcher.count(*page).values())) for page in runs)
    loop = milliseconds(lambda: [count_by_loop(keys, page) for page in runs[:LOOP_PAGES]], 1)
    return Cost(
        len(keys),
        found,
        milliseconds(lambda: [matcher.count(*page) for page in runs], ROUNDS) / len(runs),
        milliseconds(lambda: [scorer.page(page) for page in pages], ROUNDS) / len(runs),
        loop / len(runs[:LOOP_PAGES]),
    )


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


def _entry(key: Key) -> Entry:
    return Entry(" ".join(key))


def milliseconds(work: Callable[[], object], rounds: int) -> float:
    """Return the CPU time of some work, the median of so many rounds."""
    times = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        times.append(1000 * (time.process_time() - began))
    return statistics.median(times)


def main() -> None:
    """Measure, print, and write the figures where they are wanted."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--web", type=Path, help="default: the shared web, else the demo web")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with web_at_hand() if options.web is None else nullcontext(options.web) as web:
        found = costs(web)
    Console().print(match_table(found))
    if options.json:
        options.json.write_text(json.dumps({"figures": match_figures(found)}))


if __name__ == "__main__":
    main()
