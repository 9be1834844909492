"""A taxonomy of three leaves, trained on a dozen pages of a few words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from focused_crawler.classify.taxonomy.classifier import TaxonomyModel
from focused_crawler.classify.taxonomy.training import train_taxonomy
from focused_crawler.classify.taxonomy.tree import Category, Tree
from focused_crawler.page.model import Page
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer

WORDS = {
    "sky/stars": ("star galaxy telescope", "star nebula light", "galaxy star night", "telescope star"),
    "sky/planets": ("planet moon orbit", "planet ring moon", "orbit planet", "moon planet probe"),
    "sports/football": ("goal match referee", "match league goal", "striker goal", "match goal cup"),
}


def small_page(text: str, url: str = "http://sky.example/") -> Page:
    return parse_page(f"<p>{text}</p>".encode(), url, Analyzer("en"), "utf-8")


def small_taxonomy(topics: Sequence[str] = (), language: str = "en") -> TaxonomyModel:
    """Return the taxonomy; `topics` stand in sky/stars."""
    tree = Tree.of(
        (Category(path, topics=tuple(topics) if path == "sky/stars" else ()) for path in WORDS), language
    )
    pages = {
        path: [small_page(text, f"http://{path}/{number}") for number, text in enumerate(texts)]
        for path, texts in WORDS.items()
    }
    return train_taxonomy(tree, pages)[0]


def save_small_taxonomy(models: Path, *topics: str, language: str = "en") -> Path:
    """Write it to where FOCUSED_MODELS has it; return FOCUSED_MODELS."""
    small_taxonomy(topics, language).save(models / "taxonomy")
    return models
