"""What `scrapy train` teaches the HMM crawlers, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from focused_crawler.browsing.session import FILE_NAME, Session, read_sessions, single_visits, visited
from focused_crawler.browsing.settings import HmmSettings
from focused_crawler.browsing.sources import sessions_of_crawl, sessions_of_web
from focused_crawler.classify.model import TopicModel
from focused_crawler.errors import ConfigError
from focused_crawler.page.model import Page
from focused_crawler.topic import Topic
from focused_crawler.virtualweb.analysed import AnalysedWeb, Reading

if TYPE_CHECKING:
    from focused_crawler.browsing.model import HmmModel


class PathLesson:
    """Sessions of a topic: those in its folder, or those derived from a crawl or a web that a user names."""

    def __init__(self, topic: Topic, settings: HmmSettings, source: Path | None) -> None:
        """Read what can be read before any page is; raises TopicError, CrawlError or ConfigError."""
        self._topic, self._settings = topic, settings
        self._web = source if source is not None and source.is_file() else None
        self._sessions = [] if self._web else _recorded(topic, settings, source)

    @property
    def wanted(self) -> Iterable[str]:
        """Return the URLs of pages that have to be fetched; those of a web come from there."""
        return visited(self._sessions)

    def learn(self, model: TopicModel, pages: Mapping[str, Page], other: Iterable[str]) -> HmmModel | None:
        """Return what the HMM crawlers go by, None where there is nothing to learn from.

        `model` judges the pages of a web. `pages` are those that were wanted and the topic's examples, which
        are learnt from as well; `other` names those that are not relevant.
        """
        # It loads slowly, and Scrapy loads this module for each of its commands.
        from focused_crawler.browsing.training import train_hmm  # noqa: PLC0415

        sessions = self._sessions
        if self._web:
            sessions, found = self._in_web(self._web, model)
            pages = {**pages, **found}
        if not sessions:
            return None
        examples = single_visits(self._topic.relevant_examples, other)
        return train_hmm(self._topic, [*sessions, *examples], pages, self._settings)

    def _in_web(self, path: Path, model: TopicModel) -> tuple[list[Session], dict[str, Page]]:
        def is_relevant(page: Page) -> bool:
            return model.classifier.relevance(page) >= model.threshold

        with AnalysedWeb(path, Reading(language=self._topic.language)) as web:
            return sessions_of_web(web, self._topic, is_relevant, self._settings.random_seed)


def _recorded(topic: Topic, settings: HmmSettings, source: Path | None) -> list[Session]:
    if source is None:
        path = topic.folder / FILE_NAME
        return read_sessions(path) if path.exists() else []
    if not source.is_dir():
        raise ConfigError(
            f"--sessions-from names {source}, where there is nothing; use the folder of a crawl, such as"
            f" crawls/{topic.name}/1, or a virtual web (.warc.gz)"
        )
    return sessions_of_crawl(source, topic, settings.random_seed)
