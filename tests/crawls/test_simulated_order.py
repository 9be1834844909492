from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from scrapy.settings import Settings

from focused_crawler.classify.settings import ClassifierSettings, HmmSettings
from focused_crawler.classify.taxonomy.classifier import TaxonomyModel
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.experiment.bench import Bench as Experiments
from focused_crawler.experiment.grid import find_subjects
from focused_crawler.experiment.simulator import Simulation, simulate
from focused_crawler.experiment.training import TaxonomySummary, train_taxonomy_of
from focused_crawler.frontier.base import Rules
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.topic.topic import load_topic
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.writer import WebWriter
from tests.crawls.site import write_topic
from tests.project import ROOT, Job, Scrapy, crawl

STRATEGIES = [
    "breadth_first",
    "best_first_content_anchor",
    "link_context",
    "lpe_soft",
    "shark_search",
    "adaptive",
]
OPENWEB = ROOT.parent / "shared/webs/openweb.warc.gz"
HEALTH = OPENWEB.with_name("openweb.topics") / "health"
HTML = {"Content-Type": "text/html; charset=utf-8"}


class Both(NamedTuple):
    """One crawl, made in two ways."""

    simulated: Simulation
    real: list[str]


class Bench:
    """Crawls a web in both ways."""

    def __init__(self, scrapy: Scrapy, path: Path, topic: Path, folder: Path) -> None:
        self._scrapy, self._path, self._topic, self._folder = scrapy, path, topic, folder

    def both(self, strategy: str, pages: int, **settings: object) -> Both:
        settings["FOCUSED_WEB"] = self._path
        return Both(self._simulated(strategy, pages, settings), self._real(strategy, pages, settings))

    def _simulated(self, strategy: str, pages: int, settings: dict[str, object]) -> Simulation:
        named = {**settings, "FOCUSED_TOPIC": self._topic, "FOCUSED_STRATEGY": strategy}
        plan = CrawlPlan.make(CrawlConfig.from_settings(Settings(named)))
        config = plan.config
        rules = Rules(per_host=1, n_best=config.n_best, max_tries=config.max_tries)
        with AnalysedWeb(self._path) as web:
            seeds = plan.topic.seeds_of(config.seed_set or None)
            return simulate(plan.analyst, web, seeds, pages, rules)

    def _real(self, strategy: str, pages: int, settings: dict[str, object]) -> list[str]:
        words = [f"{name}={value}" for name, value in settings.items()]
        job = strategy.replace(":", "-")
        arguments = {"strategy": strategy, "pages": pages, "profile": "offline", "job": job}
        done = self._scrapy.run(
            *crawl(self._topic, self._folder, "ROBOTSTXT_OBEY=False", *words, **arguments)
        )
        assert done.code == 0, done.err
        return Job(self._folder / self._topic.name / job).pages


@pytest.mark.slow
@pytest.mark.parametrize("strategy", [*STRATEGIES, "thesaurus", "mean_of_parents", "shuffled:lpe"])
def test_demo_web(strategy: str, demo_web: Path, scrapy: Scrapy, tmp_path: Path) -> None:
    """A simulated crawl visits the same pages in the same order as a real one, and calls them the same."""
    bench = Bench(scrapy, demo_web, demo_web.parent / "demo.topics/astronomy", tmp_path)
    simulated, real = bench.both(strategy, 100)
    assert simulated.urls == real
    assert len(real) == 100


@pytest.mark.slow
def test_steering(demo_web: Path, scrapy: Scrapy, tmp_path: Path) -> None:
    """Traps and mirrors are left, and neighbours of hubs rise but for words in URLs, at the same pages."""
    bench = Bench(scrapy, demo_web, demo_web.parent / "demo.topics/astronomy", tmp_path)
    settings = {"FOCUSED_HUB_TRIGGER": 10, "FOCUSED_DISTILL_PAGES": 40, "FOCUSED_TRAP_BUDGETS": True}
    word = "weekend-magazine"  # the site that most neighbours of hubs are on
    simulated, real = bench.both("best_first_content_anchor", 320, FOCUSED_SKIP_URLS=word, **settings)
    assert simulated.urls == real
    assert not [url for url in real if word in url]
    job = Job(tmp_path / "astronomy/best_first_content_anchor")
    decided = dict(job.rows("SELECT rule, count(*) FROM decisions GROUP BY rule"))
    assert decided["hub"] > 0
    assert decided["trap_mirror"] > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "strategy", ["link_classifier", "hmm_content", "content_link_sibling", "sb_classifier", "tres"]
)
def test_what_learns(strategy: str, cook: Path, demo_web: Path, scrapy: Scrapy, tmp_path: Path) -> None:
    """So it does with a trained model, by strategies that learn or go by the path, from a directory."""
    bench = Bench(scrapy, demo_web, demo_web.parent / "demo.topics/cooking", tmp_path)
    models = shutil.copytree(cook, tmp_path / "models")  # a crawl may write there
    simulated, real = bench.both(strategy, 100, FOCUSED_MODELS=models, FOCUSED_SEED_SET="c")
    assert simulated.urls == real
    assert real


