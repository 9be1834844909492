"""R(d) in a crawl with a taxonomy: kept for each page; monitor, distiller and the questions go by it."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.queries import worked_queries
from focused_crawler.classify.taxonomy.classifier import TaxonomyModel, page_counts
from focused_crawler.classify.taxonomy.marked import MarkedTaxonomy
from focused_crawler.crawl.hubs.listing import top_hubs
from focused_crawler.crawl.steering.inputs import read_tallies, watch
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.item import PageItem, judged
from focused_crawler.store.opening import read_crawl
from focused_crawler.virtualweb.writer import WebWriter
from tests.crawls.site import write_topic
from tests.postgresql import Server
from tests.project import ROOT, Scrapy, crawl
from tests.small_taxonomy import save_small_taxonomy, small_page, small_taxonomy

SEED = "http://stars0.example/"
STARS = [f"http://stars{number % 3}.example/{number}" for number in range(60)]
BEES = [f"http://bees{number % 3}.example/{number}" for number in range(300)]


def html(words: str, links: list[str]) -> bytes:
    anchors = " ".join(f'<a href="{link}">{link[-8:]}</a>' for link in links)
    return f"<title>{words}</title><p>{words}</p>{anchors}".encode()


def pages() -> dict[str, bytes]:
    """Return a web of bees, which the topic's words are about, and of stars, which its category is."""
    star = {
        url: html(f"star galaxy telescope {url[-3:]}", [*BEES[5 * number : 5 * number + 5], *STARS[:5]])
        for number, url in enumerate(STARS)
    }
    bee = {url: html(f"bees keep honey in hive {url[-3:]}", STARS[5:8]) for url in BEES}
    return {SEED: html("star night", STARS)} | star | bee


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def crawled(
    request: pytest.FixtureRequest, scrapy: Scrapy, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str]:
    """The folder of a crawl of all of it, and what was printed."""
    folder = tmp_path_factory.mktemp("sky")
    with WebWriter(folder / "sky.warc.gz") as writer:
        for url, body in pages().items():
            writer.write(url, 200, [("Content-Type", "text/html")], body)
    models = save_small_taxonomy(folder / "models", "bees")
    settings = [f"FOCUSED_WEB={folder / 'sky.warc.gz'}", f"FOCUSED_MODELS={models}"]
    settings += [f"FOCUSED_TAXONOMY={models / 'taxonomy'}", "FOCUSED_NEAR_DUPLICATES=False"]
    settings += ["FOCUSED_TRAP_BUDGETS=False", "FOCUSED_DISTILL_PAGES=50"]
    if request.param == "postgresql":
        server: Server = request.getfixturevalue("postgresql")
        settings.append(f"FOCUSED_DATABASE={server.address}")
    topic = write_topic(folder, "bees", SEED)
    words = crawl(topic, folder, *settings, strategy="breadth_first", profile="offline")
    done = scrapy.run(*words)
    assert done.code == 0, done.err
    return folder / "bees/1", done.err


def test_log_rd_is_kept_for_each_page(crawled: tuple[Path, str]) -> None:
    """Of a good category by its own posterior, in the database and in the feed; also where R(d) is 0 or 1."""
    folder, _ = crawled
    model = TaxonomyModel.load(folder.parent.parent / "models/taxonomy")
    with read_crawl(folder) as database:
        found = {page.url: page.log_rd for page in CrawlHistory(database).pages()}
    assert found.keys() == pages().keys()
    for url, body in pages().items():
        counts = page_counts(parse_page(body, url, Analyzer("en"), "utf-8"))
        assert found[url] == pytest.approx(math.log(model.probabilities(counts)["sky/stars"]), abs=1e-9)
    lines = map(json.loads, (folder / "pages.jsonl").read_text().splitlines())
    assert {line["url"]: line["log_rd"] for line in lines} == found


def test_the_monitor_goes_by_rd(crawled: tuple[Path, str]) -> None:
    """The topic's words call the bees relevant, not the stars; the monitor tells when no more stars come."""
    folder, printed = crawled
    with read_crawl(folder) as database:
        relevant = {url for (url,) in database.rows("SELECT url FROM pages WHERE is_relevant = 1")}
        monitor, tallies = watch(database, 0.5), read_tallies(database)
        alarms = [text for (text,) in database.rows("SELECT detail FROM decisions WHERE decision = 'alarm'")]
    assert relevant == set(BEES)
    assert (monitor.pages, monitor.relevant) == (len(pages()), 1 + len(STARS))
    found = re.match(rf"after (\d+) pages, {1 + len(STARS)} of them relevant, 0 of the last \d+ ", alarms[0])
    assert found is not None
    assert int(found[1]) < len(pages()) - 50  # while plenty was left
    assert alarms[0] in printed
    assert all("nothing is left to fetch" in text for text in alarms[1:])
    assert sum(tally.relevant for tally in tallies) == 1 + len(STARS)


