"""The classifier benchmark reads, learns, measures and writes what it says."""

from __future__ import annotations

import gzip
import json
import random
import sys
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from benchmarks.harness import Report, main, results_of
from benchmarks.studies import text_judges
from benchmarks.studies.classifier import measure, pooled
from benchmarks.studies.comparison import ITFIDF
from benchmarks.studies.crawls import subjects_of
from benchmarks.studies.text_sets import METHODS, REFERENCE, SECTIONS, TextSet, macro_f1, outcomes
from benchmarks.studies.web_classifiers import DEFAULT, Answers, Pages, Pupil, bins_of, judged
from benchmarks.studies.weighting import count, score
from benchmarks.tables import Grid, Rows, put_into
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


def test_a_small_run_gives_all_figures_and_fills_the_document(tmp_path, monkeypatch, capsys):
    """Every method has its figure, and each table its place."""
    write_set(tmp_path / "data/rcv1", 60, 30)
    document, figures = tmp_path / "classifier.md", tmp_path / "figures.json"
    document.write_text("# Sets\n\n<!-- tuned -->\n<!-- /tuned -->\n\nThe end.\n")
    words = ["--data", tmp_path / "data", "--json", figures, "--into", document]
    monkeypatch.setattr(sys, "argv", ["classifier", *map(str, words)])
    monkeypatch.chdir(tmp_path)
    main(measure, "")
    shown = capsys.readouterr().out
    found = json.loads(figures.read_text())["figures"]
    assert {f"f1_rcv1_{name}" for name in (*METHODS, "tfidf_nb", "itfidf_nb")} <= found.keys()
    assert 0.5 < found["f1_rcv1_linear_svc"] <= 1
    assert found["itfidf_less_tfidf_low_rcv1"] <= found["itfidf_less_tfidf_high_rcv1"]
    assert "| rcv1 | " in document.read_text()
    assert document.read_text().endswith("The end.\n")
    assert "complement_nb" in shown


def test_training_judges_a_set(tmp_path):
    """Each topic by the model that training makes of all documents."""
    write_set(tmp_path / "rcv1", 60, 30)
    rows = text_judges.measure(data=tmp_path, sets="rcv1").rows["sets"]
    assert [row["method"] for row in rows] == text_judges.METHODS.split(",")
    assert all(row["points"] > 80 and row["ap_points"] > 90 for row in rows)


def test_tables_are_put_between_their_markers(tmp_path):
    """What stands there goes, a table without a place too, and a second time nothing changes."""
    path = tmp_path / "document.md"
    path.write_text("a\n<!-- one -->old<!-- /one -->\nb <!-- lonely -->\n")
    one, other = (Grid("", ["set", "F1"], [["x|y", "1.0"]], name) for name in ("one", "other"))
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
    train, test = count(text_set)
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
    reference = REFERENCE["f1"]["odp_meta"]
    assert found == pytest.approx([reference[name] for name in METHODS], abs=0.11)


def test_every_method_judges_the_pages_of_a_web(demo_web):
    """No page is judged that one learnt from, and the figures have the names that were asked for."""
    with AnalysedWeb(demo_web) as web:
        subject = Pupil.of(subjects_of(demo_web)[0], web)
        tested = subject.tested()
        learnt = np.concatenate([subject.relevant, subject.other, subject.background])
        assert len(tested) + len(np.unique(learnt)) == len(web)
        assert not np.isin(tested, learnt).any()
        with threadpool_limits(1):
            found = list(judged(Pages.of(web), subject, tested))
    truth = subject.truth[tested]
    about = {"web": "demo", "topic": subject.topic.name}
    own = Rows({**about, "method": name, **answers.measures(truth)} for name, answers in found)
    default = next(answers for name, answers in found if name == DEFAULT)
    bins = Rows(about | one for one in bins_of(default.relevances, truth))
    rows = {"own": own, "default": own.where(method=DEFAULT), "bins": bins, "pooled": pooled(bins)}
    grids, figures = results_of(measure, Report(rows))
    named = {"macro_f1_demo_default", "macro_f1_demo_linear_svc", "ms_per_page", "train_s"}
    assert named | {"ece_demo", "ece_demo_above_02"} <= figures.keys()
    assert figures["macro_f1_demo_default"] == figures[f"macro_f1_demo_{DEFAULT}"] > 0.5
    reliability = next(grid for grid in grids if grid.name == "web_reliability")
    assert sum(int(row[2].replace(",", "")) for row in reliability.rows) == len(tested)


def test_reliability():
    """Each page is in one bin, and the error of the high ones is that of the pages from 0.2 on."""
    relevances = np.array([0.0, 0.04, 0.05, 0.3, 0.95, 1.0])
    truth = np.array([False, True, False, True, False, True])
    found = Rows(bins_of(relevances, truth))
    assert found.measure("pages").values == [2, 1, 1, 0, 0, 0, 2]
    assert found.measure("true").values == [1, 0, 1, 0, 0, 0, 1]
    assert found[-1]["said"] == pytest.approx(1.95)
    both = Rows({"web": "w", **row} for row in [*found, *found])
    assert pooled(both)[0] == pytest.approx(
        {"web": "w", "relevance": "0 to 0.05", "pages": 4, "share": 2 / 6, "said": 0.02, "true": 0.5}
    )
    measured = Answers(truth, relevances, relevances, 0.0, 0.0).measures(truth)
    assert measured["high_error"] == pytest.approx((0.7 + 0.95) / 3)
    low = Answers(truth[:2], relevances[:2], relevances[:2], 0.0, 0.0).measures(truth[:2])
    assert low["high_error"] is None


def test_drawn_examples_are_of_their_kind(demo_web):
    """As many as were asked for, none twice, none of the background; the same draw is the same."""
    with AnalysedWeb(demo_web) as web:
        subject = Pupil.of(subjects_of(demo_web)[0], web)
    drawn = subject.drawn(10, 20, 1)
    assert subject.truth[drawn.relevant].all()
    assert not subject.truth[drawn.other].any()
    assert len(np.unique(np.concatenate([drawn.relevant, drawn.other]))) == 30
    assert not np.isin(np.concatenate([drawn.relevant, drawn.other]), subject.background).any()
    assert (drawn.other == subject.drawn(10, 20, 1).other).all()
