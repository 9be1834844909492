from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from focused_crawler.classify.model_file import FORMAT
from focused_crawler.topic.topic import load_topic, topic_names
from tests.crawls.site import write_topic
from tests.project import Job, Scrapy, crawl

TOPIC = """
name = "bees"
keywords = ["bee", "honey", "hive"]
seeds = ["http://bees.example/"]
"""


@dataclass(frozen=True)
class Place:
    """Folders to make mistakes in."""

    folder: Path

    @property
    def crawls(self) -> Path:
        return self.folder / "crawls"

    def topic(self, text: str = TOPIC) -> Path:
        topic = self.folder / "bees"
        topic.mkdir()
        (topic / "topic.toml").write_text(text)
        return topic

    def file(self, name: str, content: str = "") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    def crawl(self, *settings: str, topic: str | Path | None = None, **arguments: object) -> list[str]:
        return crawl(topic or self.topic(), self.crawls, *settings, **arguments)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def model(place: Place, header: dict[str, object], weights: str) -> list[str]:
    """A crawl with a model that nobody can use."""
    place.file("bees/model/weights.npz", weights)
    place.file("bees/model/model.json", json.dumps(header))
    return crawl(place.file("bees/topic.toml", TOPIC).parent, place.crawls)


MISTAKES: dict[str, tuple[Callable[[Place], list[str]], str]] = {
    "topic": (lambda p: p.crawl(topic="nope"), "no topic 'nope'"),
    "no topic": (lambda p: ["crawl", "topic"], "no topic given; type scrapy crawl topic -a topic=NAME"),
    "spider": (lambda p: ["crawl", "nope"], "no topic 'nope'"),
    "path as spider": (
        lambda p: ["crawl", str(p.topic())],
        "bees is a topic's folder; type scrapy crawl topic -a topic=",
    ),
    "broken topic.toml": (
        lambda p: p.crawl(topic=p.topic(TOPIC + "seed = 1\n")),
        "bees/topic.toml:5: unknown key 'seed'; did you mean seeds?",
    ),
    "strategy": (
        lambda p: p.crawl(strategy="pagerank"),
        "no strategy is called 'pagerank'; use one of breadth_first",
    ),
    "argument": (lambda p: p.crawl(pagse=3), "unknown argument pagse=3; did you mean pages=?"),
    "profile": (lambda p: p.crawl(profile="rude"), "unknown profile 'rude'; use one of broad"),
    "pipeline": (
        lambda p: p.crawl('ITEM_PIPELINES={"no.such.Pipeline": 1}'),
        "ITEM_PIPELINES has 'no.such.Pipeline', which cannot be imported: No module named 'no'",
    ),
    "middleware": (
        lambda p: p.crawl('SPIDER_MIDDLEWARES={"focused_crawler.addon.Mine": 1}'),
        "which cannot be imported: focused_crawler.addon has no Mine",
    ),
    "addon": (
        lambda p: p.crawl('ADDONS={"no.such.Addon": 3}'),
        "ADDONS has 'no.such.Addon', which cannot be imported: No module named 'no'",
    ),
    "scheduler": (
        lambda p: p.crawl("SCHEDULER=scrapy.core.scheduler.Mine"),
        "SCHEDULER has 'scrapy.core.scheduler.Mine', which cannot be imported: scrapy.core.scheduler has no",
    ),
    "feed": (
        lambda p: p.crawl('FEED_EXPORTERS={"tsv": "no.such.Exporter"}'),
        "FEED_EXPORTERS has 'no.such.Exporter', which cannot be imported: No module named 'no'",
    ),
    "start queue": (
        lambda p: p.crawl("SCHEDULER_START_DISK_QUEUE=no.such.Queue"),
        "SCHEDULER_START_DISK_QUEUE has 'no.such.Queue', which cannot be imported: No module named 'no'",
    ),
    "resolver": (
        lambda p: p.crawl("TWISTED_DNS_RESOLVER=no.such.Resolver"),
        "TWISTED_DNS_RESOLVER has 'no.such.Resolver', which cannot be imported: No module named 'no'",
    ),
    "cache": (
        lambda p: p.crawl("HTTPCACHE_STORAGE=no.such.Storage"),
        "HTTPCACHE_STORAGE has 'no.such.Storage', which cannot be imported: No module named 'no'",
    ),
    "handler": (
        lambda p: p.crawl('DOWNLOAD_HANDLERS={"gopher": "no.such.Handler"}'),
        "DOWNLOAD_HANDLERS has 'no.such.Handler', which cannot be imported: No module named 'no'",
    ),
    "statistics": (
        lambda p: p.crawl("STATS_CLASS=Mine"),
        "STATS_CLASS has 'Mine', which cannot be imported: use package.module.Class",
    ),
    "loader of spiders": (
        lambda p: p.crawl("SPIDER_LOADER_CLASS=no.such.Loader"),
        "SPIDER_LOADER_CLASS has 'no.such.Loader', which cannot be imported: No module named 'no'",
    ),
    "spiders": (
        lambda p: p.crawl("SPIDER_MODULES=no.such"),
        "SPIDER_MODULES has 'no.such', which cannot be imported: No module named 'no'",
    ),
    "seed set": (lambda p: p.crawl(seed_set="z"), "topic bees has no seed set 'z'"),
    "number": (lambda p: p.crawl(pages="many"), "FOCUSED_PAGES is 'many'; use a whole number of 0 or more"),
    "interval": (
        lambda p: p.crawl("FOCUSED_PROGRESS_INTERVAL=often"),
        "FOCUSED_PROGRESS_INTERVAL is 'often'; use a number",
    ),
    "latency": (
        lambda p: p.crawl("FOCUSED_WEB_LATENCY=slow"),
        "FOCUSED_WEB_LATENCY is 'slow'; use a number",
    ),
    "networks": (
        lambda p: p.crawl("FOCUSED_ALLOWED_NETWORKS=home"),
        "FOCUSED_ALLOWED_NETWORKS",
    ),
    "job": (lambda p: p.crawl(job="../up"), "FOCUSED_JOB is '../up'; use letters"),
    "no web": (lambda p: p.crawl("FOCUSED_WEB=gone.warc.gz"), "gone.warc.gz"),
    "no WARC": (lambda p: p.crawl(f"FOCUSED_WEB={p.file('notes.txt', 'hello')}"), "notes.txt"),
    "record": (
        lambda p: p.crawl(f"FOCUSED_RECORD={p.file('file')}/web.warc.gz"),
        "file/web.warc.gz",
    ),
    "model of another format": (
        lambda p: model(p, {"format": 99}, ""),
        f"its format is 99, not {FORMAT}); make it again with: scrapy train bees",
    ),
    "half a model": (
        lambda p: model(p, {"format": FORMAT, "weights_sha256": "0"}, "half"),
        "weights.npz is not the file that model.json was written with",
    ),
    "crawls": (
        lambda p: crawl(p.topic(), p.file("file") / "crawls"),
        "; name another place with -s FOCUSED_CRAWLS=FOLDER",
    ),
    "database": (
        lambda p: (p.file("crawls/bees/1/crawl.db", "no database " * 100), p.crawl(job="1"))[1],
        "crawl.db is damaged or no crawl database",
    ),
    "run.json": (
        lambda p: (p.file("crawls/bees/1/run.json", "{"), p.crawl())[1],
        "run.json cannot be read",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_end_in_one_line(name: str, place: Place, scrapy: Scrapy) -> None:
    """It names what is wrong and what would be right; exit code 2."""
    make, message = MISTAKES[name]
    done = scrapy.run(*make(place))
    assert done.err.startswith("error: ")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert done.out == ""
    assert done.code == 2


@pytest.mark.parametrize(("name", "what"), [("UnmadePipeline", "made"), ("UnopenedPipeline", "opened")])
def test_a_component_that_breaks_at_once_is_in_the_log(
    name: str, what: str, place: Place, scrapy: Scrapy
) -> None:
    """Whose mistake it is reads its traceback there: scrapyd shows nothing else. None is of ours."""
    log = place.folder / "log"
    broken = f'ITEM_PIPELINES={{"tests.crawls.odd.{name}": 1}}'
    done = scrapy.run(*place.crawl(broken, f"LOG_FILE={log}"))
    assert done.code == 1
    for text in (done.err, log.read_text()):
        assert text.rstrip().endswith(f"RuntimeError: a pipeline that cannot be {what}")
        assert "of <focused_crawler" not in text


def test_every_topic_is_a_spider(scrapy: Scrapy) -> None:
    """And "topic" is the spider of all others."""
    done = scrapy.run("list")
    assert (done.code, done.err) == (0, "")
    assert done.out.split() == sorted([*topic_names(), "topic"])


def test_a_topic_by_its_own_name(scrapy: Scrapy, demo_web: Path, tmp_path: Path) -> None:
    """`scrapy crawl asthma` is `scrapy crawl topic -a topic=asthma`; without one page its code is 11."""
    name = topic_names()[0]
    words = ["crawl", name, "-s", f"FOCUSED_WEB={demo_web}", "-s", f"FOCUSED_CRAWLS={tmp_path}"]
    done = scrapy.run(*words, "-a", "strategy=breadth_first")
    assert "Not one page was fetched: 404 Not Found" in done.err
    assert done.code == 11
    run = Job(tmp_path / name / "1").run
    assert (run["topic"], run["strategy"]) == (name, "breadth_first")
    assert Job(tmp_path / name / "1").failures.keys() == set(load_topic(name).seeds)


def test_a_crawl_that_reaches_no_server(scrapy: Scrapy, tmp_path: Path) -> None:
    """Its code says that the network is to be looked at, not the topic."""
    topic = write_topic(tmp_path, "far", "http://nowhere.invalid/")
    done = scrapy.run(*crawl(topic, tmp_path, "RETRY_TIMES=1", "FOCUSED_RETRY_DELAY=0.01"))
    assert "no DNS answer for any host" in done.err
    assert done.code == 10


def test_arguments_of_scrapyd_are_left_alone(scrapy: Scrapy, demo_web: Path, tmp_path: Path) -> None:
    """It hands its own to every spider, with an underscore."""
    topic = demo_web.parent / "demo.topics/astronomy"
    done = scrapy.run(*crawl(topic, tmp_path, f"FOCUSED_WEB={demo_web}", _job="c0ffee", pages=1))
    assert done.code == 0, done.err
    assert len(Job(tmp_path / "astronomy/1").pages) == 1


def test_a_module_of_a_users_may_import_the_reactor(scrapy: Scrapy, demo_web: Path, place: Place) -> None:
    """It is that of the crawl, though the module is imported before Scrapy starts."""
    mine = place.file("mine.py", "from twisted.internet import reactor\n\n\nclass Mine: ...\n")
    settings = (f"FOCUSED_WEB={demo_web}", 'EXTENSIONS={"mine.Mine": 1}')
    words = place.crawl(*settings, topic=demo_web.parent / "demo.topics/astronomy", pages=1)
    done = scrapy.run(*words, environ={"PYTHONPATH": str(mine.parent)})
    assert done.code == 0, done.err


def test_two_names_are_one_too_many(scrapy: Scrapy) -> None:
    """As is none."""
    done = scrapy.run("crawl", "topic", "asthma", "-a", "topic=asthma")
    assert (done.code, "name one topic, as in: scrapy crawl asthma" in done.err) == (2, True)
    assert done.code == 2
