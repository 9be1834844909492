"""`scrapy train --accept`, `--back`: another model for a topic and its crawl, stopped, killed, under way."""

from __future__ import annotations

import json
import random
import shlex
import shutil
import signal
import sqlite3
import struct
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
import tomlkit
from scipy.stats import spearmanr
from scrapy.settings import Settings

from focused_crawler.classify.model_versions import RECORD, accept
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.changes import change_model
from focused_crawler.crawl.crawl import Crawl
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.edge import handing_over
from focused_crawler.edge.handing_over import analyst_of
from focused_crawler.report.read import read_summary
from focused_crawler.report.training_record import TrainingRecord
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.progress import HowFar, how_far
from focused_crawler.store import orders
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import run_of
from tests.project import Done, Job, Scrapy, crawl, until

PAGES, MORE = 80, 200
SLOWLY = "FOCUSED_WEB_LATENCY=0.04"
"""So a crawl is still under way when a command has trained and judged, and waits instead of working."""
VERDICTS = "SELECT position, relevance, is_relevant FROM pages ORDER BY position"
WAITING = "SELECT url, priority FROM urls WHERE state = 1 ORDER BY url"


class Place(NamedTuple):
    """A topic with an old model and a new one that waits, and a crawl by the old one."""

    root: Path
    scrapy: Scrapy

    @property
    def topic(self) -> Path:
        return self.root / "astronomy"

    @property
    def candidate(self) -> Path:
        """Where a new model waits."""
        return self.topic / "model/candidate"

    @property
    def settings(self) -> list[str]:
        """Without a background, which would be of the web's own pages, later examples among them."""
        return [f"FOCUSED_WEB={self.root / 'web.warc.gz'}", "FOCUSED_BACKGROUND=0", "LOG_LEVEL=INFO"]

    @property
    def job(self) -> Job:
        return Job(self.root / "crawls/astronomy/1")

    def train(self, *words: str) -> Done:
        crawls = f"FOCUSED_CRAWLS={self.root / 'crawls'}"
        return self.scrapy.run("train", self.topic, *words, *_given(*self.settings, crawls))

    def accepting(self) -> list[object]:
        crawls = f"FOCUSED_CRAWLS={self.root / 'crawls'}"
        return ["train", self.topic, "--accept", *_given(*self.settings, crawls)]

    def crawl(self, pages: int, *settings: str) -> list[str]:
        own = (*self.settings, *settings)
        return crawl(self.topic, self.root / "crawls", *own, job="1", pages=pages, profile="offline")

    def opened(self) -> Crawl:
        """Go on with the crawl in this process, until it has MORE pages."""
        run = run_of(self.job.folder)
        run.settings |= {"FOCUSED_CRAWLS": str(self.root / "crawls"), "FOCUSED_PAGES": MORE}
        return Crawl(CrawlPlan.make(analyst_of(Settings(), run).config))

    def accepted(self) -> list[Analyst]:
        """Let the topic have its new model; return two that judge by it."""
        accept(self.topic / "model")
        return [analyst_of(Settings(), run_of(self.job.folder)) for _ in range(2)]

    def told(self) -> str:
        return (self.topic / "model/model.json").read_text()


def _given(*settings: str) -> list[str]:
    return [word for one in settings for word in ("-s", one)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, demo_web: Path, scrapy: Scrapy) -> Place:
    root = tmp_path_factory.mktemp("accept")
    (root / "web.warc.gz").symlink_to(demo_web)  # by another name: no ground truth lies beside it
    place = Place(root, scrapy)
    place.topic.mkdir()
    file = place.topic / "topic.toml"
    shutil.copy(demo_web.parent / "demo.topics/astronomy/topic.toml", file)
    whole = file.read_text()
    few = tomlkit.parse(whole)
    for kind in ("relevant", "other"):
        few["examples"][kind] = few["examples"][kind][:4]
    file.write_text(tomlkit.dumps(few))
    assert place.train().code == 0
    done = scrapy.run(*place.crawl(PAGES))
    assert done.code == 0, done.err
    file.write_text(whole)
    return place


