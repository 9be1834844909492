"""`scrapy train` of a topic that its words have judged: the first model waits where they judge better."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
import tomlkit

from focused_crawler.classify.model_versions import CANDIDATE, RECORD
from focused_crawler.report.training_record import TrainingRecord
from tests.project import Done, Job, Scrapy, crawl

PAGES = 40
POOR = {"relevant": 18, "other": 2}
"""Examples from which, without a background, a model of football is worse than its words beyond chance."""


class Place(NamedTuple):
    """A topic, and a crawl of it by its words."""

    root: Path
    scrapy: Scrapy

    @property
    def topic(self) -> Path:
        return self.root / "football"

    @property
    def model(self) -> Path:
        return self.topic / "model"

    @property
    def job(self) -> Job:
        return Job(self.root / "crawls/football/1")

    @property
    def settings(self) -> list[str]:
        return [f"FOCUSED_WEB={self.root / 'web.warc.gz'}", "FOCUSED_BACKGROUND=0"]

    def train(self, *words: str) -> Done:
        given = (f"FOCUSED_CRAWLS={self.root / 'crawls'}", *self.settings)
        done = self.scrapy.run("train", self.topic, *words, *(word for one in given for word in ("-s", one)))
        assert (done.code, done.err) == (0, "")
        return done

    def has_models(self) -> tuple[bool, bool]:
        """Tell whether there is a model, and whether one waits."""
        return (self.model / "model.json").exists(), (self.model / CANDIDATE / "model.json").exists()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, demo_web: Path, scrapy: Scrapy) -> Place:
    place = Place(tmp_path_factory.mktemp("first"), scrapy)
    (place.root / "web.warc.gz").symlink_to(demo_web)  # by another name: no ground truth lies beside it
    place.topic.mkdir()
    shutil.copy(demo_web.parent / "demo.topics/football/topic.toml", place.topic)
    words = crawl(place.topic, place.root / "crawls", *place.settings, job="1", pages=PAGES)
    done = scrapy.run(*words, "-a", "profile=offline")
    assert done.code == 0, done.err
    return place


@pytest.fixture
def place(made: Place, tmp_path: Path) -> Place:
    """All of it, to be changed; the crawl's topic is this copy of it."""
    place = Place(Path(shutil.copytree(made.root, tmp_path / "place", symlinks=True)), made.scrapy)
    run = place.job.folder / "run.json"
    run.write_text(run.read_text().replace(str(made.root), str(place.root)))
    return place


@pytest.fixture
def poor(place: Place) -> Place:
    """The same with poor examples."""
    file = place.topic / "topic.toml"
    text = tomlkit.parse(file.read_text())
    for kind, count in POOR.items():
        text["examples"][kind] = text["examples"][kind][:count]
    file.write_text(tomlkit.dumps(text))
    return place


def _is_told(done: Done, model: Path, place: Place) -> None:
    """Check that the pages and URLs that change sides are named as they are recorded."""
    record = TrainingRecord.load(model / RECORD)
    assert record is not None
    assert record.crawl is not None
    assert Path(record.crawl.folder) == place.job.folder
    changes = f"of {PAGES} pages {record.crawl.gained} would be relevant that were not, and"
    assert f"{changes} {record.crawl.lost} no longer." in done.out
    changed = [*record.crawl.now_relevant[:3], *record.crawl.no_longer[:3]]
    assert changed
    assert all(f": {page.url}\n" in done.out for page in changed)
    assert f"that come next, {record.crawl.others} would be others." in done.out


def test_one_that_is_worse_than_words_waits(poor: Place) -> None:
    """Words go on judging topic and crawl until it is accepted, and do so again after `--back`."""
    words = poor.job.run["judge"]
    for _ in range(2):  # a second training is in the place of the first
        done = poor.train()
        assert poor.has_models() == (False, True)
        assert "Keep the topic's words: the new one is worse" in done.out
        waits = f"What judged before goes on; the new one waits in {poor.model / CANDIDATE}\n"
        assert waits in done.out
        assert f"To take it, and let {poor.job.folder} go by it: scrapy train {poor.topic} " in done.out
        assert done.out.endswith(" --accept\n")
        assert "--back" not in done.out
        _is_told(done, poor.model / CANDIDATE, poor)
    shown = poor.train("--show").out
    assert "football is judged by its words.\n" in shown
    assert "Keep the topic's words: the new one is worse" in shown
    assert f"of {PAGES} pages" in shown
    assert poor.job.run["judge"] == words
    poor.train("--accept")
    assert poor.has_models() == (True, False)
    assert poor.job.run["judge"].startswith("model:")
    poor.train("--back")
    assert poor.has_models() == (False, True)
    assert poor.job.run["judge"] == words


def test_one_that_is_better_judges_at_once(place: Place) -> None:
    """What that will change in the crawl by words is named; the crawl changes when it is told to."""
    words = place.job.run["judge"]
    done = place.train()
    assert place.has_models() == (True, False)
    assert "\nThe new one " in done.out
    assert "worse" not in done.out
    _is_told(done, place.model, place)
    assert f"Model in {place.model}\n" in done.out
    assert place.job.run["judge"] == words
    place.train("--accept")
    assert place.job.run["judge"].startswith("model:")


def test_one_that_is_worse_and_taken_unseen(poor: Place) -> None:
    """The line that it ends with leads back to the words, also after another training."""
    done = poor.train("--replace")
    assert poor.has_models() == (True, False)
    assert "would be relevant" not in done.out
    said = next(line for line in done.out.splitlines() if line.startswith("To judge by the topic's words"))
    assert said.endswith(" --back")
    poor.train("-s", "FOCUSED_CLASSIFIER=naive_bayes")
    assert poor.has_models() == (True, True)
    done = poor.train("--back")
    assert poor.has_models() == (False, True)
    assert f"football is judged by {poor.job.run['judge']} again, as before its first model\n" in done.out
    assert "\nThe model that waited before is gone: one waits at a time.\n" in done.out
