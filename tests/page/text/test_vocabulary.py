from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.page.text.weighting import count_matrix, count_terms, vocabulary

DOCUMENTS = st.lists(st.dictionaries(st.text(min_size=1, max_size=3), st.integers(1, 9)), min_size=1)


@given(DOCUMENTS)
def test_the_matrix_holds_the_counts(documents):
    """Each count stands in its document's row and its term's column, and nothing else does."""
    terms = vocabulary(documents)
    matrix = count_matrix(documents, terms).toarray()
    for row, document in zip(matrix, documents, strict=True):
        assert {term: count for term, count in zip(terms, row, strict=True) if count} == document


def test_other_terms_are_left_out():
    """A term that was pruned has no column."""
    assert count_matrix([{"a": 1.0, "b": 2.0}], ["b"]).toarray().tolist() == [[2.0]]


def test_stop_words_are_not_counted():
    """The place of a stop word is no term."""
    assert count_terms(["", "oven", ""]) == {"oven": 1}