def test_the_taxonomy_is_named(crawled: tuple[Path, str], scrapy: Scrapy) -> None:
    """Pages are judged by the topic's words; what R(d) judges is said, with the name of who said it."""
    folder, _ = crawled
    run = json.loads((folder / "run.json").read_text())
    assert run["judge"].startswith("keywords:")
    assert re.fullmatch("taxonomy:[0-9a-f]{8}", run["watched_by"])
    done = scrapy.run("report", folder)
    said = f"what is left to find are judged by {run['watched_by']} (a tree of categories)."
    for text in (done.out, (folder / "report.html").read_text()):
        assert said in " ".join(text.split())
    model = TaxonomyModel.load(folder.parent.parent / "models/taxonomy")
    names = {MarkedTaxonomy(model, frozenset(good)).judge_name for good in (["sky/stars"], ["sky"], [])}
    assert (run["watched_by"] in names, len(names)) == (True, 3)


def test_judged_anew_by_it(crawled: tuple[Path, str], scrapy: Scrapy) -> None:
    """Stars are relevant and bees are not, as R(d) has it; who has no taxonomy reads what to do."""
    folder, _ = crawled
    named = json.loads((folder / "run.json").read_text())["watched_by"]
    done = scrapy.run("judge", folder, "--by", "taxonomy", "--show")
    assert done.code == 0, done.err
    assert f"{1 + len(STARS)} of {len(pages())} pages relevant by {named}" in done.out
    assert f"{1 + len(STARS)} more and {len(BEES)} fewer" in done.out
    nowhere = scrapy.run("judge", folder, "--by", "taxonomy", "-s", f"FOCUSED_MODELS={folder}")
    assert nowhere.code == 2
    assert "make it with: scrapy taxonomy train" in nowhere.err


def test_the_distiller_goes_by_rd(crawled: tuple[Path, str]) -> None:
    """A star is an authority, a page of bees is none, however relevant the classifier calls it."""
    folder, _ = crawled
    with read_crawl(folder) as database:
        rated = database.rows("SELECT url FROM ratings JOIN pages ON position = page WHERE authority > 0")
        assert {url for (url,) in rated} <= {SEED, *STARS}
        assert rated
        hubs = top_hubs(database, 200)
    assert all(hub.relevance > 0.5 for hub in hubs if hub.url in STARS)
    assert all(hub.relevance < 0.5 for hub in hubs if hub.url in BEES)


def test_the_questions_go_by_rd(crawled: tuple[Path, str]) -> None:
    """Densest sites, the census, harvest and depth count the stars."""
    folder, _ = crawled
    questions = {
        query.number: query.sql for query in worked_queries((ROOT / "docs/reference/database.md").read_text())
    }
    with read_crawl(folder) as database:
        answers = {number: database.rows(sql) for number, sql in questions.items()}
    sites = {host: (percent, quality > 0.5) for host, _, _, percent, quality in answers[1]}
    assert {sites.pop(f"stars{number}.example") for number in range(3)} == {(100, True)}
    assert set(sites.values()) == {(0, False)}
    relevant = 1 + len(STARS)
    assert sum(row[3] for row in answers[2]) == relevant
    assert sum(row[2] for row in answers[13]) == relevant
    assert answers[7][0][2] == 0  # percent of the last hundred pages
    assert {len(row) for row in answers[14]} <= {3}


def test_rd_is_known_where_a_float_has_none() -> None:
    """A long page: log R(d) goes on where R(d) is 0; and without a good category there is none."""
    model = small_taxonomy()
    page = small_page("goal match striker " * 400)
    focus = model.judge(page, ["sky"])
    assert focus.relevance == 0
    assert focus.log_rd is not None
    assert focus.log_rd < -745
    item = PageItem(
        url="http://a.example/", fetched_at=0.0, relevance=0.9, is_relevant=True, log_rd=focus.log_rd
    )
    assert judged(item) == (0.0, False)
    assert judged(replace(item, log_rd=math.log(0.5))) == (0.5, True)
    assert judged(replace(item, log_rd=0.0, duplicate_of="http://b.example/")) == (1.0, False)
    assert judged(replace(item, log_rd=None)) == (0.9, True)
    assert model.judge(page, []).log_rd is None
