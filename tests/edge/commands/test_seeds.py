"""`scrapy seeds` finds start pages from words alone, or says in one line what is missing."""

from __future__ import annotations

import csv
import re
import signal
import threading
from argparse import ArgumentParser
from pathlib import Path

import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.config import DEFAULTS
from focused_crawler.edge.commands.seeds import Command
from focused_crawler.experiment import plateau as plateau_report
from focused_crawler.experiment.plateau import SAME_WORDS
from focused_crawler.page.url import normalise, url_key
from focused_crawler.safety.printable import INTERRUPTED
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.topic.topic import load_topic
from focused_crawler.virtualweb.truth import GroundTruth, topics_folder
from tests.discovery.search.services import Asked, Reply, as_json, running, searxng
from tests.project import PATIENCE, Job, crawl, until

WORDS = """\
# all that is known
name = "insects"
title = "Bees"
description = "What bees do."
keywords = ["bee", "hive", "honey", "queen", "swarm"]

# near misses
[examples]
relevant = []
"""
STARS = """\
name = "stars"
title = "Astronomy and the night sky"
description = "Stars, planets, galaxies and telescopes."
keywords = ["astronomy", "telescope", "galaxy", "planet", "nebula", "night sky"]
"""


def seeds(*words, **settings) -> int:
    """Do what Scrapy's command line does with the words; return the exit code."""
    command = Command()
    command.settings = Settings({**DEFAULTS, **settings})
    parser = ArgumentParser()
    command.add_options(parser)
    opts, args = parser.parse_known_args([str(word) for word in words])
    command.run(args, opts)
    return command.exitcode


