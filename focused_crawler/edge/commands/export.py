"""`scrapy export`: the pages of a crawl as files for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path

from focused_crawler.crawl.judging import BY, TextJudge
from focused_crawler.edge.command import FocusedCommand, Option
from focused_crawler.report.export.export import KINDS, export
from focused_crawler.report.export.rows import Chosen
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.printable import place, say
from focused_crawler.store.job import run_of
from focused_crawler.store.page_table import PageFilter


class Command(FocusedCommand):
    """Works beside a running crawl."""

    usage = "CRAWL_FOLDER [--all] [--text] [--judge JUDGE] [--csv FILE] [--parquet FILE] ..."
    options = (
        Option("--csv FILE", "a table, for spreadsheets", Path),
        Option("--jsonl FILE", "an object a line", Path),
        Option("--parquet FILE", "a table, for pandas, polars, DuckDB (extra data)", Path),
        Option("--urls FILE", "nothing but URLs", Path),
        Option("--chunks FILE", "passages under their headings, an object a line, for retrieval (RAG)", Path),
        Option("--warc FILE", "responses as they came, where the crawl has them, else texts", Path),
        Option("--all", "all pages (default: those that are relevant, and no copies)"),
        Option("--text", "tables: with the text of each page"),
        Option("--judge JUDGE", f"judge the stored texts anew: {', '.join(BY)} (default: as recorded)"),
    )

    def main(self, args: list[str], opts: argparse.Namespace) -> None:
        folder = Path(self.only(args, "crawl folder", "crawls/asthma/1 --parquet pages.parquet"))
        wanted = {kind: path for kind in KINDS if (path := getattr(opts, kind)) is not None}
        if not wanted:
            kinds = ", ".join(f"--{kind} FILE" for kind in KINDS)
            raise ConfigError(f"nothing to write; give one or more of {kinds}")
        chosen = Chosen(
            PageFilter(is_relevant=None if opts.all else True), self._judge(folder, opts.judge), opts.text
        )
        for kind, path in wanted.items():
            done = export(folder, kind, path, chosen)
            say(f"{place(done.path)}: {done.what}")

    def _judge(self, folder: Path, kind: str | None) -> TextJudge | None:
        """Return the judge that is asked for; None: what is recorded."""
        return None if kind is None else TextJudge.of_crawl(run_of(folder), self.settings, kind)
