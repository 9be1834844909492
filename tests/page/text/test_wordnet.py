"""WordNet's files, read where they lie as nltk reads them, and what terms are related to by them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from zipfile import ZipFile

import pytest
from nltk.corpus import CorpusReader, LazyCorpusLoader, WordNetCorpusReader
from nltk.data import path as nltk_folders

from focused_crawler.page.text import wordnet as reader
from focused_crawler.page.text import wordnet_data
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.wordnet import Relations, WordNet, find_wordnet, open_wordnet, relations
from focused_crawler.safety.errors import ConfigError
from tests.wordnet import KEYWORDS, needs_wordnet

WORDS = (
    "corrosion", "geese", "ships", "better", "running", "marine", "neural network", "SHIP", "quickly",
    "fishes",
    "100", "'hood", "zyzzogeton", "no such thing", "", "galvanised", "wolves", "is", "zymotic",
)  # fmt: skip


@pytest.fixture(scope="module")
def wordnet():
    with open_wordnet() as opened:
        yield opened


@pytest.fixture
def without_wordnet(tmp_path, monkeypatch):
    """No folder that is searched has it."""
    monkeypatch.setattr(reader.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(reader, "DEBIAN_FOLDER", tmp_path / "debian")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NLTK_DATA", str(tmp_path / "mine"))
    if find_wordnet() is not None:
        pytest.skip("this machine has WordNet in a folder of the system")


@needs_wordnet
def test_it_gives_the_answers_of_nltk(wordnet, tmp_path, monkeypatch):
    """Of first and last words in the files, irregular forms, phrases, and words that are not there."""
    for name in reader.FILES:
        shutil.copyfile(find_wordnet() / name, tmp_path / name)
    monkeypatch.setattr("nltk.data.path", [*nltk_folders, str(tmp_path)])
    (tmp_path / "lexnames").write_text("".join(f"{number:02}\tname\t1\n" for number in range(45)))
    with ExitStack() as opened:
        nltk = nltk_reader(tmp_path, opened)
        for word in WORDS:
            theirs = [sense for part in "nvar" for sense in nltk.synsets("_".join(word.split()), part)]
            ours = wordnet.senses(word)
            assert [one.offset for one in ours] == list(dict.fromkeys(one.offset() for one in theirs)), word
            for one, sense in zip(ours, dict.fromkeys(theirs), strict=True):
                assert list(one.lemmas) == [name.replace("_", " ") for name in sense.lemma_names()]
                assert one.gloss[:5] == sense.definition()[:5]
                for kind, others in (("~", sense.hyponyms()), ("@", sense.hypernyms())):
                    found = [other.offset for other in wordnet.related(one, kind)]
                    assert sorted(found) == sorted(other.offset() for other in others)


def nltk_reader(folder, opened):
    """Return nltk's own reader of WordNet; its files are closed with `opened`."""

    class Reader(WordNetCorpusReader):
        def open(self, file):
            return opened.enter_context(closing(super().open(file)))

        def map_wn(self, version="wordnet"):
            """No other version is asked for: its file of senses is not among ours."""

    return Reader(str(folder), LazyCorpusLoader("omw-1.4", CorpusReader, None))


@needs_wordnet
def test_parts_of_speech_are_told_apart(wordnet):
    """In any form of a word."""
    assert wordnet.is_word("protections", "n")
    assert wordnet.is_word("protected", "v")
    assert not wordnet.is_word("quickly", "n")
    assert not wordnet.is_word("xylotrode", "n")


def test_without_its_files_there_is_none(without_wordnet):
    """Which is no error for a thesaurus."""
    with open_wordnet() as opened:
        assert opened is None


def test_a_folder_of_ones_own_is_found(without_wordnet, tmp_path):
    """The variable that nltk looks at."""
    folder = tmp_path / "mine/corpora/wordnet"
    folder.mkdir(parents=True)
    write_small(folder)
    assert find_wordnet() == folder
    (folder / "data.adv").write_text("")
    assert find_wordnet() != folder  # it was not unpacked to its end


