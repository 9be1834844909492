"""The study of Batsakis et al. counts what crawls fetched by the ground truth and by the paper's judge."""

from __future__ import annotations

import math
from dataclasses import asdict

import pytest

from benchmarks.harness import results_of
from benchmarks.studies import batsakis
from benchmarks.studies.batsakis import AS_MANY, HALVES, JUDGES, NEAR, PAPER, POINTS, claims, judged, measure
from benchmarks.studies.crawls import ClassifierCrawler, Start, bench_of, prepared, subjects_of, unsteered
from benchmarks.tables import Rows
from focused_crawler.page.text.idf import TermStatistics
from focused_crawler.page.text.weighting import RAW, section_counts
from tests.cosine import cosine
from tests.experiment.hives import write_hives
from tests.wordnet import needs_wordnet


@pytest.fixture(scope="module")
def hives(tmp_path_factory):
    """Two topics, each with its model, and a bench where vsm judges."""
    folder = tmp_path_factory.mktemp("hives")
    subjects = subjects_of(write_hives(folder))
    return unsteered(prepared(folder / "out", subjects, 1, {"FOCUSED_CLASSIFIER": "vsm"})), subjects


def test_nothing_steers_beside_the_strategy(tmp_path):
    """What settings have by default, trap budgets and copies, is off in all that is compared with a paper."""
    config = unsteered(bench_of(tmp_path)).config
    switches = {"distill_pages": 0, "hub_trigger": 0, "near_duplicates": False, "trap_budgets": False}
    assert asdict(config.steering) == {**switches, "listings": "off"}


@pytest.mark.slow
def test_the_judge_is_the_largest_cosine_with_an_example(hives):
    """Of Eq. 2's weights; the lower level gives as many pages as the ground truth has."""
    bench, subjects = hives
    web, idf = bench.web(subjects[0]), TermStatistics.for_language("en").idf
    for about in judged(bench, subjects):
        counts = [section_counts(web.page(number).sections, RAW) for number in range(len(web))]
        weights = [{term: tf / max(one.values()) * idf(term) for term, tf in one.items()} for one in counts]
        examples = [weights[web.number(url)] for url in about.subject.topic.relevant_examples]
        nearest = [max(cosine(page, example) for example in examples) for page in weights]
        assert about.relevant[NEAR].tolist() == [value > 0.75 for value in nearest]
        level = sorted(nearest)[-about.row["relevant"]]
        assert math.isclose(about.row["level"], level, abs_tol=1e-9)
        assert about.relevant[AS_MANY].sum() == about.row["relevant"] == 25
    assert [about.row["half"] for about in judged(bench, subjects)] == list(HALVES)


@needs_wordnet
@pytest.mark.slow
def test_all_nine_crawlers_are_counted_by_all_judges(hives, tmp_path):
    """Their harvest is that of the same crawl counted page by page; each figure is drawn."""
    bench, subjects = hives
    report = measure(web=subjects[0].web, processes=1, plots=tmp_path)
    runs = report.rows["runs"]
    assert len(runs) == len(subjects) * 2 * len(PAPER) * len(JUDGES) * len(POINTS)
    for subject in subjects:
        crawler = ClassifierCrawler(bench, subject)
        for strategy in PAPER:
            crawl = crawler.crawl(strategy, Start("c"))
            mine = runs.where(topic=subject.topic.name, strategy=strategy, seed_set="c", judge="truth")
            expected = pytest.approx(100 * crawl.hits.sum() / crawler.targets)
            assert mine.where(pages="10,000").value("harvest") == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"figure_{n}.png" for n in (4, 5, 6, 7, 8)]
    grids, figures = results_of(measure, report)
    assert all(len(grid.rows) > 1 for grid in grids)
    assert figures["harvest_best_first_content_anchor"] > figures["harvest_breadth_first"]


def test_a_claim_is_a_difference_in_each_setting(monkeypatch):
    """In points of harvest rate; a topic counts once, by the mean over its seed sets."""
    claim = {"figure": 4, "says": "x", "one": "x", "other": "y", "pages": "10,000"}
    monkeypatch.setitem(batsakis.SPEC, "claim", [claim])
    harvests = {("bees", "a"): (30.0, 10.0), ("bees", "c"): (10.0, 20.0), ("cars", "a"): (5.0, 5.0)}
    runs = Rows(
        {
            "judge": "truth",
            "web": "w",
            "topic": topic,
            "seed_set": seeds,
            "strategy": strategy,
            "pages": pages,
        }
        | {"harvest": harvest if pages == "10,000" else 99.0}
        for (topic, seeds), both in harvests.items()
        for strategy, harvest in zip("xy", both, strict=True)
        for pages in POINTS
    )
    found = Rows(claims(runs))
    assert [row["ahead"] for row in found] == [20.0, -10.0, 0.0]
    assert (found.measure("topics").sum, found.measure("topics").count) == (1, 2)
