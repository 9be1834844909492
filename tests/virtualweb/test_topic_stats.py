from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from focused_crawler.report.charts import bounds
from focused_crawler.report.terminal.virtualweb import figures
from focused_crawler.safety.errors import TopicError
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.stats import link_stats, record_stats, topic_folders, topic_stats
from focused_crawler.virtualweb.writer import WebWriter
from tests.virtualweb.tea import HTML, SEEDS, write_tea


@pytest.fixture
def tea(tmp_path: Path) -> Path:
    return write_tea(tmp_path / "tea.warc.gz")


@pytest.fixture
def web(tea: Path) -> Iterator[AnalysedWeb]:
    with AnalysedWeb(tea) as web:
        yield web


def test_how_a_topic_lies_in_its_web(web: AnalysedWeb) -> None:
    """Each number is what one counts by hand."""
    (folder,) = topic_folders(web.path)
    topic = topic_stats(web, folder)
    assert (topic.name, topic.relevant, topic.hosts, topic.missing) == ("tea", 3, 1, 1)
    assert topic.base_rate == 3 / 8
    assert topic.after_relevant == 0  # tea1 -> hub
    assert topic.after_other == 3 / 7  # seed -> hub, list, new; hub -> tea1; list -> more; more -> tea2, tea3


def test_two_spellings_of_a_page_are_one(tea: Path) -> None:
    """A second one is no further relevant page, and none that a crawl might miss."""
    with WebWriter(tea) as writer:
        writer.write("https://www.a.example/tea1/", 200, HTML, b"<p>tea")
    with AnalysedWeb(tea) as web:
        topic = topic_stats(web, topic_folders(tea)[0])
    assert (topic.relevant, topic.missing) == (3, 1)
    assert topic.seed_sets["near"].reached == 2 / 3
    assert topic.seed_sets["near"].bounds.targets == 3


def test_how_a_topic_is_reached_from_its_seed_sets(web: AnalysedWeb) -> None:
    """Costs and areas of the smallest of webs; a seed that the web lacks is not counted."""
    ticks = []
    topic = topic_stats(web, topic_folders(web.path)[0], lambda: ticks.append(1))
    far, near = topic.seed_sets["far"], topic.seed_sets["near"]
    assert len(ticks) == len(topic.seed_sets) == 3  # and the set of its seeds
    assert (far.seeds, far.reached, far.behind_one, far.behind_two) == (1, 1, 1, 1)
    assert (near.seeds, near.reached, near.behind_one, near.behind_two) == (2, 2 / 3, 0, 0)
    assert [area.pages for area in far.areas] == [1, 3, 6]
    assert far.bounds.upper.tolist() == [0, 0, 0, 1, 1, 2, 3]
    assert far.bounds.greedy.tolist() == [0, 0, 0, 1, 1, 1, 2]
    assert far.areas[2].greedy == 5 / 7
    assert near.areas[1] == (3, 1.0, 1.0)


def test_a_topic_without_seed_sets_is_reached_from_its_seeds(web: AnalysedWeb) -> None:
    """They are a set among others, as in experiments. Without any there are figures, but no bounds."""
    (folder,) = topic_folders(web.path)
    (folder / "topic.toml").write_text(SEEDS)
    assert list(topic_stats(web, folder).seed_sets) == ["a"]
    (folder / "topic.toml").write_text(f'{SEEDS}\n[seed_sets]\nfar = ["http://a.example/"]')
    assert list(topic_stats(web, folder).seed_sets) == ["a", "far"]
    (folder / "topic.toml").write_text(SEEDS.partition("seeds")[0])
    assert topic_stats(web, folder).seed_sets == {}
    (folder / "topic.toml").unlink()
    assert topic_stats(web, folder).seed_sets == {}
    assert topic_stats(web, folder).relevant == 3


def test_a_broken_topic_file_is_told(web: AnalysedWeb) -> None:
    """As everywhere, by its place."""
    (folder,) = topic_folders(web.path)
    (folder / "topic.toml").write_text("name = ")
    with pytest.raises(TopicError, match=r"topic\.toml:1"):
        topic_stats(web, folder)


def test_a_topic_about_nothing_has_no_probabilities(web: AnalysedWeb) -> None:
    """Nothing is divided by nothing."""
    (folder,) = topic_folders(web.path)
    (folder / "relevant.txt").write_text("")
    topic = topic_stats(web, folder)
    assert (topic.relevant, topic.base_rate, topic.after_relevant, topic.after_other) == (0, 0, None, 0)
    assert topic.seed_sets["far"].areas == ((1, 0, 0), (1, 0, 0), (1, 0, 0))


def test_all_figures_are_json(web: AnalysedWeb) -> None:
    """Names are those of the tables' fields; curves stay out."""
    topic = topic_stats(web, topic_folders(web.path)[0])
    with VirtualWeb(web.path) as records:
        found = json.loads(json.dumps(figures(record_stats(records), link_stats(web), [topic])))
    assert (found["pages"], found["links"], found["statuses"]) == (8, 8, {"200": 8, "301": 1})
    assert found["topics"]["tea"]["after_other"] == 3 / 7
    far = found["topics"]["tea"]["seed_sets"]["far"]
    assert far["areas"][2] == {"pages": 6, "greedy": 5 / 7, "one_step": far["areas"][2]["one_step"]}
    assert "bounds" not in far


def test_bounds_are_drawn(web: AnalysedWeb, tmp_path: Path) -> None:
    """Equal bounds give equal pictures."""
    topic = topic_stats(web, topic_folders(web.path)[0])
    pictures = [bounds(topic).save(tmp_path).read_bytes() for _ in range(2)]
    assert pictures[0][:4] == b"\x89PNG"
    assert pictures[0] == pictures[1]
