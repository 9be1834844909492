"""A crawl that knows what an earlier one has: on a web with two recorded states."""

from __future__ import annotations

import json
import shutil
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from focused_crawler.store.opening import read_crawl, shared_schema_name
from tests.crawls.bees import PAGES, Bees
from tests.crawls.garden import (
    ARTICLES,
    CHANGED,
    GONE,
    HOSTS,
    HUB,
    NEW,
    Garden,
    first_state,
    second_state,
)
from tests.postgresql import Server
from tests.project import Job, Scrapy, until

SAME = set(ARTICLES) - {*CHANGED, *GONE}


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory, scrapy: Scrapy) -> Garden:
    """A crawl of all pages of the first state, when the second one has come."""
    garden = Garden.planted(tmp_path_factory.mktemp("garden"))
    done = scrapy.run(*garden.words("FOCUSED_DISTILL_PAGES=0", job="first"))
    assert done.code == 0, done.err
    garden.become(second_state())
    return garden


@pytest.fixture
def garden(visited: Garden, tmp_path: Path) -> Garden:
    """The same, its web free to change."""
    path = Path(shutil.copy(visited.path, tmp_path))
    shutil.copytree(visited.crawls, tmp_path / "crawls")
    return replace(visited, path=path, crawls=tmp_path / "crawls")


def knowing(garden: Garden, job: str = "first") -> str:
    return f"FOCUSED_KNOWN={garden.crawls / 'bees' / job}"


def skipped(job: Job) -> set[str]:
    """Return the URLs that were known."""
    rows = job.rows("SELECT url, rule FROM named_decisions WHERE decision = 'skipped'")
    assert {rule for _, rule in rows} <= {"known"}
    return {url for url, _ in rows}


def check(job: Job, known: int) -> None:
    """Known pages are counted as such, and as nothing else."""
    counters = dict(job.rows("SELECT name, value FROM counters"))
    pages, relevant = job.rows("SELECT count(*), coalesce(sum(is_relevant), 0) FROM pages")[0]
    links = job.rows("SELECT count(*) FROM links")[0][0]
    assert counters["known"] == known
    assert (counters["pages"], counters["relevant"], counters["links"]) == (pages, relevant, links)
    assert job.run["totals"]["pages"] == pages
    assert job.rows("SELECT count(*) FROM urls WHERE state IN (1, 2, 3)") == [(0,)]


@pytest.mark.parametrize(
    "settings",
    [
        (),
        pytest.param(("FOCUSED_ANALYSIS_PROCESSES=1",), marks=pytest.mark.slow),
        pytest.param(("FOCUSED_FRONTIER=memory",), marks=pytest.mark.slow),
    ],
)
def test_only_what_is_new_or_changed_is_a_page(
    garden: Garden, scrapy: Scrapy, settings: tuple[str, ...]
) -> None:
    """By tag or by date; a gone one is a failure like any. The crawl says how many, and why says so."""
    done = scrapy.run(*garden.words(knowing(garden), *settings, job="second"))
    assert done.code == 0, done.err
    job = garden.job("second")
    assert set(job.pages) == {HUB, *CHANGED, *NEW}
    assert skipped(job) == SAME
    assert job.failures == dict.fromkeys(GONE, "http_404")
    assert job.run["state"] == "finished"
    assert f"known: {len(SAME)} pages as an earlier crawl has them" in done.err
    if "memory" not in str(settings):
        check(job, len(SAME))
        told = scrapy.run("why", ARTICLES[0], "--crawl", job.folder)
        assert "as an earlier crawl has it: no page of this one" in " ".join(told.out.split())


@pytest.mark.slow
def test_workers_know_what_an_earlier_crawl_has(garden: Garden, scrapy: Scrapy, postgresql: Server) -> None:
    """Each looks for its own hosts' pages there; together they have what one would have."""
    servers = "FOCUSED_FRONTIER=postgresql", f"FOCUSED_DATABASE={postgresql.address}"
    words = garden.words(knowing(garden), *servers, job="fleet")
    running = [scrapy.start(*words) for _ in range(2)]
    assert [worker.wait().code for worker in running] == [0, 0]
    job = garden.job("fleet")
    with read_crawl(job.folder) as database:
        pages = {url for (url,) in database.rows("SELECT url FROM pages")}
        known = {
            url for (url,) in database.rows("SELECT url FROM named_decisions WHERE decision = 'skipped'")
        }
        counters = dict(database.rows("SELECT name, value FROM counters"))
    assert pages == {HUB, *CHANGED, *NEW}
    assert known == SAME
    assert (counters["known"], counters["pages"]) == (len(SAME), len(pages))
    postgresql.drop(shared_schema_name("bees", "fleet"))


def test_a_known_page_is_got_past(garden: Garden, scrapy: Scrapy) -> None:
    """The hub is as it was: its links are those of the earlier crawl, with its scores, and lead on."""
    state = second_state()
    state[HUB] = first_state()[HUB]
    state[CHANGED[0]] = replace(state[CHANGED[0]], links=NEW)
    garden.become(state)
    done = scrapy.run(*garden.words(knowing(garden), job="second"))
    job = garden.job("second")
    assert set(job.pages) == {*CHANGED, *NEW}, done.err
    assert skipped(job) == {HUB, *SAME}
    query = f"SELECT target, anchor, block, score FROM named_links WHERE source = '{HUB}' ORDER BY number"
    assert job.rows(query) == garden.job("first").rows(query)
    ways = job.rows("SELECT url, parent, depth FROM pages")
    assert set(ways) == {(url, HUB, 1) for url in CHANGED} | {(url, CHANGED[0], 2) for url in NEW}
    check(job, 1 + len(SAME))


