import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.naive_bayes import MultinomialNB

from focused_crawler.classify.naive_bayes import NaiveBayes

WEIGHTS = np.array([
    [0.5, 1.6, 0.0, 0.1],
    [0.9, 0.0, 0.4, 0.0],
    [0.0, 0.2, 0.7, 1.1],
    [0.0, 0.0, 0.3, 2.0],
    [0.1, 0.0, 2.2, 0.0],
])  # fmt: skip


@pytest.mark.parametrize("labels", [[0, 0, 1, 1, 1], ["a", "b", "c", "c", "b"]])
def test_it_is_multinomial_naive_bayes_on_weights(labels):
    """Lu's P(t|C) is Laplace's rule on summed weights: scikit-learn's, for any number of classes."""
    labels = np.array(labels)
    ours = NaiveBayes.fit(csr_array(WEIGHTS), labels)
    theirs = MultinomialNB(alpha=1.0).fit(WEIGHTS, labels)
    assert ours.classes.tolist() == theirs.classes_.tolist()
    assert ours.log_prior == pytest.approx(theirs.class_log_prior_)
    assert ours.log_likelihood == pytest.approx(theirs.feature_log_prob_)
    for row, joint in zip(WEIGHTS, theirs.predict_joint_log_proba(WEIGHTS), strict=True):
        assert ours.joint(dict(enumerate(row))) == pytest.approx(joint)


def test_exponent_one_is_naive_bayes_of_presence():
    """With exponent one a term of the document counts once, whatever its weight."""
    labels = np.array([0, 0, 1, 1, 1])
    ours = NaiveBayes.fit(csr_array(WEIGHTS), labels)
    expected = MultinomialNB().fit(WEIGHTS, labels).predict_joint_log_proba([[1, 0, 0, 1]])[0]
    assert ours.joint({0: 0.2, 3: 1.7}, exponent="one") == pytest.approx(expected)


def test_a_document_without_terms_has_the_prior():
    """No evidence moves nothing."""
    bayes = NaiveBayes.fit(csr_array(WEIGHTS), np.array([0, 0, 1, 1, 1]))
    assert bayes.joint({}) == pytest.approx(np.log([2 / 5, 3 / 5]))


def test_the_ratio_of_two_classes():
    """Prior and likelihoods of one class over the other are all that a decision needs."""
    bayes = NaiveBayes.fit(csr_array(WEIGHTS), np.array([False, False, True, True, True]))
    prior, ratio = bayes.log_ratio(True)
    no, yes = bayes.joint({1: 0.3, 2: 0.5})
    assert prior + ratio[[1, 2]] @ [0.3, 0.5] == pytest.approx(yes - no)
