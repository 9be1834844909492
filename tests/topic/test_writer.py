"""What is written for a new topic is read back as it was given, whatever was typed."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.page.url import normalise
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.rules import overlap_problem
from focused_crawler.topic.topic import Topic, load_topic
from focused_crawler.topic.writer import add_seeds, mark_categories, write_topic

NAMES = st.from_regex(r"[a-z0-9][a-z0-9-]{0,63}", fullmatch=True).filter(lambda name: name != "topic")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
URLS = st.builds(
    "{}://{}/{}".format,
    st.sampled_from(["http", "https", "HTTPS"]),
    st.sampled_from(["a.example", "www.b.example:8080", "münchen.example", "[2001:db8::1]"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
).filter(lambda url: normalise(url) is not None)


def lists_of(values, min_size=0):
    return st.lists(values, min_size=min_size, max_size=5, unique=True).map(tuple)


TOPICS = st.builds(
    Topic,
    name=NAMES,
    folder=st.just(Path()),
    title=TEXTS,
    description=TEXTS | st.just(""),
    language=st.sampled_from(["en", "de", "zh", "grc"]),
    keywords=lists_of(TEXTS, min_size=1),
    seeds=lists_of(URLS),
    relevant_examples=lists_of(URLS),
    other_examples=lists_of(URLS),
).filter(lambda topic: overlap_problem(topic.relevant_examples, topic.other_examples) is None)


@settings(deadline=None, max_examples=60)
@given(TOPICS)
def test_every_topic_comes_back_as_it_was_given(topic):
    """Quotes, backslashes, line breaks, control characters and any script survive the file."""
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base).resolve() / topic.name
        given_topic = replace(topic, folder=folder)
        assert write_topic(given_topic) == given_topic
        assert load_topic(str(folder / "topic.toml")) == given_topic


@pytest.fixture
def asthma(tmp_path):
    return Topic(
        name="asthma",
        folder=tmp_path / "asthma",
        title="Asthma",
        keywords=("asthma",),
        seeds=("https://en.wikipedia.org/wiki/Asthma",),
    )


def test_saved_pages_are_copied_into_the_folder(asthma, tmp_path):
    """Two pages of one name, from two folders, both become examples."""
    pages = [tmp_path / name / "index.html" for name in ("a", "b")]
    for page in pages:
        page.parent.mkdir()
        page.write_text(page.parent.name, encoding="utf-8")
    topic = write_topic(replace(asthma, relevant_examples=("https://a.example/", *map(str, pages))))
    assert topic.relevant_examples == (
        "https://a.example/",
        "examples/relevant/2-index.html",
        "examples/relevant/index.html",
    )
    assert (topic.folder / "examples/relevant/2-index.html").read_text(encoding="utf-8") == "b"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": "../up"}, "name: name '../up' is not made of a-z, 0-9 and - alone (64 at most); write up"),
        ({"name": ""}, "name: name '' is not made of a-z, 0-9 and - alone (64 at most); write my-topic"),
        ({"name": "topic"}, "name: name 'topic' is the spider of all topics; choose another"),
        (
            {"seeds": ("example.org",)},
            "seeds: 'example.org' is no http or https URL; write it like \"https://www.example.org/page\"",
        ),
        (
            {"keywords": ()},
            "keywords: nothing says what the topic is about; give some words",
        ),
        ({"keywords": (" ",)}, "keywords: the text is empty; write a word or leave the option out"),
        ({"title": ""}, "title: the text is empty; write a word or leave the option out"),
        ({"title": "\udcfc"}, "title: '\\udcfc' is not UTF-8; set your terminal to UTF-8"),
        (
            {"language": "English"},
            'language: language \'English\' is no ISO 639 code; write two letters, as "en" or "de"',
        ),
        (
            {"relevant_examples": ("notes.pdf",)},
            "relevant: 'notes.pdf' is no http or https URL; write it like \"https://www.example.org/page\"",
        ),
        (
            {"relevant_examples": ("https://a.example/",), "other_examples": ("http://www.a.example",)},
            "'http://www.a.example' is a relevant and an other example; remove it from one of them",
        ),
    ],
)
def test_wrong_values_are_refused_before_anything_is_written(asthma, tmp_path, wrong, message):
    """The error names the option and the cure, and leaves no trace."""
    with pytest.raises(TopicError) as caught:
        write_topic(replace(asthma, **wrong))
    assert str(caught.value) == message
    assert list(tmp_path.iterdir()) == []


def test_missing_page_is_named(asthma, tmp_path, monkeypatch):
    """A saved page that is not there is no URL to guess at."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TopicError, match=r"^other: lost\.html does not exist; save the page there"):
        write_topic(replace(asthma, other_examples=("lost.html",)))


