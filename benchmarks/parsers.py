"""CPU time that other ways to read a page's HTML would take, beside ours.

    .venv/bin/python -m pip install selectolax resiliparse        # into an environment to be thrown away
    .venv/bin/python benchmarks/parsers.py ../shared/webs/openweb.warc.gz [--pages 300] [--json FILE]

Over random HTML pages of a web. `ours` is the whole of `parse_page`; `builder` is its part in Python alone,
by tags and texts that were read before: no parser spares that. A walk only looks at each tag, the attributes
of those that mean something to us, and each text; it builds nothing. `known_tags` asks lxml's tree for those
tags alone, and for its texts apart, so that nobody knows between which tags they stand. A way's time on a
page is the shortest of `--rounds`, which take turns. What is not installed is left out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from lxml import etree
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import STDERR, Report, main, random_pages
from benchmarks.meter import Meter
from benchmarks.page_steps import Deaf
from benchmarks.tables import Rows
from focused_crawler.page.builder import _ENDS, _STARTS, PageBuilder
from focused_crawler.page.parser import UnparsablePage, decode, parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.virtualweb.index import VirtualWeb

Way = Callable[[bytes], object]
Event = tuple[str, tuple[Any, ...]]


class Empty:
    """A parser target that is told all, and does nothing but keep the texts."""

    def __init__(self) -> None:
        self.data = list[str]().append

    def start(self, tag: str, attributes: Any) -> None:
        pass

    def end(self, tag: str) -> None:
        pass

    def close(self) -> None:
        pass


class Recorder(Empty):
    """A parser target that writes down what it is told."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def start(self, tag: str, attributes: Any) -> None:
        self.events.append(("start", (tag, dict(attributes))))

    def end(self, tag: str) -> None:
        self.events.append(("end", (tag,)))

    def data(self, text: str) -> None:
        self.events.append(("data", (text,)))


def read(body: bytes, target: object = None) -> Any:
    """Read a body by lxml, into a tree or for a target."""
    options = {"target": target} if target is not None else {}
    return etree.fromstring(body, etree.HTMLParser(encoding="utf-8", huge_tree=True, **options))


def replay(events: list[Event], url: str, analyzer: Analyzer) -> None:
    """Build a page from what lxml's parser told."""
    builder = PageBuilder(url, analyzer)
    calls = {name: getattr(builder, name) for name in ("start", "end", "data")}
    for name, words in events:
        calls[name](*words)
    builder.close()


def walk(body: bytes) -> None:
    """Look at all nodes of lxml's tree."""
    root = read(body)
    for node in () if root is None else root.iter():
        if node.tag in _STARTS:
            dict(node.attrib)
        _ = node.text, node.tail


def known_tags(body: bytes) -> None:
    """Look at the nodes of lxml's tree that mean something, and at its texts."""
    root = read(body)
    if root is not None:
        for node in root.iter(*_STARTS):
            dict(node.attrib)
        list(root.itertext())


def others() -> Iterator[tuple[str, Way]]:
    """Yield the ways of parsers that are installed for this."""
    with suppress(ImportError):
        lexbor = import_module("selectolax.lexbor").LexborHTMLParser

        def walk_lexbor(body: bytes) -> None:
            for node in lexbor(body).root.traverse(include_text=True):
                if node.is_text_node:
                    _ = node.text_content
                elif node.tag in _STARTS:
                    _ = node.attributes

        yield from (("lexbor", lexbor), ("lexbor_walk", walk_lexbor))
    with suppress(ImportError):
        html = import_module("resiliparse.parse.html")

        def parse(body: bytes) -> Any:
            return html.HTMLTree.parse(body.decode())

        def look(context: Any) -> None:
            node = context.node
            if node.type == html.TEXT:
                _ = node.value
            elif node.type == html.ELEMENT and node.tag in _STARTS:
                _ = [(name, node[name]) for name in node.attrs]

        def walk_resiliparse(body: bytes) -> None:
            tree = parse(body)  # its nodes do not hold it
            html.traverse_dom(tree.document, look, lambda _: None)

        yield from (("resiliparse", parse), ("resiliparse_walk", walk_resiliparse))


def ways_of(url: str, events: list[Event], analyzer: Analyzer) -> dict[str, Way]:
    """Return all ways to read a page."""
    return {
        "ours": lambda body: parse_page(body, url, analyzer),
        "builder": lambda _: replay(events, url, analyzer),
        "lxml_target": lambda body: read(body, Empty()),
        "lxml_alone": lambda body: read(body, Deaf()),
        "lxml_tree": read,
        "lxml_walk": walk,
        "known_tags": known_tags,
        **dict(others()),
    }


def measure(web: Path, *, pages: int = 300, rounds: int = 3, seed: int = 0, language: str = "en") -> Report:
    """Read random pages in all ways, in turns, after one reading that fills the memory of words."""
    analyzer, rows, counts = Analyzer(language), Rows(), Rows()
    with VirtualWeb(web) as opened:
        records = islice(random_pages(opened, seed), pages)
        for record in track(records, "pages", pages, console=STDERR):
            body, recorder = decode(record.body).encode("utf-8", "replace").replace(b"\0", b""), Recorder()
            try:
                parse_page(body, record.url, analyzer)
            except UnparsablePage:
                continue
            read(body, recorder)
            ways = ways_of(record.url, recorder.events, analyzer)
            shortest = dict.fromkeys(ways, float("inf"))
            for _ in range(rounds):
                for way, call in ways.items():
                    meter = Meter()
                    with meter.running():
                        call(body)
                    shortest[way] = min(shortest[way], 1000 * meter.cpu)
            rows += [{"way": way, "ms": ms} for way, ms in shortest.items()]
            counts.append(count(recorder.events))
    whole = {way: mine.measure("ms").mean for (way,), mine in rows.by("way").items()}
    table = Rows({"way": way, "ms": ms, "share": ms / whole["ours"]} for way, ms in whole.items())
    means = {f"{name}_per_page": counts.measure(name).mean for name in ("tags", "needless", "texts")}
    return Report({"ways": table}, {"pages": len(counts), **means})


def count(events: list[Event]) -> dict[str, int]:
    """Count calls for tags, those that mean nothing to us, and those for texts."""
    tags = [(name, words[0]) for name, words in events if name != "data"]
    needless = [1 for name, tag in tags if tag not in (_STARTS if name == "start" else _ENDS)]
    return {"tags": len(tags), "needless": len(needless), "texts": len(events) - len(tags)}


if __name__ == "__main__":
    main(measure, __doc__)
