"""The classifier that a crawl judges by: a method's log odds, scaled to probabilities."""

import math

import pytest

from focused_crawler.classify.base import Evidence
from focused_crawler.classify.calibration import PlattScaling
from focused_crawler.classify.page_classifiers import TrainedClassifier


def test_evidence_is_of_the_relevance(trained, relevant, other):
    """What the terms say and what every page has sum to the log odds of the page's relevance."""
    classifier = trained[0].classifier
    for page in (*relevant, *other):
        terms, bias, unit = classifier.evidence(page)
        relevance = classifier.relevance(page)
        assert bias + sum(terms.values()) == pytest.approx(math.log(relevance / (1 - relevance)))
        assert unit == "log odds"


def test_words_of_the_topic_speak_for_it(trained, relevant, other):
    """The strongest word of a relevant page is one of the topic's, and that of another page is against it."""
    classifier = trained[0].classifier
    assert max(classifier.evidence(relevant[0]).terms.values()) > 0
    assert min(classifier.evidence(other[0]).terms.values()) < 0


class Silent:
    """A method that knows no term of any page."""

    def log_odds(self, page):
        return None

    def evidence(self, page):
        return Evidence({}, 3.0, "log odds")


def test_nothing_known_is_not_relevant(relevant):
    """However many pages are relevant, a page that says nothing is not."""
    assert TrainedClassifier(Silent(), PlattScaling(1.0, 5.0)).relevance(relevant[0]) == 0.0
