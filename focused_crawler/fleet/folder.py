"""Which crawl a fleet works on, and its folder on this machine."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from focused_crawler.classify.settings import THESAURUS
from focused_crawler.errors import CrawlError
from focused_crawler.fleet.crawls import first_settings, has_begun, known_crawls
from focused_crawler.store.address import shown
from focused_crawler.store.job import RunInfo, choose_folder, read_run

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
    if told := first_settings(database, wanted.topic, wanted.job):
        if obstacle := _as_begun(told, wanted).obstacle(wanted):
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


def _as_begun(told: dict[str, object], wanted: RunInfo) -> RunInfo:
    """Return what `wanted` would be with the settings that a crawl began with.

    A virtual web is known by its file's name: it may lie elsewhere on each machine.
    """

    def text(name: str) -> str:
        return str(told.get(name) or "").strip()

    web = text("FOCUSED_WEB") or None
    is_same_web = Path(web or "").name == Path(str(wanted.settings.get("FOCUSED_WEB") or "").strip()).name
    return replace(
        wanted,
        strategy=text("FOCUSED_STRATEGY") or text("FOCUSED_DEFAULT_STRATEGY"),
        seed_set=text("FOCUSED_SEED_SET"),
        web=wanted.web if is_same_web else web,
        judge=THESAURUS if text("FOCUSED_CLASSIFIER") == THESAURUS else "model or words",
        settings=told,
    )