@pytest.fixture(scope="module")
def candidate(made: Place, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The new model that training leaves beside the old one."""
    place = _copied(made, tmp_path_factory.mktemp("trained"))
    assert place.train().code == 0
    return place.candidate


@pytest.fixture
def place(made: Place, tmp_path: Path) -> Place:
    """All of it, to be changed; the crawl's topic is this copy of it."""
    return _copied(made, tmp_path)


def _copied(made: Place, folder: Path) -> Place:
    place = Place(Path(shutil.copytree(made.root, folder / "place", symlinks=True)), made.scrapy)
    run = place.job.folder / "run.json"
    run.write_text(run.read_text().replace(str(made.root), str(place.root)))
    return place


def test_training_shows_what_it_is_worth(place: Place) -> None:
    """The old model stays; both judge the same examples, held out, and what would change is named."""
    told, verdicts, waiting = place.told(), place.job.rows(VERDICTS), place.job.rows(WAITING)
    done = place.train()
    assert done.code == 0, done.err
    assert "The same 90 examples, held out, 82 new to the old model: old model -> new model" in done.out
    assert any(line.startswith("  F1 ") and "95 %:" in line for line in done.out.splitlines())
    assert any(line.startswith(("Accept it: ", "Keep the old one: ")) for line in done.out.splitlines())
    assert f"of {PAGES} pages" in done.out
    assert "that come next" in done.out
    named = [line.split()[-1] for line in done.out.splitlines() if line.startswith("  Now among them: ")]
    assert (place.told(), place.job.rows(VERDICTS), place.job.rows(WAITING)) == (told, verdicts, waiting)
    assert (place.topic / "model/candidate/training.html").exists()
    record = TrainingRecord.load(place.topic / "model/candidate" / RECORD)
    assert record is not None
    assert record.crawl is not None
    assert named == [one.url for one in record.crawl.coming if one.place is None][:3]
    assert len(named) == min(record.crawl.others, 3) > 0
    assert (record.crawl.pages, Path(record.crawl.folder)) == (PAGES, place.job.folder)
    assert len(record.crawl.now_relevant) == min(record.crawl.gained, 20)
    assert f"  F1        {record.paired.f1.old:.2f} -> {record.paired.f1.new:.2f} (" in done.out
    shown = place.train("--show")
    assert (shown.code, shown.err) == (0, "")
    assert "astronomy is judged by model:" in shown.out
    assert f"of {PAGES} pages {record.crawl.gained} would be relevant that were not" in shown.out
    places = shlex.join(_given(place.settings[0], f"FOCUSED_CRAWLS={place.root / 'crawls'}"))
    assert shown.out.endswith(f"To take it: scrapy train {place.topic} {places} --accept\n")


def test_accepted_and_taken_back(place: Place, candidate: Path) -> None:
    """Pages, links that wait, counters, feed, run.json: by the new model, and again as by the old one."""
    old = place.told()
    assert place.train("--accept").code == 0  # none waits: its own model, by the stored texts
    before = place.job.rows(VERDICTS), place.job.rows(WAITING)
    shutil.copytree(candidate, place.candidate)
    done = place.train("--accept")
    assert done.code == 0, done.err
    assert place.told() != old
    assert not (place.topic / "model/candidate").exists()
    judge = place.job.run["judge"]
    assert f"{PAGES} pages judged by {judge}" in done.out
    assert place.job.rows("SELECT DISTINCT judge FROM runs") == [(judge,)]
    assert _is_sound(place.job)
    after = place.job.rows(VERDICTS), place.job.rows(WAITING)
    assert after[0] != before[0]
    assert after[1] != before[1]
    done = place.train("--back")
    assert done.code == 0, done.err
    assert place.told() == old
    assert (place.job.rows(VERDICTS), place.job.rows(WAITING)) == before
    assert place.train("--accept").code == 0
    assert (place.job.rows(VERDICTS), place.job.rows(WAITING)) == after


def test_back_from_the_first_model_to_words(place: Place) -> None:
    """The topic and its crawl are judged by words; the model taken again, the crawl is as before."""
    assert place.train("--accept").code == 0  # its own model, by the stored texts
    told, model = place.told(), place.job.run["judge"]
    before = place.job.rows(VERDICTS), place.job.rows(WAITING)
    done = place.train("--back")
    assert done.code == 0, done.err
    words = place.job.run["judge"]
    assert words.startswith("keywords:")
    assert f"astronomy is judged by {words} again, as before its first model" in done.out
    assert place.job.rows("SELECT DISTINCT judge FROM runs") == [(words,)]
    assert place.job.rows(VERDICTS) != before[0]
    assert _is_sound(place.job)
    assert "astronomy is judged by its words." in place.train("--show").out
    assert place.train("--back").code == 0  # as after a kill before the crawl knows
    assert place.job.run["judge"] == words
    assert place.train("--accept").code == 0
    assert (place.told(), place.job.run["judge"]) == (told, model)
    assert (place.job.rows(VERDICTS), place.job.rows(WAITING)) == before


def test_back_whatever_waits(place: Place, candidate: Path) -> None:
    """From a second model to the first and on to words, each by one command; so where a third waits."""
    first, words = place.told(), "astronomy is judged by keywords:"
    shutil.copytree(candidate, place.candidate)
    second = (place.candidate / "model.json").read_text()
    assert place.train("--accept").code == 0
    for model, waits, said in ((first, second, "The model before is back in "), (None, first, words)):
        done = place.train("--back")
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith(said)
        assert (place.topic / "model/model.json").exists() == (model is not None)
        assert (place.candidate / "model.json").read_text() == waits
        assert ("\nThe model that waited before is gone: one waits at a time.\n" in done.out) == (not model)
    assert place.train("--accept").code == 0
    assert place.told() == first


def test_a_crawl_that_cannot_follow_stays_as_it_was(place: Place) -> None:
    """Its strategy may go by an HMM, which words have not; it is an error where that crawl was named."""
    file = place.job.folder / "run.json"
    strategy = place.job.run["strategy"]
    file.write_text(file.read_text().replace(f'"strategy": "{strategy}"', '"strategy": "hmm"'))
    before = place.job.rows(VERDICTS), place.job.rows(WAITING)
    done = place.train("--back")
    assert (done.code, done.err) == (0, "")
    assert "crawls/astronomy/1 stays as it was: astronomy has no HMM" in done.out
    assert (place.job.rows(VERDICTS), place.job.rows(WAITING)) == before
    done = place.train("--back", "--crawl", str(place.job.folder))
    assert (done.code, done.err.startswith("error: astronomy has no HMM")) == (2, True)


def test_trained_twice(place: Place) -> None:
    """The same model again waits for nobody, with `--replace` or without; `--back` goes back as before."""
    first, model = place.told(), place.topic / "model"
    assert place.train("--replace").code == 0
    second, report = place.told(), (model / "training.html").read_bytes()
    assert first != second
    (model / "candidate").mkdir()
    (model / "candidate/model.json").write_text(first)  # from other examples
    for words in ((), ("--replace",)):
        done = place.train(*words)
        assert done.code == 0, done.err
        assert f"The old model stays in {model}: the new one is the same, and none waits.\n" in done.out
        assert not (model / "candidate").exists()
        assert (place.told(), (model / "training.html").read_bytes()) == (second, report)
    done = place.train("--accept")
    assert "No other model waits: it is the one that is there." in done.out
    assert place.train("--back").code == 0
    assert place.told() == first
    assert place.train("--accept").code == 0
    assert place.told() == second


def test_killed_before_its_report_was_written(place: Place) -> None:
    """The same command writes it: the report beside a model is of this one."""
    assert place.train("--replace").code == 0
    model = place.topic / "model"
    whole = (model / "training.html").read_text()
    (model / "training.html").write_text("of the model before")
    (model / RECORD).unlink()
    assert place.train().code == 0
    assert len((model / "training.html").read_text()) > len(whole) / 2
    record = TrainingRecord.load(model / RECORD)
    assert record is not None
    assert record.judge in place.train("--show").out


@pytest.mark.slow
def test_what_would_change_is_shown_of_a_crawl_under_way(place: Place) -> None:
    """In a draft of its database: the crawl itself goes on as if nobody had asked."""
    running = place.scrapy.start(*place.crawl(MORE, SLOWLY))
    until(lambda: place.job.rows("SELECT count(*) FROM runs") == [(2,)])
    done = place.train()
    assert done.code == 0, done.err
    record = TrainingRecord.load(place.topic / "model/candidate" / RECORD)
    assert record is not None
    assert record.crawl is not None
    assert PAGES <= record.crawl.pages <= MORE
    ended = running.wait()
    assert ended.code == 0, ended.err
    assert place.job.run["totals"]["pages"] == MORE
    assert place.job.rows("SELECT count(*) FROM decisions WHERE decision = 'judged'") == [(0,)]


def test_progress_is_written_for_other_programs(place: Place, tmp_path: Path) -> None:
    """What is counted, how many, of how many; the last of it is that all pages of the crawl are judged."""
    assert place.train("--progress", str(tmp_path / "far.json")).code == 0
    assert how_far(tmp_path / "far.json") == HowFar("pages judged", PAGES, PAGES)


def test_the_same_model_changes_next_to_nothing(place: Place) -> None:
    """What is kept of a page is judged as the page was, up to rounding; its links come in their order.

    A strategy learns from it where links stand, and changes its mind about URLs as it did. A few links spell
    a URL in another way than the first one did, which is kept.
    """
    before, waiting = place.job.rows(VERDICTS), dict(place.job.rows(WAITING))
    assert place.train("--accept").code == 0
    after, waits = place.job.rows(VERDICTS), dict(place.job.rows(WAITING))
    assert [one[2] for one in after] == [one[2] for one in before]
    assert [one[1] for one in after] == pytest.approx([one[1] for one in before], abs=1e-12)
    assert waits.keys() == waiting.keys()
    assert waits == pytest.approx(waiting, abs=0.005)
    assert spearmanr([waiting[url] for url in waits], list(waits.values())).statistic >= 0.999


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["sb_classifier", "tres"])
def test_the_same_model_leaves_what_a_strategy_makes_of_urls(strategy: str, place: Place) -> None:
    """Whether it goes by the elements that links stand in, or changes its mind about all after each page."""
    crawls = place.root / "crawls"
    about = {"job": "2", "strategy": strategy, "pages": PAGES, "profile": "offline"}
    done = place.scrapy.run(*crawl(place.topic, crawls, *place.settings, **about))
    assert done.code == 0, done.err
    job = Job(crawls / "astronomy/2")
    waiting = dict(job.rows(WAITING))
    done = place.train("--accept", "--crawl", str(job.folder))
    assert done.code == 0, done.err
    assert dict(job.rows(WAITING)) == pytest.approx(waiting, abs=0.02)


