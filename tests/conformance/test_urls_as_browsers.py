"""URLs as a browser reads them: no link leads to another host here than in Chromium."""

from __future__ import annotations

from itertools import product
from random import Random
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

from focused_crawler.edge.rendering.chromium import find_browser, launch_options
from focused_crawler.page.url import normalise

BASES = ("http://base.example/folder/page?q=1", "https://base.example:8443/a/b/c.html")
STARTS = ("", "http:", "https:", "HTTP:", "ht\ntp:", " http:", "\x00http:", "\xa0http:", "ftp:", "x:", "http")
SLASHES = ("", "/", "//", "///", "////", "\\\\", "/\\", "\\/", "/ /", "//\t/")
HOSTS = (
    "other.example",
    "OTHER.example",
    "other.example.",
    "other.example:80",
    "other.example:443",
    "other.example:",
    "user@other.example",
    "user:pass@other.example",
    "other.example\\@base.example",
    "other.example#@base.example",
    "other.example?@base.example",
    "stra\xdfe.example",
    "\u2603.example",
    "\uff4f\uff4b.example",
    "a\u200db.example",
    "a\xadb.example",
    "other\u3002example",
    "%6fther.example",
    "oth%65r.example",
    "other%2eexample",
    "other..example",
    "127.1",
    "0x7f.1",
    "017700000001",
    "2130706433",
    "1.2.3.4.5",
    "256.1.1.1",
    "\uff11\uff12\uff17.0.0.1",
    "127.0.0.1.",
    "[::1]",
    "[::ffff:1.2.3.4]",
    "[0:0::1]",
    "[::1",
    "[fe80::1%25eth0]",
    "a b.example",
    "a<b.example",
    "a^b.example",
    "a_b.example",
    "-a.example",
    "xn--bcher-kva.example",
    "\u2100.example",
    "ex\u0301ample.example",
    "\u0130.example",
    "",
    ".",
    "..",
    "a",
    "a:b",
    "@",
    ":",
    ":80",
    "?x",
    "#x",
    "e\u0301.example",
    "\U0001f600.example",
    "\u05d0\u05d1.example",
)
ENDS = (
    "",
    "/",
    "/a/../b",
    "/%2e%2e/b",
    "\\a\\b",
    "?x=1",
    "#top",
    "/a b",
    ":8080/a",
    "//b",
    "/?a=http://c.example/",
)
READ = """urls => urls.map(([url, base]) => {
    try { const read = new URL(url, base); return [read.protocol, read.hostname, read.port]; }
    catch { return null; }
})"""


@pytest.fixture(scope="module")
def cases() -> list[tuple[str, str]]:
    """All spellings of a host behind all ways to begin, each with one of the ends."""
    random = Random(20261127)
    spellings = product(BASES, STARTS, SLASHES, HOSTS)
    return [
        (f"{start}{slashes}{host}{random.choice(ENDS)}", base) for base, start, slashes, host in spellings
    ]


def test_no_url_leads_to_another_host(cases: list[tuple[str, str]]) -> None:
    """Of some ten thousand spellings; what a browser would not ask for, nobody asks for there."""
    program = find_browser(None)
    if program is None:
        pytest.skip("no chromium here")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options(program))
        found = browser.new_page().evaluate(READ, cases)
        browser.close()
    wrong, same = [], 0
    for (url, base), read in zip(cases, found, strict=True):
        ours = normalise(url, base)
        if ours is None or read is None:
            continue
        parts = urlsplit(ours)
        port = str(parts.port) if parts.port else ""
        if [f"{parts.scheme}:", parts.netloc.removesuffix(f":{port}"), port] == [
            read[0],
            read[1].rstrip("."),
            read[2],
        ]:
            same += 1
        else:
            wrong.append((url, base, ours, read))
    assert not wrong, wrong[:10]
    assert same > 5_000
