import numpy as np
import pytest

from focused_crawler.page.text.weighting import (
    RAW,
    count_terms,
    information_gain,
    inverse_document_frequency,
    itfidf,
    section_counts,
    tfc,
    tfidf,
)


def test_section_weighted_tf(corpus):
    """A word in the headline counts four times, in the body once."""
    assert section_counts(corpus.sections[0]) == {"robot": 8, "arm": 6, "control": 1, "news": 1}


def test_raw_counts_make_the_lengths(corpus):
    """Every word of a page counts once in its length."""
    assert [sum(section_counts(sections, RAW).values()) for sections in corpus.sections] == [8, 5, 7, 4]


def test_idf(corpus):
    """ln(N / n) of each term."""
    golden = {
        "arm": 1.3863, "sensor": 1.3863, "robot": 0.6931, "football": 0.6931, "goal": 0.6931,
        "control": 0.6931, "news": 0.2877,
    }  # fmt: skip
    assert corpus.named(inverse_document_frequency(corpus.raw)) == pytest.approx(golden, abs=5e-5)


@pytest.mark.parametrize(
    ("ig_in_norm", "golden"),
    [
        (False, {"robot": 0.5250, "arm": 1.6172, "control": 0.0656, "news": 0.0166}),
        (True, {"robot": 0.3085, "arm": 0.9504, "control": 0.0386, "news": 0.0097}),
    ],
)
def test_itfidf(corpus, ig_in_norm, golden):
    """The weights of d1, with the gain outside and inside the norm."""
    gain = information_gain(corpus.raw, corpus.labels, "document")
    weights = itfidf(corpus.tf, inverse_document_frequency(corpus.raw), gain, ig_in_norm=ig_in_norm)
    found = {term: weight for term, weight in corpus.named(weights.toarray()[0]).items() if weight}
    assert found == pytest.approx(golden, abs=5e-5)


def test_tfidf_is_itfidf_without_gain(corpus):
    """TFIDF, which the paper compares with, is the same formula with IG = 1; its rows have length 1."""
    idf = inverse_document_frequency(corpus.raw)
    plain = tfidf(corpus.tf, idf)
    gain = information_gain(corpus.raw, corpus.labels, "none")
    assert np.array_equal(plain.toarray(), itfidf(corpus.tf, idf, gain, ig_in_norm=True).toarray())
    assert np.linalg.norm(plain.toarray(), axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("unit", "golden"),
    [
        ("robot arm", {"robot": 0.3462, "arm": 0.9381}),
        ("robot robot news", {"robot": 0.8944, "news": 0.4472}),
        ("news goal", {"news": 0.3462, "goal": 0.9381}),
    ],
)
def test_tfc(unit, golden):
    """TFC over three units: a term of two of them has idf ln(3/2), of one ln 3."""
    common, single = np.log(3 / 2), np.log(3)
    idf = {"robot": common, "news": common, "arm": single, "goal": single}
    assert tfc(count_terms(unit.split()), idf, 0.0) == pytest.approx(golden, abs=5e-5)


def test_a_unit_of_words_that_are_everywhere_has_no_weights():
    """There is nothing to divide by, and nothing to say."""
    assert tfc({"page": 2.0}, {"page": 0.0}, 1.0) == {}
