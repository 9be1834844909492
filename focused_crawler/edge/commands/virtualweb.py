"""scrapy virtualweb: what is in a virtual web, serving one, and writing the demo web."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TextIO

from focused_crawler.edge.command import FocusedCommand, Option, save_json
from focused_crawler.report.live import Bars
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.report.terminal.virtualweb import figures, tables
from focused_crawler.safety.errors import WebError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import say
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.stats import (
    LinkStats,
    TopicStats,
    link_stats,
    record_stats,
    seed_sets_of,
    topic_folders,
    topic_stats,
)
from focused_crawler.virtualweb.truth import GroundTruth


class Command(FocusedCommand):
    """Works on webs in WARC files."""

    usage = (
        "stats WEB [--json FILE] [--plots DIR] | serve WEB [--host H] [--port N] [--hits FILE]"
        " | demo FOLDER [--seed N] [--wide] [--listings]"
    )
    options = (
        Option("--json FILE", "stats: write all figures as JSON", Path),
        Option("--plots DIR", "stats: draw the bounds of each topic as PNG", Path),
        Option("--host HOST", "serve: address to listen on", default="127.0.0.1"),
        Option("--port N", "serve: port; 0: any that is free", int, 0, 65_535, least=0),
        Option("--hits FILE", "serve: append a line a request, status and URL"),
        Option("--seed N", "demo: another seed writes another web", int, 1, least=0),
        Option("--wide", "demo: many hosts under few domains, a third of links across hosts, no directory"),
        Option("--listings", "demo: some sites have sitemaps, feeds, canonical URLs and printed pages"),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        methods = {"stats": self._stats, "serve": self._serve, "demo": self._demo}
        self.act(args, opts, {name: (method, 1, 1) for name, method in methods.items()})

    def _stats(self, args: list[str], opts: argparse.Namespace) -> None:
        path = Path(args[0])
        with VirtualWeb(path) as web:
            records = record_stats(web)
        with _writing():  # reported before all pages are read, which may take minutes
            if opts.json:
                opts.json.open("a").close()
            if opts.plots:
                opts.plots.mkdir(parents=True, exist_ok=True)
        links, topics = _read(path)
        terminal = Terminal()
        for table in tables(path.name, records, links, topics):
            terminal.print(table)
        with _writing():
            if opts.json:
                save_json(figures(records, links, topics), opts.json)
            if opts.plots:
                _plot(topics, opts.plots)

    def _serve(self, args: list[str], opts: argparse.Namespace) -> None:
        # What serves, writes and draws loads slowly, and Scrapy loads this module for each of its commands.
        from focused_crawler.virtualweb.server import serve  # noqa: PLC0415

        with VirtualWeb(args[0]) as web, _log_file(opts.hits) as log:
            serve(web, opts.host, opts.port, partial(_greet, web, opts.host), log)

    def _demo(self, args: list[str], opts: argparse.Namespace) -> None:
        from focused_crawler.virtualweb.demo import write_demo_web  # noqa: PLC0415

        path = write_demo_web(Path(args[0]), opts.seed, is_wide=opts.wide, has_listings=opts.listings)
        with VirtualWeb(path) as web:
            truths = {folder.name: GroundTruth.of_topic(folder) or () for folder in topic_folders(path)}
            topics = ", ".join(f"{name} {len(truth)}" for name, truth in truths.items())
            say(f"Wrote {path}: {len(web)} records; relevant pages: {topics}")


def _read(path: Path) -> tuple[LinkStats, list[TopicStats]]:
    folders = topic_folders(path)
    steps = sum(len(seed_sets_of(folder)) for folder in folders)
    with AnalysedWeb(path) as web, Bars() as bars:
        reading, bounding = bars.add("Reading links", len(web)), bars.add("Finding bounds", steps)
        links = link_stats(web, lambda: bars.advance(reading))
        return links, [topic_stats(web, folder, lambda: bars.advance(bounding)) for folder in folders]


def _plot(topics: list[TopicStats], folder: Path) -> None:
    from focused_crawler.report.charts import bounds  # noqa: PLC0415

    for topic in topics:
        if topic.seed_sets:
            bounds(topic).save(folder)


@contextmanager
def _writing(cure: str = "let --json name a file, and --plots a folder, that can be") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WebError(f"{error.filename} cannot be written ({error.strerror}); {cure}") from error


def _log_file(path: str | None) -> AbstractContextManager[TextIO | None]:
    if path is None:
        return nullcontext()
    with _writing("give --hits a file in a writable folder"):
        return Path(path).open("a", encoding="utf-8", errors="backslashreplace")


def _greet(web: VirtualWeb, host: str, port: int) -> None:
    address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    say(f"Serving {plural(len(web), 'record')} at {address} (site by Host header, or use it as a proxy)")
