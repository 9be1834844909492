"""`scrapy why`, as it is typed, on crawls of the demo web."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from focused_crawler.crawl.failure import label
from focused_crawler.fleet.crawls import FleetCrawl
from focused_crawler.fleet.owners import forget
from focused_crawler.store.opening import read_crawl
from tests.postgresql import Server
from tests.project import ROOT, Done, Job, Scrapy, crawl

FOLLOWED = """
SELECT u.url FROM urls AS u JOIN links AS l ON l.target = u.id LEFT JOIN pages AS p ON p.key = u.key
WHERE l.score IS NOT NULL AND p.key IS NULL ORDER BY u.url LIMIT 20
"""


@pytest.fixture(scope="module")
def topic(demo_web: Path) -> Path:
    return demo_web.parent / "demo.topics/astronomy"


@pytest.fixture(scope="module")
def crawls(scrapy: Scrapy, demo_web: Path, topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One crawl, by a strategy that refuses some links."""
    folder = tmp_path_factory.mktemp("crawls")
    words = crawl(
        topic, folder, f"FOCUSED_WEB={demo_web}", f"FOCUSED_MODELS={folder}/models", strategy="lpe", pages=150
    )
    assert scrapy.run(*words).code == 0
    return folder


@pytest.fixture(scope="module")
def job(crawls: Path) -> Job:
    return Job(crawls / "astronomy/1")


@pytest.fixture(scope="module")
def why(scrapy: Scrapy, job: Job) -> Callable[..., Done]:
    """Runs the command on that crawl."""
    return lambda *words: scrapy.run("why", *words, "--crawl", job.folder)


def answer(done: Done) -> str:
    """Return the last line."""
    assert (done.code, done.err) == (0, "")
    return done.out.rstrip().rpartition("\n")[2]


def one(job: Job, sql: str) -> str:
    return job.rows(f"{sql} LIMIT 1")[0][0]


def test_a_page_that_was_fetched(why: Callable[..., Done], job: Job) -> None:
    """Its links, the parts of the best of them as recorded, the queue, what was decided, and the answer."""
    done = why(job.pages[30])
    assert re.search(
        r"It was fetched as page 31 of 150 on .*, and is (not )?relevant \(\d\.\d{3}\)", answer(done)
    )
    assert re.search(r"^Linked [\d,]+ times? from [\d,]+ pages?, [\d,]+ followed", done.out, re.MULTILINE)
    score = re.search(r"score (0\.\d{3}) = ", done.out)
    assert score
    url = job.visits[30]
    before = "SELECT url FROM pages WHERE fetched_at <= (SELECT fetched_at FROM pages WHERE position = 31)"
    links = f"SELECT max(score) FROM named_links WHERE target = '{url}' AND source IN ({before})"
    recorded = job.rows(links)[0][0]  # of links that were known when it was fetched
    assert float(score[1]) == pytest.approx(recorded, abs=0.0006)
    assert "has changed since" not in done.out
    assert "place when queued" in done.out
    assert re.search(r"fetched +200 OK +page 31", done.out)


def test_one_that_is_pending(why: Callable[..., Done], job: Job) -> None:
    """Its place, and the command that would get there."""
    done = why(one(job, "SELECT url FROM urls WHERE state = 1 ORDER BY priority"))
    assert re.search(r"It is pending: [\d,]+ URLs? comes? before it", answer(done))
    assert "go on: scrapy crawl topic -a topic=" in answer(done)


def test_links_that_were_refused(why: Callable[..., Done], job: Job) -> None:
    """The strategy is named."""
    done = why(one(job, "SELECT url FROM urls WHERE state = 0 AND id IN (SELECT target FROM links)"))
    assert "It was not queued: lpe followed none of the" in answer(done)


def test_one_that_failed(why: Callable[..., Done], job: Job) -> None:
    """By its class."""
    url, reason = next(iter(job.failures.items()))
    done = why(url)
    assert re.search(rf"failed +{re.escape(label(reason))}", done.out)
    assert "gave no page" in answer(done) or "not asked for" in answer(done)


