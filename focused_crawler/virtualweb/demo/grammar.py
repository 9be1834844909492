"""English-looking text about a topic, from word lists and sentence forms."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

TOPICS = ("astronomy", "cooking", "finance", "football", "gardening")
THEMES = ("computers", "film", "history", "music", "travel")
"""Subjects that no demo topic is about."""

_SLOT = re.compile(r"\{(\w+)\}")
_A_BEFORE_VOWEL = re.compile(r"\b([Aa]) (?=[aeiouAEIOU])")
_NUMBERS = {"number": (11, 99), "small": (2, 10)}
_KINDS = {"a_noun": "noun", "a_tool": "tool", "nouns": "noun"}
"""Slots of a sentence form that do not bear the name of their word list."""

_SIBILANT = ("s", "x", "z", "ch", "sh")


@cache
def words(subject: str) -> dict[str, Any]:
    """Return the word lists of a subject, or of "general"."""
    return tomllib.loads(
        files(f"{__package__}.words").joinpath(f"{subject}.toml").read_text(encoding="utf-8")
    )


class Grammar:
    """Writes about one subject; where it lacks words it uses general ones."""

    def __init__(self, subject: str, random: Random) -> None:
        self._words = {**words("general"), **words(subject)}
        self._general = words("general")
        self._random = random
        self._decks: dict[
            str, list[str]
        ] = {}  # forms not used yet: a page repeats one only when all are used

    def sentence(self) -> str:
        return _finish(self._fill(self._draw("own", self._words), self._words))

    def title(self) -> str:
        return _finish(self._fill(self._random.choice(self._words["title_form"]), self._words))

    def phrase(self) -> str:
        """Return two or three words: a label for a section or a link."""
        return self._fill(self._random.choice(["{adjective} {nouns}", "{nouns}", "{doing}"]), self._words)

    def general_sentence(self) -> str:
        return _finish(self._fill(self._draw("general", self._general), self._general))

    def paragraph(self, sentences: int, share: float) -> str:
        """Return sentences of which `share` (0 to 1) are about the subject, the rest about nothing much."""
        return " ".join(
            self.sentence() if self._random.random() < share else self.general_sentence()
            for _ in range(sentences)
        )

    def _draw(self, deck: str, lists: dict[str, Any]) -> str:
        if not self._decks.get(deck):
            self._decks[deck] = self._random.sample(lists["sentence"], len(lists["sentence"]))
        return self._decks[deck].pop()

    def _fill(self, form: str, lists: dict[str, Any]) -> str:
        return _SLOT.sub(lambda match: self._value(match[1], lists), form)

    def _value(self, slot: str, lists: dict[str, Any]) -> str:
        """Return what stands in a slot of a sentence form: a number, or a word of these lists."""
        if slot in _NUMBERS:
            return str(self._random.randrange(*_NUMBERS[slot]))
        word: str = self._random.choice(lists[_KINDS.get(slot, slot)])
        if slot == "nouns":
            return plural(word)
        return ("a " if slot.startswith("a_") else "") + word.partition("|")[0]


def plural(noun: str) -> str:
    """Return the plural of a noun, its own if it gives one after a bar.

    >>> plural("galaxy|galaxies"), plural("comet"), plural("red torch")
    ('galaxies', 'comets', 'red torches')
    """
    singular, _, own = noun.partition("|")
    return own or singular + ("es" if singular.endswith(_SIBILANT) else "s")


def _finish(text: str) -> str:
    """Return a sentence with its articles and its first letter put right.

    >>> _finish("a open cluster is a star.")
    'An open cluster is a star.'
    """
    text = _A_BEFORE_VOWEL.sub(r"\1n ", text)
    return text[0].upper() + text[1:]
