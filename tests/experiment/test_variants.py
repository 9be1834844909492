from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from focused_crawler.experiment.grid import choose_seed_sets, find_subjects
from focused_crawler.experiment.variants import fewer, with_examples, without_hosts
from focused_crawler.safety.errors import ConfigError, TopicError
from focused_crawler.virtualweb.writer import WebWriter
from tests.experiment.hives import pages_about, url


def test_seeds_on_hosts_left_out_are_no_seeds(hives: Path) -> None:
    """A set that has none left goes with them; a line a topic says so."""
    subjects = find_subjects([hives], "", None)
    found, notes = without_hosts(subjects, ["NEWS2.example"])
    assert [list(one.seed_sets["c"]) for one in found] == [[url(3)]] * 2
    assert notes[0] == "hives-without-news2.example/bees: start pages on hosts left out: 1 of 2 in set c"
    found, notes = without_hosts(subjects, ["news2.example", "news3.example"])
    assert [list(one.seed_sets) for one in found] == [["a"]] * 2
    assert notes[1].endswith("/cars: start pages on hosts left out: 2 of 2 in set c, which is left out")
    assert len(notes) == 2


def test_a_topic_without_start_pages_is_left_out(hives: Path) -> None:
    """If another has some; else the command ends."""
    subjects = choose_seed_sets(find_subjects([hives], "", None), "a")
    found, _ = without_hosts(subjects, ["bees0.example"])
    assert [one.topic.name for one in found] == ["cars"]
    with pytest.raises(TopicError, match=r"no start page is left without bees0\.example, cars1\.example"):
        without_hosts(subjects, ["bees0.example", "cars1.example"])


def test_a_web_that_lacks_the_host_stays_what_it_is(hives: Path, tmp_path: Path) -> None:
    """A host that no web has is refused."""
    (subject,) = find_subjects([hives], "bees", None)
    lines = (hives.parent / "hives.topics/bees/topic.toml").read_text()
    folder = tmp_path / "tea.topics/bees"
    folder.mkdir(parents=True)
    (folder / "topic.toml").write_text(lines)
    other = replace(subject, web=tmp_path / "tea.warc.gz")
    with WebWriter(other.web) as web:
        web.write(url(0), 200, [("Content-Type", "text/html")], b"<p>tea</p>")
    found, _ = without_hosts([subject, other], ["news2.example"])
    assert [(one.web_name, one.without) for one in found] == [
        ("hives-without-news2.example", ("news2.example",)),
        ("tea", ()),
    ]
    with pytest.raises(ConfigError, match=r"^--without news9\.example: no web has a page of that host; give"):
        without_hosts([subject, other], ["news9.example"])


def test_without_nothing_all_stays(hives: Path) -> None:
    """And no web is opened."""
    subjects = find_subjects([hives], "", None)
    assert without_hosts(subjects, []) == (subjects, [])
    assert with_examples(subjects, "") == subjects


def test_fewer_examples_are_among_more(hives: Path) -> None:
    """The same ones in whatever order the topic names them."""
    (subject,) = find_subjects([hives], "bees", None)
    topic = subject.topic
    few, more = fewer(topic, (2, 3)), fewer(topic, (4, 30))
    assert (len(few.relevant_examples), len(few.other_examples)) == (2, 3)
    assert (len(more.relevant_examples), more.other_examples) == (4, topic.other_examples)
    assert set(few.relevant_examples) < set(more.relevant_examples) < set(topic.relevant_examples)
    mixed = fewer(replace(topic, relevant_examples=topic.relevant_examples[::-1]), (2, 3))
    assert set(mixed.relevant_examples) == set(few.relevant_examples)
    assert set(topic.relevant_examples) <= {url(number) for number in pages_about("bees")}


@pytest.mark.parametrize("wanted", ["5", "5+", "+5", "-1+5", "5+10+15", "five+ten", "\u0665+1"])
def test_what_is_no_pair_of_counts_is_refused(hives: Path, wanted: str) -> None:
    """With what to type."""
    with pytest.raises(ConfigError, match=r"^--examples is .* as in --examples 5\+10$"):
        with_examples(find_subjects([hives], "", None), wanted)
