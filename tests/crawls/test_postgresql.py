"""A whole crawl recorded in PostgreSQL: the same one as with SQLite, killed, gone on with, reported on."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from sqlalchemy import make_url

from focused_crawler.store.opening import read_crawl, schema_name
from tests.crawls.bees import AGAIN, PAGES, Bees
from tests.postgresql import Server
from tests.project import Job, Scrapy, crawl, until

SECRET = "do-not-show"
VISITS = "SELECT requested_url, relevance, parent, depth FROM pages ORDER BY position"
LINKS = "SELECT source, number, target, anchor, block, score, external FROM named_links ORDER BY 1, 2"
QUEUE = "SELECT url, state, host, tries, priority, rank, depth, parent FROM named_urls ORDER BY url"
RATINGS = "SELECT page, hub, authority FROM ratings ORDER BY page"
LEARNT = "SELECT position, content FROM learnt ORDER BY position"
ONE_ORDER = ("CONCURRENT_REQUESTS=1", "FOCUSED_DISTILL_PAGES=25", "FOCUSED_HUB_TRIGGER=3")


@pytest.fixture
def secret_address(postgresql: Server) -> tuple[str, str]:
    """The server's address with a password, of which our own server takes any, and that password."""
    url = make_url(postgresql.address)
    url = url if url.password else url.set(password=SECRET)
    return url.render_as_string(hide_password=False), str(url.password)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["link_classifier", "adaptive"])
def test_the_same_crawl(
    strategy: str, scrapy: Scrapy, demo_web: Path, tmp_path: Path, secret_address: tuple[str, str]
) -> None:
    """Page by page, link by link, and what is left; no report or record shows the password."""
    topic = demo_web.parent / "demo.topics/astronomy"
    secret_url, secret = secret_address
    folders, reports = [], []
    for name, address in (("file", ""), ("server", secret_url)):
        settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_DATABASE={address}", *ONE_ORDER)
        given = {"strategy": strategy, "profile": "offline", "pages": 60, "job": name}
        done = scrapy.run(*crawl(topic, tmp_path, *settings, **given))
        assert done.code == 0
        assert secret not in done.err
        folders.append(tmp_path / "astronomy" / name)
        assert scrapy.run("report", folders[-1]).code == 0
        reports.append((folders[-1] / "report.html").read_text())
        assert scrapy.run("distill", folders[-1], "--json", tmp_path / f"{name}.json").code == 0
    assert (tmp_path / "file.json").read_text() == (tmp_path / "server.json").read_text()
    for query in (VISITS, LINKS, QUEUE, RATINGS, LEARNT):
        with read_crawl(folders[0]) as one, read_crawl(folders[1]) as other:
            assert one.rows(query) == other.rows(query)
    run = Job(folders[1]).run
    assert run["schema"] == schema_name(folders[1])
    assert run["database"].startswith("postgresql://")
    assert not (folders[1] / "crawl.db").exists()
    with read_crawl(folders[1]) as database:
        kept = str(database.rows("SELECT settings FROM runs")) + (folders[1] / "run.json").read_text()
    assert secret not in kept + "".join(reports)


@pytest.mark.slow
def test_it_goes_on_after_kill_9(bees: Bees, scrapy: Scrapy, postgresql: Server) -> None:
    """Nothing is lost, nothing is recorded twice; with another database it is another crawl."""
    bees.slow_down(0.03)
    words, others = bees.words(f"FOCUSED_DATABASE={postgresql.address}"), postgresql.crawls()
    running = scrapy.start(*words)
    until(lambda: bees.hits().total() > 20)
    running.signal(signal.SIGKILL)
    assert running.wait().code == -9
    until(lambda: postgresql.crawls() <= others)  # what it had sent is still written
    folder = bees.job().folder
    with read_crawl(folder) as database:
        ((before,),) = database.rows("SELECT count(*) FROM pages")
    assert 0 < before < PAGES
    refused = scrapy.run(*bees.words(job="1"))
    assert "its database is postgresql://" in refused.err
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    done = scrapy.run(*words)
    assert f"goes on after {before} pages" in done.err
    with read_crawl(folder) as database:
        urls = [row[0] for row in database.rows("SELECT url FROM pages")]
        assert dict(database.rows("SELECT name, value FROM counters"))["pages"] == PAGES
    assert sorted(urls) == sorted(bees.site.url(f"/{number}") for number in range(PAGES))
    assert bees.hits().total() - PAGES <= AGAIN


def test_a_crawl_has_one_process(bees: Bees, scrapy: Scrapy, postgresql: Server) -> None:
    """The second one says so in one line, and the first one goes on."""
    bees.slow_down(4.0)  # it has four such answers to wait for, one after the other
    words = bees.words(f"FOCUSED_DATABASE={postgresql.address}", pages=10)
    first = scrapy.start(*words)
    until(lambda: bees.hits().total() > 0)
    second = scrapy.run(*words)
    bees.slow_down(0.0)
    assert "is being crawled by another process" in second.err
    assert (second.err.count("\n"), second.code) == (1, 2)
    assert first.wait().code == 0


def found(folder: Path) -> int:
    with read_crawl(folder) as database:
        return len(database.rows("SELECT 1 FROM pages"))


def test_a_crawl_that_runs_is_left_alone(bees: Bees, scrapy: Scrapy, postgresql: Server) -> None:
    """It cannot be judged anew: one line; it goes on. What it has found can be looked at."""
    bees.slow_down(0.5)
    running = scrapy.start(*bees.words(f"FOCUSED_DATABASE={postgresql.address}"))
    until(lambda: bees.hits().total() > 12)
    folder = bees.job().folder
    until(lambda: found(folder) > 2)
    refused = scrapy.run("judge", folder)
    assert (refused.code, refused.err.count("\n")) == (2, 1), refused.err
    assert "is being crawled by another process" in refused.err
    done = scrapy.run("judge", folder, "--show")
    assert done.code == 0, done.err
    assert "pages relevant by keywords:" in done.out
    running.signal(signal.SIGINT)
    assert running.wait().code == 130


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("postgresql://nobody@127.0.0.1:1/crawls", "cannot be opened"),
        (f"mysql://ann:{SECRET}@db/crawls", "use one like postgresql://USER@HOST/DATABASE"),
        ("crawls", "use one like postgresql://USER@HOST/DATABASE"),
    ],
)
def test_an_address_that_is_wrong(address: str, told: str, bees: Bees, scrapy: Scrapy) -> None:
    """One line says so, without its password; no folder is left of the crawl."""
    done = scrapy.run(*bees.words(f"FOCUSED_DATABASE={address}"))
    assert told in done.err
    assert SECRET not in done.err
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert not list(bees.crawls.glob("bees/*"))  # else each attempt would take a number
