"""Where a crawl's database is looked for."""

from __future__ import annotations

import os
import re
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from focused_crawler.safety.errors import ConfigError, CrawlError
from focused_crawler.store.address import shown
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, read_run, write_run
from focused_crawler.store.opening import (
    is_in_use,
    open_crawl_database,
    read_crawl,
    schema_name,
    shared_schema_name,
)
from focused_crawler.store.pages import PageStore
from tests.project import until


@pytest.fixture
def folder(tmp_path):
    """The folder of a crawl that has not begun."""
    folder = tmp_path / "asthma" / "1"
    folder.mkdir(parents=True)
    return folder


def info(address=""):
    return RunInfo("asthma", "Asthma", "1", "lpe", "", None, trained=True, database=shown(address))


def begin(folder, address, *, told=True):
    """Record a page as a crawl does, and return its run."""
    run = info(address)
    with open_crawl_database(folder, address, run) as database:
        store = PageStore(database)
        store.record_page(PageItem(url="http://a.org/", fetched_at=1.0, relevance=1.0, is_relevant=True))
        store.commit()
    if told:
        write_run(folder, run)
    return run


def pages(folder):
    with read_crawl(folder) as database:
        return [row[0] for row in database.rows("SELECT url FROM pages")]


def test_a_file_in_its_folder(folder):
    """Unless told otherwise; it is found without a run.json, too."""
    assert begin(folder, "", told=False).schema == ""
    assert pages(folder) == ["http://a.org/"]
    assert (folder / "crawl.db").is_file()


@pytest.mark.parametrize("is_file", [True, False], ids=["file", "server"])
def test_others_see_whether_somebody_writes(folder, request, is_file):
    """As long as it is open for writing, and not longer; who asks keeps nobody from it."""
    address = "" if is_file else request.getfixturevalue("postgresql").address
    run = begin(folder, address)
    until(lambda: not is_in_use(folder))  # a server lets go of a lock when its process for us has ended
    with open_crawl_database(folder, address, run):
        assert is_in_use(folder)
        assert pages(folder)
    until(lambda: not is_in_use(folder))


def test_a_schema_of_its_own(folder, postgresql):
    """Found by run.json, wherever the folder has gone."""
    run = begin(folder, postgresql.address)
    assert run.schema == read_run(folder).schema == schema_name(folder)
    moved = folder.rename(folder.parent / "moved")
    assert pages(moved) == ["http://a.org/"]
    with open_crawl_database(moved, postgresql.address, info(postgresql.address)) as database:
        assert len(database.rows("SELECT 1 FROM pages")) == 1
    postgresql.drop(run.schema)


def test_what_a_deleted_folder_left(folder, postgresql):
    """A crawl that begins there anew does not go on with its pages; nor does it forget them by itself."""
    run = begin(folder, postgresql.address, told=False)
    with pytest.raises(CrawlError, match=f"DROP SCHEMA {run.schema} CASCADE"):
        open_crawl_database(folder, postgresql.address, info(postgresql.address))
    postgresql.drop(run.schema)


def test_a_run_that_was_killed_at_once(folder, postgresql):
    """Before it wrote run.json: the next one goes on with the empty schema."""
    schemas = []
    for _ in range(2):
        with open_crawl_database(folder, postgresql.address, run := info(postgresql.address)) as database:
            assert database.rows("SELECT count(*) FROM pages") == [(0,)]
        schemas.append(run.schema)
    assert schemas[0] == schemas[1]
    postgresql.drop(run.schema)


def test_a_password_outlives_its_crawl(folder, postgresql, monkeypatch):
    """In the process that was given it, for its report; it is not written down."""
    monkeypatch.delenv("PGPASSWORD", raising=False)
    with postgresql.careful_user("do-not-show") as url:
        address = url.set(password="do-not-show").render_as_string(hide_password=False)
        run = begin(folder, address)
        assert pages(folder) == ["http://a.org/"]
        assert "do-not-show" not in (folder / "run.json").read_text()
        postgresql.drop(run.schema)


