"""The reasons of a page as an HTML file, its words coloured by what they say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from focused_crawler.report.explain.page import BlockReason, PageReasons, WrittenTerm, text_of
from focused_crawler.report.explain.terminal import place_in_taxonomy, reckoning, signed, verdict
from focused_crawler.report.html import render_page, save_page
from focused_crawler.safety.errors import ConfigError

LEAST_STRENGTH = 0.02
"""Of the page's strongest word: what says less is left plain."""


class WordRun(NamedTuple):
    """Some words in reading order that say the same."""

    text: str
    value: float
    strength: float  # [0, 1], beside the page's strongest word; 0: plain


def save_html(reasons: PageReasons, path: Path) -> None:
    """Write the page; raises ConfigError where that cannot be done."""
    values = {"reasons": reasons, "sentences": sentences(reasons), "blocks": word_runs(reasons)}
    page = render_page("report/explain/template.html", values, {"signed": signed})
    save_page(page, path, ConfigError, "name another file with --html FILE")


def sentences(reasons: PageReasons) -> list[str]:
    """Return whether the page is relevant, and how that comes from its terms."""
    return [verdict(reasons), *reckoning(reasons), *place_in_taxonomy(reasons.page)]


def word_runs(reasons: PageReasons) -> list[tuple[BlockReason, list[WordRun]]]:
    """Return the words of each block in runs that say the same."""
    blocks = [(block, list(_parts(block.terms))) for block in reasons.blocks]
    strongest = max((abs(_value(part)) for _, parts in blocks for part in parts), default=0.0)
    return [(block, list(_runs(parts, strongest))) for block, parts in blocks]


def _runs(parts: Sequence[Sequence[WrittenTerm]], strongest: float) -> Iterator[WordRun]:
    """Yield the words of a block; those that say nothing in one piece."""
    for value, run in groupby(parts, key=_value):
        strength = abs(value) / strongest if strongest else 0.0
        text = text_of(term for part in run for term in part)
        yield WordRun(text, value, strength if strength >= LEAST_STRENGTH else 0.0)


def _value(part: Sequence[WrittenTerm]) -> float:
    return sum(term.value for term in part)


def _parts(terms: Sequence[WrittenTerm]) -> Iterator[list[WrittenTerm]]:
    """Yield the terms of each part of the text that stands between two spaces."""
    part: list[WrittenTerm] = []
    for term in terms:
        if term.text and part:
            yield part
            part = []
        part.append(term)
    if part:
        yield part