def test_one_that_was_never_seen_in_the_last_crawl(scrapy: Scrapy, crawls: Path) -> None:
    """Without --crawl it is the last one there is."""
    done = scrapy.run("why", "http://starcharts.example/no/such/page", "-s", f"FOCUSED_CRAWLS={crawls}")
    assert "It was never seen" in answer(done)
    assert "Known near it" in done.out


def test_the_last_crawl_where_only_a_frontier_is_named(scrapy: Scrapy, crawls: Path) -> None:
    """What a crawl would need besides is not asked for."""
    words = ("-s", "FOCUSED_FRONTIER=redis://localhost:1/0", "-s", f"FOCUSED_CRAWLS={crawls}")
    assert "It was never seen" in answer(scrapy.run("why", "http://starcharts.example/no/such/page", *words))


def test_what_was_learnt(scrapy: Scrapy, demo_web: Path, topic: Path, tmp_path: Path) -> None:
    """How the priority of a link that waits moved, up to the one it has, and the pages that moved it."""
    settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_MODELS={tmp_path}/models", "CONCURRENT_REQUESTS=1")
    assert scrapy.run(*crawl(topic, tmp_path, *settings, strategy="adaptive", pages=60)).code == 0
    job, path = Job(tmp_path / "astronomy/1"), tmp_path / "why.json"
    moved = "SELECT url FROM urls WHERE state = 1 AND parent IS NOT NULL ORDER BY priority DESC, url LIMIT 12"
    told = {}
    for (url,) in job.rows(moved):
        done = scrapy.run("why", url, "--crawl", job.folder, "--json", path)
        assert done.code == 0, done.err
        told[url] = json.loads(path.read_text())
        last = told[url]["moves"][-1]
        assert last["sent"] == pytest.approx(told[url]["queue"]["priority"], abs=1e-6)
        assert f"after page {last['position']} " in done.out
        if len(told[url]["moves"]) > 1 and told[url]["brought"]:
            break
    else:
        raise AssertionError("nothing moved")
    relevances = dict(job.rows("SELECT url, relevance FROM pages"))
    whole = [one for one in told[url]["brought"] if one["pages"] == len(one["urls"]) > 0]
    assert whole
    for one in whole:
        mean = sum(relevances[page] for page in one["urls"]) / one["pages"]
        assert one["relevance"] == pytest.approx(mean, abs=1e-3)
    assert "What links like those to it had brought by then" in done.out
    assert f"Its priority in the frontier, as known after {told[url]['parts']['pages']} page" in done.out


def test_a_page_is_explained_by_what_was_known_before_it(
    scrapy: Scrapy, demo_web: Path, topic: Path, tmp_path: Path
) -> None:
    """Its priority is that of the frontier, though no page is at hand; a start page had none by a link."""
    settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_MODELS={tmp_path}/models", "FOCUSED_LISTS=off")
    assert scrapy.run(*crawl(topic, tmp_path, *settings, strategy="adaptive", pages=60)).code == 0
    job = Job(tmp_path / "astronomy/1")
    run = {**job.run, "web": None, "settings": {**job.run["settings"], "FOCUSED_WEB": ""}}
    (job.folder / "run.json").write_text(json.dumps(run))
    asked = (
        "SELECT u.url, u.priority FROM urls AS u JOIN pages AS p ON p.key = u.key WHERE u.parent IS {} NULL"
    )
    url, priority = job.rows(f"{asked.format('NOT')} ORDER BY position DESC")[0]
    out = scrapy.run("why", url, "--crawl", job.folder).out
    assert re.search(r"Its priority when it was fetched, as known after \d+ pages?\n", out)
    assert f"  score {priority:.3f} = sigmoid(" in out
    assert re.search(r"links (within the host|to other hosts) at .* of pages of \S+ with relevance ", out)
    start = job.rows(f"{asked.format('')} ORDER BY position")[0][0]
    out = scrapy.run("why", start, "--crawl", job.folder).out
    assert "Its best link, computed again, as known after 60 pages, its own among them" in out