@pytest.mark.slow
def test_what_links_inherit_is_of_the_new_model(place: Place, candidate: Path) -> None:
    """Down to the URLs that wait: half of what their page is worth, or of what that inherited."""
    crawls = place.root / "crawls"
    about = {"job": "2", "strategy": "shark_search", "pages": PAGES, "profile": "offline"}
    done = place.scrapy.run(*crawl(place.topic, crawls, *place.settings, **about))
    assert done.code == 0, done.err
    shutil.copytree(candidate, place.candidate)
    done = place.train("--accept", "--crawl", str(crawls / "astronomy/2"))
    assert done.code == 0, done.err
    inherited = "SELECT below.path, is_relevant, relevance, page.path FROM urls AS below"
    inherited += " JOIN urls AS page ON page.id = below.parent JOIN pages ON pages.key = page.key"
    inherited += " WHERE below.state IN (1, 2) AND requested_key IS NULL"
    notes = [
        (*struct.unpack("<d", note), relevance if is_relevant else struct.unpack("<d", handed or bytes(8))[0])
        for note, is_relevant, relevance, handed in Job(crawls / "astronomy/2").rows(inherited)
    ]
    assert len(notes) > PAGES
    assert [note for note, _ in notes] == pytest.approx([half / 2 for _, half in notes])


