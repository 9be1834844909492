"""A topic's model out of its examples as they lie in the web: no network, no Scrapy, no ground truth."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.hmm.sessions import single_visits, visited
from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.pseudo import background_examples, other_examples
from focused_crawler.crawl.analysis import load_model
from focused_crawler.discovery.sessions import derive_sessions
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.folder import read_learnt, write_whole
from focused_crawler.experiment.grid import Subject
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Page
from focused_crawler.page.parser import UnparsablePage, parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.topic import Topic
from focused_crawler.virtualweb.truth import RELEVANT

FEWEST = 2
"""Examples of a kind without which nothing can be learnt."""

_LESSON, _RELEVANCE = "lesson.json", "relevance.npy"


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a topic's model learnt from."""

    relevant: int  # examples that the web has
    other: int
    missing: int  # that it lacks
    f1: float | None  # of held-out examples; None: too few to train from, the model knows words only

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Return what was learnt in a folder, None if it was not learnt to the end there."""
        return read_learnt(folder / _LESSON, cls)

    def __str__(self) -> str:
        missing = f", {self.missing} are not in the web" if self.missing else ""
        quality = "too few to train from: untrained" if self.f1 is None else f"F1 {self.f1:.2f}"
        return f"{self.relevant} + {self.other} examples{missing}; {quality}"


def prepare(bench: Bench, subject: Subject) -> Lesson:
    """Train a topic's model and let it read the web; its judge before, if it needs one."""
    if subject.judge is not None:
        judge = _Pupil(bench, subject, subject.judge, bench.judges(subject))
        if judge.learn().f1 is None:
            raise TopicError(
                f"the judge of {subject.name} has too few examples in the web; name others with --judge"
            )
        judge.write_relevant()
    return _Pupil(bench, subject, subject.topic, bench.models(subject)).learn(paths=True)


def lesson_of(bench: Bench, subject: Subject) -> Lesson:
    """Return what a topic's model learnt from; it must be made."""
    lesson = Lesson.read(bench.models(subject) / subject.topic.name)
    assert lesson is not None
    return lesson


def relevances(folder: Path) -> NDArray[np.float64]:
    """Return how relevant each page of a web is by the model in `folder`, by page number."""
    return np.asarray(np.load(folder / _RELEVANCE, allow_pickle=False), dtype=np.float64)


class _Pupil:
    """A topic, the web that it is learnt from, and the folder that the model goes into."""

    def __init__(self, bench: Bench, subject: Subject, topic: Topic, models: Path) -> None:
        self._bench, self._topic, self._models = bench, topic, models
        self._folder = models / topic.name
        self._web = bench.web(subject)
        self._analyzer = Analyzer(topic.language)

    def learn(self, *, paths: bool = False) -> Lesson:
        """Make the model, unless that was done; `paths`: and what some strategies need besides."""
        if lesson := Lesson.read(self._folder):
            return lesson
        relevant = self._examples(self._topic.relevant_examples)
        other = self._examples(other_examples(self._topic))
        is_enough = min(len(relevant.pages), len(other.pages)) >= FEWEST
        if is_enough:
            more = background_examples(self._topic, self._bench.classifier.background)
            self._train(relevant, other, self._examples(more))
        model = self._load()
        found = np.array([model.classifier.relevance(page) for page in self._pages()])
        if is_enough and paths and relevant.numbers:
            self._learn_paths(relevant, other, found >= model.threshold)
        _save_array(self._folder / _RELEVANCE, found)
        missing = relevant.missing + other.missing
        lesson = Lesson(len(relevant.pages), len(other.pages), missing, model.metrics.get("f1"))
        write_whole(self._folder / _LESSON, json.dumps(asdict(lesson)) + "\n")
        return lesson

    def write_relevant(self) -> None:
        """Write down which pages of the web the model takes for relevant, as ground truth is written."""
        threshold = self._load().threshold
        pages = np.flatnonzero(relevances(self._folder) >= threshold).tolist()
        write_whole(self._folder / RELEVANT, "".join(f"{self._web.urls[page]}\n" for page in pages))

    def _load(self) -> TopicModel:
        classifiers = self._bench.classifier.classifiers
        return load_model(self._topic, self._models, self._analyzer, classifiers)

    def _train(self, relevant: _Examples, other: _Examples, more: _Examples) -> None:
        # It loads slowly, and Scrapy loads this module for each of its commands.
        from focused_crawler.classify.training import train  # noqa: PLC0415

        settings = self._bench.classifier
        model, _ = train(
            self._topic, relevant.pages, other.pages, settings, self._analyzer, background=more.pages
        )
        model.save(self._folder)

    def _learn_paths(self, relevant: _Examples, other: _Examples, judged: NDArray[np.bool_]) -> None:
        """Train what learns from ways through the web, the HMM crawlers, as `scrapy train` does.

        `judged`: what the classifier says of each page on the way. Ground truth must not come in here.
        """
        from focused_crawler.classify.hmm.training import train_hmm  # noqa: PLC0415  (as above)

        web, settings = self._web, self._bench.hmm
        sessions = derive_sessions(
            web.graph, relevant.numbers, lambda page: bool(judged[page]), web.urls, settings.random_seed
        )
        examples = [[web.urls[number] for number in kind.numbers] for kind in (relevant, other)]
        sessions += single_visits(*examples)
        seen = visited(sessions)
        pages = {url: web.page(number) for number, url in enumerate(web.urls) if url in seen}
        train_hmm(self._topic, sessions, pages, settings).save(self._folder)

    def _examples(self, names: Iterable[str]) -> _Examples:
        found = _Examples()
        for name in names:
            if "://" not in name:
                found.pages.append(read_saved(self._topic.folder / name, self._analyzer))
            elif (number := self._web.number(name)) is None:
                found.missing += 1
            elif number not in found.numbers:
                found.numbers.append(number)
                found.pages.append(self._web.page(number))
        return found

    def _pages(self) -> Iterator[Page]:
        return map(self._web.page, range(len(self._web)))


@dataclass(slots=True)
class _Examples:
    """The examples of a kind: pages of the web, by number, and saved ones."""

    pages: list[Page] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    missing: int = 0


def read_saved(path: Path, analyzer: Analyzer) -> Page:
    """Return an example that is a file; raises TopicError."""
    try:
        page = parse_page(path.read_bytes(), path.as_uri(), analyzer)
    except UnparsablePage as error:
        raise TopicError(f"{path} cannot be an example ({error}); save the page as HTML again") from None
    partition(page)
    return page


def _save_array(path: Path, values: NDArray[np.float64]) -> None:
    buffer = io.BytesIO()
    np.save(buffer, values, allow_pickle=False)
    write_whole(path, buffer.getvalue())
