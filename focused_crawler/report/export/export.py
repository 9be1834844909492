"""A crawl -> one file of a kind: the one way that the command, the workbench and the API export by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from focused_crawler.report.export import tables
from focused_crawler.report.export.chunks import write_chunks
from focused_crawler.report.export.rows import Chosen, Row
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.extras import explaining_extras
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import place, printable
from focused_crawler.safety.progress import shown
from focused_crawler.safety.whole_file import unfinished
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import run_of
from focused_crawler.store.opening import read_crawl
from focused_crawler.virtualweb.export import PageToWrite, webs_of, write_warc

Write = Callable[["Iterable[Row]", "tables.Columns", Path], int]

TABLES: Mapping[str, Write] = {
    "csv": tables.write_csv,
    "jsonl": tables.write_jsonl,
    "parquet": tables.write_parquet,
    "urls": tables.write_urls,
}
CHUNKS, WARC = "chunks", "warc"
KINDS = (*TABLES, CHUNKS, WARC)


class Exported(NamedTuple):
    """A file that was written."""

    path: Path
    what: str  # such as "12 pages"


def export(folder: Path, kind: str, path: Path, chosen: Chosen | None = None) -> Exported:
    """Write pages of the crawl in a folder to a file, which is there whole or not at all.

    Equal crawls give equal files. Works beside a running crawl, in bounded memory. Raises CrawlError, and
    ConfigError for a file that cannot be written, or where an extra is missing.
    """
    if kind not in KINDS:
        raise ConfigError(f"{printable(kind)} is no kind of export; use one of {', '.join(KINDS)}")
    chosen = chosen or Chosen()
    if kind in (CHUNKS, WARC):
        chosen = replace(chosen, with_text=True)
    with read_crawl(folder) as database, explaining_extras():
        rows = _shown(chosen, database)
        if kind == WARC:
            done = write_warc(folder, (_page(row) for row in rows), path)
            what = f"{plural(done.responses, 'response')}, {plural(done.texts, 'text')}"
            return Exported(
                path, what + (f", {plural(done.missing, 'page')} without either" if done.missing else "")
            )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with unfinished(path) as file:
                if kind == CHUNKS:
                    number = write_chunks(rows, database, list(webs_of(folder, run_of(folder))), file)
                else:
                    number = TABLES[kind](rows, chosen.columns, file)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise ConfigError(
                f"{place(path)} cannot be written ({error.strerror}); name another file"
            ) from None
    return Exported(path, plural(number, "passage" if kind == CHUNKS else "page"))


def _shown(chosen: Chosen, database: CrawlDatabase) -> Iterator[Row]:
    """Return the rows of a crawl, and show how far reading them has got."""
    return shown(chosen.rows(database), "pages exported", chosen.count(database), lambda _: 1)


def _page(row: Row) -> PageToWrite:
    return PageToWrite(row["url"], row["fetched_at"].timestamp(), row["text"] or "")
