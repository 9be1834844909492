"""The words of a search as they are sent."""

from __future__ import annotations

from focused_crawler.errors import SearchError

LONGEST = 400
MOST_WORDS = 50


def asked_for(query: str) -> str:
    r"""Return the query on one line; SearchError for one that no service takes.

    >>> asked_for("  wet \n blasting ")
    'wet blasting'
    """
    words = query.encode("utf-8", "ignore").decode("utf-8").split()
    text = " ".join(words)
    if not text:
        raise SearchError("a search needs words; this one has none")
    if len(text) > LONGEST or len(words) > MOST_WORDS:
        raise SearchError(
            f"a search of {len(words)} words, {len(text)} characters; use at most {MOST_WORDS} and {LONGEST}"
        )
    return text
