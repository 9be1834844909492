"""How often a page is called a copy that is none, and how many copies are found: real pages, texts, mirrors.

    .venv/bin/python benchmarks/copies.py --web ../shared/webs/openweb.warc.gz --texts ../shared/classify

Pages come in the order of their file, as in a crawl. The truth is their resemblance, computed from all runs
of three words and not from sketches; candidates for it share 12 of forty parts of three values, which a pair
of resemblance 0.9 misses by six standard errors. Called falsely is a page whose resemblance to the page that
is named is more than 0.1 below the threshold. `--show 20` prints pages that were called copies, to be judged.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from focused_crawler.crawl.steering.copies import LIKE, Copies, SketchesInMemory, own_words, sketch
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.printable import printable
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

MARGIN = 0.1
SETS = ("20ng", "reuters21578")
MIRRORED = 2000  # pages of the web that mirrors are made of
_PARTS, _VALUES, _SHARED = 40, 3, 12


class Text(NamedTuple):
    """A page or document."""

    name: str
    words: list[str]


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one collection."""

    name: str
    texts: int  # that are long enough to be copies
    called: int
    called_falsely: int  # resemblance to the page that was named under LIKE - MARGIN
    true: dict[float, int]  # resemblance -> texts of at least that to an earlier one
    found: dict[float, int]  # of these, called copies
    microseconds: float  # a text, for sketch, search and keeping
    pairs: list[tuple[float, str, str]]  # resemblance, copy, of what

    @property
    def false_rate(self) -> float:
        """Share of the texts that are no copies."""
        return self.called_falsely / max(1, self.texts - self.true[LIKE])

    def recall(self, least: float) -> float:
        """Share of the copies that are called so."""
        return self.found[least] / max(1, self.true[least])


def main() -> None:
    """Print all tables."""
    options = _options()
    analyzer = Analyzer("en")
    with AnalysedWeb(options.web) as web:
        pages = [Text(url, own_words(web.page(number))) for number, url in enumerate(web.urls)]
    collections = [(options.web.name.partition(".")[0], pages)]
    if options.texts is not None:
        collections += [(name, _documents(options.texts / name, analyzer)) for name in SETS]
    findings = [examine(name, texts) for name, texts in collections]
    mirrors = mirrored([page for page in pages if sketch(page.words)])
    console = Console(width=110)
    console.print(_table(findings), _mirror_table(mirrors))
    _show(console, findings[0], options.show)
    if options.json:
        figures = {f"{one.name}_false_positive_rate": one.false_rate for one in findings}
        figures |= {f"{one.name}_recall": one.recall(LIKE) for one in findings}
        figures |= {
            f"mirror_recall_{name.replace('%', 'pct').replace(' ', '_')}": share
            for name, share in mirrors.items()
        }
        figures["copies_us_page"] = findings[0].microseconds
        options.json.write_text(json.dumps({"figures": figures}, indent=2) + "\n", "utf-8")


def examine(name: str, texts: Sequence[Text]) -> Finding:
    """Go through texts as a crawl does, then find out what is so."""
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
    best = _best_earlier(long)
    levels = (LIKE, 0.95, 1.0)
    true = {least: [copy for copy, value in best.items() if value >= least] for least in levels}
    return Finding(
        name=name,
        texts=len(long),
        called=len(called),
        called_falsely=sum(value < LIKE - MARGIN for value, _, _ in pairs),
        true={least: len(names) for least, names in true.items()},
        found={least: sum(copy in called for copy in names) for least, names in true.items()},
        microseconds=1e6 * seconds / max(1, len(texts)),
        pairs=pairs,
    )


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


def _documents(folder: Path, analyzer: Analyzer) -> list[Text]:
    texts = []
    for part in ("train", "test"):
        with gzip.open(folder / f"{part}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                row = json.loads(line)
                words = [term for term in analyzer.terms(f"{row['headline']} {row['body']}") if term]
                texts.append(Text(f"{part} {number}", words))
    return texts


def _table(findings: Iterable[Finding]) -> Table:
    head = ["", "texts", "called", "falsely", "false rate", "copies", "found", "of 0.95 and more", "verbatim"]
    table = Table(*head, "us a text", title="Near-duplicates")
    for one in findings:
        recalls = [f"{one.recall(least):.3f} of {one.true[least]:,}" for least in (0.95, 1.0)]
        table.add_row(
            one.name, f"{one.texts:,}", f"{one.called:,}", f"{one.called_falsely:,}", f"{one.false_rate:.5f}",
            f"{one.true[LIKE]:,}", f"{one.recall(LIKE):.3f}", *recalls, f"{one.microseconds:.0f}",
        )  # fmt: skip
    return table


def _mirror_table(mirrors: dict[str, float]) -> Table:
    table = Table("a mirror changes", "found", title=f"Mirrors of {MIRRORED:,} pages")
    for name, share in mirrors.items():
        table.add_row(name, f"{share:.3f}")
    return table


def _show(console: Console, finding: Finding, number: int) -> None:
    """Print some pages that were called copies, for people to judge."""
    pairs = sorted(finding.pairs, key=lambda pair: pair[1])
    for value, copy, first in Random(0).sample(pairs, min(number, len(pairs))):
        console.print(f"{value:.3f} {printable(copy)}\n      {printable(first)}", markup=False)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--web", type=Path, required=True)
    parser.add_argument("--texts", type=Path, help="folder of 20ng and reuters21578")
    parser.add_argument("--show", type=int, default=0, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args()


if __name__ == "__main__":
    main()
