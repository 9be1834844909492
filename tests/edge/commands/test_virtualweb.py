from __future__ import annotations

import argparse
import json
import re
import signal
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from scrapy.settings import Settings

from focused_crawler.edge.commands.virtualweb import Command
from focused_crawler.virtualweb.writer import WebWriter
from tests.project import Running, Scrapy, until
from tests.virtualweb.tea import write_tea


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the user's own cache; tables are wide enough not to wrap."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    with WebWriter(tmp_path / "small.warc.gz") as writer:
        writer.write(
            "http://a.example/", 200, [("Content-Type", "text/html")], b'<a href="http://b.example/">b</a>'
        )
    return tmp_path / "small.warc.gz"


def run(*words: str) -> int:
    """Run the command as Scrapy does, and return its exit code."""
    command = Command()
    parser = argparse.ArgumentParser()
    command.settings = Settings()
    command.add_options(parser)
    opts, args = parser.parse_known_args(words)
    command.run(args, opts)
    return command.exitcode


def test_stats_of_a_web_without_topics(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One page, one link that leads nowhere; what there is none of is not shown."""
    assert run("stats", str(small)) == 0
    out = capsys.readouterr().out
    assert "1 (1.0 a page)" in out
    assert re.search(r"that lead to a page +0\.0% ", out)
    assert "Topics" not in out
    assert "Seed sets" not in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["serve", "--port", "http"], "--port is http; give a whole number from 0 to 65535"),
        (["demo", "--seed", "-1.5"], "--seed is -1.5; give a whole number from 0 to 1000000000"),
    ],
)
def test_what_is_no_number_is_said_in_one_line(
    words: list[str], said: str, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As by every other command: not under a page of usage."""
    assert run(words[0], str(small), *words[1:]) == 2
    assert capsys.readouterr().err == f"error: {said}\n"


def test_demo_writes_a_web(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Into a folder that does not exist yet; its topics are told."""
    assert run("demo", str(tmp_path / "new"), "--seed", "7") == 0
    assert "relevant pages: astronomy 27" in capsys.readouterr().out
    assert (tmp_path / "new" / "demo.warc.gz").stat().st_size > 100_000


def test_demo_writes_webs_of_another_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Called by their seeds, as several lie in one folder."""
    assert run("demo", str(tmp_path), "--seed", "9", "--wide") == 0
    assert re.search(r"demo_9\.warc\.gz: \d+ records; relevant pages: astronomy \d+", capsys.readouterr().out)
    assert {path.name for path in tmp_path.iterdir()} >= {"demo_9.warc.gz", "demo_9.topics"}


def test_stats_of_a_web_with_a_topic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Totals, a line a topic and seed set; all of it as JSON, and a picture, where they are asked for."""
    web, json_file, plots = (
        write_tea(tmp_path / "tea.warc.gz"),
        tmp_path / "it.json",
        tmp_path / "deep" / "png",
    )
    assert run("stats", str(web), "--json", str(json_file), "--plots", str(plots)) == 0
    output = capsys.readouterr()
    assert output.err == ""
    assert re.search(r"pages a page leads to +mean 1\.0, median 1 ", output.out)
    assert re.search(r"tea +3 +1 +1 +0\.3750 +0\.0000 +0\.4286 ", output.out)
    assert re.search(r"tea +a( +\d+\.\d%){3} .*\n +far( +100\.0%){3} +1\.000 ", output.out)
    assert json.loads(json_file.read_text())["topics"]["tea"]["missing"] == 1
    assert [path.name for path in plots.iterdir()] == ["tea.png"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "use one of: scrapy virtualweb stats"),
        (["stats"], "use one of"),
        (["show", "x.warc.gz"], "use one of"),
        (["stats", "x.warc.gz", "--prot"], "unknown option --prot; did you mean --port?"),
        (["stats", "nope.warc.gz"], "no web at nope.warc.gz"),
        (["serve", "nope.warc.gz"], "no web at nope.warc.gz"),
        (["serve", "SMALL", "--host", "no.such.host.invalid"], "cannot listen on no.such.host.invalid"),
        (["serve", "SMALL", "--port", "99999"], "--port is 99999; give a whole number from 0 to 65535"),
        (["serve", "SMALL", "--hits", "SMALL/log"], "cannot be written"),
        (["demo", "SMALL"], "; free its disk, or name another folder"),
        (["stats", "SMALL", "--json", "SMALL/x"], "let --json name a file"),
        (["stats", "SMALL", "--plots", "SMALL"], "cannot be written (File exists)"),
    ],
)
def test_mistakes_end_in_one_line(
    words: list[str], message: str, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On stderr, with exit code 2."""
    assert run(*[word.replace("SMALL", str(small)) for word in words]) == 2
    output = capsys.readouterr()
    assert message in output.err
    assert output.err.startswith("error: ")
    assert output.err.count("\n") == 1
    assert output.out == ""


@pytest.fixture
def served(scrapy: Scrapy, small: Path, tmp_path: Path) -> Iterator[Running]:
    """The command in a process of its own, once it has said where it is."""
    words = ("virtualweb", "serve", small, "--hits", tmp_path / "log")
    running = scrapy.start(*words, environ={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    until(lambda: "\n" in running.out)
    yield running
    with suppress(ProcessLookupError):
        running.signal(signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serve_says_where_and_stops_when_asked(
    served: Running, number: signal.Signals, tmp_path: Path
) -> None:
    """It prints its port, serves any client, logs hits, and ends without a word."""
    found = re.search(r"at (http://127\.0\.0\.1:\d+)", served.out)
    assert found
    request = urllib.request.Request(found[1], headers={"Host": "www.a.example"})
    with urllib.request.urlopen(request, timeout=120) as response:
        assert response.read().startswith(b"<a href")
    said = served.out
    served.signal(number)
    done = served.wait()
    assert (done.code, done.out, done.err) == (0, said, "")
    assert (tmp_path / "log").read_text() == "200 http://www.a.example/\n"
