"""Old and new model side by side."""

import pytest

from focused_crawler.classify.comparison import Agreement, compare
from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import train

SETTINGS = ClassifierSettings()


@pytest.fixture
def old(topic, relevant, other, analyzer, tmp_path):
    """A model of fewer examples, as a later training finds it."""
    train(topic, relevant[:15], other[:22], SETTINGS, analyzer)[0].save(tmp_path)
    return TopicModel.load(tmp_path)


def test_the_old_model_is_asked_of_examples_that_are_new_to_it(old, trained, relevant, other):
    """Only there both are honest: the new model's answers are those of pages held out."""
    new, report = trained
    found = compare(old, new, report.held_out, [*relevant, *other])
    assert not found.has_same_examples
    assert found.unseen == found.by_new == Agreement(5, 8)
    taken = [old.classifier.relevance(page) >= old.threshold for page in (*relevant[15:], *other[22:])]
    assert found.by_old == Agreement(sum(taken[:5]), 8 - sum(taken[5:]))


def test_the_same_examples_make_all_figures_comparable(old, topic, relevant, other, analyzer):
    """Their order and the classifier do not matter."""
    settings = ClassifierSettings("naive_bayes")
    new, report = train(topic, relevant[14::-1], other[21::-1], settings, analyzer)
    found = compare(old, new, report.held_out, [*relevant, *other])
    assert found.has_same_examples
    assert found.unseen == found.by_old == found.by_new == Agreement(0, 0)


def test_background_is_not_counted(old, topic, relevant, other, analyzer):
    """Nobody has labelled it."""
    new, report = train(topic, relevant[:15], other[:22], SETTINGS, analyzer, background=other[22:])
    assert compare(old, new, report.held_out, [*relevant, *other]).unseen == Agreement(0, 0)
