"""What labelling a crawl's pages takes: its topic, who judges them, and the queues."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from focused_crawler.classify.model import TopicModel
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.judges import judging_for
from focused_crawler.discovery.label_queues import LabelQueues, ToLabel, judge_of_crawl, second_judge
from focused_crawler.discovery.sitting import Sitting
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.formats import tidy
from focused_crawler.safety.settings import Overlaid, RawSettings
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo, run_of
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic.label import LONGEST_NAME
from focused_crawler.topic.labels import Labels, read_labels
from focused_crawler.topic.topic import Topic, load_topic

NUMBER = 20
"""Pages of a sitting."""


@dataclass(frozen=True, slots=True)
class LabelDesk:
    """A crawl whose pages a person labels."""

    folder: Path
    run: RunInfo
    topic: Topic
    analyst: Analyst  # judges as the crawl would today
    second: TopicModel  # another judge

    @classmethod
    def of(cls, folder: Path, topic: Topic, settings: RawSettings) -> Self:
        """Open the crawl in a folder; raises CrawlError where it is of another topic, and ModelError."""
        run = run_of(folder)
        if run.topic != topic.name:
            raise CrawlError(f"{folder} is no crawl of {topic.name}; name one such as crawls/{topic.name}/1")
        own = {"FOCUSED_TOPIC": str(topic.folder), "FOCUSED_STRATEGY": "breadth_first"}
        current = Analyst.make(CrawlConfig.from_settings(Overlaid(own, settings)), topic)
        model, analyzer = current.model, current.analyzer
        judge = judge_of_crawl(run.judge, model, topic, analyzer)
        judge = judging_for(run.strategy, judge, analyzer, is_named=True)
        second = second_judge(run.judge, model, topic, analyzer)
        return cls(folder, run, topic, replace(current, model=judge), second)

    @property
    def crawl(self) -> str:
        """Return the name of the crawl in labels."""
        return tidy(self.run.job, LONGEST_NAME)

    def queues(self, database: CrawlDatabase, labels: Labels, by: str, *, again: bool = False) -> LabelQueues:
        """Return the queues of the crawl for a person."""
        return LabelQueues(
            folder=self.folder,
            crawl=self.crawl,
            database=database,
            topic=self.topic,
            judge_name=self.run.judge,
            judge=self.analyst.model,
            second=self.second,
            analyzer=self.analyst.analyzer,
            labels=labels,
            by=by,
            again=again,
        )

    def sitting(self, queue: str, by: str, pages: list[ToLabel]) -> Sitting:
        """Return a sitting over pages of a queue."""
        return Sitting(folder=self.topic.folder, queue=queue, by=by, crawl=self.crawl, pages=pages)


def open_desk(folder: Path, settings: RawSettings) -> LabelDesk:
    """Return the desk of the crawl in a folder, for its own topic."""
    return LabelDesk.of(folder, load_topic(run_of(folder).topic_name), settings)


def pages_to_label(folder: Path, settings: RawSettings, queue: str, by: str, count: int) -> list[ToLabel]:
    """Return the next pages of a queue for a person; CrawlError where there are none."""
    desk = open_desk(folder, settings)
    with read_crawl(folder) as database:
        return desk.queues(database, read_labels(desk.topic.folder), by).pages(queue, count)
