"""A topic, made, labelled and trained from a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

from focused_crawler.api.process import each, run_command
from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.model_versions import CANDIDATE, REPORT, is_model
from focused_crawler.classify.settings import ClassifierName
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.judges import model_folder
from focused_crawler.crawl.profiles import as_crawled
from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.settings import read, read_one
from focused_crawler.safety.user_settings import user_settings
from focused_crawler.topic.folders import topics_folder
from focused_crawler.topic.label import ANSWER_NAMES, Label, user_name
from focused_crawler.topic.labels import Verdict, append, read_labels
from focused_crawler.topic.topic import Topic, load_topic, title_of, typed
from focused_crawler.topic.writer import write_topic


class TrainedTopic(NamedTuple):
    """A model that was trained."""

    judge: str  # its name
    threshold: float  # a page is relevant from this relevance on
    examples: Mapping[str, int]  # how many of each kind it learnt from
    report: Path  # how far to trust it, as a page
    text: str  # what `scrapy train` prints


@dataclass(frozen=True, slots=True)
class UserTopic:
    """A topic: its folder, and what its topic.toml says by now."""

    folder: Path

    @classmethod
    def new(
        cls,
        name: str,
        keywords: Iterable[str] = (),
        *,
        seeds: Iterable[str] = (),
        title: str | None = None,
        description: str = "",
        language: str = "en",
        relevant: str | Path | Iterable[str | Path] = (),
        other: str | Path | Iterable[str | Path] = (),
        into: str | Path | None = None,
    ) -> Self:
        """Make the folder of a topic, by default in `topics/`, and return it; raises TopicError.

        `relevant`, `other`: examples, URLs or saved pages. A single one needs no list.
        """
        topic = Topic(
            name=name,
            folder=(topics_folder() if into is None else Path(into)) / name,
            title=title_of(name) if title is None else title,
            description=description,
            language=language,
            keywords=each(keywords),
            seeds=each(seeds),
            relevant_examples=each(relevant),
            other_examples=each(other),
        )
        return cls(write_topic(topic).folder)

    @classmethod
    def load(cls, name_or_path: str | Path) -> Self:
        """Return a topic by its name or by its folder; raises TopicError."""
        return cls(load_topic(str(name_or_path)).folder)

    @property
    def info(self) -> Topic:
        """Return what its file says: title, keywords, seeds, examples and all else."""
        return load_topic(str(self.folder))

    @property
    def name(self) -> str:
        """Return its name."""
        return self.folder.name

    def label(self, url: str, answer: bool | None, *, by: str = "") -> None:
        """Say of a page whether it is about the topic; None: nobody can tell. Training learns from it.

        `by`: who says so; empty: the user of this machine. Raises TopicError.
        """
        try:
            label = Label(url=url, label=ANSWER_NAMES[answer], by=by or user_name(), queue="page")
        except KeyError:
            raise TopicError(f"no label: the answer is {answer!r}; give True, False or None") from None
        except ValueError as error:
            raise TopicError(f"no label: {error}") from None
        append(self.folder, [label])

    def labels(self) -> dict[str, Verdict]:
        """Return what people say of pages by now, by URL."""
        return read_labels(self.folder).by_url()

    def train(self, *, replace: bool = True, settings: Mapping[str, Any] | None = None) -> TrainedTopic:
        """Learn from examples and labels; pages that are not at hand are fetched, politely.

        `replace=False` keeps the model that is there, or the topic's words where they are clearly better, and
        puts the new one, which is returned, beside it.
        `settings`: as after -s: FOCUSED_WEB reads the pages of a recorded web, FOCUSED_MODELS names a place
        for models. Raises FocusedCrawlerError.
        """
        words = ["train", self.folder, *(["--replace"] if replace else [])]
        text = run_command(words, settings)
        topic = self.info
        given = as_crawled(topic, user_settings(), settings or {})
        folder = model_folder(topic, read_one(CrawlConfig, "models", given))
        if is_model(folder / CANDIDATE):  # else no other was there, or the same
            folder /= CANDIDATE
        model = TopicModel.load(folder, read(ClassifierName, given).classifiers).of_topic(topic)
        return TrainedTopic(model.judge_name, model.threshold, model.examples, folder / REPORT, text)

    def __repr__(self) -> str:
        """Return how it is loaded."""
        return f"Topic.load({typed(self.info)!r})"
