"""The classifier benchmark reads, learns, measures and writes what it says."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from benchmarks.classifier_comparison import ITFIDF
from benchmarks.classifier_paired import macro_f1
from benchmarks.classifier_reference import METHODS, REFERENCE, outcomes
from benchmarks.classifier_reliability import Reliability, pooled
from benchmarks.classifier_sets import SECTIONS, TextSet
from benchmarks.classifier_tables import Grid, put_into
from benchmarks.classifier_web_report import Trial, web_figures, web_grids
from benchmarks.classifier_webs import Pages, judged, subjects
from benchmarks.classifier_weighting import count, score
from focused_crawler.classify.base import ExamplePages
from focused_crawler.classify.naive_bayes import LuClassifier
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared/classify"
TOPICS = {"grain": "wheat corn harvest tonne", "money": "bank dollar rate interest"}


def write_set(folder, train, test):
    """Write documents of two topics, some of both."""
    chance = random.Random(0)
    folder.mkdir(parents=True)
    for part, size in (("train", train), ("test", test)):
        with gzip.open(folder / f"{part}.jsonl.gz", "wt") as lines:
            for number in range(size):
                labels = [topic for topic in TOPICS if chance.random() < 0.5]
                words = [word for topic in labels for word in TOPICS[topic].split()] + ["report", "day"]
                document = dict.fromkeys(SECTIONS, "")
                document |= {"headline": chance.choice(words), "body": " ".join(chance.choices(words, k=12))}
                lines.write(json.dumps({"id": number, "labels": labels, **document}) + "\n")
    return folder


def test_a_small_run_gives_all_figures_and_fills_the_document(tmp_path):
    """Every method has its figure, and each table its place."""
    write_set(tmp_path / "data/rcv1", 60, 30)
    document, figures = tmp_path / "classifier.md", tmp_path / "figures.json"
    document.write_text("# Sets\n\n<!-- tuned -->\n<!-- /tuned -->\n\nThe end.\n")
    command = [sys.executable, str(ROOT / "benchmarks/classifier.py"), "--data", str(tmp_path / "data")]
    command += ["--json", str(figures), "--into", str(document)]
    shown = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path).stdout
    found = json.loads(figures.read_text())["figures"]
    assert {f"f1_rcv1_{name}" for name in (*METHODS, "tfidf_nb", "itfidf_nb")} <= found.keys()
    assert 0.5 < found["f1_rcv1_linear_svc"] <= 1
    assert found["itfidf_less_tfidf_low_rcv1"] <= found["itfidf_less_tfidf_high_rcv1"]
    assert "| rcv1 | " in document.read_text()
    assert document.read_text().endswith("The end.\n")
    assert "ComplementNB" in shown


def test_tables_are_put_between_their_markers(tmp_path):
    """What stands there goes, a table without a place too, and a second time nothing changes."""
    path = tmp_path / "document.md"
    path.write_text("a\n<!-- one -->old<!-- /one -->\nb <!-- lonely -->\n")
    one, other = (Grid(name, "", ["set", "F1"], [["x|y", "1.0"]]) for name in ("one", "other"))
    put_into(path, [one, other])
    expected = (
        "a\n<!-- one -->\n| set | F1 |\n| --- | ---: |\n| x\\|y | 1.0 |\n<!-- /one -->\nb <!-- lonely -->\n"
    )
    assert path.read_text() == expected
    put_into(path, [one, other])
    assert path.read_text() == expected


def test_itfidf_as_printed_is_the_crawlers_own(tmp_path):
    """The log odds are those of the classifier that `scrapy train` makes of the same documents."""
    text_set = TextSet.read(write_set(tmp_path / "rcv1", 40, 10))
    train, test, _ = count(text_set)
    (found,) = score(train, test, ITFIDF, is_single=False, scales=(1.0,))
    settings = ClassifierSettings(classifier="naive_bayes")
    learning, asked = (pages_of(part) for part in (text_set.train, text_set.test))
    for column, topic in enumerate(train.topics.T):
        examples = ExamplePages.of(learning, topic.tolist(), settings.section_weights)
        lu = LuClassifier.fit(examples, settings)
        assert found[:, column] == pytest.approx([lu.log_odds(page) for page in asked])


def pages_of(documents):
    analyzer = Analyzer("en")
    return [
        Page(f"http://a.example/{number}", "", "", Sections(*map(analyzer.terms, texts)), Outline(False))
        for number, texts in enumerate(documents.sections)
    ]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the text sets are not here")
def test_the_reference_is_met():
    """Macro F1 is that of the reference to the digit it is given with."""
    text_set = TextSet.read(SHARED / "odp_meta")
    truth = text_set.test.topics
    with threadpool_limits(1):
        found = [100 * macro_f1(truth, outcome.decided) for _, outcome in outcomes(text_set)]
    assert found == pytest.approx(REFERENCE["odp_meta"], abs=0.11)


def test_every_method_judges_the_pages_of_a_web(demo_web):
    """No page is judged that one learnt from, and the figures have the names that were asked for."""
    with AnalysedWeb(demo_web) as web:
        subject = subjects(demo_web, web)[0]
        tested = subject.tested()
        learnt = np.concatenate([subject.relevant, subject.other, subject.background])
        assert len(tested) + len(np.unique(learnt)) == len(web)
        assert not np.isin(tested, learnt).any()
        with threadpool_limits(1):
            found = list(judged(Pages.of(web), subject, tested))
    trials = [
        Trial("demo", subject.topic.name, one.method, size, one.measured, one.reliability)
        for one in found
        for size in (None, (10, 20), (30, 60), (100, 200))
    ]
    named = {"macro_f1_demo_default", "macro_f1_demo_linear_svc", "ms_per_page", "train_s"}
    named |= {"ece_demo", "ece_demo_above_02"}
    figures = dict(web_figures(trials, "naive_bayes"))
    assert named <= figures.keys()
    assert figures["macro_f1_demo_default"] == figures["macro_f1_demo_naive_bayes"] > 0.5
    grids = {grid.name: grid for grid in web_grids(trials, "naive_bayes")}
    assert list(grids) == [
        "web_topics",
        "web_means",
        "web_reliability",
        "web_reliability_topics",
        "web_sizes",
    ]
    shown = sum(int(row[1].replace(",", "")) for row in grids["web_reliability"].rows)
    assert shown == len(tested)


def test_reliability():
    """Each page is in one bin, and the error of the high ones is that of the pages from 0.2 on."""
    relevances = np.array([0.0, 0.04, 0.05, 0.3, 0.95, 1.0])
    truth = np.array([False, True, False, True, False, True])
    found = Reliability.of(relevances, truth)
    assert [one.pages for one in found.bins] == [2, 1, 1, 0, 0, 0, 2]
    assert [one.true for one in found.bins] == [1, 0, 1, 0, 0, 0, 1]
    assert found.bins[-1].said == pytest.approx(1.95)
    assert found.high_error == pytest.approx((0.7 + 0.95) / 3)
    assert pooled([found, found])[0] == (0.0, 0.05, 4, pytest.approx(0.08), 2)
    assert np.isnan(Reliability.of(relevances[:2], truth[:2]).high_error)


def test_drawn_examples_are_of_their_kind(demo_web):
    """As many as were asked for, none twice, none of the background; the same draw is the same."""
    with AnalysedWeb(demo_web) as web:
        subject = subjects(demo_web, web)[0]
    drawn = subject.drawn(10, 20, 1)
    assert subject.truth[drawn.relevant].all()
    assert not subject.truth[drawn.other].any()
    assert len(np.unique(np.concatenate([drawn.relevant, drawn.other]))) == 30
    assert not np.isin(np.concatenate([drawn.relevant, drawn.other]), subject.background).any()
    assert (drawn.other == subject.drawn(10, 20, 1).other).all()
