"""A taxonomy with a topic's marks: how a crawl comes by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from focused_crawler.classify.taxonomy.marked import MarkedTaxonomy
from focused_crawler.safety.errors import ModelError, TopicError
from focused_crawler.topic.topic import Topic
from tests.small_taxonomy import save_small_taxonomy, small_page


def topic(*good: str, name: str = "stars") -> Topic:
    return Topic(name, Path("stars"), good_categories=good)


@pytest.mark.parametrize(
    ("good", "is_good"), [((), (True, False)), (("sky",), (True, True)), (("sky/planets",), (False, True))]
)
def test_a_topic_s_marks(good: tuple[str, ...], is_good: tuple[bool, bool], tmp_path: Path) -> None:
    """Its own category is good where it marks no other; what is below a good one is good as well."""
    folder = save_small_taxonomy(tmp_path, "stars") / "taxonomy"
    taxonomy = MarkedTaxonomy.load(folder, topic(*good))
    stars, planets = (taxonomy.judge(small_page(text)) for text in ("star galaxy", "planet moon"))
    assert (stars.category, planets.category) == ("sky/stars", "sky/planets")
    assert (stars.is_good, planets.is_good) == is_good


def test_a_topic_without_marks(tmp_path: Path) -> None:
    """It is told how to find some; a crawl that only wants each page's category needs none."""
    folder = save_small_taxonomy(tmp_path) / "taxonomy"
    with pytest.raises(TopicError, match="scrapy taxonomy mark stars CATEGORY"):
        MarkedTaxonomy.load(folder, topic())
    taxonomy = MarkedTaxonomy.load(folder, topic(), must_be_good=False)
    focus = taxonomy.judge(small_page("goal match"))
    assert (focus.relevance, focus.category, focus.is_good) == (0.0, "sports/football", False)


def test_a_mark_that_leads_nowhere(tmp_path: Path) -> None:
    """It is named, whether or not the strategy needs it."""
    folder = save_small_taxonomy(tmp_path) / "taxonomy"
    with pytest.raises(TopicError, match="sky/star"):
        MarkedTaxonomy.load(folder, topic("sky/star"), must_be_good=False)


def test_another_language(tmp_path: Path) -> None:
    """Its words would mean nothing to the taxonomy."""
    folder = save_small_taxonomy(tmp_path, "stars", language="de") / "taxonomy"
    with pytest.raises(TopicError, match="stars is in 'en', the taxonomy in 'de'"):
        MarkedTaxonomy.load(folder, topic())


def test_no_model(tmp_path: Path) -> None:
    """What to type is told."""
    with pytest.raises(ModelError, match="scrapy taxonomy train"):
        MarkedTaxonomy.load(tmp_path, topic())
