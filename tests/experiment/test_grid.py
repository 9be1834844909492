from __future__ import annotations

from pathlib import Path

import pytest

from focused_crawler.experiment.grid import choose_seed_sets, choose_strategies, find_subjects
from focused_crawler.link_scoring.registry import STRATEGIES
from focused_crawler.safety.errors import ConfigError, FocusedCrawlerError, TopicError
from tests.experiment.hives import pages_about, url, write_topic


@pytest.fixture
def elsewhere(tmp_path: Path, hives: Path) -> Path:
    """The same web under another name, with one topic of its own that nobody can judge."""
    path = tmp_path / "other.warc.gz"
    path.write_bytes(hives.read_bytes())
    write_topic(tmp_path / "other.topics", "news")
    return path


def names(webs: list[Path], topics: str = "", judge: Path | None = None) -> list[str]:
    return [subject.name for subject in find_subjects(webs, topics, judge)]


def test_all_topics_beside_a_web(hives: Path) -> None:
    """Where none are named, sorted by name."""
    assert names([hives]) == ["hives/bees", "hives/cars"]


def test_topics_by_name_folder_and_folder_of_folders(hives: Path) -> None:
    """One word may mean each; a topic named twice counts once."""
    folder = hives.parent / "hives.topics"
    assert names([hives], "cars") == ["hives/cars"]
    assert names([hives], f"{folder / 'bees'}") == ["hives/bees"]
    assert names([hives], f"cars,{folder}") == ["hives/cars", "hives/bees"]


def test_a_topic_of_elsewhere_is_judged_by_the_truth_beside_the_web(hives: Path, tmp_path: Path) -> None:
    """Its seeds and examples are its own."""
    write_topic(tmp_path, "bees", skip=3)
    (subject,) = find_subjects([hives], str(tmp_path / "bees"), None)
    assert subject.topic.folder == tmp_path / "bees"


def test_a_topic_may_have_seed_sets_and_no_seeds(hives: Path, tmp_path: Path) -> None:
    """One that has neither cannot be crawled yet."""
    file = write_topic(tmp_path, "bees") / "topic.toml"
    lines = [line for line in file.read_text().splitlines() if not line.startswith(("seeds", "a ="))]
    file.write_text("\n".join(lines))
    (subject,) = find_subjects([hives], str(tmp_path / "bees"), None)
    assert list(subject.seed_sets) == ["c"]
    file.write_text("\n".join(line for line in lines if not line.startswith(("c =", "[seed_sets"))))
    with pytest.raises(TopicError, match=r"^bees has no start pages; scrapy seeds .*bees finds some$"):
        find_subjects([hives], str(tmp_path / "bees"), None)


def test_a_judge_is_asked_only_where_there_is_no_truth(hives: Path, elsewhere: Path, tmp_path: Path) -> None:
    """Its topic has the name of the one it judges."""
    judges = tmp_path / "judges"
    write_topic(judges, "news", skip=8)
    subjects = find_subjects([hives, elsewhere], "", judges)
    assert {s.name: s.judge and s.judge.folder for s in subjects} == {
        "hives/bees": None,
        "hives/cars": None,
        "other/news": judges / "news",
    }


def test_a_judge_must_not_have_learnt_from_the_same_pages(elsewhere: Path, tmp_path: Path) -> None:
    """An example of both is named."""
    shared = url(pages_about("news")[3])
    write_topic(tmp_path / "judges", "news", skip=8, others=[shared])
    with pytest.raises(TopicError, match=f"{shared} is an example of the crawler and of its judge"):
        find_subjects([elsewhere], "", tmp_path / "judges")


def test_seed_sets_of_a_topic(hives: Path) -> None:
    """All of them, or those that are wanted."""
    subjects = find_subjects([hives], "", None)
    assert [list(s.seed_sets) for s in choose_seed_sets(subjects, "")] == [["a", "c"]] * 2
    assert [list(s.seed_sets) for s in choose_seed_sets(subjects, "c")] == [["c"]] * 2


