"""`scrapy sample`: draw pages of a crawl by chance, for people to judge."""

from __future__ import annotations

import argparse
from pathlib import Path

from focused_crawler.edge.command import FocusedCommand, whole_number
from focused_crawler.report.sampling.sample import STRATIFIED, Sample, draw, read_population
from focused_crawler.report.sampling.sheet import KEY, key_text, sheet_text, write_new
from focused_crawler.safety.errors import ConfigError, CrawlError, TopicError
from focused_crawler.safety.formats import plural
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo, read_run
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic.topic import load_topic

PAGES = 100
MOST_PAGES = 10_000
MOST_JUDGES = 20


class Command(FocusedCommand):
    """Reads the crawl only; writes a sheet (CSV, HTML) a judge, and the key."""

    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 - Scrapy's own attribute

    def syntax(self) -> str:
        return "CRAWL_FOLDER [--n N] [--stratified [BY]] [--seed N] [--judges N] [--all] [--out FOLDER]"

    def short_desc(self) -> str:
        return "Draw pages of a crawl by chance, for people to judge (CSV and HTML); see scrapy precision"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--n", metavar="N", default=str(PAGES), help=f"pages to draw (default: {PAGES})")
        parser.add_argument(
            "--stratified",
            metavar="BY",
            nargs="?",
            const="relevance",
            help="draw from bands of relevance (BY: relevance, the default), or from large hosts (host)",
        )
        parser.add_argument("--seed", metavar="N", default="0", help="another number, another sample")
        parser.add_argument("--judges", metavar="N", default="1", help="how many get a sheet (default: 1)")
        parser.add_argument("--all", action="store_true", help="draw from all pages, not the relevant ones")
        parser.add_argument(
            "--out", type=Path, metavar="FOLDER", help="default: sample in the crawl's folder"
        )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.stratified not in {None, *STRATIFIED}:
            raise ConfigError(
                f"--stratified is {opts.stratified}; say {' or '.join(STRATIFIED)}, after the crawl's folder"
            )
        if len(args) != 1:
            raise ConfigError("name one crawl folder, as in: scrapy sample crawls/asthma/1")
        n, seed = whole_number("--n", opts.n, MOST_PAGES), whole_number("--seed", opts.seed, 2**63, least=0)
        judges, folder = whole_number("--judges", opts.judges, MOST_JUDGES), Path(args[0])
        with read_crawl(folder) as database:
            population = read_population(database, has_all=opts.all)
            if not len(population):
                raise CrawlError(_nothing(folder, has_all=opts.all))
            sample = draw(database, population, n, by=opts.stratified, seed=seed)
            files = _files(database, sample, folder, judges)
        for path in write_new(opts.out or folder / "sample", files):
            print(path)
        print(f"{plural(len(sample.pages), 'page')} drawn from {plural(sample.population, 'page')}")


def _files(database: CrawlDatabase, sample: Sample, folder: Path, judges: int) -> dict[str, str]:
    """Return the files of a sample by name."""
    from focused_crawler.report.sampling.html import extracts, sheet_html  # noqa: PLC0415 - jinja loads slowly

    texts, (title, description) = extracts(database, sample), _topic(read_run(folder))
    found = {KEY: key_text(sample)}
    for judge in map(str, range(1, judges + 1)):
        found[f"judge-{judge}.csv"] = sheet_text(sample, judge)
        found[f"judge-{judge}.html"] = sheet_html(sample, texts, judge, title, description)
    return found


def _topic(run: RunInfo | None) -> tuple[str, str]:
    """Return title and description of what the crawl was about, as far as they are still known."""
    if run is None:
        return "the topic", ""
    try:
        return run.title, load_topic(run.settings.get("FOCUSED_TOPIC") or run.topic).description
    except TopicError:
        return run.title, ""


def _nothing(folder: Path, *, has_all: bool) -> str:
    if has_all:
        return f"{folder} has no pages yet; run its crawl, or wait for the first ones"
    return f"{folder} has no page that the crawl calls relevant; draw from all of its pages with --all"