def test_json(why: Callable[..., Done], job: Job, tmp_path: Path) -> None:
    """All that is shown, and where it was written."""
    path = tmp_path / "why.json"
    done = why(job.pages[30], "--json", path)
    assert answer(done) == str(path)
    told = json.loads(path.read_text())
    assert told["answer"]["verdict"].startswith("fetched")
    assert told["page"]["position"] == 31
    assert told["parts"]["formula"]
    assert told["links"]


def test_a_page_that_is_not_at_hand(
    scrapy: Scrapy, crawls: Path, job: Job, tmp_path: Path, demo_web: Path
) -> None:
    """Without its web there are no parts, and a hint; --fetch gets the page."""
    folder = copied(job, tmp_path)
    run = {**job.run, "web": None, "settings": {**job.run["settings"], "FOCUSED_WEB": ""}}
    (folder / "run.json").write_text(json.dumps(run))
    done = scrapy.run("why", job.pages[30], "--crawl", folder)
    assert "its page is not at hand (the crawl was not recorded); fetch it with --fetch" in done.out
    done = scrapy.run("why", job.pages[30], "--crawl", folder, "--fetch", "-s", f"FOCUSED_WEB={demo_web}")
    assert re.search(r"score 0\.\d{3} = ", done.out)


@pytest.mark.parametrize(
    ("strategy", "cause"),
    [("lpe", "the model, a setting or the page has changed since"), ("hmm", "cannot be computed: "),
     ("content_link_sibling", "the strategy has learnt since")],
)  # fmt: skip
def test_a_score_that_comes_out_otherwise(
    scrapy: Scrapy, job: Job, tmp_path: Path, strategy: str, cause: str
) -> None:
    """What was recorded, and why it is another now, or what is missing."""
    folder = copied(job, tmp_path)
    change(folder, "UPDATE links SET score = 0.123")
    settings = {**job.run["settings"], "FOCUSED_STRATEGY": strategy}
    (folder / "run.json").write_text(json.dumps({**job.run, "strategy": strategy, "settings": settings}))
    done = scrapy.run("why", job.pages[30], "--crawl", folder)
    assert done.code == 0
    assert cause in done.out
    assert ("recorded was 0.123: " in done.out) == (strategy != "hmm")


@pytest.mark.parametrize(
    ("strategy", "cause"),
    [("lpe", "the model, the lists, a setting or the page has changed since"),
     ("content_link_sibling", "the strategy has learnt since, or the lists have changed")],
)  # fmt: skip
def test_what_the_lists_add(
    scrapy: Scrapy, demo_web: Path, topic: Path, tmp_path: Path, strategy: str, cause: str
) -> None:
    """The share of the site is a part of the score, as it was when the crawl went by it."""
    settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_MODELS={tmp_path}/models", "FOCUSED_LISTS=on")
    for number in (1, 2):
        words = crawl(topic, tmp_path, *settings, strategy=strategy, pages=60 * number)
        assert scrapy.run(*words).code == 0
    folder = tmp_path / "astronomy/2"
    url = one(Job(folder), "SELECT target FROM named_links WHERE score IS NOT NULL ORDER BY score DESC")
    done = scrapy.run("why", url, "--crawl", folder)
    assert re.search(r"score 0\.\d{3} = \(1 - 0\.25\) \* \(.*\) \+ 0\.25 \* site_share", done.out), done.out
    assert re.search(r"site_share 0\.\d{3}", done.out)
    if strategy == "lpe":
        assert "recorded was" not in done.out
    change(folder, "UPDATE links SET score = 0.123")
    assert cause in scrapy.run("why", url, "--crawl", folder).out


def copied(job: Job, to: Path) -> Path:
    """Return the folder of a copy of the crawl."""
    return Path(shutil.copytree(job.folder, to / "1"))


def change(folder: Path, sql: str) -> None:
    with closing(sqlite3.connect(folder / "crawl.db")) as database:
        database.execute(sql)
        database.commit()


