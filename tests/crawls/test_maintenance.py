"""A crawl that goes on, and looks again at what it has: on a web with two recorded states."""

from __future__ import annotations

import json
import shutil
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from focused_crawler.virtualweb.index import VirtualWeb
from tests.crawls.bees import PAGES, Bees
from tests.crawls.garden import ARTICLES, CHANGED, GONE, HUB, NEW, Garden, first_state, second_state
from tests.crawls.site import Answer, page
from tests.project import Job, Scrapy, crawl, until

ALL = 1 + len(ARTICLES)
HALF = "FOCUSED_REVISIT_SHARE=0.5"


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory, scrapy: Scrapy) -> Garden:
    """Crawls of all pages of the first state, and of half of them, when the second one has come."""
    garden = Garden.planted(tmp_path_factory.mktemp("garden"))
    for job, pages in (("all", 0), ("half", 20)):
        done = scrapy.run(*garden.words("FOCUSED_DISTILL_PAGES=0", job=job, pages=pages))
        assert done.code == 0, done.err
    garden.become(second_state())
    return garden


@pytest.fixture
def garden(visited: Garden, tmp_path: Path) -> Garden:
    """The same, to be gone on with."""
    shutil.copytree(visited.crawls, tmp_path / "crawls")
    return replace(visited, crawls=tmp_path / "crawls")


def outcomes(job: Job) -> dict[str, set[str]]:
    """Return the pages revisited, by what was found."""
    rows = job.rows("SELECT outcome, url FROM revisits JOIN pages ON position = page")
    return {outcome: {url for found, url in rows if found == outcome} for outcome, _ in rows}


def in_order(job: Job) -> list[str]:
    """Return what the last run fetched, in its order: "new" or "again"."""
    rows = job.rows(
        "SELECT fetched_at, 'new' FROM pages WHERE run = 2 UNION ALL SELECT visited_at, 'again' FROM revisits"
    )
    return [kind for _, kind in sorted(rows)]


def check_totals(job: Job) -> None:
    """Each page is counted once, as it is now, in the database, in run.json and in the feed."""
    counters = dict(job.rows("SELECT name, value FROM counters"))
    pages, relevant, size = job.rows("SELECT count(*), sum(is_relevant), sum(size) FROM pages")[0]
    links, revisits = job.rows("SELECT (SELECT count(*) FROM links), (SELECT count(*) FROM revisits)")[0]
    assert (counters["pages"], counters["relevant"], counters["bytes"]) == (pages, relevant, size)
    assert (counters["links"], counters.get("revisits", 0)) == (links, revisits)
    totals = job.run["totals"]
    assert (totals["pages"], totals["relevant"], totals["revisits"]) == (pages, relevant, revisits)
    feed = [json.loads(line) for line in (job.folder / "pages.jsonl").read_text().splitlines()]
    newest = job.rows("SELECT url, title, checksum, links FROM pages ORDER BY position")
    assert [(line["url"], line["title"], line["checksum"], line["links"]) for line in feed] == newest


def test_all_that_happened_is_found(garden: Garden, scrapy: Scrapy) -> None:
    """What changed, what is gone, and what is new on the hub; each page once, and the crawl ends."""
    done = scrapy.run(*garden.words(HALF, job="all"))
    assert done.code == 0, done.err
    job = garden.job("all")
    found = outcomes(job)
    assert found["changed"] == {HUB, *CHANGED}
    assert found["gone"] == set(GONE)
    assert found["unchanged"] == set(ARTICLES) - {*CHANGED, *GONE}
    assert len(in_order(job)) == ALL + len(NEW)
    assert set(job.pages[ALL:]) == set(NEW)
    assert {row[0] for row in job.rows("SELECT url FROM pages WHERE gone_at IS NOT NULL")} == set(GONE)
    assert job.rows("SELECT count(*) FROM pages WHERE checked_at IS NULL") == [(len(NEW),)]
    assert (job.run["state"], job.run["reason"], job.failures) == ("finished", "finished", {})
    assert (job.states["done"], job.states["failed"]) == (ALL + len(NEW), 0)
    links = job.rows(f"SELECT target FROM named_links WHERE source = '{HUB}' ORDER BY number")
    assert [row[0] for row in links] == [*ARTICLES, *NEW]
    check_totals(job)


@pytest.mark.parametrize("share", [0.25, 0.5])
def test_the_share_is_kept(share: float, garden: Garden, scrapy: Scrapy) -> None:
    """Of what this run fetches, to the page, from its first page to its last; the budget is for both."""
    scrapy.run(*garden.words(f"FOCUSED_REVISIT_SHARE={share}", job="half", pages=36))
    job = garden.job("half")
    fetched = in_order(job)
    assert Counter(fetched) == Counter(again=round(16 * share), new=round(16 * (1 - share)))
    for so_far in range(1, 17):
        assert abs(fetched[:so_far].count("again") - share * so_far) <= 1
    assert job.run["reason"] == "pages_budget"
    check_totals(job)


