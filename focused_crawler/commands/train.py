"""`scrapy train TOPIC`: example pages -> the topic's model, with a table of how far to trust it."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import Console
from rich.table import Table

from focused_crawler.analysis import model_folder
from focused_crawler.browsing.lesson import PathLesson
from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.other_examples import background_examples, other_examples
from focused_crawler.command import FocusedCommand, crawl_to_end
from focused_crawler.config import classifier_settings, hmm_settings
from focused_crawler.errors import ConfigError, ModelError, TopicError
from focused_crawler.examples import ExamplesSpider
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Page
from focused_crawler.page.parser import UnparsablePage, parse_page
from focused_crawler.text.tokens import Analyzer
from focused_crawler.topic import Topic, load_topic

if TYPE_CHECKING:
    from focused_crawler.classify.training import TrainingReport

FEWEST = 2
"""Examples of a kind, without which there is nothing to learn or to judge by."""


class Command(FocusedCommand):
    """Fetches the examples through Scrapy: politely from the live web, or out of FOCUSED_WEB."""

    requires_crawler_process = True
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        return "<topic>"

    def short_desc(self) -> str:
        return "Train a topic's page classifier from its examples"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--sessions-from",
            metavar="PATH",
            type=Path,
            help="derive browsing records for the hmm strategies from a crawl's folder or a virtual web",
        )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        # It loads slowly, and Scrapy loads this module for each of its commands.
        from focused_crawler.classify.training import train  # noqa: PLC0415

        if len(args) != 1:
            raise ConfigError("name one topic, as in scrapy train asthma (scrapy list shows the names)")
        assert self.settings is not None
        topic = load_topic(args[0])
        settings = classifier_settings(self.settings)
        analyzer = Analyzer(topic.language)
        relevant = topic.relevant_examples
        if len(relevant) < FEWEST:
            raise TopicError(
                f"{topic.name} names {len(relevant)} relevant examples, too few to train from; "
                "add URLs or HTML files under [examples] in its topic.toml"
            )
        other = other_examples(topic)
        more = background_examples(topic, settings.background)
        lesson = PathLesson(topic, hmm_settings(self.settings), opts.sessions_from)
        wanted = dict.fromkeys([*relevant, *other, *more, *lesson.wanted])
        pages = self._pages(list(wanted), topic, analyzer)
        model, report = train(
            topic,
            _found(relevant, pages, topic),
            _found(other, pages, topic),
            settings,
            analyzer,
            background=[pages[name] for name in more if name in pages],
        )
        folder = self._save(model, topic)
        show(report, topic)
        if hmm := lesson.learn(model, pages, other):
            hmm.save(folder)
            print(f"The hmm strategies learnt from {hmm.sessions} sessions and {hmm.pages} pages.")
        show_next(folder, args[0])

    def _pages(self, examples: list[str], topic: Topic, analyzer: Analyzer) -> dict[str, Page]:
        files = {name: topic.folder / name for name in examples if "://" not in name}
        pages = {name: _read(path, analyzer) for name, path in files.items()}
        pages |= self._fetch([url for url in examples if url not in files], analyzer)
        for page in pages.values():
            partition(page)
        return pages

    def _fetch(self, urls: list[str], analyzer: Analyzer) -> dict[str, Page]:
        if not urls:
            return {}
        assert self.crawler_process is not None
        crawler = self.crawler_process.create_crawler(ExamplesSpider)
        crawler.settings.set("FOCUSED_TOPIC", "", priority="cmdline")  # no crawl of it yet
        crawl_to_end(self.crawler_process, crawler, urls=urls, analyzer=analyzer)
        spider = crawler.spider
        assert isinstance(spider, ExamplesSpider)
        if spider.missing:
            reasons = Counter(spider.missing.values()).most_common()
            text = ", ".join(f"{reason} {number}x" for reason, number in reasons)
            Console(stderr=True).print(f"{len(spider.missing)} of {len(urls)} pages could not be had: {text}")
        return spider.fetched

    def _save(self, model: TopicModel, topic: Topic) -> Path:
        assert self.settings is not None
        models = self.settings.get("FOCUSED_MODELS")
        folder = model_folder(topic, Path(models).expanduser() if models else None)
        try:
            model.save(folder)
        except OSError as error:
            raise ModelError(
                f"cannot write {folder} ({error.strerror}); name another place with "
                "-s FOCUSED_MODELS=FOLDER, and give the same to scrapy crawl"
            ) from None
        return folder


def show(report: TrainingReport, topic: Topic) -> None:
    """Print the cross-validated table and what to think of it."""
    console = Console()
    table = Table(title=f"{topic.title or topic.name}: judged on examples held out of training")
    for column in ("", "examples", "precision", "recall", "F1", "calibration error"):
        table.add_column(column, justify="left" if not column else "right")
    for row in report.rows:
        figures = (row.precision, row.recall, row.f1, row.calibration_error)
        table.add_row(row.name, f"{row.relevant} + {row.other}", *(f"{figure:.3f}" for figure in figures))
    console.print(table)
    print(f"Figures are for a web where {report.relevant_share:.0%} of the pages are relevant.")
    print(f"A page is relevant from {report.threshold:.2f} on ({report.threshold_source}).")
    for warning in report.warnings:
        console.print(f"[yellow]warning:[/] {warning}")


def show_next(folder: Path, typed: str) -> None:
    """Print where the model lies and what it is for."""
    here = Path.cwd()
    place = folder.relative_to(here) if folder.is_relative_to(here) else folder
    print(f"Model in {place}", f"Next: scrapy crawl topic -a topic={typed}", sep="\n")


def _read(path: Path, analyzer: Analyzer) -> Page:
    try:
        return parse_page(path.read_bytes(), path.as_uri(), analyzer)
    except UnparsablePage as error:
        raise TopicError(f"{path} cannot be an example ({error}); save the page as HTML again") from None


def _found(examples: tuple[str, ...] | list[str], pages: dict[str, Page], topic: Topic) -> list[Page]:
    found = [pages[name] for name in examples if name in pages]
    if len(found) < FEWEST:
        raise TopicError(
            f"{topic.name}: {len(found)} of {len(examples)} examples could be had, too few to train from; "
            "add URLs or HTML files under [examples] in its topic.toml"
        )
    return found
