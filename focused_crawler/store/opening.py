"""Where the database of a crawl lies, and how it is opened: crawl.db in its folder, or PostgreSQL."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from focused_crawler.safety.errors import ConfigError, CrawlError
from focused_crawler.safety.extras import explaining_extras
from focused_crawler.safety.user_settings import user_settings
from focused_crawler.store.address import shown
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo, read_run
from focused_crawler.store.location import Location
from focused_crawler.store.sqlite_file import SqliteFile

FILE = "crawl.db"
_LONGEST_NAME = 40

_given: dict[str, str] = {}
"""Addresses as they may be written down -> as this process was given them, with their passwords."""


def open_crawl_database(folder: Path, address: str, run: RunInfo, *, shared: bool = False) -> CrawlDatabase:
    """Open or create the database of the crawl in a folder, for its only writer; raises CrawlError.

    `address`: that of a PostgreSQL database, empty for a file in the folder. `shared`: for one of several
    workers of one topic and job, on any machines; they need such an address. Sets `run.schema`.
    """
    if shared:
        return _open_shared(folder, address, run)
    if not address:
        return CrawlDatabase(folder / FILE)
    remember_address(address)
    earlier = read_run(folder)
    run.schema = (earlier.schema if earlier else "") or schema_name(folder)
    database = CrawlDatabase(_postgresql(address, run.schema))
    if earlier is None and database.rows("SELECT 1 FROM pages LIMIT 1"):
        database.close()
        raise CrawlError(
            f"{database.location} holds pages of an earlier crawl in {folder}; choose another job with"
            f" -a job=NAME, or forget them with DROP SCHEMA {run.schema} CASCADE"
        )
    return database


def _open_shared(folder: Path, address: str, run: RunInfo) -> CrawlDatabase:
    if not address:
        raise ConfigError("FOCUSED_DATABASE is empty; workers need one, like postgresql://USER@HOST/DATABASE")
    remember_address(address)
    earlier, run.schema = read_run(folder), shared_schema_name(run.topic, run.job)
    if earlier is not None and earlier.schema != run.schema:
        raise CrawlError(f"{folder} holds a crawl of one process; choose another job with -a job=NAME")
    return CrawlDatabase(_postgresql(address, run.schema, shared=True))


def remember_address(address: str) -> None:
    """Take note of an address with a password, for crawls of that database that are read later on."""
    _given[shown(address)] = address


def location_of(folder: Path) -> Location:
    """Return where the database of the crawl in a folder lies; raises CrawlError."""
    run = read_run(folder)
    if run is None or not run.database:
        return SqliteFile(folder / FILE)
    return _postgresql(full_address(run.database), run.schema, is_of_many=run.is_shared)


def full_address(address: str) -> str:
    """Return an address with its password, if this process was given one, or its user's settings have it."""
    if address not in _given:
        with explaining_extras():
            remember_address(str(user_settings().get("FOCUSED_DATABASE") or ""))
    return _given.get(address, address)


def is_in_use(folder: Path) -> bool:
    """Tell whether somebody crawls in a folder now; raises CrawlError where its server does not answer."""
    return location_of(folder).is_locked()


def read_crawl(folder: Path) -> CrawlDatabase:
    """Open the database of the crawl in a folder, also beside its running crawl; raises CrawlError."""
    return CrawlDatabase(location_of(folder), read_only=True)


@contextmanager
def crawl_at_once(folder: Path) -> Iterator[CrawlDatabase]:
    """Open the database of a crawl to read what it has at one moment: its rows fit together."""
    with read_crawl(folder) as database, database.snapshot():
        yield database


def change_crawl(folder: Path) -> CrawlDatabase:
    """Open the database of a crawl for writing; raises CrawlError, CrawlInUse while somebody crawls."""
    location = location_of(folder)
    if isinstance(location, SqliteFile):
        read_crawl(folder).close()  # one that is not there is not made
    return CrawlDatabase(location)


def schema_name(folder: Path) -> str:
    """Return the name of the schema of a new crawl: topic, job, and a hash that no other folder has."""
    path = folder.resolve()
    return _marked(_words_of(path.parent.name, path.name), f"{platform.node()}:{path}")


def shared_schema_name(topic: str, job: str) -> str:
    """Return the name of the schema of a crawl of several workers: the same on every machine.

    A hash tells names apart that look alike in it.

    >>> shared_schema_name("asthma", "1")
    'crawl_asthma_1'
    >>> shared_schema_name("heart-disease", "1")
    'crawl_heart_disease_1_9286ee7d'
    """
    words = _words_of(topic, job)
    if words == f"{topic}_{job}" and words.count("_") == 1:
        return f"crawl_{words}"
    return _marked(words, f"{topic}\0{job}")


def _marked(words: str, whole: str) -> str:
    """Return the name of a schema with the hash of the whole name of its crawl."""
    mark = hashlib.blake2b(whole.encode("utf-8", "surrogateescape"), digest_size=4)
    return "_".join(filter(None, ("crawl", words, mark.hexdigest())))


def _words_of(topic: str, job: str) -> str:
    """Return what of the names of topic and job may stand in the name of a schema."""
    words = re.sub("[^a-z0-9]+", "_", f"{topic}_{job}".lower()).strip("_")
    return words[:_LONGEST_NAME]


def _postgresql(address: str, schema: str, **kind: bool) -> Location:
    with explaining_extras():
        from focused_crawler.store.postgresql.database import PostgresqlSchema  # noqa: PLC0415 - loads slowly

        return PostgresqlSchema(address, schema, **kind)