@pytest.mark.slow
@pytest.mark.parametrize("processes", [0, 2])
def test_a_crawl_under_way_takes_it(processes: int, place: Place, candidate: Path) -> None:
    """It judges its pages anew beside its work, and goes on by the new model."""
    shutil.copytree(candidate, place.candidate)
    running = place.scrapy.start(*place.crawl(MORE, SLOWLY, f"FOCUSED_ANALYSIS_PROCESSES={processes}"))
    until(lambda: place.job.rows("SELECT count(*) FROM runs") == [(2,)])
    done = place.train("--accept")
    assert done.code == 0, done.err
    ended = running.wait()
    assert ended.code == 0, ended.err
    run = place.job.run
    assert f"is under way: it judges by {run['judge']} from now on" in done.out
    assert run["totals"]["pages"] == MORE
    answer = place.job.rows("SELECT answer FROM orders")
    assert len(answer) == 1
    assert run["judge"] in answer[0][0]
    assert place.job.rows("SELECT DISTINCT judge FROM runs") == [(run["judge"],)]
    assert place.job.rows("SELECT rule FROM decisions WHERE decision = 'judged'") == [(run["judge"],)]
    assert _is_sound(place.job)
    as_it_is = place.job.rows(VERDICTS)
    assert place.train("--accept").code == 0  # judged once more by the same model
    again = place.job.rows(VERDICTS)
    assert sum(one[2] != other[2] for one, other in zip(as_it_is, again, strict=True)) <= MORE // 50


