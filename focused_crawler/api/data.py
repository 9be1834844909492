"""What a crawl has collected, for programs: pages, links and hosts as frames, reasons, estimates, plots."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from focused_crawler.api.frames import Frame, frame_of
from focused_crawler.crawl.estimated import estimate_now
from focused_crawler.crawl.judged import JudgeEstimate
from focused_crawler.crawl.judging import JudgedAnew, TextJudge, judge_again
from focused_crawler.page.url import normalise
from focused_crawler.report.export.export import Exported, export
from focused_crawler.report.export.rows import Chosen, Row
from focused_crawler.report.page import write_report
from focused_crawler.report.read import read_summary
from focused_crawler.report.why.learnt import Learnt
from focused_crawler.report.why.reading import as_it_is, read_facts
from focused_crawler.report.why.sentences import answer
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.extras import explaining_extras
from focused_crawler.safety.program import as_typed
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo, run_of
from focused_crawler.store.judges import Hits, hits_by
from focused_crawler.store.opening import change_crawl, crawl_at_once, read_crawl
from focused_crawler.store.page_table import PageFilter

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LINKS: Mapping[str, type] = {
    "source": str, "number": int, "target": str, "anchor": str, "block": int, "score": float,
    "external": bool,
}  # fmt: skip
_SOURCES = "SELECT DISTINCT source FROM links WHERE source > ? ORDER BY source LIMIT ?"
_LINKS_OF = """
SELECT s.url, number, t.url, anchor, block, score, external
FROM links JOIN urls AS s ON s.id = links.source JOIN urls AS t ON t.id = links.target
WHERE links.source {} ORDER BY links.source, number
"""
_CHUNK = 500
_OF_HOSTS = """
SELECT host, count(*), sum({}), min(fetched_at), max(fetched_at) FROM pages
GROUP BY host ORDER BY count(*) DESC, host
"""
_HOSTS: Mapping[str, type] = {
    "host": str, "pages": int, "relevant": int, "harvest_rate": float, "first": datetime, "last": datetime,
}  # fmt: skip


class Why(NamedTuple):
    """What became of a URL."""

    text: str  # the answer, and what to do about it
    facts: dict[str, Any]  # all that is known: links to it, its place in the queue, its host, decisions

    def __str__(self) -> str:
        """Return the answer."""
        return self.text


@dataclass(frozen=True, slots=True)
class CrawlData:
    """A crawl by its folder, stopped or under way; each call reads it as it is then."""

    folder: Path

    @property
    def info(self) -> RunInfo:
        """Return what run.json says: topic, strategy, judge, totals, settings."""
        return run_of(self.folder)

    def pages(
        self,
        *,
        relevant: bool | None = None,
        text: bool = False,
        judge: str | None = None,
        to: Frame = "arrow",
    ) -> Any:
        """Return a frame of the pages: all, the relevant ones (True), or the others (False).

        `relevant`: by `is_relevant`, which the crawl's judge says, or `judge`; where a recorded web has a
        ground truth, totals and `hosts` go by that, and `is_target` says it. `text`: with their texts.
        `judge`: judged anew by "model", "keywords", "thesaurus", "vsm" or "rules".
        """
        chosen = self._chosen(relevant, judge, text=text)
        with crawl_at_once(self.folder) as database:
            return frame_of(chosen.rows(database), chosen.columns, to)

    def links(self, *, to: Frame = "arrow") -> Any:
        """Return a frame of all links of the pages, with the score that each got."""
        with crawl_at_once(self.folder) as database:
            return frame_of(_links(database), _LINKS, to)

    def hosts(self, *, to: Frame = "arrow") -> Any:
        """Return a frame of the hosts, those with most pages first; relevant as in the report."""
        hits = hits_by(self.info.judged_by)
        with crawl_at_once(self.folder) as database:
            return frame_of(_hosts(database, hits), _HOSTS, to)

    def why(self, url: str) -> Why:
        """Return why a URL was fetched or not; raises ConfigError for what is no URL."""
        from focused_crawler.report.why.terminal import as_record  # noqa: PLC0415 - loads rich

        normal = normalise(url)
        if normal is None:
            raise ConfigError(
                f"{url!r} is nothing a crawl could fetch; write a URL such as https://example.org/"
            )
        run = self.info
        with crawl_at_once(self.folder) as database:
            facts, run = read_facts(database, normal), as_it_is(database, run)
        found = answer(facts, run, time.time())
        return Why(as_typed(str(found)), as_record(facts, run, None, Learnt(), found))

    def estimate(self) -> JudgeEstimate | None:
        """Return how many pages are relevant, and how right the judge is, as far as that is known."""
        with crawl_at_once(self.folder) as database:
            return estimate_now(self.info, database)

    def export(
        self,
        kind: str,
        path: str | Path,
        *,
        relevant: bool | None = True,
        text: bool = False,
        judge: str | None = None,
    ) -> Exported:
        """Write pages to a file: csv, jsonl, parquet, urls, chunks or warc; see docs/reference/export.md."""
        return export(self.folder, kind, Path(path), self._chosen(relevant, judge, text=text))

    def report(self) -> Path:
        """Write report.html into the crawl's folder, and return its path."""
        return write_report(self.folder)

    def plots(self) -> dict[str, Figure]:
        """Return the plots of the report as figures of matplotlib, by their titles."""
        from focused_crawler.report import charts  # noqa: PLC0415 - of the extra "plots"

        summary = read_summary(self.folder)
        with explaining_extras():
            return {
                plot.title: plot.figure()
                for plot in charts.plots_of(charts.compared([summary.topic], [summary]))
            }

    def _chosen(self, relevant: bool | None, judge: str | None, *, text: bool) -> Chosen:
        judged = None if judge is None else TextJudge.of_crawl(self.info, {}, judge)
        return Chosen(PageFilter(is_relevant=relevant), judged, text)

    def __repr__(self) -> str:
        """Return how it is opened."""
        return f"open_crawl({str(self.folder)!r})"


def open_crawl(folder: str | Path | CrawlData) -> CrawlData:
    """Return what a crawl has collected, by its folder; raises CrawlError."""
    data = CrawlData(folder.folder if isinstance(folder, CrawlData) else Path(folder))
    read_crawl(data.folder).close()
    return data


def judge(crawl: str | Path | CrawlData, by: str = "", *, write: bool = False) -> JudgedAnew:
    """Judge the pages of a stopped crawl anew, by the topic's model or another judge; return what changes.

    `write`: let what the judge says be what the crawl says. Raises CrawlError.
    """
    data = open_crawl(crawl)
    run = data.info
    judged = TextJudge.of_crawl(run, {}, by)
    with change_crawl(data.folder) if write else crawl_at_once(data.folder) as database:
        return judge_again(data.folder, run, judged, database, must_write=write)


def _links(database: CrawlDatabase) -> Iterator[Row]:
    for sources in database.chunks(_SOURCES, size=_CHUNK):
        wanted = database.many([source for (source,) in sources])
        for row in database.rows(_LINKS_OF.format(database.among), (wanted,)):
            link = dict(zip(_LINKS, row, strict=True))
            yield link | {"external": None if link["external"] is None else bool(link["external"])}


def _hosts(database: CrawlDatabase, hits: Hits) -> Iterator[Row]:
    for host, pages, relevant, first, last in database.rows(_OF_HOSTS.format(hits.column)):
        yield {
            "host": host,
            "pages": pages,
            "relevant": relevant,
            "harvest_rate": relevant / pages,
            "first": datetime.fromtimestamp(first, UTC),
            "last": datetime.fromtimestamp(last, UTC),
        }
