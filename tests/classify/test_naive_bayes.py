import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.naive_bayes import MultinomialNB

from focused_crawler.classify.naive_bayes import naive_bayes_ratio

WEIGHTS = np.array([
    [0.5, 1.6, 0.0, 0.1],
    [0.9, 0.0, 0.4, 0.0],
    [0.0, 0.2, 0.7, 1.1],
    [0.0, 0.0, 0.3, 2.0],
    [0.1, 0.0, 2.2, 0.0],
])  # fmt: skip


def test_it_is_multinomial_naive_bayes_on_weights():
    """Lu's P(t|C) is Laplace's rule on summed weights: scikit-learn's."""
    is_relevant = np.array([False, False, True, True, True])
    prior, ratio = naive_bayes_ratio(csr_array(WEIGHTS), is_relevant)
    theirs = MultinomialNB(alpha=1.0).fit(WEIGHTS, is_relevant)
    assert prior == pytest.approx(np.diff(theirs.class_log_prior_)[0])
    assert ratio == pytest.approx(np.diff(theirs.feature_log_prob_, axis=0)[0])
    no, yes = theirs.predict_joint_log_proba(WEIGHTS).T
    assert prior + WEIGHTS @ ratio == pytest.approx(yes - no)


def test_without_a_term_there_is_the_prior():
    """No evidence moves nothing."""
    prior, ratio = naive_bayes_ratio(csr_array(WEIGHTS)[:, []], np.array([False, False, True, True, True]))
    assert (prior, ratio.tolist()) == (pytest.approx(np.log(3 / 2)), [])
