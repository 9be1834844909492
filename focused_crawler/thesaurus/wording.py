"""What a wording of a thesaurus is: how it is written in the file, and which terms it is read as."""

from __future__ import annotations

import re
from typing import TypeAlias

from focused_crawler.page.model import STOP
from focused_crawler.text.tokens import Analyzer

MAX_LENGTH = 200
"""Characters of a wording."""

Key: TypeAlias = tuple[str, ...]
"""The terms of a wording: two wordings of one key are found in the same places."""

_COMMENT = re.compile(r"(?:^|\s)#.*", re.DOTALL)

CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
"""What shows nothing, is no white space, and has no place in XML, and so in no RDF."""


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
