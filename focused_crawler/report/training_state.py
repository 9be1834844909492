"""Where the training of a topic stands: its model, the labels since, and the model that waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from focused_crawler.classify.model import TopicModel, example_key
from focused_crawler.classify.model_versions import CANDIDATE, RECORD, can_roll_back, is_model
from focused_crawler.crawl.judges import model_folder
from focused_crawler.report.training_record import TrainingRecord
from focused_crawler.safety.errors import ModelError
from focused_crawler.topic.labels import read_labels
from focused_crawler.topic.topic import Topic


@dataclass(frozen=True, slots=True)
class TrainingState:
    """What people know of a topic before they train, accept, or take back."""

    folder: Path  # of the model
    model: TopicModel | None  # None: none was trained, or it cannot be read
    fault: str  # why it cannot be read; empty: it can, or there is none
    labels: int  # decided ones
    new_labels: int  # of these, pages that the model has not learnt from
    waits: bool  # another model waits to be accepted
    can_go_back: bool
    record: TrainingRecord | None  # of the model that waits, else of the one that is there

    @classmethod
    def read(cls, topic: Topic, models: Path | None, classifiers: Mapping[str, str]) -> Self:
        """Read all of it; raises TopicError for labels that cannot be read."""
        folder = model_folder(topic, models)
        model, fault = None, ""
        if is_model(folder):
            try:
                model = TopicModel.load(folder, classifiers)
            except ModelError as error:
                fault = str(error)
        decided = [one.url for one in read_labels(topic.folder).by_key.values() if one.answer is not None]
        learnt = model.learnt_from if model is not None else frozenset()
        waits = is_model(folder / CANDIDATE)
        return cls(
            folder=folder,
            model=model,
            fault=fault,
            labels=len(decided),
            new_labels=sum(example_key(url) not in learnt for url in decided),
            waits=waits,
            can_go_back=can_roll_back(folder),
            record=TrainingRecord.load((folder / CANDIDATE if waits else folder) / RECORD),
        )
