from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.job import FINISHED, RUNNING, STOPPED, RunInfo, read_run, run_of, write_run
from focused_crawler.store.job_folder import choose_folder
from tests.project import little_room

WANTED = RunInfo("asthma", "Asthma", "", "lpe", "", None, trained=True)


def begun(crawls: Path, **facts: object) -> None:
    """Leave behind what a run leaves behind."""
    run = replace(WANTED, **facts)
    (crawls / "asthma" / run.job).mkdir(parents=True)
    write_run(crawls / "asthma" / run.job, run)


def chosen(crawls: Path, **facts: object) -> str:
    run = replace(WANTED, **facts)
    folder = choose_folder(crawls, run)
    assert folder == crawls / "asthma" / run.job
    assert folder.is_dir()
    return run.job


def test_the_first_crawl_is_number_one(tmp_path: Path) -> None:
    """Its folders are made."""
    assert chosen(tmp_path / "crawls") == "1"


@pytest.mark.parametrize(
    ("before", "now", "job"),
    [
        ({"state": STOPPED}, {}, "1"),
        ({"state": RUNNING}, {}, "1"),
        ({"state": FINISHED}, {}, "2"),
        ({"state": STOPPED, "strategy": "cbp"}, {}, "2"),
        ({"state": STOPPED, "seed_set": "a"}, {}, "2"),
        ({"state": STOPPED, "seed_set": "a"}, {"seed_set": "a"}, "1"),
        ({"state": STOPPED, "web": "/a.warc.gz"}, {}, "2"),
        ({"state": STOPPED, "frontier": "memory"}, {"frontier": "memory"}, "2"),
        ({"state": STOPPED}, {"frontier": "memory"}, "2"),
        ({"state": STOPPED, "trained": False, "title": "Old"}, {}, "1"),
    ],
)
def test_the_same_command_goes_on(
    before: dict[str, object], now: dict[str, object], job: str, tmp_path: Path
) -> None:
    """Unless the crawl has ended, or is another one: strategy, seed set and web make a crawl."""
    begun(tmp_path, job="1", **before)
    assert chosen(tmp_path, **now) == job


@pytest.mark.parametrize("given", ["asthma", "asthma/9"])
def test_what_is_no_crawl_is_answered_by_one(tmp_path: Path, given: str) -> None:
    """By the newest of the topic's, for a topic's folder as for a number that is none; else an example."""
    begun(tmp_path, job="1")
    begun(tmp_path, job="2")
    os.utime(tmp_path / "asthma/1/run.json", (1, 1))
    with pytest.raises(CrawlError, match=re.escape(f"give one like {tmp_path}/asthma/2")):
        run_of(tmp_path / given)
    with pytest.raises(CrawlError, match="give one like crawls/asthma/1"):
        run_of(tmp_path / "gone/1")


def test_an_attempt_without_room_takes_no_number(tmp_path: Path) -> None:
    """A service that tries again every minute left a folder a minute; a crawl that has begun goes on."""
    begun(tmp_path, job="1", state=STOPPED)
    with little_room(100_000):
        with pytest.raises(CrawlError, match=r"cannot write into .*/asthma/2 \(File too large\)"):
            chosen(tmp_path, strategy="cbp")
        assert chosen(tmp_path) == "1"
    assert [path.name for path in (tmp_path / "asthma").iterdir()] == ["1"]


def test_an_attempt_without_room_leaves_a_folder_that_was_there(tmp_path: Path) -> None:
    """Whoever made it may have given it an owner, or a disk of its own."""
    folder = tmp_path / "asthma/mine"
    folder.mkdir(parents=True)
    with little_room(100_000), pytest.raises(CrawlError, match="cannot write into"):
        chosen(tmp_path, job="mine")
    assert folder.is_dir()


def test_numbers_are_numbers(tmp_path: Path) -> None:
    """10 comes after 9, and names are none."""
    for job in ("9", "10", "mine", "2024-01"):
        begun(tmp_path, job=job, state=FINISHED)
    assert chosen(tmp_path) == "11"


def test_a_folder_without_a_run_counts(tmp_path: Path) -> None:
    """Killed before run.json was written, or not ours: nothing in it is touched."""
    (tmp_path / "asthma/1").mkdir(parents=True)
    assert chosen(tmp_path) == "2"


@pytest.mark.parametrize("state", [RUNNING, STOPPED, FINISHED])
def test_a_named_job_is_taken_up_again(state: str, tmp_path: Path) -> None:
    """Also when it has ended: perhaps the budget is larger now."""
    begun(tmp_path, job="mine", state=state)
    assert chosen(tmp_path, job="mine") == "mine"
    assert chosen(tmp_path, job="new") == "new"


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"strategy": "cbp"}, "its strategy is lpe, not cbp"),
        ({"seed_set": "b"}, "its seed_set is none, not b"),
        ({"web": "/b.warc.gz"}, "its web is none, not /b.warc.gz"),
        ({"frontier": "memory"}, "a frontier in memory ends with its process"),
    ],
)
def test_a_named_job_is_not_mixed_with_another(facts: dict[str, object], why: str, tmp_path: Path) -> None:
    """Half a crawl by one strategy and half by another is worth nothing."""
    begun(tmp_path, job="mine", state=STOPPED)
    with pytest.raises(CrawlError) as raised:
        chosen(tmp_path, job="mine", **facts)
    assert str(raised.value) == (
        f"{tmp_path / 'asthma/mine'} holds another crawl ({why}); choose another job with -a job=NAME"
    )


