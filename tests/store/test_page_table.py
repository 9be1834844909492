"""The table of pages, held to the same table made in Python out of all rows."""

from __future__ import annotations

import random
from itertools import product

import pytest

from focused_crawler.store.item import PageItem
from focused_crawler.store.page_table import ORDERS, PageFilter, PageTable, RankedTable, largest_hosts
from focused_crawler.store.pages import PageStore

PAGES = 60
HOSTS = ("a.example", "www.a.example", "xa.example", "b_c.example", "d.b_c.example", "bxc.example")


@pytest.fixture
def pages(database):
    """Pages of few hosts, depths and relevances, so that many are equal."""
    chance, store = random.Random(7), PageStore(database)
    for number in range(PAGES):
        relevance = chance.randrange(5) / 4
        store.record_page(
            PageItem(
                url=f"http://{chance.choice(HOSTS)}/{number}",
                fetched_at=float(number),
                depth=chance.randrange(4),
                relevance=relevance,
                is_relevant=relevance >= 0.5,
            )
        )
    store.commit()
    return all_rows(database, PageFilter())


def all_rows(database, chosen):
    return list(PageTable(database, chosen, "oldest").screen(size=PAGES).rows)


def walked(table, size):
    """Return the rows forwards, and backwards, screen by screen; check what each screen says of itself."""
    forwards, screen = [], table.screen(size=size)
    while True:
        assert screen.first == (len(forwards) + 1 if screen.rows else 0)
        forwards += screen.rows
        assert screen.has_after is (len(forwards) < screen.total)
        if not screen.has_after:
            break
        screen = table.screen(after=screen.rows[-1].position, size=size)
    backwards = list(screen.rows)
    while screen.has_before:
        screen = table.screen(before=screen.rows[0].position, size=size)
        backwards = [*screen.rows, *backwards]
    return forwards, backwards


@pytest.mark.parametrize("order", ORDERS)
def test_screens_make_up_the_table(database, pages, order):
    """Forwards and backwards, each row once, equals in order of recording."""
    column, is_falling = ORDERS[order]
    expected = sorted(pages, key=lambda page: page.position)
    expected.sort(key=lambda page: getattr(page, column), reverse=is_falling)
    for size in (1, 7, 30, 60, 99):
        forwards, backwards = walked(PageTable(database, PageFilter(), order), size)
        assert forwards == expected
        assert backwards[-PAGES:] == expected  # the first screen may overlap the second


def is_let_through(page, host, relevant, depth, low, high):
    return (
        (not host or page.host == host or page.host.endswith(f".{host}"))
        and relevant in (None, page.is_relevant)
        and depth in (None, page.depth)
        and (low is None or low <= page.relevance)
        and (high is None or page.relevance <= high)
    )


def test_filters_are_all_obeyed(database, pages):
    """Each with each; a sign that LIKE knows is a sign like others."""
    hosts, bounds = ("", "a.example", "b_c.example"), (None, 0.5)
    for host, relevant, depth, low, high in product(hosts, (None, True, False), (None, 2), bounds, bounds):
        chosen = PageFilter(host=host, is_relevant=relevant, depth=depth, low=low, high=high)
        expected = [page for page in pages if is_let_through(page, host, relevant, depth, low, high)]
        assert walked(PageTable(database, chosen, "oldest"), 9)[0] == expected


def test_pages_may_be_named(database, pages):
    """By their keys, those or all others; none of them is none."""
    keys = [page.key for page in pages[::3]]
    few, others = PageFilter(among=keys), PageFilter(not_among=keys)
    assert all_rows(database, few) == pages[::3]
    assert all_rows(database, others) == [page for page in pages if page.key not in keys]
    assert PageTable(database, PageFilter(among=[]), "newest").screen() == ((), 0, 0)


def test_a_search_has_its_own_order(database, pages):
    """Its filter leaves out some, and its screens follow each other as those of the table do."""
    chance = random.Random(3)
    ranked = [*chance.sample(range(1, PAGES + 1), 40), 999]
    by_position = {page.position: page for page in pages}
    for chosen in (PageFilter(), PageFilter(is_relevant=True), PageFilter(host="a.example")):
        through = {page.position for page in all_rows(database, chosen)}
        expected = [by_position[position] for position in ranked if position in through]
        table = RankedTable(database, chosen, ranked)
        for size in (1, 6, 50):
            forwards, backwards = walked(table, size)
            assert forwards == expected
            assert backwards[-len(expected) :] == expected


def test_a_screen_stays_as_the_crawl_goes_on(database, pages):
    """New pages come before it, or after it; a page that is not there is no bound."""
    for order in ORDERS:
        table = PageTable(database, PageFilter(), order)
        second = table.screen(after=table.screen(size=10).rows[-1].position, size=10)
        assert second.first == 11
        assert table.screen(after=4711, size=10) == table.screen(size=10)
        assert table.screen(before=4711, size=10) == table.screen(size=10)
    later = PageTable(database, PageFilter(), "newest")
    bound = later.screen(size=10).rows[-1].position
    before = later.screen(after=bound, size=10).rows
    PageStore(database).record_page(
        PageItem(url="http://z.example/", fetched_at=1.0, relevance=0.9, is_relevant=True)
    )
    now = later.screen(after=bound, size=10)
    assert (now.rows, now.first) == (before, 12)


def test_hosts_with_most_pages_come_first(database, pages):
    """As many as were asked for."""
    found = largest_hosts(database, 3)
    counts = {host: sum(page.host == host for page in pages) for host in HOSTS}
    assert found == sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:3]
