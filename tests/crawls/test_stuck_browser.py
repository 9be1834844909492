"""A browser that is stopped or killed in the middle of a page: the crawl command goes on, and ends."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psutil
import pytest
from playwright._impl._driver import compute_driver_executable

from focused_crawler.edge.rendering import browser
from focused_crawler.edge.rendering.renderer import MOST_DEATHS
from tests.crawls.app import App, descendants, has_browser, name_of, script, shell, stats
from tests.crawls.site import Site, page
from tests.hostile.test_hangs import AT_LAST
from tests.project import Running, Scrapy, until

PARTS = {"browser": "--remote-debugging-pipe", "its page": "--type=renderer", "driver": "run-driver"}
"""Processes of a browser -> what stands in the command of each."""


@pytest.fixture
def app(site: Site, tmp_path: Path) -> App:
    """Two pages that take long in a browser, and lead to others that do not."""
    if not has_browser():
        pytest.skip("no Chromium here; make setup looks for one")
    app = App.on(site, tmp_path)
    site.answers["/0"] = [page("start", ["/slow/1", "/slow/2", "/plain"])]
    site.answers["/plain"] = [page("plain")]
    site.answers["/slow.js"] = [script("")._replace(delay=20)]
    for number in (1, 2):
        site.answers[f"/slow/{number}"] = [shell("<script src='/slow.js'></script><a href='/1'>honey</a>")]
    return app


def hit(running: Running, part: str, how: signal.Signals) -> None:
    """Let something befall a part of the browser."""
    for pid in descendants(running.pid):
        if PARTS[part] in name_of(pid):
            os.kill(pid, how)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGSTOP, signal.SIGKILL])
@pytest.mark.parametrize("part", PARTS)
def test_pages_are_taken_as_they_were_sent(scrapy: Scrapy, app: App, part: str, how: signal.Signals) -> None:
    """Those in its hands; the others get another browser, and nothing of the first is left."""
    running = scrapy.start(*app.words("CONCURRENT_REQUESTS_PER_DOMAIN=2", "FOCUSED_NEAR_DUPLICATES=False"))
    until(lambda: "/slow.js" in app.paths())
    before = {pid: name_of(pid) for pid in descendants(running.pid)}
    hit(running, part, how)
    done = running.wait()
    assert (done.code, "Traceback" in done.err) == (0, False), done.err
    assert sorted(app.titles()) == ["An app", "An app", "Bees /1", "Bees /2", "plain", "start"]
    failed = sum(times for name, times in stats(done).items() if "failed" in name)
    assert done.err.count("Not rendered: ") == failed == 2
    until(lambda: not any(name and name == name_of(pid) for pid, name in before.items()))


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_a_second_signal_ends_the_crawl(scrapy: Scrapy, app: App, part: str) -> None:
    """Soon, whatever of its browser is stopped."""
    running = scrapy.start(*app.words())
    until(lambda: "/slow.js" in app.paths())
    before = {pid: name_of(pid) for pid in descendants(running.pid)}
    hit(running, part, signal.SIGSTOP)
    running.signal(signal.SIGINT)
    until(lambda: "Closing spider (shutdown)" in running.err)
    running.signal(signal.SIGINT)
    began = time.monotonic()
    running.wait()
    assert time.monotonic() - began < AT_LAST
    until(lambda: not any(name and name == name_of(pid) for pid, name in before.items()))


def patient_for_seconds() -> None:
    """Let a browser that does not start be given up soon; called in the command's process."""
    browser.OPEN_SECONDS = 8.0


def node_that_fails(folder: Path, how: str, times: int) -> Path:
    """Return a Node.js that signals itself as it starts, so many times; then it is the real one."""
    node, failed = folder / "node", folder / "failed"
    real, _ = compute_driver_executable()
    node.write_text(
        f"""#!/bin/sh
touch {failed}
[ "$(wc -l < {failed})" -lt {times} ] && echo $$ >> {failed} && kill -{how} $$
exec {real} "$@"
"""
    )
    node.chmod(0o755)
    return failed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "words"), [("STOP", "did not start within 8 s"), ("KILL", "Connection closed while reading")]
)
@pytest.mark.parametrize(("times", "rendered"), [(2, 1), (9, 0)])
def test_a_driver_that_fails_as_it_starts(
    scrapy: Scrapy, site: Site, tmp_path: Path, how: str, words: str, times: int, rendered: int
) -> None:
    """It is killed, the page taken as it was sent; the next page tries again, up to five times in a row."""
    if not has_browser():
        pytest.skip("no Chromium here; make setup looks for one")
    app = App.on(site, tmp_path, pages=8)
    links = [f"/{number}" for number in range(1, 8)]
    site.answers["/0"] = [page("start", links)]
    failed = node_that_fails(tmp_path, how, times)
    done = scrapy.run(
        *app.words("FOCUSED_NEAR_DUPLICATES=False", "CONCURRENT_REQUESTS=1"),
        before="tests.crawls.test_stuck_browser.patient_for_seconds",
        environ={"PLAYWRIGHT_NODEJS_PATH": str(tmp_path / "node")},
    )
    assert (done.code, "Traceback" in done.err) == (0, False), done.err
    tried = min(times, MOST_DEATHS)
    assert done.err.count(words) == stats(done)["rendered/failed/browser"] == tried
    assert stats(done).get("rendered/browsers", 0) == rendered
    assert ("5 in a row broke" in done.err) == (not rendered)
    assert len(app.titles()) == 8
    assert not [pid for pid in map(int, failed.read_text().split()) if psutil.pid_exists(pid)]