BY_THESAURUS = {"judge": "thesaurus", "settings": {"FOCUSED_CLASSIFIER": "thesaurus"}}
BY_VSM = {"judge": "vsm", "settings": {"FOCUSED_CLASSIFIER": "vsm"}}
BY_MODEL = {"judge": "model", "settings": {"FOCUSED_CLASSIFIER": "logistic_regression"}}


@pytest.mark.parametrize(
    ("before", "now", "why"),
    [
        (
            BY_THESAURUS,
            BY_MODEL,
            "its pages are judged by thesaurus, not by model: give -s FOCUSED_CLASSIFIER=thesaurus",
        ),
        (
            BY_MODEL,
            BY_THESAURUS,
            "its pages are judged by model, not by thesaurus: leave FOCUSED_CLASSIFIER=thesaurus out",
        ),
        (
            BY_VSM,
            BY_THESAURUS,
            "its pages are judged by vsm, not by thesaurus: give -s FOCUSED_CLASSIFIER=vsm",
        ),
    ],
)
def test_a_named_job_keeps_its_judge(
    before: dict[str, object], now: dict[str, object], why: str, tmp_path: Path
) -> None:
    """Two scales of relevance in one crawl compare with nothing; without a name it is another crawl."""
    begun(tmp_path, job="1", state=STOPPED, **before)
    with pytest.raises(CrawlError) as raised:
        chosen(tmp_path, job="1", **now)
    assert f"({why}); choose another job with -a job=NAME" in str(raised.value)
    assert chosen(tmp_path, **before) == "1"
    assert chosen(tmp_path, **now) == "2"


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ({"settings": BY_MODEL["settings"]}, BY_THESAURUS),  # of a version that noted no judge
        (BY_MODEL | {"judge": "words"}, BY_MODEL),  # the topic was trained since
        (BY_THESAURUS, BY_MODEL | {"judge": "thesaurus"}),  # its own, with no model: the same
        (BY_MODEL, BY_MODEL | {"settings": {"FOCUSED_CLASSIFIER": "naive_bayes"}}),
    ],
)
def test_a_judge_that_no_setting_changed(
    before: dict[str, object], now: dict[str, object], tmp_path: Path
) -> None:
    """Is no obstacle."""
    begun(tmp_path, job="1", state=STOPPED, **before)
    assert chosen(tmp_path, job="1", **now) == "1"


def test_a_run_can_be_read_back(tmp_path: Path) -> None:
    """As it was written; no other file stays."""
    run = replace(WANTED, totals={"pages": 3, "target_recall": None}, settings={"FOCUSED_CRAWLS": Path("c")})
    write_run(tmp_path, run)
    assert read_run(tmp_path) == replace(run, settings={"FOCUSED_CRAWLS": "c"}, judged_by="model")
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_no_run_was_there(tmp_path: Path) -> None:
    """A missing file is no error."""
    assert read_run(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"topic": "asthma"}', '{"colour": "red"}', "\udcff"])
def test_a_broken_run(text: str, tmp_path: Path) -> None:
    """The error names the file and a way out."""
    (tmp_path / "run.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(CrawlError, match=r"run.json cannot be read .*; name another crawl, or move this one"):
        read_run(tmp_path)


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    """The error names it and the setting."""
    (tmp_path / "file").touch()
    with pytest.raises(
        CrawlError, match=r"cannot write into .*/file/asthma/1 .*; name another place with -s FOC"
    ):
        chosen(tmp_path / "file")


def test_a_folder_that_turns_unwritable(tmp_path: Path) -> None:
    """The error names the file."""
    with pytest.raises(CrawlError, match=r"gone/run.json cannot be written \(No such file or directory\)"):
        write_run(tmp_path / "gone", WANTED)


def test_a_database_that_was_emptied(tmp_path: Path) -> None:
    """It is not taken for a new one, unless nothing was in it; one that is moved away is no obstacle."""
    begun(tmp_path, job="1", state=STOPPED, totals={"pages": 20})
    database = tmp_path / "asthma/1/crawl.db"
    database.touch()
    with pytest.raises(CrawlError, match=r"crawl.db is empty, but had 20 pages; put a copy of it back"):
        chosen(tmp_path)
    database.unlink()
    assert chosen(tmp_path) == "1"
    begun(tmp_path, job="2", state=STOPPED, totals={"pages": 0})
    (tmp_path / "asthma/2/crawl.db").touch()
    assert chosen(tmp_path) == "2"