@pytest.mark.parametrize(
    "name", ["", "1", "Ünïcode ☃", "pg_catalog", "x" * 300, 'a"; DROP SCHEMA public', "A b-c.d"]
)
def test_names_of_schemas(tmp_path, name):
    """Safe to type, short enough, and another for every folder."""
    found = schema_name(tmp_path / "topic" / name)
    assert re.fullmatch("crawl_[a-z0-9_]+_[0-9a-f]{8}", found)
    assert len(found) < 63
    others = [
        tmp_path / "topic" / f"{name}_",
        tmp_path / "topic_" / name,
        tmp_path / "other" / "topic" / name,
    ]
    assert found not in map(schema_name, others)
    assert found == schema_name(tmp_path / "topic" / name)


def test_a_crawl_of_several_machines(tmp_path, postgresql):
    """Each has a folder of its own for the same job: the database is one, and each can read it back."""
    folders = [tmp_path / machine / "asthma" / "1" for machine in ("one", "other")]
    topic = f"focusedtest{os.getpid()}"
    runs = [replace(info(postgresql.address), topic=topic) for _ in folders]
    for folder, run in zip(folders, runs, strict=True):
        folder.mkdir(parents=True)
        with (
            open_crawl_database(folder, postgresql.address, run, shared=True) as database,
            database.locked_transaction(),
        ):
            url = f"http://a.org/{folder.parts[-3]}"
            PageStore(database).record_page(
                PageItem(url=url, fetched_at=1.0, relevance=1.0, is_relevant=True)
            )
        write_run(folder, run)
    assert runs[0].schema == runs[1].schema == f"crawl_{topic}_1"
    assert pages(folders[0]) == pages(folders[1]) == ["http://a.org/one", "http://a.org/other"]
    with pytest.raises(CrawlError, match="is a crawl of several workers"):
        open_crawl_database(folders[0], postgresql.address, info(postgresql.address))
    postgresql.drop(runs[0].schema)


def test_a_crawl_of_one_process_is_not_shared(folder, postgresql):
    """Its folder says so; and a file cannot be shared."""
    run = begin(folder, postgresql.address)
    with pytest.raises(CrawlError, match="holds a crawl of one process; choose another job"):
        open_crawl_database(folder, postgresql.address, info(postgresql.address), shared=True)
    with pytest.raises(ConfigError, match="FOCUSED_DATABASE is empty"):
        open_crawl_database(folder, "", info(), shared=True)
    postgresql.drop(run.schema)


@given(*[st.tuples(st.text(max_size=50), st.text(max_size=50))] * 2)
@example(("a_b", "c"), ("a", "b_c"))
@example(("a-b", "c"), ("a_b", "c"))
@example(("asthma", "1"), ("Asthma", "1"))
@example(("x" * 60, "1"), ("x" * 60, "2"))
def test_names_of_shared_schemas(one, other):
    """Safe to type, short enough, and another for every topic and job."""
    found = shared_schema_name(*one)
    assert re.fullmatch("crawl(_[a-z0-9]+)+", found)
    assert len(found) < 63
    assert (found == shared_schema_name(*other)) == (one == other)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("", ""),
        ("postgresql://ann:secret@db/crawls", "postgresql://ann@db/crawls"),
        ("postgres://ann:secret@db:5433/crawls", "postgresql://ann@db:5433/crawls"),
        (
            "postgresql+psycopg://db/crawls?password=secret&host=a&host=b",
            "postgresql://db/crawls?host=a&host=b",
        ),
        ("postgresql:///crawls", "postgresql:///crawls"),
    ],
)
def test_what_of_an_address_is_shown(given, told):
    """All but the password, in one spelling."""
    assert shown(given) == told


@pytest.mark.parametrize(
    "address", ["crawls", "sqlite:///crawl.db", "://", "postgresql//secret", "http://secret"]
)
def test_no_address(address):
    """One line says what would be one, and does not repeat what may hold a password."""
    with pytest.raises(ConfigError, match="use one like postgresql://USER@HOST/DATABASE") as refused:
        shown(address)
    assert "secret" not in str(refused.value)
