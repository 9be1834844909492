"""`scrapy thesaurus`, as it is typed."""

from __future__ import annotations

import shutil
from argparse import ArgumentParser
from pathlib import Path

import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.config import DEFAULTS
from focused_crawler.edge.commands.thesaurus import Command
from focused_crawler.topic.thesaurus.file import find_thesaurus, read_thesaurus
from focused_crawler.topic.topic import load_topic
from tests.discovery.search.services import Asked, Reply, as_json, running
from tests.experiment.hives import pages_about, url
from tests.project import Scrapy
from tests.topic.thesaurus.growing import other_pages, rust_pages, write_crawl

RUST = """\
name = "rust"
title = "Rust of ships"
description = "What rust does to a hull."
keywords = ["rust", "hull"]
"""


def thesaurus(*words, **settings) -> int:
    """Do what Scrapy's command line does with the words; return the exit code."""
    command = Command()
    command.settings = Settings({**DEFAULTS, **settings})
    command.crawler_process = object()  # for what fetches nothing
    parser = ArgumentParser()
    command.add_options(parser)
    opts, args = parser.parse_known_args([str(word) for word in words])
    command.run(args, opts)
    return command.exitcode


@pytest.fixture
def rust(tmp_path, monkeypatch):
    """A topic of words alone, in the working folder, without WordNet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("focused_crawler.page.text.wordnet.find_wordnet", lambda: None)
    (tmp_path / "rust").mkdir()
    (tmp_path / "rust/topic.toml").write_text(RUST)
    return tmp_path / "rust"


def test_a_first_thesaurus_is_shown_then_written(rust, capsys):
    """It is what a crawl uses without a file."""
    assert thesaurus("show", "./rust") == 0
    out = capsys.readouterr().out
    assert "subject: Rust of ships\n  rust\n  hull\n" in out
    assert out.endswith("Made of the topic's words; scrapy thesaurus new rust writes it to edit.\n")
    assert thesaurus("new", "./rust") == 0
    assert (
        "Written: rust/thesaurus.toml\nNext: edit it, then scrapy thesaurus check rust\n"
        in capsys.readouterr().out
    )
    assert thesaurus("show", "./rust") == 0
    assert capsys.readouterr().out.endswith("Of rust/thesaurus.toml\n")


@pytest.mark.parametrize(
    ("more", "told"),
    [("", "has 0.43 of the 0.50"), ("corrosion", ""), ("corrosion\n  rust scale", "has 0.48 of the 0.50")],
)
def test_entries_too_few_to_judge_by_are_told(rust, capsys, more, told):
    """Else a crawl judged by them would find nothing, and nobody would know why."""
    file = rust / "thesaurus.toml"
    file.write_text(f"[facets.mine]\nentries = '''\nrust\nhull\n{more}\n'''\n")
    assert thesaurus("check", "./rust") == 0
    fine, _, beware = capsys.readouterr().out.partition("rust/thesaurus.toml is fine.\n")
    assert fine
    assert told in beware if told else not beware
    (rust / "topic.toml").write_text(f"{RUST}\n[thresholds]\nrelevance = 0.3\n")
    assert thesaurus("check", "./rust") == 0
    assert "Beware" not in capsys.readouterr().out


def test_nothing_is_replaced_unless_told(rust, capsys):
    """Somebody may have edited it."""
    (rust / "thesaurus.toml").write_text("[facets.mine]\nentries = '''\nzinc\n'''\n")
    assert thesaurus("new", "./rust") == 2
    assert capsys.readouterr().err.endswith("--replace puts the new thesaurus in its place\n")
    assert [facet.name for facet in read_thesaurus(rust / "thesaurus.toml").facets] == ["mine"]
    assert thesaurus("new", "./rust", "--replace") == 0
    assert [facet.name for facet in read_thesaurus(rust / "thesaurus.toml").facets] == ["subject"]


def test_candidates_of_a_crawl_for_a_person(rust, capsys):
    """Grown, marked, accepted: the file has them."""
    write_crawl(rust.parent / "crawl", rust_pages(), other_pages())
    thesaurus("new", "./rust")
    assert thesaurus("grow", "./rust", "--crawl", "crawl", "--n", "4") == 0
    out = capsys.readouterr().out
    assert "epoxy primer" in out
    assert "From 30 pages about the topic and 60 others.\nWritten: rust/candidates.csv\n" in out
    assert out.endswith("  scrapy thesaurus accept rust rust/candidates.csv\n")
    sheet = rust / "candidates.csv"
    assert thesaurus("accept", "./rust", sheet) == 2
    assert "accepts nothing; put y into the first column" in capsys.readouterr().err
    sheet.write_text(sheet.read_text().replace("\n,epoxy primer,subject", "\ny,epoxy primer,coatings"))
    sheet.write_text(
        sheet.read_text().replace("coatings,rust,", "coatings,,").replace("coatings,hull,", "coatings,,")
    )
    assert thesaurus("accept", "./rust", sheet) == 0
    assert capsys.readouterr().out == "rust/thesaurus.toml has 1 new entry.\n"
    assert [facet.name for facet in find_thesaurus(load_topic("./rust")).facets] == ["subject", "coatings"]
    assert thesaurus("accept", "./rust", sheet) == 0
    assert capsys.readouterr().out == "rust/thesaurus.toml has 0 new entries; there already: 1.\n"
    assert thesaurus("grow", "./rust", "--crawl", "crawl") == 2
    assert "candidates.csv exists, and may hold your marks" in capsys.readouterr().err


def test_nothing_found_writes_nothing(rust, capsys):
    """The sheet would be empty."""
    write_crawl(rust.parent / "crawl", rust_pages(3), rust_pages(6)[3:])
    assert thesaurus("grow", "./rust", "--crawl", "crawl") == 2
    assert capsys.readouterr().err == (
        "error: no phrase tells 3 pages about the topic and 3 others apart; nothing is written, grow from"
        " more pages\n"
    )
    assert {path.name for path in rust.iterdir()} == {"topic.toml"}


def test_a_language_that_cannot_be_grown(rust, capsys):
    """It is said before anything is searched."""
    (rust / "topic.toml").write_text('name = "rust"\nlanguage = "zh"\nkeywords = ["防锈"]\n')
    assert thesaurus("grow", "./rust", "--crawl", "none") == 2
    assert "error: a thesaurus in zh cannot be grown" in capsys.readouterr().err


def test_a_new_level_is_told(rust, capsys):
    """All others weigh less then."""
    thesaurus("new", "./rust")
    sheet = rust / "mine.csv"
    sheet.write_text("accept,phrase,facet,broader\ny,bilge,subject,hull\n")
    capsys.readouterr()
    assert thesaurus("accept", "./rust", sheet) == 0
    assert capsys.readouterr().out == (
        "rust/thesaurus.toml has 1 new entry.\nBeware: facet subject has 2 levels now instead of 1: each"
        " entry that was there weighs 0.50 times what it did.\n"
    )


def test_what_was_grown_from_words_can_be_accepted(rust, capsys):
    """A topic has no file before: it is made of what the candidates were found for."""
    sheet = rust / "mine.csv"
    sheet.write_text("accept,phrase,facet,broader\ny,zinc anode,subject,\n")
    assert thesaurus("accept", "./rust", sheet) == 0
    assert capsys.readouterr().out == "rust/thesaurus.toml has 1 new entry.\n"
    found = find_thesaurus(load_topic("./rust"))
    assert [entry.name for entry in found.facets[0].entries] == ["rust", "hull", "zinc anode"]


def test_the_best_at_once(rust, capsys):
    """Phrases of several words, which mean little else; the file is made if missing."""
    write_crawl(rust.parent / "crawl", rust_pages(), other_pages())
    assert thesaurus("grow", "./rust", "--crawl", "crawl", "--accept", "2") == 0
    assert capsys.readouterr().out.endswith("rust/thesaurus.toml has 2 new entries.\n")
    found = find_thesaurus(load_topic("./rust"))
    assert [entry.name for entry in found.facets[0].entries] == ["rust", "hull", "epoxy primer", "zinc anode"]
    assert not (rust / "candidates.csv").exists()


def test_words_search_a_recorded_web(rust, hives, capsys):
    """From keywords alone, without anybody."""
    (rust / "topic.toml").write_text('name = "rust"\nkeywords = ["bee", "hive", "honey", "queen"]\n')
    assert thesaurus("grow", "./rust", "--search", "--web", hives, "--accept", "5") == 0
    assert "From 22 pages about the topic and 78 others." in capsys.readouterr().out
    assert len(find_thesaurus(load_topic("./rust"))) > 4


def test_a_service_is_searched_and_all_it_finds_is_fetched_at_once(
    scrapy: Scrapy, hives: Path, tmp_path: Path
) -> None:
    """A process can fetch but once; what titles of other topics find is no part of this one."""
    topics = shutil.copytree(hives.parent / "hives.topics", tmp_path / "topics")
    (topics / "bees/topic.toml").write_text('name = "bees"\nkeywords = ["bee", "hive"]\n')

    def behave(asked: Asked) -> Reply:
        subject = "bees" if "hive" in asked.query["q"] else "cars"
        return as_json({"results": [{"url": url(number)} for number in pages_about(subject)]})

    with running(behave) as service:
        instance = ("-s", "FOCUSED_SEARCH=searxng", "-s", f"FOCUSED_SEARXNG_URL={service.url}")
        words = ("grow", topics / "bees", "--search", "--web", hives, "--accept", "5")
        done = scrapy.run("thesaurus", *words, *instance)
    assert (done.code, done.err) == (0, "")
    assert "From 10 pages about the topic and 10 others." in done.out
    assert {entry.name for entry in find_thesaurus(load_topic(str(topics / "bees"))).facets[0].entries} > {
        "bee",
        "hive",
    }


def test_examples_are_fetched(scrapy: Scrapy, hives: Path, tmp_path: Path) -> None:
    """Out of a recorded web here; those of the topic tell it from others."""
    topic = shutil.copytree(hives.parent / "hives.topics/bees", tmp_path / "bees")
    done = scrapy.run("thesaurus", "grow", topic, "--examples", "--web", hives, "--n", "5")
    assert (done.code, done.err) == (0, "")
    assert "From 6 pages about the topic and 8 others." in done.out
    assert (topic / "candidates.csv").read_text().startswith("accept,phrase,facet,broader,")


@pytest.mark.parametrize("ending", ["ttl", "rdf", "nt"])
def test_skos_out_and_in(rust, capsys, ending):
    """The same comes back."""
    thesaurus("new", "./rust")
    assert thesaurus("export", "./rust", f"out.{ending}") == 0
    assert capsys.readouterr().out.endswith(f"Written: out.{ending}, 2 concepts\n")
    before = find_thesaurus(load_topic("./rust"))
    (rust / "thesaurus.toml").unlink()
    assert thesaurus("import", "./rust", f"out.{ending}") == 0
    assert find_thesaurus(load_topic("./rust")) == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "use one of: scrapy thesaurus show TOPIC"),
        (("draw", "./rust"), "not draw ./rust"),
        (("show",), "not show"),
        (("show", "./rust", "more"), "not show ./rust more"),
        (("show", "nothing"), "no topic 'nothing'"),
        (
            ("check", "./rust"),
            "rust has no thesaurus, rust/thesaurus.toml is not there; scrapy thesaurus new rust",
        ),
        (("accept", "./rust", "none.csv"), "none.csv cannot be read"),
        (("grow", "./rust"), "one of --crawl FOLDER, --examples and --search"),
        (("grow", "./rust", "--crawl", "x", "--search"), "one of --crawl FOLDER, --examples and --search"),
        (("grow", "./rust", "--crawl", "x"), "x"),
        (("grow", "./rust", "--search"), "nothing to search: -s FOCUSED_SEARCH=ddgs asks the live web"),
        (("grow", "./rust", "--search", "--web", "none.warc.gz"), "none.warc.gz"),
        (("grow", "./rust", "--search", "--n", "many"), "--n is many; give a whole number from 1 to 1000"),
        (
            ("grow", "./rust", "--search", "--accept", "0"),
            "--accept is 0; give a whole number from 1 to 1000",
        ),
        (("grow", "./rust", "--examples"), "no relevant examples; name pages under [examples]"),
        (("import", "./rust", "none.ttl"), "none.ttl: cannot be read"),
        (("import", "./rust", "topic.doc"), "its ending names no format"),
        (("export", "./rust", "no/such/folder/x.ttl"), "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_one_line(rust, capsys, words, message):
    """It says what to type; the exit code is 2, and nothing is written."""
    assert thesaurus(*words) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert {path.name for path in rust.iterdir()} == {"topic.toml"}


def test_a_topic_without_words(rust, capsys):
    """There is nothing to make a thesaurus of, and nothing in a graph in its language."""
    (rust / "topic.toml").write_text('name = "rust"\ntitle = "The"\nkeywords = ["of the"]\n')
    assert thesaurus("new", "./rust") == 2
    assert "has no words to make a thesaurus of; add keywords" in capsys.readouterr().err
    (rust.parent / "empty.ttl").write_text("")
    assert thesaurus("import", "./rust", "empty.ttl") == 2
    assert "empty.ttl holds no SKOS concept with a label in en" in capsys.readouterr().err
