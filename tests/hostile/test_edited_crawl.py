"""A crawl.db in which another program has written: each command ends in one line, or reads on."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.crawls.faults import LOOKS
from tests.hostile.painted import about, url, write_topic, write_web
from tests.project import Scrapy, crawl

EDITS = {
    "blobs": "UPDATE urls SET url = x'00fe'; UPDATE pages SET title = x'00fe'",
    "a script as URL": "UPDATE pages SET url = 'javascript:alert(' || position || ')'",
    "texts as numbers": "UPDATE pages SET relevance = 'x', fetched_at = 'x'; UPDATE links SET score = 'x'",
    "infinite": "UPDATE pages SET relevance = 9e999, fetched_at = 9e999; UPDATE links SET score = 9e999",
}
COMMANDS: dict[str, Callable[[Path, Path], list[object]]] = {
    "resume": lambda topic, job: [*crawl(topic, job.parent.parent, job="1", pages=30)],
    "report": lambda topic, job: ["report", job],
    "why": lambda topic, job: ["why", url(0), "--crawl", job],
    "sample": lambda topic, job: ["sample", job, "--n", 5],
    "lists": lambda topic, job: ["lists", topic, "--update", job],
    "search": lambda topic, job: ["search", "bee", "--crawl", job],
    "distill": lambda topic, job: ["distill", job],
    "suggest": lambda topic, job: ["train", topic, "--suggest", 3, "--crawl", job],
}


@pytest.fixture(scope="module")
def begun(scrapy: Scrapy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a web, a topic and a crawl of it that has not ended."""
    folder = tmp_path_factory.mktemp("begun")
    write_web(folder, "web")
    topic = write_topic(folder / "topics", "bees")
    done = scrapy.run(
        *crawl(topic, folder / "crawls", f"FOCUSED_WEB={folder / 'web.warc.gz'}", job="1", pages=20)
    )
    assert done.code == 0, done.err
    return folder


@pytest.mark.parametrize("edit", EDITS)
def test_commands_on_an_edited_database(scrapy: Scrapy, begun: Path, tmp_path: Path, edit: str) -> None:
    """All commands at once, each on a copy."""
    settings = ("-s", f"FOCUSED_WEB={begun / 'web.warc.gz'}", "-s", "LOG_LEVEL=WARNING")
    running = {}
    for name, words in COMMANDS.items():
        job = Path(shutil.copytree(begun / "crawls", tmp_path / name)) / "bees/1"
        with closing(sqlite3.connect(job / "crawl.db")) as database:
            database.execute("PRAGMA ignore_check_constraints = ON")
            database.executescript(EDITS[edit])
        models = ("-s", f"FOCUSED_MODELS={tmp_path / name}")
        running[name] = scrapy.start(*words(begun / "topics/bees", job), *settings, *models)
    ended = {name: each.wait() for name, each in running.items()}
    broken = {
        name: done.err[-600:]
        for name, done in ended.items()
        if "Traceback" in done.err or done.code not in {0, 1, 2, 10, 11, 12, 17}
    }
    assert broken == {}
    for name, done in ended.items():
        errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
        assert len(errors) == (1 if done.code in {2, 12, 17} else 0), (name, done)


def test_an_error_of_a_strategy_is_not_looked_for_in_the_database_each_time(
    scrapy: Scrapy, begun: Path, tmp_path: Path
) -> None:
    """A look takes as long as the file is large: one is enough, and the error is said as it is."""
    own = 'FOCUSED_LINK_SCORERS={"mine": "tests.crawls.faults.Broken"}'
    web = f"FOCUSED_WEB={begun / 'web.warc.gz'}"
    words = crawl(
        write_topic(tmp_path, "bees", seeds=about("bees")[:3]),
        tmp_path / "crawls",
        web,
        own,
        strategy="mine",
        pages=5,
    )
    looks = tmp_path / "looks"
    running = scrapy.start(
        *words, before="tests.crawls.faults.looks_are_counted", environ={LOOKS: str(looks)}
    )
    done = running.wait()
    assert looks.read_text() == "."
    assert done.err.count("TypeError: no score") > 1