def test_a_crawl_under_way_is_asked_for_its_own_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever somebody else orders meanwhile."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        command = threading.Thread(target=handing_over._order, args=(tmp_path, "keywords:1"))
        command.start()
        until(lambda: orders.next_order(database) is not None)
        orders.give(tmp_path, orders.ADD, "[]")
        for answer in ("judged anew", "0 of 0 URLs new"):
            order = orders.next_order(database)
            assert order is not None
            orders.carried_out(database, order, answer)
        database.commit()
        command.join()
    first, last = capsys.readouterr().out.splitlines()
    assert first.endswith("is under way: it judges by keywords:1 from now on, and goes over its pages.")
    assert last == "judged anew"


def test_a_crawl_under_way_goes_back_to_words(place: Place) -> None:
    """What is said is what it judges by."""
    running = place.scrapy.start(*place.crawl(MORE, SLOWLY))
    until(lambda: place.job.rows("SELECT count(*) FROM runs") == [(2,)])
    done = place.train("--back")
    assert done.code == 0, done.err
    running.signal(signal.SIGINT)
    assert running.wait().code == 130
    words = place.job.run["judge"]
    assert words.startswith("keywords:")
    assert f"is under way: it judges by {words} from now on, and goes over its pages.\n" in done.out


@pytest.mark.slow
def test_killed_while_it_changes(place: Place, candidate: Path) -> None:
    """A command leaves all as it was, or all changed; a crawl goes on with it when it goes on."""
    shutil.copytree(candidate, place.candidate)
    numbers = random.Random(18)
    before, ((old,),) = place.job.rows(VERDICTS), place.job.rows("SELECT judge FROM runs")
    for _ in range(4):
        running = place.scrapy.start(*place.accepting())
        time.sleep(numbers.uniform(0.2, 2.5))
        running.signal(signal.SIGKILL)
        running.wait()
        is_changed = place.job.rows("SELECT judge FROM runs") != [(old,)]
        assert is_changed == (place.job.rows(VERDICTS) != before)
        json.loads(place.told())
    orders.give(place.job.folder, orders.MODEL)
    running = place.scrapy.start(*place.crawl(MORE))
    until(lambda: place.job.rows("SELECT count(*) FROM runs")[0][0] >= 2)
    running.signal(signal.SIGKILL)
    running.wait()
    done = place.scrapy.run(*place.crawl(MORE))
    assert done.code == 0, done.err
    assert place.job.rows("SELECT count(*) FROM orders WHERE done_at IS NULL") == [(0,)]
    assert place.job.rows("SELECT DISTINCT judge FROM runs") == [(place.job.run["judge"],)]
    assert _is_sound(place.job)


