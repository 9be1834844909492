"""The table of word vectors: what its maker learns of a dictionary."""

from __future__ import annotations

import random

import numpy as np
import pytest

from benchmarks.word_vectors import common, make
from focused_crawler.page.text.idf import TermStatistics
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.vectors import WordVectors
from focused_crawler.page.text.wordnet import Sense, open_wordnet
from tests.wordnet import needs_wordnet

SUBJECTS = (
    ["garlic", "onion", "sauce", "oven", "flour", "butter", "kitchen", "dinner"],
    ["planet", "moon", "orbit", "galaxy", "comet", "telescope", "star", "sky"],
)


@pytest.fixture(scope="module")
def vectors():
    """A vector of two numbers for each term; an entry has two words of a subject, three define them."""
    chance, senses = random.Random(4), []
    for number in range(120):
        words = chance.sample(SUBJECTS[number % 2], 5)
        pointers = (("@", "n", number - 2), ("@", "n", 999))  # the second leads nowhere
        senses.append(Sense("n", number, tuple(words[:2]), " ".join(words[2:]), pointers))
    terms = [term for words in SUBJECTS for term in Analyzer("en").terms(" ".join(words))]
    statistics = TermStatistics("en", dict.fromkeys([*terms, "zyzzogeton"], 5.0), 12.0)
    return dict(zip(statistics.mapping, make(senses, statistics, 2), strict=True))


def test_terms_of_one_subject_are_near(vectors):
    """Nearer to each other than to any of the other."""
    unit = {term: vector / np.linalg.norm(vector) for term, vector in vectors.items() if vector.any()}
    food, sky = ([unit[term] for term in Analyzer("en").terms(" ".join(words))] for words in SUBJECTS)
    within = np.mean([food[0] @ other for other in food[1:]] + [sky[0] @ other for other in sky[1:]])
    between = np.mean([one @ other for one in food for other in sky])
    assert within > between + 0.3


def test_what_no_entry_has_is_not_known(vectors):
    """A row of zeros, which is left out."""
    assert not vectors["zyzzogeton"].any()
    assert vectors["garlic"].any()


def test_what_ships_is_what_topics_have_in_common():
    """The mean of the categories by the table's own rows."""
    table = WordVectors.for_language("en")
    assert common(table) == pytest.approx(table.common, abs=1e-4)
    assert 0.1 < np.linalg.norm(table.common) < 1.0


@needs_wordnet
def test_every_sense_is_read():
    """Each once, with what its entry says."""
    with open_wordnet() as wordnet:
        senses = list(wordnet)
        assert len(senses) == len({(sense.part, sense.offset) for sense in senses}) > 100_000
        assert wordnet.senses("telescope", "n")[0] in senses
