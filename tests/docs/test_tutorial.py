"""The tutorial does what it says: each command is run, in order, and prints what stands below it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.session import FOLDER
from tests.project import ROOT, Scrapy

PAGE = ROOT / "docs/tutorial/first_crawl.md"
_COMMAND = re.compile(r"\$ (?:printf '%s\\n' (?P<typed>.+) \| )?focused-crawler (?P<words>.+)")
LEFT_OUT = "[...]"


def steps(text: str) -> Iterator[tuple[str, str, str]]:
    """Return of each command what is typed into it, its words, and the output that the page shows."""
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for step in re.split(r"^(?=\$ )", block.replace("\\\n   ", ""), flags=re.MULTILINE)[1:]:
            line, _, shown = step.partition("\n")
            found = _COMMAND.fullmatch(line)
            assert found, line
            yield found["typed"] or "", found["words"], shown


def pattern(shown: str) -> str:
    """Return the expression of an output: spaces may differ in number, what is left out is anything."""
    parts = [r"\s+".join(map(re.escape, part.split())) for part in shown.split(LEFT_OUT)]
    return r"\s*" + r".*?\s*".join(parts) + r"\s*"


@pytest.mark.slow
def test_the_tutorial(scrapy: Scrapy, tmp_path: Path) -> None:
    """From words to an export, as a reader types it."""
    environ = {FOLDER: str(tmp_path), "COLUMNS": "100"}
    count = 0
    for typed, words, shown in steps(PAGE.read_text()):
        done = scrapy.run(
            *shlex.split(words),
            before="tests.docs.session.enter",
            environ=environ,
            typed="\n".join(typed.split()),
        )
        assert done.code == 0, done.err
        if shown:
            assert re.fullmatch(pattern(shown), done.out, re.DOTALL), f"{words}\n{done.out}"
        count += 1
    assert count > 8


def test_an_output_that_differs_is_found() -> None:
    """The comparison sees a wrong figure."""
    assert re.fullmatch(pattern(f"a 1\n{LEFT_OUT}\nb 2\n"), "a  1\nx\ny\n b 2 \n", re.DOTALL)
    assert not re.fullmatch(pattern(f"a 1\n{LEFT_OUT}\nb 2\n"), "a 1\nb 3\n", re.DOTALL)
