"""How often a page is called a copy that is none, and how many copies are found: real pages, texts, mirrors.

    .venv/bin/python benchmarks/study.py copies --web ../shared/webs/openweb.warc.gz --texts DATA

Pages come in the order of their file, as in a crawl. The truth is their resemblance, computed from all runs
of three words and not from sketches; candidates for it share 12 of forty parts of three values, which a pair
of resemblance 0.9 misses by six standard errors. Called falsely is a page whose resemblance to the page that
is named is more than 0.1 below the threshold. `--show 20` prints pages that were called copies, to be judged.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Annotated, NamedTuple

from benchmarks.harness import Report
from benchmarks.studies.text_sets import read_lines
from benchmarks.tables import Rows
from focused_crawler.crawl.steering.copies import LIKE, Copies, SketchesInMemory, own_words, sketch
from focused_crawler.experiment.grid import web_name
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.printable import printable
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

MARGIN = 0.1
LEVELS = {"copies": LIKE, "close": 0.95, "verbatim": 1.0}
"""Resemblances from which on a text is a copy."""
SETS = ("20ng", "reuters21578")
MIRRORED = 2000  # pages of the web that mirrors are made of
_PARTS, _VALUES, _SHARED = 40, 3, 12


class Text(NamedTuple):
    """A page or document."""

    name: str
    words: list[str]


def measure(
    *,
    web: Path,
    texts: Annotated[Path | None, "folder of 20ng and reuters21578"] = None,
    show: Annotated[int, "pages that were called copies, to be judged"] = 0,
) -> Report:
    """Go through all collections."""
    analyzer = Analyzer("en")
    with AnalysedWeb(web) as analysed:
        pages = [Text(url, own_words(analysed.page(number))) for number, url in enumerate(analysed.urls)]
    collections = {web_name(web): pages}
    if texts is not None:
        collections |= {name: documents(texts / name, analyzer) for name in SETS}
    rows, pairs = Rows(), []
    for name, collection in collections.items():
        row, found = examine(name, collection)
        rows.append(row)
        pairs = pairs or found
    mirrors = mirrored([page for page in pages if sketch(page.words)])
    shares = Rows({"change": name, "found": share} for name, share in mirrors.items())
    chosen = Random(0).sample(sorted(pairs), min(show, len(pairs)))
    called = (
        {"resemblance": like, "page": printable(copy), "of": printable(of)} for like, copy, of in chosen
    )
    found_rows = {"collections": rows, "mirrors": shares, "called": Rows(called)}
    return Report(found_rows, {"copies_us_page": float(rows[0]["us"])})


def examine(name: str, texts: Sequence[Text]) -> tuple[dict[str, object], list[tuple[float, str, str]]]:
    """Go through texts as a crawl does, then find out what is so; also (resemblance, copy, of what)."""
    long = [text for text in texts if sketch(text.words)]
    copies, called = Copies(SketchesInMemory()), {}
    began = time.process_time()
    for text in texts:
        made = sketch(text.words)
        copy = copies.find(made)
        if copy is None:
            copies.add(text.name, made)
        else:
            called[text.name] = copy.url
    seconds = time.process_time() - began
    words = {text.name: text.words for text in long}
    pairs = [(resemblance(words[copy], words[first]), copy, first) for copy, first in called.items()]
    falsely = sum(value < LIKE - MARGIN for value, _, _ in pairs)
    row: dict[str, object] = {"name": name, "texts": len(long), "called": len(called), "falsely": falsely}
    best = _best_earlier(long)
    for kind, least in LEVELS.items():
        true = [copy for copy, value in best.items() if value >= least]
        found = sum(copy in called for copy in true)
        row |= {kind: len(true), f"{kind}_found": found, f"{kind}_recall": found / max(1, len(true))}
    row["false_rate"] = falsely / max(1, len(long) - int(str(row["copies"])))
    return row | {"us": 1e6 * seconds / max(1, len(texts))}, pairs


def mirrored(pages: Sequence[Text]) -> dict[str, float]:
    """Return for each way of changing a page how many changed pages are found among all pages."""
    chance = Random(0)
    copies = Copies(SketchesInMemory())
    for page in pages:
        copies.add(page.name, sketch(page.words))
    sample = chance.sample(pages, min(MIRRORED, len(pages)))
    return {
        name: sum(copies.find(sketch(change(page.words, chance))) is not None for page in sample)
        / len(sample)
        for name, change in _CHANGES.items()
    }


def resemblance(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the share of all runs of three words that two texts have in common (Broder 1997)."""
    first, second = _runs(one), _runs(other)
    return len(first & second) / len(first | second)


def _runs(words: Sequence[str]) -> set[tuple[str, str, str]]:
    return set(zip(words, words[1:], words[2:], strict=False))


def _best_earlier(texts: Sequence[Text]) -> dict[str, float]:
    """Return the highest resemblance of each text to an earlier one, of those that have any to speak of."""
    earlier: defaultdict[tuple[int, bytes], list[int]] = defaultdict(list)
    best: dict[str, float] = {}
    for number, text in enumerate(texts):
        values = sketch(text.words)[1:]
        parts = [(part, values[2 * _VALUES * part : 2 * _VALUES * (part + 1)]) for part in range(_PARTS)]
        candidates: defaultdict[int, int] = defaultdict(int)
        for part in parts:
            for candidate in earlier[part]:
                candidates[candidate] += 1
            earlier[part].append(number)
        likely = [candidate for candidate, shared in candidates.items() if shared >= _SHARED]
        value = max((resemblance(text.words, texts[one].words) for one in likely), default=0.0)
        if value:
            best[text.name] = value
    return best


def _scattered(share: float, words: list[str], chance: Random) -> list[str]:
    return [word if chance.random() >= share else f"new{chance.random()}" for word in words]


def _replaced(share: float, words: list[str], chance: Random) -> list[str]:
    count = int(share * len(words))
    at = chance.randrange(len(words) - count + 1)
    return [*words[:at], *(f"new{chance.random()}" for _ in range(count)), *words[at + count :]]


def _banner(words: list[str], chance: Random) -> list[str]:
    return ["mirror", "of", "monday", "17", "august", *words, "copied", str(chance.randrange(10**6))]


_CHANGES: dict[str, Callable[[list[str], Random], list[str]]] = {
    "another banner and date": _banner,
    **{f"{share:.0%} of the words in one place": partial(_replaced, share) for share in (0.02, 0.05, 0.1)},
    **{f"{share:.0%} of the words everywhere": partial(_scattered, share) for share in (0.01, 0.02, 0.05)},
}


def documents(folder: Path, analyzer: Analyzer) -> list[Text]:
    """Return the documents of a text set."""
    texts = []
    for part in ("train", "test"):
        for number, row in enumerate(read_lines(folder / f"{part}.jsonl.gz")):
            words = [term for term in analyzer.terms(f"{row['headline']} {row['body']}") if term]
            texts.append(Text(f"{part} {number}", words))
    return texts
