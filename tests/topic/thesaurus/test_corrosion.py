"""What the thesaurus of topics/corrosion makes of thirty paragraphs that were written without sight of it.

Measured, not wished for: docs/research/thesaurus_corrosion.md says where the mistakes come from.
"""

from __future__ import annotations

import pytest

from tests.topic.thesaurus.corrosion.judging import JudgedParagraph, judged_paragraphs, pairs_in_order

MISTAKEN = {2, 7, 8, 10, 11, 14, 15}
"""Numbers of the paragraphs on the topic that are not called relevant."""

LEAST_IN_ORDER = 0.87


@pytest.fixture(scope="module")
def paragraphs() -> list[JudgedParagraph]:
    return judged_paragraphs()


def test_fifteen_are_on_the_topic_and_fifteen_near_it(paragraphs):
    """Of 60 to 140 words each."""
    assert [paragraph.is_on_topic for paragraph in paragraphs] == [True] * 15 + [False] * 15
    assert all(60 <= len(paragraph.text.split()) <= 140 for paragraph in paragraphs)


def test_no_near_miss_is_called_relevant(paragraphs):
    """Not the cruise, not the strawberry's hull, not Rust the language."""
    assert [paragraph.beginning for paragraph in paragraphs[15:] if not paragraph.is_right] == []


def test_no_mistake_is_new(paragraphs):
    """7 of 30, all of them paragraphs on the topic that have too little of the thesaurus."""
    wrong = {number for number, paragraph in enumerate(paragraphs, 1) if not paragraph.is_right}
    assert wrong <= MISTAKEN


def test_scores_put_the_topic_before_its_near_misses(paragraphs):
    """In seven of eight pairs: the order is better than the threshold."""
    assert pairs_in_order(paragraphs) >= LEAST_IN_ORDER
