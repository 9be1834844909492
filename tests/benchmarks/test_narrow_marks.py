"""The benchmark of hard and soft focus writes the taxonomy that it says, and counts as a crawl would."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.studies.crawls import Crawl, Start
from benchmarks.studies.narrow_marks import census, write_tree
from benchmarks.tables import Rows
from focused_crawler.classify.taxonomy.folder import load_tree
from focused_crawler.classify.taxonomy.tree import Category, Tree
from focused_crawler.page.model import Focus
from focused_crawler.virtualweb.graph import LinkGraph
from tests.experiment.hives import write_topic

STREAMS = ("https://kafka.example.org/a", "https://flink.example.org/b", "https://www.pulsar.example/c")


def crawl(categories, hits, topic="streams", seed_set="a"):
    """A crawl of pages 0, 1, 2, ... whose good category is "data/streams"."""
    focus = [Focus(0.9, category, category == "data/streams") for category in categories]
    visits = list(range(len(focus)))
    marks = frozenset({"data/streams"})
    relevance, found = np.array([one.relevance for one in focus]), np.array(hits, dtype=bool)
    start, seeds = Start(seed_set), np.array([0])
    return Crawl(topic, "hard_focus", start, seeds, np.array(visits), relevance, found, 9, True, focus, marks)


def test_the_tree_has_its_levels(tmp_path):
    """Read back as any taxonomy: topics under their parents, one split in two, the rest beside."""
    write_topic(tmp_path / "topics", "bees")
    flat = Tree.of(
        [
            Category("bees", topics=("bees",)),
            Category("stream-processing", topics=("stream-processing",), examples=STREAMS),
            Category("other", examples=("https://news.example/",)),
        ]
    )
    write_tree(flat, tmp_path / "tree")
    tree = load_tree(tmp_path / "tree", tmp_path / "topics")
    assert tree.leaves == (
        "bees",
        "other",
        "data/stream-processing/brokers",
        "data/stream-processing/engines",
    )
    assert tree["data/stream-processing/brokers"].examples == (STREAMS[0], STREAMS[2])
    assert len(tree["bees"].examples) == 6


def test_what_was_not_fetched_is_not_found():
    """A dry crawl's harvest is a share of the pages that it might have fetched; topics count alike."""
    dry = crawl(["data/streams"] * 2, [True, False])
    assert dry.harvest(2) == 0.5
    assert dry.harvest(10) == 0.1
    other = crawl(["data/streams"], [True], topic="bees")
    rows = Rows(
        {"topic": one.topic, "first": one.harvest(1), "ten": one.harvest(10)} for one in (dry, dry, other)
    )
    assert rows.value("first.by_topic") == 1.0
    assert rows.value("ten.by_topic") == pytest.approx(0.1)
    assert dry.harvest(2, dry.relevance) == pytest.approx(0.9)


def test_a_census():
    """By category: pages, good ones, and those with a link to another good page."""
    found = crawl(["data/streams", "data/tables", "data/tables", "other"], [True] * 4)
    graph = LinkGraph.of([[0, 1], [0], [1], [2, 0]])
    assert sorted(census(found, graph)) == [
        ("data/streams", 1, 1, 0),
        ("data/tables", 2, 0, 1),
        ("other", 1, 0, 1),
    ]
