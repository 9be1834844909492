"""Related words, and how WordNet comes to be here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from nltk.data import find

from focused_crawler.page.text import wordnet_data
from focused_crawler.page.text.wordnet import Relations, relations
from focused_crawler.safety.errors import ConfigError
from tests.wordnet import KEYWORDS, needs_wordnet


@needs_wordnet
def test_synonyms_and_neighbours():
    """As terms: stems of single words."""
    car = relations(KEYWORDS)["car"]
    assert {"automobil", "auto", "motorcar"} <= car.synonyms
    assert {"cab", "jeep", "limousin"} <= car.neighbours
    assert "motor" not in car.neighbours  # of "motor vehicle"


@needs_wordnet
def test_a_term_is_not_related_to_itself():
    """Nor is a synonym a neighbour as well."""
    for term, (synonyms, neighbours) in relations(KEYWORDS).items():
        assert term not in synonyms | neighbours
        assert not synonyms & neighbours


@needs_wordnet
def test_the_words_of_a_phrase_and_of_a_stem_are_looked_up_one_by_one():
    """Cook and cooking make one term, which has what each of them is related to."""
    found = relations(KEYWORDS)
    assert set(found) == {"car", "race", "robot", "arm", "home", "cook", "zyzzogeton", "stream"}
    assert "cookeri" in found["cook"].synonyms  # of cooking
    assert "prepar" in found["cook"].synonyms  # of cook


@needs_wordnet
def test_words_that_wordnet_does_not_know():
    """They stand for themselves."""
    assert relations(KEYWORDS)["stream"].synonyms
    assert relations(KEYWORDS)["zyzzogeton"] == Relations(frozenset(), frozenset())


def test_without_wordnet_one_line_says_what_to_type(monkeypatch):
    """The strategies are chosen by name, maybe long after set-up."""
    monkeypatch.setattr("nltk.data.path", [])
    with pytest.raises(
        ConfigError, match=r"WordNet is not here.*python -m focused_crawler\.text\.wordnet_data$"
    ):
        relations(("a topic that nobody asked for before",))


@needs_wordnet
def test_debian_files_become_a_corpus(tmp_path, monkeypatch):
    """They have no lexnames; with ours nltk reads them."""
    debian = tmp_path / "debian"
    debian.mkdir()
    for name in wordnet_data.FILES:
        with find(f"corpora/wordnet/{name}").open() as file:
            (debian / name).write_bytes(file.read())
    monkeypatch.setattr(wordnet_data, "WAYS", (("Debian", lambda folder: debian),))
    assert wordnet_data.bring(tmp_path / "nltk_data/corpora/wordnet") == "Debian"
    monkeypatch.setattr("nltk.data.path", [str(tmp_path / "nltk_data")])
    assert relations.__wrapped__(KEYWORDS) == relations(KEYWORDS)
    lines = (tmp_path / "nltk_data/corpora/wordnet/lexnames").read_text().splitlines()
    assert [lines[0], lines[6], lines[38], lines[44]] == [
        "00\tadj.all\t3",
        "06\tnoun.artifact\t1",
        "38\tverb.motion\t2",
        "44\tadj.ppl\t3",
    ]


def broken(folder: Path) -> Path:
    (folder / "data.noun").write_text("half of it")
    return folder


def failing(folder: Path) -> Path:
    subprocess.run([sys.executable, "-c", "raise SystemExit(1)"], check=True)
    return folder


def missing(folder: Path) -> Path:
    return folder / "nowhere"


def test_what_is_not_whole_is_not_taken(tmp_path, monkeypatch):
    """A server that cannot be reached, half a copy, a folder that is not there: nothing is left behind."""
    ways = tuple((way.__name__, way) for way in (failing, broken, missing))
    monkeypatch.setattr(wordnet_data, "WAYS", ways)
    assert wordnet_data.bring(tmp_path / "corpora/wordnet") is None
    assert list((tmp_path / "corpora").iterdir()) == []


def test_set_up_goes_on_without(tmp_path, monkeypatch, capsys):
    """One line says what was tried, and what to type when it can be had."""
    monkeypatch.setattr(wordnet_data, "WAYS", (("a place", missing),))
    monkeypatch.setattr("nltk.data.path", [])
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    wordnet_data.main()
    assert capsys.readouterr().out == (
        "WordNet could not be had (tried: a place); for semantic strategies, later type:"
        " python -m focused_crawler.page.text.wordnet_data\n"
    )


@needs_wordnet
def test_set_up_twice(capsys):
    """What is here is not brought again."""
    wordnet_data.main()
    assert capsys.readouterr().out == "WordNet is here.\n"
