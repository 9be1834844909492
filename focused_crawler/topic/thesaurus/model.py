"""The wordings of a facet, each once, with all that it stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from focused_crawler.page.model import STOP
from focused_crawler.page.text.tokens import Analyzer

Frequency = Literal["count", "density"]
"""How often an entry is there: in all, or for a page of its length."""


MAX_LENGTH = 200
"""Characters of a wording."""

Key: TypeAlias = tuple[str, ...]
"""The terms of a wording: two wordings of one key are found in the same places."""

_COMMENT = re.compile(r"(?:^|\s)#.*", re.DOTALL)

CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
"""What shows nothing, is no white space, and has no place in XML, and so in no RDF."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One concept; each of its wordings may have several words."""

    name: str  # the preferred wording
    synonyms: tuple[str, ...] = ()
    narrower: tuple[Entry, ...] = ()

    @property
    def wordings(self) -> tuple[str, ...]:
        return (self.name, *self.synonyms)


@dataclass(frozen=True, slots=True)
class Facet:
    """One tree. The facet itself is its root: its entries are on level 1."""

    name: str  # [a-z0-9-]
    entries: tuple[Entry, ...]
    title: str = ""
    negative: tuple[str, ...] = ()  # wordings that count against this facet

    def walk(self) -> Iterator[tuple[int, Entry, Entry | None]]:
        """Yield (level from 1, entry, broader entry) in the order of the file."""
        pending: list[tuple[int, Entry, Entry | None]] = [
            (1, entry, None) for entry in reversed(self.entries)
        ]
        while pending:
            level, entry, broader = pending.pop()
            yield level, entry, broader
            pending += [(level + 1, narrower, entry) for narrower in reversed(entry.narrower)]

    @property
    def depth(self) -> int:
        """The deepest level, 0 without entries."""
        return max((level for level, _, _ in self.walk()), default=0)


@dataclass(frozen=True, slots=True)
class Scoring:
    """The constants that the paper leaves open."""

    kappa: float = 2.0  # > 0: a facet of this score has half of what it can have
    anchor: float = 0.2  # >= 0, mu: share of the anchor window of the link that a page was fetched by
    url: float = 0.1  # >= 0, nu: share of the words of its URL
    penalty: float = 1.0  # >= 0: of each negative wording that is there
    frequency: Frequency = "count"


@dataclass(frozen=True, slots=True)
class Thesaurus:
    """The facets of a topic."""

    facets: tuple[Facet, ...]
    language: str = "en"  # ISO 639
    negative: tuple[str, ...] = ()  # wordings that count against every facet
    scoring: Scoring = Scoring()

    def __len__(self) -> int:
        """Number of entries."""
        return sum(1 for facet in self.facets for _ in facet.walk())

    def wordings(self) -> Iterator[str]:
        """Yield all wordings, those that count against a facet as well."""
        yield from self.negative
        for facet in self.facets:
            yield from facet.negative
            for _, entry, _ in facet.walk():
                yield from entry.wordings


def as_wording(text: str) -> str:
    """Return a text from elsewhere as a wording can stand in the file: one line, no |, comment or control.

    >>> as_wording("pH  | acidity # 7")
    'pH acidity 7'
    """
    words = CONTROL.sub("", text).replace("|", " ").split()
    return " ".join(filter(None, (word.lstrip("#") for word in words)))[:MAX_LENGTH].strip()


def without_comment(line: str) -> str:
    """Return a line up to its comment: a # at its start or after white space.

    >>> without_comment("C# tools  # of Microsoft")
    'C# tools'
    """
    return _COMMENT.sub("", line).rstrip()


def wording_key(wording: str, analyzer: Analyzer) -> Key:
    """Return the terms of a wording from its first to its last, () for one of stop words alone.

    A `STOP` between them stands for any stop word.

    >>> wording_key("the corrosion of metals", Analyzer("en"))
    ('corros', '', 'metal')
    """
    terms = analyzer.terms(wording)
    known = [position for position, term in enumerate(terms) if term != STOP]
    return tuple(terms[known[0] : known[-1] + 1]) if known else ()


class KnownEntry(NamedTuple):
    """An entry as it counts."""

    name: str
    weight: float  # (0, 1]: level / depth of its facet


@dataclass(slots=True)
class Meaning:
    """What a wording stands for."""

    wording: str
    entries: list[int] = field(default_factory=list)
    is_negative: bool = False


class Vocabulary:
    """What is looked for in texts for one facet, `negative` (what counts against every facet) with it.

    A wording may stand for several entries, and count against the facet, too.
    """

    def __init__(self, facet: Facet, negative: Sequence[str], analyzer: Analyzer) -> None:
        self.name = facet.name
        self.entries: list[KnownEntry] = []
        self._analyzer = analyzer
        self._meanings: dict[Key, Meaning] = {}
        depth = facet.depth
        for level, entry, _ in facet.walk():
            self._add(entry, level / depth)
        for wording in (*facet.negative, *negative):
            if meaning := self._meaning(wording):
                meaning.is_negative = True
        self.keys = tuple(self._meanings)
        self.meanings = tuple(self._meanings.values())

    def _add(self, entry: Entry, weight: float) -> None:
        number = len(self.entries)
        for meaning in filter(None, map(self._meaning, entry.wordings)):
            if number not in meaning.entries:
                meaning.entries.append(number)
        self.entries.append(KnownEntry(entry.name, weight))

    def _meaning(self, wording: str) -> Meaning | None:
        """Return the meaning to fill, None for a wording without a term."""
        key = wording_key(wording, self._analyzer)
        return self._meanings.setdefault(key, Meaning(wording)) if key else None
