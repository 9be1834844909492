"""The project's commands in any folder: `focused-crawler NAME ...`, or `python -m focused_crawler`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version

from focused_crawler.edge import menu
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.printable import begin_command, did_you_mean, printable, say
from focused_crawler.safety.program import PROGRAM, command_names, started_as

# ruff: noqa: PLC0415 - Scrapy takes a while to load, and a user may stop that, too.

SETTINGS = "focused_crawler.settings"


def main(argv: Sequence[str] | None = None) -> None:
    """Run a command; without one, list them all."""
    begin_command()
    words = list(sys.argv[1:] if argv is None else argv)
    commands = _commands()
    started_as(PROGRAM, commands)
    first = words[0] if words else "-h"
    if first in {"-h", "--help", "help"}:
        say(f"usage: {PROGRAM} COMMAND [options]", "")
        say(*(f"  {name:<12} {summary}" for name, summary in commands.items()))
        say("", f"{PROGRAM} COMMAND -h explains one. {PROGRAM} --version shows the version,")
        say(f"{PROGRAM} --completion bash (or zsh, tcsh) prints what completes commands and options.")
    elif first == "--completion":
        _print_completion(words[1] if len(words) > 1 else "")
    elif first == "--version":
        say(f"{PROGRAM} {version(PROGRAM)}")
    elif first not in commands:
        near = did_you_mean(first, commands) or f"{PROGRAM} -h lists them"
        say(f"error: no command is called {printable(first)}; {near}", to=sys.stderr)
        sys.exit(2)
    else:
        from scrapy.cmdline import execute

        _find_settings()
        execute([PROGRAM, *words])


def _commands() -> dict[str, str]:
    """Return name -> summary of all commands."""
    return {name: import_module(f"{menu.__name__}.{name}").Command().short_desc() for name in command_names()}


def _print_completion(shell: str) -> None:
    from focused_crawler.edge.completion import completion
    from focused_crawler.edge.entry import report_error

    _find_settings()
    names = [(name, f"{menu.__name__}.{name}") for name in command_names()]
    try:
        say(*completion(PROGRAM, names, shell).split("\n"))
    except ConfigError as error:
        sys.exit(report_error(error))


def _find_settings() -> None:
    """Use a project's settings where its folder has the commands, else those that ship."""
    from scrapy.utils.project import get_project_settings

    if get_project_settings()["COMMANDS_MODULE"] != menu.__name__:
        os.environ["SCRAPY_SETTINGS_MODULE"] = SETTINGS


if __name__ == "__main__":
    main()
