from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.examples import background_examples, contradicted, other_examples, with_labels
from focused_crawler.topic.label import Label, line_of
from focused_crawler.topic.labels import Labels, labels_of
from focused_crawler.topic.topic import Topic, load_topic

URLS = [f"http://bees.example/{number}" for number in range(6)]


def labelled(**answers: str) -> Labels:
    """Return labels of page n by some people, one letter each: n0="yu" is yes and unsure."""
    names = {"y": "yes", "n": "no", "u": "unsure"}
    lines = [
        line_of(Label(url=f"{URLS[int(page[1:])]}/", label=names[answer], by=f"P{who}", queue="page"))
        for page, given in answers.items()
        for who, answer in enumerate(given)
    ]
    return labels_of(b"".join(lines))


@pytest.fixture
def topics(tmp_path):
    """The folder of two topics: bees with examples of both kinds, cars with ten relevant ones."""
    cars = [f"http://cars.example/{number}" for number in range(10)]
    for name, relevant, other in (("bees", URLS[:2], URLS[2:4]), ("cars", cars, [])):
        (tmp_path / name).mkdir()
        text = f'name = "{name}"\nkeywords = ["{name}"]\n[examples]\nrelevant = {relevant}\nother = {other}\n'
        (tmp_path / name / "topic.toml").write_text(text)
    return tmp_path


answer = st.text("ynu", max_size=3)


@given(st.dictionaries(st.sampled_from([f"n{number}" for number in range(6)]), answer))
def test_each_page_is_where_most_people_put_it(given):
    """Else where topic.toml has it; no page is on both sides, or twice on one."""
    topic = Topic("bees", None, relevant_examples=tuple(URLS[:2]), other_examples=tuple(URLS[2:4]))
    labels = labelled(**given)
    found = with_labels(topic, labels)
    sides = [{url.rstrip("/") for url in urls} for urls in (found.relevant_examples, found.other_examples)]
    assert [len(side) for side in sides] == [len(found.relevant_examples), len(found.other_examples)]
    for number, url in enumerate(URLS):
        said = given.get(f"n{number}", "")
        votes = said.count("y") - said.count("n")
        in_toml = 1 if number < 2 else -1 if number < 4 else 0
        place = (votes > 0) - (votes < 0) or in_toml
        assert (url in sides[0]) - (url in sides[1]) == place
        assert (url in contradicted(topic, labels)) == (votes * in_toml < 0)


def test_what_stands_in_for_other_examples_stays(topics):
    """A topic that names none learns from what people say no to beside pages of other topics."""
    bees = load_topic("bees", topics)
    bare = Topic("bees", bees.folder, relevant_examples=bees.relevant_examples)
    stand_ins = other_examples(bare)
    assert len(stand_ins) == 10
    yes = Label(url=stand_ins[0], label="yes", by="Ana", queue="page")
    no = Label(url=URLS[4], label="no", by="Ana", queue="page")
    found = with_labels(bare, labels_of(line_of(yes) + line_of(no)))
    assert found.relevant_examples == (*bees.relevant_examples, stand_ins[0])
    assert found.other_examples == (*stand_ins[1:], URLS[4])
    assert other_examples(found) == list(found.other_examples)


def test_without_labels_nothing_changes(topics):
    """Nor where nobody has decided."""
    bees = load_topic("bees", topics)
    assert with_labels(bees, Labels()) is bees
    assert with_labels(bees, labelled(n0="u", n4="yn")) is bees


def test_a_topic_that_cannot_be_read_stops_no_other(topics, caplog):
    """Nothing is taken from one that somebody is writing, and its mistake is said once."""
    for name, text in (("half", 'name = "half"'), ("torn", "name = ")):
        (topics / name).mkdir()
        (topics / name / "topic.toml").write_text(text)
    bees = load_topic("bees", topics)
    bare = Topic("bees", bees.folder, relevant_examples=bees.relevant_examples)
    assert len(other_examples(bare)) == len(other_examples(bare)) == 10
    assert len(background_examples(bees, 100)) == 10
    assert [record.getMessage().partition("topic.toml")[2][:20] for record in caplog.records] == [
        ":1: neither keywords",
        ":1: no valid TOML: i",
    ]
