"""What pre-processing by Badia et al. (2006) comes to: words in URLs, the hub measure, pages known before.

    .venv/bin/python benchmarks/preprocessing.py --web ../shared/webs/openweb.warc.gz [--known]

Words: how many pages of the web have "forum" or "blog" in their URL, in which reading, and how many of these
are relevant to one of its topics. Hub measure: does it find the pages that lead to `--targets` relevant pages
of a topic on other sites, beside simpler counts? The figure is the chance that such a page has more of it
than another has (AUC: 0.5 is no better than chance), the mean over the web's topics. `--known` crawls the
demo web, lets a month pass (changing_web.py), and crawls it again, with and without FOCUSED_KNOWN.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.changing_web import ChangingWeb
from focused_crawler.page.blocks import hub_measure
from focused_crawler.page.url import site_of
from focused_crawler.safety.printable import printable
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.truth import GroundTruth, topics_folder

ROOT = Path(__file__).resolve().parent.parent
WORDS = ("forum", "blog")
Mask = NDArray[np.bool_]


class Shape(NamedTuple):
    """A page, as far as its links go."""

    measure: float  # -1: no words outside links
    links: int  # to other sites
    sites: int  # that these lead to


class Crawled(NamedTuple):
    """What a second crawl came to."""

    asked: int  # URLs
    pages: int
    known: int
    new: int  # pages that the first crawl did not have
    relevant: int  # of these


def main() -> None:
    options = _options()
    figures: dict[str, float] = {}
    with AnalysedWeb(options.web) as web:
        truth = _truth(web)
        figures |= _words(web, np.logical_or.reduce(list(truth.values())))
        figures |= _hubs(web, truth, options.targets, options.show)
    if options.known:
        with tempfile.TemporaryDirectory() as folder:
            figures |= _known(Path(folder), options.topics.split(","), options.pages)
    if options.json:
        options.json.write_text(json.dumps({"figures": figures}, indent=2) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--web", type=Path, required=True)
    parser.add_argument("--targets", type=int, default=3)
    parser.add_argument("--show", type=int, default=10, help="sites whose best hub is shown")
    parser.add_argument("--known", action="store_true")
    parser.add_argument("--topics", default="astronomy,cooking,finance,football,gardening")
    parser.add_argument("--pages", type=int, default=400, help="of each crawl of the demo web")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _truth(web: AnalysedWeb) -> dict[str, Mask]:
    """Return for each topic which pages are relevant."""
    folders = sorted(path for path in topics_folder(web.path).iterdir() if path.is_dir())
    found = {folder.name: GroundTruth.of_topic(folder) for folder in folders}
    return {name: truth.among(web.urls) for name, truth in found.items() if truth is not None}


def _words(web: AnalysedWeb, relevant: Mask) -> dict[str, float]:
    readings: dict[str, Callable[[str], str]] = {
        "anywhere": str,
        "at the start of a word": lambda word: rf"(?<![a-z0-9]){word}",
        "as a word": lambda word: rf"(?<![a-z0-9]){word}(?![a-z0-9])",
    }
    table = Table("word", "where in the URL", "pages", "of them relevant to a topic", title="Words in URLs")
    figures: dict[str, float] = {}
    for word in WORDS:
        for where, reading in readings.items():
            pattern = re.compile(reading(word))
            has = np.array([bool(pattern.search(url.lower())) for url in web.urls])
            table.add_row(word, where, f"{has.sum():,}", f"{(has & relevant).sum():,}")
            figures[f"{word}_{where.replace(' ', '_')}"] = int(has.sum())
    Console().print(table, f"{len(web):,} pages, {relevant.sum():,} relevant to a topic")
    return figures


def _shape(web: AnalysedWeb, number: int) -> Shape:
    page = web.page(number)
    measure, own = hub_measure(page), site_of(page.url)
    others = [site for link in page.links if (site := site_of(link.url)) != own]
    return Shape(-1.0 if measure is None else measure, len(others), len(set(others)))


def _hubs(web: AnalysedWeb, truth: dict[str, Mask], targets: int, show: int) -> dict[str, float]:
    shapes = np.array([_shape(web, number) for number in range(len(web))])
    site = np.unique([site_of(url) for url in web.urls], return_inverse=True)[1]
    source = np.repeat(np.arange(len(web)), np.diff(web.graph.indptr))
    target = web.graph.indices
    is_external = site[source] != site[target]
    names = ("hub measure", "links to other sites", "other sites")
    table = Table(
        "topic", f"pages that lead to {targets} relevant ones elsewhere", *names, title="Hubs (AUC)"
    )
    rows = []
    for topic, relevant in truth.items():
        led = np.bincount(source[is_external & relevant[target]], minlength=len(web))
        is_hub = led >= targets
        if is_hub.any():
            rows.append([roc_auc_score(is_hub, shapes[:, column]) for column in range(3)])
            table.add_row(topic, f"{is_hub.sum():,}", *(f"{value:.2f}" for value in rows[-1]))
    means = np.mean(rows, axis=0)
    table.add_row("mean", "", *(f"{value:.2f}" for value in means))
    Console().print(table)
    _show_best(web.urls, shapes, show)
    return {f"auc_{name.replace(' ', '_')}": float(mean) for name, mean in zip(names, means, strict=True)}


def _show_best(urls: Sequence[str], shapes: NDArray[Any], show: int) -> None:
    table = Table("hub measure", "links to other sites", "other sites", "page", title="Best of each site")
    seen: set[str] = set()
    for number in np.argsort(-shapes[:, 0], kind="stable"):
        if (site := site_of(urls[number])) not in seen and len(seen) < show:
            seen.add(site)
            measure, links, sites = shapes[number]
            table.add_row(f"{measure:.2f}", f"{links:.0f}", f"{sites:.0f}", printable(urls[number]))
    Console().print(table)


def _known(folder: Path, topics: Sequence[str], pages: int) -> dict[str, float]:
    web = ChangingWeb(folder)
    for topic in topics:
        _crawl(folder, web, topic, "first", pages)
    web.pass_month()
    ways = {"as if for the first time": "", "knowing the first crawl": "first"}
    table = Table(
        "second crawl",
        "URLs asked for",
        "pages",
        "known",
        "new pages",
        "of them relevant",
        title="A month on",
    )
    figures: dict[str, float] = {}
    for way, known in ways.items():
        for topic in topics:
            _crawl(folder, web, topic, f"second{known}", pages, known)
        found = [_look(folder / f"crawls/{topic}", f"second{known}") for topic in topics]
        sums = Crawled(*map(sum, zip(*found, strict=True)))
        table.add_row(way, *(f"{value:,}" for value in sums))
        figures |= {f"{name}_{'knowing' if known else 'anew'}": n for name, n in sums._asdict().items()}
    Console().print(table)
    return figures


def _crawl(folder: Path, web: ChangingWeb, topic: str, job: str, pages: int, known: str = "") -> None:
    arguments = {"topic": web.topics / topic, "job": job, "pages": pages, "profile": "offline"}
    settings = {
        "FOCUSED_WEB": web.path,
        "FOCUSED_CRAWLS": folder / "crawls",
        "FOCUSED_MODELS": folder / "models",
        "FOCUSED_KNOWN": folder / f"crawls/{topic}/{known}" if known else "",
        "LOG_LEVEL": "ERROR",
    }
    words = [word for name, value in arguments.items() for word in ("-a", f"{name}={value}")]
    words += [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
    subprocess.run([Path(sys.executable).parent / "scrapy", "crawl", "topic", *words], cwd=ROOT, check=True)


def _look(folder: Path, job: str) -> Crawled:
    with closing(sqlite3.connect(folder / job / "crawl.db")) as database:
        database.execute("ATTACH ? AS first", (str(folder / "first/crawl.db"),))
        counters = dict(database.execute("SELECT name, value FROM counters"))
        new, relevant = database.execute(
            "SELECT count(*), coalesce(sum(is_target), 0) FROM pages"
            " WHERE key NOT IN (SELECT key FROM first.pages)"
        ).fetchone()
    pages, known = counters["pages"], counters.get("known", 0)
    return Crawled(pages + known + counters.get("failures", 0), pages, known, new, relevant)


if __name__ == "__main__":
    main()