def test_the_hub_comes_first(garden: Garden, scrapy: Scrapy) -> None:
    """It led to all there is, and now to what is new; which is fetched at once. No page has a rating yet."""
    scrapy.run(*garden.words(HALF, job="all", pages=ALL + 6))
    job = garden.job("all")
    first = job.rows("SELECT url FROM revisits JOIN pages ON position = page ORDER BY id LIMIT 1")
    assert first == [(HUB,)]
    assert len(set(job.pages[ALL:]) & set(NEW)) == 3


def test_a_run_of_nothing_but_304_ends_by_its_budget(garden: Garden, scrapy: Scrapy) -> None:
    """They are no items, but fetches."""
    done = scrapy.run(*garden.words("FOCUSED_REVISIT_SHARE=1", job="all", pages=ALL + 10))
    job = garden.job("all")
    assert (job.run["reason"], len(in_order(job))) == ("pages_budget", 10)
    assert "revisits: 10" in done.err
    again = scrapy.run(*garden.words("FOCUSED_REVISIT_SHARE=1", job="all", pages=ALL + 10))
    assert f"has {ALL} pages, 10 revisits, and its budget is spent; give more" in again.err


@pytest.mark.parametrize("processes", [0, 1])
def test_new_links_in_an_old_text(tmp_path: Path, scrapy: Scrapy, processes: int) -> None:
    """A hub that got a picture with a link says what it said: it is unchanged, and the link is followed."""
    garden = Garden.planted(tmp_path)
    scrapy.run(*garden.words())
    job, two = garden.job("1"), "http://a.example/two.html"
    before = job.rows(f"SELECT checksum, title, fetched_at, relevance FROM pages WHERE url = '{HUB}'")
    state = first_state()
    state[HUB] = replace(state[HUB], tag="2", extra=f'<a href="{two}"><img src="b.png"></a>')
    garden.become(state | {two: replace(state[CHANGED[0]], url=two)})
    settings = ("FOCUSED_REVISIT_SHARE=0.1", f"FOCUSED_ANALYSIS_PROCESSES={processes}")
    done = scrapy.run(*garden.words(*settings, job="1"))
    assert done.code == 0, done.err
    assert outcomes(job) == {"unchanged": {HUB, *ARTICLES}}
    assert job.pages[ALL:] == [two]
    assert job.rows(f"SELECT checksum, title, fetched_at, relevance FROM pages WHERE url = '{HUB}'") == before
    assert job.rows(f"SELECT links, etag FROM pages WHERE url = '{HUB}'") == [(len(ARTICLES) + 1, '"2"')]
    linked = job.rows(f"SELECT target FROM named_links WHERE source = '{HUB}' ORDER BY number")
    assert [row[0] for row in linked] == [*ARTICLES, two]
    check_totals(job)


def test_new_links_of_an_old_page_are_learnt(tmp_path: Path, scrapy: Scrapy) -> None:
    """By a strategy that scores again what waits: in the next run, too, it knows what they are like."""
    garden, words = Garden.planted(tmp_path), {"strategy": "adaptive", "job": "learnt"}
    scrapy.run(*garden.words(**words, pages=ALL))
    garden.become(second_state())
    scrapy.run(*garden.words("FOCUSED_REVISIT_SHARE=1", **words, pages=ALL + 2))
    job = garden.job("learnt")
    waiting = [url for url in NEW if url not in job.pages]
    assert job.rows(f"SELECT state FROM urls WHERE url = '{waiting[-1]}'") == [(1,)]
    done = scrapy.run("why", waiting[-1], "--crawl", str(job.folder))
    assert "What links like those to it had brought by then" in done.out


def test_what_was_gone_comes_back(tmp_path: Path, scrapy: Scrapy) -> None:
    """It is no more marked, and its changes count as any; a page that lost its topic is no more relevant."""
    garden = Garden.planted(tmp_path)
    state = first_state()
    scrapy.run(*garden.words(pages=4))
    url = garden.job("1").pages[2]
    kept = state.pop(url)
    cars = replace(kept, links=[], version=9, subject="Cars drive on the road")
    for now in (state, state | {url: cars}):
        garden.become(now)
        job = garden.job("1")
        scrapy.run(*garden.words("FOCUSED_REVISIT_SHARE=1", job="1", pages=len(job.pages) + 40))
    rows = garden.job("1").rows(
        f"SELECT outcome FROM revisits JOIN pages ON position = page WHERE url = '{url}'"
    )
    assert rows == [("gone",), ("changed",)]
    assert garden.job("1").rows(f"SELECT gone_at, is_relevant FROM pages WHERE url = '{url}'") == [(None, 0)]
    check_totals(garden.job("1"))


