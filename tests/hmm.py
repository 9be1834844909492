"""A small model of the HMM crawlers."""

from __future__ import annotations

from pathlib import Path

from focused_crawler.classify.hmm.model import HmmModel
from focused_crawler.classify.hmm.sessions import Session
from focused_crawler.classify.hmm.training import train_hmm
from focused_crawler.classify.settings import HmmSettings
from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.topic.topic import Topic

TOPIC = Topic("robots", Path("robots"), keywords=("robot",))
WORDS = {
    "root": "news menu",
    "hub": "list link cake",
    "robot": "robot arm news",
    "arm": "robot arm",
    "cake": "cake",
}
SESSIONS = [
    Session(("root", "hub", "robot", "arm"), (False, False, True, True)),
    Session(("root", "cake"), (False, False)),
]


def page(words: str, url: str = "http://example.org/") -> Page:
    return Page(url, "", words, Sections(body=words.split()), Outline(is_heading=False))


def small_hmm(clusters: int = 2) -> HmmModel:
    """Trained on five pages: a hub one link before robots, and a root two before them."""
    pages = {name: page(words, name) for name, words in WORDS.items()}
    return train_hmm(TOPIC, SESSIONS, pages, HmmSettings(clusters=clusters))
