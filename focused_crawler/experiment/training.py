"""The models of topics and taxonomies, from their examples in a recorded web: no network, no ground truth.

The taxonomy of a web, for hard and soft focus, is the one that the user named, else a flat one: a leaf for
each topic of the web in the language of those compared, and one for their other examples.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.examples import ExampleNames, Examples, read_example, unlike
from focused_crawler.classify.hmm.sessions import single_visits
from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.taxonomy.folder import load_tree, model_folder
from focused_crawler.classify.taxonomy.tree import Tree
from focused_crawler.crawl.judges import load_model
from focused_crawler.discovery.sessions import pages_visited, sessions_of_web
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.folder import write_whole
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.variants import at_most, fewer
from focused_crawler.page.model import Page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import FocusedCrawlerError, TopicError
from focused_crawler.safety.formats import plural
from focused_crawler.store.judges import VSM
from focused_crawler.topic.topic import Topic, load_topic, topic_names
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.truth import RELEVANT, topics_folder

_RELEVANCE = "relevance.npy"


class _Summary:
    """The examples that a model was trained from, in a JSON file that is written last."""

    _FILE: ClassVar[str]

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Return the summary in a folder, None if training did not end there."""
        try:
            return cls(**json.loads((folder / cls._FILE).read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def save(self, folder: Path) -> Self:
        """Write the summary into a folder."""
        write_whole(folder / self._FILE, json.dumps(vars(self)) + "\n")
        return self


def _missing(number: int) -> str:
    return f", {number} are not in the web" if number else ""


@dataclass(frozen=True)
class TrainingSummary(_Summary):
    """The examples of a topic."""

    _FILE: ClassVar = "lesson.json"
    relevant: int  # in the web
    other: int
    missing: int  # not in the web
    f1: float | None  # of held-out examples; None: too few to train from, the model has words only

    def __str__(self) -> str:
        quality = "too few to train from: untrained" if self.f1 is None else f"F1 {self.f1:.2f}"
        return f"{self.relevant} + {self.other} examples{_missing(self.missing)}; {quality}"


@dataclass(frozen=True)
class TaxonomySummary(_Summary):
    """The examples of a taxonomy."""

    _FILE: ClassVar = "taxonomy_lesson.json"
    leaves: int
    examples: int  # in the web
    missing: int  # not in the web
    accuracy: float  # share of the held-out examples whose best leaf is their own

    def __str__(self) -> str:
        examples = f"{plural(self.examples, 'example')}{_missing(self.missing)}"
        return f"{self.leaves} leaves, {examples}; best leaf right {self.accuracy:.2f}"


def prepare(bench: Bench, subject: Subject) -> TrainingSummary:
    """Train a topic's model and judge the web by it; first train its judge, if it needs one."""
    if subject.judge is not None:
        judge = _TopicTraining(bench, subject, subject.judge, bench.judges(subject))
        if judge.run().f1 is None:
            raise TopicError(
                f"the judge of {subject.name} has too few examples in the web; name others with --judge"
            )
        judge.write_relevant()
    return _TopicTraining(bench, subject, subject.topic, bench.models(subject)).run(for_crawls=True)


def summary_of(bench: Bench, subject: Subject) -> TrainingSummary:
    """Return the summary of a topic's training, which must have ended."""
    summary = TrainingSummary.read(bench.models(subject) / subject.topic.name)
    assert summary is not None
    return summary


def relevances(folder: Path) -> NDArray[np.float64]:
    """Return how relevant each page of a web is by the model in `folder`, by page number."""
    return np.asarray(np.load(folder / _RELEVANCE, allow_pickle=False), dtype=np.float64)


class _TopicTraining:
    """A topic, the web of its examples, and the folder of its model."""

    def __init__(self, bench: Bench, subject: Subject, topic: Topic, models: Path) -> None:
        self._bench, self._topic, self._models = bench, topic, models
        self._folder = models / topic.name
        self._most = subject.examples if topic is subject.topic else None
        self._web = bench.web(subject)
        self._analyzer = Analyzer(topic.language)

    def run(self, *, for_crawls: bool = False) -> TrainingSummary:
        """Train the model and judge all pages by it, unless that was done.

        `for_crawls`: with an HMM; and they are judged as the crawls' settings say.
        """
        if summary := TrainingSummary.read(self._folder):
            return summary
        web, settings = self._web, self._bench.classifier
        names = at_most(ExampleNames.of(self._topic, settings), self._most)
        names = names.in_web(lambda url: web.number(url) is not None, web.urls, settings)
        relevant, other, background, by_chance = (
            ExamplesInWeb.find(web, kind, self._topic.folder, self._analyzer)
            for kind in (names.relevant, names.other, names.background, names.by_chance)
        )
        behind = [*background.pages, *unlike(self._topic, by_chance.pages, self._analyzer)]
        examples = Examples(relevant.pages, other.pages, behind)
        if examples.are_enough:
            # It loads slowly, and Scrapy loads this module for each of its commands.
            from focused_crawler.classify.training import train_topic  # noqa: PLC0415

            train_topic(self._topic, examples, self._bench.classifier, self._analyzer).model.save(
                self._folder
            )
        model = self._load()
        judged = self._judged(model)
        if examples.are_enough and for_crawls and relevant.numbers:
            self._train_hmm(relevant, other, judged >= model.threshold)
        if for_crawls and self._bench.config.classifier == VSM:
            judged = self._judged(model.by_vsm(self._analyzer))
        buffer = io.BytesIO()
        np.save(buffer, judged, allow_pickle=False)
        write_whole(self._folder / _RELEVANCE, buffer.getvalue())
        missing = relevant.missing + other.missing
        f1 = model.metrics.get("f1")
        return TrainingSummary(len(relevant.pages), len(other.pages), missing, f1).save(self._folder)

    def write_relevant(self) -> None:
        """Write the pages of the web that the model judges relevant, in the format of ground truth."""
        threshold = self._load().threshold
        pages = np.flatnonzero(relevances(self._folder) >= threshold).tolist()
        write_whole(self._folder / RELEVANT, "".join(f"{self._web.urls[page]}\n" for page in pages))

    def _judged(self, model: TopicModel) -> NDArray[np.float64]:
        pages = map(self._web.page, range(len(self._web)))
        return np.array([model.classifier.relevance(page) for page in pages])

    def _load(self) -> TopicModel:
        classifiers = self._bench.classifier.classifiers
        return load_model(self._topic, self._models, self._analyzer, classifiers)

    def _train_hmm(self, relevant: ExamplesInWeb, other: ExamplesInWeb, judged: NDArray[np.bool_]) -> None:
        """Train the model of the HMM strategies, as `scrapy train` does.

        `judged`: whether the classifier judges each page relevant. Ground truth must not be used here.
        """
        from focused_crawler.classify.hmm.training import train_hmm  # noqa: PLC0415  (as above)

        web, settings = self._web, self._bench.hmm
        sessions = sessions_of_web(web, self._topic, lambda page: bool(judged[page]), settings.random_seed)
        examples = [[web.urls[number] for number in kind.numbers] for kind in (relevant, other)]
        sessions += single_visits(*examples)
        train_hmm(self._topic, sessions, pages_visited(web, sessions), settings).save(self._folder)


@dataclass(slots=True)
class ExamplesInWeb:
    """Examples of one kind: pages of a recorded web, each once, and saved ones."""

    pages: list[Page] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)  # of the pages in the web
    missing: int = 0

    @classmethod
    def find(cls, web: AnalysedWeb, names: Iterable[str], folder: Path, analyzer: Analyzer) -> Self:
        """Look up examples; `folder` is where names without a scheme are files."""
        found = cls()
        for name in names:
            if "://" not in name:
                found.pages.append(read_example(folder / name, analyzer))
            elif (number := web.number(name)) is None:
                found.missing += 1
            elif number not in found.numbers:
                found.numbers.append(number)
                found.pages.append(web.page(number))
        return found


def by_web(subjects: Iterable[Subject]) -> list[list[Subject]]:
    """Return the subjects of each web."""
    found: dict[Path, list[Subject]] = {}
    for subject in subjects:
        found.setdefault(subject.web, []).append(subject)
    return list(found.values())


def tree_of(bench: Bench, subjects: Sequence[Subject]) -> Tree:
    """Return the taxonomy of the web that the subjects are in; raises TopicError."""
    beside = topics_folder(subjects[0].web)
    names = topic_names(beside)
    if bench.config.taxonomy is not None:
        return load_tree(bench.config.taxonomy, beside if names else None)
    topics = {name: fewer(load_topic(name, beside), subjects[0].examples) for name in names}
    topics |= {subject.topic.name: subject.topic for subject in subjects}
    languages = {subject.topic.language for subject in subjects}
    return Tree.of_topics([topic for _, topic in sorted(topics.items()) if topic.language in languages])


def train_taxonomy_of(bench: Bench, subjects: Sequence[Subject]) -> TaxonomySummary | FocusedCrawlerError:
    """Train the taxonomy of the subjects' web, unless that was done; return the error if that fails."""
    folder = folder_of(bench, subjects[0])
    try:
        return TaxonomySummary.read(folder) or _train(bench, subjects, folder)
    except FocusedCrawlerError as error:
        return error


def folder_of(bench: Bench, subject: Subject) -> Path:
    """Return the folder of the taxonomy of a subject's web."""
    return model_folder(bench.folder, bench.models(subject))


def _train(bench: Bench, subjects: Sequence[Subject], folder: Path) -> TaxonomySummary:
    from focused_crawler.classify.taxonomy.training import train_taxonomy  # noqa: PLC0415  (as above)

    tree = tree_of(bench, subjects)
    web, analyzer = bench.web(subjects[0]), Analyzer(subjects[0].topic.language)
    pages = {
        category.path: ExamplesInWeb.find(web, category.examples, Path(), analyzer).pages
        for category in tree.categories
    }
    model, report = train_taxonomy(tree, pages)
    model.save(folder)
    named = sum(len(category.examples) for category in tree.categories)
    found = sum(map(len, pages.values()))
    return TaxonomySummary(len(model.tree.leaves), found, named - found, report.accuracy).save(folder)
