"""The tutorial does what it says: each command is run, in order, and prints what stands below it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.docs.session import FOLDER, WITHOUT_WORDNET
from tests.project import ROOT, Scrapy
from tests.wordnet import needs_wordnet

PAGE = ROOT / "docs/tutorial/first_crawl.md"
_COMMAND = re.compile(r"\$ (?:printf '%s\\n' (?P<typed>.+) \| )?focused-crawler (?P<words>.+)")
_FILE = re.compile(r"\$ cat > (?P<path>\S+) <<'END'\n(?P<text>.*)END\n", re.DOTALL)
LEFT_OUT = "[...]"
TO_THE_FIRST_REPORT = 6
"""Commands and files: after them nothing goes by words alone."""


class Step(NamedTuple):
    """A command, or a file that is written."""

    typed: str  # into the command
    words: str
    shown: str  # the output that the page has, or what is written
    path: str = ""


def steps(text: str) -> Iterator[Step]:
    """Return all that a reader does, in order."""
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for step in re.split(r"^(?=\$ )", block.replace("\\\n   ", ""), flags=re.MULTILINE)[1:]:
            if written := _FILE.fullmatch(step):
                yield Step("", "", written["text"], written["path"])
                continue
            line, _, shown = step.partition("\n")
            found = _COMMAND.fullmatch(line)
            assert found, line
            yield Step(found["typed"] or "", found["words"], shown)


def pattern(shown: str) -> str:
    """Return the expression of an output: spaces may differ in number, what is left out is anything."""
    parts = [r"\s+".join(map(re.escape, part.split())) for part in shown.split(LEFT_OUT)]
    return r"\s*" + r".*?\s*".join(parts) + r"\s*"


def follow(todo: Iterable[Step], scrapy: Scrapy, folder: Path, **environ: str) -> int:
    """Do what the page says in a folder; return how many steps that were."""
    count = 0
    for step in todo:
        count += 1
        if step.path:
            (folder / step.path).write_text(step.shown)
            continue
        done = scrapy.run(
            *shlex.split(step.words),
            before="tests.docs.session.enter",
            environ={FOLDER: str(folder), "COLUMNS": "100", **environ},
            typed="\n".join(step.typed.split()),
        )
        assert done.code == 0, done.err
        if step.shown:
            assert re.fullmatch(pattern(step.shown), done.out, re.DOTALL), f"{step.words}\n{done.out}"
    return count


@pytest.mark.slow
def test_the_tutorial(scrapy: Scrapy, tmp_path: Path) -> None:
    """From words to an export, as a reader types it after a first install: without WordNet."""
    assert follow(steps(PAGE.read_text()), scrapy, tmp_path, **{WITHOUT_WORDNET: "1"}) > 9


@pytest.mark.slow
@needs_wordnet
def test_the_tutorial_with_wordnet(scrapy: Scrapy, tmp_path: Path) -> None:
    """It finds the same: the topic's words are pinned by its thesaurus."""
    todo = list(steps(PAGE.read_text()))[:TO_THE_FIRST_REPORT]
    assert todo[-1].words.startswith("report ")
    follow(todo, scrapy, tmp_path)


def test_an_output_that_differs_is_found() -> None:
    """The comparison sees a wrong figure."""
    assert re.fullmatch(pattern(f"a 1\n{LEFT_OUT}\nb 2\n"), "a  1\nx\ny\n b 2 \n", re.DOTALL)
    assert not re.fullmatch(pattern(f"a 1\n{LEFT_OUT}\nb 2\n"), "a 1\nb 3\n", re.DOTALL)
