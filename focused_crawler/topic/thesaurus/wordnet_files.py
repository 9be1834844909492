"""WordNet's own files, looked up where they lie: wndb(5WN).

nltk reads all of them when it starts, which takes 2 s and 180 MB; a first thesaurus is made in each crawl of
a topic without one, and looks up a few words.
"""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

PARTS_OF_SPEECH = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_ENDINGS = {
    "n": (("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
          ("men", "man"), ("ies", "y")),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"),
          ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}  # fmt: skip
"""What a word's ending becomes in its base form: morphy(7WN)."""


class Sense(NamedTuple):
    """One meaning: a synonym set."""

    part: str  # of speech: n, v, a or r
    offset: int  # its name within its file
    lemmas: tuple[str, ...]  # several words stand with spaces
    gloss: str  # definition and examples
    pointers: tuple[tuple[str, str, int], ...]  # kind ("@" is a hypernym: wninput(5WN)), part, offset


def wordnet_folder() -> Path | None:
    """Return where WordNet lies: unpacked in nltk's folders, or Debian's; None without it."""
    named = [Path(name) for name in os.environ.get("NLTK_DATA", "").split(os.pathsep) if name]
    shares = [
        Path(sys.prefix, *part) for part in (("nltk_data",), ("share", "nltk_data"), ("lib", "nltk_data"))
    ]
    system = [Path(f"/usr/{part}/nltk_data") for part in ("share", "local/share", "lib", "local/lib")]
    folders = [Path.home() / "nltk_data", *named, *shares, *system]
    places = [*(folder / "corpora/wordnet" for folder in folders), Path("/usr/share/wordnet")]
    return next(filter(_is_whole, places), None)


class WordNetFiles:
    """Looks words up; every answer is read from the files."""

    def __init__(self, folder: Path, opened: ExitStack) -> None:
        """Map the files into memory until `opened` is closed; raises OSError, ValueError for an empty one."""

        def mapped(name: str) -> mmap.mmap:
            with (folder / name).open("rb") as file:
                return opened.enter_context(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

        self._index = {part: mapped(f"index.{name}") for part, name in PARTS_OF_SPEECH.items()}
        self._data = {part: mapped(f"data.{name}") for part, name in PARTS_OF_SPEECH.items()}
        self._exceptions = {part: mapped(f"{name}.exc") for part, name in PARTS_OF_SPEECH.items()}

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

    def met(self, word: str, part: str) -> int:
        """Return in how many senses a word, in any form, was met in the texts that WordNet's makers read."""
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


def _is_whole(folder: Path) -> bool:
    names = (
        name for part in PARTS_OF_SPEECH.values() for name in (f"index.{part}", f"data.{part}", f"{part}.exc")
    )
    try:
        return all((folder / name).stat().st_size for name in names)
    except OSError:
        return False


@contextmanager
def open_wordnet() -> Iterator[WordNetFiles | None]:
    """Open WordNet while it is needed; None where it is not set up."""
    folder = wordnet_folder()
    with ExitStack() as opened:
        yield None if folder is None else WordNetFiles(folder, opened)


def _line(file: mmap.mmap, key: str) -> str | None:
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
