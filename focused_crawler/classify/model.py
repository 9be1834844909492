"""The model of a topic, trained or from words alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from focused_crawler.classify.base import MethodState, PageClassifier
from focused_crawler.classify.calibration import Bend, PlattScaling
from focused_crawler.classify.link_model import LinkModel
from focused_crawler.classify.meaning import TopicMeaning
from focused_crawler.classify.midpoints import COLD_MIDPOINTS, PLAIN, Midpoints
from focused_crawler.classify.model_file import (
    HMM,
    Arrays,
    Header,
    number,
    numbers,
    packed,
    read_model,
    words,
    write_model,
)
from focused_crawler.classify.page_classifiers import (
    HALF_POINT,
    OF_PSEUDO,
    SeededClassifier,
    ThesaurusClassifier,
    TrainedClassifier,
    Trust,
    VsmClassifier,
)
from focused_crawler.classify.registry import find_method
from focused_crawler.classify.settings import DEFAULT_THRESHOLD, ClassifierSettings
from focused_crawler.classify.topic_vector import query_vector
from focused_crawler.classify.words import ColdClassifier
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import ModelError, TopicError
from focused_crawler.store.judges import MODEL as MODEL_JUDGE
from focused_crawler.store.judges import RULES, THESAURUS, VSM, judge_named
from focused_crawler.topic.thesaurus.scoring import ThesaurusScorer
from focused_crawler.topic.topic import Topic, typed

if TYPE_CHECKING:
    from focused_crawler.classify.hmm.model import HmmModel
    from focused_crawler.topic.thesaurus.model import Thesaurus

_CLASSIFIER = "classifier_"
"""Begins the name of each array that the classifier keeps."""

_TOPIC, _COLLECTION = ("topic_terms", "topic_weights"), ("collection_terms", "collection_idf")
_LINKS = ("link_features", "link_weights")
_SEED = ("seed_terms", "seed_weights")  # words that the topic had; their idf is that of its vector
_TRUST = "seed_trust"
_MEANING = "seed_meaning"  # whether what they mean counted as well


@dataclass(frozen=True, slots=True)
class TopicModel:
    """Judges pages (`classifier`, `threshold`) and texts (`vector`) of one topic."""

    topic: str
    language: str
    classifier: PageClassifier
    vector: TopicVector
    threshold: float  # a page of at least this relevance is relevant
    settings: ClassifierSettings | None = None  # of its training; None: it has words only
    midpoints: Midpoints = COLD_MIDPOINTS  # cosines from which on a text is probably about the topic
    metrics: Mapping[str, float] = field(default_factory=dict)  # of held-out examples
    examples: Mapping[str, int] = field(default_factory=dict)  # number of training examples by kind
    learnt_from: frozenset[str] = frozenset()  # keys of these examples
    meaning: TopicMeaning | None = None  # what links are read by where nothing was learnt of them
    links: LinkModel = field(default_factory=LinkModel)  # evidence of links for the pages they lead to
    keywords: tuple[str, ...] = ()  # the topic's words and phrases, of its topic.toml and not of the model
    hmm: HmmModel | Path | None = None  # of the HMM strategies, or the folder where it may lie
    source: Topic | None = None  # the topic as it reads now
    content: bytes = b""  # what tells a trained model from others; empty: it lies in no file

    @property
    def trained(self) -> bool:
        """Tell whether it was trained from examples or pseudo-examples."""
        return self.settings is not None

    @classmethod
    def cold(cls, topic: Topic, analyzer: Analyzer) -> Self:
        """Return the model of a topic that has only words."""
        words = ColdClassifier.of(topic, analyzer)
        model = cls(topic.name, topic.language, words, words.vector, DEFAULT_THRESHOLD, meaning=words.meaning)
        return model.of_topic(topic)

    def of_topic(self, topic: Topic) -> Self:
        """Return the model with keywords (title where it has none) and threshold of the topic as it is."""
        given, content = topic.relevance_threshold, self.content
        if given not in (None, self.threshold) and content:
            content += f" from {given}".encode()
        return replace(
            self,
            keywords=topic.keywords or (topic.title,),
            threshold=self.threshold if given is None else given,
            source=topic,
            content=content,
        )

    def thesaurus(self) -> Thesaurus:
        """Return the topic's thesaurus, made from its words where it has none; raises TopicError."""
        # a room of its own, which few crawls enter
        from focused_crawler.topic.thesaurus.of_topic import thesaurus_of  # noqa: PLC0415

        assert self.source is not None
        return thesaurus_of(self.source)

    def by_thesaurus(self, analyzer: Analyzer) -> Self:
        """Return the model with its thesaurus as the judge of pages; raises TopicError."""
        classifier = ThesaurusClassifier(ThesaurusScorer(self.thesaurus(), analyzer))
        given = None if self.source is None else self.source.relevance_threshold
        return replace(self, classifier=classifier, threshold=DEFAULT_THRESHOLD if given is None else given)

    def by_vsm(self, analyzer: Analyzer) -> Self:
        """Return the model that judges pages and all texts by their plain cosine with the topic's words.

        That is Eq. 1 and 2 of Batsakis et al. 2009; what was learnt from examples plays no part.
        """
        query = query_vector(self.keywords, analyzer)
        return replace(
            self, classifier=VsmClassifier(query), vector=query, threshold=HALF_POINT, midpoints=PLAIN
        )

    def by_rules(self) -> Self:
        """Return the model with the topic's rule as the judge of pages; TopicError where it has none."""
        # its parser loads slowly, and few topics need it
        from focused_crawler.classify.rules import RulesClassifier  # noqa: PLC0415

        assert self.source is not None
        if not self.source.rule:
            raise TopicError(
                f"{self.topic} has no rule to judge by; write [rules] and relevant = 'title:word OR body:\"a"
                " phrase\"' into its topic.toml"
            )
        return replace(self, classifier=RulesClassifier(self.source.rule), threshold=DEFAULT_THRESHOLD)

    def judging_by(self, name: str, analyzer: Analyzer) -> Self:
        """Return the model with the judge of that name, itself if it is none of `UNLEARNT`."""
        if name == VSM:
            return self.by_vsm(analyzer)
        if name == RULES:
            return self.by_rules()
        return self.by_thesaurus(analyzer) if name == THESAURUS else self

    def reading_windows(self) -> Self:
        """Return the model that counts the anchor window which led to a page, if it is one that can."""
        if not isinstance(self.classifier, ThesaurusClassifier):
            return self
        return replace(self, classifier=replace(self.classifier, reads_path=True))

    @property
    def judge(self) -> str:
        """Say what judges pages: "keywords", "model", "thesaurus", "vsm" or "rules"."""
        return self.classifier.judge

    @property
    def judge_name(self) -> str:
        """Return the name of what judges pages: see `store.judges`."""
        if self.judge == MODEL_JUDGE:
            return judge_named(self.judge, self.content)
        words: bytes = getattr(self.classifier, "content", b"")
        return judge_named(self.judge, words and words + f" from {self.threshold}".encode())

    @property
    def reads_blocks(self) -> bool:
        """Tell whether pages have to be cut into blocks before they are judged."""
        return bool(getattr(self.classifier, "reads_blocks", False))

    @property
    def reads_path(self) -> bool:
        """Tell whether a page's relevance depends on how it was reached, by its `Page.path`."""
        return bool(getattr(self.classifier, "reads_path", False))

    def save(self, folder: Path) -> None:
        """Write a trained model; raises ModelError."""
        write_model(folder, *self._state())
        if self.hmm is not None and not isinstance(self.hmm, Path):
            self.hmm.save(folder)

    @property
    def packed(self) -> tuple[bytes, bytes]:
        """Return what `save` writes of a trained model, without an HMM; raises ModelError."""
        return packed(*self._state())

    def _state(self) -> tuple[Header, Arrays]:
        classifier = (
            self.classifier.learnt if isinstance(self.classifier, SeededClassifier) else self.classifier
        )
        if self.settings is None or not isinstance(classifier, TrainedClassifier):
            raise ModelError(
                f"{self.topic} has no examples yet, so nothing to save: run scrapy train {self.topic}"
            )
        values, arrays = classifier.method.state()
        settings = asdict(self.settings)
        del settings["classifiers"]  # import paths of a user's own, which are code
        header = {
            "topic": self.topic,
            "language": self.language,
            "threshold": self.threshold,
            "examples": dict(self.examples),
            "metrics": dict(self.metrics),
            "settings": settings,
            "calibration": asdict(classifier.scaling),
            "classifier": dict(values),
            "default_idf": self.vector.default_idf,
            "midpoints": self.midpoints._asdict(),
            "link_intercept": self.links.intercept,
        }
        learnt = {f"{_CLASSIFIER}{name}": array for name, array in arrays.items()}
        learnt |= _columns(_TOPIC, self.vector.weights) | _columns(_COLLECTION, self.vector.idf)
        learnt |= _columns(_LINKS, self.links.weights)
        learnt["learnt_from"] = np.array(sorted(self.learnt_from), dtype=np.str_)
        if isinstance(self.classifier, SeededClassifier):
            learnt |= _columns(_SEED, self.classifier.words.vector.weights)
            learnt[_TRUST] = np.array(self.classifier.trust)
            learnt[_MEANING] = np.array(self.classifier.words.meaning is not None)
        return header, learnt

    @classmethod
    def load(cls, folder: Path, classifiers: Mapping[str, str] | None = None) -> Self:
        """Read a trained model; raises ModelError, with what to type, for one that cannot be used.

        `classifiers` are the user's own, by name: a model says by which name it was made, never whose code
        that is.
        """
        return read_model(folder, partial(cls._of, folder, classifiers or {}))

    @classmethod
    def _of(cls, folder: Path, classifiers: Mapping[str, str], header: Header, arrays: Arrays) -> Self:
        weights = tuple(number(weight, 0) for weight in header["settings"]["section_weights"])
        values = header["settings"] | {"section_weights": weights}
        settings = ClassifierSettings(classifiers=classifiers, **values)
        vector = TopicVector(
            weights=_mapping(arrays, _TOPIC),
            idf=_mapping(arrays, _COLLECTION),
            default_idf=number(header["default_idf"]),
        )
        return cls(
            topic=str(header["topic"]),
            language=str(header["language"]),
            classifier=_classifier(header, arrays, settings, vector),
            vector=vector,
            threshold=number(header["threshold"], 0, 1),
            settings=settings,
            midpoints=_midpoints(header),
            metrics={str(name): number(value) for name, value in header["metrics"].items()},
            examples={str(name): int(number(value, 0)) for name, value in header["examples"].items()},
            learnt_from=frozenset(words(arrays["learnt_from"])),
            links=LinkModel(_mapping(arrays, _LINKS), number(header["link_intercept"])),
            hmm=folder,
            content=json.dumps(header, sort_keys=True).encode(),
        )

    def hidden_markov(self) -> HmmModel:
        """Return what the HMM crawlers learnt, read on demand; raises ModelError, with what to type."""
        if self.hmm is None or (isinstance(self.hmm, Path) and not (self.hmm / HMM.header).exists()):
            name = self.topic if self.source is None else typed(self.source)
            raise ModelError(
                f"{self.topic} has no HMM, which the hmm strategies go by; train one from a crawl or a web,"
                f" as in scrapy train {name} --sessions-from crawls/{self.topic}/1"
                " (docs/how-to/sessions.md)"
            )
        if isinstance(self.hmm, Path):
            # what is behind it loads slowly, and few crawls need it
            from focused_crawler.classify.hmm.model import HmmModel  # noqa: PLC0415

            return HmmModel.load(self.hmm)
        return self.hmm


