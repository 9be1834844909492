"""Completion of commands and their options, for shells: what their own parsers know."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

import shtab
from scrapy.commands import ScrapyCommand
from scrapy.utils.project import get_project_settings

from focused_crawler.safety.errors import ConfigError

SHELLS = ("bash", "zsh", "tcsh")


def completion(program: str, commands: Iterable[tuple[str, str]], shell: str) -> str:
    """Return a script that lets a shell complete what is typed; `commands`: name and module of each."""
    if shell not in SHELLS:
        raise ConfigError(f"no completion for {shell or 'nothing'}; give one of {', '.join(SHELLS)}")
    parser = argparse.ArgumentParser(program)
    parser.add_argument("--version", action="store_true")
    parts = parser.add_subparsers()
    for name, module in commands:
        command: ScrapyCommand = import_module(module).Command()
        command.settings = get_project_settings()
        part = parts.add_parser(name, help=command.short_desc(), conflict_handler="resolve")
        command.syntax()  # becomes the command itself, which knows its options
        command.add_options(part)
        _with_files(part)
    return str(shtab.complete(parser, shell))


def _with_files(parser: argparse.ArgumentParser) -> None:
    """Let options that name files, and what stands alone, be completed by files."""
    parser.add_argument("arguments", nargs="*").complete = shtab.FILE  # type: ignore[attr-defined]
    for action in parser._actions:
        action.help = (action.help or "").replace("%", "%%")
        action.default = None  # shown by the help, and no matter here
        if action.type is Path:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
