"""The study beside Lu et al. counts what LPE follows, and makes no crawl twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.harness import results_of
from benchmarks.studies.crawls import ClassifierCrawler, Start, bench_of, unsteered
from benchmarks.studies.lu import (
    CRAWLERS,
    PAPER,
    READINGS,
    crawl_topic,
    followed,
    gains,
    measure,
    orders,
    report,
)
from benchmarks.tables import Rows
from focused_crawler.experiment.grid import find_subjects
from focused_crawler.experiment.training import prepare
from tests.benchmarks.test_classifier import write_set
from tests.experiment.hives import write_hives

TABLES = ["gains", "topics", "harvest", "recall", "orders", "dry", "by_topic", "jfe"]


@pytest.fixture
def bees(tmp_path):
    """A topic of a small web, and crawls of it by its words."""
    subject = find_subjects([write_hives(tmp_path)], "bees", None)[0]
    bench = unsteered(bench_of(tmp_path / "bench"))
    prepare(bench, subject)
    return bench, subject


def test_all_tables_and_plots(tmp_path):
    """Both readings of all six crawlers stand beside the paper's numbers; each figure is drawn."""
    subject = find_subjects([write_hives(tmp_path)], "bees", None)[0]
    made = [crawl_topic(subject, tmp_path / "bench")]
    write_set(tmp_path / "data/rcv1", 60, 30)
    judged = measure(data=tmp_path / "data", processes=1).rows["sets"]
    grids, figures = results_of(measure, report([judged], made, tmp_path / "plots"))
    assert [grid.name for grid in grids] == TABLES
    (crawls, links) = made[0]
    assert len(crawls) == len(CRAWLERS) * len(READINGS) * len(subject.seed_sets)
    counted = Rows(links).where(reading="calibrated")
    jfe, block = (counted.measure(kind).sum for kind in ("jfe", "block"))
    assert figures["jfe_share_hives_calibrated"] == pytest.approx(jfe / (jfe + block), abs=1e-6)
    assert len(list((tmp_path / "plots").glob("figure_*.png"))) == 3


@pytest.mark.parametrize("name", [name for name in CRAWLERS if name not in READINGS["cosine"]])
def test_a_crawler_without_threshold_goes_one_way_by_both_readings(bees, name):
    """Calibrated or plain, similarities are in one order, so the study makes these crawls once."""
    bench, subject = bees
    visits = []
    for reading in READINGS:
        options = tuple(replace(one, similarity=reading) for one in bench.config.strategy_options)
        read = replace(bench, config=replace(bench.config, strategy_options=options))
        visits.append(ClassifierCrawler(read, subject).crawl(name, Start("a")).visits)
    assert np.array_equal(*visits)


def test_links_are_counted_as_the_strategies_decide(bees):
    """By JFE alone: lpe follows them, and cbp none with their URL on that page."""
    bench, subject = bees
    crawler = ClassifierCrawler(bench, subject)
    crawl = crawler.crawl("lpe", Start("a"))
    found, by_hand = followed(crawler, crawl), {"block": 0, "jfe": 0}
    lpe, cbp = (crawler.analyst(name).order.scorer for name in ("lpe", "cbp"))
    for page in (crawler.web.page(number) for number in crawl.visits.tolist()):
        followed_by = [
            {link.url for link in page.links if strategy.score(page, [link])[0] is not None}
            for strategy in (lpe, cbp)
        ]
        by_hand["block"] += len(followed_by[1])
        by_hand["jfe"] += len(followed_by[0] - followed_by[1])
    assert {kind: found[kind] for kind in by_hand} == by_hand
    assert found["block_right"] <= found["block_known"] <= found["block"]
    assert sum(by_hand.values()) > 0


@pytest.mark.slow
def test_jfe_decides(demo_web, tmp_path):
    """Of the links that LPE follows 3 % or more are followed for JFE alone: it goes another way than CBP."""
    bench = unsteered(bench_of(tmp_path))
    for subject in find_subjects([demo_web], "astronomy,cooking", None):
        prepare(bench, subject)
        crawler = ClassifierCrawler(bench, subject)
        lpe, cbp = (crawler.crawl(name, Start("a")) for name in ("lpe", "cbp"))
        links = followed(crawler, lpe)
        assert links["jfe"] >= 0.03 * (links["block"] + links["jfe"])
        assert not np.array_equal(lpe.visits, cbp.visits)


def test_the_paper_itself_would_have_its_order_and_gain():
    """Rank correlation is 1 where the means are the paper's; a gain is that of means over topics."""
    said = [{"topic": "x", "web": "w", "reading": "r", "crawler": name} for name in CRAWLERS]
    said = [row | {kind: PAPER[kind][row["crawler"]] for kind in ("harvest", "recall")} for row in said]
    assert [row["correlation"] for row in orders(Rows(said))] == pytest.approx([1.0, 1.0])
    f1 = {"TFIDF": (50.0, 60.0), "ITFIDF": (55.0, 70.0)}
    rows = Rows({"set": "rcv1", "weighting": name, "f1": one} for name, both in f1.items() for one in both)
    assert list(gains(rows)) == [{"set": "rcv1", "TFIDF": 55.0, "ITFIDF": 62.5, "more": 7.5, "paper": 2.0}]
