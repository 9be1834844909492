"""`scrapy newtopic` makes a folder that crawls, or says in one line why not."""

from __future__ import annotations

from argparse import ArgumentParser

import pytest
from scrapy.settings import Settings

from focused_crawler.edge.commands.newtopic import Command
from focused_crawler.topic.topic import load_topic

SEED = "https://en.wikipedia.org/wiki/Allergic_rhinitis"


def type_command(*words: str) -> int:
    """Do what Scrapy's command line does with the words, and return the exit code."""
    command = Command()
    command.settings = Settings()
    parser = ArgumentParser()
    command.add_options(parser)
    opts, args = parser.parse_known_args(words)
    command.run(args, opts)
    return command.exitcode


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_words_and_a_start_page_make_a_topic(capsys):
    """The least one can type; the answer says what to type next."""
    assert type_command("hay-fever", "--keyword", "hay fever", "--seed", SEED, "--into", "my topics") == 0
    topic = load_topic("my topics/hay-fever")
    assert (topic.title, topic.keywords, topic.seeds) == ("Hay fever", ("hay fever",), (SEED,))
    assert capsys.readouterr().out == (
        "Made my topics/hay-fever/topic.toml: 1 keyword, 1 start page, 0 relevant and 0 other examples.\n"
        "Until it is trained its words judge the pages.\n"
        "Next:\n"
        "  scrapy crawl topic -a topic='my topics/hay-fever'\n"
        "  scrapy train 'my topics/hay-fever'\n"
        "Training wants 12 or more examples of each kind: add them to topic.toml.\n"
    )


def test_words_alone_make_a_topic(capsys):
    """Then a search for start pages comes first."""
    assert type_command("hay-fever", "--keyword", "hay fever", "--into", "my topics") == 0
    assert load_topic("my topics/hay-fever").seeds == ()
    assert capsys.readouterr().out.startswith(
        "Made my topics/hay-fever/topic.toml: 1 keyword, 0 start pages, 0 relevant and 0 other examples.\n"
        "Until it is trained its words judge the pages.\n"
        "Next:\n"
        "  scrapy seeds 'my topics/hay-fever' --write\n"
        "  scrapy crawl topic -a topic='my topics/hay-fever'\n"
    )


def test_every_option_reaches_the_topic(tmp_path):
    """What is typed is what the crawl will know."""
    (tmp_path / "page.html").write_text("<p>pollen</p>", encoding="utf-8")
    words = ["hay-fever", "--keyword", 'say "pollen"', "--keyword", "C:\\nose", "--seed", SEED, "--into", "."]
    words += ["--title", "Heuschnupfen\nund mehr", "--description", "Grüße 🤧", "--language", "de"]
    words += ["--relevant", "https://a.example/", "--relevant", "page.html", "--other", "https://b.example/"]
    assert type_command(*words) == 0
    topic = load_topic("hay-fever")
    assert topic.keywords == ('say "pollen"', "C:\\nose")
    assert (topic.title, topic.description, topic.language) == ("Heuschnupfen\nund mehr", "Grüße 🤧", "de")
    assert topic.relevant_examples == ("https://a.example/", "examples/relevant/page.html")
    assert topic.other_examples == ("https://b.example/",)


def test_enough_examples_need_no_advice(capsys):
    """With a dozen of each kind the next step is plain."""
    words = ["hay-fever", "--seed", SEED, "--into", "."]
    for number in range(12):
        words += ["--relevant", f"https://a.example/{number}", "--other", f"https://b.example/{number}"]
    assert type_command(*words) == 0
    assert capsys.readouterr().out.endswith("scrapy train hay-fever\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["../up"], "NAME: name '../up' is not made of a-z, 0-9 and - alone (64 at most); write up"),
        (["/abs"], "NAME: name '/abs' is not made of a-z, 0-9 and - alone (64 at most); write abs"),
        (["new"], "--keyword: nothing says what the topic is about; give some words"),
        (
            ["old", "--seed", SEED, "--keyword", "x"],
            "old exists already; edit its topic.toml or choose another name",
        ),
        (
            ["new", "--seed", "file:///etc/passwd"],
            "--seed: 'file:///etc/passwd' is no http or https URL; "
            'write it like "https://www.example.org/page"',
        ),
    ],
)
def test_wrong_words_end_in_one_line_and_code_2(tmp_path, capsys, words, message):
    """No traceback, no half-made folder."""
    (tmp_path / "old").mkdir()
    assert type_command(*words, "--into", ".") == 2
    assert capsys.readouterr().err == f"error: {message}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


@pytest.mark.parametrize("words", [[], ["two", "names"]])
def test_other_than_one_name_is_refused(words, capsys):
    """By what to type."""
    assert type_command(*words) == 2
    assert capsys.readouterr().err.startswith("error: give one name, as in: scrapy newtopic asthma")


def test_command_is_part_of_the_project(scrapy, tmp_path):
    """Typed in the project's folder it works as described."""
    words = ["newtopic", "hay-fever", "--keyword", "pollen", "--seed", SEED, "--into", str(tmp_path)]
    done = scrapy.run(*words)
    assert done.code == 0, done.err
    assert load_topic(str(tmp_path / "hay-fever")).keywords == ("pollen",)
    again = scrapy.run(*words)
    assert (again.code, again.out) == (2, "")
    assert again.err.startswith("error: ")
    assert "Traceback" not in again.err
