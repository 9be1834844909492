"""The fleet crawls of a PostgreSQL database: which there are, and how one is dropped."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg.sql import SQL, Identifier

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.address import shown
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo, read_run, read_run_of
from focused_crawler.store.job_folder import choose_folder
from focused_crawler.store.judges import GROUND_TRUTH, hits_by, named_judge
from focused_crawler.store.opening import shared_schema_name
from focused_crawler.store.postgresql.connection import using_failed
from focused_crawler.store.postgresql.database import PostgresqlSchema, connect, lock_key
from focused_crawler.topic.topic import FILE_NAME

_SCHEMAS = """
SELECT nspname FROM pg_namespace JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = 'runs'
JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'worker'
WHERE starts_with(nspname, 'crawl_')
"""
_READABLE = f"""
{_SCHEMAS} AND has_schema_privilege(pg_namespace.oid, 'USAGE') AND has_table_privilege(pg_class.oid, 'SELECT')
"""
_FIRST_RUN = "SELECT settings FROM {}.runs ORDER BY id LIMIT 1"
_LAST_RUN = "SELECT settings, started FROM {}.runs ORDER BY id DESC LIMIT 1"
_COUNTERS = "SELECT name, value FROM {}.counters"
_HAS_TARGETS = "SELECT is_target IS NOT NULL FROM {}.pages ORDER BY position DESC LIMIT 1"
_LOCK_TRIES, _LOCK_PAUSE = 20, 0.05
"""The server needs a moment to see that the last worker has ended; the pause is in seconds."""
_MAY_MAKE = "SELECT has_database_privilege(current_database(), 'CREATE')"


@dataclass(frozen=True, slots=True)
class FleetCrawl:
    """A crawl of many workers: its name, and where its database is."""

    topic: str
    job: str
    database: str = field(repr=False)  # address, with a password if it has one

    def run(self, crawls: Path) -> RunInfo | None:
        """Return what this machine knows of it; None where no worker of it has run here."""
        run = read_run_of(crawls / self.topic / self.job, self.topic)
        if run is None or (run.database, run.schema) != (shown(self.database), self._schema):
            return None  # another crawl may have its name here
        return run

    def open_database(self) -> CrawlDatabase:
        """Open what its workers have recorded, for reading; raises CrawlError."""
        return CrawlDatabase(PostgresqlSchema(self.database, self._schema), read_only=True)

    def change_database(self) -> CrawlDatabase:
        """Open it for this process alone; raises CrawlError, CrawlInUse while workers are at work."""
        return CrawlDatabase(PostgresqlSchema(self.database, self._schema, is_of_many=True))

    @property
    def _schema(self) -> str:
        return shared_schema_name(self.topic, self.job)


class KnownCrawl(NamedTuple):
    """A fleet crawl that has begun."""

    topic: str
    job: str
    started: float  # seconds since the epoch: when its last worker came
    pages: int
    relevant: int  # by ground truth where there is one, else by the crawler's own classifier


def known_crawls(address: str) -> list[KnownCrawl]:
    """Return the fleet crawls that a database lets its user read, the last begun first; raises CrawlError."""
    with _connected(address) as connection:
        schemas = [row[0] for row in connection.execute(_READABLE)]
        found = [_known(connection, schema) for schema in schemas]
    return sorted(filter(None, found), key=lambda crawl: -crawl.started)


def has_begun(address: str, topic: str, job: str) -> bool:
    """Tell whether a fleet crawl has its tables; raises CrawlError."""
    with _connected(address) as connection:
        return _has_tables(connection, shared_schema_name(topic, job))


def first_settings(address: str, topic: str, job: str) -> dict[str, Any]:
    """Return the settings of the first worker of a fleet crawl; empty before it came; raises CrawlError."""
    schema = shared_schema_name(topic, job)
    with _connected(address) as connection:
        if not _has_tables(connection, schema):
            return {}
        row = connection.execute(SQL(_FIRST_RUN).format(Identifier(schema))).fetchone()
    return {} if row is None else dict(json.loads(row[0]))


def check_database(address: str, topic: str, job: str) -> None:
    """Raise CrawlError where the tables of a crawl are neither there nor can be made."""
    with _connected(address) as connection:
        has_tables = _has_tables(connection, shared_schema_name(topic, job))
        if not has_tables and connection.execute(_MAY_MAKE).fetchone() != (True,):
            raise CrawlError(
                f"{shown(address)} lets its user make no schema; grant the user CREATE on the database"
            )


def drop_crawl(address: str, topic: str, job: str) -> bool:
    """Delete all that a fleet crawl has recorded; False if there is nothing, CrawlError while it goes on."""
    schema = shared_schema_name(topic, job)
    with _connected(address) as connection:
        for _ in range(_LOCK_TRIES):
            locked = connection.execute("SELECT pg_try_advisory_lock(%s::bigint)", (lock_key(schema),))
            if locked.fetchone() == (True,):
                break
            time.sleep(_LOCK_PAUSE)
        else:
            raise CrawlError(f"{shown(address)} (schema {schema}) is being crawled; stop its workers first")
        if not _has_tables(connection, schema):
            return False
        connection.execute(SQL("DROP SCHEMA {} CASCADE").format(Identifier(schema)))
    return True


def judge_of_totals(settings: Mapping[str, Any], *, has_targets: bool) -> str:
    """Return the ground truth where a database says that the crawl had one: a topic's targets are none."""
    return GROUND_TRUTH if has_targets and settings.get("FOCUSED_WEB") else ""


