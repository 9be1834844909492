"""What Scrapy loads before it does anything: all commands are listed at every start, and one is run."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pkgutil import iter_modules

import pytest

from focused_crawler.edge import commands, menu
from tests.project import ROOT

SLOW = (
    "aiohttp",
    "hmmlearn",
    "jinja2",
    "matplotlib",
    "nltk",
    "prometheus_client",
    "scipy.stats",
    "sklearn",
    "wordfreq",
)
HEAVY = {"langcodes", "numpy", "playwright", "psycopg", "rich", "scipy", "sqlalchemy", "wordfreq"}
HEAVY |= {name.partition(".")[0] for name in SLOW}
SCRAPY = [sys.executable, "-v", "-m", "scrapy"]
ENVIRON = {name: value for name, value in os.environ.items() if not name.startswith(("FOCUSED_", "SCRAPY_"))}
LOAD = """
import sys
from importlib import import_module
from pkgutil import iter_modules
from focused_crawler import addon
from focused_crawler.edge import commands
for found in iter_modules(commands.__path__):
    import_module(f"focused_crawler.edge.commands.{found.name}")
print(*sys.modules)
"""


def names(package) -> set[str]:
    return {found.name for found in iter_modules(package.__path__)}


def imported(verbose: str) -> list[str]:
    """Return the modules that Python reports with -v, in their order."""
    return re.findall(r"^import '([\w.]+)' #", verbose, re.MULTILINE)


@pytest.mark.parametrize(("words", "shown"), [("list", "asthma"), ("version", "Scrapy"), ("", "experiment")])
def test_what_needs_no_crawl_loads_none(words: str, shown: str) -> None:
    """Neither a heavy library, nor much of the project."""
    command = [*SCRAPY, *words.split()]
    done = subprocess.run(command, cwd=ROOT, env=ENVIRON, capture_output=True, text=True, check=True)
    modules = imported(done.stderr)
    assert shown in done.stdout
    assert "focused_crawler.edge.menu.experiment" in modules
    assert HEAVY & {name.partition(".")[0] for name in modules} == set()
    ours = [name for name in modules if name.startswith("focused_crawler")]
    assert len([name for name in ours if ".menu." not in name]) < 30  # a menu entry is a line of text


def test_a_crawl_says_that_it_begins_before_it_loads_what_it_needs() -> None:
    """On a terminal; elsewhere an error is all that is written, in one line."""
    screen, stderr = pty.openpty()
    words = ["crawl", "topic", "-a", "topic=asthma", "-s", "FOCUSED_PAGES=many"]
    with subprocess.Popen([*SCRAPY, *words], cwd=ROOT, env=ENVIRON, stderr=stderr) as process:
        os.close(stderr)
        text = b"".join(iter(lambda: read(screen), b"")).decode()
    os.close(screen)
    before, line, after = text.partition("Topic asthma: reading settings, model and start pages ...")
    assert (process.returncode, bool(line)) == (2, True)
    loaded_before = {name.partition(".")[0] for name in imported(before)}
    assert HEAVY & loaded_before == set()  # the topic's file is read by then
    assert "numpy" in imported(after)
    assert after.rpartition("error: ")[2].startswith("FOCUSED_PAGES is 'many'")


def read(screen: int) -> bytes:
    try:
        return os.read(screen, 65536)
    except OSError:  # the process has ended
        return b""


def test_every_command_is_listed() -> None:
    """And does what its entry says; these three are Scrapy's own."""
    assert names(menu) == names(commands) | {"crawl", "list", "settings"}


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    """What any command or crawl has loaded when it begins."""
    command = [sys.executable, "-c", LOAD]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("name", SLOW)
def test_no_command_waits_for_what_others_need(loaded: set[str], name: str) -> None:
    """A library that takes long to load is loaded by the command that uses it, when it does."""
    assert "focused_crawler.edge.commands.experiment" in loaded
    assert name not in loaded


@pytest.mark.parametrize(
    ("module", "needless"),
    [
        (
            "addon",
            ("psycopg", "scipy.special", "scipy.sparse.csgraph", "scipy.stats", "sklearn", "sqlalchemy"),
        ),
        ("report.charts", ("psycopg", "scipy.special", "scipy.sparse.csgraph", "scipy.stats", "sklearn")),
        ("workbench.app", ("hmmlearn", "matplotlib", "psycopg", "scipy.special", "scipy.stats", "sklearn")),
    ],
)
def test_what_does_not_train_loads_nothing_of_training_or_of_servers(
    module: str, needless: tuple[str, ...]
) -> None:
    """Every crawl, every worker process and the workbench pay for what their modules load."""
    code = f"import focused_crawler.{module}, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(needless) & set(done.stdout.split()) == set()
    assert "numpy" in done.stdout.split()


def test_words_are_read_without_the_package_that_brings_them() -> None:
    """It loads as slowly as all else that a crawl's words need."""
    code = """
import sys
from focused_crawler.page.text.idf import TermStatistics
from focused_crawler.page.text.tokens import Analyzer
assert TermStatistics.for_language("en").idf(*Analyzer("en").terms("oven")) > 1
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"wordfreq", "langcodes"} & set(done.stdout.split()) == set()


def test_garbage_is_collected_seldom_while_a_crawl_is_made() -> None:
    """Modules, models and topics live as long as the process. What Scrapy loads first is looked at."""
    code = """
import atexit, gc
atexit.register(lambda: print(sum(generation["collections"] for generation in gc.get_stats())))
from scrapy.cmdline import execute
execute(["scrapy", "crawl", "topic", "-a", "topic=asthma", "-s", "FOCUSED_PAGES=many"])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=ENVIRON, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert int(done.stdout) < 240


def test_the_end_of_a_crawl_does_not_load_scipy() -> None:
    """Each rates its hubs."""
    code = """
import sys
import numpy as np
from focused_crawler.crawl.hubs.hits import Graph, rate
pages = np.arange(2)
assert rate(Graph([(pages, pages[::-1])], pages, np.ones(2))).hub.sum() == 1
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "scipy" not in done.stdout.split()
