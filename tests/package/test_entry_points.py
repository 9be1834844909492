"""Strategies and classifiers of installed packages, by their names alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from focused_crawler.classify.settings import ClassifierName
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.link_scoring.registry import is_known
from focused_crawler.safety.settings import installed, read
from tests.project import ROOT, Job, Scrapy, crawl

SCORER = """
class Shortest:
    def __init__(self, model, settings):
        pass

    def score(self, page, links):
        return [1 / (1 + len(link.text)) for link in links]

    def learn(self, page):
        pass
"""
ENTRY_POINTS = """
[focused_crawler.link_scorers]
shortest = plugin_of_mine.scoring:Shortest

[focused_crawler.classifiers]
present = plugin_of_mine.present:Present
"""


def write_plugin(folder: Path) -> None:
    """Write a package as pip installs it: the classifier is that of docs/how-to/own_classifier.md."""
    (package := folder / "plugin_of_mine").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "scoring.py").write_text(SCORER)
    (module,) = re.findall(
        "```python\n(.*?)```", (ROOT / "docs/how-to/own_classifier.md").read_text(), re.DOTALL
    )
    (package / "present.py").write_text(module)
    (about := folder / "plugin_of_mine-1.0.dist-info").mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin-of-mine\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)


def look_again() -> None:
    """Let a command that is forked off find what was installed since."""
    installed.cache_clear()


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    write_plugin(tmp_path / "site")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    installed.cache_clear()
    yield tmp_path / "site"
    installed.cache_clear()


def test_what_is_installed_is_known_by_its_name(plugin: Path) -> None:
    """A setting wins over it."""
    config = CrawlConfig.from_settings({"FOCUSED_TOPIC": "asthma", "FOCUSED_CLASSIFIER": "present"})
    assert config.link_scorers["shortest"] == "plugin_of_mine.scoring.Shortest"
    assert is_known("shuffled:shortest", config.link_scorers)
    assert read(ClassifierName, {}).classifiers["present"] == "plugin_of_mine.present.Present"
    own = CrawlConfig.from_settings(
        {"FOCUSED_TOPIC": "asthma", "FOCUSED_LINK_SCORERS": '{"shortest": "a.B"}'}
    )
    assert own.link_scorers["shortest"] == "a.B"


@pytest.mark.slow
def test_an_installed_strategy_and_classifier_crawl(
    scrapy: Scrapy, plugin: Path, demo_web: Path, tmp_path: Path
) -> None:
    """Without any setting that names where they lie."""
    topic, models = demo_web.parent / "demo.topics/astronomy", tmp_path / "models"
    settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_MODELS={models}")
    fresh = {"environ": {"PYTHONPATH": str(plugin)}, "before": f"{__name__}.{look_again.__name__}"}
    words = [word for setting in (*settings, "FOCUSED_CLASSIFIER=present") for word in ("-s", setting)]
    trained = scrapy.run("train", topic, *words, **fresh)
    assert trained.code == 0, trained.err
    assert json.loads((models / "astronomy/model.json").read_text())["settings"]["classifier"] == "present"
    done = scrapy.run(*crawl(topic, tmp_path, *settings, pages=30, strategy="shortest"), **fresh)
    assert done.code == 0, done.err
    assert Job(tmp_path / "astronomy/1").run["strategy"] == "shortest"
