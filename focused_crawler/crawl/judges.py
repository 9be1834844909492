"""What the pages of a topic are judged by, found and loaded: its model and taxonomy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.model_file import broken
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.link_scoring.registry import notes_windows
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.package_folder import is_unpacked
from focused_crawler.store.judges import RULES, THESAURUS, UNLEARNT
from focused_crawler.topic.thesaurus.file import FILE_NAME as THESAURUS_FILE
from focused_crawler.topic.topic import Topic

if TYPE_CHECKING:
    from focused_crawler.classify.taxonomy.marked import MarkedTaxonomy


def model_folder(topic: Topic, models: Path | None) -> Path:
    """Return where a topic's model lies: in the topic's own folder, or under FOCUSED_MODELS."""
    return models / topic.name if models is not None else topic.folder / "model"


def load_model(
    topic: Topic, models: Path | None, analyzer: Analyzer, classifiers: Mapping[str, str], name: str = ""
) -> TopicModel:
    """Return the trained model, the untrained one where nothing was trained; raises ModelError, TopicError.

    Where nothing was trained, pages are judged by the topic's rule or its thesaurus if it has one, and always
    by the judge `name` if it is one that learns nothing. `classifiers`: the user's own, name -> import path.
    """
    folder = model_folder(topic, models)
    if is_unpacked(topic.folder) and not (folder / "model.json").exists():
        folder = model_folder(topic, None)  # the one that was deployed with the topic
    if not (folder / "model.json").exists():
        if name not in UNLEARNT and topic.rule:
            name = RULES
        elif name not in UNLEARNT and (topic.folder / THESAURUS_FILE).is_file():
            name = THESAURUS
        return TopicModel.cold(topic, analyzer).judging_by(name, analyzer)
    model = TopicModel.load(folder, classifiers)
    if (model.topic, model.language) != (topic.name, topic.language):
        raise broken(folder, f"it is of {model.topic}, language {model.language}")
    return model.of_topic(topic).judging_by(name, analyzer)


def judging_for(
    strategy: str,
    model: TopicModel,
    analyzer: Analyzer,
    link_scorers: Mapping[str, str] | None = None,
    *,
    is_named: bool,
) -> TopicModel:
    """Return what judges the pages of a crawl by a strategy: `thesaurus` has windows that a thesaurus counts.

    With that strategy the topic's thesaurus judges where no model was trained and no judge `is_named`.
    """
    if not notes_windows(strategy, link_scorers):
        return model
    return (model if model.trained or is_named else model.by_thesaurus(analyzer)).reading_windows()


def load_taxonomy(config: CrawlConfig, topic: Topic, *, is_needed: bool) -> MarkedTaxonomy | None:
    """Return the taxonomy to judge by: that of FOCUSED_TAXONOMY, else the project's if one is needed."""
    if config.taxonomy is None and not is_needed:
        return None
    return taxonomy_of(topic, config.taxonomy, config.models, must_be_good=is_needed)


def taxonomy_of(
    topic: Topic, folder: Path | None, models: Path | None, *, must_be_good: bool
) -> MarkedTaxonomy:
    """Return the trained taxonomy of a folder, None: the project's; raises ModelError, TopicError."""
    # a room of its own, which few crawls enter
    from focused_crawler.classify.taxonomy.folder import model_folder, taxonomy_folder, to_train  # noqa: PLC0415
    from focused_crawler.classify.taxonomy.marked import MarkedTaxonomy  # noqa: PLC0415

    trained = model_folder(folder or models or taxonomy_folder(), models)
    if is_unpacked(topic.folder) and folder is None and not trained.exists():
        trained = model_folder(taxonomy_folder(), None)
    return MarkedTaxonomy.load(trained, topic, to_train(folder, models), must_be_good=must_be_good)
