"""What terms mean, by the table that ships."""

import numpy as np
import pytest

from focused_crawler.page.text.vectors import WordVectors

TABLE = WordVectors.for_language("en")


def nearness(one, other):
    """Return the cosine of two terms."""
    first, second = (TABLE.of({term: 1.0}) for term in (one, other))
    return first @ second / np.linalg.norm(first) / np.linalg.norm(second)


@pytest.mark.parametrize(
    ("one", "other", "far"),
    [
        ("telescop", "astronom", "kitchen"),
        ("cancer", "tumor", "guitar"),
        ("garlic", "onion", "senat"),
        ("goal", "footbal", "hormon"),
    ],
)
def test_words_of_one_subject_are_near_each_other(one, other, far):
    """Nearer than words of another one."""
    assert nearness(one, other) > 0.3 > 0.1 > nearness(one, far)


def test_a_sum_is_of_known_terms_by_their_weights():
    """What the table does not know counts nothing."""
    parts = [TABLE.of({term: 1.0}) for term in ("garlic", "onion")]
    found = TABLE.of({"garlic": 2.0, "zyzzogeton": 9.0, "onion": 0.5})
    assert found == pytest.approx(2 * parts[0] + 0.5 * parts[1])
    assert TABLE.of({"zyzzogeton": 1.0}) is None
    assert TABLE.of({}) is None


def test_a_text_is_its_known_terms():
    """A term that is repeated counts by ln(1 + count), a rare one by more."""
    terms, weights, rows = TABLE.text({"onion": 1, "zyzzogeton": 3, "year": 1, "garlic": 3})
    assert terms == ["onion", "year", "garlic"]
    assert weights[0] > weights[1]
    assert weights[2] / TABLE.text({"garlic": 1})[1][0] == pytest.approx(2.0)
    assert rows[0] == pytest.approx(TABLE.of({"onion": 1.0}))


def test_a_language_without_a_table_has_none():
    """Only English has one."""
    assert WordVectors.for_language("de") is None
    assert WordVectors.for_language("en") is TABLE


def test_a_table_is_known_by_its_content():
    """One that says something else is another."""
    other = WordVectors(["onion"], np.ones((1, 256), np.int8), np.zeros(256, np.float32), "en")
    assert other.content != TABLE.content == WordVectors.for_language("en").content
