"""Examples -> model: every topic model is trained here, whoever collected the pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple, Self

import numpy as np

from focused_crawler.classify.base import ExamplePages, SiteMethod
from focused_crawler.classify.calibration import STRAIGHT, Bend, PlattScaling, log_odds, sigmoid
from focused_crawler.classify.examples import FEWEST, Examples, background_wanted, needs_pseudo_examples
from focused_crawler.classify.held_out import Beside, HeldOut
from focused_crawler.classify.link_model import LinkModel
from focused_crawler.classify.midpoints import midpoints
from focused_crawler.classify.model import TopicModel, example_key
from focused_crawler.classify.page_classifiers import SeededClassifier, TrainedClassifier, Trust, trust_of
from focused_crawler.classify.registry import find_method
from focused_crawler.classify.settings import DEFAULT_THRESHOLD, ClassifierSettings
from focused_crawler.classify.topic_vector import topic_vector
from focused_crawler.classify.training_report import TrainingReport
from focused_crawler.classify.words import ColdClassifier
from focused_crawler.page.model import Page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.weighting import Vector
from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.formats import plural
from focused_crawler.topic.topic import Topic

DEFAULT, OF_FEW = ClassifierSettings().classifier, "logistic_regression"
"""How terms divide a handful of short pages says nothing of others: then a plain regression is trained."""

BACKGROUND_WEIGHT = 0.3
"""Weight of a background page: it is probably not about the topic, but no person said so."""

BEND = Bend(below=2.5, most=0.98)
"""Of the default classifier's log odds: other examples are few, and say too little of a web's many pages that
are a little like relevant ones, and of those that are like them in all but their subject
(docs/research/judge.md)."""

ASKED_WEIGHT = BACKGROUND_WEIGHT
"""Weight, where relevances are calibrated, of a page that a person was asked about and that is not relevant:
the crawl took it for relevant, or nearly so, and of such pages there are few among all."""

PSEUDO_RELEVANCE = 0.5
"""Least relevance, by the topic's words, of a pseudo-example."""

_EVEN = 0.5


class Trained(NamedTuple):
    """A topic's model, and what it was trained from."""

    model: TopicModel
    report: TrainingReport | None  # None: trained from pseudo-examples, which nobody labelled
    relevant: Sequence[Page]
    other: Sequence[Page]  # with the background
    asked: frozenset[str] = frozenset()  # see `Examples`


def train_topic(
    topic: Topic, examples: Examples, settings: ClassifierSettings, analyzer: Analyzer
) -> Trained:
    """Train the topic's model, from pseudo-examples if it names too few; raises TopicError, ConfigError."""
    named = [*examples.relevant, *examples.other]
    examples = examples.each_once()
    relevant, other, background = examples.relevant, examples.other, examples.background
    if needs_pseudo_examples(topic):
        pseudo = pseudo_relevant(topic, examples.near_seeds, analyzer)
        model = train_from_words(
            topic, pseudo, other, settings, analyzer, relevant=relevant, background=background
        )
        return Trained(model, None, [*relevant, *pseudo], [*other, *background])
    share = expected_share(examples, settings.relevant_share, background_wanted(settings))
    settings = replace(settings, relevant_share=share)
    model, report = train(
        topic, relevant, other, settings, analyzer, background=background, asked=examples.asked
    )
    learnt = model.learnt_from.union(example_key(page.url) for page in named)  # by each of its names
    model = replace(model, learnt_from=learnt)
    return Trained(model, report, relevant, [*other, *background], examples.asked)


def expected_share(examples: Examples, given: float, background: int = 0) -> float:
    """Return the share of relevant pages that relevances are for: the one given, or more by labels.

    `background`: pages of it that were wanted; what could not be had would have been none of the relevant.

    How many examples somebody chose of each kind says nothing of the web. Of pages that a person was asked
    about it does: those that are not relevant are what the crawl takes for it, and no sample of other pages.
    """
    relevant, asked = len(examples.relevant), sum(page.url in examples.asked for page in examples.relevant)
    other = sum(ASKED_WEIGHT if page.url in examples.asked else 1.0 for page in examples.other)
    counts = relevant + other + BACKGROUND_WEIGHT * max(len(examples.background), background)
    more = max(log_odds(relevant / counts) - log_odds(given), 0.0) if counts else 0.0
    return sigmoid(log_odds(given) + more * asked / max(relevant, 1))


