"""What the parts of a page say of where its links lead: why strategies come out as they do.

    .venv/bin/python benchmarks/study.py link_signals ../shared/webs --models experiments/first/models

For every topic of every web, over the links of so many random pages (the same for all topics) that lead to
other pages of the web: how well each signal tells links to relevant pages from others (area under the ROC
curve: 0.5 is chance), how right its best-scored links are, and how often it says nothing. Takes the models of
an experiment on these webs (`scrapy experiment`). The ground truth is used to judge only.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated

import numpy as np
from rich.progress import track
from sklearn.metrics import roc_auc_score

from benchmarks.harness import STDERR, Report
from benchmarks.studies.crawls import Floats, Mask, subjects_of, truth_beside
from benchmarks.tables import Rows
from focused_crawler.classify.model import TopicModel
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Page
from focused_crawler.page.parser import UnparsablePage, parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.truth import GroundTruth

SIGNALS = ("page", "anchor", "context", "block")
MIN_LINKS = 30


def measure(
    webs: Path,
    *,
    models: Annotated[Path, "the folder models of an experiment"],
    pages: int = 3000,
) -> Report:
    """Ask each signal about the links of random pages of each web."""
    rows = Rows()
    for path in sorted(webs.glob("*.warc.gz")):
        with VirtualWeb(path) as web:
            read = list(track(sample(web, pages), "pages", pages, console=STDERR))
            links = [links_of(page, web) for page in read]
        for subject in subjects_of(path):
            model = TopicModel.load(models / subject.web_name / subject.topic.name)
            truth, inside, said = asked(read, links, model, truth_beside(subject))
            about = {"web": subject.web_name, "topic": subject.topic.name}
            for name, values in zip(SIGNALS, said, strict=True):
                rows.append({**about, "signal": name, **told(truth, inside, values)})
    return Report({"signals": rows})


def told(truth: Mask, inside: Mask, values: Floats) -> dict[str, float]:
    """Return how well a signal tells links to relevant pages from others; `inside`: those of such pages.

    Of the best-scored 1 % of the links ties are taken in part. Silent: it says nothing of a relevant target.
    """
    count = max(1, len(values) // 100)
    least = np.sort(values)[-count]
    above, level = values > least, values == least
    top = (truth[above].sum() + truth[level].mean() * (count - above.sum())) / count
    silent = float((values[truth] == 0).mean())
    aucs = {"auc": auc(truth, values), "auc_inside": auc(truth[inside], values[inside])}
    return aucs | {"top": float(top), "silent": silent}


def auc(truth: Mask, values: Floats) -> float:
    """Area under the ROC curve, nan where all links are of one kind."""
    few = min(truth.sum(), (~truth).sum()) < MIN_LINKS
    return float("nan") if few else float(roc_auc_score(truth, values))


def sample(web: VirtualWeb, number: int) -> Iterator[Page]:
    """Parse so many random pages of a web."""
    analyzer = Analyzer("en")
    entries = [entry for entry in web.entries() if entry.status == 200]
    for entry in random.Random(0).sample(entries, min(number, len(entries))):
        record = web.read(entry)
        try:
            page = parse_page(record.body, record.url, analyzer)
        except UnparsablePage:
            continue
        partition(page)
        yield page


def links_of(page: Page, web: VirtualWeb) -> list[tuple[int, str]]:
    """Return index and recorded URL of a page's links to other pages of the web, one a target."""
    found: dict[str, int] = {}
    for index, link in enumerate(page.links):
        entry = web.find(link.url)
        if entry is not None and entry.status == 200 and entry.url != page.url:
            found.setdefault(entry.url, index)
    return [(index, url) for url, index in found.items()]


def asked(
    pages: list[Page], links: list[list[tuple[int, str]]], model: TopicModel, truth: GroundTruth
) -> tuple[Mask, Mask, Floats]:
    """Ask about each link: does it lead to a relevant page, is it on one, and what does each signal say."""
    kinds, values = list[tuple[bool, bool]](), list[tuple[float, ...]]()
    similarity = model.vector.similarity
    for page, targets in zip(pages, links, strict=True):
        relevance, is_relevant = model.classifier.relevance(page), truth.is_relevant(page.url)
        of_block = cache(lambda block, page=page: similarity(page.blocks[block].terms))
        for index, url in targets:
            link = page.links[index]
            kinds.append((truth.is_relevant(url), is_relevant))
            said = similarity(link.anchor), similarity(link.context), of_block(link.block)
            values.append((relevance, *said))
    leads, inside = np.array(kinds, dtype=np.bool_).T
    return leads, inside, np.array(values).T
