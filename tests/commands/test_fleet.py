from __future__ import annotations

from argparse import Namespace

import pytest

from focused_crawler.commands.fleet import worker_command
from tests.project import Scrapy

SECRET = "do-not-show"
FRONTIER = f"FOCUSED_FRONTIER=redis://:{SECRET}@localhost:1/0"
DATABASE = f"FOCUSED_DATABASE=postgresql://ann:{SECRET}@localhost:1/crawls"
BOTH = ("-s", FRONTIER, "-s", DATABASE)

MISTAKES: dict[str, tuple[tuple[str, ...], str]] = {
    "nothing": ((), "use one of: scrapy fleet TOPIC --workers N"),
    "no addresses": (
        ("asthma",),
        "-s FOCUSED_FRONTIER=redis://localhost:6379/0 -s FOCUSED_DATABASE=postgresql",
    ),
    "no frontier": (("asthma", "-s", DATABASE), "a fleet needs a frontier and a database on servers"),
    "no database": (("status", "-s", FRONTIER), "a fleet needs a frontier and a database on servers"),
    "frontier in a file": (
        ("asthma", "-s", "FOCUSED_FRONTIER=sqlite", "-s", DATABASE),
        "a fleet needs a frontier and a database on servers",
    ),
    "no address of Redis": (
        ("asthma", "-s", "FOCUSED_FRONTIER=redis://localhost/x", "-s", DATABASE),
        "is no address of a Redis server; write redis://HOST:PORT/0",
    ),
    "no address of PostgreSQL": (
        ("asthma", "-s", FRONTIER, "-s", "FOCUSED_DATABASE=mysql://localhost/x"),
        "FOCUSED_DATABASE is not the address of a PostgreSQL database",
    ),
    "topic": (("nope", *BOTH), "no topic 'nope'"),
    "two topics": (("asthma", "glaucoma", *BOTH), "name one topic"),
    "workers": (
        ("asthma", "--workers", "many", *BOTH),
        "--workers is many; give a whole number from 1 to 1000",
    ),
    "argument": (("asthma", "-a", "pagse=3", *BOTH), "unknown argument pagse=3; did you mean pages=?"),
    "half an argument": (("asthma", "-a", "pages", *BOTH), "use -a NAME=VALUE, as in -a pages=1000"),
    "strategy": (("asthma", "-a", "strategy=best", *BOTH), "no strategy is called 'best'"),
    "job": (("asthma", "--job", "../up", *BOTH), "FOCUSED_JOB is '../up'; use letters"),
    "for one process": (("asthma", "-s", "FOCUSED_N_BEST=5", *BOTH), "FOCUSED_N_BEST is for a crawl of one"),
    "server of the database": (("status", "asthma", *BOTH), "ann@localhost:1/crawls cannot be opened"),
    "status of two": (("status", "asthma", "glaucoma", *BOTH), "name one topic"),
    "forget without a job": (("forget", "asthma", *BOTH), "name a topic and its job"),
    "server of the frontier": (
        ("forget", "asthma", "--job", "1", "--yes", *BOTH),
        "Redis at redis://localhost:1/0 cannot be reached",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_end_in_one_line(name: str, scrapy: Scrapy) -> None:
    """It names what is wrong and what would be right, and shows no password; exit code 2."""
    words, message = MISTAKES[name]
    done = scrapy.run("fleet", *words)
    assert done.err.startswith("error: ")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert SECRET not in done.err
    assert (done.out, done.code) == ("", 2)


def test_a_worker_is_told_what_the_fleet_was_told() -> None:
    """But for the addresses, which everybody on the machine could read in its command."""
    opts = Namespace(
        spargs=["pages=100", "topic=x"], set=["DOWNLOAD_DELAY=2", FRONTIER, DATABASE], loglevel="DEBUG"
    )
    words = worker_command("/topics/asthma", "spring", opts)[1:]
    assert words == [
        "-m", "scrapy", "crawl", "topic", "-a", "pages=100", "-a", "topic=/topics/asthma", "-a", "job=spring",
        "-s", "DOWNLOAD_DELAY=2", "-L", "DEBUG",
    ]  # fmt: skip