def test_a_crawl_that_ends_meanwhile(place: Place, candidate: Path) -> None:
    """What it leaves agrees, and says that there are two judges, until it goes on and is through."""
    shutil.copytree(candidate, place.candidate)
    old, crawl = place.job.run["judge"], place.opened()
    orders.give(place.job.folder, orders.MODEL)
    analysts = place.accepted()
    parts = change_model(crawl, *analysts)
    for _ in range(PAGES // 2):
        next(parts)
    both = f"{old} and {analysts[0].model.judge_name}"
    assert place.job.run["judge"] == place.job.run["judged_by"] == both  # also if it is killed from here on
    crawl.end("shutdown")
    assert place.job.run["judge"] == place.job.run["judged_by"] == both
    assert place.job.rows("SELECT DISTINCT judge FROM runs") == [(both,)]
    assert _is_sound(place.job)
    assert read_summary(place.job.folder).judged_by == both
    compared = place.scrapy.run("report", place.job.folder, "--compare", place.job.folder)
    assert compared.code == 0, compared.err
    assert both not in next(line for line in compared.out.splitlines() if "judged by" in line)
    done = place.scrapy.run(*place.crawl(MORE))
    assert done.code == 0, done.err
    assert "the crawl ended before that was done" not in done.err
    assert f"Pages were judged by {both} before" in done.err
    _is_through(place, analysts[0].model.judge_name)


def test_a_crawl_says_what_it_has_not_done(place: Place, candidate: Path) -> None:
    """A line names the command that does at once what the crawl was told too late."""
    shutil.copytree(candidate, place.candidate)
    analysts = place.accepted()
    orders.give(place.job.folder, orders.MODEL)
    done = place.scrapy.run(*place.crawl(PAGES + 1))  # which takes less time than to read a model
    assert done.code == 0, done.err
    said = f"scrapy train {place.topic} --accept --crawl {place.job.folder}"
    assert done.err.count(said) == 1
    assert place.job.rows("SELECT count(*) FROM orders WHERE done_at IS NULL") == [(1,)]
    assert _is_sound(place.job)
    done = place.scrapy.run(*said.split()[1:], *_given(*place.settings))
    assert done.code == 0, done.err
    _is_through(place, analysts[0].model.judge_name)


def _is_through(place: Place, judge: str) -> None:
    assert place.job.rows("SELECT count(*) FROM orders WHERE done_at IS NULL") == [(0,)]
    assert place.job.rows("SELECT DISTINCT judge FROM runs") == [(judge,)]
    assert (place.job.run["judge"], place.job.run["judged_by"]) == (judge, judge)
    assert _is_sound(place.job)


def test_mistakes_end_in_a_line(place: Place) -> None:
    """Both at once, a crawl of another topic, an unknown order."""
    for words, said in (
        (("--accept", "--back"), "give one of --accept and --back"),
        (("--accept", "--crawl", str(place.root)), "is no crawl's folder"),
        (("--near", "--crawl", "x"), "is for --suggest N"),
    ):
        done = place.train(*words)
        assert (done.code, len(done.err.splitlines())) == (2, 1), done.err
        assert said in done.err
    orders.give(place.job.folder, "dance")
    done = place.scrapy.run(*place.crawl(PAGES + 5))
    assert done.code == 0, done.err
    assert place.job.rows("SELECT answer FROM orders") == [("no order 'dance' is known to this version",)]


def test_what_a_crawl_was_told_is_done_once(place: Place) -> None:
    """By the command, where the crawl had stopped first; other orders wait for the crawl."""
    for what in (orders.MODEL, "dance", orders.MODEL):
        orders.give(place.job.folder, what)
    assert place.train("--accept").code == 0
    assert place.job.rows("SELECT what FROM orders WHERE done_at IS NULL") == [("dance",)]


def test_a_topic_of_the_same_name(place: Place, tmp_path: Path) -> None:
    """A crawl under way judges by its own topic's model: that of another folder is not handed to it."""
    other = shutil.copytree(place.topic, tmp_path / "other/astronomy")
    running = place.scrapy.start(*place.crawl(MORE, SLOWLY))
    until(lambda: place.job.rows("SELECT count(*) FROM runs") == [(2,)])
    crawls = f"FOCUSED_CRAWLS={place.root / 'crawls'}"
    done = place.scrapy.run("train", other, "--accept", *_given(*place.settings, crawls))
    assert running.wait().code == 0
    assert (done.code, len(done.err.splitlines())) == (2, 1), done.err
    assert f"is a crawl of the topic in {place.topic}" in done.err


def test_a_crawl_without_texts_stays(place: Place) -> None:
    """Its pages cannot be judged anew: the model is taken, and the command says so."""
    _forget_texts(place)
    assert place.train().code == 0
    before = place.job.rows(VERDICTS)
    done = place.train("--accept")
    assert (done.code, len(done.err.splitlines())) == (2, 1), done.err
    assert "has no texts of its pages" in done.err
    assert place.job.rows(VERDICTS) == before


def test_a_crawl_that_is_named_and_cannot_take_it(place: Place, candidate: Path) -> None:
    """One without texts, of another topic, or none: the topic's model stays as well."""
    _forget_texts(place)
    shutil.copytree(candidate, place.candidate)
    told, other = place.told(), shutil.copytree(place.job.folder, place.root / "other")
    run = json.loads((other / "run.json").read_text())
    (other / "run.json").write_text(json.dumps({**run, "topic": "gardening"}))
    for named, why in (
        (place.job.folder, "has no texts of its pages"),
        (other, "is no crawl of astronomy"),
        (place.root / "crawls/none", "is no crawl's folder"),
    ):
        done = place.train("--accept", "--crawl", named)
        assert (done.code, len(done.err.splitlines())) == (2, 1), done.err
        assert why in done.err
        assert place.told() == told
        assert (place.topic / "model/candidate").exists()


def test_a_crawl_under_way_without_texts_stays(place: Place, candidate: Path) -> None:
    """It goes on by the model that it has, under its name, and its order is answered."""
    _forget_texts(place)
    shutil.copytree(candidate, place.candidate)
    crawl, model = place.opened(), place.told()
    before, old = place.job.run, crawl.plan.analyst.model.judge_name
    analysts = place.accepted()
    assert place.told() != model
    with pytest.raises(CrawlError, match="has no texts of its pages"):
        next(change_model(crawl, *analysts))
    assert crawl.plan.analyst.model.judge_name == old == before["judge"]
    crawl.end("shutdown")
    assert (place.job.run["judge"], place.job.run["judged_by"]) == (old, old)
    assert place.job.rows("SELECT DISTINCT judge FROM runs") == [(old,)]


@pytest.mark.parametrize("judge", ["thesaurus", "vsm"])
def test_a_crawl_by_a_judge_that_learns_nothing(judge: str, place: Place, candidate: Path) -> None:
    """It is judged by that as before; a model changes the order of its links."""
    own = (f"FOCUSED_CLASSIFIER={judge}", *place.settings)
    words = crawl(place.topic, place.root / "crawls", *own, job="2", pages=30, profile="offline")
    done = place.scrapy.run(*words)
    assert done.code == 0, done.err
    job = Job(place.root / "crawls/astronomy/2")
    before = job.run["judge"]
    assert before.startswith(f"{judge}:")
    shutil.copytree(candidate, place.candidate)
    done = place.train("--accept")
    assert done.code == 0, done.err
    assert f"30 pages judged by {before}" in done.out
    assert job.run["judge"] == before
    assert job.rows("SELECT DISTINCT judge FROM runs") == [(before,)]


def test_what_a_crawl_names_is_gone(place: Place) -> None:
    """The model is trained, and one line says why nothing is tried out on the crawl."""
    run = place.job.run
    run["settings"]["FOCUSED_TAXONOMY"] = str(place.root / "gone")
    (place.job.folder / "run.json").write_text(json.dumps(run))
    done = place.train()
    assert done.code == 0, done.err
    assert done.out.count("cannot go on as it was: ") == 1
    assert "that come next" not in done.out
    assert (place.topic / "model/candidate/model.json").exists()


def _forget_texts(place: Place) -> None:
    with closing(sqlite3.connect(place.job.folder / "crawl.db")) as database, database:
        database.execute("DELETE FROM page_texts")


def _is_sound(job: Job) -> bool:
    """Tell whether database, its counters, feed and run.json agree."""
    ((pages, relevant),) = job.rows("SELECT count(*), sum(is_relevant) FROM pages")
    totals = job.run["totals"]
    counted = dict(job.rows("SELECT name, value FROM counters"))
    lines = [json.loads(line) for line in (job.folder / "pages.jsonl").read_text().splitlines()]
    recorded = job.rows(
        "SELECT url, relevance, is_relevant, judge FROM pages JOIN runs ON runs.id = run ORDER BY position"
    )
    assert {(one["url"], one["relevance"], one["is_relevant"], one["judge"]) for one in lines} == {
        (url, relevance, bool(verdict), judge) for url, relevance, verdict, judge in recorded
    }
    assert (totals["pages"], totals["relevant"]) == (pages, relevant)
    assert (counted["pages"], counted["relevant"]) == (pages, relevant)
    return True