def example_key(url: str) -> str:
    """Return by what a model knows an example again: its URL, of a saved page its name, wherever it lies.

    >>> example_key("https://a.example/x"), example_key("file:///home/me/topics/bees/examples/hive.html")
    ('https://a.example/x', 'hive.html')
    """
    return url.rpartition("/")[2] if url.startswith("file:") else url


def _classifier(
    header: Header, arrays: Arrays, settings: ClassifierSettings, vector: TopicVector
) -> PageClassifier:
    learnt = {
        name.removeprefix(_CLASSIFIER): array
        for name, array in arrays.items()
        if name.startswith(_CLASSIFIER)
    }
    method = find_method(settings.classifier, settings.classifiers)
    state = MethodState(header["classifier"], learnt)
    calibration = header["calibration"]
    bend = Bend(*(number(value, 0.5) for value in calibration.get("bend", ())))
    scaling = PlattScaling(number(calibration["slope"], 0), number(calibration["intercept"]), bend)
    trained = TrainedClassifier(method.restore(state, settings), scaling)
    if _SEED[0] not in arrays:
        return trained
    weights = _mapping(arrays, _SEED)
    seed = TopicVector(weights, vector.idf, vector.default_idf)
    is_meant = _MEANING in arrays and bool(arrays[_MEANING])
    words = ColdClassifier(seed, TopicMeaning.of(seed, str(header["language"])) if is_meant else None)
    trust = Trust(*numbers(arrays[_TRUST], 3).tolist()) if _TRUST in arrays else OF_PSEUDO
    return SeededClassifier(words, trained, trust)


def _midpoints(header: Header) -> Midpoints:
    """Return those of a header; a model of an earlier version has one for all."""
    found = header.get("midpoints") or dict.fromkeys(Midpoints._fields, header["midpoint"])
    return Midpoints(*(number(found[name], 0) for name in Midpoints._fields))


def _columns(names: tuple[str, str], mapping: Mapping[str, float]) -> Arrays:
    """Return a mapping as two arrays of those names."""
    columns = np.array(list(mapping), dtype=np.str_), np.array(list(mapping.values()), dtype=np.float64)
    return dict(zip(names, columns, strict=True))


def _mapping(arrays: Arrays, names: tuple[str, str]) -> dict[str, float]:
    terms, values = (arrays[name] for name in names)
    return dict(zip(words(terms), numbers(values, len(terms)).tolist(), strict=True))
