"""The project on a real scrapyd: built by `make deploy`, out of an egg that stays zipped."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4
from zipfile import ZipFile

import pytest

from focused_crawler.store.opening import read_crawl
from focused_crawler.topic.topic import topic_names
from tests.edge.deploy.scrapyd_server import LONG, PACKAGES, Scrapyd, copy_project, deploy
from tests.postgresql import Server
from tests.project import Job, Scrapy, until

PAGES = 40


@pytest.fixture(scope="module")
def scrapyd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scrapyd]:
    """A server without any project."""
    server = Scrapyd(tmp_path_factory.mktemp("scrapyd"))
    yield server
    server.close()


@pytest.fixture(scope="module")
def project(
    scrapyd: Scrapyd, demo_web: Path, scrapy: Scrapy, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A project with topics of the demo web, one of them trained, deployed to the server."""
    project = copy_project(tmp_path_factory.mktemp("deploy") / "project", scrapyd.url)
    for topic in (demo_web.parent / "demo.topics").iterdir():
        shutil.rmtree(project / "topics" / topic.name, ignore_errors=True)
        shutil.copytree(topic, project / "topics" / topic.name, ignore=shutil.ignore_patterns("model"))
    done = scrapy.run("train", project / "topics" / "astronomy", "-s", f"FOCUSED_WEB={demo_web}")
    assert done.code == 0, done.err
    assert deploy(project)["spiders"] == len(topic_names(project / "topics")) + 1
    return project


@pytest.fixture(scope="module")
def jobs(scrapyd: Scrapyd, project: Path, demo_web: Path) -> dict[str, str]:
    """Two jobs that ran at the same time, by topic."""
    web, lists = f"FOCUSED_WEB={demo_web}", ("FOCUSED_LISTS=on", "FOCUSED_MODELS=models")
    how = {"strategy": "best_first_content", "profile": "offline", "pages": PAGES}
    first = scrapyd.schedule("topic", web, *lists, topic="astronomy", **how)
    second = scrapyd.schedule("cooking", web, profile="offline", pages=PAGES, job="weekly")
    scrapyd.wait(first, second)
    return {"astronomy": first, "cooking": second}


def test_every_topic_is_a_spider(scrapyd: Scrapyd, project: Path) -> None:
    """Beside the one that is given a topic's name."""
    assert scrapyd.ask("listspiders")["spiders"] == sorted([*topic_names(project / "topics"), "topic"])


