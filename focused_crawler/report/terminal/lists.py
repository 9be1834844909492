"""The lists for the terminal: nothing of the pages can steer it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from focused_crawler.crawl.lists.lists import CountedCrawl, ListedHub, ListedSite, Lists
from focused_crawler.safety.formats import count, moment, percent, plural
from focused_crawler.safety.printable import printable

ROWS = 30
"""Of a table; an export has all."""
HUB_COLUMNS = ("links", "led to", "hosts", "hubness", "rating", "crawls", "mark")


def tables(lists: Lists, *, has_all: bool) -> Iterator[RenderableType]:
    """Yield the crawls counted, and what is kept of sites and hubs; `has_all`: also what is not."""
    crawls, sites, hubs = lists.crawls(), lists.sites(), lists.hubs()
    yield _crawls(crawls)
    shown_sites = [site for site in sites if has_all or site.is_kept or site.mark]
    shown_hubs = [hub for hub in hubs if has_all or hub.is_kept or hub.mark]
    yield _headline("Sites", len(shown_sites), len(sites))
    yield from _cut(_sites(shown_sites[:ROWS]), len(shown_sites))
    yield _headline("Hubs", len(shown_hubs), len(hubs))
    yield from _cut(_hubs(shown_hubs[:ROWS]), len(shown_hubs))


def _crawls(crawls: Sequence[CountedCrawl]) -> Text:
    if not crawls:
        return Text("No crawl counted yet.\n")
    lines = [
        f"{printable(crawl.job)} ({moment(crawl.started)}, {plural(crawl.pages, 'page')},"
        f" {count(crawl.relevant)} relevant)"
        for crawl in crawls[-5:]
    ]
    before = f"{count(len(crawls) - 5)} more, " if len(crawls) > 5 else ""
    return Text(f"{plural(len(crawls), 'crawl')} counted: {before}{', '.join(lines)}\n")


def _headline(words: str, shown: int, known: int) -> Text:
    rest = f", {count(known - shown)} more with --all" if known > shown else ""
    return Text(f"{words}: {count(shown)}{rest}", style="bold")


def _cut(table: RenderableType, rows: int) -> Iterator[RenderableType]:
    if rows:
        yield table
    if rows > ROWS:
        yield Text(f"and {count(rows - ROWS)} more: --export FILE has them all")


def _sites(sites: Sequence[ListedSite]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("pages", "relevant", "share", "crawls"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("mark", no_wrap=True)
    table.add_column("site", overflow="fold")
    for site in sites:
        numbers = (count(site.pages), count(site.relevant), percent(site.share), count(site.crawls))
        table.add_row(*numbers, site.mark, _named(site.site, site.note))
    return table


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
    shown = Text(f"\n{_line(HUB_COLUMNS, widths)}\n ")
    shown.append("─" * (sum(widths) + 3 * len(widths) - 2))
    for hub, row in zip(hubs, rows, strict=True):
        shown.append(f"\n{_line(row, widths)}\n {printable(hub.url)}")
        if hub.note:
            shown.append(f"\n {printable(hub.note)}", style="dim")
    return shown.append("\n")


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return the cells below their headings: numbers at the right, the mark after them."""
    numbers = [cell.rjust(width) for cell, width in zip(cells[:-1], widths[:-1], strict=True)]
    return f" {'   '.join([*numbers, cells[-1]])}".rstrip()


def _named(name: str, note: str) -> Text:
    text = Text(printable(name))
    return text.append(f"\n{printable(note)}", style="dim") if note else text