MISTAKES: dict[str, tuple[Callable[[Path], list[object]], str]] = {
    "no URL": (lambda f: [], "name one URL, as in: scrapy why https://"),
    "two": (lambda f: ["http://a.example/", "http://b.example/"], "name one URL, as in"),
    "no web page": (lambda f: ["mailto:a@b.example"], "'mailto:a@b.example' is nothing a crawl could fetch"),
    "no crawl": (lambda f: ["http://a.example/", "--crawl", f], "is no crawl's folder (it has no run.json)"),
    "no crawls": (lambda f: ["http://a.example/", "-s", f"FOCUSED_CRAWLS={f}"], "there is no crawl in"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_end_in_one_line(scrapy: Scrapy, tmp_path: Path, case: str) -> None:
    """That names what is wrong and what would be right."""
    words, message = MISTAKES[case]
    done = scrapy.run("why", *words(tmp_path))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_a_file_that_cannot_be_written(why: Callable[..., Done], job: Job, tmp_path: Path) -> None:
    """Names the option."""
    done = why(job.pages[0], "--json", tmp_path / "no/why.json")
    assert done.code == 2
    assert "name another file with --json FILE" in done.err


def test_what_pages_say_cannot_steer_a_terminal(scrapy: Scrapy, job: Job, tmp_path: Path) -> None:
    """Control characters of anchors and details are shown escaped."""
    folder = copied(job, tmp_path)
    change(folder, "UPDATE links SET anchor = char(27) || '[2Jboo[red]'")
    columns = "INSERT INTO decisions (url, decided_at, decision, rule, detail)"
    change(folder, f"{columns} SELECT id, 1, 'retry', char(27) || 'x', char(155) || 'y' FROM urls")
    done = scrapy.run("why", job.pages[30], "--crawl", folder)
    assert "\x1b" not in done.out
    assert "\x9b" not in done.out
    assert "\\x1b[2Jboo[red]" in done.out


@pytest.fixture
def fleet(
    scrapy: Scrapy, demo_web: Path, topic: Path, tmp_path: Path, postgresql: Server
) -> Iterator[tuple[Path, str, str]]:
    """The folder of a crawl that was a fleet's, and where its frontier and its database are."""
    name = f"test-why-{os.getpid()}"
    settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_MODELS={tmp_path}/models")
    servers = ("FOCUSED_FRONTIER=postgresql", f"FOCUSED_DATABASE={postgresql.address}")
    words = crawl(topic, tmp_path, *settings, *servers, strategy="lpe", pages=30, job=name)
    done = scrapy.run(*words)
    assert done.code == 0, done.err
    yield tmp_path / "astronomy" / name, *servers
    forget(FleetCrawl("astronomy", name, postgresql.address))


def test_a_crawl_of_a_fleet(scrapy: Scrapy, fleet: tuple[Path, str, str], tmp_path: Path) -> None:
    """What its frontier knows is told after its end as well, and where it is."""
    folder, *servers = fleet
    words = ("--crawl", folder, "-s", servers[1], "-s", servers[0])
    with read_crawl(folder) as database:
        followed = [url for (url,) in database.rows(FOLLOWED)]
    told = {}
    for url in followed:
        path = tmp_path / "why.json"
        assert scrapy.run("why", url, *words, "--json", path).code == 0
        told = json.loads(path.read_text())
        if told["state"] == "pending":
            break
    assert told["answer"]["verdict"] == "pending"
    assert told["host"]["pending"] >= 1
    done = scrapy.run("why", told["url"], *words)
    assert re.search(r"It is pending: [\d,]+ URLs? comes? before it", answer(done))
    assert "In the frontier" in done.out
    assert f"-s {servers[0]}" in done.out
    known = {**os.environ, **dict(server.split("=", 1) for server in servers)}
    command = [sys.executable, "-m", "scrapy", "why", told["url"], "--crawl", str(folder)]
    told_here = subprocess.run(
        command, cwd=ROOT, env=known, capture_output=True, text=True, check=True
    ).stdout
    assert "It is pending: " in told_here
    assert f"-a job={folder.name}" in told_here
    assert not re.search("FOCUSED_(FRONTIER|DATABASE)=", told_here)
