"""A browser that is stopped or killed in the middle of a page: the crawl command goes on, and ends."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

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