def test_the_egg_holds_every_file(project: Path) -> None:
    """Of whatever kind: topics, models, templates, scripts for servers."""
    (egg,) = project.glob("build/egg/*.egg")
    files = {
        _in_the_egg(path.relative_to(project))
        for package in PACKAGES
        for path in (project / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert "focused_crawler/shipped/topics/astronomy/model/weights.npz" in files
    assert "focused_crawler/shipped/vectors/en.npz" in files
    assert files <= set(ZipFile(egg).namelist())


def _in_the_egg(path: Path) -> str:
    home = Path() if path.parts[0] == "focused_crawler" else Path("focused_crawler/shipped")
    return (home / path).as_posix()


def test_a_job_runs_to_its_end(scrapyd: Scrapyd, jobs: dict[str, str]) -> None:
    """By the strategy and profile that were asked for, and judged by the model in the egg."""
    job = Job(scrapyd.folder / "crawls" / "astronomy" / "1")
    assert (job.run["state"], job.run["strategy"]) == ("finished", "best_first_content")
    assert job.run["trained"]  # though FOCUSED_MODELS holds no model of it
    assert "127.0.0.0/8" in job.run["settings"]["FOCUSED_ALLOWED_NETWORKS"]  # of the profile
    assert len(job.visits) == PAGES
    assert "<svg" in (job.folder / "report.html").read_text()
    assert len((job.folder / "pages.jsonl").read_text().splitlines()) == PAGES


def test_the_log_says_where_a_crawl_is(scrapyd: Scrapyd, jobs: dict[str, str]) -> None:
    """Scrapyd's name of a job is no folder's name."""
    assert "in crawls/astronomy/1" in scrapyd.job_log(jobs["astronomy"])
    assert "report: crawls/cooking/weekly/report.html" in scrapyd.job_log(jobs["cooking"])


def test_lists_are_kept_where_models_are(scrapyd: Scrapyd, jobs: dict[str, str]) -> None:
    """In FOCUSED_MODELS, as nothing in an egg can be written."""
    assert (scrapyd.folder / "models" / "astronomy" / "lists.db").is_file()


@pytest.mark.slow
def test_a_cancelled_job_goes_on(scrapyd: Scrapyd, project: Path, demo_web: Path) -> None:
    """The same call again takes the same folder, and fetches what is left."""
    web, slow = f"FOCUSED_WEB={demo_web}", "FOCUSED_WEB_LATENCY=0.3"
    arguments = {"topic": "football", "profile": "offline", "pages": PAGES}
    folder = scrapyd.folder / "crawls" / "football" / "1"
    first = scrapyd.schedule("topic", web, slow, **arguments)
    until(lambda: visits_so_far(folder), pause=0.1, patience=LONG)
    scrapyd.ask("cancel", job=first)
    scrapyd.wait(first)
    stopped = Job(folder)
    assert stopped.run["state"] == "stopped"
    assert 0 < len(stopped.visits) < PAGES
    scrapyd.wait(scrapyd.schedule("topic", web, **arguments))
    ended = Job(folder)
    assert ended.run["state"] == "finished"
    assert ended.visits[: len(stopped.visits)] == stopped.visits
    assert len(set(ended.visits)) == len(ended.visits) == PAGES


def visits_so_far(folder: Path) -> list[str]:
    """Return none where there is no database yet, or one that its tables are still to come in."""
    try:
        return Job(folder).visits
    except sqlite3.OperationalError:
        return []


@pytest.mark.slow
def test_jobs_are_workers_of_a_fleet(
    scrapyd: Scrapyd, project: Path, demo_web: Path, postgresql: Server
) -> None:
    """With the same address, topic and job."""
    web = f"FOCUSED_WEB={demo_web}", "FOCUSED_WEB_LATENCY=0.05"
    servers = "FOCUSED_FRONTIER=postgresql", f"FOCUSED_DATABASE={postgresql.address}"
    arguments = {
        "topic": "gardening",
        "profile": "offline",
        "pages": 2 * PAGES,
        "job": f"job-{uuid4().hex[:8]}",
    }
    workers = [scrapyd.schedule("topic", *web, *servers, **arguments) for _ in range(2)]
    scrapyd.wait(*workers)
    folder = scrapyd.folder / "crawls" / "gardening" / str(arguments["job"])
    with read_crawl(folder) as database:
        urls = [row[0] for row in database.rows("SELECT requested_url FROM pages")]
    assert 2 * PAGES <= len(urls) == len(set(urls)) <= 2 * PAGES + 2


def test_a_mistake_is_in_the_jobs_log(scrapyd: Scrapyd, project: Path) -> None:
    """In one line, as the console of scrapyd shows nothing else."""
    job = scrapyd.schedule("topic", topik="astronomy")
    scrapyd.wait(job)
    (line,) = scrapyd.job_log(job).splitlines()
    assert line.endswith("ERROR: unknown argument topik=astronomy; did you mean topic=?")


def test_commands_work_out_of_the_egg(scrapyd: Scrapyd, jobs: dict[str, str]) -> None:
    """A report is made anew where the crawl lies."""
    report = scrapyd.folder / "crawls" / "cooking" / "weekly" / "report.html"
    report.unlink()
    done = scrapyd.command("report", "crawls/cooking/weekly")
    assert done.stdout.splitlines()[-1] == "crawls/cooking/weekly/report.html", done.stderr
    assert report.is_file()


def test_topics_are_unpacked_once(scrapyd: Scrapyd, jobs: dict[str, str]) -> None:
    """For all processes of all jobs, and nothing is left behind by any."""
    assert len(list(scrapyd.folder.glob("cache/focused_crawler/eggs/*"))) == 1
    assert list(scrapyd.folder.glob("tmp/unpacked-*")) == []
