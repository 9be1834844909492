"""A focused crawler for Scrapy: collects the pages about one topic and fetches as little else as it can.

    import focused_crawler as fc

    topic = fc.Topic.new("bees", ["honey bee", "hive"], seeds=["https://www.example.org/"])
    for progress in fc.crawl(topic, pages=1000):
        print(progress)
    pages = fc.open_crawl("crawls/bees/1").pages(relevant=True, to="pandas")

docs/reference/api.md explains all of it. Nothing is loaded before it is used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from focused_crawler.api.crawls import CrawlProgress as Progress
    from focused_crawler.api.crawls import RunningCrawl, crawl
    from focused_crawler.api.data import CrawlData, Why, judge, open_crawl
    from focused_crawler.api.experiments import ExperimentResult, experiment
    from focused_crawler.api.topics import TrainedTopic as Trained
    from focused_crawler.api.topics import UserTopic as Topic
    from focused_crawler.safety.errors import FocusedCrawlerError

__version__ = "0.1.0"

__all__ = [
    "CrawlData",
    "ExperimentResult",
    "FocusedCrawlerError",
    "Progress",
    "RunningCrawl",
    "Topic",
    "Trained",
    "Why",
    "crawl",
    "experiment",
    "judge",
    "open_crawl",
]

_WHERE = {
    "CrawlData": "api.data.CrawlData",
    "ExperimentResult": "api.experiments.ExperimentResult",
    "FocusedCrawlerError": "safety.errors.FocusedCrawlerError",
    "Progress": "api.crawls.CrawlProgress",
    "RunningCrawl": "api.crawls.RunningCrawl",
    "Topic": "api.topics.UserTopic",
    "Trained": "api.topics.TrainedTopic",
    "Why": "api.data.Why",
    "judge": "api.data.judge",
    "open_crawl": "api.data.open_crawl",
}
_ROOMS = {"crawl": "api.crawls.crawl", "experiment": "api.experiments.experiment"}
"""Functions that have the name of a room: its package can be called as they are."""


class _Room(ModuleType):
    """A package that is a function of the API as well."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function()(*args, **kwargs)

    @property
    def __signature__(self) -> Any:
        """What an editor and a notebook show of the function."""
        from inspect import signature  # noqa: PLC0415 - nothing is loaded before it is used

        return signature(self._function())

    def _function(self) -> Any:
        return _load(_ROOMS[self.__name__.rpartition(".")[2]])


class _Package(ModuleType):
    def __setattr__(self, name: str, value: Any) -> None:
        """Let a room be called that Python has just loaded, and binds here."""
        if name in _ROOMS and isinstance(value, ModuleType):
            value.__class__ = _Room
        super().__setattr__(name, value)


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name in _WHERE:
        return _load(_WHERE[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _load(path: str) -> Any:
    import_module(f"{__name__}.safety.program").used_in_a_program()
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"{__name__}.{module}"), name)


sys.modules[__name__].__class__ = _Package
