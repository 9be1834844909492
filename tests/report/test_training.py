"""The report of a training."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from parsel import Selector

from focused_crawler.classify.comparison import TermChanges, compare
from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.paired import Measured, Paired
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import Trained, train, train_from_words
from focused_crawler.crawl.model_preview import ChangedPage, ComingUrl, ModelPreview
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.report.terminal.classifiers import worth
from focused_crawler.report.training import Training, render_training, save_training
from focused_crawler.report.training_record import TrainingRecord
from focused_crawler.safety.errors import ModelError
from focused_crawler.topic.topic import Topic

SETTINGS = ClassifierSettings()
COOKING = ["recipe", "oven", "flour", "butter", "sauce", "dough", "onion", "garlic", "dinner"]
OTHER = ["engine", "league", "coach", "server", "election", "senate", "orbit", "galaxy", "opera"]
TOPIC = Topic("cooking", Path("cooking"), title="<b>Cooking</b>", keywords=("recipe", "oven"))
COMMON = ["site", "home", "menu", "share", "news", "year"]
HOSTILE = "https://a.example/<script>"


def make_pages(kind, words, count):
    rng, analyzer = random.Random(kind), Analyzer("en")
    for number in range(count):
        text = " ".join(rng.choices(words, k=30) + rng.choices(COMMON, k=20))
        body = f"<title>{' '.join(rng.choices(words, k=3))}</title><p>{text}</p>".encode()
        yield parse_page(body, f"https://{kind}.example/{number}", analyzer)


@pytest.fixture(scope="module")
def pages():
    """Pages about cooking, of which the first should be among the others, and others."""
    relevant, other = list(make_pages("kitchen", COOKING, 12)), list(make_pages("world", OTHER, 20))
    return [replace(other.pop(), url=HOSTILE), *relevant], other


@pytest.fixture(scope="module")
def training(pages):
    relevant, other = pages
    model, report = train(TOPIC, relevant, other[5:], SETTINGS, Analyzer("en"), background=other[:5])
    return Training.of(TOPIC, Trained(model, report, relevant, other))


@pytest.fixture(scope="module")
def page(training):
    return Selector(render_training(training))


def section(page, heading):
    return page.xpath(f'//section[h2[.="{heading}"]]')


def test_it_has_the_figures_of_the_table(page, training):
    """F1 large, the others beside it, how many pages it learnt from, and a row a fold."""
    overall = training.report.overall
    assert page.css(".lead strong::text").get() == f"{overall.f1:.2f}"
    figures = dict(
        zip(page.css(".stats dt::text").getall(), page.css(".stats dd::text").getall(), strict=True)
    )
    assert figures["Precision"] == f"{overall.precision:.3f}"
    assert figures["Calibration error"] == f"{overall.calibration_error:.3f}"
    assert (figures["Relevant examples"], figures["Other examples"]) == ("13", "14")
    assert figures["Pages of other topics"] == "5"
    assert len(section(page, "Fold by fold").xpath(".//tbody/tr")) == 6


def test_the_plot_says_how_many_pages_each_dot_is(page, training):
    """A number a bin, in the plot's text."""
    numbers = page.css("svg[aria-label=Reliability] text::text").getall()
    for held in training.bins:
        assert str(held.pages) in numbers


def test_other_thresholds_are_shown(page):
    """From a tenth to nine tenths, with what chose the own one."""
    rows = section(page, "Other thresholds")
    assert rows.xpath(".//tbody/tr/th/text()").getall()[::4] == ["0.1", "0.5", "0.9"]
    assert "a false positive costs as much as a false negative" in rows.get()


def test_what_was_there_before_stands_beside_it(training, pages, tmp_path):
    """The figures that the terminal prints, of an old model or the topic's words, and which is better."""
    relevant, other = pages
    analyzer = Analyzer("en")
    train(TOPIC, relevant[2:], other[8:], SETTINGS, analyzer)[0].save(tmp_path)
    trained = Trained(training.model, training.report, relevant, other)
    for old in (TopicModel.load(tmp_path), TopicModel.cold(TOPIC, analyzer)):
        pages_of_both, held_out = [*relevant, *other], training.report.held_out
        comparison = compare(old, training.model, held_out, pages_of_both) if old.trained else None
        paired = Paired.of(old, trained, TOPIC, analyzer)
        found = Training.of(TOPIC, trained, comparison, paired)
        title = "Beside the old model" if old.trained else "Beside the topic's words"
        (beside,) = section(Selector(render_training(found)), title)
        said = worth(paired, found.before, must_choose=True)
        for row, line in zip(beside.xpath(".//tbody/tr"), said[1:4], strict=False):
            name, *cells = (cell.xpath("normalize-space()").get() for cell in row.xpath("th | td"))
            old_one, new_one, difference, interval = cells
            name = name if name == "F1" else name.lower()
            assert line.split() == f"{name} {old_one} -> {new_one} ({difference}; 95 %: {interval})".split()
        assert str(paired.only_new) in beside.xpath(".//tbody/tr[last()]/td[2]/text()").get()
        note = beside.css("p.note::text").get()
        assert paired.verdict in note
        assert ("new to the old model" in note) == old.trained
    assert not Selector(render_training(training)).xpath("//section[h2[contains(., 'Beside')]]")


