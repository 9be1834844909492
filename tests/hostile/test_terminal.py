"""What the web, a topic or a setting says cannot steer a terminal: the real commands on a painted web."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from focused_crawler.safety.printable import UNSAFE
from tests.hostile.groups import BRIGHT, PAINTED
from tests.hostile.painted import BROKEN, MARKUP, PAINT, paint_crawl, url, write_topic, write_web
from tests.hostile.real import survive
from tests.hostile.web import hostile_web
from tests.project import Done, Scrapy, crawl

ESCAPED = PAINT.encode("unicode_escape").decode()
PAGE = url(6)
FOLDER = "[red]x\x1b[31m\u202e\r\nforged"
"""As an archive may bring it."""


class Painted(NamedTuple):
    """A web, its topic, and what trained and crawled it."""

    web: Path
    topic: Path
    crawl: Path
    settings: tuple[str, ...]
    trained: Done
    crawled: Done


@pytest.fixture(scope="module")
def painted(scrapy: Scrapy, tmp_path_factory: pytest.TempPathFactory) -> Painted:
    folder = tmp_path_factory.mktemp("painted") / FOLDER
    folder.mkdir()
    web = write_web(folder)
    topic, crawls = folder / web.name.replace(".warc.gz", ".topics") / "bees", folder / "crawls"
    settings = ("-s", f"FOCUSED_WEB={web}", "-s", f"FOCUSED_MODELS={folder / 'models'}")
    trained = scrapy.run("train", topic, *settings)
    crawled = scrapy.run(*crawl(topic, crawls, "FOCUSED_LISTS=on", job="1"), *settings)
    paint_crawl(crawls / "bees/1")
    return Painted(web, topic, crawls / "bees/1", settings, trained, crawled)


def is_plain(done: Done, code: int = 0) -> str:
    """Check that nothing but line ends steers the terminal, that no line is forged; return what was said."""
    said = done.out + done.err
    assert UNSAFE.search(said.replace("\n", "")) is None, said
    assert re.search("^(error: )?forged", said, re.MULTILINE) is None, said
    assert "Traceback" not in said
    assert done.code == code, said
    return said


def test_training(painted: Painted) -> None:
    """The topic's title heads a table."""
    said = is_plain(painted.trained)
    assert "pages could not be fetched: not HTML" in said
    assert ESCAPED in said.replace("\n", " ")


def test_the_log_of_a_crawl(painted: Painted) -> None:
    """A header that is refused is quoted as it was sent."""
    assert r"(of no type we read: [red]x[/red] \x1b[31m\x07\tb)" in is_plain(painted.crawled)