def test_existing_folder_is_left_alone(asthma, tmp_path, monkeypatch):
    """A second topic of that name changes nothing, be it a folder or a dangling link."""
    monkeypatch.chdir(tmp_path)
    write_topic(asthma)
    before = (asthma.folder / "topic.toml").read_bytes()
    with pytest.raises(TopicError) as caught:
        write_topic(replace(asthma, keywords=("other",)))
    assert str(caught.value) == "asthma exists already; edit its topic.toml or choose another name"
    assert (asthma.folder / "topic.toml").read_bytes() == before
    (tmp_path / "linux").symlink_to(tmp_path / "nowhere")
    with pytest.raises(TopicError, match=r"^linux exists already"):
        write_topic(replace(asthma, name="linux", folder=tmp_path / "linux"))


def test_place_that_cannot_be_written_is_named(asthma, tmp_path, monkeypatch):
    """A file where a folder should be ends in one line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(
        TopicError, match=r"^file/asthma cannot be written \((File exists|Not a directory)\); free "
    ):
        write_topic(replace(asthma, folder=tmp_path / "file" / "asthma"))


def test_file_is_nice_to_edit(asthma):
    """Its reader finds a word of advice at each key and one URL a line."""
    text = (write_topic(asthma).folder / "topic.toml").read_text(encoding="utf-8")
    assert '\nkeywords = [\n    "asthma",\n]\n' in text
    assert "\n# relevance = 0.5" in text
    assert max(map(len, text.splitlines())) <= 110


def test_examples_that_the_file_suggests_can_be_switched_on(asthma):
    """Taking away the # of the suggested lines gives a valid topic."""
    file = write_topic(asthma).folder / "topic.toml"
    text = file.read_text(encoding="utf-8")
    suggested = ('# description = "..."', "# [thresholds]", "# relevance = 0.5", "# link = 0.2")
    for line in (*suggested, "# [taxonomy]", "# good = "):
        assert line in text
        text = text.replace(line, line[2:])
    file.write_text(text, encoding="utf-8")
    topic = load_topic(str(file))
    assert (topic.description, topic.relevance_threshold, topic.link_threshold) == ("...", 0.5, 0.2)
    assert topic.good_categories == ("health",)


def test_seeds_are_added_to_those_there(asthma):
    """Comments stay, a page that stands there in another spelling is not named twice, and all is one URL."""
    topic = write_topic(asthma)
    before = (topic.folder / "topic.toml").read_text(encoding="utf-8")
    new = ["https://a.example/x?y='z'#\"", "http://en.wikipedia.org/wiki/Asthma/", "https://b.example/"]
    assert add_seeds(topic, new).seeds == (*topic.seeds, new[0], new[2])
    after = (topic.folder / "topic.toml").read_text(encoding="utf-8")
    assert [line for line in after.split("\n") if line not in before] == [
        '    "https://a.example/x?y=\'z\'#\\"",',
        '    "https://b.example/",',
    ]
    with pytest.raises(TopicError, match=r"^'javascript:x' is no http or https URL"):
        add_seeds(topic, ["javascript:x"])


@pytest.mark.parametrize("end", ["", "\n# What training learns from.\n[examples]\nrelevant = []\n"])
def test_seeds_are_added_where_none_were(tmp_path, end):
    """At the top of the file, whatever tables follow, and not below the comment of the first."""
    (tmp_path / "bees").mkdir()
    top = 'name = "bees"\nkeywords = ["hive"]\n'
    (tmp_path / "bees" / "topic.toml").write_text(top + end, encoding="utf-8")
    topic = add_seeds(load_topic(str(tmp_path / "bees")), ["https://a.example/"])
    assert topic.seeds == ("https://a.example/",)
    text = (tmp_path / "bees" / "topic.toml").read_text(encoding="utf-8")
    assert text.replace('seeds = [\n    "https://a.example/",\n]\n', "") == top + end


def test_categories_are_marked_and_unmarked(asthma):
    """All else in the file stays; a name that no category can have is not written."""
    topic = write_topic(asthma)
    before = (topic.folder / "topic.toml").read_text(encoding="utf-8")
    marked = mark_categories(topic, ["health/asthma", "health/lungs"])
    assert marked == replace(topic, good_categories=("health/asthma", "health/lungs"))
    assert (topic.folder / "topic.toml").read_text(encoding="utf-8").startswith(before)
    assert mark_categories(topic, ["health"], ["health/asthma", "health/lungs"]).good_categories == (
        "health",
    )
    with pytest.raises(TopicError, match="category '' is not made of names"):
        mark_categories(topic, [""])
    assert load_topic(str(topic.folder)).good_categories == ("health",)
