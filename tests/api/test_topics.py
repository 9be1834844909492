"""Topics made from a program."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import focused_crawler as fc
from focused_crawler.safety.user_settings import TOPICS

SEED = "http://a.example/"


def test_one_text_is_not_taken_for_its_letters(tmp_path: Path) -> None:
    """It is written as a list of one would be."""
    one = fc.Topic.new("one", "telescope", seeds=SEED, relevant=f"{SEED}1", other=f"{SEED}2", into=tmp_path)
    found = one.info
    assert (found.keywords, found.seeds) == (("telescope",), (SEED,))
    assert (found.relevant_examples, found.other_examples) == ((f"{SEED}1",), (f"{SEED}2",))


def test_a_saved_page_is_named_by_its_path(tmp_path: Path) -> None:
    """It is copied into the topic's folder."""
    star, car = (tmp_path / f"{name}.html" for name in ("star", "car"))
    for page in (star, car):
        page.write_text(f"<p>{page.stem}</p>")
    topic = fc.Topic.new("stars", "star", relevant=star, other=[car], into=tmp_path / "topics")
    assert (topic.folder / "examples/relevant/star.html").read_text() == "<p>star</p>"
    assert (topic.folder / "examples/other/car.html").is_file()


def test_an_answer_is_a_truth_or_none(tmp_path: Path) -> None:
    """A word is neither: "no" would be a yes."""
    topic = fc.Topic.new("stars", "star", into=tmp_path)
    for number, answer in enumerate((True, np.False_, None)):
        topic.label(f"{SEED}{number}", answer)
    with pytest.raises(fc.FocusedCrawlerError, match="the answer is 'no'; give True, False or None"):
        topic.label(SEED, "no")  # type: ignore[arg-type]
    assert [verdict.answer for verdict in topic.labels().values()] == [True, False, None]


def test_topics_in_a_place_of_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is written down for all commands."""
    own = tmp_path / "config/focused_crawler/settings.toml"
    own.parent.mkdir(parents=True)
    own.write_text(f"FOCUSED_TOPICS = '{tmp_path / 'mine'}'\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv(TOPICS, "")
    monkeypatch.delenv(TOPICS)
    sky = fc.Topic.new("sky", "telescope")
    assert sky.folder == tmp_path / "mine/sky"
    assert fc.Topic.load("sky") == sky
