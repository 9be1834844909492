"""What pre-processing by Badia et al. (2006) comes to: words in URLs, the hub measure, pages known before.

    .venv/bin/python benchmarks/study.py preprocessing --web ../shared/webs/openweb.warc.gz [--known]

Words: how many pages of the web have "forum" or "blog" in their URL, in which reading, and how many of these
are relevant to one of its topics. Hub measure: does it find the pages that lead to `--targets` relevant pages
of a topic on other sites, beside simpler counts? The figure is the chance that such a page has more of it
than another has (AUC: 0.5 is no better than chance), the mean over the web's topics. `--known` crawls the
demo web, lets a month pass (changing_web.py), and crawls it again, with and without FOCUSED_KNOWN.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.harness import Report, temporary_folder
from benchmarks.studies.changing_web import ChangingWeb, crawl
from benchmarks.studies.crawls import Mask, subjects_of, truth_beside
from benchmarks.tables import Rows
from focused_crawler.page.blocks import hub_measure
from focused_crawler.page.url import site_of
from focused_crawler.safety.printable import printable
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

WORDS = ("forum", "blog")
READINGS: dict[str, Callable[[str], str]] = {
    "anywhere": str,
    "at the start of a word": lambda word: rf"(?<![a-z0-9]){word}",
    "as a word": lambda word: rf"(?<![a-z0-9]){word}(?![a-z0-9])",
}
SHAPES = {"measure": "hub measure", "links": "links to other sites", "sites": "other sites"}


class Shape(NamedTuple):
    """A page, as far as its links go."""

    measure: float  # -1: no words outside links
    links: int  # to other sites
    sites: int  # that these lead to


def measure(
    *,
    web: Path,
    targets: int = 3,
    show: Annotated[int, "sites whose best hub is shown"] = 10,
    known: bool = False,
    topics: str = "astronomy,cooking,finance,football,gardening",
    pages: Annotated[int, "of each crawl of the demo web"] = 400,
) -> Report:
    """Look at the pages of a web; crawl another one twice, if asked to."""
    with AnalysedWeb(web) as analysed:
        truth = {one.topic.name: truth_beside(one).among(analysed.urls) for one in subjects_of(web)}
        rows = {"words": Rows(_words(analysed, np.logical_or.reduce(list(truth.values()))))}
        shapes = np.array([_shape(analysed, number) for number in range(len(analysed))])
        rows["hubs"] = Rows(_hubs(analysed, truth, targets, shapes))
        rows["best"] = Rows(_best(analysed, shapes, show))
    if known:
        with temporary_folder() as folder:
            rows["known"] = Rows(_known(folder, topics.split(","), pages))
    return Report(rows)


def _words(web: AnalysedWeb, relevant: Mask) -> Iterator[dict[str, object]]:
    for word in WORDS:
        for where, reading in READINGS.items():
            pattern = re.compile(reading(word))
            has = np.array([bool(pattern.search(url.lower())) for url in web.urls])
            counts = {"pages": int(has.sum()), "relevant": int((has & relevant).sum())}
            yield {"word": word, "where": where, **counts}


def _shape(web: AnalysedWeb, number: int) -> Shape:
    page = web.page(number)
    measure, own = hub_measure(page), site_of(page.url)
    others = [site for link in page.links if (site := site_of(link.url)) != own]
    return Shape(-1.0 if measure is None else measure, len(others), len(set(others)))


def _hubs(
    web: AnalysedWeb, truth: Mapping[str, Mask], targets: int, shapes: Mask
) -> Iterator[dict[str, object]]:
    """Yield how well each measure finds the pages that lead to relevant ones on other sites."""
    site = np.unique([site_of(url) for url in web.urls], return_inverse=True)[1]
    source, target = web.graph.sources, web.graph.indices
    is_external = site[source] != site[target]
    for topic, relevant in truth.items():
        is_hub = np.bincount(source[is_external & relevant[target]], minlength=len(web)) >= targets
        if is_hub.any():
            for column, kind in enumerate(SHAPES.values()):
                auc = float(roc_auc_score(is_hub, shapes[:, column]))
                yield {"topic": topic, "hubs": int(is_hub.sum()), "kind": kind, "auc": auc}


def _best(web: AnalysedWeb, shapes: Mask, show: int) -> Iterator[dict[str, object]]:
    """Yield the page with the highest hub measure of each site, of the best sites."""
    seen: set[str] = set()
    for number in np.argsort(-shapes[:, 0], kind="stable"):
        url = web.urls[number]
        if (site := site_of(url)) not in seen and len(seen) < show:
            seen.add(site)
            yield {"page": printable(url), **dict(zip(SHAPES, shapes[number].tolist(), strict=True))}


def _known(folder: Path, topics: list[str], pages: int) -> Iterator[dict[str, object]]:
    """Crawl, let a month pass, and crawl again with and without knowing the first crawl."""
    web = ChangingWeb(folder)
    for topic in topics:
        crawl(folder, web, topic, "first", pages)
    web.pass_month()
    for way in ("anew", "knowing"):
        for topic in topics:
            first = folder / f"crawls/{topic}/first" if way == "knowing" else ""
            crawl(folder, web, topic, way, pages, {"FOCUSED_KNOWN": first})
            yield {"way": way, "topic": topic, **_look(folder / f"crawls/{topic}", way)}


def _look(folder: Path, job: str) -> dict[str, int]:
    """Return what a second crawl came to."""
    with closing(sqlite3.connect(folder / job / "crawl.db")) as database:
        database.execute("ATTACH ? AS first", (str(folder / "first/crawl.db"),))
        counters = dict(database.execute("SELECT name, value FROM counters"))
        new, relevant = database.execute(
            "SELECT count(*), coalesce(sum(is_target), 0) FROM pages"
            " WHERE key NOT IN (SELECT key FROM first.pages)"
        ).fetchone()
    pages, known = counters["pages"], counters.get("known", 0)
    asked = pages + known + counters.get("failures", 0)
    return {"asked": asked, "pages": pages, "known": known, "new": new, "relevant": relevant}