def test_a_zip_file_is_read_as_it_lies(without_wordnet, tmp_path):
    """As nltk's downloader leaves it; half of one is none."""
    (tmp_path / "wordnet").mkdir()
    write_small(tmp_path / "wordnet")
    (tmp_path / "mine/corpora").mkdir(parents=True)
    path = tmp_path / "mine/corpora/wordnet.zip"
    with ZipFile(path, "w") as archive:
        for file in (tmp_path / "wordnet").iterdir():
            archive.write(file, f"wordnet/{file.name}")
    with open_wordnet() as wordnet:
        assert [sense.gloss for sense in wordnet.senses("rust", "n")] == ["iron oxide"]
    path.write_bytes(path.read_bytes()[:500])
    assert find_wordnet() is None


def test_small_files_are_enough(tmp_path):
    """One word, one sense, no exceptions."""
    write_small(tmp_path)
    with ExitStack() as opened:
        wordnet = WordNet(tmp_path, opened)
        (sense,) = wordnet.senses("ruste", "n")
        assert sense.lemmas == ("rust", "red rust")
        assert sense.gloss == "iron oxide"
        assert wordnet.senses("rusty", "n") == []
        assert Analyzer("en").terms(sense.gloss) == ["iron", "oxid"]


def write_small(folder: Path) -> None:
    for part in reader.PARTS_OF_SPEECH.values():
        (folder / f"index.{part}").write_text("rust n 1 0 1 0 00000000  \n")
        (folder / f"data.{part}").write_text("00000000 03 n 02 rust 0 red_rust 0 000 | iron oxide  \n")
        (folder / f"{part}.exc").write_text("ruste rust\n")


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
def test_a_phrase_is_looked_up_before_its_words():
    """The longest that is an entry: what it is related to, its words are. Other words have what is theirs."""
    found = relations(("Olympic Games history", "first aid", "optic nerve", "robot arm"))
    assert found["olymp"] == Relations(frozenset({"olympiad"}), frozenset({"agon", "athlet"}))
    assert found["game"] == Relations(frozenset({"olymp", "olympiad"}), frozenset({"agon", "athlet"}))
    assert found["aid"] == Relations(frozenset(), frozenset({"attent", "care", "tend"}))  # not help, assist
    assert found["nerv"] == Relations(frozenset(), frozenset())  # not courage: second cranial nerve
    assert {"account", "stori"} <= found["histori"].synonyms
    assert "limb" in found["arm"].synonyms  # WordNet has no robot arm


@needs_wordnet
def test_words_that_wordnet_does_not_know():
    """They stand for themselves."""
    assert relations(KEYWORDS)["stream"].synonyms
    assert relations(KEYWORDS)["zyzzogeton"] == Relations(frozenset(), frozenset())


def test_without_wordnet_one_line_says_what_to_type(without_wordnet):
    """The strategies are chosen by name, maybe long after set-up."""
    with pytest.raises(
        ConfigError,
        match=r"WordNet is not here.*python -m focused_crawler\.page\.text\.wordnet_data$",
    ):
        relations(("a topic that nobody asked for before",))


@needs_wordnet
def test_what_is_fetched_is_found(without_wordnet, tmp_path, monkeypatch):
    """In the environment's own folder, whole."""
    source = tmp_path / "source"
    source.mkdir()
    write_small(source)
    monkeypatch.setattr(wordnet_data, "WAYS", (("Debian", lambda folder: source),))
    target = tmp_path / "nltk_data/corpora/wordnet"
    assert wordnet_data.fetch(target) == "Debian"
    assert find_wordnet() == target
    assert sorted(file.name for file in target.iterdir()) == sorted(reader.FILES)


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
    assert wordnet_data.fetch(tmp_path / "corpora/wordnet") is None
    assert list((tmp_path / "corpora").iterdir()) == []


def test_set_up_goes_on_without(without_wordnet, monkeypatch, capsys):
    """One line says what was tried, and what to type when it can be fetched."""
    monkeypatch.setattr(wordnet_data, "WAYS", (("a place", missing),))
    wordnet_data.main()
    assert capsys.readouterr().out == (
        "WordNet could not be fetched (tried: a place); for semantic strategies, later type:"
        " python -m focused_crawler.page.text.wordnet_data\n"
    )


@needs_wordnet
def test_set_up_twice(capsys):
    """What is here is not fetched again."""
    wordnet_data.main()
    assert capsys.readouterr().out == "WordNet is here.\n"
