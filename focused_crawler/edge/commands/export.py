"""`scrapy export`: the pages of a crawl as files for other programs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from focused_crawler.crawl.judging import BY, TextJudge
from focused_crawler.discovery.found_pages import pages_of_view
from focused_crawler.discovery.page_views import FIELDS, PageView
from focused_crawler.edge.command import FocusedCommand, Option
from focused_crawler.report.export.export import KINDS, export
from focused_crawler.report.export.rows import Chosen
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.printable import did_you_mean, place, say
from focused_crawler.safety.whole_file import is_stream
from focused_crawler.store.job import run_of
from focused_crawler.store.page_table import PageFilter


class Command(FocusedCommand):
    """Works beside a running crawl."""

    usage = (
        "CRAWL_FOLDER [--all | --where NAME=VALUE] [--text] [--judge JUDGE] [--csv FILE] [--parquet FILE] ..."
    )
    options = (
        Option("--csv FILE", "a table, for spreadsheets", Path),
        Option("--jsonl FILE", "an object a line", Path),
        Option("--parquet FILE", "a table, for pandas, polars, DuckDB (extra data)", Path),
        Option("--urls FILE", "nothing but URLs", Path),
        Option("--chunks FILE", "passages under their headings, an object a line, for retrieval (RAG)", Path),
        Option("--warc FILE", "responses as they came, where the crawl has them, else texts", Path),
        Option("--all", "all pages (default: those that are relevant, and no copies)"),
        Option(
            "--where NAME=VALUE",
            f"only pages with that; repeat it: {', '.join(FIELDS)}, as in label=yes",
            is_repeated=True,
        ),
        Option("--text", "tables: with the text of each page"),
        Option("--judge JUDGE", f"judge the stored texts anew: {', '.join(BY)} (default: as recorded)"),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        folder = Path(self.only(args, "crawl folder", "crawls/asthma/1 --parquet pages.parquet"))
        wanted = {kind: _file(path) for kind in KINDS if (path := getattr(opts, kind)) is not None}
        if not wanted:
            kinds = ", ".join(f"--{kind} FILE" for kind in KINDS)
            raise ConfigError(f"nothing to write; give one or more of {kinds}")
        files = [path.resolve() for path in wanted.values() if not is_stream(path)]
        if len(set(files)) < len(files):
            raise ConfigError("one file is named for two kinds; name a file for each")
        pages = PageFilter(is_relevant=None if opts.all else True)
        if opts.where:
            if opts.all:
                raise ConfigError("give one of --all and --where")
            pages = _chosen(folder, opts.where)
        chosen = Chosen(pages, self._judge(folder, opts.judge), opts.text)
        for kind, path in wanted.items():
            done = export(folder, kind, path, chosen)
            say(f"{place(done.path)}: {done.what}", to=sys.stderr if is_stream(path) else None)

    def _judge(self, folder: Path, kind: str | None) -> TextJudge | None:
        """Return the judge that is asked for; None: what is recorded."""
        return None if kind is None else TextJudge.of_crawl(run_of(folder), self.settings, kind)


def _file(path: Path) -> Path:
    """Return the file that is meant: - is the standard output, as it is to other programs."""
    return Path("/dev/stdout") if path == Path("-") else path


def _chosen(folder: Path, given: Sequence[str]) -> PageFilter:
    """Return the pages that NAME=VALUE ask for, as the workbench's Pages does; raises ConfigError."""
    asked: dict[str, str] = {}
    for name, _, value in (word.partition("=") for word in given):
        if name not in FIELDS:
            near = did_you_mean(name, FIELDS, sign="=") or f"use {', '.join(FIELDS)}"
            raise ConfigError(f"--where {name} is nothing that pages are chosen by; {near}")
        if not value or name in asked:
            problem = "stands twice" if value else "has no value"
            raise ConfigError(f"--where {name} {problem}; write it once, as --where {name}=VALUE")
        asked[name] = value
    return pages_of_view(folder, PageView.read(asked))
