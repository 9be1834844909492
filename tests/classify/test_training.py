import random
from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest

from focused_crawler.classify.base import ExamplePages
from focused_crawler.classify.examples import Examples
from focused_crawler.classify.held_out import Beside, HeldOut, sites_of
from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.page_classifiers import SeededClassifier, TrainedClassifier, trust_of
from focused_crawler.classify.ratio_regression import RatioText
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import expected_share, train, train_topic
from focused_crawler.safety.errors import TopicError
from tests.classify.conftest import COOKING, make_pages

SETTINGS = ClassifierSettings()


def test_a_clear_topic_is_learnt(trained, relevant, other):
    """On pages that differ in half of their words no error is made."""
    model, report = trained
    assert report.overall.f1 == 1.0
    assert report.overall.calibration_error < 0.1
    assert min(map(model.classifier.relevance, relevant)) >= model.threshold
    assert max(map(model.classifier.relevance, other)) < model.threshold


def test_every_page_is_held_out_once(trained):
    """The folds have all pages between them, and both kinds in each."""
    _, report = trained
    *folds, overall = report.rows
    assert [row.name for row in report.rows] == ["fold 1", "fold 2", "fold 3", "fold 4", "fold 5", "all"]
    assert (sum(row.relevant for row in folds), sum(row.other for row in folds)) == (20, 30)
    assert (overall.relevant, overall.other) == (20, 30)
    assert all(row.relevant and row.other for row in folds)


def test_the_order_of_examples_does_not_matter(topic, trained, relevant, other, analyzer):
    """Shuffled examples give the same report and bit-equal relevances."""
    model, report = trained
    rng = random.Random(5)
    mixed = train(topic, rng.sample(relevant, 20), rng.sample(other, 30), SETTINGS, analyzer)
    assert mixed[1] == report
    for page in (*relevant, *other):
        assert mixed[0].classifier.relevance(page) == model.classifier.relevance(page)
    assert mixed[0].vector.weights == model.vector.weights


def test_noise_is_not_learnt(topic, other, analyzer):
    """Labels that mean nothing give a low F1 on held-out pages, and a warning."""
    pages = random.Random(1).sample(other, 30)
    _, report = train(topic, pages[:12], pages[12:], SETTINGS, analyzer)
    assert report.overall.f1 < 0.7
    assert any(warning.startswith("F1 is 0.") for warning in report.warnings)


def test_few_examples_are_said_to_be_few(topic, relevant, other, analyzer):
    """Four and five examples make two warnings, and as many folds as there are of the fewer kind."""
    _, report = train(topic, relevant[:4], other[:5], SETTINGS, analyzer)
    assert len(report.rows) == 4 + 1
    assert [warning[:18] for warning in report.warnings[:2]] == ["only 4 relevant ex", "only 5 other examp"]


@pytest.mark.parametrize(("relevant_count", "other_count", "kind"), [(0, 9, "relevant"), (9, 1, "other")])
def test_too_few_examples_are_refused(topic, relevant, other, analyzer, relevant_count, other_count, kind):
    """With less than two of a kind nothing can be held out."""
    with pytest.raises(
        TopicError, match=rf"^cooking has \d usable {kind} example.* add URLs or HTML files to {kind} .*toml$"
    ):
        train(topic, relevant[:relevant_count], other[:other_count], SETTINGS, analyzer)


def test_pages_without_words_are_refused(topic, make_page, analyzer):
    """There is nothing to learn from."""
    relevant, other = (
        [make_page(f"http://a.example/{kind}{n}", body="the") for n in range(3)] for kind in "ab"
    )
    with pytest.raises(TopicError, match=r"^no example has a word that tells pages apart; .* \[examples\]$"):
        train(topic, relevant, other, SETTINGS, analyzer)


def test_two_of_each_suffice(topic, relevant, other, analyzer):
    """The smallest training there is gives a model, whatever it is worth."""
    model, report = train(topic, relevant[:2], other[:2], SETTINGS, analyzer)
    assert len(report.rows) == 3
    assert 0.0 <= model.classifier.relevance(relevant[5]) <= 1.0


