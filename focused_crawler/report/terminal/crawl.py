"""A crawl's figures for the terminal: a table, and lines of what is to be said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from focused_crawler.crawl.steering.advice import in_words
from focused_crawler.report import words
from focused_crawler.report.summary import CrawlSummary
from focused_crawler.safety import formats


def figures(crawls: Sequence[CrawlSummary]) -> Table:
    """Return one column a crawl, the first being the one that is reported."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(Text(formats.tidy(crawls[0].title)), no_wrap=True)
    for name in words.name_apart(crawls):
        table.add_column(Text(formats.tidy(name)), justify="right")
    columns = [_figures_of(crawl) for crawl in crawls]
    if any(crawl.findings.revisits for crawl in crawls):
        for column, crawl in zip(columns, crawls, strict=True):
            column["looked at again"] = _outcomes(crawl.findings.revisits)
    for name in columns[0]:
        table.add_row(name, *(Text(column[name]) for column in columns))
    return table


def _figures_of(crawl: CrawlSummary) -> dict[str, str]:
    recall = crawl.target_recall
    return {
        "harvest rate": formats.percent(crawl.harvest_rate),
        "last 100 pages": formats.percent(crawl.harvest_rate_100),
        "last 1,000 pages": formats.percent(crawl.harvest_rate_1000),
        "target recall": "unknown" if recall is None else formats.percent(recall),
        "pages": formats.count(crawl.pages),
        "relevant": formats.count(crawl.relevant),
        "hosts": formats.count(crawl.host_count),
        "left in frontier": "unknown" if crawl.bands is None else formats.count(crawl.pending),
        "time": formats.duration(crawl.seconds),
        "pages a second": f"{crawl.pages_per_second:.1f}",
    }


def _outcomes(revisits: Mapping[str, int]) -> str:
    lines = [f"{formats.count(number)} {formats.tidy(outcome, 40)}" for outcome, number in revisits.items()]
    return "\n".join(lines) or "0"


def remarks(crawl: CrawlSummary) -> list[str]:
    """Return why a crawl stopped, what is left, its alarms and what was kept out, a line each."""
    found = crawl.findings
    lines = [crawl.stopped]
    if crawl.pending and found.estimate:
        lines.append(f"Left to find, by estimate: {in_words(found.estimate)} relevant pages.")
    lines += [
        f"{alarm.kind.capitalize()}, {formats.moment(alarm.raised_at)}: {alarm.text}"
        for alarm in found.alarms
    ]
    for name, rated in (("hub", found.hubs), ("authority", found.authorities)):
        lines += [f"Best {name}: {page.url}" for page in rated[:1]]
    if unrated := words.not_rated(crawl):
        lines.append(unrated)
    if found.steered:
        counts = (f"{formats.count(number)} {name}" for name, number in found.steered.items())
        lines.append(f"Steered by: {'; '.join(counts)}.")
    return [formats.tidy(line, 1000) for line in lines]
