"""What a check found: one line, how bad it is, and what fixes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

OK, WARNING, ERROR = STATES = ("ok", "warning", "error")


class Finding(NamedTuple):
    """One line of `scrapy doctor`."""

    check: str  # a word or two: "disk", "seeds"
    state: str  # one of STATES
    text: str
    cure: str = ""  # what to type or change; only what is ok has none


def has_error(findings: Sequence[Finding]) -> bool:
    """Tell whether a crawl could not do its work.

    >>> has_error([Finding("disk", WARNING, "nearly full", "free some space")])
    False
    """
    return any(finding.state == ERROR for finding in findings)


def of_error(check: str, error: Exception) -> Finding:
    """Return the finding of an error whose message says what is wrong, then what would be right.

    >>> of_error("topic", ValueError("no topic 'bee'; did you mean bees?"))
    Finding(check='topic', state='error', text="no topic 'bee'", cure='did you mean bees?')
    >>> of_error("topic", ValueError("no topic 'x' (see the list; or make it)")).cure
    'see the list; or make it'
    """
    message = " ".join(str(error).split())
    outside = re.sub(r"\([^()]*\)", lambda bracket: "." * len(bracket[0]), message)
    text, sign, _ = outside.rpartition("; ")
    if not sign and message.endswith(")"):
        text, sign, _ = message.rpartition(" (")
        message = message[:-1]
    if not sign:
        return Finding(check, ERROR, message, "fix what it names")
    return Finding(check, ERROR, message[: len(text)], message[len(text) + len(sign) :])