@pytest.fixture(scope="module")
def taught(demo_web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """FOCUSED_MODELS with a taxonomy of the demo web's topics."""
    config = CrawlConfig.from_settings(Settings())
    out = tmp_path_factory.mktemp("taught")
    bench = Experiments(out, config, ClassifierSettings(), HmmSettings())
    (subject,) = find_subjects([demo_web], "football", None)
    assert isinstance(train_taxonomy_of(bench, [subject]), TaxonomySummary)
    return bench.models(subject)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategy", "seed_set"), [("hard_focus", "a"), ("soft_focus", "c"), ("unfocused", "a")]
)
def test_taxonomy(
    strategy: str, seed_set: str, taught: Path, demo_web: Path, scrapy: Scrapy, tmp_path: Path
) -> None:
    """So it does where a taxonomy judges each page; the real crawl writes down the category of each."""
    bench = Bench(scrapy, demo_web, demo_web.parent / "demo.topics/football", tmp_path)
    simulated, real = bench.both(strategy, 80, FOCUSED_MODELS=taught, FOCUSED_SEED_SET=seed_set)
    assert simulated.urls == real
    assert len(real) == 80
    with CrawlDatabase(tmp_path / "football" / strategy / "crawl.db", read_only=True) as database:
        kept = {row[0] for row in database.rows("SELECT category FROM pages")}
    leaves = set(TaxonomyModel.load(taught / "taxonomy").tree.leaves)
    assert kept == {None} if strategy == "unfocused" else "football" in kept <= leaves


@pytest.fixture(scope="module")
def real_web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hosts that a topic begins at, as they were: a part small enough to be analysed each time."""
    hosts = {urlsplit(seed).hostname for seed in load_topic(str(HEALTH)).seeds}
    path = tmp_path_factory.mktemp("real") / "health.warc.gz"
    with VirtualWeb(OPENWEB) as web, OPENWEB.open("rb") as whole, path.open("wb") as part:
        for entry in web.entries():
            if urlsplit(entry.url).hostname in hosts:
                whole.seek(entry.offset)
                part.write(whole.read(entry.length))
    return path


@pytest.mark.slow
@pytest.mark.skipif(not OPENWEB.exists(), reason="the shared webs are not there")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_real_web(strategy: str, real_web: Path, scrapy: Scrapy, tmp_path: Path) -> None:
    """So it does on pages that people wrote, with their redirects and refreshes."""
    simulated, real = Bench(scrapy, real_web, HEALTH, tmp_path).both(strategy, 100)
    assert simulated.urls == real
    assert len(real) == 100


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategy", "settings"),
    [
        ("breadth_first", {}),
        ("lpe_soft", {"FOCUSED_N_BEST": 5}),
        ("best_first_content_anchor", {"DEPTH_LIMIT": 4, "FOCUSED_MAX_TRIES": 2}),
    ],
)
def test_odd_web(
    strategy: str, settings: dict[str, object], odd_web: Path, scrapy: Scrapy, tmp_path: Path
) -> None:
    """So it does where two of five URLs are no page, and to the end."""
    topic = write_topic(tmp_path, "bees", "http://h0.example/0", "http://h1.example/1")
    simulated, real = Bench(scrapy, odd_web, topic, tmp_path).both(strategy, 500, **settings)
    assert simulated.urls == real
    assert simulated.reason == "finished"
    assert len(real) > 40


@pytest.fixture
def odd_web(tmp_path: Path) -> Path:
    """Pages on a few hosts, redirects, refreshes and failures among them."""
    rng = random.Random(7)
    path = tmp_path / "odd.warc.gz"
    with WebWriter(path) as writer:
        for number in range(200):
            status, headers, body = _odd(number, rng)
            writer.write(_url(number), status, [*HTML.items(), *headers], body)
    return path


def _url(number: int) -> str:
    return f"http://h{number % 5}.example/{number}"


def _links(rng: random.Random) -> Iterator[str]:
    spellings = ("{}", "{}/", "{}#part", "{}?utm_source=x")
    for number in rng.choices(range(220), k=6):  # the last twenty are nowhere
        words = " ".join(rng.choices(["honey", "bee", "hive", "car", "road", "wheel"], k=3))
        link = rng.choice(spellings).format(_url(number))
        yield f'<p>{words} <a href="{link}">{words} {number}</a> {words}</p>'


def _odd(number: int, rng: random.Random) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return one answer: status, headers, body."""
    target = _url(rng.randrange(220))
    kind = rng.randrange(15) if number > 1 else 14
    head, encoding = "", "utf-8"
    if kind < 3:
        location = rng.choice([target, f"/{number + 5}", f"//h0.example/{number // 5 * 5}"])
        return rng.choice([301, 302, 303, 307, 308]), [("Location", location)], b""
    if kind == 3:
        location = rng.choice(["", "ftp://h0.example/", "http://[", "javascript:void(0)"])
        return 302, [("Location", location)], b""
    if kind == 4:
        return rng.choice([404, 410, 429, 500, 503]), [], b"<p>no</p>"
    if kind == 5:
        return 200, [], rng.choice([b"", b"%PDF-1.7", b"<p>x" * 2**19])
    if kind == 6:
        seconds = rng.choice([0, 5, 200])
        head = f'<meta http-equiv="refresh" content="{seconds}; url={target}">'
        head = rng.choice([head, f"<noscript>{head}</noscript>"])
        encoding = rng.choice(["utf-8", "utf-16"])
    text = f"<head>{head}<title>Page {number}</title></head>{''.join(_links(rng))}"
    return 200, [], text.encode(encoding)
