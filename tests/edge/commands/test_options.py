"""Options that nobody knows: Scrapy hands them over as if they were arguments."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import pytest
from scrapy.cmdline import ScrapyArgumentParser
from scrapy.settings import Settings

from focused_crawler.crawl.config import DEFAULTS
from focused_crawler.edge import commands
from focused_crawler.edge.command import FocusedCommand

COMMANDS = [
    module.Command
    for found in iter_modules(commands.__path__)
    if issubclass(
        (module := import_module(f"focused_crawler.edge.commands.{found.name}")).Command, FocusedCommand
    )
]


def run(command, *words):
    """Do what Scrapy's command line does with the words; return the exit code and the arguments passed on."""
    passed_on = []

    class Spy(command):
        def main(self, args, opts):
            passed_on.extend(args)

    spy = Spy()
    spy.settings = Settings(DEFAULTS)
    parser = ScrapyArgumentParser(conflict_handler="resolve")
    spy.add_options(parser)
    opts, args = parser.parse_known_args(list(words))
    spy.run(args, opts)
    return spy.exitcode, passed_on


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__module__.rpartition(".")[2])
def test_every_command_refuses_them(command, capsys):
    """Before it does anything."""
    assert run(command, "a", "--no-such-thing", "b") == (2, [])
    assert capsys.readouterr().err == (
        "error: unknown option --no-such-thing; -h shows the options there are\n"
    )
    assert run(command, "a", "-b", "--", "--no-such-thing") == (0, ["a", "-b", "--no-such-thing"])


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("seeds night-sky --wirte", "--wirte; did you mean --write?"),
        ("seeds --serches=3 night-sky", "--serches; did you mean --searches?"),
        ("sample C --stratifed", "--stratifed; did you mean --stratified?"),
        ("lists T --bann x", "--bann; did you mean --ban?"),
        ("search star --jsn x", "--jsn; did you mean --json?"),
        ("precision --x", "--x; -h shows the options there are"),
        ("thesaurus grow T --serch", "--serch; did you mean --search?"),
    ],
)
def test_the_nearest_is_named(scrapy, words, meant):
    """As a user sees it, on the command line."""
    done = scrapy.run(*words.split())
    assert (done.code, done.out, done.err) == (2, "", f"error: unknown option {meant}\n")


def test_a_minus_before_a_word_is_none():
    """It leaves pages with that word out."""
    search = next(command for command in COMMANDS if command.__module__.endswith(".search"))
    assert run(search, "star", "-planet", '-"double star"') == (0, ["star", "-planet", '-"double star"'])


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("explain --topic asthma -- -none.html", "-none.html does not exist"),
        ("virtualweb stats -- -none.gz", "no web at -none.gz"),
        ("crawl -- -none", "-none"),
    ],
)
def test_names_may_begin_with_a_minus(scrapy, words, problem):
    """Behind a lone --, which is no name itself."""
    done = scrapy.run(*words.split())
    assert done.code == 2
    assert problem in done.err
