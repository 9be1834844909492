"""The demo web with apps in it: 30 % of its hosts show nothing without a browser, others have idle scripts.

The pages of an app are a shell and data that its script asks for and builds text and links from. Of apps
there are four kinds, a host has one. On a quarter of the other hosts each page loads a script that works for
a while and adds no text: what a page's scripts are good for cannot be told from there being some.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from html import escape
from pathlib import Path
from random import Random
from urllib.parse import quote, urlsplit

from lxml import html

from focused_crawler.page.url import host_of
from focused_crawler.virtualweb.demo import write_demo_web
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.record import WebRecord
from focused_crawler.virtualweb.truth import topics_folder
from focused_crawler.virtualweb.writer import WebWriter

APP_SHARE = 0.3
IDLE_SHARE = 0.25
NAME = "mixed.warc.gz"

APP = Path(__file__).with_name("rendering_app")
BUILD, IDLE = ((APP / f"{name}.js").read_text("utf-8") for name in ("build", "idle"))
PLACES = ("root", "app", "content", "place")
SHELLS = [(APP / f"{place}.html").read_text("utf-8").rstrip() for place in PLACES]


def write_mixed_web(folder: Path) -> tuple[Path, Path]:
    """Write the demo web and the mixed one into a folder; return their paths. They are the same each time."""
    plain = write_demo_web(folder)
    mixed = folder / NAME
    with VirtualWeb(plain) as web, WebWriter(mixed) as writer:
        apps, idle = _hosts(web)
        for record in _records(web, apps, idle):
            writer.write(record.url, record.status, record.headers, record.body)
    shutil.copytree(topics_folder(plain), topics_folder(mixed), dirs_exist_ok=True)
    return plain, mixed


def _hosts(web: VirtualWeb) -> tuple[dict[str, int], set[str]]:
    """Return the hosts that are apps, each with its kind, and those with idle scripts.

    Of any ten hosts, from the largest to the smallest, three are apps.
    """
    sizes = Counter(host_of(entry.url) for entry in web.entries() if entry.status == 200)
    hosts = sorted(sizes, key=lambda host: (-sizes[host], host))
    random, apps = Random(1), list[str]()
    for start in range(0, len(hosts), 10):
        ten = hosts[start : start + 10]
        apps += random.sample(ten, round(APP_SHARE * len(ten)))
    others = [host for host in hosts if host not in apps]
    kinds = {host: number % len(SHELLS) for number, host in enumerate(apps)}
    return kinds, set(random.sample(others, round(IDLE_SHARE * len(others))))


def _records(web: VirtualWeb, apps: dict[str, int], idle: set[str]) -> Iterator[WebRecord]:
    for site in sorted({_site(entry.url) for entry in web.entries()}):
        kind = apps.get(host_of(site))
        if kind is not None:
            yield _script(f"{site}/app.js", f"const PLACE = '{PLACES[kind]}';{BUILD}load();")
        elif host_of(site) in idle:
            yield _script(f"{site}/idle.js", IDLE)
    for entry in web.entries():
        record = web.read(entry)
        kind = apps.get(host_of(record.url))
        if not _is_page(record) or (kind is None and host_of(record.url) not in idle):
            yield record
        elif kind is None:
            body = record.body.replace(b"</body>", b'<script src="/idle.js"></script></body>')
            yield WebRecord(record.url, 200, _plain(record), body)
        else:
            yield from _app(record, kind)


def _app(record: WebRecord, kind: int) -> Iterator[WebRecord]:
    parts = urlsplit(record.url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    tree = html.fromstring(record.body.decode("utf-8", "replace"))
    title = tree.findtext(".//title") or ""
    body = tree.find("body")
    data = {"title": title, "parts": _tree(body)[2] if body is not None else []}
    shell = f"<html><head><title>{escape(parts.netloc)}</title></head>{SHELLS[kind]}</html>"
    yield WebRecord(record.url, 200, _plain(record), shell.encode())
    url = f"{parts.scheme}://{parts.netloc}/api/page.json?path={quote(path, safe='')}"
    yield WebRecord(url, 200, [("Content-Type", "application/json")], json.dumps(data).encode())


def _tree(element: html.HtmlElement) -> list[object]:
    """Return an element as lists: its name, its attributes, and what is in it."""
    inside: list[object] = [element.text] if element.text else []
    for child in element:
        if isinstance(child.tag, str):
            inside.append(_tree(child))
        if child.tail:
            inside.append(child.tail)
    return [element.tag, {name: value for name, value in element.attrib.items() if name.isalnum()}, inside]


def _is_page(record: WebRecord) -> bool:
    is_html = record.header("Content-Type").startswith("text/html") and b"<body" in record.body
    return record.status == 200 and is_html


def _plain(record: WebRecord) -> list[tuple[str, str]]:
    return [(name, value) for name, value in record.headers if name.lower() != "content-length"]


def _script(url: str, text: str) -> WebRecord:
    headers = [("Content-Type", "text/javascript"), ("Cache-Control", "max-age=86400")]
    return WebRecord(url, 200, headers, text.encode())


def _site(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
