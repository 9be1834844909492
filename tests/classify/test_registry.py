"""Classification methods by name, and the contract that all of them keep."""

import pytest

from focused_crawler.classify import base
from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.registry import METHODS, find_method
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import train
from focused_crawler.safety.errors import ConfigError, ModelError

OWN = """
from focused_crawler.classify.base import Evidence, MethodState

class ByTitle:
    uses_background = False

    def __init__(self, word):
        self.word = word

    @classmethod
    def fit(cls, examples, settings):
        return cls("oven")

    @classmethod
    def restore(cls, state, settings):
        return cls(state.values["word"])

    def state(self):
        return MethodState({"word": self.word}, {})

    def log_odds(self, page):
        return sum(self.evidence(page).terms.values())

    def evidence(self, page):
        return Evidence({self.word: float(page.title.count(self.word))}, 0.0, "log odds")

class Half:
    def fit(self):
        pass

    restore = state = fit
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A user's module on the import path; returns how to name a class of it."""
    (tmp_path / "own_methods.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    return lambda name: {"mine": f"own_methods.{name}"}


def test_names():
    """The names that a user types; the first is what who sets nothing gets."""
    assert list(METHODS) == [
        "ratio_regression",
        "logistic_regression",
        "linear_svm",
        "naive_bayes",
        "naive_bayes_by_word",
    ]
    assert ClassifierSettings().classifier == "ratio_regression"


@pytest.mark.parametrize("name", METHODS)
def test_every_method_learns_a_clear_topic(name, topic, relevant, other, analyzer):
    """Held-out pages that differ in half of their words are told apart, and relevances come true."""
    settings = ClassifierSettings(name)
    model, report = train(topic, relevant, other, settings, analyzer, background=other[20:])
    assert report.overall.f1 > 0.99
    assert report.overall.calibration_error < 0.1
    assert min(map(model.classifier.relevance, relevant)) >= model.threshold
    assert max(map(model.classifier.relevance, other)) < model.threshold


def test_a_users_method_is_trained_saved_and_loaded(own, topic, relevant, other, analyzer, tmp_path):
    """A name and an import path suffice; the model file has the name, the path is the user's to give."""
    classifiers = own("ByTitle")
    settings = ClassifierSettings("mine", classifiers)
    model, _ = train(topic, relevant, other, settings, analyzer)
    model.save(tmp_path)
    assert classifiers["mine"] not in (tmp_path / "model.json").read_text()
    with pytest.raises(ModelError, match="no classifier is called 'mine'"):
        TopicModel.load(tmp_path)
    loaded = TopicModel.load(tmp_path, classifiers)
    for page in (*relevant, *other):
        assert loaded.classifier.relevance(page) == model.classifier.relevance(page)


def test_a_users_name_wins(own):
    """Who calls a method of theirs naive_bayes gets theirs."""
    extra = {"naive_bayes": own("ByTitle")["mine"]}
    assert find_method("naive_bayes", extra).__name__ == "ByTitle"


@pytest.mark.parametrize(
    ("name", "extra", "message"),
    [
        ("bayes", {}, r"^no classifier is called 'bayes'; use one of ratio_regression, logistic_regression"),
        ("bayes", {"mine": "a.B"}, r"naive_bayes_by_word, mine$"),
        ("mine", {"mine": "nowhere.Class"}, r"cannot be imported .*; use package.module.Class$"),
        ("mine", {"mine": "Class"}, r"'Class' for 'mine', which cannot be imported"),
        ("mine", {"mine": "own_methods.Half"}, r"no classification method: it lacks log_odds, evidence$"),
    ],
)
def test_what_is_no_method_is_named(own, name, extra, message):
    """One line says which name or path is wrong, and what would be right."""
    with pytest.raises(ConfigError, match=message) as caught:
        find_method(name, extra)
    assert "\n" not in str(caught.value)


def test_the_old_name_of_a_methods_state_warns() -> None:
    """It works for one version more."""
    with pytest.warns(DeprecationWarning, match="State is MethodState now"):
        assert base.State is base.MethodState
    with pytest.raises(AttributeError, match="no attribute 'Sate'"):
        _ = base.Sate