COMMANDS: dict[str, Callable[[Painted], list[object]]] = {
    "stats": lambda it: ["virtualweb", "stats", it.web],
    "report": lambda it: ["report", it.crawl],
    "why": lambda it: ["why", PAGE, "--crawl", it.crawl, *it.settings],
    "explain": lambda it: ["explain", PAGE, "--topic", it.topic, *it.settings],
    "search a crawl": lambda it: ["search", "bee", "--crawl", it.crawl],
    "search a web": lambda it: ["search", "bee", *it.settings],
    "search in vain": lambda it: ["search", BROKEN, "--crawl", it.crawl],
    "distill": lambda it: ["distill", it.crawl],
    "seeds": lambda it: ["seeds", it.topic, "--provider", "local", "--searches", 3, *it.settings],
    "suggest": lambda it: ["train", it.topic, "--suggest", 3, "--crawl", it.crawl, *it.settings],
    "thesaurus": lambda it: ["thesaurus", "show", it.topic],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_what_commands_show(painted: Painted, scrapy: Scrapy, name: str) -> None:
    """Titles, anchors, headers, words and names are there as they are, brackets and all."""
    assert MARKUP in is_plain(scrapy.run(*COMMANDS[name](painted))).replace("[red]x[red]", MARKUP)


def test_lists_and_notes(painted: Painted, scrapy: Scrapy) -> None:
    """A hub's URL and a person's note."""
    note = ("--keep", url(3), "--note", PAINT)
    assert url(3) in is_plain(scrapy.run("lists", painted.topic, *note, *painted.settings))
    assert MARKUP in is_plain(scrapy.run("lists", painted.topic, "--all", *painted.settings))


def test_a_painted_taxonomy(painted: Painted, scrapy: Scrapy, tmp_path: Path) -> None:
    """Categories are folders, and a folder may have any name; its topics are words of a file."""
    folder = tmp_path / "tree" / "[red]x"
    folder.mkdir(parents=True)
    (tmp_path / "tree/category.toml").write_text("")
    (folder / "category.toml").write_text(f'topics = [{json.dumps(PAINT)}]\nexamples = ["{PAGE}"]')
    done = scrapy.run("taxonomy", "show", "--topic", painted.topic, "--taxonomy", tmp_path / "tree")
    assert "[red]x" in is_plain(done, done.code)


def test_an_experiment(scrapy: Scrapy, tmp_path: Path) -> None:
    """Its lines on stderr and its table."""
    web = write_web(tmp_path, "painted")
    how = ("--strategies", "breadth_first", "--processes", 1, "--out", tmp_path / "out")
    said = is_plain(scrapy.run("experiment", "--web", web, *how))
    assert "breadth_first" in said


WRONG: dict[str, Callable[[Painted], list[object]]] = {
    "topic": lambda it: ["train", BROKEN],
    "strategy": lambda it: [*crawl(it.topic, it.crawl, f"FOCUSED_STRATEGY={BROKEN}"), *it.settings],
    "number": lambda it: [*crawl(it.topic, it.crawl, f"FOCUSED_PAGES={BROKEN}"), *it.settings],
    "profile": lambda it: [*crawl(it.topic, it.crawl, profile=BROKEN), *it.settings],
    "web": lambda it: [*crawl(it.topic, it.crawl), "-s", f"FOCUSED_WEB={BROKEN}"],
    "stats": lambda it: ["virtualweb", "stats", BROKEN],
    "URL": lambda it: ["why", BROKEN, "--crawl", it.crawl],
    "crawl": lambda it: ["report", BROKEN],
    "link": lambda it: ["explain", PAGE, "--topic", it.topic, "--link", BROKEN, *it.settings],
    "page": lambda it: ["explain", f"{url(1)}/{BROKEN}", "--topic", it.topic, *it.settings],
    "action": lambda it: ["taxonomy", BROKEN],
    "sheet": lambda it: ["precision", BROKEN],
    "fleet": lambda it: ["fleet", "status", BROKEN],
    "provider": lambda it: ["seeds", it.topic, "--provider", BROKEN],
    "site": lambda it: ["lists", it.topic, "--forget", BROKEN, *it.settings],
    "experiment": lambda it: ["experiment", "--web", it.web],
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_that_quote(painted: Painted, scrapy: Scrapy, name: str) -> None:
    """One line, whatever was typed."""
    said = is_plain(scrapy.run(*WRONG[name](painted)), 2)
    assert re.search("^error: ", said, re.MULTILINE)
    assert len(re.findall("^error: ", said, re.MULTILINE)) == 1


@pytest.mark.parametrize(
    "more",
    [{"language": PAINT}, {"seeds": [BROKEN]}, {BROKEN.split()[0].strip("[]/x"): 1}, {"keywords": PAINT}],
    ids=["language", "seeds", "key", "keywords"],
)
def test_errors_that_quote_a_file(scrapy: Scrapy, tmp_path: Path, more: dict[str, object]) -> None:
    """A topic's file may come from anybody."""
    said = is_plain(scrapy.run("thesaurus", "show", write_topic(tmp_path, "bees", **more)), 2)
    assert said.startswith("error: ")
    assert said.count("\n") == 1


def test_the_log_of_a_live_crawl(scrapy: Scrapy, tmp_path: Path) -> None:
    """Whatever a server says, also to Scrapy itself, which logs more with LOG_LEVEL=DEBUG.

    It is asked again after a 503 and a broken answer: by default that takes minutes.
    """
    quick = ("LOG_LEVEL=DEBUG", "FOCUSED_RETRY_DELAY=0.05")
    with hostile_web() as web:
        survived = survive(web, scrapy, tmp_path, ["painted.test"], *quick)
    log = is_plain(survived.done)
    assert f"(of no type we read: {BRIGHT.encode('unicode_escape').decode()})" in log
    missed = [
        name for name in (*PAINTED, "no-http", "chunks") if f"painted.test/{name}" not in survived.served.hits
    ]
    assert missed == []
    ended = {url.rpartition("/")[2]: reason for url, reason in survived.job.failures.items()}
    assert ended == {
        "no-page": "http_404",
        "chunks": "data_loss",
        "type": "content_type",
        "names": "connection",
        "no-http": "connection",
        "elsewhere": "redirect_location",
        "reset": "redirect_location",
        "wait": "http_503",
    }
    assert "coding" in {url.rpartition("/")[2] for url in survived.job.pages}  # it is none that we know
