"""English-looking text about a topic, from word lists and sentence forms."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

TOPICS = ("astronomy", "cooking", "finance", "football", "gardening")
THEMES = ("computers", "film", "history", "music", "travel")
"""Subjects that no demo topic is about."""

_SLOT = re.compile(r"\{(\w+)\}")
_A_BEFORE_VOWEL = re.compile(r"\b([Aa]) (?=[aeiouAEIOU])")
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
        self._slots: dict[str, Callable[[], str]] = {
            "number": lambda: str(random.randrange(11, 99)),
            "small": lambda: str(random.randrange(2, 10)),
            "a_noun": lambda: f"a {self._noun()}",
            "a_tool": lambda: f"a {self._pick('tool').partition('|')[0]}",
            "noun": self._noun,
            "tool": lambda: self._pick("tool").partition("|")[0],
            "nouns": lambda: plural(self._pick("noun")),
        }

    def sentence(self) -> str:
        return _finish(self._fill(self._draw("own", self._words), self._words))

    def title(self) -> str:
        return _finish(self._fill(self._pick("title_form"), self._words))

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

    def _noun(self) -> str:
        return self._pick("noun").partition("|")[0]

    def _pick(self, kind: str) -> str:
        word: str = self._random.choice(self._words[kind])
        return word

    def _fill(self, form: str, lists: dict[str, Any]) -> str:
        def value(match: re.Match[str]) -> str:
            slot = match[1]
            if lists is self._general and slot in ("noun", "nouns", "a_tool", "tool"):
                word: str = self._random.choice(lists[slot.removeprefix("a_").removesuffix("s")])
                return (
                    plural(word)
                    if slot == "nouns"
                    else f"{'a ' * (slot == 'a_tool')}{word.partition('|')[0]}"
                )
            return self._slots[slot]() if slot in self._slots else self._random.choice(lists[slot])

        return _SLOT.sub(value, form)


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
