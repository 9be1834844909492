"""docs/reference/api.md runs as it stands, and the API does what it says there."""

from __future__ import annotations

import doctest
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import focused_crawler as fc
from tests.project import ROOT, until

OPTIONS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
WATCH = """
import sys
import focused_crawler as fc
settings = {"FOCUSED_WEB_LATENCY": 0.05}
running = fc.crawl(sys.argv[1], pages=3000, web="webs/demo.warc.gz", profile="offline", settings=settings)
print("begun", flush=True)
for progress in running:
    pass
"""


@pytest.fixture
def folder(tmp_path: Path, demo_web: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder outside of any project, with the demo web."""
    shutil.copytree(
        demo_web.parent, tmp_path / "webs", ignore=shutil.ignore_patterns("model", "labels.jsonl")
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for name in ("FOCUSED_TOPICS", "SCRAPY_SETTINGS_MODULE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.slow
def test_the_document(folder: Path) -> None:
    """Line by line."""
    failed, tried = doctest.testfile(
        str(ROOT / "docs/reference/api.md"), module_relative=False, optionflags=OPTIONS
    )
    assert (failed, tried > 25) == (0, True)


@pytest.mark.slow
def test_an_experiment_is_read_as_frames(folder: Path) -> None:
    """And its report is where it says."""
    done = fc.experiment(
        "webs/demo.warc.gz", topics=["astronomy"], strategies=["breadth_first"], pages=20, out="compared"
    )
    assert done.summary()["strategy"].to_pylist() == ["breadth_first"] * done.summary().num_rows
    assert done.results(to="polars")["pages"].max() == 20
    assert done.report.is_file()


def test_what_is_wrong_is_raised_in_one_line(folder: Path) -> None:
    """Before a crawl begins, and of commands that run for it; what to type is there after pip install."""
    with pytest.raises(fc.FocusedCrawlerError, match=r"\(see focused-crawler list; focused-crawler newtopic"):
        fc.Topic.load("nothing")
    with pytest.raises(fc.FocusedCrawlerError, match="no strategy is called 'lpee'; did you mean lpe"):
        fc.crawl("webs/demo.topics/astronomy", strategy="lpee", web="webs/demo.warc.gz")
    with pytest.raises(fc.FocusedCrawlerError, match="no topic 'nothing'"):
        fc.experiment("webs/demo.warc.gz", topics=["nothing"], out="compared")
    with pytest.raises(fc.FocusedCrawlerError, match="to is 'numpy'; use arrow, pandas or polars"):
        fc.api.frames.as_frame(None, "numpy")  # type: ignore[attr-defined]
    with pytest.raises(fc.FocusedCrawlerError, match="no label: url is no http or https URL"):
        fc.Topic.load("webs/demo.topics/astronomy").label("x", True)


@pytest.mark.slow
def test_answers_name_what_can_be_typed(folder: Path) -> None:
    """Outside of a checkout there is no command `scrapy` with them."""
    data = fc.crawl(
        "webs/demo.topics/astronomy", pages=3, web="webs/demo.warc.gz", profile="offline", every=0.1
    ).wait()
    why = str(fc.open_crawl(data).why(data.pages()["url"][0].as_py()))
    assert "focused-crawler explain " in why
    assert "scrapy " not in why


@pytest.mark.slow
def test_a_mistake_that_ends_a_crawl_is_raised(folder: Path) -> None:
    """One of the user's own code shows only when it runs."""
    own = {"FOCUSED_LINK_SCORERS": {"own": "tests.edge.commands.own_strategy.TooFew"}}
    running = fc.crawl(
        "webs/demo.topics/astronomy", strategy="own", pages=9, web="webs/demo.warc.gz", profile="offline",
        settings=own, every=0.1,
    )  # fmt: skip
    with pytest.raises(fc.FocusedCrawlerError, match="strategy own gives "):
        running.wait()
    assert running.exit_code == 17


@pytest.mark.slow
def test_ctrl_c_stops_the_crawl_and_it_can_be_gone_on_with(folder: Path) -> None:
    """Nothing that was fetched is lost."""
    topic = str(folder / "webs/demo.topics/astronomy")
    with subprocess.Popen(
        [sys.executable, "-c", WATCH, topic], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as watching:
        assert watching.stdout is not None
        assert watching.stdout.readline() == b"begun\n"
        data = fc.open_crawl("crawls/astronomy/1")
        until(lambda: pages_of(data.folder) > 5)
        os.kill(watching.pid, signal.SIGINT)
    assert watching.returncode in (1, -signal.SIGINT)
    stopped = data.pages().num_rows
    assert data.info.state == "stopped"
    assert 5 < stopped < 3000
    again = fc.crawl(
        topic, job="1", pages=stopped + 20, web="webs/demo.warc.gz", profile="offline", every=0.1
    )
    assert again.wait().pages().num_rows == stopped + 20


def pages_of(crawl: Path) -> int:
    with closing(sqlite3.connect(crawl / "crawl.db")) as database:
        return int(database.execute("SELECT count(*) FROM pages").fetchone()[0])
