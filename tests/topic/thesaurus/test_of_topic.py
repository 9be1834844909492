"""A thesaurus of a topic's own words."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.folders import topics_folder
from focused_crawler.topic.thesaurus.model import Thesaurus, wording_key
from focused_crawler.topic.thesaurus.of_topic import first_thesaurus, subject_wordings, thesaurus_of
from focused_crawler.topic.thesaurus.writer import write_thesaurus
from focused_crawler.topic.topic import Topic, load_topic, topic_names
from tests.wordnet import needs_wordnet

COOKING = Topic(
    "cooking",
    Path("cooking"),
    title="Cooking and recipes",
    description="Recipes, ingredients, cooking techniques, meals and kitchens.",
    keywords=("recipe", "cooking", "ingredients", "bake", "oven", "dinner", "sauce", "flour"),
)


def entries(thesaurus: Thesaurus) -> dict[str, tuple[str, ...]]:
    return {entry.name: entry.synonyms for facet in thesaurus.facets for _, entry, _ in facet.walk()}


@pytest.fixture
def without_wordnet(monkeypatch):
    monkeypatch.setattr("focused_crawler.page.text.wordnet.find_wordnet", lambda: None)


def test_keywords_come_first_then_phrases(without_wordnet):
    """Phrases of title and description; a single word of them says too little."""
    names = list(entries(first_thesaurus(COOKING)))
    assert names == [*COOKING.keywords, "cooking techniques"]


def test_without_keywords_single_words_will_do(without_wordnet):
    """There is nothing else."""
    topic = Topic("rust", Path("rust"), title="The rust of ships")
    assert list(entries(first_thesaurus(topic))) == ["rust", "ships"]


def test_a_topic_without_words_matches_nothing(without_wordnet):
    """It has examples."""
    assert not len(first_thesaurus(Topic("who", Path("who"), title="The")))


def test_wordings_are_fit_for_a_file(without_wordnet, tmp_path):
    """Whatever people wrote as keywords: none twice as a matcher sees it, none without a term, no signs."""
    keywords = ("rust", "Rusts", "the", "a | b rusting", "# paint", "C#", "zinc\t coat", "'''", "x" * 300)
    topic = Topic("rust", tmp_path, title="Rust", keywords=keywords)
    found = subject_wordings(topic, Analyzer("en"))
    assert found[0] == "rust"
    write_thesaurus(tmp_path / "thesaurus.toml", first_thesaurus(topic))
    assert thesaurus_of(topic) == first_thesaurus(topic)


def test_the_file_in_the_folder_comes_first(tmp_path):
    """And a broken one is no reason for another."""
    (tmp_path / "thesaurus.toml").write_text("[facets.methods]\nentries = '''\nblasting\n'''\n")
    topic = Topic("rust", tmp_path, keywords=("rust",))
    assert list(entries(thesaurus_of(topic))) == ["blasting"]
    (tmp_path / "thesaurus.toml").write_text("[facets.methods]\n")
    with pytest.raises(TopicError, match=r"thesaurus\.toml:1"):
        thesaurus_of(topic)


@pytest.mark.parametrize(
    ("language", "title", "keywords"),
    [
        ("de", "Korrosion von Schiffen", ("Rost", "Anstrich")),
        ("zh", "船舶腐蚀", ("防锈", "油漆")),
        ("xx", "Rust", ("rust",)),
    ],
)
def test_other_languages_have_their_words_alone(language, title, keywords):
    """WordNet is English."""
    found = entries(first_thesaurus(Topic("rust", Path("rust"), title, language=language, keywords=keywords)))
    assert list(found)[: len(keywords)] == list(keywords)
    assert not any(found.values())


@needs_wordnet
def test_wordnet_adds_words_of_the_right_sense():
    """Cookery, kinds of sauce; nothing of other senses (sauce is impudence, to cook is to falsify)."""
    found = entries(first_thesaurus(COOKING))
    assert list(found)[:8] == list(COOKING.keywords)
    assert "cookery" in found["cooking"]
    assert {"Dutch oven", "hot sauce"} <= set(found)
    assert not {"impudence", "fudge", "fake", "prepare", "make"} & {
        word for name in found for word in (name, *found[name])
    }


@needs_wordnet
def test_a_word_without_support_stays_alone():
    """What pitch is meant, nobody can tell."""
    assert entries(first_thesaurus(Topic("pitch", Path("pitch"), keywords=("pitch", "zyx")))) == {
        "pitch": (),
        "zyx": (),
    }


@needs_wordnet
def test_the_sense_depends_on_the_other_words():
    """Coaches of teams, and those with horses."""
    sport = Topic("a", Path("a"), keywords=("coach", "team", "athlete", "sports"))
    road = Topic("b", Path("b"), keywords=("coach", "carriage", "horse", "driver"))
    assert "tennis coach" in entries(first_thesaurus(sport))
    assert "tennis coach" not in entries(first_thesaurus(road))


@needs_wordnet
@pytest.mark.parametrize("name", topic_names()[::4])
def test_topics_that_ship_get_a_sound_one_at_once(name, tmp_path):
    """In far less than a second, the same each time, all on one level; it can be written and read."""
    topic = load_topic(name, topics_folder())
    first_thesaurus(topic)  # the language's statistics are made once a process
    start = time.thread_time()  # other threads of this process may be at work
    thesaurus = first_thesaurus(topic)
    assert time.thread_time() - start < 1.0
    assert thesaurus == first_thesaurus(topic)
    assert [facet.depth for facet in thesaurus.facets] == [1]
    keys = [
        wording_key(word, Analyzer("en"))
        for entry, more in entries(thesaurus).items()
        for word in (entry, *more)
    ]
    assert len(keys) == len(set(keys))
    write_thesaurus(tmp_path / "thesaurus.toml", thesaurus)
