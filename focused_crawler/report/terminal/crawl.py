"""A crawl for the terminal: its figures, its hubs and authorities, and the lists that crawls leave behind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from focused_crawler.crawl.hubs.listing import HubRanking, RatedPage
from focused_crawler.crawl.judged import Interval
from focused_crawler.crawl.lists.lists import CountedCrawl, ListedHub, ListedSite, Lists
from focused_crawler.report import words
from focused_crawler.report.compared import CrawlComparison
from focused_crawler.report.estimated import how_sure, left_to_find
from focused_crawler.report.summary import CrawlSummary
from focused_crawler.report.terminal.output import lines, sentence, stacked, text
from focused_crawler.report.terminal.tables import add_row, heading, more, noted, page, table
from focused_crawler.safety import formats
from focused_crawler.safety.formats import count, moment, percent, plural

ROWS = 30
"""Of a table of the lists; an export has all."""

HUB_COLUMNS = ("links", "led to", "hosts", "hubness", "rating", "crawls", "mark")


def figures(crawls: Sequence[CrawlSummary]) -> Table:
    """Return one column a crawl, the first being the one that is reported."""
    names = (f">{formats.tidy(name)}" for name in words.name_apart(crawls))
    shown = table(f"|{formats.tidy(crawls[0].title)}", *names)
    columns = [_figures_of(crawl) for crawl in crawls]
    for name in columns[0]:
        if any(column[name] for column in columns):
            add_row(shown, name, *(column[name] for column in columns))
    if any(crawl.findings.revisits for crawl in crawls):
        add_row(shown, "revisits", *(_outcomes(crawl.findings.revisits) for crawl in crawls))
    return shown


def _figures_of(crawl: CrawlSummary) -> dict[str, str]:
    recall, rate = crawl.target_recall, crawl.compared and crawl.compared.rate
    lasts = ((100, crawl.harvest_rate_100), (1000, crawl.harvest_rate_1000))
    return {
        "harvest rate": percent(crawl.harvest_rate) if rate is None else _with_interval(rate),
        **{
            f"last {n:,} pages": percent(of_last) if rate is None and crawl.pages > n else ""
            for n, of_last in lasts
        },
        "target recall": "unknown" if recall is None else percent(recall),
        "pages": count(crawl.pages),
        "relevant": count(crawl.relevant) if rate is None else "",
        "judged by": formats.tidy(crawl.compared.judged_by if crawl.compared else crawl.judged_by),
        "hosts": count(crawl.host_count),
        "left in frontier": "unknown" if crawl.bands is None else count(crawl.pending),
        "time": formats.duration(crawl.seconds),
        "pages a second": f"{crawl.pages_per_second:.1f}",
    }


def _with_interval(rate: Interval) -> str:
    return f"{percent(rate.value)} ({percent(rate.low)} to {percent(rate.high)})"


def _outcomes(revisits: Mapping[str, int]) -> Text:
    found = [f"{count(number)} {formats.tidy(outcome, 40)}" for outcome, number in revisits.items()]
    return lines(found or ["0"])


def differences(found: CrawlComparison) -> list[str]:
    """Return what the first of several crawls has more than the others, in sentences."""
    first = found.crawls[0]
    lines = [f"After {plural(found.pages, 'page')}, which all have, by {formats.tidy(found.judged_by)}:"]
    for one in found.differences:
        value, low, high = (100 * share for share in one.difference)
        lines.append(
            f"  {formats.tidy(first.strategy)} less {formats.tidy(one.strategy)} ({formats.tidy(one.job)}):"
            f" {value:+.1f} points of harvest rate, 95 %: {low:+.1f} to {high:+.1f}"
            f"{'' if one.is_certain else '; that may be chance'}"
        )
    return lines


def remarks(crawl: CrawlSummary) -> list[str]:
    """Return why a crawl stopped, what is left, its alarms and what was kept out, a line each."""
    found = crawl.findings
    said = [crawl.stopped]
    if sure := how_sure(crawl):
        said.append(sure)
    if left := left_to_find(crawl):
        said.append(left)
    if crawl.watched_by:
        said.append(words.watched(crawl.watched_by, crawl.targets))
    said += [f"{alarm.kind.capitalize()}, {moment(alarm.raised_at)}: {alarm.text}" for alarm in found.alarms]
    for name, rated in (("hub", found.hubs), ("authority", found.authorities)):
        said += [f"Best {name}: {best.url}" for best in rated[:1]]
    if unrated := words.not_rated(crawl):
        said.append(unrated)
    if found.steered:
        counts = (f"{name} ({count(number)})" for name, number in found.steered.items())
        said.append(f"Steered by: {'; '.join(counts)}.")
    return [formats.tidy(line, 1000) for line in said]


def distilled(found: HubRanking, most: int) -> Iterator[RenderableType]:
    """Yield the hubs, authorities and hosts of a crawl; of the neglected pages the first `most`."""
    yield sentence(
        f"{plural(found.pages, 'page')}, rated by {plural(found.links, 'link')} from other sites"
        f" to pages with a relevance above {found.rho:.3f}"
    )
    yield Text()
    yield heading("Hubs")
    yield _rated((best.hub, best) for best in found.hubs)
    yield heading("Authorities")
    yield _rated((best.authority, best) for best in found.authorities)
    yield heading("Hosts, by the authority of their pages")
    hosts = ((percent(one.authority), count(one.pages), count(one.relevant), one.host) for one in found.hosts)
    yield table(">authority", ">pages", ">relevant", "host", rows=hosts)
    yield heading("Never fetched, though these hubs lead there from other sites")
    leads = found.leads()
    if not leads:
        yield sentence("None: all of them were fetched, or failed.")
        return
    rows = ((count(lead.hubs), page(lead.anchor or "(no text)", lead.url)) for lead in leads[:most])
    yield table(">hubs", "page", rows=rows)
    if len(leads) > most:
        yield more(len(leads) - most)


def _rated(pages: Iterator[tuple[float, RatedPage]]) -> Table:
    rows = (
        (percent(score), f"{one.relevance:.3f}", page(one.title or "(no title)", one.url))
        for score, one in pages
    )
    return table(">score", ">relevance", "page", rows=rows)


def listed(lists: Lists, *, has_all: bool) -> Iterator[RenderableType]:
    """Yield the crawls counted, and the good sites and hubs; `has_all`: also those that are not good."""
    yield _crawls(lists.crawls())
    yield Text()
    sites, hubs = lists.sites(), lists.hubs()
    shown_sites = [site for site in sites if has_all or site.is_kept or site.mark]
    shown_hubs = [hub for hub in hubs if has_all or hub.is_kept or hub.mark]
    yield from _part("Sites", _sites(shown_sites[:ROWS]), len(shown_sites), len(sites))
    yield from _part("Hubs", _hubs(shown_hubs[:ROWS]), len(shown_hubs), len(hubs))


def _crawls(crawls: Sequence[CountedCrawl]) -> Text:
    if not crawls:
        return sentence("No crawl counted yet.")
    named = [
        f"{crawl.job} ({moment(crawl.started)}, {plural(crawl.pages, 'page')},"
        f" {count(crawl.relevant)} relevant)"
        for crawl in crawls[-5:]
    ]
    before = f"{count(len(crawls) - 5)} more, " if len(crawls) > 5 else ""
    return sentence(f"{plural(len(crawls), 'crawl')} counted: {before}{', '.join(named)}")


def _part(name: str, rows: RenderableType, shown: int, known: int) -> Iterator[RenderableType]:
    rest = f", {count(known - shown)} more with --all" if known > shown else ""
    yield heading(f"{name}: {count(shown)}{rest}")
    if shown:
        yield rows
    if shown > ROWS:
        yield more(shown - ROWS, ": --export FILE has them all")


def _sites(sites: Sequence[ListedSite]) -> Table:
    rows = (
        (
            count(site.pages),
            count(site.relevant),
            percent(site.share),
            count(site.crawls),
            site.mark,
            noted(site.site, site.note),
        )
        for site in sites
    )
    return table(">pages", ">relevant", ">share", ">crawls", "|mark", "site", rows=rows)


def _hubs(hubs: Sequence[ListedHub]) -> Text:
    """Return a line of numbers for each hub, and its URL on a line of its own: no table is so wide."""
    rows = [
        (
            count(hub.links),
            count(hub.relevant),
            count(hub.hosts),
            "" if hub.hubness is None else f"{hub.hubness:.3f}",
            "" if hub.rating is None else percent(hub.rating),
            count(hub.crawls),
            hub.mark,
        )
        for hub in hubs
    ]
    widths = [max(map(len, column)) for column in zip(HUB_COLUMNS, *rows, strict=True)]
    rule = "─" * (sum(widths) + 3 * len(widths) - 2)
    shown = [Text(), text(_line(HUB_COLUMNS, widths)), text(f" {rule}")]
    for hub, row in zip(hubs, rows, strict=True):
        shown += [text(_line(row, widths)), noted(f" {hub.url}", hub.note and f" {hub.note}")]
    return stacked([*shown, Text()])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return the cells below their headings: numbers at the right, the mark after them."""
    numbers = [cell.rjust(width) for cell, width in zip(cells[:-1], widths[:-1], strict=True)]
    return f" {'   '.join([*numbers, cells[-1]])}".rstrip()
