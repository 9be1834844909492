import random
from functools import partial
from pathlib import Path

import pytest

from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import train
from focused_crawler.page.model import Block, Outline, Page, Sections
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.topic import Topic

COOKING = [
    "recipe",
    "oven",
    "flour",
    "butter",
    "sauce",
    "bake",
    "simmer",
    "whisk",
    "dough",
    "onion",
    "garlic",
    "dinner",
]
OTHER = [
    "engine",
    "league",
    "coach",
    "server",
    "kernel",
    "election",
    "senate",
    "orbit",
    "galaxy",
    "guitar",
    "opera",
    "museum",
]
COMMON = [
    "site",
    "home",
    "menu",
    "share",
    "contact",
    "news",
    "year",
    "people",
    "photo",
    "comment",
    "archive",
    "search",
]


def build_page(analyzer, url, headline="", keywords="", anchor="", body=""):
    """Return a page with these sections and two blocks, its anchors and the rest."""
    texts = (headline, keywords, anchor, body)
    sections = Sections(*map(analyzer.terms, texts))
    blocks = [Block(sections.anchor), Block(sections.headline + sections.body)]
    return Page(url, headline, " ".join(texts), sections, Outline(False), blocks=blocks)


def make_pages(words, count, seed, analyzer):
    """Return pages whose words are half from `words`, half such as all pages have."""
    rng = random.Random(seed)
    return [
        build_page(
            analyzer,
            f"https://host{number % 7}.example/{seed}/{number}",
            headline=" ".join(rng.choices(words, k=3)),
            anchor=" ".join(rng.choices(COMMON, k=8)),
            body=" ".join(rng.choices(words, k=30) + rng.choices(COMMON, k=30)),
        )
        for number in range(count)
    ]


@pytest.fixture(scope="session")
def analyzer():
    return Analyzer("en")


@pytest.fixture(scope="session")
def make_page(analyzer):
    return partial(build_page, analyzer)


@pytest.fixture(scope="session")
def topic():
    return Topic(
        name="cooking",
        folder=Path("topics/cooking"),
        title="Cooking and recipes",
        description="Meals, ingredients and kitchens.",
        keywords=("recipe", "oven", "home cooking"),
    )


@pytest.fixture(scope="session")
def relevant(analyzer):
    return make_pages(COOKING, 20, 1, analyzer)


@pytest.fixture(scope="session")
def other(analyzer):
    return make_pages(OTHER, 30, 2, analyzer)


@pytest.fixture(scope="session")
def trained(topic, relevant, other, analyzer):
    """A model and the report of its training."""
    return train(topic, relevant, other, ClassifierSettings(), analyzer)
