"""What the workbench works on: topics and crawls, found by their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.judges import model_folder
from focused_crawler.crawl.profiles import as_crawled
from focused_crawler.safety.errors import CrawlError, FocusedCrawlerError
from focused_crawler.safety.printable import printable
from focused_crawler.safety.settings import RawSettings, is_file_name, read_one
from focused_crawler.store.job import RunInfo, read_run
from focused_crawler.topic.rules import name_problem
from focused_crawler.topic.topic import Topic, load_topic, topic_names


class NotFound(CrawlError):
    """There is no such topic, crawl or page."""


@dataclass(frozen=True, slots=True)
class Workbench:
    """Settings as `scrapy ui` has them, and the folder of crawls."""

    settings: RawSettings
    crawls: Path
    given: Mapping[str, str] = field(default_factory=dict)
    """Of these settings, those that it was started with: crawls and commands get them, too."""

    @property
    def models(self) -> Path | None:
        """Return the folder of models; None: each lies with its topic."""
        models: Path | None = read_one(CrawlConfig, "models", self.settings)
        return models

    def models_of(self, topic: Topic) -> Path:
        """Return the folder of a topic's model; raises ConfigError for a wrong profile."""
        return model_folder(topic, read_one(CrawlConfig, "models", self.settings_of(topic)))

    def settings_of(self, topic: Topic) -> RawSettings:
        """Return the settings that a topic's crawls and commands have; ConfigError for a wrong profile."""
        return as_crawled(topic, self.settings, self.given)

    def crawl(self, topic: str, job: str) -> Path:
        """Return the folder of a crawl that has begun; raises NotFound."""
        if not self.has_crawl(topic, job):
            raise NotFound(f"there is no crawl {printable(f'{topic}/{job}')} in {self.crawls}")
        return self.crawls / topic / job

    def has_crawl(self, topic: str, job: str) -> bool:
        """Tell whether a crawl of that name has begun."""
        is_named = name_problem(topic) is None and is_file_name(job)
        return is_named and read_run(self.crawls / topic / job) is not None

    def crawls_of(self, topic: str) -> list[tuple[Path, RunInfo]]:
        """Return the crawls of a topic, the last begun first; one whose run.json is broken is left out."""
        found = list(_runs(self.crawls / topic)) if name_problem(topic) is None else []
        return sorted(found, key=lambda crawl: -crawl[1].started)

    def topic(self, name: str) -> Topic:
        """Return a topic of the project, or that of the last crawl of the name; raises NotFound.

        What is wrong with its file is a TopicError.
        """
        if name_problem(name) is not None:
            raise NotFound(f"there is no topic {printable(name)}")
        if name in topic_names():
            return load_topic(name)
        for _, run in self.crawls_of(name):
            return load_topic(run.topic_name)
        raise NotFound(f"there is no topic {printable(name)}; make it on the first page")

    def topics(self) -> list[str]:
        """Return the names of the project's topics, and of those that have a crawl."""
        crawled = [path.name for path in self.crawls.glob("*") if name_problem(path.name) is None]
        return sorted({*topic_names(), *(name for name in crawled if any(_runs(self.crawls / name)))})


def _runs(folder: Path) -> Iterator[tuple[Path, RunInfo]]:
    for path in folder.glob("*"):
        with suppress(FocusedCrawlerError):
            if is_file_name(path.name) and (run := read_run(path)) is not None:
                yield path, run
