"""`scrapy sessions record`: a real browser on a real site, and training from what it leaves."""

from __future__ import annotations

import json
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

import pytest

from focused_crawler.classify.hmm.sessions import read_sessions
from focused_crawler.edge.rendering.chromium import find_browser
from tests.project import PATIENCE, ROOT, Scrapy, until

BEES, CARS = "bee hive honey queen drone swarm nectar", "engine wheel brake road gear motor petrol"
LINKS = {"/": ["/links"], "/links": ["/bees/1", "/cars/1", "/bees/2"], "/bees/1": ["/bees/2"]}
SCRIPT = """
addEventListener("pageshow", async () => {
    const what = await (await fetch("/next?" + Math.random(), {cache: "no-store"})).text();
    if (what === "back") history.back();
    else if (what === "open") open([...document.querySelectorAll("a")].pop().href);
    else document.querySelectorAll("a")[+what].click();
});
"""


class Site:
    """A site whose pages do what a person would: click a link, go back, open a tab, when they are told to."""

    def __init__(self) -> None:
        self.orders: queue.Queue[str] = queue.Queue()
        self.done: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, path: str) -> str:
        if path == "/next":
            self.done.append(self.orders.get(timeout=PATIENCE))
            return self.done[-1]
        words = BEES if "bees" in path else CARS if "cars" in path else "links to pages of all kinds"
        links = "".join(f"<p><a href='{target}'>{target}</a>" for target in LINKS.get(path, []))
        return f"<title>{path} {words}</title><p>{words} {path * 3} {links}<script>{SCRIPT}</script>"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                try:
                    body = site._answer(path).encode()
                    self.send_response(404 if path in {"/robots.txt", "/favicon.ico"} else 200)
                    self.send_header("Content-Type", "text/html")
                    self.end_headers()
                    self.wfile.write(body)
                except (OSError, queue.Empty):
                    self.close_connection = True

            def log_message(self, *words: object) -> None:
                """Be quiet."""

        return Handler


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    print("what the pages did:", *site.done)  # pytest shows it where a test fails
    site.close()


@pytest.fixture
def bees(tmp_path: Path, site: Site) -> Path:
    (tmp_path / "bees").mkdir()
    lines = ["name = 'bees'", "keywords = ['bee', 'hive']", "[examples]"]
    for kind, subject in (("relevant", "bees"), ("other", "cars")):
        lines.append(f"{kind} = {[f'{site.url}/{subject}/{n}' for n in range(1, 7)]}")
    (tmp_path / "bees/topic.toml").write_text("\n".join(lines))
    return tmp_path / "bees"


class Browsing:
    """The command under way, with somebody who types."""

    def __init__(self, folder: Path, *words: object) -> None:
        browser = find_browser(None)
        if browser is None:
            pytest.skip("no chromium here")
        program = folder / "browser"
        program.write_text(f'#!/bin/sh\nexec {browser} --headless=new --disable-popup-blocking "$@"\n')
        program.chmod(0o755)
        self.out = folder / "out"
        command = [sys.executable, "-W", "error", "-m", "scrapy", "sessions", "record", *map(str, words)]
        command += ["-s", f"FOCUSED_BROWSER={program}"]
        with self.out.open("w") as out:
            self.process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT, text=True
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.process.kill()
        print(self.out.read_text())  # pytest shows it where a test fails
        self.process.communicate()

    def until(self, line: str) -> None:
        def is_said() -> bool:
            return re.search(f"^{line}$", self.out.read_text(), re.MULTILINE) is not None

        until(lambda: is_said() or self.process.poll() is not None)
        assert is_said(), self.out.read_text()

    def type(self, line: str) -> None:
        print(line, file=self.process.stdin, flush=True)

    def end(self) -> str:
        assert self.process.wait(PATIENCE) == 0
        return self.out.read_text()


