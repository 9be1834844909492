"""The methods that add up what each term says, against scikit-learn's own."""

import time
from dataclasses import replace

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from focused_crawler.classify.base import ExamplePages
from focused_crawler.classify.linear import REGULARISATION, LogisticText, NaiveBayesByWord, SvmText
from focused_crawler.classify.ratio_regression import RatioText
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.page.model import Page, Sections

SETTINGS = ClassifierSettings()
KINDS = [LogisticText, SvmText, NaiveBayesByWord, RatioText]


@pytest.fixture(scope="module")
def examples(relevant, other):
    """Pages of both kinds; the last ten others are background."""
    truth = [True] * len(relevant) + [False] * len(other)
    weights = [1.0] * (len(truth) - 10) + [0.3] * 10
    return ExamplePages.of([*relevant, *other], truth, SETTINGS.section_weights, weights)


@pytest.fixture(params=KINDS, scope="module")
def fitted(request, examples):
    return request.param.fit(examples, SETTINGS)


@pytest.mark.parametrize(
    ("kind", "theirs"),
    [
        (LogisticText, LogisticRegression(C=REGULARISATION, max_iter=5000)),
        (SvmText, LinearSVC(random_state=0)),
    ],
    ids=["logistic regression", "linear SVM"],
)
def test_it_is_scikit_learns_on_damped_counts_of_unit_length(kind, theirs, examples):
    """Page by page in plain Python the log odds are their decision function, background counted as less."""
    rows = TfidfTransformer(sublinear_tf=True, use_idf=False).fit_transform(examples.tf)
    theirs.fit(rows, examples.is_relevant, sample_weight=examples.weights)
    ours = kind.fit(examples, SETTINGS)
    odds = [ours.log_odds(page) for page in examples.pages]
    # both stop near the optimum, not quite at the same place
    assert odds == pytest.approx(theirs.decision_function(rows), rel=0.02, abs=0.05)


def test_naive_bayes_by_word_is_divided_by_the_words(examples):
    """It is multinomial Naive Bayes, the likelihoods' part divided by the page's section-weighted words."""
    theirs = MultinomialNB().fit(examples.tf, examples.is_relevant)
    no, yes = theirs.predict_joint_log_proba(examples.tf).T
    prior = np.subtract(*theirs.class_log_prior_[::-1])
    expected = prior + (yes - no - prior) / examples.tf.sum(axis=1)
    ours = NaiveBayesByWord.fit(examples, SETTINGS)
    assert [ours.log_odds(page) for page in examples.pages] == pytest.approx(expected)


def test_evidence_adds_up(fitted, examples):
    """What the terms say and what all pages have is the log odds, with or without unknown words."""
    for page in examples.pages:
        strange = replace(page.sections, body=[*page.sections.body, "zyzzogeton", ""])
        for same in (page, replace(page, sections=strange)):
            evidence = fitted.evidence(same)
            assert evidence.bias + sum(evidence.terms.values()) == pytest.approx(fitted.log_odds(same))
            assert "zyzzogeton" not in evidence.terms


def test_nothing_known_says_nothing(fitted, examples):
    """A page without one known word has no log odds, and no term among its evidence."""
    page = replace(examples.pages[0], sections=Sections(["zyzzogeton"], body=["zyzzogeton", ""]))
    assert fitted.log_odds(page) is None
    assert not fitted.evidence(page).terms


def test_what_was_learnt_can_be_restored(fitted, examples):
    """From its state comes a method of equal log odds."""
    again = type(fitted).restore(fitted.state(), SETTINGS)
    for page in examples.pages:
        assert again.log_odds(page) == fitted.log_odds(page)


@pytest.mark.parametrize("kind", [LogisticText, SvmText])
def test_terms_that_say_nothing_are_not_kept(kind, examples):
    """A fold that lacks a term has no weight for it."""
    half = kind.fit(examples.rows(np.array([0, 1, 49])), SETTINGS)
    assert set(half.terms) < set(examples.terms.tolist())
    assert np.all(half.weights)


@pytest.mark.parametrize("kind", KINDS)
def test_terms_of_held_out_pages_are_unknown(kind, examples):
    """A fold judges them as a model that has never heard of them does: relevances are calibrated by that."""
    learning = np.arange(0, 50, 3)
    pages = [examples.pages[row] for row in learning]
    alone = ExamplePages.of(
        pages, examples.is_relevant[learning], SETTINGS.section_weights, examples.weights[learning]
    )
    strange = [replace(page.sections, body=[*page.sections.body, *["zyzzogeton"] * 9]) for page in pages]
    held_out = [replace(page, sections=sections) for page, sections in zip(pages, strange, strict=True)]
    both = ExamplePages.of(
        [*pages, *held_out],
        np.tile(alone.is_relevant, 2),
        SETTINGS.section_weights,
        np.tile(alone.weights, 2),
    )
    of_fold = kind.fit(both.rows(np.arange(len(pages))), SETTINGS)
    by_itself = kind.fit(alone, SETTINGS)
    assert [of_fold.log_odds(page) for page in held_out] == pytest.approx(
        [by_itself.log_odds(page) for page in held_out]
    )


def test_a_page_is_judged_fast(fitted, examples):
    """A page of 1,500 words, 600 of them different, takes well under a millisecond."""
    words = [*fitted.terms[:50], *(f"word{number}" for number in range(550))] * 3
    page = Page("https://a.example/", "", "", Sections(body=words), examples.pages[0].outline)
    best = min(_seconds(fitted.log_odds, page) for _ in range(50))
    assert best < 0.001


def _seconds(function, argument):
    begin = time.perf_counter()
    function(argument)
    return time.perf_counter() - begin
