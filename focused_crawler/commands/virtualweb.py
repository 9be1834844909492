"""scrapy virtualweb: what is in a virtual web, serving one, and writing the demo web."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from focused_crawler.command import FocusedCommand
from focused_crawler.errors import ConfigError, WebError
from focused_crawler.virtualweb.demo import write_demo_web
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.server import serve
from focused_crawler.virtualweb.stats import TopicStats, WebStats, gather, topic_stats

_SHOWN = 8  # rows of a breakdown


class Command(FocusedCommand):
    """Works on webs kept in WARC files."""

    requires_project = False

    def syntax(self) -> str:
        return "stats WEB | serve WEB [--host H] [--port P] [--hits FILE] | demo FOLDER [--seed N]"

    def short_desc(self) -> str:
        return "Show what is in a virtual web, serve it over HTTP, or write the demo web"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--host", default="127.0.0.1", help="serve: address to listen on")
        parser.add_argument("--port", type=int, default=0, help="serve: port (default: any free one)")
        parser.add_argument("--hits", metavar="FILE", help="serve: append a line a request, status and URL")
        parser.add_argument("--seed", type=int, default=1, help="demo: another seed writes another web")

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        actions = {"stats": self._stats, "serve": self._serve, "demo": self._demo}
        if len(args) != 2 or args[0] not in actions:
            raise ConfigError(
                f"use one of: scrapy virtualweb {self.syntax()}; not {' '.join(args) or 'nothing'}"
            )
        actions[args[0]](Path(args[1]), opts)

    def _stats(self, path: Path, opts: argparse.Namespace) -> None:
        with VirtualWeb(path) as web:
            with Progress(console=Console(stderr=True), transient=True) as bar:
                task = bar.add_task("Reading pages", total=len(web))
                stats = gather(web, lambda: bar.advance(task))
            show(path, stats, topic_stats(web))

    def _serve(self, path: Path, opts: argparse.Namespace) -> None:
        with VirtualWeb(path) as web, _log_file(opts.hits) as log:
            serve(
                web,
                opts.host,
                opts.port,
                lambda port: print(_greeting(web, opts.host, port), flush=True),
                log,
            )

    def _demo(self, folder: Path, opts: argparse.Namespace) -> None:
        path = write_demo_web(folder, opts.seed)
        with VirtualWeb(path) as web:
            topics = ", ".join(f"{topic.name} {topic.relevant}" for topic in topic_stats(web))
            print(f"Wrote {path}: {len(web)} records; relevant pages: {topics}")


def _log_file(path: str | None) -> AbstractContextManager[TextIO | None]:
    if path is None:
        return nullcontext()
    try:
        return Path(path).open("a", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise WebError(
            f"{path} cannot be written ({error.strerror}); give --hits a file in a writable folder"
        ) from error


def _greeting(web: VirtualWeb, host: str, port: int) -> str:
    address = f"[{host}]" if ":" in host else host
    return (
        f"Serving {len(web)} records at http://{address}:{port} (site by Host header, or use it as a proxy)"
    )


def show(path: Path, stats: WebStats, topics: list[TopicStats]) -> None:
    """Print the tables of `scrapy virtualweb stats`."""
    console = Console()
    console.print(_totals(path, stats))
    if topics:
        table = Table("topic", title="Topics", title_justify="left")
        for name in ("relevant pages", "hosts", "not in the web"):
            table.add_column(name, justify="right")
        for topic in topics:
            table.add_row(topic.name, f"{topic.relevant:,}", f"{topic.hosts:,}", f"{topic.missing:,}")
        console.print(table)


def _totals(path: Path, stats: WebStats) -> Table:
    table = Table(title=path.name, title_justify="left", show_header=False)
    links, resolved = max(stats.links, 1), max(stats.resolved_links, 1)
    rows = {
        "records": f"{stats.records:,}",
        "pages": f"{stats.pages:,}",
        "hosts": f"{stats.hosts:,}",
        "redirects": f"{stats.redirects:,}",
        "statuses": _top({str(status): count for status, count in stats.statuses.items()}),
        "content types": _top(stats.content_types),
        "links": f"{stats.links:,} ({stats.links / max(stats.pages, 1):.1f} a page)",
        "that resolve": f"{stats.resolved_links / links:.1%}",
        "of these, to other hosts": f"{stats.cross_host_links / resolved:.1%}",
        "median page": f"{stats.median_bytes:,} bytes",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    return table


def _top(counts: dict[str, int]) -> str:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    lines = [f"{name} {count:,}" for name, count in ranked[:_SHOWN]]
    return "\n".join([*lines, f"and {len(ranked) - _SHOWN} more"] if len(ranked) > _SHOWN else lines)