def recorded(folder: Path) -> list[tuple[list[str], list[bool]]]:
    rows = map(json.loads, (folder / "sessions.jsonl").read_text().splitlines())
    return [([re.sub("http://[^/]*", "", url) for url in row["urls"]], row["relevant"]) for row in rows]


def test_a_session_is_recorded_and_trains(scrapy: Scrapy, site: Site, bees: Path, tmp_path: Path) -> None:
    """Clicks, a step back and a tab of its own; a mark a page; every step is on the disk at once."""
    earlier = {"urls": [f"{site.url}/cars/1", f"{site.url}/cars/2"], "relevant": [False, False]}
    (bees / "sessions.jsonl").write_text(json.dumps(earlier))
    with Browsing(tmp_path, bees, "--start", site.url) as browsing:
        browsing.until(f"  1   {site.url}/")
        browsing.type("y 7")
        browsing.until("y, n, y 3, n 3 or q, please; .*")
        site.orders.put("0")
        browsing.until(f"  2   {site.url}/links")
        site.orders.put("0")
        browsing.until(f"  3   {site.url}/bees/1")
        browsing.type("y\ny 2\nn 2")
        browsing.until(f"  3 y {site.url}/bees/1")
        until(lambda: recorded(bees)[1] == (["/", "/links", "/bees/1"], [False, False, True]))
        site.orders.put("back")
        site.orders.put("1")
        browsing.until(f"  4   {site.url}/cars/1")
        site.orders.put("back")
        site.orders.put("open")
        browsing.until(f"  5   {site.url}/bees/2")
        browsing.type("q")
        out = browsing.end()
    assert "3 sessions recorded in " in out
    assert recorded(bees) == [
        (["/cars/1", "/cars/2"], [False, False]),
        (["/", "/links", "/bees/1"], [False, False, True]),
        (["/", "/links", "/cars/1"], [False, False, False]),
        (["/", "/links", "/bees/2"], [False, False, False]),
    ]
    assert len(read_sessions(bees / "sessions.jsonl")) == 4
    settings = ("-s", "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8", "-s", "DOWNLOAD_DELAY=0")
    done = scrapy.run("train", bees, *settings)
    assert "The hmm strategies were trained from 4 sessions" in done.out, done.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_what_was_recorded_outlives_its_end(site: Site, bees: Path, tmp_path: Path, number: int) -> None:
    """Ctrl-C is an end like any other; a kill loses nothing that was shown."""
    with Browsing(tmp_path, bees, "--start", site.url) as browsing:
        browsing.until(f"  1   {site.url}/")
        browsing.process.send_signal(number)
        code = browsing.process.wait(PATIENCE)
    assert recorded(bees) == [(["/"], [False])]
    if number == signal.SIGINT:
        assert code == 0
        assert browsing.out.read_text().endswith("Training needs a page that is: y marks one.\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["record"], "use one of: scrapy sessions record TOPIC [--start URL]; not record"),
        (["record", "nope"], "no topic 'nope'"),
        (["record", "bees", "--start", "file:///etc/passwd"], "is no http or https URL"),
        (["record", "bees", "-s", "FOCUSED_BROWSER=/bin/false"], "no browser opens ("),
        (["record", "broken"], "sessions.jsonl"),
    ],
)
def test_mistakes_end_in_one_line(scrapy: Scrapy, bees: Path, words: list[str], message: str) -> None:
    """It names what is wrong and what would be right; exit code 2."""
    (bees.parent / "broken/sessions.jsonl").mkdir(parents=True)
    (bees.parent / "broken/topic.toml").write_text("name = 'broken'\nkeywords = ['x']\n")
    folders = {name: str(bees.parent / name) for name in ("bees", "broken")}
    done = scrapy.run("sessions", *(folders.get(word, word) for word in words))
    assert done.err.startswith("error: "), done.err
    assert message in done.err
    assert len(done.err) < 400
    assert (done.err.count("\n"), done.code) == (1, 2)
