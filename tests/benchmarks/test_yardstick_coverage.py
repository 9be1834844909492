"""The yardstick of intervals crawls each topic as its own judge does, and counts by the ground truth."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.harness import Report, results_of
from benchmarks.judged_crawls import EXAMPLES, THESAURUS, WORDS, judged_crawls
from benchmarks.studies.coverage import OTHERS, fitted, rows_of
from benchmarks.yardstick import measure
from focused_crawler.crawl.judged import Judged, LabelSet
from tests.experiment.hives import write_hives


def test_all_figures(tmp_path):
    """Of crawls that are made once; the same again by what the folder keeps."""
    web, folder = write_hives(tmp_path), tmp_path / "yard"
    found = [rows_of(judged_crawls([web], "bees", folder, 1), 2, 1) for _ in range(2)]
    grids, figures = results_of(measure, Report(found[0]))
    assert [grid.name for grid in grids] == ["coverage", "methods", "judge", "thesaurus"]
    names = {f"coverage_{name}" for name in ("words", "thesaurus", "examples", "labels")}
    assert set(figures) == {*names, "width_50", "width_50_random", "coverage_random"}
    assert all(0 <= value <= 1 for value in figures.values())
    assert found[0] == found[1]


def test_a_crawl_is_judged_by_words_or_by_examples(tmp_path):
    """Only a model that was trained says what it was worth on examples."""
    crawls = judged_crawls([write_hives(tmp_path)], "bees", tmp_path / "yard", 1)
    by_kind = {kind: [crawl for crawl in crawls if crawl.kind == kind] for kind in (WORDS, EXAMPLES)}
    assert [crawl.held_out is None for crawl in by_kind[WORDS]] == [True] * len(by_kind[WORDS])
    for crawl in by_kind[EXAMPLES]:
        assert crawl.held_out.hits + crawl.held_out.misses >= 2
        assert 0 < crawl.truth.sum() <= len(crawl.truth) == len(crawl.judged.host)
    for crawl, words in zip((one for one in crawls if one.kind == THESAURUS), by_kind[WORDS], strict=True):
        assert np.array_equal(crawl.truth, words.truth)  # of the same pages
        assert not np.array_equal(crawl.judged.relevance, words.judged.relevance)
        assert crawl.held_out is None
    constants = np.array(fitted(by_kind[WORDS]))
    assert np.isfinite(constants).all()
    assert (constants[3:8] > 0).all()


@pytest.mark.parametrize("method", OTHERS)
def test_other_methods_find_the_share_that_they_are_given(method):
    """Of a judge without a fault, where one label in twenty is wrong."""
    called = np.arange(1000) < 300
    index = np.arange(0, 1000, 10)
    said = called[index] ^ (np.arange(100) % 20 == 0)
    found = OTHERS[method](Judged(called * 0.8, called), LabelSet(index, said, called[index]))
    assert found.low <= 0.3 <= found.high
    assert found.high - found.low < 0.25
