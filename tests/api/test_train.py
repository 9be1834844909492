"""Training from a program, on the demo web."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import focused_crawler as fc


@pytest.mark.slow
def test_a_model_beside_the_one_that_is_there(demo_web: Path, tmp_path: Path) -> None:
    """What is returned is the new one, with its own report; the other still judges."""
    folder = Path(shutil.copytree(demo_web.parent / "demo.topics/astronomy", tmp_path / "astronomy"))
    topic, web = fc.Topic.load(folder), {"FOCUSED_WEB": demo_web}
    first = topic.train(settings=web)
    assert topic.train(replace=False, settings=web)[:4] == first[:4]  # it is the same again
    topic.label(topic.info.relevant_examples[0], False)
    second = topic.train(replace=False, settings=web)
    assert second.judge != first.judge
    assert second.examples != first.examples
    assert second.report.parent == first.report.parent / "candidate"
    assert second.report.read_bytes() != first.report.read_bytes()
    third = topic.train(settings=web)
    assert (third.judge, third.report) == (second.judge, first.report)


@pytest.mark.slow
def test_models_in_a_place_of_the_users_own(
    demo_web: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is written down for all commands."""
    own = tmp_path / "config/focused_crawler/settings.toml"
    own.parent.mkdir(parents=True)
    own.write_text('FOCUSED_MODELS = "~/models"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = Path(shutil.copytree(demo_web.parent / "demo.topics/astronomy", tmp_path / "astronomy"))
    trained = fc.Topic.load(folder).train(settings={"FOCUSED_WEB": demo_web})
    assert trained.report.is_relative_to(tmp_path / "models")
    assert trained.report.is_file()
