import numpy as np
import pytest

from focused_crawler.classify.base import ExamplePages
from focused_crawler.page.text.weighting import RAW, SECTION_WEIGHTS, section_counts


@pytest.fixture
def examples(relevant, other):
    """Three relevant pages, four others, of which the last two are background."""
    return ExamplePages.of(
        [*relevant[:3], *other[:4]], [True] * 3 + [False] * 4, SECTION_WEIGHTS, [1.0] * 5 + [0.3] * 2
    )


def test_a_page_counts_as_one(relevant):
    """Unless somebody says less."""
    assert ExamplePages.of(relevant, [True] * len(relevant), SECTION_WEIGHTS).weights.tolist() == [1.0] * 20


def test_columns_are_the_terms_of_all_pages(examples):
    """Each row holds its page's counts, section-weighted in `tf` and plain in `raw`."""
    assert sorted(examples.terms) == list(examples.terms)
    for matrix, weights in ((examples.tf, SECTION_WEIGHTS), (examples.raw, RAW)):
        for page, row in zip(examples.pages, matrix.toarray(), strict=True):
            counted = dict(zip(examples.terms.tolist(), row.tolist(), strict=True))
            assert {term: count for term, count in counted.items() if count} == section_counts(
                page.sections, weights
            )


def test_rows_keep_what_belongs_together(examples):
    """A fold has its pages' labels, weights and counts, over the columns of all pages."""
    rows = np.array([5, 0, 3])
    fold = examples.rows(rows)
    assert fold.pages == tuple(examples.pages[row] for row in rows)
    assert (fold.is_relevant.tolist(), fold.weights.tolist()) == ([False, True, False], [0.3, 1.0, 1.0])
    assert fold.terms.tolist() == examples.terms.tolist()
    assert (fold.tf != examples.tf[rows]).nnz == (fold.raw != examples.raw[rows]).nnz == 0


def test_own_pages_are_those_that_a_person_chose(examples):
    """The background is left out, also of a fold."""
    assert examples.own().pages == examples.pages[:5]
    assert examples.rows(np.array([6, 1])).own().pages == (examples.pages[1],)
