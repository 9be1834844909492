"""The paragraphs as pages, judged by the thesaurus of topics/corrosion.

`python -m tests.topic.thesaurus.corrosion.judging` prints the table of docs/research/thesaurus_corrosion.md.
"""

from __future__ import annotations

import tomllib
from html import escape
from pathlib import Path
from typing import NamedTuple

from focused_crawler.classify.page_classifiers import ThesaurusClassifier
from focused_crawler.page.blocks import partition
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.thesaurus.file import find_thesaurus
from focused_crawler.topic.thesaurus.scoring import ThesaurusScorer, page_runs
from focused_crawler.topic.topic import load_topic

PARAGRAPHS = Path(__file__).with_name("paragraphs.toml")


class JudgedParagraph(NamedTuple):
    """A paragraph, what it is, and what the classifier makes of it."""

    text: str
    is_on_topic: bool
    score: float  # of its words, in [0, number of facets)
    relevance: float  # [0, 1]; 0.5 and more: relevant
    entries: tuple[str, ...]  # found in it
    negative: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        return (self.relevance >= 0.5) == self.is_on_topic

    @property
    def beginning(self) -> str:
        return " ".join(self.text.split()[:7])


def judged_paragraphs() -> list[JudgedParagraph]:
    """Judge each one by itself, as a page without a title whose URL says nothing."""
    topic = load_topic("corrosion")
    thesaurus = find_thesaurus(topic)
    assert thesaurus is not None
    analyzer = Analyzer(topic.language)
    scorer = ThesaurusScorer(thesaurus, analyzer)
    classifier = ThesaurusClassifier(scorer)
    found = []
    for paragraph in tomllib.loads(PARAGRAPHS.read_text("utf-8"))["paragraph"]:
        text = " ".join(paragraph["text"].split())
        page = parse_page(f"<p>{escape(text)}</p>".encode(), "http://a.example/", analyzer)
        partition(page)
        evidence = scorer.evidence(*page_runs(page))
        most_first = (sorted(facet.entries, key=lambda one: (-one[1], one[0])) for facet in evidence)
        entries = tuple(name for entries in most_first for name, _ in entries)
        negative = tuple(sorted({wording for facet in evidence for wording in facet.negative}))
        judged = (scorer.page(page), classifier.relevance(page), entries, negative)
        found.append(JudgedParagraph(text, paragraph["topic"], *judged))
    return found


def pairs_in_order(paragraphs: list[JudgedParagraph]) -> float:
    """Return in how many pairs the paragraph on the topic has the higher score; ties count half."""
    on = [paragraph.score for paragraph in paragraphs if paragraph.is_on_topic]
    off = [paragraph.score for paragraph in paragraphs if not paragraph.is_on_topic]
    return sum((a > b) + (a == b) / 2 for a in on for b in off) / (len(on) * len(off))


def _table() -> str:
    lines = [
        "| | begins | is | score | relevance | verdict | found |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for number, paragraph in enumerate(judged_paragraphs(), 1):
        found = ", ".join(paragraph.entries) or "nothing"
        if paragraph.negative:
            found += f"; against it: {', '.join(paragraph.negative)}"
        cells = (
            str(number),
            f"{paragraph.beginning} ...",
            "on topic" if paragraph.is_on_topic else "near miss",
            f"{paragraph.score:.2f}",
            f"{paragraph.relevance:.2f}",
            "right" if paragraph.is_right else "**wrong**",
            found,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(_table())
    print(sum(paragraph.is_right for paragraph in judged_paragraphs()), pairs_in_order(judged_paragraphs()))
