"""A thesaurus as its file: what is written reads back as the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from focused_crawler.errors import TopicError
from focused_crawler.thesaurus.file import read_thesaurus
from focused_crawler.thesaurus.outline import outline_lines
from focused_crawler.thesaurus.tree import Facet, Scoring, Thesaurus
from focused_crawler.toml_text import listed, quoted, replace_text
from focused_crawler.topic_file import place

_NOT_LITERAL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]|'''")
_EXPLANATION = (
    "# The words of the topic in facets: an entry a line, two spaces deeper for what is narrower, other",
    "# wordings of the same after |. Edit it freely: errors name the line and the cure.",
)


def thesaurus_text(thesaurus: Thesaurus) -> str:
    """Return the file's text."""
    lines = [*_EXPLANATION, f"language = {quoted(thesaurus.language)}"]
    if thesaurus.negative:
        lines += ["# Wordings that count against every facet.", f"negative = {listed(thesaurus.negative)}"]
    lines += _scoring_lines(thesaurus.scoring)
    for facet in thesaurus.facets:
        lines += ["", *_facet_lines(facet)]
    return "\n".join(lines) + "\n"


def write_thesaurus(path: Path, thesaurus: Thesaurus) -> None:
    """Write the file, whole or not at all; raises `TopicError`, also for what could not be read back."""
    text = thesaurus_text(thesaurus)
    with TemporaryDirectory() as scratch:
        trial = Path(scratch) / path.name
        trial.write_text(text, encoding="utf-8", newline="\n")
        try:
            is_same = read_thesaurus(trial) == thesaurus
        except TopicError as error:
            problem = str(error).partition(": ")[2]
            raise TopicError(f"{place(path)}: is not written, as it could not be read: {problem}") from None
    if not is_same:
        raise TopicError(
            f"{place(path)}: is not written, as it would not be read as the same; see as_wording"
        )
    replace_text(path, text)


def _scoring_lines(scoring: Scoring) -> list[str]:
    usual = asdict(Scoring())
    changed = {name: value for name, value in asdict(scoring).items() if value != usual[name]}
    lines = [
        f"{name} = {quoted(value) if isinstance(value, str) else repr(value)}"
        for name, value in changed.items()
    ]
    return ["", "[scoring]", *lines] if lines else []


def _facet_lines(facet: Facet) -> Iterator[str]:
    yield f"[facets.{facet.name}]"
    if facet.title:
        yield f"title = {quoted(facet.title)}"
    if facet.negative:
        yield f"negative = {listed(facet.negative)}"
    outline = "".join(f"{line}\n" for line in outline_lines(facet.entries))
    yield f"entries = {_outline_text(outline)}"


def _outline_text(outline: str) -> str:
    """Return the outline in quotes that need no escapes, where it holds nothing that does."""
    return quoted(outline) if _NOT_LITERAL.search(outline) else f"'''\n{outline}'''"
