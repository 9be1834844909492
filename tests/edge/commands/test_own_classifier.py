"""A classifier of a user's own: the one that docs/how-to/own_classifier.md shows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from focused_crawler.topic.topic import load_topic
from tests.project import ROOT, Job, Scrapy, crawl

CLASSIFIERS = """FOCUSED_CLASSIFIERS={"present": "present.Present"}"""


@pytest.fixture
def run(scrapy: Scrapy, tmp_path: Path) -> Callable[..., str]:
    """Runs `scrapy` where the document's module can be imported; returns what it printed."""
    (module,) = re.findall(
        "```python\n(.*?)```", (ROOT / "docs/how-to/own_classifier.md").read_text(), re.DOTALL
    )
    (tmp_path / "present.py").write_text(module)

    def printed(*words: object) -> str:
        done = scrapy.run(*words, environ={"PYTHONPATH": str(tmp_path)})
        assert done.code == 0, done.err
        return done.out

    return printed


def test_the_documented_classifier(run: Callable[..., str], demo_web: Path, tmp_path: Path) -> None:
    """It is trained, crawls better than chance, and is explained; the model remembers its name."""
    topic, models = demo_web.parent / "demo.topics/astronomy", tmp_path / "models"
    settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_MODELS={models}", CLASSIFIERS)
    options = [word for setting in settings for word in ("-s", setting)]
    assert "precision" in run("train", topic, "-s", "FOCUSED_CLASSIFIER=present", *options)
    assert json.loads((models / "astronomy/model.json").read_text())["settings"]["classifier"] == "present"
    run(*crawl(topic, tmp_path, *settings, pages=40))
    assert Job(tmp_path / "astronomy/1").run["totals"]["relevant"] > 20
    shown = run("explain", load_topic(str(topic)).relevant_examples[0], "--topic", topic, *options)
    assert shown.count("Relevant: ") == 1
