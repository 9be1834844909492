import math

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from focused_crawler.page.text.weighting import (
    class_information_gain,
    document_frequencies,
    document_information_gain,
    keep_highest,
    mutual_information,
)

GOLDEN_MI = {
    "arm": 0.6931, "robot": 0.6931, "sensor": 0.6931, "football": 0.6931, "goal": 0.6931,
    "news": 0.2877, "control": 0.0,
}  # fmt: skip
GOLDEN_GAIN = {
    "arm": 1.9491, "sensor": 1.9491, "football": 1.1378, "goal": 1.0308, "robot": 0.9491, "control": 0.9491,
    "news": 0.5781,
}  # fmt: skip


def test_mutual_information(corpus):
    """Terms of one class only have ln 2 there, a term of both alike has none."""
    found = corpus.named(mutual_information(corpus.raw, corpus.labels))
    assert found == pytest.approx(GOLDEN_MI, abs=5e-5)


def test_document_information_gain(corpus):
    """The paper's gain rewards a term of a single document most."""
    assert corpus.named(document_information_gain(corpus.raw)) == pytest.approx(GOLDEN_GAIN, abs=5e-5)


def test_class_information_gain_is_the_mutual_information_of_presence(corpus):
    """IG over classes is what scikit-learn calls the mutual information of presence and class."""
    present = corpus.raw.toarray() > 0
    expected = [mutual_info_score(corpus.labels, column) / np.log(2) for column in present.T]
    assert class_information_gain(corpus.raw, corpus.labels) == pytest.approx(expected)


def test_most_informative_terms_are_kept(corpus):
    """Of the terms with the highest MI those in more documents come first, then the alphabet decides."""
    frequencies = document_frequencies(corpus.raw)
    information = mutual_information(corpus.raw, corpus.labels)
    kept = [corpus.terms[column] for column in keep_highest(information, frequencies, count=4, min_df=1)]
    assert kept == ["arm", "football", "goal", "robot"]


def test_rounding_is_no_order():
    """Equal information, in other floats: document frequency decides, not the last digit."""
    information = np.array([math.nextafter(math.log(2), 1), math.log(2), math.log(2) + 1e-8])
    assert keep_highest(information, np.array([3, 9, 2]), count=2, min_df=1).tolist() == [1, 2]


def test_rare_terms_are_pruned(corpus):
    """Pointwise MI favours a term seen once; min_df does not let it."""
    frequencies = document_frequencies(corpus.raw)
    information = mutual_information(corpus.raw, corpus.labels)
    kept = {corpus.terms[column] for column in keep_highest(information, frequencies, count=99, min_df=2)}
    assert kept == set(GOLDEN_MI) - {"arm", "sensor"}


def test_three_classes(corpus):
    """MI takes the class that a term says most about, of any number."""
    found = corpus.named(mutual_information(corpus.raw, np.array(["a", "a", "b", "c"])))
    assert found["goal"] == pytest.approx(np.log(2))
    assert found["news"] == pytest.approx(np.log(4 / 3))
