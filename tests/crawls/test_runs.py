"""Budgets, and crawls of several runs: stopped, killed, gone on with."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import pytest

from tests.crawls.bees import AGAIN, PAGES, Bees
from tests.crawls.site import Answer
from tests.project import Job, Scrapy, crawl, until


def test_a_budget_of_pages_is_kept_to_the_page(bees: Bees, scrapy: Scrapy) -> None:
    """Also with eight in flight, and with failures, which are no pages: nothing more is asked for."""
    scrapy.run(*bees.words(pages=25))
    job = bees.job()
    assert len(job.pages) == bees.hits().total() == 25
    assert (job.run["state"], job.run["reason"]) == ("finished", "pages_budget")
    assert job.run["totals"]["pending"] == job.states["pending"] > 0


def test_a_folder_may_have_any_name(bees: Bees, scrapy: Scrapy, tmp_path: Path) -> None:
    """Scrapy reads the address of a feed as a template: of the time, and of what the spider is."""
    crawls = tmp_path / "100% of %(time)s, %s 'and' \"é\""
    done = scrapy.run(*bees.words(f"FOCUSED_CRAWLS={crawls}", pages=5))
    assert done.code == 0
    (feed,) = crawls.glob("*/1/pages.jsonl")
    assert len(feed.read_text().splitlines()) == 5


def test_a_budget_of_relevant_pages(bees: Bees, scrapy: Scrapy) -> None:
    """It ends with the last one wanted."""
    scrapy.run(*bees.words("CONCURRENT_REQUESTS=1", relevant=10))
    relevant = [row[0] for row in bees.job().rows("SELECT is_relevant FROM pages ORDER BY position")]
    assert sum(relevant) == 10
    assert relevant[-1] == 1
    assert bees.job().run["reason"] == "relevant_budget"


def test_a_budget_of_minutes(bees: Bees, scrapy: Scrapy) -> None:
    """Parts of a minute count; the time of earlier runs does, too."""
    bees.slow_down(0.5)
    settings = ("CONCURRENT_REQUESTS=1",)
    scrapy.run(*bees.words(*settings, minutes=0.05, job="timed"))
    first = bees.job("timed")
    assert first.run["reason"] == "time_budget"
    assert len(first.pages) < 15  # perhaps none: a machine may be so busy
    assert 3 <= first.run["seconds"] < 25  # all pages take 30
    again = scrapy.run(*bees.words(*settings, minutes=0.05, job="timed"))
    assert "its budget is spent; give more" in again.err
    assert (again.err.count("\n"), again.code) == (1, 2)


def test_a_page_that_refreshes_itself_is_asked_for_once(bees: Bees, scrapy: Scrapy) -> None:
    """News and scores do so, now and then; that is no redirect."""
    for path, (answer,) in bees.site.answers.items():
        refresh = f'<head><meta http-equiv="refresh" content="60; url={path}#top">'
        bees.site.answers[path] = [answer._replace(body=answer.body.replace(b"<head>", refresh.encode()))]
    scrapy.run(*bees.words(pages=10))
    assert len(bees.job().pages) == bees.hits().total() == 10


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_the_same_command_goes_on(how: signal.Signals, bees: Bees, scrapy: Scrapy) -> None:
    """After Ctrl-C, and after kill -9: nothing is lost, nothing is recorded twice."""
    bees.slow_down(0.2)
    running = scrapy.start(*bees.words())
    until(lambda: bees.hits().total() > 20)
    running.signal(how)
    stopped = running.wait()
    assert stopped.code == (-9 if how == signal.SIGKILL else 130)
    assert bees.job().run["state"] == ("running" if how == signal.SIGKILL else "stopped")
    before = len(bees.job().pages)
    assert 0 < before < PAGES
    bees.slow_down(0.0)
    done = scrapy.run(*bees.words())
    job = bees.job()
    assert f"goes on after {before} pages" in done.err
    assert (job.run["state"], job.run["reason"]) == ("finished", "finished")
    assert sorted(job.pages) == sorted(bees.site.url(f"/{number}") for number in range(PAGES))
    feed = [json.loads(line)["url"] for line in (job.folder / "pages.jsonl").read_text().splitlines()]
    assert feed == job.pages
    refetched = bees.hits().total() - PAGES
    assert refetched <= (AGAIN if how == signal.SIGKILL else 0)
    assert job.run["totals"]["pages"] == dict(job.rows("SELECT * FROM counters"))["pages"] == PAGES


def test_only_a_named_job_goes_on_with_a_larger_budget(bees: Bees, scrapy: Scrapy) -> None:
    """Of the others, one that has ended is left alone: the same command makes the next number."""
    for pages in (10, 30):
        scrapy.run(*bees.words(pages=pages, job="mine"))
    assert len(bees.job("mine").pages) == bees.hits().total() == 30
    assert len(bees.job("mine").rows("SELECT * FROM runs")) == 2
    for number in ("1", "2"):
        scrapy.run(*bees.words(pages=5))
        assert len(bees.job(number).pages) == 5


def test_a_spent_budget(bees: Bees, scrapy: Scrapy) -> None:
    """A run that was killed after its last page is brought to its end; one that ended cannot go on."""
    scrapy.run(*bees.words(pages=10, job="small"))
    path = bees.job("small").folder / "run.json"
    path.write_text(json.dumps(bees.job("small").run | {"state": "running", "reason": ""}))
    done = scrapy.run(*bees.words(pages=10, job="small"))
    assert (done.code, "Traceback" in done.err) == (0, False)
    assert bees.job("small").run["state"] == "finished"
    assert len(bees.job("small").pages) == 10
    done = scrapy.run(*bees.words(pages=10, job="small"))
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "has 10 pages, and its budget is spent; give more (as in -a pages=2000)" in done.err
    done = scrapy.run(*bees.words(job="small"), "-a", "minutes=0.001")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "give more (as in -a minutes=120)" in done.err


def test_another_strategy_is_another_crawl(bees: Bees, scrapy: Scrapy) -> None:
    """Even while the last one is not finished; and so is another seed set or web."""
    bees.slow_down(0.3)
    running = scrapy.start(*bees.words())
    until(lambda: bees.hits().total() > 3)
    running.signal(signal.SIGINT)
    running.wait()
    scrapy.run(*bees.words(strategy="breadth_first", pages=3))
    assert bees.job("2").run["strategy"] == "breadth_first"
    assert bees.job("1").run["state"] == "stopped"


def test_a_crawl_has_one_process(bees: Bees, scrapy: Scrapy) -> None:
    """The second one says so in one line, and the first one goes on."""
    bees.slow_down(4.0)
    first = scrapy.start(*bees.words())
    until(lambda: bees.hits().total() > 0)
    second = scrapy.run(*bees.words())
    bees.slow_down(0.0)
    assert second.err.startswith("error: ")
    assert "is being crawled by another process" in second.err
    assert f"scrapy order stop {bees.job().folder}, or begin another crawl with -a job=NAME" in second.err
    assert (second.err.count("\n"), second.code) == (1, 2)
    assert first.wait().code == 0
    assert len(bees.job().pages) == PAGES


def test_a_full_disk_ends_the_crawl(scrapy: Scrapy, demo_web: Path, tmp_path: Path) -> None:
    """With one line and no traceback; the same command goes on when there is room again."""
    topic = demo_web.parent / "demo.topics/astronomy"
    settings = (f"FOCUSED_WEB={demo_web}", "SPIDER_MODULES=tests.crawls.odd")
    words = crawl(topic, tmp_path, *settings, profile="offline", pages=80)
    full = scrapy.run("crawl", "full", *words[2:])
    assert full.code == 12
    assert full.err.endswith("the disk is full; free some space and run the same command again\n")
    assert "Traceback" not in full.err
    job = Job(tmp_path / "astronomy/1")
    assert job.run["state"] == "stopped"
    assert 0 < len(job.pages) < 80
    scrapy.run(*crawl(topic, tmp_path, f"FOCUSED_WEB={demo_web}", profile="offline", pages=80))
    assert Job(job.folder).run["reason"] == "pages_budget"
    assert len(set(Job(job.folder).pages)) == 80


def test_seeds_that_cannot_be_had(bees: Bees, scrapy: Scrapy) -> None:
    """The crawl ends, and says which way they failed."""
    bees.site.answers["/0"] = [Answer(status=404)]
    done = scrapy.run(*bees.words())
    assert "Not one page was fetched: 404 Not Found 1x; check the topic's seeds" in done.err
    assert bees.job().run["reason"] == "finished"


def test_a_crawl_keeps_its_judge(bees: Bees, scrapy: Scrapy) -> None:
    """What a setting made the judge of its pages is asked for again; one line says how."""
    setting = "FOCUSED_CLASSIFIER=thesaurus"
    assert scrapy.run(*bees.words(setting, job="one", pages=5)).code == 0
    refused = scrapy.run(*bees.words(job="one", pages=10))
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    judge = bees.job("one").run["judge"]
    assert re.search(
        rf"judged by {judge}, not by keywords:\w+: give -s {setting}\); choose another", refused.err
    )
    assert scrapy.run(*bees.words(setting, job="one", pages=10)).code == 0
    assert judge.startswith("thesaurus:")
    assert (bees.job("one").run["judge"], len(bees.job("one").pages)) == (judge, 10)


def test_a_judge_that_is_another_is_told(bees: Bees, scrapy: Scrapy) -> None:
    """A topic that was trained, or not any more, between two runs: the crawl goes on, with a warning."""
    assert scrapy.run(*bees.words(job="one", pages=5)).code == 0
    path = bees.job("one").folder / "run.json"
    path.write_text(json.dumps({**bees.job("one").run, "judge": "model"}))
    done = scrapy.run(*bees.words(job="one", pages=10))
    assert done.code == 0
    judge = bees.job("one").run["judge"]
    assert judge.startswith("keywords:")
    assert f"Pages were judged by model before, and are by {judge} from here on" in done.err


@pytest.mark.slow
@pytest.mark.parametrize("command", [["fetch"], ["parse", "--spider=topic"]])
def test_a_command_of_scrapy_that_asks_for_a_page_is_no_crawl(
    bees: Bees, scrapy: Scrapy, command: list[str]
) -> None:
    """In a project with a topic in its settings: one that has stopped is not gone on with."""
    bees.slow_down(0.2)
    words = bees.words(pages=PAGES)
    running = scrapy.start(*words)
    until(lambda: bees.hits().total() > 5)
    running.signal(signal.SIGINT)
    running.wait()
    run, states = bees.job().run, bees.job().states
    assert run["state"] == "stopped"
    given = words[words.index("-s") :]
    done = scrapy.run(*command, bees.url(0), *given, "-s", f"FOCUSED_TOPIC={bees.topic}")
    assert done.code == 0, done.err
    assert (bees.job().run, bees.job().states) == (run, states)
    assert [path.name for path in bees.crawls.glob("*/*")] == ["1"]
