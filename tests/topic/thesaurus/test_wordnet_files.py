"""WordNet's files read where they lie, as nltk reads them."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from focused_crawler.page.text import wordnet as through_nltk
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.thesaurus import wordnet_files
from focused_crawler.topic.thesaurus.wordnet_files import WordNetFiles, open_wordnet, wordnet_folder
from tests.wordnet import needs_wordnet

WORDS = (
    "corrosion", "geese", "ships", "better", "running", "marine", "neural network", "SHIP", "quickly",
    "fishes",
    "100", "'hood", "zyzzogeton", "no such thing", "", "galvanised", "wolves", "is", "zymotic",
)  # fmt: skip


@pytest.fixture(scope="module")
def wordnet():
    with open_wordnet() as opened:
        yield opened


@needs_wordnet
def test_it_says_what_nltk_says(wordnet):
    """Of first and last words in the files, irregular forms, phrases, and words that are not there."""
    with through_nltk._wordnet() as other:
        for word in WORDS:
            theirs = [sense for part in "nvar" for sense in other.synsets("_".join(word.split()), part)]
            ours = wordnet.senses(word)
            assert [one.offset for one in ours] == list(dict.fromkeys(one.offset() for one in theirs)), word
            for one, sense in zip(ours, dict.fromkeys(theirs), strict=True):
                assert list(one.lemmas) == [name.replace("_", " ") for name in sense.lemma_names()]
                assert one.gloss[:5] == sense.definition()[:5]
                narrower = [below.offset for below in wordnet.related(one, "~")]
                assert sorted(narrower) == sorted(below.offset() for below in sense.hyponyms())


@needs_wordnet
def test_parts_of_speech_are_told_apart(wordnet):
    """In any form of a word."""
    assert wordnet.is_word("protections", "n")
    assert wordnet.is_word("protected", "v")
    assert not wordnet.is_word("quickly", "n")
    assert not wordnet.is_word("xylotrode", "n")


def test_without_its_files_there_is_none(tmp_path, monkeypatch):
    """Which is no error here."""
    monkeypatch.setattr(wordnet_files.sys, "prefix", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    if not _is_installed():
        assert wordnet_folder() is None
        with open_wordnet() as opened:
            assert opened is None


def test_a_folder_of_ones_own_is_found(tmp_path, monkeypatch):
    """The variable that nltk looks at."""
    monkeypatch.setattr(wordnet_files.sys, "prefix", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NLTK_DATA", str(tmp_path / "mine"))
    folder = tmp_path / "mine/corpora/wordnet"
    folder.mkdir(parents=True)
    write_small(folder)
    assert wordnet_folder() == folder
    (folder / "data.adv").write_text("")
    assert wordnet_folder() != folder  # it was not unpacked to its end


def test_small_files_are_enough(tmp_path):
    """One word, one sense, no exceptions."""
    write_small(tmp_path)
    with ExitStack() as opened:
        wordnet = WordNetFiles(tmp_path, opened)
        (sense,) = wordnet.senses("ruste", "n")
        assert sense.lemmas == ("rust", "red rust")
        assert sense.gloss == "iron oxide"
        assert wordnet.senses("rusty", "n") == []
        assert Analyzer("en").terms(sense.gloss) == ["iron", "oxid"]


def write_small(folder: Path) -> None:
    for part in wordnet_files.PARTS_OF_SPEECH.values():
        (folder / f"index.{part}").write_text("rust n 1 0 1 0 00000000  \n")
        (folder / f"data.{part}").write_text("00000000 03 n 02 rust 0 red_rust 0 000 | iron oxide  \n")
        (folder / f"{part}.exc").write_text("ruste rust\n")


def _is_installed() -> bool:
    return wordnet_files.Path("/usr/share/wordnet/index.noun").is_file()