def train(
    topic: Topic,
    relevant: Sequence[Page],
    other: Sequence[Page],
    settings: ClassifierSettings,
    analyzer: Analyzer,
    *,
    background: Sequence[Page] = (),
    asked: frozenset[str] = frozenset(),
) -> tuple[TopicModel, TrainingReport]:
    """Train from labelled pages and pages of other topics; the order of the pages does not matter.

    `asked`: URLs of those that a person was asked about, and did not choose.

    Raises TopicError when there are fewer than two pages of a kind, ConfigError for an unknown classifier.
    """
    for pages, kind in ((relevant, "relevant"), (other, "other")):
        if len(pages) < FEWEST:
            found = plural(len(pages), f"usable {kind} example")
            raise TopicError(
                f"{topic.name} has {found}; training needs 2, better 30:"
                f" add URLs or HTML files to {kind} under [examples] in topic.toml"
            )
    relevant, other = in_fixed_order(relevant), in_fixed_order(other)
    words = _Words.of(topic, len(relevant), analyzer) if settings.classifier == DEFAULT else None
    fitted = _fit(relevant, other, background, settings, words, asked=asked)
    if not fitted.scaling.slope and settings.classifier == DEFAULT:
        settings = replace(settings, classifier=OF_FEW)  # held-out pages deny what was learnt
        fitted = _fit(relevant, other, background, settings, words, asked=asked)
    report = TrainingReport.of(topic, fitted.held_out, fitted.scaling, settings, fitted.apart)
    model = TopicModel(
        topic=topic.name,
        language=topic.language,
        classifier=fitted.classifier,
        vector=topic_vector(topic, relevant, other, analyzer, settings.topic_terms),
        threshold=report.threshold,
        settings=settings,
        midpoints=midpoints(topic, relevant, other, analyzer, settings.topic_terms),
        metrics=report.metrics,
        examples={"relevant": len(relevant), "other": len(other), "background": fitted.background},
        learnt_from=fitted.keys,
        links=link_model(relevant, other, analyzer),
    )
    return model, report


def train_from_words(
    topic: Topic,
    pseudo: Sequence[Page],
    other: Sequence[Page],
    settings: ClassifierSettings,
    analyzer: Analyzer,
    *,
    relevant: Sequence[Page] = (),
    background: Sequence[Page] = (),
) -> TopicModel:
    """Train from pseudo-examples (`pseudo_relevant`): one round after Nigam et al. 2000.

    `relevant`: labelled pages, if there are any. Nobody labelled the rest, so no figure of quality is known.
    Raises TopicError where too few pages are found, ConfigError for an unknown classifier.
    """
    about = [*relevant, *pseudo]
    if len(about) < FEWEST:
        found = plural(len(about), "page")
        raise TopicError(
            f"{topic.name} names too few examples, and has {found} near its seeds with enough of its"
            " keywords; add URLs under [examples] in its topic.toml, or other seeds and keywords"
        )
    if len(other) < FEWEST:
        found = plural(len(other), "usable other example")
        raise TopicError(
            f"{topic.name} has {found}; training needs 2: add URLs to other under"
            " [examples] in its topic.toml"
        )
    settings = replace(settings, relevant_share=_EVEN)
    fitted = _fit(in_fixed_order(about), in_fixed_order(other), background, settings)
    threshold = topic.relevance_threshold
    words = ColdClassifier.of(topic, analyzer)
    return TopicModel(
        topic=topic.name,
        language=topic.language,
        classifier=SeededClassifier(words, fitted.learnt),
        vector=words.vector,
        threshold=DEFAULT_THRESHOLD if threshold is None else threshold,
        settings=settings,
        examples={
            "relevant": len(relevant), "pseudo": len(pseudo), "other": len(other),
            "background": fitted.background,
        },
        learnt_from=fitted.keys,
    )  # fmt: skip


