"""Which folder of a topic's crawls a command works in: one that goes on, a new one, or the last."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.job import FINISHED, RunInfo, read_run
from focused_crawler.topic.topic import Topic, typed

_BEGINNING = 2**18
"""Bytes that a crawl takes before its first page."""


def choose_folder(crawls: Path, wanted: RunInfo) -> Path:
    """Return the folder that a command works in, and make it.

    A named job has to be the same crawl, or new. Without a name: the last numbered job if it is the same and
    not finished (the same command again goes on where it stopped), else the next number. Sets `wanted.job`.
    """
    topic = crawls / wanted.topic
    earlier = read_run(topic / wanted.job) if wanted.job else None
    wanted.job = wanted.job or _next_job(topic, wanted)
    folder = topic / wanted.job
    if earlier is not None and (obstacle := earlier.obstacle(wanted)):
        raise CrawlError(f"{folder} holds another crawl ({obstacle}); choose another job with -a job=NAME")
    _check_database(folder)
    is_new = False
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as file:
            if not (folder / "run.json").exists():
                file.write(bytes(_BEGINNING))
                file.flush()
    except OSError as error:
        if is_new:  # else each attempt would take a number
            with suppress(OSError):  # there is something in it
                folder.rmdir()
        raise CrawlError(
            f"cannot write into {folder} ({error.strerror}); name another place with -s FOCUSED_CRAWLS=FOLDER"
        ) from None
    return folder


def _check_database(folder: Path) -> None:
    """Refuse a database that was emptied: SQLite would take it for a new one."""
    path, run = folder / "crawl.db", read_run(folder)
    if run is not None and run.totals.get("pages") and path.is_file() and not path.stat().st_size:
        raise CrawlError(
            f"{path} is empty, but had {run.totals['pages']} pages; "
            "put a copy of it back, or move it away to begin anew"
        )


def _next_job(topic: Path, wanted: RunInfo) -> str:
    numbers = [int(path.name) for path in topic.glob("*") if path.name.isdecimal()] if topic.is_dir() else []
    last = max(numbers, default=0)
    run = read_run(topic / str(last)) if last else None
    if run is not None and run.state != FINISHED and not run.obstacle(wanted):
        return str(last)
    return str(last + 1)


def last_crawl(crawls: Path, topic: Topic) -> Path:
    """Return the folder of the crawl that began last; raises CrawlError if there is none."""
    spider = name if (name := typed(topic)) == topic.name else f"topic -a topic={name}"
    return _begun_last(
        crawls / topic.name, "*", f"there is no crawl of {topic.name}", f"scrapy crawl {spider}"
    )


def newest_crawl(crawls: Path) -> Path:
    """Return the folder of the crawl of any topic that began last; raises CrawlError if there is none."""
    return _begun_last(crawls, "*/*", "there is no crawl", "scrapy crawl TOPIC")


def _begun_last(folder: Path, pattern: str, nothing: str, cure: str) -> Path:
    folders = [path for path in folder.glob(pattern) if path.is_dir()]
    begun = [(run.started, path) for path in folders if (run := read_run(path)) is not None]
    if not begun:
        raise CrawlError(f"{nothing} in {folder}; run {cure}, or name one with --crawl FOLDER")
    return max(begun)[1]
