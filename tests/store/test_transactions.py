"""What is true of a crawl's database whatever it lies in: what is kept, and what is not."""

from __future__ import annotations

import pytest

from focused_crawler.safety.errors import CrawlError

ADD = "INSERT INTO hosts (name) VALUES (?)"


def names(database):
    return [row[0] for row in database.rows("SELECT name FROM hosts ORDER BY name")]


def test_commit_keeps_and_close_drops(crawl_database):
    """What is committed is there at the next opening; the rest is not."""
    with crawl_database.open() as database:
        database.executemany(ADD, [("a.org",)])
        database.commit()
        database.executemany(ADD, [("b.org",)])
    with crawl_database.open() as database:
        assert names(database) == ["a.org"]


def test_nothing_is_kept_after_an_error(crawl_database):
    """Nor can anything be read, written or committed: each says what was wrong."""
    wrong = CrawlError("the feed cannot be written")
    with crawl_database.open() as database:
        database.execute(ADD, ("a.org",))
        database.commit()
        database.execute(ADD, ("b.org",))
        database.abandon(wrong)
        database.abandon(CrawlError("another"))
        assert database.failure is wrong
        for use in (
            database.commit,
            lambda: database.rows("SELECT 1"),
            lambda: database.execute(ADD, ("c",)),
        ):
            with pytest.raises(CrawlError, match="the feed cannot be written"):
                use()
    with crawl_database.open() as database:
        assert names(database) == ["a.org"]


def test_what_is_gathered_is_part_of_the_transaction(crawl_database):
    """It is written before whoever uses its table, else with the commit; each gathering once."""
    written = []

    def write():
        written.append(1)
        database.executemany(ADD, [(f"{len(written)}.org",)])

    with crawl_database.open() as database:
        database.defer(write, "hosts")
        database.defer(write, "hosts")
        assert database.rows("SELECT count(*) FROM urls") == [(0,)]
        assert not written
        assert names(database) == ["1.org"]
        database.defer(write, "hosts")
        database.execute("UPDATE hosts SET load = 1 WHERE name = '2.org'")
        assert database.rows("SELECT load FROM hosts ORDER BY name") == [(0,), (1,)]
        database.defer(write, "hosts")
        database.commit()
        database.commit()
        database.defer(write, "hosts")
    with crawl_database.open() as database:
        assert names(database) == ["1.org", "2.org", "3.org"]


def test_views_show_what_is_gathered(database):
    """A reader knows no more than their names."""
    for view, table in (("named_links", "links"), ("named_urls", "hosts"), ("named_urls", "states")):
        written = []
        database.defer(lambda written=written: written.append(1), table)
        database.rows(f"SELECT count(*) FROM {view}")
        assert written


@pytest.mark.parametrize("values", [[], ["a.org"], ["a.org", "c'\"\\,{}.org", "é.org", "NULL"]])
def test_one_of_many(database, values):
    """Texts and numbers, any number of them, none too."""
    database.executemany(ADD, [("a.org",), ("b.org",), ("c'\"\\,{}.org",), ("é.org",)])
    query = f"SELECT id, name FROM hosts WHERE name {database.among} ORDER BY name"
    found = database.rows(query, (database.many(values),))
    assert [name for _, name in found] == [value for value in values if value != "NULL"]
    numbers = database.many([id for id, _ in found])
    query = f"UPDATE hosts SET load = 1 WHERE id {database.among}"
    assert database.execute(query, (numbers,)).rowcount == len(found)


def test_texts_are_ordered_by_their_bytes(database):
    """Not by a language, so that lists are the same in every database."""
    given = ["B", "a", "Z.org", "_", "é", "a-b", "ab", "aB"]
    database.executemany(ADD, [(name,) for name in given])
    assert names(database) == sorted(given)
    assert names(database) == sorted(given, key=str.encode)


def test_signs_in_a_statement(database):
    """Question marks and per cent signs in quotes are no values."""
    ((found,),) = database.rows("SELECT '100 % ? ''?''' || cast(? AS TEXT) -- ? %s\n", ("!",))
    assert found == "100 % ? '?'!"
    database.execute(ADD, ("a%b.org",))
    assert database.rows(
        "SELECT ?2 || name || ?1 FROM hosts WHERE name LIKE '%!%%' ESCAPE '!'", ("<", ">")
    ) == [(">a%b.org<",)]
