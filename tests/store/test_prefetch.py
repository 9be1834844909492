"""Prefetch: the answers, and what is recorded, are the same as without."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore

NUMBERS = st.integers(0, 4)
STEPS = st.one_of(
    st.tuples(st.just("page"), NUMBERS, st.sampled_from("ab"), st.booleans()),
    st.tuples(st.just("failure"), NUMBERS),
    st.tuples(st.just("original"), st.sampled_from("abc")),
)
TRANSACTIONS = st.lists(st.lists(STEPS, max_size=6), max_size=4)
names = count()


def url_of(number):
    return f"http://a.org/{number}"


def take(store, step):
    """Do one thing and return the answer."""
    match step:
        case ("page", number, checksum, is_copy):
            copy_of = url_of(9) if is_copy else None
            page = PageItem(
                url=url_of(number),
                fetched_at=1.0,
                relevance=0.5,
                is_relevant=True,
                checksum=checksum,
                duplicate_of=copy_of,
            )
            return store.record_page(page)
        case ("failure", number):
            return store.record_failure(url_of(number), "timeout")
        case (_, checksum):
            return store.seen_checksum(checksum)


def asked_by(steps):
    """Return the URLs and texts that steps will ask for, but for one of each."""
    urls = [url_of(step[1]) for step in steps if step[0] != "original"]
    texts = [step[2] for step in steps if step[0] == "page"]
    return urls[1:], [*texts[1:], "c"]


def outcome(database, transactions, *, prefetches):
    """Return all answers, and what is recorded in the end."""
    store, answers = PageStore(database), []
    for steps in transactions:
        with database.locked_transaction():
            if prefetches:
                store.prefetch(*asked_by(steps))
            answers += [take(store, step) for step in steps]
    tables = ("position, url, checksum, duplicate_of FROM pages", "key FROM failures", "* FROM counters")
    return answers, [database.rows(f"SELECT {columns} ORDER BY 1") for columns in tables], store.counters


@given(transactions=TRANSACTIONS)
@settings(max_examples=60, deadline=None)
def test_nothing_is_otherwise(tmp_path, transactions):
    """Whatever is recorded in whatever order, and whether it was prefetched or not."""
    number = next(names)
    with (
        CrawlDatabase(tmp_path / f"{number}-1.db") as one,
        CrawlDatabase(tmp_path / f"{number}-2.db") as other,
    ):
        assert outcome(one, transactions, prefetches=True) == outcome(other, transactions, prefetches=False)


@pytest.mark.parametrize("urls", [[], [url_of(1), url_of(2)]])
def test_either_database(database, urls):
    """Can be asked for many, or for none."""
    store = PageStore(database)
    with database.locked_transaction():
        assert take(store, ("page", 1, "a", False))
        assert take(store, ("failure", 2))
    with database.locked_transaction():
        store.prefetch(urls, ["a", "b"])
        assert store.seen_checksum("a") == url_of(1)
        assert store.seen_checksum("b") is None
        assert not take(store, ("page", 1, "b", False))
        assert take(store, ("page", 2, "b", False))
        assert store.seen_checksum("b") == url_of(2)
    assert store.counters["failures"] == 0


def test_it_ends_with_its_transaction(database):
    """What was asked may be otherwise in the next one, where others write as well."""
    store, other = PageStore(database), PageStore(database)
    with database.locked_transaction():
        store.prefetch([url_of(1)], ["a"])
    with database.locked_transaction():
        assert take(other, ("page", 1, "a", False))
    assert store.seen_checksum("a") == url_of(1)
    with database.locked_transaction():
        assert not take(store, ("page", 1, "a", False))
