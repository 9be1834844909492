"""An order that learns while it crawls goes on as if nothing had happened."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from tests.project import Job, Scrapy, crawl, until

PAGES = 240
KILLS = 10


def number_of_pages(job: Job) -> int:
    ((pages,),) = job.rows("SELECT count(*) FROM pages")
    return int(pages)


def has_pages(job: Job, number: int) -> bool:
    with suppress(sqlite3.Error):  # it has not begun
        return number_of_pages(job) >= number
    return False


@pytest.mark.slow
def test_killed_at_ten_moments(cook: Path, demo_web: Path, scrapy: Scrapy, tmp_path: Path) -> None:
    """One page at a time, the pages are those of a crawl that nobody killed, in the same order."""
    topic = demo_web.parent / "demo.topics/cooking"
    models = shutil.copytree(cook, tmp_path / "models")
    settings = ("ROBOTSTXT_OBEY=False", f"FOCUSED_MODELS={models}", "FOCUSED_LISTS=off")

    def words(job: str) -> list[str]:
        arguments = {"strategy": "adaptive", "pages": PAGES, "profile": "offline", "job": job}
        return crawl(topic, tmp_path, f"FOCUSED_WEB={demo_web}", *settings, **arguments)

    assert scrapy.run(*words("whole")).code == 0
    job, moments = Job(tmp_path / "cooking/killed"), random.Random(7)
    for at in sorted(moments.sample(range(1, PAGES - 20), KILLS)):
        running = scrapy.start(*words("killed"))
        until(partial(has_pages, job, at))
        running.signal(signal.SIGKILL)
        running.wait()
        ((learnt,),) = job.rows("SELECT count(*) FROM learnt")
        assert learnt == number_of_pages(job) < PAGES
    done = scrapy.run(*words("killed"))
    assert done.code == 0, done.err
    assert job.pages == Job(tmp_path / "cooking/whole").pages
