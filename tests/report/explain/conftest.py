from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from scrapy.settings import Settings

from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.page_classifiers import ThesaurusClassifier
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import train
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.link_order import LinkOrder
from focused_crawler.crawl.lists.use import Priors
from focused_crawler.link_scoring.registry import create
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Page
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.scope import EVERYWHERE, Scope
from focused_crawler.topic.thesaurus.model import Entry, Facet, Thesaurus
from focused_crawler.topic.thesaurus.scoring import ThesaurusScorer
from focused_crawler.topic.topic import Topic

TOPIC = Topic("baking", Path("baking"), title="Baking", keywords=("bread", "oven", "baking"))
ANALYZER = Analyzer("en")
_OVEN = Entry("oven", (), (Entry("loaf of bread"), Entry("breads"), Entry("oven"), Entry("guitars")))
THESAURUS = Thesaurus(
    (
        Facet("baking", (_OVEN, Entry("loaves and ovens")), negative=("museum",)),
        Facet("f", (Entry("baking"),)),
    )
)
BAKING = ["bread", "oven", "flour", "baking", "dough", "yeast", "crust", "loaf"]
OTHER = ["engine", "league", "senate", "galaxy", "guitar", "server", "museum", "harbour"]
COMMON = ["home", "news", "contact", "share", "people", "year"]


def example(own: list[str], chance: random.Random) -> Page:
    """Return a page of some of these words and some that all pages have."""
    words = " ".join(chance.choices(own, k=20) + chance.choices(COMMON, k=10))
    body = f"<title>{chance.choice(own)}</title><p>{words}</p><p><a href=/>{chance.choice(own)}</a></p>"
    number = chance.randrange(10**6)
    page = parse_page(body.encode(), f"http://{own[0]}.example/{number}.html", ANALYZER)
    partition(page)
    return page


@cache
def model(classifier: str) -> TopicModel:
    """Return a model trained with that classifier, or "cold", "thesaurus": one that only has words."""
    if classifier == "cold":
        return TopicModel.cold(TOPIC, ANALYZER)
    if classifier == "thesaurus":
        scorer = ThesaurusScorer(THESAURUS, ANALYZER)
        return replace(TopicModel.cold(TOPIC, ANALYZER), classifier=ThesaurusClassifier(scorer))
    chance = random.Random(7)
    relevant, other = ([example(own, chance) for _ in range(10)] for own in (BAKING, OTHER))
    settings = ClassifierSettings(classifier=classifier, mi_min_df=1, section_weights=(5.0, 3.0, 2.0, 1.0))
    return train(TOPIC, relevant, other, settings, ANALYZER)[0].of_topic(TOPIC)


@pytest.fixture(scope="session")
def analyst() -> Callable[..., Analyst]:
    """Makes what judges pages about baking, by classifier and strategy."""

    def make(
        classifier: str = "ratio_regression",
        strategy: str = "lpe_soft",
        scope: Scope = EVERYWHERE,
        priors: Priors | None = None,
    ) -> Analyst:
        known = model(classifier)
        order = LinkOrder(strategy, create(strategy, known), priors=priors, scope=scope)
        config = CrawlConfig.from_settings(Settings())
        return Analyst(config, ANALYZER, known, order, scope=scope)

    return make