def _has_tables(connection: psycopg.Connection[Any], schema: str) -> bool:
    return (schema,) in connection.execute(_SCHEMAS).fetchall()


def _known(connection: psycopg.Connection[Any], schema: str) -> KnownCrawl | None:
    """Return what a schema holds; None for a crawl of one process, or one that has not begun yet."""
    last = connection.execute(SQL(_LAST_RUN).format(Identifier(schema))).fetchone()
    if last is None:
        return None
    settings = json.loads(last[0])
    path = Path(str(settings.get("FOCUSED_TOPIC")))
    topic = path.parent.name if path.name == FILE_NAME else path.name
    job = str(settings.get("FOCUSED_JOB") or schema.removeprefix(f"crawl_{topic}_"))
    if shared_schema_name(topic, job) != schema:
        return None
    counters = dict(connection.execute(SQL(_COUNTERS).format(Identifier(schema))).fetchall())
    has_targets = connection.execute(SQL(_HAS_TARGETS).format(Identifier(schema))).fetchone() == (True,)
    hits = hits_by(judge_of_totals(settings, has_targets=has_targets)).counter
    return KnownCrawl(topic, job, last[1], counters.get("pages", 0), counters.get(hits, 0))


@contextmanager
def _connected(address: str) -> Iterator[psycopg.Connection[Any]]:
    with connect(address, application_name="focused-crawler fleet", autocommit=True) as connection:
        try:
            yield connection
        except psycopg.Error as error:
            raise CrawlError(using_failed(shown(address), error)) from error


_CURE = "choose another job with --job NAME (of scrapy crawl: -a job=NAME)"


def choose_shared_folder(crawls: Path, wanted: RunInfo, database: str) -> Path:
    """Return the folder as `choose_folder` does, and make it; sets `wanted.job`. Raises CrawlError.

    Without a name, a job that only other machines know is not joined, and one that was forgotten is left as
    it is: the next number is chosen.
    """
    if wanted.job:
        check_shared_job(crawls / wanted.topic / wanted.job, wanted, database)  # before anything is made
        return choose_folder(crawls, wanted)
    folder = choose_folder(crawls, wanted)
    if _is_free(folder, wanted, database):
        check_shared_job(folder, wanted, database)
        return folder
    jobs = [crawl.job for crawl in known_crawls(database) if crawl.topic == wanted.topic]
    with suppress(OSError):  # it holds something of a user's
        folder.rmdir()
    wanted.job = str(max(int(job) for job in (*jobs, wanted.job) if job.isdecimal()) + 1)
    return choose_folder(crawls, wanted)


def check_shared_job(folder: Path, wanted: RunInfo, database: str) -> None:
    """Raise CrawlError where a job is another crawl elsewhere, or one whose pages only its folder has."""
    if settings := first_settings(database, wanted.topic, wanted.job):
        if obstacle := _as_begun(settings, wanted).obstacle(wanted):
            job = f"job {wanted.job} of {wanted.topic}"
            raise CrawlError(f"{job} is another crawl in {shown(database)} ({obstacle}); {_CURE}")
    elif _was_forgotten(folder, wanted, database):
        raise CrawlError(f"{folder} has pages, but its crawl was forgotten; {_CURE}")


def _is_free(folder: Path, wanted: RunInfo, database: str) -> bool:
    """Tell whether a job that nobody named is new, or goes on on this machine."""
    if read_run(folder) is None:
        return not has_begun(database, wanted.topic, wanted.job)
    return not _was_forgotten(folder, wanted, database)


def _was_forgotten(folder: Path, wanted: RunInfo, database: str) -> bool:
    run = read_run(folder)
    if run is None or run.obstacle(wanted) or not run.totals.get("pages"):
        return False
    return not has_begun(database, wanted.topic, wanted.job)


def _as_begun(settings: dict[str, object], wanted: RunInfo) -> RunInfo:
    """Return what `wanted` would be with the settings that a crawl began with.

    A virtual web is known by its file's name: it may lie elsewhere on each machine.
    """

    def text(name: str) -> str:
        return str(settings.get(name) or "").strip()

    web = text("FOCUSED_WEB") or None
    is_same_web = Path(web or "").name == Path(str(wanted.settings.get("FOCUSED_WEB") or "").strip()).name
    return replace(
        wanted,
        frontier=text("FOCUSED_FRONTIER") or wanted.frontier,
        strategy=text("FOCUSED_STRATEGY") or text("FOCUSED_DEFAULT_STRATEGY"),
        seed_set=text("FOCUSED_SEED_SET"),
        web=wanted.web if is_same_web else web,
        judge=named_judge(settings) or "model or keywords",
        settings=settings,
    )