def test_terms_are_spelled_as_on_the_pages(page):
    """Not as stems."""
    speak_for = section(page, "Speaks for it").xpath(".//th/bdi/text()").getall()
    against = section(page, "Speaks against it").xpath(".//th/bdi/text()").getall()
    assert {"recipe", "dough"} <= set(speak_for)
    assert "engine" in against
    assert {*speak_for, *against} <= {*COOKING, *OTHER, *COMMON}


def test_a_wrong_label_is_pointed_out(page):
    """With the words that say so, and the page's URL as text wherever it is hostile."""
    cells = section(page, "Examples that may be mislabelled").xpath(".//tbody/tr/td")
    assert cells[0].xpath("normalize-space()").get() == HOSTILE
    assert cells[1].xpath("normalize-space()").get() == "relevant"
    assert set(cells[3].xpath("normalize-space()").get().split(", ")) & set(OTHER)
    assert not page.xpath("//script | //h1//b")


def test_all_examples_are_listed(page, training):
    """The most doubtful first, pages of other topics not among them."""
    rows = page.xpath("//details//tbody/tr")
    assert len(rows) == 27
    assert rows[0].xpath("normalize-space(td[1])").get() == HOSTILE


def test_equal_trainings_make_equal_reports(training):
    """No date and no chance is in it."""
    assert render_training(training) == render_training(training)


def test_pseudo_examples_have_no_figures(pages):
    """What nobody labelled cannot be judged; the report says so, and shows the terms all the same."""
    relevant, other = pages
    model = train_from_words(TOPIC, relevant[1:], other, SETTINGS, Analyzer("en"))
    seeded = Training.of(TOPIC, Trained(model, None, relevant[1:], other))
    page = Selector(render_training(seeded))
    assert page.css(".lead strong::text").get() == "12"
    assert "no figures of quality" in page.css(".lead").get()
    assert not page.css("svg")
    assert section(page, "Speaks for it").xpath(".//tbody/tr/th")


def test_a_report_that_cannot_be_written(training, tmp_path):
    """One line names it."""
    with pytest.raises(ModelError, match=r"^cannot write .*training.html .*; choose a folder you may"):
        save_training(training, tmp_path / "nowhere" / "training.html")


def test_own_examples_begin_with_those_that_contradict_their_label(training):
    """Relevant and other ones by the same measure; what was drawn as background is left out."""
    contradiction = [abs(page.is_relevant - page.relevance) for page in training.own]
    assert contradiction == sorted(contradiction, reverse=True)
    assert len(contradiction) == len([page for page in training.report.held_out if not page.is_background])


def paired_by(old: float, new: float) -> Paired:
    """Both on 5 relevant pages and 7 others, by F1 alone."""
    f1 = Measured(old, new, -0.3, 0.1, old, old, new, new)
    return Paired(5, 7, 0, 2, 1, f1, f1, f1)


def test_a_record_says_what_a_training_came_to(training, tmp_path):
    """As plain values in a file beside the model; what is broken is none."""
    preview = ModelPreview(
        "crawls/cooking/1", 9, 1, 0, [ChangedPage("http://a/", "\u202eA", 0.7)], [],
        [ComingUrl("http://b/", None), ComingUrl("http://c/", 3)], 1,
    )  # fmt: skip
    record = TrainingRecord.of(training, 12.5, preview, "model:1")
    record.save(tmp_path / "record.json")
    assert TrainingRecord.load(tmp_path / "record.json") == record
    assert record.before == "the topic's words"
    assert [one.url for one in record.doubts] == [one.url for one in training.report.suspects]
    assert record.objection == ""
    doubted = replace(record, words=paired_by(0.9, 0.8))
    doubted.save(tmp_path / "record.json")
    said = TrainingRecord.load(tmp_path / "record.json").objection
    assert said == (
        "the topic's words alone judge these 12 examples better: F1 0.90, the new model 0.80; that may be"
        " chance"
    )
    for broken in ("", "{}", "[1]", '{"made_at": 1}'):
        (tmp_path / "record.json").write_text(broken)
        assert TrainingRecord.load(tmp_path / "record.json") is None
    assert TrainingRecord.load(tmp_path / "gone.json") is None
    with pytest.raises(ModelError, match="cannot be written"):
        record.save(tmp_path / "no/record.json")


def test_terms_are_gained_and_lost(training):
    """Those that say most by one of the two models, and not by the other."""
    words = {"recipe", "oven"}  # all that the topic's words know
    gained = {one.term for one in training.terms.gained}
    assert gained
    assert not gained & words
    assert all(one.value > 0 for one in training.terms.gained)
    assert all(one.value < 0 for one in training.terms.gained_against)
    same = TermChanges.between(training.model.classifier, training.model.classifier, [], [], 5)
    assert [*same] == [[], [], [], []]
