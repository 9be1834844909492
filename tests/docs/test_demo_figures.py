"""The figures of the demo crawl in README.md and docs/how-to/explain.md are what `make crawl` finds."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.docs.prose import DOCS
from tests.project import ROOT, Scrapy, crawl

COMPARED = ("harvest rate", "target recall", "pages", "relevant", "judged by")
PAGE = "http://www.nightskyjournal.example/2024/09/why-meteor-showers-fade/"


def rows(text: str) -> dict[str, list[str]]:
    """Return the values of each row of a report's table, but those that depend on who comes first."""
    found = (re.match(r" ?([\w ,]+?) {2,}(\S.*)", line) for line in text.splitlines())
    return {row[1]: re.split(r" {2,}", row[2].strip()) for row in found if row and row[1] in COMPARED}


def said(text: str) -> list[str]:
    """Return what is left to find, and who judges what the table does not.

    A hash of a model depends on the machine.
    """
    return re.findall(r"^Left to find: .+$|^.+ are judged by \w+:(?=\w+ )", text, re.MULTILINE)


@pytest.mark.slow
def test_the_demo_crawl(scrapy: Scrapy, new_demo_web: Callable[[], Path], tmp_path: Path) -> None:
    """Train, crawl twice, report, explain: as the Makefile does."""
    web = new_demo_web()
    topic = web.parent / "demo.topics/astronomy"
    on_demo = [f"FOCUSED_WEB={web}", f"FOCUSED_MODELS={tmp_path}/models"]
    options = [word for setting in on_demo for word in ("-s", setting)]
    assert scrapy.run("train", topic, "--replace", *options).code == 0
    for job, more in (("breadth-first", {"strategy": "breadth_first"}), ("focused", {})):
        done = scrapy.run(*crawl(topic, tmp_path, *on_demo, profile="offline", pages=300, job=job, **more))
        assert done.code == 0, done.err
    jobs = tmp_path / "astronomy"
    report = scrapy.run("report", jobs / "focused", "--compare", jobs / "breadth-first", *options)
    shown = (ROOT / "README.md").read_text().split("```")[1]
    assert len(rows(shown)) == len(COMPARED)
    assert rows(report.out) == rows(shown)
    assert len(said(shown)) == 2
    assert said(report.out) == said(shown)
    explained = scrapy.run("explain", PAGE, "--topic", topic, *options)
    (block,) = re.findall(r"```\n(.*?)```", (DOCS / "how-to/explain.md").read_text(), re.DOTALL)
    assert block in explained.out, explained.out + explained.err