def test_over_http(bees: Bees, scrapy: Scrapy, tmp_path: Path) -> None:
    """Tags go to the server, which spares its pages; what moved is gone, what fails is kept."""
    record = tmp_path / "record.warc.gz"
    for path, (answer, *_) in list(bees.site.answers.items()):
        bees.site.answers[path] = [answer._replace(headers={"ETag": f'"{path}"'})]
    scrapy.run(*bees.words(job="mine"))
    before = len(bees.site.hits)
    bees.site.answers["/5"] = [page("five", ["/fresh"])._replace(headers={"ETag": '"new"'})]
    bees.site.answers["/fresh"] = [page("fresh")]
    bees.site.answers["/6"] = [Answer(status=410)]
    bees.site.answers["/7"] = [Answer(status=302, headers={"Location": "/8"})]
    bees.site.answers["/9"] = [Answer(status=302, headers={"Location": "/moved"})]
    bees.site.answers["/moved"] = [page("moved")]
    bees.site.answers["/10"] = [Answer(status=500)]
    done = scrapy.run(*bees.words(HALF, f"FOCUSED_RECORD={record}", job="mine"))
    job = bees.job("mine")
    found = {what: {url.rpartition("/")[2] for url in urls} for what, urls in outcomes(job).items()}
    assert found["changed"] == {"5"}
    assert found["gone"] == {"6", "7", "9"}
    assert found["failed"] == {"10"}
    assert len(found["unchanged"]) == PAGES - 5
    statuses = Counter(hit.status for hit in bees.site.hits[before:])
    assert statuses[304] >= PAGES - 5
    assert {url.rpartition("/")[2] for url in job.pages[PAGES:]} == {"fresh", "moved"}
    assert "/10" not in str(job.failures)
    assert f"revisits: {PAGES}" in done.err
    with VirtualWeb(record) as web:
        assert Counter(entry.status for entry in web.entries())[304] == 0
    check_totals(job)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_was_stopped_goes_on(how: signal.Signals, bees: Bees, scrapy: Scrapy) -> None:
    """Also with other settings: what was queued is a revisit for all that, and nothing is counted twice."""
    scrapy.run(*bees.words(job="mine"))
    for path, (answer, *_) in list(bees.site.answers.items()):
        if path[1:].isdecimal() and int(path[1:]) % 3 == 0:
            bees.site.answers[path] = [answer._replace(body=answer.body.replace(b"number", b"changed"))]
    bees.slow_down(0.05)
    hits = bees.hits().total()
    running = scrapy.start(*bees.words(HALF, job="mine"))
    until(lambda: bees.hits().total() > hits + 30)
    bees.slow_down(3)  # so the run does not end before the signal comes
    running.signal(how)
    running.wait()
    bees.slow_down(0.05)
    so_far = bees.job("mine").rows("SELECT count(*) FROM revisits")[0][0]
    assert 0 < so_far < PAGES
    scrapy.run(*bees.words(job="mine"))
    check_totals(bees.job("mine"))
    scrapy.run(*bees.words(HALF, job="mine"))
    job = bees.job("mine")
    check_totals(job)
    assert sorted(job.pages) == sorted(bees.site.url(f"/{number}") for number in range(PAGES))
    changed = {int(url.rpartition("/")[2]) for url in outcomes(job)["changed"]}
    assert changed == set(range(0, PAGES, 3))


def test_with_worker_processes(garden: Garden, scrapy: Scrapy) -> None:
    """The same is found."""
    scrapy.run(*garden.words(HALF, "FOCUSED_ANALYSIS_PROCESSES=1", job="all"))
    found = outcomes(garden.job("all"))
    assert (found["changed"], found["gone"]) == ({HUB, *CHANGED}, set(GONE))
    assert set(garden.job("all").pages[ALL:]) == set(NEW)


@pytest.mark.slow
def test_the_share_is_kept_with_many_hosts_asked_at_a_time(
    demo_web: Path, scrapy: Scrapy, tmp_path: Path
) -> None:
    """The pages with most to gain lie on few hosts, which have to be waited for; others' go meanwhile."""
    topic = demo_web.parent / "demo.topics/astronomy"
    settings = (f"FOCUSED_WEB={demo_web}", "CONCURRENT_REQUESTS=16", "FOCUSED_DISTILL_PAGES=0")
    scrapy.run(*crawl(topic, tmp_path, *settings, profile="offline", job="mine", pages=150))
    more = (*settings, HALF, "DOWNLOAD_DELAY=0.1")
    done = scrapy.run(*crawl(topic, tmp_path, *more, profile="offline", job="mine", pages=230))
    assert done.code == 0, done.err
    fetched = in_order(Job(tmp_path / "astronomy/mine"))
    assert len(fetched) == 80
    for so_far in range(16, 81):
        assert abs(fetched[:so_far].count("again") - so_far / 2) <= 8
