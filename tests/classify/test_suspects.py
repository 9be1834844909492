"""Examples that contradict their label."""

import random
from dataclasses import replace
from itertools import product

import pytest

from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import train
from focused_crawler.classify.training_report import LEAST_DOUBT, MOST_SUSPECTS
from tests.classify.conftest import COOKING, OTHER, make_pages


def mixed_up(relevant, other, count, seed):
    """Return the pages with so many labels of each kind flipped, and the URLs of these."""
    rng = random.Random(seed)
    wrong = rng.sample(relevant, count), rng.sample(other, count)
    keeps = [
        [page for page in pages if page not in flipped]
        for pages, flipped in zip((relevant, other), wrong, strict=True)
    ]
    return [*keeps[0], *wrong[1]], [*keeps[1], *wrong[0]], {page.url for pages in wrong for page in pages}


@pytest.mark.parametrize(
    ("name", "seed"),
    [*product(["logistic_regression", "naive_bayes"], [1, 2]), ("ratio_regression", 2)],
)
def test_flipped_labels_are_pointed_out(topic, relevant, other, analyzer, name, seed):
    """Two of each kind among fifty: all are found, and nothing else; by which words, too."""
    about, apart, wrong = mixed_up(relevant, other, 2, seed)
    _, report = train(topic, about, apart, ClassifierSettings(name), analyzer)
    assert {suspect.url for suspect in report.suspects} == wrong
    terms = {False: set(analyzer.terms(" ".join(COOKING))), True: set(analyzer.terms(" ".join(OTHER)))}
    for suspect in report.suspects:
        assert suspect.doubt >= LEAST_DOUBT
        assert terms[suspect.is_relevant].intersection(suspect.terms)


def test_right_labels_are_not(trained):
    """Examples that are easy to tell apart raise no doubt."""
    assert trained[1].suspects == ()


def test_there_are_never_many(topic, relevant, other, analyzer):
    """The most surprising come first; when they are mended, the next training has the rest."""
    about, apart, wrong = mixed_up(relevant, other, 4, 3)
    _, report = train(topic, about, apart, ClassifierSettings(), analyzer)
    assert len(report.suspects) <= MOST_SUSPECTS
    assert {suspect.url for suspect in report.suspects} <= wrong
    doubts = [suspect.doubt for suspect in report.suspects]
    assert doubts == sorted(doubts, reverse=True)


@pytest.mark.parametrize(("name", "seed"), [("logistic_regression", 1), ("ratio_regression", 2)])
def test_labels_are_judged_at_even_odds(topic, relevant, other, analyzer, name, seed):
    """However rare relevant pages are held to be, it is the same examples that are doubted."""
    about, apart, wrong = mixed_up(relevant, other, 2, seed)
    for share in (0.01, 0.5):
        _, report = train(topic, about, apart, ClassifierSettings(name, relevant_share=share), analyzer)
        assert {suspect.url for suspect in report.suspects} == wrong


def test_background_is_no_example(topic, relevant, other, analyzer):
    """A page of another topic that is about this one is nobody's wrong label."""
    strays = [replace(page, url=f"{page.url}/stray") for page in make_pages(COOKING, 2, 9, analyzer)]
    _, report = train(
        topic, relevant, other, ClassifierSettings(), analyzer, background=[*strays, *other[:8]]
    )
    assert not {suspect.url for suspect in report.suspects} & {page.url for page in strays}
