"""What all processes of an experiment share, and where things lie in its folder."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from focused_crawler.classify.settings import ClassifierSettings, HmmSettings
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.experiment.grid import Subject, truth_folder
from focused_crawler.experiment.measures import Case, Setting
from focused_crawler.safety.errors import TopicError
from focused_crawler.virtualweb.analysed.web import AnalysedWeb, Reading
from focused_crawler.virtualweb.truth import GroundTruth


@dataclass(frozen=True, slots=True)
class Bench:
    """Settings, and the folder that is written to."""

    folder: Path
    config: CrawlConfig
    classifier: ClassifierSettings
    hmm: HmmSettings

    def web(self, subject: Subject) -> AnalysedWeb:
        """Return the web as a crawl about the topic reads it; opened once a process."""
        config = self.config
        reading = Reading(
            language=subject.topic.language,
            block_alpha=config.block_alpha,
            block_min_words=config.block_min_words,
            context_words=config.context_words,
            max_page_bytes=config.limits.max_page_bytes,
            content_types=config.limits.content_types,
            nofollow=config.nofollow,
        )
        return _open(subject.web, reading, subject.without)

    def models(self, subject: Subject) -> Path:
        """Return where the models of a web's topics lie, a folder a topic."""
        return self.folder / "models" / subject.web_name

    def judges(self, subject: Subject) -> Path:
        """Return where the judges of a web's topics lie, and what they found to be relevant."""
        return self.folder / "judges" / subject.web_name

    def visits(self, case: Case) -> Path:
        """Return the file of a run's URLs, in the order fetched."""
        return self.folder / "visits" / f"{case.name.replace(':', '=')}.txt"

    def bounds(self, setting: Setting) -> Path:
        """Return the file of a setting's bounds."""
        return self.folder / "bounds" / f"{'.'.join(setting)}.npz"


@lru_cache(maxsize=4)
def _open(path: Path, reading: Reading, without: tuple[str, ...]) -> AnalysedWeb:
    return AnalysedWeb(path, reading, without)


# Who says what is relevant: the web's ground truth, or a judge that learnt from other examples.
#
# Only figures and bounds may come from here, nothing that a crawl goes by.


def truth_of(bench: Bench, subject: Subject) -> GroundTruth:
    """Return what is relevant; a judge must have read the web by now."""
    folder = truth_folder(subject) if subject.judge is None else bench.judges(subject) / subject.topic.name
    truth = GroundTruth.of_topic(folder)
    if truth is None:
        raise TopicError(f"{folder} has no list of relevant pages; run the same command again")
    return truth.without(subject.without)


def judged_by(subject: Subject) -> str:
    """Return who judges, in words for reports."""
    if subject.judge is None:
        return "the web's ground truth"
    return f"a classifier trained on the examples of {subject.judge.folder}, no ground truth"
