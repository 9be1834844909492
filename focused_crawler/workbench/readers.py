"""What many requests read: judges of crawls and labels of topics, read anew when their files have changed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from starlette.requests import Request

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.judges import model_folder
from focused_crawler.crawl.reopened import analyst_of
from focused_crawler.discovery.label_desk import LabelDesk, open_desk
from focused_crawler.report.explain.stored import writing
from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.settings import RawSettings
from focused_crawler.store.job import RunInfo
from focused_crawler.topic.labels import FILE as LABELS_FILE
from focused_crawler.topic.labels import Labels, read_labels
from focused_crawler.topic.thesaurus.file import FILE_NAME as THESAURUS_FILE
from focused_crawler.topic.topic import FILE_NAME as TOPIC_FILE
from focused_crawler.topic.topic import load_topic

MOST = 8
"""Of each kind, those that were asked for last are remembered."""

_T = TypeVar("_T")


class Readers:
    """Remembers what was read, with the state of the files that it was read from."""

    def __init__(self, settings: RawSettings) -> None:
        self._settings = settings
        self._lock = Lock()
        self._read: dict[str, OrderedDict[Hashable, tuple[Hashable, Any]]] = {}

    def judge(self, folder: Path, run: RunInfo) -> Analyst:
        """Return what a crawl judges by today, and how words are written; raises the errors of reading it."""
        return self._remembered(
            "judge", folder, self._state(run), lambda: writing(analyst_of(run, self._settings))
        )

    def _state(self, run: RunInfo) -> Hashable:
        """Return what changes when a crawl is judged by something else."""
        topic = load_topic(run.topic_name)
        models = self._settings.get("FOCUSED_MODELS") or run.settings.get("FOCUSED_MODELS")
        model = model_folder(topic, Path(models) if models else None) / "model.json"
        files = (topic.folder / TOPIC_FILE, topic.folder / THESAURUS_FILE, model)
        return (run.judge, run.strategy, _state(files))

    def desk(self, folder: Path, run: RunInfo) -> LabelDesk:
        """Return what labelling the pages of a crawl takes; raises the errors of reading it."""
        return self._remembered("desk", folder, self._state(run), lambda: open_desk(folder, self._settings))

    def labels(self, run: RunInfo) -> Labels:
        """Return the labels of a crawl's topic, none of a topic that is gone; raises TopicError."""
        try:
            folder = load_topic(run.topic_name).folder
        except TopicError:
            return Labels()
        state = _state([folder / LABELS_FILE])
        return self._remembered("labels", folder, state, lambda: read_labels(folder))

    def _remembered(self, kind: str, key: Hashable, state: Hashable, read: Callable[[], _T]) -> _T:
        with self._lock:
            known = self._read.setdefault(kind, OrderedDict())
            if key in known and known[key][0] == state:
                known.move_to_end(key)
                found: _T = known[key][1]
                return found
        made = read()
        with self._lock:
            known[key] = (state, made)
            known.move_to_end(key)
            while len(known) > MOST:
                known.popitem(last=False)
        return made


def _state(files: Iterable[Path]) -> Hashable:
    """Return what changes when one of the files does."""
    found = []
    for file in files:
        try:
            stat = file.stat()
            found.append((stat.st_ino, stat.st_size, stat.st_mtime_ns))
        except OSError:
            found.append((0, 0, 0))
    return tuple(found)


def readers_of(request: Request) -> Readers:
    """Return what remembers for all requests."""
    readers: Readers = request.app.state.readers
    return readers
