"""What all processes of an experiment share, and where things lie in its folder."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from focused_crawler.browsing.settings import HmmSettings
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.config import CrawlConfig
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.results import Case, Setting
from focused_crawler.virtualweb.analysed import AnalysedWeb, Reading


@dataclass(frozen=True, slots=True)
class Bench:
    """Settings, and the folder that is written to."""

    folder: Path
    config: CrawlConfig
    classifier: ClassifierSettings
    hmm: HmmSettings
    max_page_bytes: int
    content_types: tuple[str, ...]

    def web(self, subject: Subject) -> AnalysedWeb:
        """Return the web as a crawl about the topic reads it; opened once a process."""
        config = self.config
        reading = Reading(
            language=subject.topic.language,
            block_alpha=config.block_alpha,
            block_min_words=config.block_min_words,
            context_words=config.context_words,
            max_page_bytes=self.max_page_bytes,
            content_types=self.content_types,
        )
        return _open(subject.web, reading)

    def models(self, subject: Subject) -> Path:
        """Return where the models of a web's topics lie, a folder a topic."""
        return self.folder / "models" / subject.web_name

    def judges(self, subject: Subject) -> Path:
        """Return where the judges of a web's topics lie, and what they found to be relevant."""
        return self.folder / "judges" / subject.web_name

    def visits(self, case: Case) -> Path:
        """Return the file of a run's URLs, in the order fetched."""
        return self.folder / "visits" / f"{case.name}.txt"

    def bounds(self, setting: Setting) -> Path:
        """Return the file of a setting's bounds."""
        return self.folder / "bounds" / f"{'.'.join(setting)}.npz"


@lru_cache(maxsize=4)
def _open(path: Path, reading: Reading) -> AnalysedWeb:
    return AnalysedWeb(path, reading)
