"""Ctrl-C in commands that are no crawls: one line, and the exit code of a shell."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from focused_crawler.safety.printable import INTERRUPTED
from tests.crawls.site import page, serving, write_topic
from tests.project import PATIENCE, ROOT, Done, Running, Scrapy

LIVE = ("-s", "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8", "-s", "DOWNLOAD_DELAY=0")


def stopped(running: Running, is_busy: Callable[[], object]) -> Done:
    """Stop a command as soon as it is busy."""
    end = time.monotonic() + PATIENCE
    while not is_busy() and time.monotonic() < end:
        time.sleep(0.05)
    running.signal(signal.SIGINT)
    return running.wait()


@pytest.mark.parametrize("command", ["explain", "train"])
def test_while_pages_are_fetched(scrapy: Scrapy, tmp_path: Path, command: str) -> None:
    """Scrapy ends its loop, and the command would go on with the pages that it has until then."""
    with serving() as site:
        site.answers = {f"/{name}": [page(name)] for name in "abcd"} | {"/e": [page("e")._replace(delay=3)]}
        names = [site.url(f"/{name}") for name in "abcde"]
        more = f"[examples]\nrelevant = {[*names[:2], names[4]]}\nother = {names[2:4]}\n"
        topic = write_topic(tmp_path, "bees", names[0], more=more)
        words = (names[4], "--topic", topic) if command == "explain" else (topic,)
        running = scrapy.start(command, *words, *LIVE, "-s", f"FOCUSED_MODELS={tmp_path}/models")
        done = stopped(running, lambda: site.times("/e"))
    assert (done.code, done.out, done.err) == (INTERRUPTED, "", "stopped\n")
    assert not (tmp_path / "models").exists()


def test_while_a_file_is_written(scrapy: Scrapy, tmp_path: Path) -> None:
    """Nothing is left of it."""
    running = scrapy.start("virtualweb", "demo", tmp_path / "webs")
    done = stopped(running, lambda: list(tmp_path.glob("webs/.*")))
    assert (done.code, done.out, done.err) == (INTERRUPTED, "", "stopped\n")
    assert list(tmp_path.glob("webs/*.gz")) == list(tmp_path.glob("webs/.*")) == []


EARLY = """
import os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "scrapy":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
from focused_crawler.__main__ import main
main(["list"])
"""


def test_while_scrapy_is_loaded() -> None:
    """Which takes longer than all that `focused-crawler list` does."""
    done = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, "", "stopped\n")


@pytest.mark.parametrize(
    ("words", "closed", "code"),
    [
        ("-h", ">&-", 0),
        ("list", ">&-", 0),
        ("thesaurus show asthma", ">&- 2>&-", 0),
        ("thesaurus show asthma", "2>&-", 0),
        ("why", "2>&-", 2),
    ],
)
def test_with_nowhere_to_print(words: str, closed: str, code: int) -> None:
    """A job in the background may have closed its output."""
    line = f'exec "$0" -m focused_crawler {words} {closed}'
    done = subprocess.run(["sh", "-c", line, sys.executable], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_who_has_read_enough_sees_no_traceback() -> None:
    """As head has, which closes the pipe."""
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(
        [sys.executable, "-m", "focused_crawler", "-h"], stdout=theirs, stderr=subprocess.PIPE, cwd=ROOT
    )
    os.close(theirs)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize(
    ("words", "file", "blocks"),
    [
        ('virtualweb stats "$1"', "/dev/full", "unlimited"),
        ('virtualweb stats "$1"', "out", "1"),
        ("list", "/dev/full", "unlimited"),
        ("-h", "/dev/full", "unlimited"),
    ],
)
def test_a_full_disk_is_one_line(demo_web: Path, tmp_path: Path, words: str, file: str, blocks: str) -> None:
    """Where what is printed goes into a file; or what a system lets a process write is used up."""
    line = f'ulimit -f {blocks}; exec "$0" -m focused_crawler {words}'
    with (tmp_path / file).open("w") as full:
        typed = ["sh", "-c", line, sys.executable, demo_web]
        environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}  # which would be cut as well
        done = subprocess.run(typed, stdout=full, stderr=subprocess.PIPE, cwd=ROOT, text=True, env=environ)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("error: no room is left")


def test_a_folder_that_is_gone_is_one_line(tmp_path: Path) -> None:
    """As one of another terminal's that was deleted here."""
    gone = tmp_path / "gone"
    line = 'mkdir "$1" && cd "$1" && rmdir "$1" && exec "$0" -m focused_crawler list'
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    typed = ["sh", "-c", line, sys.executable, str(gone)]
    done = subprocess.run(typed, capture_output=True, text=True, env=environ)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "the folder that this runs in is not there any more" in done.stderr
