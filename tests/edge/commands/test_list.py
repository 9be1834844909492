"""`scrapy list`, and what `scrapy crawl -h` says of arguments."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

from focused_crawler.edge.arguments import SETTING_OF_ARGUMENT
from tests.project import ROOT, Scrapy


def test_names_alone_are_piped_and_titles_shown_on_a_terminal(scrapy: Scrapy) -> None:
    """Scripts read one name a line."""
    names = scrapy.run("list").out.splitlines()
    assert {"asthma", "topic"} <= set(names)
    assert all(name.split() == [name] for name in names)
    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-m", "scrapy", "list"], cwd=ROOT, stdout=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode().splitlines()
    os.close(ours)
    assert [line.split()[0] for line in shown] == names
    assert any(line.split() == ["asthma", "Asthma"] for line in shown)


def test_spiders_that_are_not_there(scrapy: Scrapy) -> None:
    """Nor their loader: one line says which setting names them."""
    for setting in ("SPIDER_LOADER_CLASS", "SPIDER_MODULES"):
        done = scrapy.run("list", "-s", f"{setting}=no.such")
        problem = f"error: {setting} has 'no.such', which cannot be imported: No module named 'no'\n"
        assert (done.code, done.err) == (2, problem)


def test_all_arguments_stand_in_the_help(scrapy: Scrapy) -> None:
    """As they are typed."""
    shown = " ".join(scrapy.run("crawl", "-h").out.split())
    assert all(f" {name}=" in shown for name in (*SETTING_OF_ARGUMENT, "profile"))
