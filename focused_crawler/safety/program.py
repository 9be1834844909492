"""The name that the commands were started by, in what they print: `scrapy`, or `focused-crawler` anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from pkgutil import iter_modules

SCRAPY = "scrapy"
PROGRAM = "focused-crawler"
MENU = Path(__file__).parent.parent / "edge/menu"
_started: list[tuple[str, re.Pattern[str]]] = []


def started_as(program: str, commands: Iterable[str]) -> None:
    """Let all that is printed from now on name commands as this program's."""
    _started[:] = [(program, re.compile(rf"\b{SCRAPY} (?=(?:{'|'.join(map(re.escape, commands))})\b)"))]


def used_in_a_program() -> None:
    """Let errors name commands as any shell has them, unless a command was started."""
    if not _started:
        started_as(PROGRAM, command_names())


def command_names() -> list[str]:
    """Return the names of all commands; loads none."""
    return sorted(found.name for found in iter_modules([str(MENU)]))


def as_typed(text: str) -> str:
    """Return a text of ours with its commands as they are typed here.

    >>> started_as("focused-crawler", ["list", "train"])
    >>> as_typed("see scrapy list; scrapy itself is a library"), _started.clear()
    ('see focused-crawler list; scrapy itself is a library', None)
    >>> as_typed("see scrapy list")
    'see scrapy list'
    """
    for program, commands in _started:
        text = commands.sub(f"{program} ", text)
    return text