def read(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def make(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "topic.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def insects(tmp_path, monkeypatch):
    """A topic of words alone, in the working folder."""
    monkeypatch.chdir(tmp_path)
    return make(tmp_path / "insects", WORDS)


def test_start_pages_are_found_in_a_recorded_web(tmp_path, monkeypatch, demo_web, capsys):
    """From title, description and keywords alone; most are what a person would have chosen."""
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "stars", STARS)
    assert seeds("./stars", "--csv", "found.csv", FOCUSED_WEB=str(demo_web)) == 0
    out = capsys.readouterr().out
    found = [row["url"] for row in read("found.csv")]
    assert len(found) >= 10
    assert all(url[:30] in out for url in found)
    assert "30 searches found" in out
    assert out.endswith("Written: found.csv\nWith --write they become start pages.\n")
    truth = GroundTruth.beside(demo_web, "astronomy")
    assert sum(map(truth.is_relevant, found)) >= 0.7 * len(found)
    assert (tmp_path / "stars" / "topic.toml").read_text(encoding="utf-8") == STARS


def test_they_are_written_into_the_topic(insects, hives, capsys):
    """All else stays; and those that are there are not found again."""
    assert seeds("./insects", "--write", "--n", "3", FOCUSED_WEB=str(hives)) == 0
    first = load_topic("./insects").seeds
    assert len(first) == 3
    assert all("//bees" in seed for seed in first)
    text = (insects / "topic.toml").read_text(encoding="utf-8")
    start = text.index("seeds = [")
    end = text.index("]\n", start) + 2
    assert text[:start] + text[end:] == WORDS
    assert capsys.readouterr().out.endswith(
        "insects/topic.toml has 3 start pages now.\n"
        f"Next: scrapy crawl topic -a topic=insects -s FOCUSED_WEB={hives}\n"
    )
    assert seeds("./insects", "--write", "--n", "2", "--web", hives) == 0
    assert load_topic("./insects").seeds[:3] == first
    assert len(load_topic("./insects").seeds) == 5


@pytest.mark.parametrize(
    ("name", "judge"), [("bees", "ground truth"), ("insects", "the crawler's classifier")]
)
def test_the_plateau_experiment_is_a_report(insects, hives, capsys, name, judge):
    """By ground truth where the web has a topic of that name; nothing is chosen or written."""
    folder = insects if name == "insects" else topics_folder(hives) / name
    words = ("--plateau", "report", "--searches", "14", "--top", "5")
    assert seeds(folder, *words, FOCUSED_WEB=str(hives)) == 0
    out = capsys.readouterr().out
    assert out.startswith("14 searches found")
    assert f"(by {judge})" in out
    assert out.count(SAME_WORDS) == (name == "insects")
    written = {path.name for path in (insects.parent / "report").iterdir()}
    assert written == {plateau_report.CSV, plateau_report.HTML}
    assert (insects / "topic.toml").read_text(encoding="utf-8") == WORDS


def test_a_live_provider_is_asked(insects, capsys):
    """An instance of SearXNG; results on hosts that no crawl may ask are not there to begin with."""
    with running(searxng(found=8)) as service:
        words = ("--provider", "searxng", "--searches", "2", "--write", "--per-site", "4", "--n", "6")
        assert seeds("./insects", *words, FOCUSED_SEARXNG_URL=service.url) == 0
        asked = [one.query["q"] for one in service.asked]
        assert list(dict.fromkeys(asked)) == ["bee hive", "bee honey"]
        assert seeds("./insects", *words, FOCUSED_SEARXNG_URL=service.url) == 0
        assert len(service.asked) == len(asked)
    out = capsys.readouterr().out
    assert len(load_topic("./insects").seeds) == 8
    assert out.endswith("\nNext: scrapy crawl topic -a topic=insects\n")
    assert "2 searches (2 of them asked earlier today) found 8 pages." in out
    assert (insects / "searches.jsonl").is_file()


def test_providers_that_agree(insects, hives, capsys):
    """Only what both return, however each spells it; by default all is taken, with who returned it."""
    bees = ["https://www.bees0.example/0/", "http://bees4.example/4#top", "http://bees0.example/8"]
    rows = [{"url": url, "title": "Bee hive"} for url in [*bees, "http://bees9.example/alone"]]
    with running(lambda asked: as_json({"results": rows})) as service:
        words = ("./insects", "--provider", "local", "--provider", "searxng", "--searches", "2")
        words += ("--top", "25", "--per-site", "9", "--csv", "found.csv")
        settings = {"FOCUSED_WEB": str(hives), "FOCUSED_SEARXNG_URL": service.url}
        assert seeds(*words, "--agree", "2", **settings) == 0
        assert "of fewer than 2 providers" in capsys.readouterr().out
        assert {url_key(row["url"]) for row in read("found.csv")} == {
            url_key(str(normalise(url))) for url in bees
        }
        assert {row["providers"] for row in read("found.csv")} == {"local searxng"}
        assert seeds(*words, **settings) == 0
    out = capsys.readouterr().out
    assert "local, searxng" in out
    assert "4 searches (2 of them asked earlier today) found" in out
    assert {"local", "searxng", "local searxng"} == {row["providers"] for row in read("found.csv")}


def test_providers_of_which_one_fails(insects, hives, capsys):
    """Then nothing is agreed upon, and it is said why; the words are asked of the other all the same."""
    with running(lambda asked: Reply(403)) as service:
        words = ("./insects", "--provider", "searxng", "--provider", "local", "--agree", "2")
        assert seeds(*words, FOCUSED_WEB=str(hives), FOCUSED_SEARXNG_URL=service.url) == 0
    out = capsys.readouterr().out
    assert re.search(r"Left out: \d+ of fewer than 2 providers\.\nNone of them is left to start from", out)
    assert "No answer to bee hive: searxng: 127.0.0.1" in out


def test_answers_are_kept_where_models_are(insects, tmp_path):
    """A topic's folder may be read-only."""
    with running(searxng(found=8)) as service:
        words = ("--provider", "searxng", "--searches", "1")
        settings = {"FOCUSED_SEARXNG_URL": service.url, "FOCUSED_MODELS": str(tmp_path / "models")}
        assert seeds("./insects", *words, **settings) == 0
    assert (tmp_path / "models" / "insects" / "searches.jsonl").is_file()
    assert [path.name for path in insects.iterdir()] == ["topic.toml"]


@pytest.mark.parametrize(
    ("words", "settings", "message"),
    [
        ([], {}, "name one topic, as in: scrapy seeds asthma (scrapy list shows the names)"),
        (
            ["./insects"],
            {},
            "nothing to search: -s FOCUSED_SEARCH=ddgs asks the live web, -s FOCUSED_WEB=FILE.warc.gz a"
            " recorded one",
        ),
        (
            ["./insects", "--plateau", "x", "--write"],
            {},
            "--plateau chooses no start pages; leave --write and --csv out, or it",
        ),
        (["./insects", "--n", "0"], {}, "--n is 0; give a whole number from 1 to 1000"),
        (
            ["./insects", "--per-site", "x"],
            {},
            "--per-site is x; give a whole number from 1 to 1000",
        ),
        (
            ["./insects", "--provider", "brave", "--crawl", "1"],
            {},
            "--crawl is searched by no brave; use --provider local",
        ),
        (
            ["./insects", "--provider", "ddgs", "--web", "w.warc.gz"],
            {},
            "--web is searched by no ddgs; use --provider local",
        ),
        (
            ["./insects", "--provider", "ddgs", "--agree", "2"],
            {},
            "--agree is 2, of 1 provider; name each by --provider",
        ),
        (
            ["./insects", "--provider", "local", "--provider", "ddgs", "--plateau", "x"],
            {},
            "--plateau is of one provider; name one",
        ),
        (
            ["./insects", "--web", "w.warc.gz", "--crawl", "1"],
            {},
            "--web and --crawl are both to be searched; leave one of them out",
        ),
        (
            ["./insects", "--crawl", "cars"],
            {},
            "cars is a crawl of cars, not of insects; give one of insects",
        ),
        (
            ["./insects", "--crawl", "1"],
            {},
            "1 is no crawl's folder (it has no run.json); give one like crawls/asthma/1",
        ),
        (
            ["./insects"],
            {"FOCUSED_KNOWN": "gone"},
            "gone/crawl.db does not exist; give the folder of a crawl that has begun",
        ),
        (["./one"], {}, "one has too few words to search for; add two or more keywords to its topic.toml,"
         " or a thesaurus: scrapy thesaurus new one"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said_in_one_line(insects, capsys, words, settings, message):
    """With exit code 2, before anything is asked."""
    for folder in ("one", "cars"):
        (insects.parent / folder).mkdir()
    write_run(insects.parent / "cars", RunInfo("cars", "Cars", "1", "lpe", "", None, trained=True))
    (insects.parent / "one" / "topic.toml").write_text('name = "one"\nkeywords = ["bee"]\n', encoding="utf-8")
    assert seeds(*words, **settings) == 2
    assert capsys.readouterr().err == f"error: {message}\n"


def test_a_provider_that_refuses_ends_in_its_line(insects, capsys):
    """Nothing was found, so nothing is shown."""
    with running(lambda asked: Reply(403)) as service:
        assert seeds("./insects", "--provider", "searxng", FOCUSED_SEARXNG_URL=service.url) == 2
        assert len(service.asked) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1


def test_it_can_be_stopped_and_goes_on(scrapy, insects):
    """What was answered is kept; nothing is written, and nobody sees a traceback."""
    answer, goes_on, first = searxng(found=8), threading.Event(), []

    def behave(asked: Asked) -> Reply:
        """Answer the first search, and others when it goes on."""
        first[:] = first or [asked.query["q"]]
        if asked.query["q"] != first[0]:
            goes_on.wait(PATIENCE)
        return answer(asked)

    with running(behave) as service:
        words = ("seeds", insects, "--write", "--provider", "searxng", "--searches", "3")
        words += ("-s", f"FOCUSED_SEARXNG_URL={service.url}", "-s", "FOCUSED_SEARCH_TIMEOUT=600")
        command = scrapy.start(*words)
        kept = insects / "searches.jsonl"
        until(lambda: kept.is_file() and kept.read_text(encoding="utf-8"))
        command.signal(signal.SIGINT)
        done = command.wait()
        assert (done.code, done.out) == (INTERRUPTED, "")
        assert done.err == "stopped; the same command goes on from here\n"
        assert load_topic(str(insects)).seeds == ()
        asked = [one.query["q"] for one in service.asked]
        goes_on.set()
        done = scrapy.run(*words)
        assert done.code == 0
        assert "3 searches (1 of them asked earlier today) found 8 pages." in done.out
        assert asked[0] not in [one.query["q"] for one in service.asked[len(asked) :]]


def test_words_alone_become_a_crawl(scrapy, insects, hives):
    """A crawl without start pages says what finds some; with them it starts there."""
    words = crawl(insects, insects.parent / "crawls", f"FOCUSED_WEB={hives}", pages=20)
    done = scrapy.run(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1] == (
        f"error: insects has no start pages; scrapy seeds {insects} finds some"
    )
    assert not (insects.parent / "crawls").exists()
    assert scrapy.run("seeds", insects, "--write", "--n", "3", "-s", f"FOCUSED_WEB={hives}").code == 0
    assert scrapy.run(*words).code == 0
    visits = Job(insects.parent / "crawls" / "insects" / "1").visits
    assert len(visits) == 20
    assert {*load_topic(str(insects)).seeds} < {*visits}


def test_it_is_a_command_of_the_project(scrapy, insects, hives):
    """Typed in a shell."""
    done = scrapy.run("seeds", str(insects), "--write", "-s", f"FOCUSED_WEB={hives}")
    assert (done.code, done.err) == (0, "")
    assert "start pages now." in done.out
