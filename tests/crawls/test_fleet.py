"""Several processes at one crawl, over a real server, and what becomes of it when some of all these die."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from uuid import uuid4

import pytest

from focused_crawler.crawl.ordering import stop
from focused_crawler.frontier.partitioned.members import WORKER_SECONDS
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.job import read_run
from focused_crawler.store.opening import read_crawl
from tests.crawls import strategies
from tests.crawls.bees import PAGES, SETTINGS, Bees
from tests.crawls.site import Answer, Site
from tests.crawls.test_rescoring import MEANS
from tests.postgresql import Server, restartable_server
from tests.project import PATIENCE, Done, Running, Scrapy, crawl, until

pytestmark = pytest.mark.slow

HOSTS = 12
OWN = {name.lower(): f"{strategies.__name__}.{name}" for name in ("Census", "Register", "Doubtful", "Choosy")}
SCORERS = f"FOCUSED_LINK_SCORERS={json.dumps(OWN)}"
DELAY = 1.0  # seconds between two requests as they are sent
LATE = 0.5  # seconds that the server, which is busy, may be late to see one: the next one seems early


class Fleet:
    """A crawl of sixty pages by as many workers as are started."""

    def __init__(self, bees: Bees, scrapy: Scrapy, database: str) -> None:
        self.bees, self._scrapy = bees, scrapy
        self.name = f"job-{uuid4().hex[:8]}"
        self._servers = ("FOCUSED_FRONTIER=postgresql", f"FOCUSED_DATABASE={database}")

    @property
    def folder(self) -> Path:
        return self.bees.job(self.name).folder

    def start(self, workers: int, *settings: str, **arguments: object) -> list[Running]:
        words = crawl(
            self.bees.topic,
            self.bees.crawls,
            *SETTINGS,
            *self._servers,
            *settings,
            job=self.name,
            **arguments,
        )
        return [self._scrapy.start(*words) for _ in range(workers)]

    def run(self, workers: int, *settings: str, **arguments: object) -> list[Done]:
        return [running.wait() for running in self.start(workers, *settings, **arguments)]

    def pages(self) -> list[str]:
        with read_crawl(self.folder) as database:
            found = [row[0] for row in database.rows("SELECT url FROM pages ORDER BY position")]
            positions = [row[0] for row in database.rows("SELECT position FROM pages ORDER BY position")]
            counters = dict(database.rows("SELECT name, value FROM counters"))
        assert positions == list(range(1, len(found) + 1))
        assert counters["pages"] == len(set(found)) == len(found)
        return found

    def begun(self) -> int:
        """Return how many workers have begun."""
        return self._count("runs")

    def owners(self) -> int:
        """Return how many workers have hosts to ask, or will have any."""
        return self._count("(SELECT DISTINCT worker FROM partitions WHERE worker IS NOT NULL) AS a")

    def recorded(self) -> int:
        """Return how many pages there are so far."""
        return self._count("pages")

    def doubts(self) -> dict[int, float]:
        """Return the largest score that each worker has given."""
        with read_crawl(self.folder) as database:
            return dict(
                database.rows(
                    "SELECT run, max(score) FROM pages JOIN urls ON urls.key = pages.key"
                    " JOIN links ON source = urls.id GROUP BY run"
                )
            )

    def _count(self, rows: str) -> int:
        with suppress(CrawlError), read_crawl(self.folder) as database:
            return int(database.rows(f"SELECT count(*) FROM {rows}")[0][0])
        return 0

    def check_delay(self) -> None:
        """No host was asked too often, as it saw it; what is late once makes no more than one gap short."""
        times: defaultdict[str, list[float]] = defaultdict(list)
        for hit in self.bees.site.hits:
            times[hit.host].append(hit.time)
        assert min(map(len, times.values())) > PAGES // HOSTS  # one of robots.txt at least
        for host, each in times.items():
            each.sort()
            assert min(b - a for a, b in pairwise(each)) > DELAY - LATE, host
            assert each[-1] - each[0] > (len(each) - 1) * DELAY - LATE, host

    def check_whole(self) -> None:
        """All pages are recorded, each once, and written up."""
        assert sorted(self.pages()) == sorted(map(self.bees.url, range(PAGES)))
        fed = [json.loads(line)["url"] for line in (self.folder / "pages.jsonl").read_text().splitlines()]
        assert sorted(fed) == sorted(self.pages())
        assert json.loads((self.folder / "run.json").read_text())["state"] == "finished"
        assert (self.folder / "report.html").is_file()


@pytest.fixture
def bees(site: Site, tmp_path: Path) -> Bees:
    return Bees(site, tmp_path, hosts=HOSTS)


@pytest.fixture
def fleet(bees: Bees, scrapy: Scrapy, postgresql: Server) -> Fleet:
    return Fleet(bees, scrapy, postgresql.address)


@contextmanager
def held(site: Site, path: str) -> Iterator[None]:
    """Let nobody have a page, nor any other one after that was asked for, until the block ends."""
    answer, is_over = site.answer, threading.Event()

    def late(host: str, asked: str, etag: str | None = None) -> Answer:
        if asked == path:
            is_over.wait(PATIENCE)
        return answer(host, asked, etag)

    site.answer = late  # type: ignore[method-assign]
    try:
        yield
    finally:
        is_over.set()


def test_one_crawl(site: Site, tmp_path: Path, scrapy: Scrapy, postgresql: Server) -> None:
    """No page is fetched twice, and none is missed; each worker has its share, and knows the whole."""
    fleet = Fleet(Bees(site, tmp_path, hosts=PAGES), scrapy, postgresql.address)
    fleet.bees.slow_down(0.5)
    with held(fleet.bees.site, "/0"):
        workers = fleet.start(3)
        until(lambda: fleet.owners() == 3)
    done = [worker.wait() for worker in workers]
    assert [each.code for each in done] == [0, 0, 0]
    fleet.check_whole()
    assert set(fleet.bees.hits().values()) == {1}
    assert all(f"pages: {PAGES}," in each.err for each in done)
    with read_crawl(fleet.folder) as database:
        shares = database.rows("SELECT count(*) FROM pages JOIN runs ON runs.id = run GROUP BY worker")
    assert len(shares) == 3


def test_alarms_go_by_the_pages_of_all(fleet: Fleet) -> None:
    """Half of them are relevant, and no more links are left alone than there are pages: none is raised."""
    assert {done.code for done in fleet.run(3, SCORERS, strategy="choosy")} == {0}
    fleet.check_whole()
    with read_crawl(fleet.folder) as database:
        assert database.rows("SELECT count(*) FROM urls WHERE state = 0") == [(PAGES,)]
        assert database.rows("SELECT rule, detail FROM decisions WHERE decision = 'alarm'") == []


def test_redirects_to_hosts_of_others(fleet: Fleet) -> None:
    """Their pages are recorded, each once, whoever has the host they lead to."""
    site, moved = fleet.bees.site, range(3, 15)
    for number in moved:
        target = site.url(f"/moved-{number}", f"127.0.0.{1 + (number + 5) % HOSTS}")
        site.answers[f"/moved-{number}"] = site.answers[f"/{number}"]
        site.answers[f"/{number}"] = [Answer(status=302, headers={"Location": target})]
    assert {done.code for done in fleet.run(2)} == {0}
    pages = fleet.pages()
    assert sum("/moved-" in url for url in pages) == len(moved)
    assert len(pages) == PAGES
    with read_crawl(fleet.folder) as database:
        assert database.rows("SELECT count(*) FROM failures WHERE url LIKE '%/moved-%'") == [(0,)]


def test_a_budget_is_kept(fleet: Fleet) -> None:
    """To the page; what came too late is fetched by a larger one."""
    assert {done.code for done in fleet.run(3, pages=25)} == {0}
    assert len(fleet.pages()) == 25
    assert {done.code for done in fleet.run(2)} == {0}
    fleet.check_whole()


def test_all_workers_stop_when_they_are_told_to(fleet: Fleet) -> None:
    """Within a second or two, and once: those that go on later do not stop again."""
    fleet.bees.slow_down(0.5)
    workers = fleet.start(3)
    until(lambda: fleet.begun() == 3 and fleet.recorded() > 0)  # else they have worked in vain
    stop(fleet.folder)
    done = [worker.wait() for worker in workers]
    assert [each.code for each in done] == [0, 0, 0]
    run = read_run(fleet.folder)
    assert run is not None
    assert (run.state, run.reason) == ("stopped", "told_to_stop")
    with read_crawl(fleet.folder) as database:
        assert database.rows("SELECT answer FROM orders") == [("its workers stop",)]
    with pytest.raises(CrawlError, match="not under way"):
        stop(fleet.folder)
    fleet.bees.slow_down(0.0)
    assert {done.code for done in fleet.run(2)} == {0}
    fleet.check_whole()


def test_links_that_several_pages_hold(fleet: Fleet) -> None:
    """All workers count them, each page once."""
    start = fleet.bees.url(0)
    for workers, pages in ((1, 25), (3, 40)):
        assert {done.code for done in fleet.run(workers, strategy="mean_of_parents", pages=pages)} == {0}
        with read_crawl(fleet.folder) as database:
            found = database.rows(MEANS.replace("state = 1", "state < 3"))
            held = database.rows(
                "SELECT url, held_total / holders, holders FROM urls WHERE holders > 0 AND state < 3"
            )
            ((most,),) = database.rows("SELECT max(holders) FROM urls")
        means = {url: (pytest.approx(mean), holders) for url, mean, holders in found if url != start}
        asked = {fleet.bees.url(int(path[1:])) for path in fleet.bees.hits()}  # some came too late
        of_pending = {url: (mean, holders) for url, mean, holders in held if url not in asked}
        assert of_pending == {url: mean for url, mean in means.items() if url not in asked}
        assert most > 1


@pytest.mark.parametrize("strategy", ["census", "register"])
def test_each_worker_learns_from_the_pages_of_all(fleet: Fleet, strategy: str) -> None:
    """As soon as they are recorded, and from each once; who comes later, too."""
    fleet.bees.slow_down(0.5)
    with held(fleet.bees.site, "/0"):
        workers = fleet.start(2, SCORERS, strategy=strategy, pages=PAGES - 20)
        until(lambda: fleet.begun() == 2)
    assert {worker.wait().code for worker in workers} == {0}
    assert {done.code for done in fleet.run(1, SCORERS, strategy=strategy)} == {0}
    with read_crawl(fleet.folder) as database:
        found = database.rows(
            "SELECT count(DISTINCT position), max(score) FROM pages JOIN urls ON urls.key = pages.key"
            " JOIN links ON source = urls.id GROUP BY run"
        )
    learnt = [(pages, round(1000 * score)) for pages, score in found]
    assert len(learnt) == 3
    assert all(pages <= of_all <= PAGES for pages, of_all in learnt), learnt
    # Who had the first page may have had all of its own before another had any.
    assert sum(pages < of_all for pages, of_all in learnt) >= 2, learnt


def test_links_are_scored_again(fleet: Fleet) -> None:
    """By what the workers have learnt; who comes later learns from the pages of all."""
    for pages in (20, 40):
        assert {done.code for done in fleet.run(2, strategy="adaptive", pages=pages)} == {0}
    with read_crawl(fleet.folder) as database:
        ((learnt, recorded),) = database.rows("SELECT (SELECT count(*) FROM learnt), count(*) FROM pages")
    assert learnt == recorded == 40


def test_pages_are_revisited(fleet: Fleet) -> None:
    """Each worker visits pages of its own hosts again, and together they keep to the share."""
    assert {done.code for done in fleet.run(2, pages=30)} == {0}
    assert {done.code for done in fleet.run(2, "FOCUSED_REVISIT_SHARE=0.5", pages=50)} == {0}
    recorded = fleet.pages()
    with read_crawl(fleet.folder) as database:
        visits = database.rows("SELECT outcome, page FROM revisits")
        counters = dict(database.rows("SELECT name, value FROM counters"))
    assert len(visits) == counters["revisits"]
    assert 50 <= len(recorded) + len(visits) <= 50 + 2 * 16  # revisits that were under way then
    assert len(visits) > 5
    assert {outcome for outcome, _ in visits} == {"unchanged"}
    assert len({page for _, page in visits}) == len(visits)


def test_a_worker_dies(fleet: Fleet) -> None:
    """Others do what it had out, seconds later."""
    fleet.bees.slow_down(0.3)
    first, second = fleet.start(2)
    until(lambda: fleet.bees.hits().total() > 15)
    first.signal(signal.SIGKILL)
    assert first.wait().code == -9
    assert second.wait().code == 0
    fleet.check_whole()


def test_who_takes_hosts_up_gives_them_their_priorities_again(fleet: Fleet) -> None:
    """Their owner may have died before it had."""
    fleet.bees.slow_down(0.3)
    first, second = fleet.start(2, SCORERS, strategy="doubtful")
    until(lambda: fleet.begun() == 2 and fleet.recorded() > 20)
    first.signal(signal.SIGKILL)
    before = fleet.doubts()
    assert second.wait().code == 0
    after = fleet.doubts()
    assert len(after) == 2
    assert any(doubts > before.get(run, 0) for run, doubts in after.items()), (before, after)


def test_all_die(fleet: Fleet, postgresql: Server) -> None:
    """The same command goes on."""
    fleet.bees.slow_down(0.3)
    others = postgresql.crawls()
    workers = fleet.start(2)
    until(lambda: fleet.bees.hits().total() > 15 and fleet.recorded() > 0)
    for worker in workers:
        worker.signal(signal.SIGKILL)
        worker.wait()
    until(lambda: postgresql.crawls() <= others)  # what they had sent is still written
    before = len(fleet.pages())
    (done,) = fleet.run(1)
    assert done.code == 0
    assert f"goes on after {before} pages" in done.err
    fleet.check_whole()


def test_the_server_dies(bees: Bees, scrapy: Scrapy) -> None:
    """A worker ends in one line, and the same command goes on."""
    with restartable_server() as server:
        fleet = Fleet(bees, scrapy, server.address)
        fleet.bees.slow_down(0.5)
        (worker,) = fleet.start(1)
        until(lambda: fleet.bees.hits().total() > 10)
        server.kill()
        done = worker.wait()
        assert done.code != 0
        assert "Traceback" not in done.err
        assert done.err.count("ERROR") == 1
        server.restart()
        fleet.bees.slow_down(0.0)
        assert fleet.run(1)[0].code == 0
        fleet.check_whole()


def test_a_host_is_asked_as_by_one(fleet: Fleet) -> None:
    """Its delay is kept over all workers, their requests for robots.txt included."""
    assert {done.code for done in fleet.run(3, f"DOWNLOAD_DELAY={DELAY}")} == {0}
    fleet.check_delay()


def stop_between_turns(worker: Running, server: Server) -> None:
    """Stop a worker which is not writing at that moment: it would lose its turn, and end."""
    for _ in range(20):
        worker.signal(signal.SIGSTOP)
        for _ in range(20):
            time.sleep(0.05)
            if not server.crawls(in_transaction=True):
                return
        worker.signal(signal.SIGCONT)
        time.sleep(0.1)
    raise AssertionError("it writes all the time")


def test_a_worker_that_slept(fleet: Fleet, postgresql: Server) -> None:
    """Others do what it had out; awake again it neither asks too early nor counts anything twice."""
    fleet.bees.slow_down(0.5)
    first, second = fleet.start(2, f"DOWNLOAD_DELAY={DELAY}")
    until(lambda: fleet.bees.hits().total() > 3)
    stop_between_turns(first, postgresql)
    time.sleep(WORKER_SECONDS + 1)
    hits = fleet.bees.hits().total()
    until(lambda: fleet.bees.hits().total() > hits)
    first.signal(signal.SIGCONT)
    done = first.wait()
    assert second.wait().code == 0
    assert "others have its hosts" in done.err, done.err  # for good
    assert (done.code != 0, done.err.count("ERROR")) == (True, 1)
    fleet.check_delay()
    fleet.check_whole()


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            ("FOCUSED_HUB_TRIGGER=5",),
            "FOCUSED_HUB_TRIGGER is for a crawl of one process; a fleet has to leave it out",
        ),
        (
            ("FOCUSED_RECORD=web.warc.gz",),
            "FOCUSED_RECORD is for a crawl of one process; a fleet has to leave it out",
        ),
        (("FOCUSED_DATABASE=",), "FOCUSED_DATABASE is empty"),
    ],
)
def test_what_cannot_be(bees: Bees, scrapy: Scrapy, settings: tuple[str, ...], told: str) -> None:
    """Ends in one line."""
    servers = ("FOCUSED_FRONTIER=postgresql", "FOCUSED_DATABASE=postgresql://nobody@127.0.0.1:1/x")
    done = scrapy.run(*bees.words(*servers, *settings))
    assert told in done.err
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_judged_anew_when_all_have_ended(fleet: Fleet, scrapy: Scrapy) -> None:
    """Not before, in one line; then all pages, whoever fetched them, and the fleet can go on."""
    fleet.bees.slow_down(0.3)
    workers = fleet.start(2, pages=30)
    until(lambda: fleet.begun() == 2)
    refused = scrapy.run("judge", fleet.folder, "--by", "thesaurus")
    assert (refused.code, refused.err.count("\n")) == (2, 1), refused.err
    assert "is being crawled by another process" in refused.err
    assert {worker.wait().code for worker in workers} == {0}
    done = scrapy.run("judge", fleet.folder, "--by", "thesaurus")
    assert done.code == 0, done.err
    assert " of 30 pages relevant by thesaurus:" in done.out
    with read_crawl(fleet.folder) as database:
        ((judge,),) = database.rows("SELECT DISTINCT judge FROM runs")
        ((relevant,),) = database.rows("SELECT sum(is_relevant) FROM pages")
        assert dict(database.rows("SELECT name, value FROM counters"))["relevant"] == relevant
    assert judge.startswith("thesaurus:")
    feed = [json.loads(line) for line in (fleet.folder / "pages.jsonl").read_text().splitlines()]
    assert (len(feed), sum(page["is_relevant"] for page in feed)) == (30, relevant)
    assert {done.code for done in fleet.run(2, pages=40)} == {0}
    assert len(fleet.pages()) == 40
