"""`scrapy sample`: draw pages of a crawl by chance, for people to judge."""

from __future__ import annotations

import argparse
from pathlib import Path

from focused_crawler.edge.command import FocusedCommand, Option
from focused_crawler.report.sampling.sample import STRATIFIED, Sample, draw, read_population
from focused_crawler.report.sampling.sheet import KEY, key_text, sheet_text, write_new
from focused_crawler.safety.errors import ConfigError, CrawlError, TopicError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import say
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo, read_run
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic.topic import load_topic

PAGES = 100
MOST_PAGES = 10_000
MOST_JUDGES = 20


class Command(FocusedCommand):
    """Reads the crawl only; writes a sheet (CSV, HTML) a judge, and the key."""

    usage = "CRAWL_FOLDER [--n N] [--stratified [BY]] [--seed N] [--judges N] [--all] [--out FOLDER]"
    summary = "Draw pages of a crawl by chance, for people to judge (CSV and HTML); see scrapy precision"
    options = (
        Option("--n N", "pages to draw", int, PAGES, MOST_PAGES),
        Option(
            "--stratified BY",
            "draw from bands of relevance (BY: relevance, the default), or from large hosts (host)",
            more={"nargs": "?", "const": "relevance"},
        ),
        Option("--seed N", "another number, another sample", int, 0, 2**63, least=0),
        Option("--judges N", "how many get a sheet", int, 1, MOST_JUDGES),
        Option("--all", "draw from all pages, not the relevant ones"),
        Option("--out FOLDER", "default: sample in the crawl's folder", Path),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.stratified not in {None, *STRATIFIED}:
            raise ConfigError(
                f"--stratified is {opts.stratified}; say {' or '.join(STRATIFIED)}, after the crawl's folder"
            )
        folder = Path(self.only(args, "crawl folder", "crawls/asthma/1"))
        with read_crawl(folder) as database:
            population = read_population(database, has_all=opts.all)
            if not len(population):
                raise CrawlError(_nothing(folder, has_all=opts.all))
            sample = draw(database, population, opts.n, by=opts.stratified, seed=opts.seed)
            files = _files(database, sample, folder, opts.judges)
        for path in write_new(opts.out or folder / "sample", files):
            say(path)
        say(f"{plural(len(sample.pages), 'page')} drawn from {plural(sample.population, 'page')}")


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
