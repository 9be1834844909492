from __future__ import annotations

import io
import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

from focused_crawler.crawl.lists.file import lists_path
from focused_crawler.crawl.lists.lists import Lists
from focused_crawler.edge.commands.fleet import sure_to_forget
from focused_crawler.fleet.crawls import FleetCrawl
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.job import FINISHED, STOPPED
from focused_crawler.store.opening import read_crawl, shared_schema_name
from focused_crawler.topic.topic import load_topic
from tests.fleet.recorded import drop, new_job, recording
from tests.postgresql import Server
from tests.project import Job, Running, Scrapy, crawl, until

SECRET = "do-not-show"
DATABASE = ("-s", f"FOCUSED_DATABASE=postgresql://ann:{SECRET}@localhost:1/crawls")
REDIS = ("-s", f"FOCUSED_FRONTIER=redis://:{SECRET}@localhost:1/0")

MISTAKES: dict[str, tuple[tuple[str, ...], str]] = {
    "nothing": ((), "use one of: scrapy fleet TOPIC --workers N"),
    "no database": (("asthma",), "a fleet needs a database on a server; add -s FOCUSED_DATABASE=postgresql"),
    "status of no database": (("status",), "a fleet needs a database on a server"),
    "frontier in memory": (
        ("asthma", "-s", "FOCUSED_FRONTIER=memory", *DATABASE),
        "FOCUSED_FRONTIER is memory, but a fleet's is in its database; leave it out",
    ),
    "frontier in Redis": (("asthma", *REDIS, *DATABASE), "no frontier is in Redis any more; leave it out"),
    "no address of PostgreSQL": (
        ("asthma", "-s", "FOCUSED_DATABASE=mysql://localhost/x"),
        "FOCUSED_DATABASE is not the address of a PostgreSQL database",
    ),
    "topic": (("nope", *DATABASE), "no topic 'nope'"),
    "two topics": (("asthma", "glaucoma", *DATABASE), "name one topic"),
    "workers": (
        ("asthma", "--workers", "many", *DATABASE),
        "--workers is many; give a whole number from 1 to 1000",
    ),
    "argument": (("asthma", "-a", "pagse=3", *DATABASE), "unknown argument pagse=3; did you mean pages=?"),
    "half an argument": (("asthma", "-a", "pages", *DATABASE), "use -a NAME=VALUE, as in -a pages=1000"),
    "strategy": (("asthma", "-a", "strategy=best", *DATABASE), "no strategy is called 'best'"),
    "job": (("asthma", "--job", "../up", *DATABASE), "FOCUSED_JOB is '../up'; use letters"),
    "a server that is not there": (("asthma", *DATABASE), "ann@localhost:1/crawls cannot be opened"),
    "one port for many": (
        ("asthma", "--workers", "2", "-s", "FOCUSED_METRICS_PORT=9410", *DATABASE),
        "FOCUSED_METRICS_PORT is 9410, a port for one of 2 workers; give a range, as in 9410-9429",
    ),
    "--json of a start": (("asthma", "--json", "x", *DATABASE), "--json is for scrapy fleet status"),
    "--watch of a start": (("asthma", "--watch", *DATABASE), "--watch is for scrapy fleet status"),
    "--yes of a start": (("asthma", "--yes", *DATABASE), "--yes is for scrapy fleet forget"),
    "for one process": (
        ("asthma", "-s", "FOCUSED_HUB_TRIGGER=5", *DATABASE),
        "FOCUSED_HUB_TRIGGER is for a crawl of one",
    ),
    "server of the database": (("status", "asthma", *DATABASE), "ann@localhost:1/crawls cannot be opened"),
    "status of two": (("status", "asthma", "glaucoma", *DATABASE), "name one topic"),
    "forget without a job": (("forget", "asthma", *DATABASE), "name a topic and its job"),
    "forget on no server": (
        ("forget", "asthma", "--job", "1", "--yes", *DATABASE),
        "ann@localhost:1/crawls cannot be opened",
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


@dataclass(frozen=True)
class Demo:
    """A fleet crawl of the demo web, told by its words."""

    scrapy: Scrapy
    words: tuple[object, ...]
    job: Job

    def fleet(self, *words: object) -> Running:
        return self.scrapy.start("fleet", *words, *self.words)

    def status(self, file: Path) -> dict[str, Any]:
        done = self.fleet(
            "status", self.job.folder.parent.name, "--job", self.job.folder.name, "--json", file
        ).wait()
        assert done.code == 0, done.err
        return json.loads(file.read_text())


@pytest.fixture
def demo(scrapy: Scrapy, demo_web: Path, tmp_path: Path, postgresql: Server) -> Iterator[Demo]:
    """A crawl that is told nothing of its frontier."""
    job = f"test-{os.getpid()}"
    settings = {
        "FOCUSED_WEB": demo_web, "FOCUSED_CRAWLS": tmp_path, "FOCUSED_DATABASE": postgresql.address,
        "FOCUSED_PROGRESS_INTERVAL": 0.5,
    }  # fmt: skip
    words = tuple(word for name, value in settings.items() for word in ("-s", f"{name}={value}"))
    yield Demo(scrapy, words, Job(tmp_path / "astronomy" / job))
    postgresql.drop(shared_schema_name("astronomy", job))


def said(running: Running, *words: str) -> bool:
    """Tell whether a command, which may not have begun yet, has said all of this."""
    with suppress(FileNotFoundError):
        return all(word in running.err for word in words)
    return False


@pytest.mark.slow
def test_a_fleet_killed_stopped_and_gone_on_with(demo: Demo, demo_web: Path, tmp_path: Path) -> None:
    """A worker that dies is replaced; a signal stops all; the same command brings all, once."""
    topic, job = demo_web.parent / "demo.topics/astronomy", demo.job.folder.name
    words = (topic, "--job", job, "-a", "profile=offline", "-a", "pages=60", "-s", "CONCURRENT_REQUESTS=2")
    slow = ("-s", "FOCUSED_WEB_LATENCY=3")  # or all is there before a busy machine has looked at it
    running = demo.fleet(*words, "--workers", 2, *slow)
    until(lambda: said(running, "2 workers; ", " of 60 pages"))
    file = tmp_path / "status.json"
    until(lambda: len(demo.status(file)["workers"]) == 2)  # "2 workers" is what was started
    until(lambda: demo.status(file)["totals"]["pages"] > 0)  # a stop before the first page ends otherwise
    pid = demo.status(file)["workers"][0]["pid"]
    command = Path(f"/proc/{pid}/cmdline").read_text()
    assert "FOCUSED_WEB" in command
    assert "postgresql://" not in command
    os.kill(pid, signal.SIGKILL)
    until(lambda: said(running, "was killed by SIGKILL"))
    running.signal(signal.SIGTERM)
    done = running.wait()
    assert (done.code, demo.job.run["state"]) == (130, STOPPED), done.err
    until(lambda: all(one["is_dead"] for one in demo.status(file)["workers"]))

    done = demo.fleet(*words, "--workers", 1).wait()
    assert done.code == 0, done.err
    assert done.out.splitlines()[-1] == str(demo.job.folder / "report.html")
    assert (demo.job.run["state"], demo.job.run["reason"]) == (FINISHED, "pages_budget")
    lines = (demo.job.folder / "pages.jsonl").read_text().splitlines()
    assert len({json.loads(line)["url"] for line in lines}) == len(lines) == 60
    assert {json.loads(line)["judge"] for line in lines} == {demo.job.run["judge"]}
    with read_crawl(demo.job.folder) as database:
        positions = [row[0] for row in database.rows("SELECT position FROM pages ORDER BY position")]
        assert positions == list(range(1, 61))
        assert CrawlHistory(database).counters()["pages"] == 60

    status = demo.status(file)
    assert status["totals"]["pages"] == 60
    assert all(worker["is_dead"] for worker in status["workers"])  # where nobody came by to bury it
    done = demo.fleet("forget", "astronomy", "--job", job, "--yes").wait()
    assert done.out == f"Deleted: frontier and crawl database of job {job} of astronomy\n"
    done = demo.fleet("status", "astronomy", "--job", job).wait()
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_a_crawl_whose_last_worker_was_killed_is_counted(demo: Demo, demo_web: Path, tmp_path: Path) -> None:
    """Into the lists of its topic, by who started the workers: what it found is all there."""
    words = (demo_web.parent / "demo.topics/astronomy", "--job", demo.job.folder.name, "-a", "pages=30")
    settings = ("-s", "FOCUSED_LISTS=on", "-s", f"FOCUSED_MODELS={tmp_path}", "-a", "profile=offline")
    dies = ("-s", 'EXTENSIONS={"tests.fleet.dying.DiesAsItLeaves": 0}')
    done = demo.fleet(*words, *settings, *dies).wait()
    assert done.code == 0, done.err
    assert "was killed by SIGKILL" in done.err
    with Lists(lists_path(load_topic(str(words[0])), tmp_path), read_only=True) as lists:
        assert [counted.pages for counted in lists.crawls()] == [30]


def crawl_whose_lessons_are_of_no_use(demo: Demo, topic: Path, postgresql: Server) -> tuple[object, ...]:
    """Begin a crawl and make what it has learnt unreadable; return the words of its command."""
    job = demo.job.folder.name
    words = (topic, "--job", job, "-a", "profile=offline", "-a", "strategy=adaptive")
    done = demo.fleet(*words, "-a", "pages=10").wait()
    assert done.code == 0, done.err
    with postgresql.connected() as connection:
        schema = shared_schema_name("astronomy", job)
        cut = connection.execute(f"UPDATE {schema}.learnt SET content = substr(content, 1, 8)")
        assert cut.rowcount == 10
    return words


@pytest.mark.slow
def test_what_an_older_version_had_learnt(demo: Demo, demo_web: Path, postgresql: Server) -> None:
    """Is learnt anew before the workers begin, which could not use it; once."""
    topic = demo_web.parent / "demo.topics/astronomy"
    words = crawl_whose_lessons_are_of_no_use(demo, topic, postgresql)
    for pages, learns in ((20, True), (30, False)):
        done = demo.fleet(*words, "-a", f"pages={pages}").wait()
        assert (done.code, demo.job.run["totals"]["pages"]) == (0, pages), done.err
        assert ("adaptive wrote what it had learnt" in done.out) is learns


@pytest.mark.slow
def test_workers_that_nobody_supervises_learn_anew_too(
    demo: Demo, demo_web: Path, postgresql: Server, scrapy: Scrapy
) -> None:
    """As scrapyd starts them: one does, the other waits for it; on a machine that is new to it, too."""
    topic, job = demo_web.parent / "demo.topics/astronomy", demo.job.folder.name
    crawl_whose_lessons_are_of_no_use(demo, topic, postgresql)
    (demo.job.folder / "run.json").unlink()
    settings = (f"FOCUSED_WEB={demo_web}", "FOCUSED_FRONTIER=postgresql", "LOG_LEVEL=WARNING")
    address = f"FOCUSED_DATABASE={postgresql.address}"
    about = {"job": job, "profile": "offline", "strategy": "adaptive", "pages": 40}
    command = crawl(topic, demo.job.folder.parents[1], *settings, address, **about)
    found = [worker.wait() for worker in [scrapy.start(*command) for _ in range(2)]]
    assert [done.code for done in found] == [0, 0], found
    assert sum("it has learnt anew from the pages" in done.err for done in found) == 1
    assert 40 <= demo.job.run["totals"]["pages"] <= 42


def test_a_server_that_would_refuse_every_worker(scrapy: Scrapy, tmp_path: Path, postgresql: Server) -> None:
    """Is asked before anything is made: a fleet does not begin."""
    gone = (
        make_url(postgresql.address).set(database="focused-test-gone").render_as_string(hide_password=False)
    )
    words = ("-s", f"FOCUSED_DATABASE={gone}")
    done = scrapy.run("fleet", "asthma", *words, "-s", f"FOCUSED_CRAWLS={tmp_path / 'crawls'}")
    assert "make that database with createdb" in done.err
    assert (done.err.count("\n"), done.code) == (1, 2)
    assert not (tmp_path / "crawls").exists()


def test_another_strategy_does_not_join(demo: Demo, demo_web: Path, postgresql: Server) -> None:
    """Neither a fleet nor a worker, on a machine that does not know the crawl; one line says why."""
    topic, job = demo_web.parent / "demo.topics/astronomy", demo.job.folder.name
    crawl = FleetCrawl("astronomy", job, postgresql.address)
    with recording(crawl, FOCUSED_WEB=str(demo_web)):
        pass
    words = ("-a", "profile=offline", "-a", "strategy=breadth_first")
    words = (*words, "-s", "FOCUSED_FRONTIER=postgresql")  # a worker has to say that it is one
    worker = ("crawl", "topic", "-a", f"topic={topic}", "-a", f"job={job}", *words, *demo.words)
    for done in (demo.fleet(topic, "--job", job, *words).wait(), demo.scrapy.run(*worker)):
        assert f"job {job} of astronomy is another crawl in" in done.err
        assert "(its strategy is lpe, not breadth_first); choose another job with --job NAME" in done.err
        assert (done.err.count("\n"), done.code) == (1, 2)
    with postgresql.connected() as connection:
        schema = shared_schema_name("astronomy", job)
        assert connection.execute(f"SELECT worker FROM {schema}.runs").fetchall() == [("w1",)]


def test_status_where_there_is_no_crawl_yet(scrapy: Scrapy, postgresql: Server) -> None:
    """It does not send to the command that was typed."""
    with postgresql.connected() as connection:
        connection.execute("CREATE DATABASE nothing_yet")
    try:
        address = make_url(postgresql.address).set(database="nothing_yet").render_as_string()
        done = scrapy.run("fleet", "status", "-s", f"FOCUSED_DATABASE={address}")
        assert done.err.endswith("has no crawl of a fleet; scrapy fleet TOPIC --workers 2 begins one\n")
        assert (done.err.count("\n"), done.code) == (1, 2)
    finally:
        with postgresql.connected() as connection:
            connection.execute("DROP DATABASE nothing_yet")


def test_status_of_several_crawls(scrapy: Scrapy, tmp_path: Path, postgresql: Server) -> None:
    """A table; what shows one crawl asks for its name."""
    both = [FleetCrawl(topic, new_job(), postgresql.address) for topic in ("aa", "bb")]
    words = ("-s", f"FOCUSED_DATABASE={postgresql.address}")
    with recording(both[0]) as worker, recording(both[1]):
        worker.record("r" * 7)
    done = scrapy.run("fleet", "status", *words)
    assert (done.code, "aa" in done.out, "bb" in done.out) == (0, True, True)
    for option in (("--watch",), ("--json", str(tmp_path / "x"))):
        done = scrapy.run("fleet", "status", *option, *words)
        assert done.err.startswith("error: name a topic for --watch and --json")
        assert done.code == 2
    done = scrapy.run("fleet", "status", "aa", "--job", both[0].job, *words)
    assert ("7, 7 of them relevant" in done.out, done.code) == (True, 0)
    for one in both:
        drop(postgresql, one)


@pytest.mark.parametrize(("typed", "is_sure"), [("spring\n", True), ("1\n", False), ("", False)])
def test_forgetting_is_asked_for(
    typed: str, is_sure: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The job's name is to be typed once more; what is deleted, and where, is said before."""
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    crawl = FleetCrawl("asthma", "spring", f"postgresql://ann:{SECRET}@db/crawls")
    assert sure_to_forget(crawl) is is_sure
    asked = capsys.readouterr().out
    assert "job spring of asthma" in asked
    assert "postgresql://ann@db/crawls" in asked
