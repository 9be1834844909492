"""All that a crawl knows of its topic, trained or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from focused_crawler.classify.base import PageClassifier
from focused_crawler.classify.cold import ColdClassifier
from focused_crawler.classify.link_model import LinkModel
from focused_crawler.classify.lu import LuClassifier
from focused_crawler.classify.midpoint import COLD_MIDPOINT
from focused_crawler.classify.model_file import HMM, Arrays, Header, broken, read_model, write_model
from focused_crawler.classify.platt import PlattScaling
from focused_crawler.classify.settings import DEFAULT_THRESHOLD, ClassifierSettings
from focused_crawler.classify.topic_vector import cold_topic_vector
from focused_crawler.errors import ConfigError, ModelError
from focused_crawler.page.model import Page
from focused_crawler.text.similarity import TopicVector
from focused_crawler.text.tokens import Analyzer
from focused_crawler.text.weighting import section_counts
from focused_crawler.topic import Topic

if TYPE_CHECKING:
    from focused_crawler.browsing.model import HmmModel


@dataclass(frozen=True, slots=True)
class TrainedClassifier:
    """Lu et al.'s classifier, its log odds calibrated."""

    lu: LuClassifier
    scaling: PlattScaling

    def relevance(self, page: Page) -> float:
        """Return the page's relevance in [0, 1]; 0 for a page without one known term."""
        tf = section_counts(page.sections, self.lu.settings.section_weights)
        return self.scaling(self.lu.log_odds_of_counts(tf)) if self.lu.knows_any(tf) else 0.0


@dataclass(frozen=True, slots=True)
class TopicModel:
    """What judges pages (`classifier`, `threshold`) and texts (`vector`) of one topic."""

    topic: str
    language: str
    classifier: PageClassifier
    vector: TopicVector
    threshold: float  # a page of at least this relevance is relevant
    trained: bool
    midpoint: float = COLD_MIDPOINT  # cosine from which on a block is rather about the topic than not
    metrics: Mapping[str, float] = field(default_factory=dict)  # of held-out examples
    examples: Mapping[str, int] = field(default_factory=dict)  # how many it learnt from, by kind
    links: LinkModel = field(default_factory=LinkModel)  # what links say of the pages they lead to
    keywords: tuple[str, ...] = ()  # the topic's words and phrases, of its topic.toml and not of the model
    hmm: HmmModel | Path | None = None  # what the HMM crawlers learnt, or the folder where it may lie

    @classmethod
    def cold(cls, topic: Topic, analyzer: Analyzer) -> Self:
        """Return the model of a topic that has only words."""
        vector = cold_topic_vector(topic, analyzer)
        threshold = DEFAULT_THRESHOLD if topic.relevance_threshold is None else topic.relevance_threshold
        model = cls(topic.name, topic.language, ColdClassifier(vector), vector, threshold, trained=False)
        return model.of_topic(topic)

    def of_topic(self, topic: Topic) -> Self:
        """Return the model with the keywords that the topic has now, its title where it has none."""
        return replace(self, keywords=topic.keywords or (topic.title,))

    def save(self, folder: Path) -> None:
        """Write a trained model; raises ModelError."""
        classifier = self.classifier
        if not isinstance(classifier, TrainedClassifier):
            raise ModelError(
                f"{self.topic} has no examples yet, so nothing to save: run scrapy train {self.topic}"
            )
        lu, scaling = classifier.lu, classifier.scaling
        header = {
            "topic": self.topic,
            "language": self.language,
            "threshold": self.threshold,
            "examples": dict(self.examples),
            "metrics": dict(self.metrics),
            "settings": asdict(lu.settings),
            "calibration": asdict(scaling),
            "log_prior_ratio": lu.log_prior_ratio,
            "default_idf": self.vector.default_idf,
            "midpoint": self.midpoint,
            "link_intercept": self.links.intercept,
        }
        arrays = _classifier_arrays(lu) | _vector_arrays(self.vector) | _link_arrays(self.links)
        write_model(folder, header, arrays)
        if self.hmm is not None and not isinstance(self.hmm, Path):
            self.hmm.save(folder)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read a trained model; raises ModelError, with what to type, for one that cannot be used."""
        header, arrays = read_model(folder)
        try:
            return cls(
                topic=str(header["topic"]),
                language=str(header["language"]),
                classifier=TrainedClassifier(_lu(header, arrays), PlattScaling(**header["calibration"])),
                vector=_vector(header, arrays),
                threshold=float(header["threshold"]),
                trained=True,
                midpoint=float(header["midpoint"]),
                metrics=dict(header["metrics"]),
                examples=dict(header["examples"]),
                links=_links(header, arrays),
                hmm=folder,
            )
        except (KeyError, TypeError, ValueError, ConfigError) as error:
            raise broken(folder, f"{type(error).__name__}: {error}") from error

    def hidden_markov(self) -> HmmModel:
        """Return what the HMM crawlers learnt, read on demand; raises ModelError, with what to type."""
        if self.hmm is None or (isinstance(self.hmm, Path) and not (self.hmm / HMM.header).exists()):
            raise ModelError(
                f"{self.topic} has no HMM, which the hmm strategies go by; train one from a crawl or a web,"
                f" as in scrapy train {self.topic} --sessions-from crawls/{self.topic}/1 (docs/sessions.md)"
            )
        if isinstance(self.hmm, Path):
            # what is behind it loads slowly, and few crawls need it
            from focused_crawler.browsing.model import HmmModel  # noqa: PLC0415

            return HmmModel.load(self.hmm)
        return self.hmm


def _classifier_arrays(lu: LuClassifier) -> Arrays:
    return {"terms": _words(lu.terms), "idf": lu.idf, "gain": lu.gain, "log_ratio": lu.log_ratio}


def _lu(header: Header, arrays: Arrays) -> LuClassifier:
    settings = header["settings"] | {"section_weights": tuple(header["settings"]["section_weights"])}
    return LuClassifier(
        settings=ClassifierSettings(**settings),
        terms=arrays["terms"].tolist(),
        idf=arrays["idf"],
        gain=arrays["gain"],
        log_prior_ratio=float(header["log_prior_ratio"]),
        log_ratio=arrays["log_ratio"],
    )


def _vector_arrays(vector: TopicVector) -> Arrays:
    return {
        "topic_terms": _words(vector.weights),
        "topic_weights": np.array(list(vector.weights.values()), dtype=np.float64),
        "collection_terms": _words(vector.idf),
        "collection_idf": np.array(list(vector.idf.values()), dtype=np.float64),
    }


def _vector(header: Header, arrays: Arrays) -> TopicVector:
    return TopicVector(
        weights=_mapping(arrays["topic_terms"], arrays["topic_weights"]),
        idf=_mapping(arrays["collection_terms"], arrays["collection_idf"]),
        default_idf=float(header["default_idf"]),
    )


def _link_arrays(links: LinkModel) -> Arrays:
    weights = np.array(list(links.weights.values()), dtype=np.float64)
    return {"link_features": _words(links.weights), "link_weights": weights}


def _links(header: Header, arrays: Arrays) -> LinkModel:
    weights = _mapping(arrays["link_features"], arrays["link_weights"])
    return LinkModel(weights, float(header["link_intercept"]))


def _words(words: Any) -> np.ndarray[Any, Any]:
    return np.array(list(words), dtype=np.str_)


def _mapping(terms: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> dict[str, float]:
    return dict(zip(terms.tolist(), values.tolist(), strict=True))
