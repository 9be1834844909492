"""What the parts of a page say of where its links lead: why strategies come out as they do.

    .venv/bin/python benchmarks/link_signals.py ../shared/webs --models experiments/first/models --pages 3000

For every topic of every web, over the links of so many random pages (the same for all topics) that lead to
other pages of the web: how well each signal tells links to relevant pages from others (area under the ROC
curve: 0.5 is chance), how right its best-scored links are, and how often it says nothing. Takes the models of
an experiment on these webs (`scrapy experiment`). The ground truth is used to judge only.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.metrics import roc_auc_score

from focused_crawler.classify.model import TopicModel
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Page
from focused_crawler.page.parser import UnparsablePage, parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.truth import GroundTruth, topics_folder

SIGNALS = ("page", "anchor", "context", "block")
TITLES = {
    "auc": "All links: area under the ROC curve",
    "auc_inside": "Links of relevant pages only: area under the ROC curve",
    "top": "Share of relevant targets among the best-scored 1 % of all links",
    "silent": "Share of the links to relevant pages of which a signal says nothing",
}
MIN_LINKS = 30


@dataclass(slots=True)
class Signals:
    """One entry a link."""

    truth: list[bool] = field(default_factory=list)
    page_is_relevant: list[bool] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in SIGNALS})

    def figure(self, kind: str, name: str) -> float:
        """Return one cell of the table of that kind."""
        if kind == "auc_inside":
            return self.auc(name, np.array(self.page_is_relevant))
        return {"auc": self.auc, "top": self.top_precision, "silent": self.silent}[kind](name)

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


def web_name(path: Path) -> str:
    return path.name.removesuffix(".warc.gz")


def sample(web: VirtualWeb, number: int) -> Iterator[Page]:
    """Parse so many random pages of a web."""
    entries = [entry for entry in web.entries() if entry.status == 200]
    analyzer = Analyzer("en")
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


def measure(
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
            asked = (relevance, similarity(link.anchor), similarity(link.context), blocks[link.block])
            for name, value in zip(SIGNALS, asked, strict=True):
                signals.values[name].append(value)
    return signals


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("webs", type=Path)
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--models", type=Path, required=True, help="the folder models of an experiment")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    tables = {kind: Table("web", "topic", *SIGNALS, title=title) for kind, title in TITLES.items()}
    collected: dict[str, list[float]] = {}
    for path in sorted(options.webs.glob("*.warc.gz")):
        web = VirtualWeb(path)
        pages = list(track(sample(web, options.pages), "pages", options.pages, console=Console(stderr=True)))
        links = [links_of(page, web) for page in pages]
        for folder in sorted(topics_folder(path).iterdir()):
            truth = GroundTruth.of_topic(folder)
            assert truth is not None
            signals = measure(
                pages, links, TopicModel.load(options.models / web_name(path) / folder.name), truth
            )
            for kind, table in tables.items():
                figures = [signals.figure(kind, name) for name in SIGNALS]
                table.add_row(web_name(path), folder.name, *(f"{figure:.2f}" for figure in figures))
                for name, figure in zip(SIGNALS, figures, strict=True):
                    collected.setdefault(f"{kind}_{name}", []).append(figure)
        web.close()
    means = {name: mean(value for value in values if value == value) for name, values in collected.items()}
    for kind, table in tables.items():
        table.add_row("mean", "", *(f"{means[f'{kind}_{name}']:.2f}" for name in SIGNALS), style="bold")
        Console().print(table)
    if options.json:
        options.json.write_text(json.dumps({"figures": means}, indent=2) + "\n")


if __name__ == "__main__":
    main()
