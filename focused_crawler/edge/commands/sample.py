"""`scrapy sample`: draw pages of a crawl, or results of a search provider, by chance, for people to judge."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.discovery.choice import merged_results
from focused_crawler.discovery.search.base import PROVIDERS, SearchSettings
from focused_crawler.discovery.search.registry import open_provider
from focused_crawler.discovery.seed_search import MOST, SEARCHES, TOP, SeedSearch
from focused_crawler.edge.command import FetchingCommand, Option
from focused_crawler.edge.examples import fetch_pages
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.report.sampling.answers import draw_answers
from focused_crawler.report.sampling.sample import Sample, draw, read_population
from focused_crawler.report.sampling.sheet import KEY, check_new, key_text, sheet_text, write_new
from focused_crawler.safety.errors import ConfigError, CrawlError, SearchError, TopicError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import say
from focused_crawler.safety.settings import read
from focused_crawler.store.job import RunInfo, read_run
from focused_crawler.store.opening import read_crawl
from focused_crawler.store.page_texts import PageTexts
from focused_crawler.topic.topic import load_topic

PAGES = 100
MOST_PAGES = 10_000
MOST_JUDGES = 20
BY = {"crawl": ("relevance", "host"), "answers": ("rank", "host")}


class Command(FetchingCommand):
    """Writes a sheet (CSV, HTML) a judge, and the key. Reads a crawl only; fetches answers that it draws."""

    usage = (
        "CRAWL_FOLDER | TOPIC --provider NAME [--n N] [--stratified [BY]] [--seed N] [--judges N] [--all]"
        " [--out FOLDER]"
    )
    options = (
        Option("--n N", "pages to draw", int, PAGES, MOST_PAGES),
        Option(
            "--stratified BY",
            "draw from bands of relevance (BY: relevance, the default), or from large hosts (host); of"
            " answers from ten ranks each (rank, the default)",
            more={"nargs": "?", "const": ""},
        ),
        Option("--seed N", "another number, another sample", int, 0, 2**63, least=0),
        Option("--judges N", "how many get a sheet", int, 1, MOST_JUDGES),
        Option("--all", "draw from all pages, not the relevant ones"),
        Option("--provider NAME", f"draw from what it answers for a topic: {', '.join(PROVIDERS)}"),
        Option("--searches N", "of a provider", int, SEARCHES, MOST),
        Option("--top N", "results that are taken of each search", int, TOP, MOST),
        Option("--out FOLDER", "default: sample in the crawl's folder, or in the topic's", Path),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        allowed = BY["crawl" if opts.provider is None else "answers"]
        if opts.stratified not in {None, "", *allowed}:
            raise ConfigError(
                f"--stratified is {opts.stratified}; say {' or '.join(allowed)}, behind what is drawn from"
            )
        by = allowed[0] if opts.stratified == "" else opts.stratified
        if opts.provider is None:
            self._of_crawl(Path(self.only(args, "crawl folder", "crawls/asthma/1")), by, opts)
        else:
            self._of_answers(self.only(args, "topic", "asthma --provider brave"), by, opts)

    def _of_crawl(self, folder: Path, by: str | None, opts: argparse.Namespace) -> None:
        with read_crawl(folder) as database:
            population = read_population(database, has_all=opts.all)
            if not len(population):
                raise CrawlError(_nothing(folder, has_all=opts.all))
            sample = draw(database, population, opts.n, by=by, seed=opts.seed)
            positions = [page.position for page in sample.pages]
            texts = {page.url: page.text for page in PageTexts(database).of(positions)}
        _write(sample, texts, _topic(read_run(folder)), opts.out or folder / "sample", opts.judges)

    def _of_answers(self, name: str, by: str | None, opts: argparse.Namespace) -> None:
        if opts.all:
            raise ConfigError("--all is of a crawl: what a provider answers is relevant, as it has it")
        self.override("FOCUSED_SEARCH", opts.provider)
        topic, config = self.topic(name), CrawlConfig.from_settings(self.settings)
        search = SeedSearch(topic, config, opts.searches)
        folder = opts.out or search.answers_path.with_name(f"sample-{opts.provider}")
        check_new(folder, [KEY])  # before anything is asked, or paid
        settings = read(SearchSettings, self.settings)
        with closing(open_provider(settings, topic, config.web)) as provider:
            found = search.ask(provider, opts.top)
        if not found.answers:
            raise SearchError(found.failures[0][1])
        say(*found.failed())
        results = merged_results(found.answers)
        if not results:
            raise SearchError(f"{provider.name} found nothing to judge; add keywords to {topic.name}")
        sample = draw_answers(results, opts.n, by=by, seed=opts.seed)
        urls = [page.url for page in sample.pages]
        pages = fetch_pages(self.crawler_process, urls, Analyzer(topic.language))
        texts = {url: page.text for url, page in pages.items()}
        _write(sample, texts, (topic.title, topic.description), folder, opts.judges)


def _write(
    sample: Sample, texts: Mapping[str, str], about: tuple[str, str], folder: Path, judges: int
) -> None:
    """Write the files of a sample, and say which."""
    from focused_crawler.report.sampling.html import extracts, sheet_html  # noqa: PLC0415 - jinja loads slowly

    words = extracts(sample, texts)
    files = {KEY: key_text(sample)}
    for judge in map(str, range(1, judges + 1)):
        files[f"judge-{judge}.csv"] = sheet_text(sample, judge)
        files[f"judge-{judge}.html"] = sheet_html(sample, words, judge, *about)
    for path in write_new(folder, files):
        say(path)
    say(f"{plural(len(sample.pages), 'page')} drawn from {plural(sample.population, 'page')}")
    say(f"Next, when they are judged: scrapy precision {shlex.quote(str(folder))}/judge-*.csv")


def _topic(run: RunInfo | None) -> tuple[str, str]:
    """Return title and description of what the crawl was about, as far as they are still known."""
    if run is None:
        return "the topic", ""
    try:
        return run.title, load_topic(run.topic_name).description
    except TopicError:
        return run.title, ""


def _nothing(folder: Path, *, has_all: bool) -> str:
    if has_all:
        return f"{folder} has no pages yet; run its crawl, or wait for the first ones"
    return f"{folder} has no page that the crawl calls relevant; draw from all of its pages with --all"
