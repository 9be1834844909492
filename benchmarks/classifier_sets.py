"""The text sets: documents in four sections, with their topics."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.classifier_paired import Decisions

SECTIONS = ("headline", "keywords", "anchor", "body")
SETS = ("reuters21578", "rcv1", "20ng", "20ng_full", "odp_meta", "searchsnippets")


@dataclass(frozen=True)
class Documents:
    """Documents of a set, and which of its topics each has."""

    sections: list[tuple[str, ...]]  # text of headline, keywords, anchor, body
    topics: Decisions

    @cached_property
    def texts(self) -> list[str]:
        """All sections of each document, joined."""
        return [" ".join(sections) for sections in self.sections]


@dataclass(frozen=True)
class TextSet:
    """A set with its own split."""

    name: str
    topics: list[str]
    train: Documents
    test: Documents

    @classmethod
    def read(cls, folder: Path) -> TextSet:
        """Read train.jsonl.gz and test.jsonl.gz; the topics are those of the training documents."""
        train, test = _read(folder / "train.jsonl.gz"), _read(folder / "test.jsonl.gz")
        topics = sorted({topic for document in train for topic in document["labels"]})
        return cls(folder.name, topics, _documents(train, topics), _documents(test, topics))

    @property
    def is_single(self) -> bool:
        """Whether each document has exactly one topic: then a classifier names one, the most probable."""
        both = np.vstack([self.train.topics, self.test.topics])
        return bool((both.sum(axis=1) == 1).all())


def _read(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _documents(documents: list[dict[str, Any]], topics: list[str]) -> Documents:
    sections = [tuple(str(document[name]) for name in SECTIONS) for document in documents]
    has = [[topic in document["labels"] for topic in topics] for document in documents]
    return Documents(sections, np.array(has, dtype=np.bool_))