def test_a_topic_that_lacks_a_seed_set_is_left_out_of_it(hives: Path, tmp_path: Path) -> None:
    """So long as another topic has it."""
    text = (write_topic(tmp_path, "cars") / "topic.toml").read_text().replace('c = ["', 'x = ["')
    (tmp_path / "cars/topic.toml").write_text(text)
    subjects = find_subjects([hives], f"bees,{tmp_path / 'cars'}", None)
    chosen = {s.name: list(s.seed_sets) for s in choose_seed_sets(subjects, "x,c")}
    assert chosen == {"hives/bees": ["c"], "hives/cars": ["x"]}


def test_strategies() -> None:
    """All of ours and the user's, or those that are named, in that order."""
    extra = {"mine": "my.Strategy"}
    assert choose_strategies("", extra) == (*STRATEGIES, "mine")
    assert choose_strategies(" mine, lpe,mine", extra) == ("mine", "lpe")
    assert choose_strategies("shuffled:mine,shuffled:lpe", extra) == ("shuffled:mine", "shuffled:lpe")
    ablations = ("without:hosts", "shuffled:without:hosts")
    assert choose_strategies(",".join(ablations), extra) == ablations
    with pytest.raises(
        ConfigError,
        match=r"^no strategy is called 'lp'; did you mean lpe. Else use one of .*shuffled: before",
    ):
        choose_strategies("shuffled:lp", extra)


def mistakes(hives: Path, elsewhere: Path, folder: Path) -> dict[str, tuple[list[Path], str, str]]:
    twin = folder / "twin" / hives.name
    twin.parent.mkdir()
    twin.write_bytes(hives.read_bytes())
    bare = folder / "bare.warc.gz"
    bare.write_bytes(hives.read_bytes())
    return {
        "no web": ([], "", "no web given; type scrapy experiment --web"),
        "web that is not there": ([folder / "gone.warc.gz"], "", "no web at "),
        "two webs of a name": ([hives, twin], "", "two webs are called hives"),
        "web without topics": ([bare], "", "no topic to crawl "),
        "unknown topic": (
            [hives],
            "beez",
            f"no topic 'beez' in {hives.parent / 'hives.topics'}; use some of bees,cars, or",
        ),
        "unknown topic of none": ([bare], "beez", f"no topic 'beez': there is none in {folder}"),
        "folder without topics": (
            [hives],
            str(folder / "gone"),
            f"{folder / 'gone' / 'topic.toml'}: not found",
        ),
        "no names": ([hives], ",", "--topics is ','; give names"),
        "nobody judges": ([elsewhere], "", "nobody can judge other/news: "),
    }


def test_mistakes_are_told_in_one_line(hives: Path, elsewhere: Path, tmp_path: Path) -> None:
    """Each names what is wrong."""
    for what, (webs, topics, message) in mistakes(hives, elsewhere, tmp_path).items():
        with pytest.raises(FocusedCrawlerError) as caught:
            find_subjects(webs, topics, None)
        assert str(caught.value).startswith(message), what
        assert "\n" not in str(caught.value), what


def test_a_judge_that_is_not_there_is_refused(hives: Path, tmp_path: Path) -> None:
    """Even where the web's ground truth would do."""
    with pytest.raises(TopicError, match=f"^no folder {tmp_path / 'gone'}; give --judge a folder that"):
        find_subjects([hives], "", tmp_path / "gone")


def test_unknown_names_are_refused(hives: Path) -> None:
    """The line says which there are."""
    subjects = find_subjects([hives], "", None)
    with pytest.raises(TopicError, match="no topic has a seed set 'z'; use some of a,c"):
        choose_seed_sets(subjects, "a,z")
    with pytest.raises(
        ConfigError, match=r"no strategy is called 'lp'; did you mean lpe. Else use one of breadth_first,"
    ):
        choose_strategies("lp", {})
    with pytest.raises(ConfigError, match="'my/own' cannot be part of a file's name"):
        choose_strategies("my/own", {"my/own": "my.Own"})