def test_the_topic_decides_the_threshold(topic, trained, relevant, other, analyzer):
    """A threshold in topic.toml beats what training finds, and the report says so."""
    model, report = train(replace(topic, relevance_threshold=0.9), relevant, other, SETTINGS, analyzer)
    assert (model.threshold, report.threshold, report.threshold_source) == (0.9, 0.9, "topic.toml")
    assert trained[1].threshold_source == "a false positive costs as much as a false negative"


def test_the_threshold_is_chosen_by_cost_or_f1(topic, relevant, other, analyzer):
    """The costlier a page taken by mistake, the higher; or where the best F1 is to be expected."""
    settings = [ClassifierSettings(false_positive_cost=3.0), ClassifierSettings(threshold_by="f1")]
    dear, best = (train(topic, relevant, other, choice, analyzer)[1] for choice in settings)
    assert dear.threshold == 0.75
    assert dear.threshold_source == "a false positive costs 3 times as much as a false negative"
    assert 0.0 < best.threshold < 1.0
    assert best.threshold_source == "best expected F1"


def test_background_is_learnt_from_beside_the_own_examples(topic, relevant, other, analyzer):
    """It is held out like them and told from them; a method that cannot use it has none."""
    both = [
        train(topic, relevant, other[:15], ClassifierSettings(name), analyzer, background=other[15:])
        for name in ("logistic_regression", "naive_bayes")
    ]
    assert [model.examples["background"] for model, _ in both] == [15, 0]
    assert [sum(page.is_background for page in report.held_out) for _, report in both] == [15, 0]
    assert len(both[0][1].held_out) == 20 + 30


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_relevance_is_for_the_expected_share_of_relevant_pages(topic, relevant, other, analyzer, share):
    """Held-out pages stand for a web where so many are relevant, and relevances fit it."""
    settings = ClassifierSettings(relevant_share=share)
    _, report = train(topic, relevant, other, settings, analyzer)
    assert sum(page.share for page in report.held_out if page.is_relevant) == pytest.approx(share)
    assert sum(page.share for page in report.held_out) == pytest.approx(1.0)
    assert sum(page.share * page.relevance for page in report.held_out) == pytest.approx(share, abs=0.05)


def test_one_site_is_warned_of(topic, relevant, other, analyzer):
    """Examples from a single host may teach the site."""
    site = [replace(page, url=f"https://one.example/{n}") for n, page in enumerate(relevant)]
    _, report = train(topic, site, other, SETTINGS, analyzer)
    assert any("of 1 host:" in warning for warning in report.warnings)


def test_an_empty_page_is_not_relevant(trained, make_page):
    """A page without one known word has relevance 0, not the share of relevant examples."""
    model, _ = trained
    assert model.classifier.relevance(make_page("https://a.example/")) == 0.0
    assert model.classifier.relevance(make_page("https://a.example/", body="zyzzogeton")) == 0.0


def test_sites_kept_apart(trained, relevant, other):
    """No page is judged by a classifier of pages of its site; a site alone can be kept apart from none."""
    examples = ExamplePages.of([*relevant, *other], [True] * 20 + [False] * 30, SETTINGS.section_weights)
    apart = HeldOut.sites_apart(examples, RatioText, SETTINGS)
    sites = sites_of(examples.pages)
    assert sorted(np.concatenate(apart.folds)) == list(range(50))
    for fold in apart.folds:
        assert not set(sites[fold]) & set(sites[np.setdiff1d(np.arange(50), fold)])
    row = trained[1].other_sites
    assert (row.name, row.relevant, row.other, row.f1) == ("other sites", 20, 30, 1.0)
    one_site = [replace(page, url=f"https://host.example/{n}") for n, page in enumerate(relevant)]
    alone = ExamplePages.of([*one_site, *other], [True] * 20 + [False] * 30, SETTINGS.section_weights)
    assert HeldOut.sites_apart(alone, RatioText, SETTINGS) is None