def test_what_was_known_is_known_the_next_time(garden: Garden, scrapy: Scrapy) -> None:
    """A third crawl is told of the second alone, which knew the first."""
    scrapy.run(*garden.words(knowing(garden), job="second"))
    done = scrapy.run(*garden.words(knowing(garden, "second"), job="third"))
    job = garden.job("third")
    assert job.pages == []
    assert skipped(job) == {HUB, *CHANGED, *NEW, *SAME}
    assert "Nothing new: 45 pages unchanged since" in done.err
    assert "ERROR" not in done.err


def test_words_of_skipped_urls_and_the_depth_limit_hold(garden: Garden, scrapy: Scrapy) -> None:
    """For the links of known pages as for all others."""
    garden.become(first_state())
    scrapy.run(*garden.words(knowing(garden), "FOCUSED_SKIP_URLS=A.example", job="second"))
    assert skipped(garden.job("second")) == {HUB, *(url for url in ARTICLES if url.startswith(HOSTS[1]))}
    scrapy.run(*garden.words(knowing(garden), "DEPTH_LIMIT=1", job="third"))
    assert skipped(garden.job("third")) == {HUB, *ARTICLES}


def test_a_page_that_is_sent_all_the_same_is_known_by_its_date(bees: Bees, scrapy: Scrapy) -> None:
    """Servers need not heed conditions; redirects lead to what is known, too."""
    dated = {"Last-Modified": "Mon, 06 Jan 2025 10:00:00 GMT"}
    for path, (answer, *_) in list(bees.site.answers.items()):
        bees.site.answers[path] = [answer._replace(headers=dated)]
    bees.redirect("/5", "/moved")
    scrapy.run(*bees.words(job="first"))
    changed = bees.site.answers["/9"][0]
    bees.site.answers["/9"] = [changed._replace(headers={"Last-Modified": "Tue, 07 Jan 2025 10:00:00 GMT"})]
    bees.site.answers["/10"] = [bees.site.answers["/10"][0]._replace(headers={})]
    before = len(bees.site.hits)
    done = scrapy.run(*bees.words(f"FOCUSED_KNOWN={bees.crawls / 'bees/first'}", job="second"))
    job = bees.job("second")
    assert {url.rpartition("/")[2] for url in job.pages} == {"9", "10"}, done.err
    assert len({hit.path for hit in bees.site.hits[before:] if hit.path[1:].isdecimal()}) == PAGES
    assert {bees.site.url("/5"), bees.site.url("/moved")} <= skipped(job)
    check(job, PAGES - 2)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_crawl_that_was_stopped_goes_on(how: signal.Signals, bees: Bees, scrapy: Scrapy) -> None:
    """Nothing known is counted twice, and nothing is lost."""
    for path, (answer, *_) in list(bees.site.answers.items()):
        bees.site.answers[path] = [answer._replace(headers={"ETag": f'"{path}"'})]
    scrapy.run(*bees.words(job="first"))
    for number in range(0, PAGES, 3):
        bees.site.answers[f"/{number}"] = [
            page._replace(headers={"ETag": '"new"'}) for page in bees.site.answers[f"/{number}"]
        ]
    bees.slow_down(0.05)
    words = bees.words(f"FOCUSED_KNOWN={bees.crawls / 'bees/first'}", job="second")
    running = scrapy.start(*words)
    hits = bees.hits().total()
    until(lambda: bees.hits().total() > hits + 30)
    running.signal(how)
    running.wait()
    assert 0 < len(skipped(bees.job("second"))) < PAGES
    scrapy.run(*words)
    job = bees.job("second")
    assert {int(url.rpartition("/")[2]) for url in job.pages} == set(range(0, PAGES, 3))
    assert len(skipped(job)) == PAGES * 2 // 3
    check(job, PAGES * 2 // 3)


@pytest.mark.slow
@pytest.mark.parametrize("first", [True, False])
def test_either_crawl_may_lie_in_postgresql(
    garden: Garden, scrapy: Scrapy, postgresql: Server, first: bool, tmp_path: Path
) -> None:
    """One in a file, the other in a server's database."""
    server = f"FOCUSED_DATABASE={postgresql.address}"
    other = replace(garden, crawls=tmp_path / "others")
    garden.become(first_state())
    scrapy.run(*other.words(*((server,) if first else ()), job="first"))
    garden.become(second_state())
    done = scrapy.run(*other.words(knowing(other), *(() if first else (server,)), job="second"))
    assert done.code == 0, done.err
    with read_crawl(other.crawls / "bees/second") as database:
        pages = {url for (url,) in database.rows("SELECT url FROM pages")}
        found = database.rows("SELECT value FROM counters WHERE name = 'known'")
    assert pages == {HUB, *CHANGED, *NEW}
    assert found == [(len(SAME),)]


@pytest.mark.parametrize(
    ("known", "problem"),
    [
        ("nowhere", "FOCUSED_KNOWN is 'nowhere', which holds no crawl; use one as crawls/bees/1"),
        ("wasps", "a crawl of wasps; use one of bees"),
    ],
)
def test_a_folder_that_will_not_do(garden: Garden, scrapy: Scrapy, known: str, problem: str) -> None:
    """It is said in one line, before anything is written."""
    if known == "wasps":
        known = str(garden.crawls / "wasps")
        shutil.copytree(garden.job("first").folder, known)
        run = json.loads((garden.crawls / "wasps/run.json").read_text())
        (garden.crawls / "wasps/run.json").write_text(json.dumps({**run, "topic": "wasps"}))
    done = scrapy.run(*garden.words(f"FOCUSED_KNOWN={known}", job="second"))
    assert done.code == 2
    assert problem in done.err
    assert "Traceback" not in done.err
    assert not garden.job("second").folder.exists()
