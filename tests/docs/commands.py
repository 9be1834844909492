"""The page of all commands, from their own parsers: `python -m tests.docs.commands` writes it."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from unittest.mock import patch

from scrapy.cmdline import ScrapyArgumentParser
from scrapy.commands import ScrapyCommand
from scrapy.utils.project import get_project_settings

from focused_crawler.crawl.endings import in_table
from focused_crawler.edge import menu
from focused_crawler.safety.formats import first_upper
from tests.project import ROOT

PAGE = ROOT / "docs/reference/commands.md"
HEAD = """---
kind: reference
---
# Commands

`scrapy NAME -h` prints the same. After `pip install` type `focused-crawler NAME`, in any folder.
All commands take `-s NAME=VALUE` for a [setting](settings.md). What follows `--` is no option.
Scrapy's own commands work as ever.

An exit code of 0 means success, 1 an error that the log names. 2: something was typed wrong, and one
line says what to type. 130: it was interrupted. Crawls have [more](#exit-codes-of-a-crawl).
"""
CODES = """
## Exit codes of a crawl

Of `scrapy crawl`, and of `scrapy fleet` for the whole crawl. Other reasons, such as that of a spider of
yours which closes itself, are 0.

| code | meaning |
| --- | --- |
"""
OF_SCRAPY = {"settings"}
"""As Scrapy documents it."""
GLOBAL = "Global Options"
_OPTIONAL = re.compile(r" \[-[^][]*(?:\[[^][]*\][^][]*)*\](?:\.\.\.)?")  # the table has them
_WAYS = re.compile(r" \| (?![^()]*\))")  # between ways to use a command; in brackets are parts of one


def commands_page() -> str:
    """Return the page as the commands are now."""
    names = sorted({found.name for found in iter_modules(menu.__path__)} - OF_SCRAPY)
    with patch.dict(os.environ):  # Scrapy writes there which project it found
        return HEAD + "".join(f"\n{section(name)}" for name in names) + codes()


def codes() -> str:
    """Return the table of why a crawl ends."""
    return CODES + "".join(f"| {code} | {first_upper(meaning)} |\n" for code, meaning in in_table())


def found_as(name: str) -> tuple[ScrapyCommand, str, ScrapyArgumentParser]:
    """Return a command as Scrapy makes it, its usage, and what reads its options."""
    command: ScrapyCommand = import_module(f"{menu.__name__}.{name}").Command()
    command.settings = get_project_settings()
    usage = command.syntax()
    parser = ScrapyArgumentParser(conflict_handler="resolve", add_help=False)
    command.add_options(parser)
    return command, usage, parser


def section(name: str) -> str:
    """Return the section of one command."""
    command, usage, parser = found_as(name)
    rows = "".join(f"| `{words}` | {meaning} |\n" for words, meaning in options(parser))
    table = f"\n| option | meaning |\n| --- | --- |\n{rows}" if rows else ""
    plain = _OPTIONAL.sub("", usage)
    uses = "".join(f"    scrapy {name} {use.strip()}".rstrip() + "\n" for use in _WAYS.split(plain))
    return f"## {name}\n\n{command.short_desc()}.\n\n{uses}{table}"


def options(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    """Return the words of each option of a command's own, and what its help says."""
    for group in parser._action_groups:
        if group.title == GLOBAL:
            continue
        for action in group._group_actions:
            if action.option_strings and action.help != argparse.SUPPRESS:
                value = "" if action.nargs == 0 else f" {action.metavar or action.dest.upper()}"
                meaning = (action.help or "") % {**vars(action), "prog": "scrapy"}
                meaning = meaning.replace("\N{NO-BREAK SPACE}", " ")
                yield (
                    ", ".join(action.option_strings) + value,
                    meaning.replace("|", "\\|").replace("<", "&lt;"),
                )


if __name__ == "__main__":
    PAGE.write_text(commands_page())
