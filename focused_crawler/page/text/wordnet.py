"""WordNet (English; Princeton University): senses of words, and the terms that a term is related to.

Its files are searched where they lie: wndb(5WN). nltk's reader gives the same answers (a test), but reads all
files first: 2 s and 180 MB, and a thesaurus is made at the start of each crawl of a topic without one.
"""

from __future__ import annotations

import mmap
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile, ZipFile

from focused_crawler.page.model import STOP
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import ConfigError

LANGUAGE = "en"
DEBIAN_FOLDER = Path("/usr/share/wordnet")
SET_UP = "python -m focused_crawler.page.text.wordnet_data"
PARTS_OF_SPEECH = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
FILES = tuple(
    name for part in PARTS_OF_SPEECH.values() for name in (f"index.{part}", f"data.{part}", f"{part}.exc")
)
_ENDINGS = {
    "n": (("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
          ("men", "man"), ("ies", "y")),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"),
          ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}  # fmt: skip
"""What a word's ending becomes in its base form: morphy(7WN)."""
_TOPICS = 64
_WORDS = re.compile(r"\w+")
_SENSE = re.compile(rb"^\d{8} ", re.MULTILINE)


class Sense(NamedTuple):
    """One meaning: a synonym set."""

    part: str  # of speech: n, v, a or r
    offset: int  # its name within its file
    lemmas: tuple[str, ...]  # several words stand with spaces
    gloss: str  # definition and examples
    pointers: tuple[tuple[str, str, int], ...]  # kind ("@" is a hypernym: wninput(5WN)), part, offset


class WordNet:
    """Looks words up; every answer is read from the files."""

    def __init__(self, location: Path, opened: ExitStack) -> None:
        """Map a folder's files into memory until `opened` is closed, or read those of a zip file.

        Raises OSError, ValueError for an empty file.
        """

        def content(name: str) -> bytes | mmap.mmap:
            if location.suffix == ".zip":
                with ZipFile(location) as archive:
                    return archive.read(f"wordnet/{name}")
            with (location / name).open("rb") as file:
                return opened.enter_context(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

        self._index = {part: content(f"index.{name}") for part, name in PARTS_OF_SPEECH.items()}
        self._data = {part: content(f"data.{name}") for part, name in PARTS_OF_SPEECH.items()}
        self._exceptions = {part: content(f"{name}.exc") for part, name in PARTS_OF_SPEECH.items()}

    def __iter__(self) -> Iterator[Sense]:
        """Yield every sense there is."""
        for part, data in self._data.items():
            yield from (self.sense(part, found.start()) for found in _SENSE.finditer(data))

    def senses(self, wording: str, parts: str = "nvar") -> list[Sense]:
        """Return what a word or phrase may mean, in any form; of each part the commonest sense first."""
        form = "_".join(wording.lower().split())
        found = [
            self.sense(part, offset)
            for part in parts
            for base in self._bases(form, part)
            for offset in self._offsets(base, part)
        ]
        return list(dict.fromkeys(found))

    def is_word(self, wording: str, part: str) -> bool:
        """Tell whether a word or phrase, in any form, is there as this part of speech."""
        return any(self._bases("_".join(wording.lower().split()), part))

    def has_entry(self, word: str, part: str) -> bool:
        """Tell whether a word is there as it is, not as a form of another."""
        return _line(self._index[part], word.lower()) is not None

    def sense_count(self, word: str, part: str) -> int:
        """Return how many senses of a word, in any form, occur in the texts that WordNet's makers read."""
        items = [(_line(self._index[part], base) or "").split() for base in self._bases(word.lower(), part)]
        return max((int(fields[-int(fields[2]) - 1]) for fields in items), default=0)

    def sense(self, part: str, offset: int) -> Sense:
        """Return the sense that a pointer names."""
        data = self._data[part]
        line = data[offset : data.find(b"\n", offset)].decode("utf-8", "replace")
        fields, _, gloss = line.partition(" | ")
        items = fields.split()
        words = int(items[3], 16)
        lemmas = tuple(name.partition("(")[0].replace("_", " ") for name in items[4 : 4 + 2 * words : 2])
        first = 5 + 2 * words
        pointers = tuple(
            (items[at], items[at + 2].replace("s", "a"), int(items[at + 1]))
            for at in range(first, first + 4 * int(items[first - 1]), 4)
        )
        return Sense(part, offset, lemmas, gloss.strip(), pointers)

    def related(self, sense: Sense, *kinds: str) -> Iterator[Sense]:
        """Yield what a sense's pointers of these kinds lead to."""
        for kind, part, offset in sense.pointers:
            if kind in kinds:
                yield self.sense(part, offset)

    def _bases(self, form: str, part: str) -> list[str]:
        """Return the base forms that are there: of "geese" goose, of "meals" meal."""
        exception = _line(self._exceptions[part], form)
        bases = (
            exception.split()[1:]
            if exception
            else [form[: -len(old)] + new for old, new in _ENDINGS[part] if form.endswith(old)]
        )
        return [base for base in dict.fromkeys((form, *bases)) if base and _line(self._index[part], base)]

    def _offsets(self, base: str, part: str) -> list[int]:
        items = (_line(self._index[part], base) or "").split()
        return [int(offset) for offset in items[-int(items[2]) :]] if items else []


class Relations(NamedTuple):
    """The terms that one term is related to by any sense of its words; itself is not among them."""

    synonyms: frozenset[str]  # in one synonym set with it
    neighbours: frozenset[str]  # direct hypernyms and hyponyms that are no synonyms


@lru_cache(maxsize=_TOPICS)
def relations(phrases: tuple[str, ...]) -> dict[str, Relations]:
    """Return for each term of English words and phrases what it is related to.

    Phrases are looked up first, the longest that is there, and each of their words has what the phrase has:
    "first aid" is an entry, and "first" is something else. All other words are looked up one by one; each in
    all its senses and parts of speech. Of what is found, entries of several words ("motor vehicle") are left
    out: a page's terms are single words. Raises ConfigError where WordNet is not set up.
    """
    analyzer = Analyzer(LANGUAGE)
    found: dict[str, Relations] = {}
    with open_wordnet() as wordnet:
        if wordnet is None:
            raise ConfigError(f"WordNet is not here, which semantic strategies need; type: {SET_UP}")
        entries = [entry for phrase in phrases for entry in _entries(_WORDS.findall(phrase.lower()), wordnet)]
        for entry in dict.fromkeys(entries):
            senses = wordnet.senses(entry)
            near = [other for sense in senses for other in wordnet.related(sense, "@", "~")]
            one = Relations(_terms(senses, analyzer), _terms(near, analyzer))
            for term in filter(None, (_term(word, analyzer) for word in entry.split())):
                found[term] = _joined(term, found.get(term), one)
    return found


def _entries(words: Sequence[str], wordnet: WordNet) -> Iterator[str]:
    """Cut words into the longest phrases that WordNet has, from the first word on; else into words."""
    first = 0
    while first < len(words):
        ends = range(len(words), first + 1, -1)
        phrases = (end for end in ends if wordnet.senses(" ".join(words[first:end])))
        end = next(phrases, first + 1)
        yield " ".join(words[first:end])
        first = end


def _joined(term: str, one: Relations | None, other: Relations) -> Relations:
    """Return the relations of all words of a term; a synonym is not a neighbour as well."""
    synonyms, neighbours = other if one is None else map(frozenset.union, one, other)
    return Relations(synonyms - {term}, neighbours - synonyms - {term})


def _terms(senses: Iterable[Sense], analyzer: Analyzer) -> frozenset[str]:
    names = {name for sense in senses for name in sense.lemmas}
    return frozenset(term for name in names if (term := _term(name, analyzer)) is not None)


def _term(word: str, analyzer: Analyzer) -> str | None:
    """Return the term of a word, None if it is a stop word or not one word."""
    terms = analyzer.terms(word.replace("_", " "))
    return terms[0] if len(terms) == 1 and terms[0] != STOP else None


@contextmanager
def open_wordnet() -> Iterator[WordNet | None]:
    """Open WordNet while it is needed; None where it is not set up."""
    location = find_wordnet()
    with ExitStack() as opened:
        yield None if location is None else WordNet(location, opened)


def find_wordnet() -> Path | None:
    """Return WordNet's folder or zip file in one of nltk's folders, or Debian's folder; None without it."""
    named = [Path(name) for name in os.environ.get("NLTK_DATA", "").split(os.pathsep) if name]
    shares = [
        Path(sys.prefix, *part) for part in (("nltk_data",), ("share", "nltk_data"), ("lib", "nltk_data"))
    ]
    system = [Path(f"/usr/{part}/nltk_data") for part in ("share", "local/share", "lib", "local/lib")]
    folders = [folder / "corpora" for folder in (Path.home() / "nltk_data", *named, *shares, *system)]
    locations = [folder / name for folder in folders for name in ("wordnet", "wordnet.zip")]
    return next(filter(_is_whole, [*locations, DEBIAN_FOLDER]), None)


def _is_whole(location: Path) -> bool:
    try:
        if location.suffix == ".zip":
            with ZipFile(location) as archive:
                return all(archive.getinfo(f"wordnet/{name}").file_size for name in FILES)
        return all((location / name).stat().st_size for name in FILES)
    except (OSError, KeyError, BadZipFile):
        return False


def _line(file: bytes | mmap.mmap, key: str) -> str | None:
    """Return the line of a sorted file whose first word is the key."""
    wanted = key.encode()
    low, high = 0, len(file)
    while low < high:
        start = file.rfind(b"\n", 0, (low + high) // 2) + 1
        end = file.find(b"\n", start)
        end = len(file) if end < 0 else end
        word = file[start:end].split(b" ", 1)[0]  # empty in the notice at the top, which sorts first
        if word == wanted:
            return file[start:end].decode("utf-8", "replace")
        low, high = (end + 1, high) if word < wanted else (low, start)
    return None
