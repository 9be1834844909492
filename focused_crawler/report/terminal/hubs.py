"""Hubs and authorities for the terminal: nothing of the pages can steer it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from focused_crawler.crawl.hubs.listing import Lead, RatedHost, RatedPage, Standing
from focused_crawler.safety.formats import count, percent, plural
from focused_crawler.safety.printable import printable


def tables(standing: Standing, rows: int) -> Iterator[RenderableType]:
    """Yield what a distillation found; of the neglected pages the first `rows`."""
    yield Text(
        f"{plural(standing.pages, 'page')}, rated by {plural(standing.links, 'link')} from other sites"
        f" to pages with a relevance above {standing.rho:.3f}\n"
    )
    yield _headline("Hubs")
    yield _pages(standing.hubs, [page.hub for page in standing.hubs])
    yield _headline("Authorities")
    yield _pages(standing.authorities, [page.authority for page in standing.authorities])
    yield _headline("Hosts, by the authority of their pages")
    yield _hosts(standing.hosts)
    yield _headline("Never fetched, though these hubs lead there from other sites")
    yield from _leads(standing.leads(), rows)


def _headline(words: str) -> Text:
    return Text(words, style="bold")


def _table(*numbers: str, last: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(last, overflow="fold")
    return table


def _pages(pages: Sequence[RatedPage], scores: Sequence[float]) -> Table:
    table = _table("score", "relevance", last="page")
    for page, score in zip(pages, scores, strict=True):
        table.add_row(percent(score), f"{page.relevance:.3f}", _named(page.title or "(no title)", page.url))
    return table


def _hosts(hosts: Sequence[RatedHost]) -> Table:
    table = _table("authority", "pages", "relevant", last="host")
    for host in hosts:
        row = (percent(host.authority), count(host.pages), count(host.relevant))
        table.add_row(*row, Text(printable(host.host)))
    return table


def _leads(leads: Sequence[Lead], rows: int) -> Iterator[RenderableType]:
    if not leads:
        yield Text("None: all of them were fetched, or failed.")
        return
    table = _table("hubs", last="page")
    for lead in leads[:rows]:
        table.add_row(count(lead.hubs), _named(lead.anchor or "(no text)", lead.url))
    yield table
    if len(leads) > rows:
        yield Text(f"and {count(len(leads) - rows)} more")


def _named(words: str, url: str) -> Group:
    line = Text(printable(words), no_wrap=True, overflow="ellipsis")
    return Group(line, Text(printable(url), style="dim", overflow="fold"))