def test_a_topics_words_judge_beside_few_examples(topic, relevant, other, analyzer, make_page, tmp_path):
    """A page of words that no example had is lifted by them, the less the more examples there are; the model
    file keeps that."""
    words = make_page("https://a.example/", headline="recipe", body="recipe oven zucchini ladle")
    without = make_page("https://b.example/", headline="ladle", body="zucchini ladle")
    lifts = []
    for count in (4, 12, 20, 30):
        examples = (relevant * 2)[:count]
        classifier = train(topic, examples, other, SETTINGS, analyzer)[0].classifier
        assert isinstance(classifier, SeededClassifier) == (count < 30)
        if count < 30:
            classifier = classifier.words
            lifts.append(trust_of(count).of_words(classifier.relevance(words)))
            assert classifier.relevance(words) > classifier.relevance(without)
    assert lifts == sorted(lifts, reverse=True)
    model, report = train(topic, relevant[:6], other, SETTINGS, analyzer)
    model.save(tmp_path)
    loaded = TopicModel.load(tmp_path).classifier
    assert loaded.trust == trust_of(6)
    assert [loaded.relevance(page) for page in relevant] == [
        model.classifier.relevance(page) for page in relevant
    ]
    assert report.threshold == 0.5


def test_words_that_do_not_tell_the_examples_apart_have_no_say(topic, relevant, other, analyzer):
    """As those of a topic whose name says nothing; nor beside a method that somebody chose."""
    nameless = replace(topic, title="xyzzy", keywords=("xyzzy",), description="")
    for judged, settings in (
        (nameless, SETTINGS),
        (topic, replace(SETTINGS, classifier="logistic_regression")),
    ):
        model, _ = train(judged, relevant[:6], other, settings, analyzer)
        assert isinstance(model.classifier, TrainedClassifier)


def test_held_out_figures_are_those_of_words_and_examples_together(relevant, other):
    """What words add to a page's log odds moves its held-out relevance by as much."""
    examples = ExamplePages.of([*relevant[:6], *other], [True] * 6 + [False] * 30, SETTINGS.section_weights)
    added = np.linspace(-2, 2, 36)
    plain, lifted = (HeldOut.judge(examples, RatioText, SETTINGS, Beside(words)) for words in (None, added))
    every = np.arange(36)
    scaling = plain.calibrated(every, 0.1)
    assert lifted.calibrated(every, 0.1) == scaling
    odds = [np.log(r / (1 - r)) for r in (one.relevances(scaling, every) for one in (plain, lifted))]
    assert odds[1] - odds[0] == pytest.approx(added)


