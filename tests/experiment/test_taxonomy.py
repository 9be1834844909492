"""Hard and soft focus in an experiment: the taxonomy of a web, and who goes by it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from scrapy.settings import Settings

from focused_crawler.classify.settings import ClassifierSettings, HmmSettings
from focused_crawler.crawl.config import DEFAULTS, CrawlConfig
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.folder import ExperimentFolder
from focused_crawler.experiment.grid import Subject, choose_seed_sets, find_subjects
from focused_crawler.experiment.origin import origin_of_taxonomies
from focused_crawler.experiment.runner import Experiment
from focused_crawler.experiment.training import TaxonomySummary, folder_of, train_taxonomy_of, tree_of
from focused_crawler.experiment.work import analyst_of
from focused_crawler.safety.errors import ModelError, TopicError
from focused_crawler.safety.workers import Pool
from tests.experiment.hives import PAGES, pages_about, url, write_topic

FOCUSED = ("hard_focus", "soft_focus", "unfocused")


def bench(out: Path, taxonomy: Path | None = None) -> Bench:
    settings = {**DEFAULTS, "FOCUSED_TAXONOMY": str(taxonomy or "")}
    config = CrawlConfig.from_settings(Settings(settings))
    return Bench(out, config, ClassifierSettings(), HmmSettings())


def subjects(web: Path, topics: str = "") -> list[Subject]:
    return choose_seed_sets(find_subjects([web], topics, None), "")


def experiment(
    own: Bench, mine: Sequence[Subject], strategies: Sequence[str], pages: int = 0
) -> tuple[Experiment, list[str]]:
    """Run an experiment as far as its strategies can be made; return it and what was told of taxonomies."""
    with ExperimentFolder(own.folder, {}) as folder, Pool(1) as pool:
        made = Experiment(own, folder, mine, pages)
        list(made.prepare(pool))
        notes = list(made.prepare_taxonomies(pool, strategies))
        made.judge()
        list(made.run(pool, [name for name in strategies if name not in made.obstacles(strategies)]))
    return made, notes


def write_tree(folder: Path) -> Path:
    """Write a taxonomy: what moves, living or not, and the news."""
    for path, content in (
        (".", ""),
        ("moving", ""),
        ("moving/bees", 'topics = ["bees"]'),
        ("moving/cars", 'topics = ["cars"]'),
        ("news", f"examples = {[url(number) for number in pages_about('news')[:9]]}".replace("'", '"')),
    ):
        (folder / path).mkdir(parents=True, exist_ok=True)
        (folder / path / "category.toml").write_text(content)
    return folder


def test_a_flat_taxonomy_of_all_topics(hives: Path, tmp_path: Path) -> None:
    """Of those that are not compared, too: it does not depend on them. It is trained once."""
    own, (bees,) = bench(tmp_path), subjects(hives, "bees")
    assert tree_of(own, [bees]).paths == ("", "bees", "cars", "other")
    lesson = train_taxonomy_of(own, [bees])
    assert isinstance(lesson, TaxonomySummary)
    assert (lesson.leaves, lesson.missing) == (3, 0)
    assert str(lesson).startswith("3 leaves, ")
    files = {path: path.stat().st_mtime_ns for path in folder_of(own, bees).iterdir()}
    assert train_taxonomy_of(own, subjects(hives)) == lesson
    assert {path: path.stat().st_mtime_ns for path in files} == files


def test_a_flat_taxonomy_of_one_language(hives: Path, tmp_path: Path) -> None:
    """Of the topics beside the web those in the language of the ones that are compared."""
    topic = write_topic(tmp_path, "bees")
    (topic / "topic.toml").write_text('language = "de"\n' + (topic / "topic.toml").read_text())
    own, (bees,) = bench(tmp_path / "out"), subjects(hives, str(topic))
    tree = tree_of(own, [bees])
    assert (tree.language, tree.paths) == ("de", ("", "bees", "other"))


def test_focus_pays(hives: Path, tmp_path: Path) -> None:
    """Soft focus finds more than chance would; hard focus ends where no seed is good."""
    made, notes = experiment(bench(tmp_path), subjects(hives), FOCUSED, pages=40)
    lesson = TaxonomySummary.read(tmp_path / "models/hives/taxonomy")
    assert notes == [f"hives: taxonomy of {lesson}"]
    assert made.about()["taxonomy of hives"] == str(lesson)
    found = {case[1:]: one for case, one in made.made.items()}
    for topic in ("bees", "cars"):
        chance = 40 * len(pages_about(topic)) / PAGES
        hard, soft, none = (found[topic, "a", name] for name in FOCUSED)
        assert hard.hits.sum() == soft.hits.sum() > chance + 2
        assert len(none.hits) == 40
        hard, soft, _ = (found[topic, "c", name] for name in FOCUSED)
        assert (len(hard.hits), hard.reason) == (2, "finished")
        assert soft.hits.sum() > chance


def test_nothing_is_trained_in_vain(hives: Path, tmp_path: Path) -> None:
    """Where no strategy goes by a taxonomy."""
    own, mine = bench(tmp_path), subjects(hives, "bees")
    _, notes = experiment(own, mine, ["unfocused"], pages=3)
    assert notes == []
    assert origin_of_taxonomies(own, mine, ["unfocused"]) == {}
    with pytest.raises(ModelError, match="no taxonomy model"):
        analyst_of(own, mine[0], "hard_focus")


def test_a_taxonomy_of_one_s_own(hives: Path, tmp_path: Path) -> None:
    """With its levels, and the categories that a topic marks in it."""
    marks = '[taxonomy]\ngood = ["moving"]'
    topic = write_topic(tmp_path, "bees")
    own = bench(tmp_path / "out", write_tree(tmp_path / "tree"))
    (bees,) = subjects(hives, str(topic))
    assert isinstance(train_taxonomy_of(own, [bees]), TaxonomySummary)
    narrow = analyst_of(own, bees, "hard_focus")
    (topic / "topic.toml").write_text(f"{(topic / 'topic.toml').read_text()}\n{marks}")
    (marked,) = subjects(hives, str(topic))
    broad = analyst_of(own, marked, "hard_focus")
    assert (narrow.taxonomy.good, broad.taxonomy.good) == ({"moving/bees"}, {"moving"})
    car = own.web(bees).page(own.web(bees).number(url(pages_about("cars")[9])))
    assert [judge.focus(car).is_good for judge in (narrow, broad)] == [False, True]
    assert broad.focus(car).category == "moving/cars"
    assert analyst_of(own, bees, "random").taxonomy is None


def test_marks_are_for_another_tree(hives: Path, tmp_path: Path) -> None:
    """In the flat one each topic has a leaf of its own."""
    topic = write_topic(tmp_path, "bees")
    (topic / "topic.toml").write_text(f'{(topic / "topic.toml").read_text()}\n[taxonomy]\ngood = ["moving"]')
    own, (bees,) = bench(tmp_path / "out"), subjects(hives, str(topic))
    train_taxonomy_of(own, [bees])
    assert analyst_of(own, bees, "soft_focus").taxonomy.good == {"bees"}


def test_runs_by_different_trees_do_not_mix(hives: Path, tmp_path: Path) -> None:
    """The folder of an experiment knows which taxonomy its runs went by."""
    mine = subjects(hives, "bees")
    flat = origin_of_taxonomies(bench(tmp_path), mine, FOCUSED)
    tree = origin_of_taxonomies(bench(tmp_path, write_tree(tmp_path / "tree")), mine, FOCUSED)
    assert flat.keys() == tree.keys() == {"taxonomy of hives"}
    assert flat != tree
    assert origin_of_taxonomies(bench(tmp_path), subjects(hives), FOCUSED) == flat


def test_who_cannot_have_a_taxonomy(hives: Path, tmp_path: Path) -> None:
    """The strategies that need it are left out, and the reason is told; the others run."""
    topic = write_topic(tmp_path, "bees")
    (topic / "topic.toml").write_text('language = "de"\n' + (topic / "topic.toml").read_text())
    own, mine = bench(tmp_path / "out"), subjects(hives, f"{topic},cars")
    made, notes = experiment(own, mine, FOCUSED, pages=3)
    obstacles = made.obstacles(FOCUSED)
    assert notes == []
    assert list(obstacles) == ["hard_focus", "soft_focus"]
    assert isinstance(obstacles["hard_focus"], TopicError)
    assert "topics in de and en make no taxonomy" in str(obstacles["hard_focus"])
    assert {case.strategy for case in made.made} == {"unfocused"}