def pseudo_relevant(topic: Topic, pages: Sequence[Page], analyzer: Analyzer) -> list[Page]:
    """Return the pages that contain enough of the topic's words to count as relevant."""
    words = ColdClassifier.of(topic, analyzer)
    return [page for page in pages if words.relevance(page) >= PSEUDO_RELEVANCE]


def in_fixed_order(pages: Sequence[Page]) -> list[Page]:
    """Sort pages by a hash of their URLs, which also spreads the pages of a host over the folds."""
    return sorted(pages, key=lambda page: (sha256(page.url.encode()).digest(), page.text))


def link_model(relevant: Sequence[Page], other: Sequence[Page], analyzer: Analyzer) -> LinkModel:
    """Return what links to pages like these contain."""
    pages = [*relevant, *other]
    titles = [analyzer.terms(page.title) for page in pages]
    labels = [True] * len(relevant) + [False] * len(other)
    return LinkModel.fit([page.url for page in pages], titles, labels)


class _Words(NamedTuple):
    """The topic's words, which judge beside few examples."""

    classifier: ColdClassifier
    trust: Trust

    @classmethod
    def of(cls, topic: Topic, relevant: int, analyzer: Analyzer) -> Self | None:
        """Return those of a topic with so many relevant examples; None: they have no say."""
        trust = trust_of(relevant)
        return cls(ColdClassifier.of(topic, analyzer), trust) if trust.words else None

    def log_odds(self, examples: ExamplePages) -> Vector | None:
        """Return what they add to those of each example; None if they do not tell relevant from other."""
        relevances = map(self.classifier.relevance, examples.pages)
        found, truth = np.array([self.trust.of_words(one) for one in relevances]), examples.is_relevant
        return found if found[truth].mean() - found[~truth].mean() > 1e-6 else None


class _Fitted(NamedTuple):
    """A classifier with its calibration."""

    learnt: TrainedClassifier
    words: _Words | None  # that judge beside it
    held_out: HeldOut
    apart: HeldOut | None  # sites kept apart
    scaling: PlattScaling
    background: int  # pages
    keys: frozenset[str]

    @property
    def classifier(self) -> TrainedClassifier | SeededClassifier:
        """Return what judges pages."""
        if self.words is None:
            return self.learnt
        return SeededClassifier(self.words.classifier, self.learnt, self.words.trust)


def _fit(
    relevant: Sequence[Page],
    other: Sequence[Page],
    background: Sequence[Page],
    settings: ClassifierSettings,
    words: _Words | None = None,
    *,
    asked: frozenset[str] = frozenset(),
) -> _Fitted:
    method = find_method(settings.classifier, settings.classifiers)
    more = in_fixed_order(background) if getattr(method, "uses_background", False) else []
    behind = {id(page) for page in more}
    # the background is mixed with the others, so that every fold has its part
    pages = [*relevant, *in_fixed_order([*other, *more])]
    labels = [True] * len(relevant) + [False] * (len(other) + len(more))
    weights = [BACKGROUND_WEIGHT if id(page) in behind else 1.0 for page in pages]
    examples = ExamplePages.of(pages, labels, settings.section_weights, weights)
    if not examples.terms.size:
        raise TopicError("no example has a word that tells pages apart; name others under [examples]")
    added = words.log_odds(examples) if words else None
    is_hard = [page.url in asked and not label for page, label in zip(pages, labels, strict=True)]
    bend = BEND if settings.classifier == DEFAULT else STRAIGHT
    beside = Beside(added, np.where(is_hard, ASKED_WEIGHT, examples.weights), bend)
    held_out = HeldOut.judge(examples, method, settings, beside)
    scaling = held_out.calibrated(np.arange(len(examples)), settings.relevant_share)
    fitted = method.fit(examples, settings)
    if isinstance(fitted, SiteMethod):
        fitted = fitted.knowing(held_out.typical)
    learnt = TrainedClassifier(fitted, scaling)
    keys = frozenset(example_key(page.url) for page in examples.pages)
    apart = HeldOut.sites_apart(examples, method, settings, beside)
    return _Fitted(learnt, words if added is not None else None, held_out, apart, scaling, len(more), keys)