@pytest.mark.parametrize(
    ("relevant", "other", "background", "asked", "expected"),
    [
        (25, 75, 0, (0, 0), 0.1),  # chosen
        (25, 75, 0, (25, 0), 0.25),  # asked about
        (25, 45, 100, (25, 0), 0.25),  # the background counts for less
        (25, 75, 100, (25, 75), 25 / (25 + 22.5 + 30)),  # and so does what was asked about in vain
        (5, 95, 0, (5, 0), 0.1),  # never less than what was given
        (0, 0, 0, (0, 0), 0.1),
    ],
)
def test_what_people_were_asked_about_is_no_choice_of_kinds(
    make_page, relevant, other, background, asked, expected
):
    """Chosen examples say nothing of how many pages are relevant; labels do, where it is more."""
    kinds = [
        [make_page(f"http://{kind}.org/{number}") for number in range(count)]
        for kind, count in (("yes", relevant), ("no", other), ("behind", background))
    ]

    def urls(*counts):
        taken = zip(kinds, counts, strict=False)
        return frozenset(page.url for kind, count in taken for page in kind[:count])

    examples = Examples(*kinds, asked=urls(*asked))
    assert expected_share(examples, 0.1) == pytest.approx(expected)
    half = expected_share(replace(examples, asked=urls(asked[0] // 2, asked[1])), 0.1)
    assert 0.1 <= half <= expected + 1e-9


def test_background_that_could_not_be_had_is_not_relevant(make_page):
    """Labels of a good crawl are nearly all yes, which says nothing of the rest of the web."""
    kinds = [[make_page(f"http://{kind}.org/{number}") for number in range(20)] for kind in ("yes", "far")]
    asked = frozenset(page.url for page in kinds[0])
    alone, beside = Examples(kinds[0], []), Examples(kinds[0], [], kinds[1])
    assert expected_share(replace(alone, asked=asked), 0.1) > 0.99
    assert expected_share(replace(alone, asked=asked), 0.1, 100) == pytest.approx(20 / (20 + 30))
    assert expected_share(replace(beside, asked=asked), 0.1, 100) == pytest.approx(20 / (20 + 30))


def test_hard_pages_stand_for_few(topic, relevant, other, analyzer):
    """What was asked about in vain lowers relevances in the mean, but less than as many that were chosen.

    The topic's words, which call the pages relevant whatever else is said, have no say here.
    """
    topic, settings = (
        replace(topic, title="", description="", keywords=()),
        replace(SETTINGS, relevant_share=0.3),
    )
    alike, unseen = (make_pages(COOKING, count, seed, analyzer) for count, seed in ((12, 3), (5, 4)))

    def fitted(other, asked=()):
        asked = frozenset(page.url for page in asked)
        model, _ = train(topic, relevant, other, settings, analyzer, asked=asked)
        return model, [model.classifier.relevance(page) for page in unseen]

    without, chosen = fitted(other), fitted([*other, *alike])
    hard = fitted([*other, *alike], asked=[*relevant, *alike])  # not those that were found relevant
    assert fmean(chosen[1]) + 0.1 < fmean(hard[1]) < fmean(without[1]) - 0.02
    # it learns from each as much as before
    assert hard[0].classifier.method.intercept == chosen[0].classifier.method.intercept
    assert hard[1] == fitted([*other, *alike], asked=alike)[1]


def test_relevances_are_for_the_share_that_labels_have(topic, relevant, other, analyzer):
    """The model and its report say which; pages are the more relevant for it."""
    topic = replace(topic, relevant_examples=tuple(page.url for page in relevant))
    examples, settings = Examples(relevant, other), replace(SETTINGS, background=0)
    chosen, asked = (
        train_topic(topic, replace(examples, asked=frozenset(page.url for page in kind)), settings, analyzer)
        for kind in ((), relevant)
    )
    assert (chosen.report.relevant_share, asked.report.relevant_share) == pytest.approx((0.1, 0.4))
    assert asked.model.settings.relevant_share == asked.report.relevant_share
    page = other[0]
    assert asked.model.classifier.relevance(page) > chosen.model.classifier.relevance(page)


def test_a_page_is_one_example(topic, relevant, other, analyzer):
    """Whatever its URL's spelling, and a copy of its text: else it would be tested with what it taught."""
    topic = replace(topic, relevant_examples=tuple(page.url for page in relevant))
    background = make_pages(COOKING[:3], 5, 9, analyzer)
    http = [replace(page, url=page.url.replace("https://", "http://www."), text="") for page in relevant]
    copies = [replace(page, url=f"https://copy.example/{n}") for n, page in enumerate(relevant)]
    once = Examples(relevant, other, background)
    often = Examples([*relevant, *http, *copies], [*other, *other], [*background, *copies])
    expected, found = (train_topic(topic, one, SETTINGS, analyzer) for one in (once, often))
    assert found.model.examples == {"relevant": 20, "other": 30, "background": 5}
    assert found.report == expected.report
    assert {page.url for page in (*http, *copies)} <= found.model.learnt_from  # these are known by it, too
    assert not replace(once, relevant=[relevant[0], http[0], copies[0]]).are_enough


def test_what_people_said_wins_over_an_example_of_the_same_page(relevant, other):
    """Also where the example's URL leads to it; else a relevant one wins."""
    both = replace(relevant[0], url="https://copy.example/")
    examples = Examples(relevant, [*other, both], asked=frozenset([both.url]))
    asked, chosen = examples.each_once(), replace(examples, asked=frozenset()).each_once()
    assert (len(asked.relevant), len(asked.other)) == (19, 31)
    assert (len(chosen.relevant), len(chosen.other)) == (20, 30)
