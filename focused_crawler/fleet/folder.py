"""Which crawl a fleet works on, and its folder on this machine."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from focused_crawler.fleet.crawls import has_begun, known_crawls
from focused_crawler.store.job import RunInfo, choose_folder, read_run


def choose_shared_folder(crawls: Path, wanted: RunInfo, database: str) -> Path:
    """Return the folder as `choose_folder` does, and make it; sets `wanted.job`. Raises CrawlError.

    Without a name, a job that only other machines know is not joined: the next number is chosen.
    """
    is_named = bool(wanted.job)
    folder = choose_folder(crawls, wanted)
    if is_named or read_run(folder) is not None or not has_begun(database, wanted.topic, wanted.job):
        return folder
    jobs = [crawl.job for crawl in known_crawls(database) if crawl.topic == wanted.topic]
    with suppress(OSError):  # it holds something of a user's
        folder.rmdir()
    wanted.job = str(max((int(job) for job in jobs if job.isdecimal()), default=int(wanted.job)) + 1)
    return choose_folder(crawls, wanted)
