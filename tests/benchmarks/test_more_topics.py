"""More topics of a web: pages of labelled hosts, as others say; seeds and examples by chance."""

from __future__ import annotations

import tomllib
from itertools import product
from pathlib import Path

import pytest

from benchmarks.more_topics import FEW_PAGES, ROOT, SEEDS, TOPICS, write_more_topics
from focused_crawler.topic.topic import load_topic
from focused_crawler.virtualweb.truth import RELEVANT
from focused_crawler.virtualweb.writer import WebWriter
from tests.crawls.trap_webs import HTML, html

SAID = {
    "csound": "opcode oscillator synthesis filter envelope",
    "cooks": "recipe flour sugar butter oven dough",
    "sports": "team season player league goal match",
    "chess": "knight bishop opening queen rook pawn",
}
HOSTS, PAGES = 20, 20
"""Of each kind, and of each host. Of one kind are less than 30 % of the pages, so that its words count."""

DESCRIBED = """
[[topic]]
name = "audio"
title = "Audio"
description = "Sound."
keywords = ["synthesis"]
hosts = ["csound"]
"""


def url(kind: str, host: int, number: int) -> str:
    return f"http://{kind}{host}.example/{number}"


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """Hosts of four kinds, whose first pages speak of something else."""
    path = tmp_path / "small.warc.gz"
    with WebWriter(path) as writer:
        writer.write(ROOT, 200, HTML, html("Directory", SAID["csound"] * 9, []))
        for kind, host, number in product(SAID, range(HOSTS), range(PAGES)):
            others = "csound" if kind == "cooks" else "cooks"
            text = f"{SAID[others if number == 0 else kind]} " * 8
            writer.write(url(kind, host, number), 200, HTML, html("Page", text, []))
    return path


def test_what_is_relevant_follows_labels_and_words(web: Path, tmp_path: Path) -> None:
    """A page of a labelled host that speaks of something else is not, and one of another host may be."""
    described = tmp_path / "topics.toml"
    described.write_text(DESCRIBED, "utf-8")
    made = write_more_topics(web, tmp_path / "made", described)
    assert made.read_bytes() == web.read_bytes()
    folder = made.with_name("small.topics") / "audio"
    relevant = set((folder / RELEVANT).read_text("utf-8").split())
    assert len(relevant) >= FEW_PAGES
    assert relevant == {url("csound", host, n) for host in range(HOSTS) for n in range(1, PAGES)} | {
        url("cooks", host, 0) for host in range(HOSTS)
    }
    topic = load_topic(str(folder))
    for name, pages in SEEDS.items():
        *seeds, last = topic.seed_sets[name]
        assert (len(seeds), last, {*seeds} <= relevant) == (pages, ROOT, True)
        assert len({seed.split("/")[2] for seed in seeds}) == pages
    examples = topic.relevant_examples, topic.other_examples
    assert {*examples[0]} <= relevant
    assert not {*examples[1]} & relevant


def test_topics_have_names_and_words_of_their_own() -> None:
    topics = tomllib.loads(TOPICS.read_text("utf-8"))["topic"]
    assert len({about["name"] for about in topics}) == len(topics) == 10
    assert all(about["hosts"] and about["keywords"] and about["description"] for about in topics)
