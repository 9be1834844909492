"""Where the database of a crawl lies, and how it is opened: crawl.db in its folder, or PostgreSQL."""

from __future__ import annotations

import hashlib
import platform
import re
from pathlib import Path

from focused_crawler.errors import CrawlError
from focused_crawler.store.address import shown
from focused_crawler.store.database import CrawlDatabase, Place
from focused_crawler.store.job import RunInfo, read_run

FILE = "crawl.db"
_LONGEST_NAME = 40

_given: dict[str, str] = {}
"""Addresses as they may be written down -> as this process was given them, with their passwords."""


def open_crawl_database(folder: Path, address: str, run: RunInfo) -> CrawlDatabase:
    """Open or create the database of the crawl in a folder, for its only writer; raises CrawlError.

    `address`: that of a PostgreSQL database, empty for a file in the folder. Sets `run.schema`.
    """
    if not address:
        return CrawlDatabase(folder / FILE)
    remember_address(address)
    earlier = read_run(folder)
    run.schema = (earlier.schema if earlier else "") or schema_name(folder)
    database = CrawlDatabase(_postgresql(address, run.schema))
    if earlier is None and database.rows("SELECT 1 FROM pages LIMIT 1"):
        database.close()
        raise CrawlError(
            f"{database.place} holds pages of an earlier crawl in {folder}; choose another job with"
            f" -a job=NAME, or forget them with DROP SCHEMA {run.schema} CASCADE"
        )
    return database


def remember_address(address: str) -> None:
    """Take note of an address with a password, for crawls of that database that are read later on."""
    _given[shown(address)] = address


def read_crawl(folder: Path) -> CrawlDatabase:
    """Open the database of the crawl in a folder, also beside its running crawl; raises CrawlError."""
    run = read_run(folder)
    if run is None or not run.database:
        return CrawlDatabase(folder / FILE, read_only=True)
    address = _given.get(run.database, run.database)
    return CrawlDatabase(_postgresql(address, run.schema), read_only=True)


def schema_name(folder: Path) -> str:
    """Return the name of the schema of a new crawl: topic, job, and a hash that no other folder has."""
    place = folder.resolve()
    words = re.sub("[^a-z0-9]+", "_", f"{place.parent.name}_{place.name}".lower()).strip("_")
    mark = hashlib.blake2b(f"{platform.node()}:{place}".encode("utf-8", "surrogateescape"), digest_size=4)
    return "_".join(filter(None, ("crawl", words[:_LONGEST_NAME], mark.hexdigest())))


def _postgresql(address: str, schema: str) -> Place:
    from focused_crawler.store.postgresql import PostgresqlSchema  # noqa: PLC0415 - loads slowly

    return PostgresqlSchema(address, schema)
