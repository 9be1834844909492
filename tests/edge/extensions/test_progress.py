from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.crawls.site import write_topic
from tests.project import Scrapy, crawl, until

pty = pytest.importorskip("pty")

CRAWL = [sys.executable, str(Path(__file__).with_name("counting_crawl.py"))]


def crawl_on_terminal(log_file="") -> tuple[str, str, float]:
    """Run a crawl whose stderr is a pseudo-terminal of 90 columns; return stderr, stdout and the seconds."""
    began = time.monotonic()
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "90", "LINES": "30"}
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        environment.pop(name, None)
    command = [*CRAWL, str(log_file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=follower, env=environment) as process:
        os.close(follower)
        screen = b"".join(iter(lambda: read_some(leader), b""))
        stdout = process.stdout.read()
    os.close(leader)
    return screen.decode(), stdout.decode(), time.monotonic() - began


def read_some(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # Linux's way to say that the other end was closed
        return b""


def without_escapes(screen: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen)


@pytest.fixture(scope="module")
def terminal() -> tuple[str, str, float]:
    return crawl_on_terminal()


def test_a_terminal_shows_a_live_display(terminal):
    """Topic, budget and rates are drawn, drawn again over themselves, and the cursor comes back."""
    screen, *_ = terminal
    words = without_escapes(screen)
    assert "asthma by lpe" in words
    assert "of 12 pages" in words
    assert "harvest rate" in words
    assert "\x1b[1A" in screen  # goes up and draws over
    assert screen.rindex("\x1b[?25h") > screen.rindex("\x1b[?25l")  # the cursor is shown again


def test_it_is_drawn_at_most_four_times_a_second(terminal):
    """The display costs little however fast the crawl is."""
    screen, _, seconds = terminal
    assert 2 <= screen.count("last found") <= 4 * seconds + 8


def test_titles_reach_the_terminal_without_their_escapes(terminal):
    """Markup is shown, a control sequence is not obeyed."""
    screen, *_ = terminal
    assert "Inhalers [red][31mx" in without_escapes(screen)
    assert "\x1b[31mx" not in screen


def test_warnings_appear_above_the_display_and_the_rest_does_not(terminal):
    """A warning keeps its own line; information would only push the display around."""
    screen, *_ = terminal
    lines = [line.strip() for line in without_escapes(screen).replace("\r", "\n").splitlines()]
    assert any(line.endswith("robots.txt is odd ☃") for line in lines)
    assert "a stray line" in lines
    assert "of no interest" not in screen


def test_the_end_says_why_and_where(terminal):
    """The last thing on the screen is the panel."""
    words = without_escapes(terminal[0])
    panel = words[words.rindex("harvest rate ") :]
    assert "12, 6 of them relevant" in panel
    assert "It ended although 112 URLs were left to fetch." in panel
    assert "crawls/asthma/1/report.html" in panel


def test_log_handlers_are_given_back(terminal):
    """After the crawl, logging writes where it wrote before, at the level it had."""
    assert "HANDLER 20 True True" in terminal[1]


def test_a_log_file_gets_everything(tmp_path):
    """Only what goes to the terminal is held back."""
    log = tmp_path / "crawl.log"
    crawl_on_terminal(log)
    assert "of no interest" in log.read_text("utf-8")


def test_without_a_terminal_there_are_log_lines():
    """Into a pipe: no escape sequence, a line now and then, and the same end."""
    environment = {
        name: value for name, value in os.environ.items() if name not in {"FORCE_COLOR", "TTY_COMPATIBLE"}
    }
    started = time.monotonic()
    done = subprocess.run([*CRAWL, ""], capture_output=True, text=True, env=environment, check=True)
    lines = [line for line in done.stderr.splitlines() if "of 12 pages" in line]
    assert "\x1b" not in done.stderr
    assert 1 <= len(lines) <= (time.monotonic() - started) / 0.3 + 1
    assert "harvest rate" in lines[-1]
    assert "of no interest" in done.stderr
    assert "Crawl ended: harvest rate: 50.0 %" in done.stderr
    assert "report: crawls/asthma/1/report.html" in done.stderr


def test_a_crawl_says_by_whom_it_counts(scrapy: Scrapy, demo_web: Path, tmp_path: Path):
    """At its beginning and at its end: its own words, or the ground truth where one lies beside the web."""
    web = tmp_path / "web.warc.gz"
    web.symlink_to(demo_web)  # by another name: no ground truth lies beside it
    topic = demo_web.parent / "demo.topics/astronomy"
    for job, where, judge in (("own", web, r"keywords:\w{8}"), ("known", demo_web, "ground truth")):
        settings = (f"FOCUSED_WEB={where}", f"FOCUSED_MODELS={tmp_path}/models")
        done = scrapy.run(*crawl(topic, tmp_path, *settings, job=job, pages=3, profile="offline"))
        assert re.search(rf"starts in \S+; judged by {judge}$", done.err, re.MULTILINE), done.err
        assert re.search(rf"Crawl ended: harvest rate: [^;]+; judged by: {judge};", done.err), done.err


def test_a_network_without_names_is_told_at_once(scrapy: Scrapy, tmp_path: Path):
    """The start pages wait to be tried again: none has failed for good, but it is said why nothing comes."""
    topic = write_topic(tmp_path, "bees", "http://bees.example/", "http://hives.example/")
    settings = ("FOCUSED_NAME_SERVERS=127.0.0.1", "FOCUSED_PROGRESS_INTERVAL=0.5", "FOCUSED_RETRY_DELAY=600")
    crawling = scrapy.start(*crawl(topic, tmp_path / "crawls", *settings, minutes=0.2))
    until(lambda: "0 failures, 2 tried again (no DNS answer 2)" in crawling.err)
    done = crawling.wait()
    assert "Not one page was fetched: no DNS answer for any host; see that a name server" in done.err
    assert done.code == 10
