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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
from rich.progress import track
from sklearn.metrics import roc_auc_score

from benchmarks.harness import STDERR, Report
from benchmarks.tables import Rows
from focused_crawler.classify.model import TopicModel
from focused_crawler.experiment.grid import web_name
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Page
from focused_crawler.page.parser import UnparsablePage, parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.truth import GroundTruth, topics_folder

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
        for folder in sorted(topics_folder(path).iterdir()):
            truth = GroundTruth.of_topic(folder)
            assert truth is not None
            model = TopicModel.load(models / web_name(path) / folder.name)
            signals = asked(read, links, model, truth)
            about = {"web": web_name(path), "topic": folder.name}
            rows += ({**about, "signal": name, **signals.measures(name)} for name in SIGNALS)
    return Report({"signals": rows})


@dataclass(slots=True)
class Signals:
    """One entry a link."""

    truth: list[bool] = field(default_factory=list)
    page_is_relevant: list[bool] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in SIGNALS})

    def measures(self, name: str) -> dict[str, float]:
        """Return how well a signal tells links to relevant pages from others."""
        inside = self.auc(name, np.array(self.page_is_relevant))
        return {
            "auc": self.auc(name),
            "auc_inside": inside,
            "top": self.top_precision(name),
            "silent": self.silent(name),
        }

    def auc(self, name: str, chosen: np.ndarray | None = None) -> float:
        """Area under the ROC curve, nan where all links are of one kind."""
        truth, values = np.array(self.truth), np.array(self.values[name])
        if chosen is not None:
            truth, values = truth[chosen], values[chosen]
        few = min(truth.sum(), (~truth).sum()) < MIN_LINKS
        return float("nan") if few else float(roc_auc_score(truth, values))

    def top_precision(self, name: str) -> float:
        """Share of relevant targets among the best-scored 1 % of the links; ties are taken in part."""
        truth, values = np.array(self.truth), np.array(self.values[name])
        count = max(1, len(values) // 100)
        least = np.sort(values)[-count]
        above, level = values > least, values == least
        return float((truth[above].sum() + truth[level].mean() * (count - above.sum())) / count)

    def silent(self, name: str) -> float:
        """Share of the links to relevant pages of which the signal says nothing."""
        values = np.array(self.values[name])[np.array(self.truth)]
        return float((values == 0).mean())


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
) -> Signals:
    """Ask each signal about each link."""
    signals = Signals()
    similarity = model.vector.similarity
    for page, targets in zip(pages, links, strict=True):
        relevance = model.classifier.relevance(page)
        blocks: dict[int, float] = {}
        for index, url in targets:
            link = page.links[index]
            if link.block not in blocks:
                blocks[link.block] = similarity(page.blocks[link.block].terms)
            signals.truth.append(truth.is_relevant(url))
            signals.page_is_relevant.append(truth.is_relevant(page.url))
            said = (relevance, similarity(link.anchor), similarity(link.context), blocks[link.block])
            for name, value in zip(SIGNALS, said, strict=True):
                signals.values[name].append(value)
    return signals
